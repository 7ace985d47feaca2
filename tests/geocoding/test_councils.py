"""Tests queries that are councils: read without the kind in their brackets, and a warning that they are no suburbs."""

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call

NAMES = ["Sydney", "Parramatta", "Ryde", "Penrith", "Haymarket", "Oatlands (NSW)", "Oatlands (Tas.)"]
COUNCILS = [
    "Sydney",
    "Parramatta (C)",
    "City of Ryde",
    "Penrith (C) (NSW)",
    "Sydney",
    "Parramatta (C)",
    "Southern Midlands (M)",
]
TABLE = ["Sydney", "Parramatta", "Ryde", "Penrith", "Haymarket"]


@pytest.fixture
def listed(live):
    """Load a complete list of suburbs with the names of their councils, in several spellings."""
    states = ["New South Wales"] * 6 + ["Tasmania"]
    columns = {"SAL_NAME_2021": NAMES, "STATE_NAME_2021": states, "LGA_NAME_2016": COUNCILS}
    sp.load_gazetteer(pd.DataFrame(columns), True)
    return live


def warning_of(resolve):
    """Return the text of the one warning of a request that resolves everything."""
    with pytest.warns(sp.SuburbWarning) as caught:
        assert resolve().notna().all()
    (warning,) = of_this_call(caught)
    return str(warning.message)


@pytest.mark.parametrize("label", ["LGA", "lga_name", "LGA_NAME21", "Lga Name 2016", "Council", "council_name"])
def test_a_column_that_is_called_after_councils_is_warned_of(listed, label):
    """The rows are resolved as suburbs all the same, and the warning shows how to list the suburbs of a council."""
    frame = pd.DataFrame({label: ["Sydney", "Parramatta"], "price": [3, 5]})
    for resolve in (lambda: frame.suburb.resolve(column=label), lambda: sp.resolve(frame[label])):
        assert warning_of(resolve) == (
            f"The column {label!r} seems to hold councils, but each text was read as the name of a suburb. To list the "
            "suburbs of a council, run sp.places(lga='Sydney')"
        )
    assert sp.places(lga="Sydney").index.to_list() == ["Haymarket", "Sydney"]


@pytest.mark.parametrize("queries", [TABLE, pd.Series(TABLE), pd.Series(TABLE, name="area"), [*TABLE, *TABLE]])
def test_texts_that_are_mostly_councils_are_warned_of(listed, queries):
    """If most of at least five texts are councils that are known here, they may be a table of councils."""
    message = warning_of(lambda: sp.resolve(queries))
    assert message.startswith("4 of 5 texts are names of councils, but each text was read as the name of a suburb.")


def test_texts_with_the_kind_of_a_council_are_councils(live):
    """Such texts count as councils even if no council is known here."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": NAMES}), True)
    message = warning_of(lambda: sp.resolve(["Sydney (C)", "Ryde (C)", "Penrith (C)", "Haymarket", "Parramatta"]))
    assert message.startswith("3 of 5 texts are names of councils")


def test_a_replay_warns_as_the_recording_did(listed, tmp_path):
    """A cassette carries a suburb of each council that was read as a suburb, even if no suburb has its name."""
    path = tmp_path / "study.yaml"

    def warnings_of_councils():
        with pytest.warns(sp.SuburbWarning) as caught:
            sp.resolve(["Sydney", "Ryde", "Southern Midlands", "Haymarket", "Penrith NSW"], errors="warn")
        return [str(one.message) for one in of_this_call(caught) if "names of councils" in str(one.message)]

    with sp.cassette(path):
        recorded = warnings_of_councils()
    with sp.cassette(path, "none"):
        assert warnings_of_councils() == recorded
    assert len(recorded) == 1


@pytest.mark.parametrize(
    "queries",
    [
        ["Ryde"],
        TABLE[:4],
        ["Ryde", "Sydney", "Haymarket", "Oatlands NSW", "oatlands tas"],
        *(pd.Series(TABLE, name=name) for name in ("suburb", "Suburb Name", "SAL_NAME_2021", "area_name")),
    ],
)
def test_an_ordinary_list_of_suburbs_is_not_warned_of(listed, queries):
    """A few suburbs have the name of their council, and a column that is called after suburbs holds suburbs."""
    assert sp.resolve(queries).notna().all()


def test_without_councils_the_warning_says_how_to_load_them(live):
    """If no list with councils is loaded, the line that loads it comes first."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": NAMES}), True)
    message = warning_of(lambda: sp.resolve(pd.Series(["Ryde"], name="LGA")))
    assert message.endswith(
        "run sp.load_gazetteer('SAL_2021_AUST.xlsx', with_='LGA_2021_AUST.xlsx'), then sp.places(lga='Ryde')"
    )


@pytest.mark.parametrize("council", ["Parramatta", "Parramatta (C)", "PARRAMATTA (c)", "Parramatta (C) (NSW)"])
def test_a_council_is_read_without_its_kind(listed, council):
    """The brackets that the ABS put behind its councils until 2020 do not matter, in a file or in an argument."""
    assert sp.places(lga=council).index.to_list() == ["Oatlands (NSW)", "Parramatta"]
    assert sp.resolve("oatlands", region=council).to_list() == ["Oatlands (NSW)"]
    assert sp.resolve(f"Oatlands, {council}").to_list() == ["Oatlands (NSW)"]
    assert sp.resolve(council).to_list() == ["Parramatta"]


@pytest.mark.parametrize("kind", ["A", "AC", "B", "C", "CGC", "DC", "M", "R", "RC", "S", "T"])
def test_every_kind_of_council_is_known(listed, kind):
    """Areas, Aboriginal councils, boroughs, cities, districts, municipalities, regions, shires and towns."""
    assert sp.resolve(f"Haymarket (Sydney ({kind}) - NSW)").to_list() == ["Haymarket"]
    assert len(sp.places(lga=f"Sydney ({kind}) (NSW)")) == 2


def test_a_text_with_the_kind_of_a_council_is_looked_up_without_it(live, service):
    """The service is asked about the name alone."""
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve("Woylies (C)")
    assert [seen.target for seen in service.requests] == ["/v1/geocode/suburb?q=Woylies"]
