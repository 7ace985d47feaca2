"""A cassette carries what loaded lists said of the names of a study, so that it replays in an empty home."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
import vcr
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal, assert_series_equal

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.file import CassetteFile
from suburb_pandas.names.gazetteer import Gazetteer, ListedNames, NameList, Place, bases_of
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.sal import STATES, base_of
from suburb_pandas.names.written import Query
from tests.support.common import LIVE_KEY, forget_default
from tests.support.laws import law
from tests.support.recorded import call, elsewhere, vcrpy_file, written

LISTED = {
    "Lantern Bay (NSW)": "New South Wales", "Lantern Bay (Tas.)": "Tasmania", "Quokka Bay": "Western Australia",
    "Bilby Heights": "New South Wales", "Woylie": "Western Australia", "Sugargum": "Victoria",
    "Zamia Plains (Curlew - NSW)": "New South Wales", "Zamia Plains (Wader - NSW)": "New South Wales",
}  # fmt: skip
FACTS = NameList("SAL_2021.csv", "0" * 64, "SAL 2021", complete=True, names=3, loaded_at="2026-01-01T00:00:00+00:00")


@pytest.fixture
def path(tmp_path):
    """Return the path for a cassette that does not exist yet."""
    return tmp_path / "study.yaml"


@pytest.fixture
def listed(live, tmp_path):
    """Load a list of made-up suburbs that is called complete, and return the default client, which has a live key."""
    load(tmp_path / "list.csv", LISTED)
    return live


def load(path, names, *, complete=True, client=None):
    """Load a list of names with their states."""
    path.write_text("SAL_NAME_2021,STATE_NAME_2021\n" + "".join(f"{name},{state}\n" for name, state in names.items()))
    sp.load_gazetteer(path, complete=complete, client=client)


@contextmanager
def in_an_empty_home(path, monkeypatch, tmp_path):
    """Replay a cassette as a colleague without key, settings, store and lists does. No store is created."""
    home = tmp_path / "home of a colleague"
    with monkeypatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(home))
        mine = forget_default()
        with sp.cassette(path, "none"):
            yield
        assert not home.exists()
        colleague = forget_default()
        if colleague is not None:
            colleague.close()
    sp.connect(api_key=LIVE_KEY, base_url=mine.settings.base_url, store=mine.settings.store)
    mine.close()


def names_on(path):
    """Return the names on a cassette by base, each with its state."""
    by_base = vcr_yaml.read(path.read_bytes()).names.by_base
    return {base: {place.area_name: place.state for place in places} for base, places in by_base.items()}


def outcome(function, *arguments, **options):
    """Return what a function returns, or the error that it raises."""
    try:
        return function(*arguments, **options)
    except sp.SuburbError as error:
        return error


def assert_same(now, then):
    """Check that two results are equal: frames, Series, or errors of the same class with the same candidates."""
    if isinstance(now, sp.SuburbError):
        assert type(now) is type(then)
        assert getattr(now, "candidates", None) == getattr(then, "candidates", None)
    elif now.ndim == 1:
        assert_series_equal(now, then)
    else:
        assert_frame_equal(now, then)


def study():
    """Return results that rest on a list: resolved names, places, states, suggested names and errors."""
    names = sp.resolve(["lantern bay tas", "QUOKKA BAY", "woylie wa"])
    rents = sp.rent(names)
    return [
        names,
        rents,
        sp.places([*names, "Bilby Heights"]),
        sp.scorecard(names),
        sp.rent_index(sp.resample(rents, "QE"), by="state"),
        sp.suggest("lantren bay"),
        sp.suggest("bay", limit=2),
        outcome(sp.resolve, "lantern bay"),
        outcome(sp.resolve, ["nowhere", "sugrgum", "lantern bay vic", "zamia plains"]),
        outcome(sp.resolve, "zamia plains nsw"),
        outcome(sp.rent, "Sugrgum"),
        outcome(sp.rent, ["Lantern Bay", "Woylie Hills"]),
    ]


def test_a_study_that_rests_on_a_list_replays_in_an_empty_home(listed, service, path, monkeypatch, tmp_path):
    """Names, places, states, suggested names and errors are the same, without key, store, list or spend."""
    with sp.cassette(path):
        recorded = study()
    sent = len(service.requests)
    with in_an_empty_home(path, monkeypatch, tmp_path):
        for then, now in zip(recorded, study(), strict=True):
            assert_same(now, then)
    assert len(service.requests) == sent
    kinds = [type(one).__name__ for one in recorded[7:]]
    assert kinds == ["AmbiguousSuburb", "AmbiguousSuburb", "AmbiguousSuburb", "UnknownSuburb", "UnknownSuburb"]


def test_the_key_holds_names_alone_and_the_digest_of_the_list(listed, path, tmp_path):
    """Of a list, the cassette has the names that the study asked about, and the fact that others are not there."""
    with sp.cassette(path):
        sp.resolve(["lantern bay tas", "Quokka Bay"])
        outcome(sp.resolve, "xylophone")
    found = vcr_yaml.read(path.read_bytes())
    assert found.calls == []
    assert names_on(path) == {
        "lantern bay": {"Lantern Bay (NSW)": "NSW", "Lantern Bay (Tas.)": "TAS"},
        "lantern bay tas": {},
        "quokka bay": {"Quokka Bay": "WA"},
        "xylophone": {},
    }
    assert found.names.source == "live"
    (facts,) = found.names.lists
    loaded = sp.load_gazetteer(tmp_path / "list.csv", complete=True)
    assert (facts.file, facts.sha256, facts.names) == ("list.csv", loaded["sha256"].iloc[0], len(LISTED))
    assert "Woylie" not in path.read_text()


def test_browsing_carries_a_few_suburbs_and_never_a_whole_list(live, path, tmp_path, monkeypatch):
    """A filtered frame of places is replayed. One of more than 500 suburbs is not recorded, and a warning says so."""
    many = {f"Quoll {number} Branch": "Victoria" for number in range(501)} | {"Emu": "Tasmania", "Bilby": "Tasmania"}
    load(tmp_path / "list.csv", many)
    with sp.cassette(path):
        recorded = sp.places(state="TAS")
        with pytest.warns(sp.SuburbWarning, match="A frame of 501 suburbs is not recorded on the cassette"):
            assert len(sp.places(state="VIC")) == 501
    assert "Quoll" not in path.read_text()
    with in_an_empty_home(path, monkeypatch, tmp_path):
        assert_frame_equal(sp.places(state="TAS"), recorded)
    assert recorded.index.to_list() == ["Bilby", "Emu"]


def test_what_a_list_says_of_areas_is_carried(live, path, tmp_path, monkeypatch):
    """Areas, shares and counts of a loaded list are on the cassette, so that a replay settles each row as before."""
    listed = pd.DataFrame({"SAL_NAME_2021": ["Emu (Vic.)", "Emu (WA)"], "LGA_NAME_2021": ["Wader", "Curlew"]})
    names, postcodes = ["Emu (Vic.)", "Emu (Vic.)", "Emu (WA)"], ["3031", "3032", "6031"]
    areas = pd.DataFrame({"SAL_NAME_2021": names, "POA_NAME_2021": postcodes, "Person": [3, 1, 2]})
    sp.load_gazetteer(listed, True, with_=areas)

    def study():
        found = sp.resolve(["emu 3032", "emu (curlew)", "Emu (Vic.)"], detail=True)
        return found, sp.places(found["area_name"])

    with sp.cassette(path):
        recorded = study()
    with in_an_empty_home(path, monkeypatch, tmp_path):
        for then, now in zip(recorded, study(), strict=True):
            assert_frame_equal(now, then)
    assert recorded[0]["rule"].to_list() == ["postcode", "council", "exact"]
    assert recorded[1]["postcode_share"].iloc[0] == 0.75


def test_a_name_that_was_not_asked_about_is_not_called_missing(listed, path, monkeypatch, tmp_path):
    """The cassette is silent on other names: a replay that asks about one says what the cassette lacks."""
    with sp.cassette(path):
        sp.resolve("quokka bay")
    with in_an_empty_home(path, monkeypatch, tmp_path):
        with pytest.raises(sp.errors.NotStored, match="has no"):
            sp.resolve("bilby heights")
        with pytest.raises(sp.errors.NotStored, match="has no rents of 'Bilby Heights'"):
            sp.rent("Bilby Heights")


def test_loading_the_list_in_the_block_needs_no_file_in_a_replay(live, path, monkeypatch, tmp_path):
    """A replay returns the lists that were loaded while the cassette recorded, and reads no file."""
    with sp.cassette(path):
        load(tmp_path / "list.csv", LISTED)
        recorded = [sp.load_gazetteer(tmp_path / "list.csv", complete=True), sp.resolve("woylie wa")]
    (tmp_path / "list.csv").unlink()
    with in_an_empty_home(path, monkeypatch, tmp_path):
        now = [sp.load_gazetteer(tmp_path / "list.csv", complete=True), sp.resolve("woylie wa")]
    for one, then in zip(now, recorded, strict=True):
        assert_same(one, then)


def test_a_place_that_only_a_response_proved_is_recorded_with_that_response(live, path, monkeypatch, tmp_path):
    """A place known from data that were bought before replays; if the cassette has data about it, none are added."""
    sp.impacts("Bilby Heights")
    with sp.cassette(path):
        recorded = sp.places("Bilby Heights")
    with in_an_empty_home(path, monkeypatch, tmp_path):
        assert_frame_equal(sp.places("Bilby Heights"), recorded)
    assert recorded["origin"].to_list() == ["response"]
    with sp.cassette(path, "all"):
        sp.rent("Bilby Heights")
        sp.places("Bilby Heights")
    assert b"impacts" not in path.read_bytes()


def test_a_look_up_that_contradicts_a_query_is_recorded(listed, path, monkeypatch, tmp_path):
    """A suburb that a stored look-up places in another state is not the query's in a replay either."""
    load(tmp_path / "names.csv", {"Quokka Bay": ""})
    sp.find("quokka bay")
    with sp.cassette(path):
        assert isinstance(outcome(sp.resolve, "quokka bay vic"), sp.errors.UnknownSuburb)
    with in_an_empty_home(path, monkeypatch, tmp_path):
        assert isinstance(outcome(sp.resolve, "quokka bay vic"), sp.errors.UnknownSuburb)


def test_names_are_added_to_those_that_are_there(listed, path):
    """A recording that goes on adds names. A client without lists goes by those of the cassette."""
    with sp.cassette(path):
        sp.resolve("quokka bay")
    with sp.cassette(path, "new_episodes"):
        sp.resolve("woylie wa")
        sp.rent("Woylie")
    before = names_on(path)
    assert len(vcr.cassette.Cassette.load(path=str(path))) == 1  # plain vcrpy ignores the names
    assert before.keys() == {"quokka bay", "woylie", "woylie wa"}
    other = sp.Client(api_key=LIVE_KEY, base_url=listed.settings.base_url, store=":memory:")
    with other, sp.cassette(path, "new_episodes"):
        assert sp.resolve("woylie wa", client=other).item() == "Woylie"
    assert names_on(path) == before


def test_another_list_replaces_what_the_first_one_said(listed, path, tmp_path):
    """All names on a cassette are by the same lists: those of the last recording."""
    with sp.cassette(path):
        sp.resolve("quokka bay")
    load(tmp_path / "newer.csv", LISTED | {"Quokka Bay (Vic.)": "Victoria"})
    with sp.cassette(path, "new_episodes"):
        sp.resolve("woylie")
    assert names_on(path)["quokka bay"] == {"Quokka Bay": "WA", "Quokka Bay (Vic.)": "VIC"}
    assert [one.file for one in vcr_yaml.read(path.read_bytes()).names.lists] == ["newer.csv"]


def test_a_text_that_holds_a_key_is_not_written(listed, path):
    """A query that is an API key by mistake is refused before it gets into the file."""
    with sp.cassette(path), pytest.raises(sp.errors.CassetteError, match="holds an API key") as caught:
        sp.resolve([LIVE_KEY])
    assert LIVE_KEY not in str(caught.value)
    assert not path.exists()


def carry_all(path, numbers):
    """Add a base for each number to the names of a cassette, as a process of its own."""
    file = CassetteFile(Path(path))
    for number in numbers:
        file.add_names(ListedNames("live", (FACTS,), {f"base {number}": []}))
        file.add(call(f"Suburb {number}"), "http://127.0.0.1:1")


def test_threads_and_processes_that_add_names_and_calls_lose_nothing(path):
    """Each of them rewrites the names and appends calls; all of both are in the file."""
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=carry_all, args=(path, range(start, start + 10))) for start in (0, 10)]
    for child in children:
        child.start()
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda start: carry_all(path, range(start, start + 10)), (20, 30, 40)))
    for child in children:
        child.join(60)
    found = vcr_yaml.read(path.read_bytes())
    assert found.names.by_base.keys() == {f"base {number}" for number in range(50)}
    assert {one.item.area_name for one in found.calls} == {f"Suburb {number}" for number in range(50)}


@pytest.mark.parametrize(
    ("present", "changed"),
    [
        ("source: live", "source: embedded"),
        ("complete: true", "complete: maybe"),
        ("loaded_at: '2026", "loaded_at: 'soon"),
        ("state: WA", "state: XY"),
        ("Quokka Bay:", '"Quokka\\tBay":'),
        ("edition: SAL 2021", 'edition: "\\e[31m"'),
        ("state: WA", 'lga: "\\e[31m"'),
        ("state: WA", 'partly: ["\\e[31m"]'),
        ("state: WA", "persons: many"),
        ("state: WA", "colour: red"),
    ],
)
def test_names_that_somebody_changed_are_checked(path, present, changed):
    """The key is read as untrusted input: a value that this package would not write is an error."""
    names = ListedNames(
        "live", (FACTS,), {"quokka bay": [Place("Quokka Bay", "WA", origin="list", edition="SAL 2021")]}
    )
    text = vcr_yaml.with_names(b"version: 1\n" + vcrpy_file(elsewhere()), names).decode()
    assert present in text
    path.write_text(text.replace(present, changed, 1))
    with pytest.raises(sp.errors.CassetteError, match="cannot be read"), sp.cassette(path):
        pass


def test_places_of_an_older_cassette_are_read():
    """Older cassettes have the state alone for a place of the last list of which nothing more is known."""
    text = b"""suburb_pandas:
  source: live
  lists:
  - {file: a.csv, sha256: 'b', edition: SAL 2021, complete: true, names: 3, loaded_at: '2026-01-01T00:00:00+00:00'}
  names:
    quokka bay: {Quokka Bay: WA, Quokka Bay (Vic.): {lga: Null, lga_share: 0.5}, Quokka: null}
interactions: []
"""
    (places,) = vcr_yaml.read(text).names.by_base.values()
    assert places == [
        Place("Quokka Bay", "WA", origin="list", edition="SAL 2021"),
        Place("Quokka Bay (Vic.)", None, None, origin="list", lga_share=0.5),
        Place("Quokka", None, origin="list", edition="SAL 2021"),
    ]


AREAS = Place(
    "No", None, "Null", "0872", origin="list", lga_share=0.0, persons=0, sal_code="SAL10490", partly=("2536",)
)
PLACES = [AREAS, Place("1770", "QLD", origin="list", edition="SAL 2021"), Place("Caf\u00e9", origin="list")]


@law(60, first=st.dictionaries(st.text(max_size=20), st.just(PLACES[:1]) | st.just(PLACES[1:])), second=st.text())
def test_names_come_back_and_calls_stay(first, second):
    """Names of any texts are read as they were written; writing others leaves the calls byte for byte."""
    calls = [call("Quokka Bay", 1.0), call("Woylie", 2.0)]
    text = vcr_yaml.with_names(written(*calls), ListedNames("sandbox", (FACTS,), first))
    again = vcr_yaml.with_names(text, ListedNames("live", (), {second: []}))
    for one, names in ((text, first), (again, {second: []})):
        found = vcr_yaml.read(one)
        assert (found.calls, dict(found.names.by_base)) == (calls, names)
        assert one.endswith(written(*calls).partition(b"interactions:")[2])


WORDS = ["Bay", "Quoll", "Mount", "Creek", "Lantern", "St", "Port", "Victoria"]
suburbs = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=30)
texts = st.lists(st.sampled_from([*WORDS, "qoll", "nsw", "2000"]), min_size=1, max_size=4).map(" ".join)


@law(100, bases=suburbs, text=texts, state=st.sampled_from([None, *STATES]))
def test_what_is_carried_of_a_list_is_all_that_matters(bases, text, state):
    """A query means the same by the names that are carried as by the whole list."""
    names = (
        name for base in bases for name in ([base] if bases.count(base) == 1 else [f"{base} (NSW)", f"{base} (WA)"])
    )
    places = [Place(name, None if name.endswith(")") else "SA") for name in dict.fromkeys(names)]
    full, query, carried = Gazetteer(places, complete=True), Query(text, state), bases_of(text)
    part = Gazetteer([place for place in places if base_of(place.area_name) in carried], complete_for=carried)
    assert verdict(part, query) == verdict(full, query)
    assert part.knows_all_about(text)
