"""Citations: the digest of the data, the host that answered, what was computed from the data; and the software."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.recorded import body_of, call, elsewhere, vcrpy_file, written
from tests.support.vintages import at, rents, replayed, weeks

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
        for field in ("coverage_pct", "premium_dollars", "pct_of_median")
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
    label, other = (sp.impacts(name)["label"].iloc[0] for name in NAMES)
    of_bay, bay = rent_lines(data["rent", BAY]), sp.rent(BAY)
    expected = {
        digest(of_rents): [rents, sp.rent(NAMES[::-1], layout="wide"), sp.resample(rents, "QE"), rents.reset_index()],
        digest(of_bay): [bay, sp.growth(bay), rents[rents["area_name"] == BAY]],
        digest(rent_lines(data["rent", BAY], ["unit"]) + rent_lines(data["rent", BAY], ["house"], "2024-01-01")): [
            sp.rent([BAY], layout="tidy").query("property_type == 'unit' or date >= '2024'")
        ],
        digest(rent_lines(data["rent", BAY], ["unit"], "2024-01-01")): [
            bay[["unit"]]["2024":],
            bay["unit"].rename()["2024":],
        ],
        digest(of_impacts): [drivers, sp.impact_summary(NAMES), drivers.sample(frac=1, random_state=1)],
        digest(of_rents + of_impacts): [card, card[::-1], pd.concat([rents, drivers])],
        digest(impact_lines(data["impacts", BAY], [label])): [drivers[drivers["label"] == label].head(1)],
        digest(impact_lines(data["impacts", BAY], [label]) + impact_lines(data["impacts", HEIGHTS], [other])): [
            drivers.groupby("area_name", observed=True).head(1)
        ],
    }
    for known, frames in expected.items():
        for frame in frames:
            assert sp.cite(frame).endswith(f"; SHA-256 of the data {known}.")


@pytest.fixture
def two_vintages():
    """Replay two responses about one suburb and one about another; return all bodies, the older rents and the newer."""
    of_bay = [rents(BAY, weeks(614.25, 624.25, 634.25)), rents(BAY, weeks(615.7, 635.7, 655.7))]
    of_heights = rents(HEIGHTS, weeks(400.0, 440.0, 450.0))
    with replayed(*of_bay, others=[call(HEIGHTS, body=of_heights)]):
        yield [*of_bay, of_heights], *(sp.rent(NAMES, retrieved_by=at(week)) for week in (0, 1))


def test_all_responses_behind_two_vintages_are_counted(two_vintages):
    """Rows of two responses about one suburb are cited with those about the others, and rounded ones as rounded."""
    sent, old, new = two_vintages
    both = pd.concat([old.head(1), new.iloc[1:]])
    weekly = pd.concat([sp.resample(old, "W").head(1), sp.resample(new, "W").iloc[1:]])
    assert "suburbs, from three responses of " in sp.cite(both)
    assert "suburbs, rounded, from three responses of " in sp.cite(both.round(1))
    assert sp.cite(both.round(1))[-17:] == sp.cite(both)[-17:]
    assert 'computed with resample(freq="W") from three responses of ' in sp.cite(weekly)
    assert sp.cite(weekly).endswith(
        f" {digest(line for body in sent for line in rent_lines(json.loads(body)['data']))}."
    )


def test_values_that_one_response_has_exactly_are_not_called_rounded():
    """If rows come from two responses, it makes no difference that a value is near that of the other one, too."""
    with replayed(rents(BAY, weeks(505.0, 520.0, 530.0)), rents(BAY, weeks(505.3, 510.0, 540.0))):
        old, new = (sp.rent([BAY], retrieved_by=at(week)) for week in (0, 1))
        sentence = sp.cite(pd.concat([old.iloc[[0]], new.iloc[[1]], old.iloc[[2]]]))
    assert "from two responses" in sentence
    assert "rounded" not in sentence


def test_an_index_has_one_response_of_each_suburb(two_vintages):
    """An index of the older responses is cited with these. A mixture of two indices is refused."""
    _, old, new = two_vintages
    indices = [sp.rent_index(old).copy(), sp.rent_index(new).copy()]
    for week, index in enumerate(indices):
        assert sp.provenance(index)["retrieved_at"].to_list() == [pd.Timestamp(at(day)[:10]) for day in (week, 0)]
    with pytest.raises(sp.errors.ProvenanceError, match="of the index"):
        sp.cite(pd.concat([indices[0].iloc[[1]], indices[1].iloc[[2]]]))


def test_an_index_has_the_responses_that_were_the_newest_on_a_day():
    """The index of a day has the responses that were there then, whenever each was retrieved, or used again."""
    bodies = [rents(BAY, weeks(value, value + 10 + week)) for week, value in enumerate((500.0, 505.0, 515.0))]
    others = [
        call(HEIGHTS, body=rents(HEIGHTS, weeks(400.0, 410.0 + at_week)), at=at(at_week)) for at_week in (-3, 1.5)
    ]
    with replayed(*bodies, others=others):
        old, new = (sp.rent_index(sp.rent(NAMES, retrieved_by=at(week))).copy() for week in (1.8, 2))
        for index, used_last, behind in ((old, 2, (1, 1.5)), (new, 0, (2, 1.5))):
            sp.rent(NAMES, retrieved_by=at(used_last))
            assert sp.provenance(index)["retrieved_at"].to_list() == [pd.Timestamp(at(week)[:10]) for week in behind]


def test_an_index_has_the_responses_of_one_moment_of_a_day():
    """If suburbs are refreshed several times on a day, the index of a moment has the newest responses until then."""
    hours = {BAY: ("09", "10", "12"), HEIGHTS: ("09", "11")}
    calls = [
        call(name, body=rents(name, weeks(500.0, 510.0 + nth * len(name))), at=f"2026-01-02T{hour}:00:00+00:00")
        for name, own in hours.items()
        for nth, hour in enumerate(own)
    ]
    with replayed(others=calls):
        index = sp.rent_index(sp.rent(NAMES, retrieved_by="2026-01-02T11:30")).copy()
        sp.rent(NAMES)
        assert sp.provenance(index)["retrieved_at"].dt.hour.to_list() == [10, 11]


def test_a_citation_names_the_host_that_answered(live, service, tmp_path):
    """The host is in the citation, whether a store, a cassette or a cassette of vcrpy has the response."""
    here = urlsplit(service.url).netloc
    service.answer(BAY, "rent", body=body_of(BAY), headers={"X-Made-Up-Data": None})
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        bought = sp.rent(BAY)
    stored = sp.rent(BAY)
    with sp.cassette(path):
        again = sp.rent(BAY)
    others = tmp_path / "others.yaml"
    others.write_bytes(vcrpy_file(elsewhere(BAY, host="https://user:secret@mirror.example.org:8443/api")))
    with sp.cassette(others):
        mirrored = sp.rent(BAY)
    for frame in (bought, stored, again):
        assert f"from the Microburbs Property Data API v1 ({here}), retrieved on" in sp.cite(frame)
    assert "(mirror.example.org:8443)" in sp.cite(mirrored)
    assert "secret" not in sp.cite(mirrored)


def test_a_citation_says_made_up_if_any_part_is(live, tmp_path):
    """Responses of several hosts are all named, and those of the embedded sandbox are called made up."""
    path = tmp_path / "study.yaml"
    headers = {"x-made-up-data": "yes"}
    path.write_bytes(written(call(BAY), call(HEIGHTS, headers=headers), call("Woylie", source="sandbox")))
    with sp.cassette(path):
        cited = sp.cite(sp.rent([BAY, HEIGHTS, "Woylie"]))
    assert "whose suburbs and numbers are made up" in cited
    assert "API v1 (api.example.org) and" in cited
    assert "API v1 (api.example.org), under its sandbox key" in cited


def test_a_response_of_an_unknown_time_is_cited_as_one(tmp_path):
    """A cassette may have a response without a date. The citation says that the date is unknown."""
    path = tmp_path / "undated.yaml"
    path.write_bytes(written(call(BAY, at="")))
    with sp.cassette(path):
        assert ", retrieved on an unknown date with " in sp.cite(sp.rent(BAY))


@pytest.mark.usefixtures("live")
def test_an_index_is_computed_again_with_the_places_that_a_client_knows():
    """The client that is passed to `cite` knows the places of an index, even if the default client knows none."""
    with sp.Client(api_key="embedded") as other:
        index = sp.rent_index(sp.rent(NAMES, freq="QE", client=other), by="lga", client=other)
        assert 'rent_index(by="lga")' in sp.cite(index, client=other)


@pytest.mark.usefixtures("embedded")
def test_a_computed_frame_of_other_data_is_refused():
    """A handmade frame is refused also after an operation of this package, and so are operations without attrs."""
    sp.rent(NAMES)
    index = pd.DatetimeIndex(["2024-01-31", "2024-02-29"], name="date")
    handmade = pd.DataFrame({"area_name": NAMES, "house": [500.0, 600.0]}, index)
    computed = sp.rent(NAMES, freq="QE", how="mean")
    for frame in (handmade, sp.resample(handmade, "ME"), pd.DataFrame(computed.to_dict("series"))):
        for function in (sp.cite, sp.provenance):
            with pytest.raises(sp.errors.ProvenanceError, match="Cite the frame as it was loaded"):
                function(frame)


@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize(
    "operation",
    [
        "__import__('os').system('touch ran')",
        "resample(freq=open('x'))",
        "resample(",
        "resample('QE')",
        "eval(x=1)",
        "(",
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


def test_without_arguments_the_software_is_cited_from_its_metadata():
    """The citation has authors, name, version, licence and summary of the metadata, and says whose service it calls."""
    found, cited = metadata("suburb_pandas"), sp.cite()
    assert cited.startswith(f"{found['Author']}, {found['Name']} {found['Version']}, {found['License-Expression']} ")
    assert f": {found['Summary'].partition('. ')[0]}. " in cited
    assert "independent client of the Microburbs Property Data API v1, not affiliated with its provider." in cited
    assert found["Version"] == sp.__version__


@pytest.mark.parametrize(
    ("more", "begins"),
    [
        (
            "Author: Nobody\nLicense-Expression: BSD-2-Clause",
            "Nobody, suburb_pandas 9.8.7, BSD-2-Clause licence: Rents",
        ),
        ("Project-URL: Homepage, https://example.org/x", "suburb_pandas 9.8.7, https://example.org/x: Rents"),
        ("Keywords: rents", "suburb_pandas 9.8.7: Rents"),
    ],
)
def test_the_citation_of_the_software_follows_the_metadata(more, begins, tmp_path, monkeypatch):
    """Whatever the metadata say is in the citation; what they lack is left out."""
    (tmp_path / "suburb_pandas-9.8.7.dist-info").mkdir()
    text = f"Metadata-Version: 2.4\nName: suburb_pandas\nVersion: 9.8.7\nSummary: Rents. And systems.\n{more}\n"
    (tmp_path / "suburb_pandas-9.8.7.dist-info" / "METADATA").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert sp.cite().startswith(f"{begins}. An independent client of ")


def test_the_authors_of_the_metadata_hold_the_copyright():
    """The project names the same authors as the licence, so that the citation of the software names them, too."""
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (holder,) = re.findall(
        r"^Copyright \(c\) \d{4} (.+)$", (root / "LICENSE").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert project["authors"] == [{"name": holder}]


def test_citing_the_software_opens_nothing(tmp_path):
    """The citation of the software needs no settings that can be used, makes no client, and opens no store."""
    code = (
        "import sys, suburb_pandas as sp; before = set(sys.modules); sp.cite(); "
        "print({'requests', 'werkzeug', 'tempfile'} & (set(sys.modules) - before))"
    )
    environment = {"SUBURB_STORE": str(tmp_path / "store"), "SUBURB_MAX_CENTS": "plenty"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.stdout == "set()\n"
    assert not (tmp_path / "store").exists()


def test_none_is_not_taken_for_the_software(live):
    """A function that forgot its return passes None. Citing the software then would hide the mistake."""
    for mistake in (lambda: sp.cite(None), lambda: sp.cite(None, client=live), lambda: sp.cite(client=live)):
        with pytest.raises(TypeError, match=r"Pass the frame, as in sp\.cite\(rents\)"):
            mistake()
    assert sp.cite(sp.rent(BAY, client=live), client=live).startswith("Median rent series of 1 suburb, from ")
