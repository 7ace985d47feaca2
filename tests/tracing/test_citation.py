"""Citations: the digest of the data, the host that answered, what was computed from the data; and the software."""

import hashlib
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.recorded import body_of, elsewhere, vcrpy_file

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
NAMES = [BAY, HEIGHTS]


def bodies():
    """Return the data of the newest response of each endpoint and suburb in the default client's store."""
    return {
        (endpoint, name): json.loads(sp.vintages(name, endpoint, bodies=True)["body"].iloc[-1])["data"]
        for endpoint in ("rent", "impacts")
        for name in NAMES
    }


def rent_lines(data, kinds=("house", "unit"), first=None):
    """Return the lines of a rent response, as the documentation of `cite` describes them."""
    return [
        "\t".join(["rent", data["area_name"], kind, point["date"], repr(point["value"])])
        for kind in kinds
        for point in data[kind] or []
        if first is None or point["date"] >= first
    ]


def impact_lines(data, labels=None):
    """Return the lines of an impacts response."""
    head = ["impacts", data["area_name"]]
    totals = [[*head, "", field, repr(data[field])] for field in ("n_sales", "median_price", "total_premium")]
    drivers = [
        [*head, driver["label"], field, repr(driver[field])]
        for driver in data["drivers"]
        for field in driver.keys() - {"label", "detail"}
        if labels is None or driver["label"] in labels
    ]
    return ["\t".join(line) for line in [*totals, *drivers]]


def digest(lines):
    """Return the digest of lines, as the documentation of `cite` describes it."""
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def test_the_digest_is_that_of_the_numbers_in_the_responses(live):
    """The digest can be calculated from the JSON of the responses alone, for each kind of frame."""
    rents, drivers, card = sp.rent(NAMES), sp.impacts(NAMES), sp.scorecard(NAMES)
    data = bodies()
    of_rents = [line for name in NAMES for line in rent_lines(data["rent", name])]
    of_impacts = [line for name in NAMES for line in impact_lines(data["impacts", name])]
    label = drivers["label"].iloc[0]
    of_bay, bay = rent_lines(data["rent", BAY]), sp.rent(BAY)
    expected = {
        digest(of_rents): [rents, sp.rent(NAMES[::-1], layout="wide"), sp.resample(rents, "QE"), rents.reset_index()],
        digest(of_bay): [bay, sp.growth(bay), rents[rents["area_name"] == BAY]],
        digest(rent_lines(data["rent", BAY], ["unit"], "2024-01-01")): [
            bay[["unit"]]["2024":],
            bay["unit"].rename()["2024":],
        ],
        digest(of_impacts): [drivers, sp.impact_summary(NAMES), drivers.sample(frac=1, random_state=1)],
        digest(of_rents + of_impacts): [card, card[::-1], pd.concat([rents, drivers])],
        digest(impact_lines(data["impacts", BAY], [label])): [drivers.head(1)],
    }
    for known, frames in expected.items():
        for frame in frames:
            assert sp.cite(frame).endswith(f"; SHA-256 of the data {known}.")


def test_a_citation_names_the_host_that_answered(live, service, tmp_path):
    """The host is in the citation, whether a store, a cassette or a cassette of vcrpy has the response."""
    here = urlsplit(service.url).netloc
    service.answer(BAY, "rent", body=body_of(BAY), headers={"X-Made-Up-Data": None})
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        bought = sp.rent(BAY)
    others = tmp_path / "others.yaml"
    others.write_bytes(vcrpy_file(elsewhere(BAY, host="https://user:secret@mirror.example.org:8443/api")))
    with sp.cassette(others):
        mirrored = sp.rent(BAY)
    for frame in (bought, sp.rent(BAY)):
        assert f"from the Microburbs Property Data API v1 ({here}), retrieved on" in sp.cite(frame)
    assert "(mirror.example.org:8443)" in sp.cite(mirrored)
    assert "secret" not in sp.cite(mirrored)


@pytest.mark.usefixtures("live")
def test_an_index_is_computed_again_with_the_places_that_a_client_knows():
    """The client that is passed to `cite` knows the places of an index, even if the default client knows none."""
    with sp.Client(api_key="embedded") as other:
        index = sp.rent_index(sp.rent(NAMES, freq="QE", client=other), by="lga", client=other)
        assert 'rent_index(by="lga")' in sp.cite(index, client=other)


@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize(
    "operation",
    [
        "__import__('os').system('touch ran')",
        "resample(freq=open('x'))",
        'resample(freq="QE"), audited by the ABS',
    ],
)
def test_operations_from_a_file_are_never_run_as_code(operation, tmp_path, monkeypatch):
    """The attrs of a frame may come from somebody else's file. What is not an operation of this package is not run."""
    monkeypatch.chdir(tmp_path)
    frame = sp.rent(BAY, freq="QE")
    frame.attrs["suburb_pandas"]["operations"] = [operation]
    with pytest.raises(sp.errors.ProvenanceError, match="a step that cannot be repeated"):
        sp.cite(frame)
    assert not list(tmp_path.glob("ran"))


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("Author: Nobody\nLicense-Expression: BSD-2-Clause", "Nobody, suburb_pandas 9.8.7, BSD-2-Clause licence"),
        ("Project-URL: Homepage, https://example.org/x", "suburb_pandas 9.8.7, https://example.org/x"),
    ],
)
def test_the_citation_of_the_software_follows_the_metadata(more, named, tmp_path, monkeypatch):
    """Whatever the metadata say is in the citation, with whose service it calls; what they lack is left out."""
    (tmp_path / "suburb_pandas-9.8.7.dist-info").mkdir()
    text = f"Metadata-Version: 2.4\nName: suburb_pandas\nVersion: 9.8.7\nSummary: Rents. And systems.\n{more}\n"
    (tmp_path / "suburb_pandas-9.8.7.dist-info" / "METADATA").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    ends = "An independent client of the Microburbs Property Data API v1, not affiliated with its provider."
    assert sp.cite() == f"{named}: Rents. {ends}"


def test_the_authors_of_the_metadata_hold_the_copyright():
    """The installed metadata name the version, and the authors of the licence, so that the citation names them, too."""
    licence = (Path(__file__).parents[2] / "LICENSE").read_text(encoding="utf-8")
    (holder,) = re.findall(r"^Copyright \(c\) \d{4} (.+)$", licence, re.MULTILINE)
    assert sp.cite().startswith(f"{holder}, suburb_pandas {sp.__version__}, MIT licence")


def test_citing_the_software_opens_nothing(tmp_path, monkeypatch):
    """The citation of the software needs no settings that can be used, makes no client, and opens no store."""
    monkeypatch.setenv("SUBURB_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("SUBURB_MAX_CENTS", "plenty")
    assert sp.cite()
    assert not (tmp_path / "store").exists()


def test_none_is_not_taken_for_the_software(live):
    """A function that forgot its return passes None. Citing the software then would hide the mistake."""
    for mistake in (lambda: sp.cite(None), lambda: sp.cite(None, client=live), lambda: sp.cite(client=live)):
        with pytest.raises(TypeError, match=r"Pass the frame, as in sp\.cite\(rents\)"):
            mistake()
    assert sp.cite(sp.rent(BAY, client=live), client=live).startswith("Median rent series of 1 suburb, from ")
