"""A cassette carries what loaded lists said of the names of a study, so that it replays in an empty home."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
import vcr
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.file import CassetteFile
from suburb_pandas.names.gazetteer import Gazetteer, ListedNames, NameList, Place, bases_of
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.sal import STATES, base_of
from suburb_pandas.names.written import Query
from suburb_pandas.redaction import holds_key
from tests.support.common import LIVE_KEY, forget_default
from tests.support.laws import law
from tests.support.processes import Worker
from tests.support.recorded import BASE, call, written

LISTED = {
    "Lantern Bay (NSW)": "New South Wales", "Lantern Bay (Tas.)": "Tasmania", "Quokka Bay": "Western Australia",
    "Bilby Heights": "New South Wales", "Woylie": "Western Australia", "Sugargum": "Victoria",
    "Zamia Plains (Curlew - NSW)": "New South Wales", "Zamia Plains (Wader - NSW)": "New South Wales",
}  # fmt: skip
FACTS = NameList("SAL_2021.csv", "0" * 64, "SAL 2021", complete=True, names=3, loaded_at="2026-01-01T00:00:00+00:00")


@pytest.fixture
def load(live, tmp_path):
    """Return a function that loads a complete list of names with their states."""

    def load(names=LISTED, file="list.csv"):
        lines = [f"{name},{state}" for name, state in names.items()]
        (tmp_path / file).write_text("\n".join(["SAL_NAME_2021,STATE_NAME_2021", *lines]))
        return sp.load_gazetteer(tmp_path / file, complete=True)

    return load


@pytest.fixture
def listed(load, live):
    """Load a list of made-up suburbs that is called complete, and return the default client, which has a live key."""
    load()
    return live


@pytest.fixture
def replay(path, monkeypatch, tmp_path):
    """Return a function that runs code as a colleague without key, settings, store and lists. No store is created."""

    def replay(study):
        home = tmp_path / "home of a colleague"
        forget_default()
        with monkeypatch.context() as patch, sp.cassette(path, "none"):
            patch.setenv("XDG_DATA_HOME", str(home))
            found = study()
        assert not home.exists()
        return found

    return replay


@pytest.fixture
def recorded(path, replay):
    """Return a function that records a study, checks that a colleague's replay gives the same, and returns that."""

    def record(study):
        with sp.cassette(path):
            recorded = study()
        for then, now in zip(recorded, replay(study), strict=True):
            assert_frame_equal(pd.DataFrame(now), pd.DataFrame(then))
        return recorded

    return record


def names_on(path):
    """Return the names on a cassette by base, each with its state."""
    by_base = vcr_yaml.read(path.read_bytes()).names.by_base
    return {base: {place.area_name: place.state for place in places} for base, places in by_base.items()}


def outcome(function, asked):
    """Return what a function returns, or the class and the candidates of the error that it raises, as a Series."""
    try:
        return function(asked)
    except sp.SuburbError as error:
        return pd.Series([type(error).__name__, getattr(error, "candidates", None)])


def study():
    """Return results that rest on a list: resolved names, places, states, suggested names and errors."""
    names = sp.resolve(["lantern bay tas", "QUOKKA BAY", "woylie wa"])
    rents = sp.rent(names)
    return [
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


@pytest.mark.usefixtures("listed")
def test_a_study_that_rests_on_a_list_replays_in_an_empty_home(service, recorded):
    """Names, places, states, suggested names and errors are the same, without key, store, list or spend."""
    errors = [error[0] for error in recorded(study)[6:]]
    assert errors == ["AmbiguousSuburb"] * 3 + ["UnknownSuburb"] * 2
    assert set(service.served.values()) == {1}


def test_the_key_holds_names_alone_and_the_digest_of_the_list(load, path):
    """Of a list, the cassette has the names that the study asked about, and the fact that others are not there."""
    loaded = load()
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
    assert (facts.file, facts.sha256, facts.names) == ("list.csv", loaded["sha256"].item(), len(LISTED))


def test_browsing_carries_a_few_suburbs_and_never_a_whole_list(load, path, recorded):
    """A filtered frame of places is replayed. One of more than 500 suburbs is not recorded, and a warning says so."""
    load({f"Quoll {number} Branch": "Victoria" for number in range(501)} | {"Emu": "Tasmania", "Bilby": "Tasmania"})
    with (
        sp.cassette(path),
        pytest.warns(sp.SuburbWarning, match="A frame of 501 suburbs is not recorded on the cassette"),
    ):
        assert len(sp.places(state="VIC")) == 501
    (places,) = recorded(lambda: [sp.places(state="TAS")])
    assert places.index.to_list() == ["Bilby", "Emu"]
    assert "Quoll" not in path.read_text()


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("ask", [sp.resolve, sp.rent])
def test_a_name_that_was_not_asked_about_is_not_called_missing(path, replay, ask):
    """The cassette is silent on other names: a replay that asks about one says what the cassette lacks."""
    with sp.cassette(path):
        sp.resolve("quokka bay")

    def fail():
        with pytest.raises(sp.errors.NotStored, match="has no"):
            ask("Bilby Heights")

    replay(fail)


def test_loading_the_list_in_the_block_needs_no_file_in_a_replay(load, tmp_path, recorded):
    """A replay returns the lists that were loaded while the cassette recorded, and reads no file."""
    load()
    file = tmp_path / "list.csv"

    def study():
        loaded = sp.load_gazetteer(file, complete=True)
        file.unlink(missing_ok=True)
        return [loaded]

    recorded(study)


@pytest.mark.usefixtures("live")
def test_a_place_that_only_a_response_proved_is_recorded_with_that_response(path, recorded):
    """A place known from data that were bought before replays; if the cassette has data about it, none are added."""
    sp.impacts("Bilby Heights")
    with sp.cassette(path):
        sp.rent("Bilby Heights")
        sp.places("Bilby Heights")
    assert b"impacts" not in path.read_bytes()
    path.unlink()
    (places,) = recorded(lambda: [sp.places("Bilby Heights")])
    assert places["origin"].item() == "response"


@pytest.mark.usefixtures("live")
def test_what_a_store_knew_when_names_were_resolved_is_recorded(recorded):
    """The stored responses that resolved a name are recorded too, so that replay resolves it in the same way."""
    sp.find("lantern bay")
    sp.find("kestrel hill")
    sp.rent(["Bilby Heights", "Quokka Bay"])
    recorded(lambda: [sp.resolve(["lantern bay, tas", "kestrel hill vic 3359", "bilby heights", "QUOKKA bay"])])


@pytest.mark.usefixtures("live")
def test_a_look_up_that_contradicts_a_query_is_recorded(load, recorded):
    """A suburb that a stored look-up places in another state is not the query's in a replay either."""
    load({"Quokka Bay": ""})
    sp.find("quokka bay")
    (error,) = recorded(lambda: [outcome(sp.resolve, "quokka bay vic")])
    assert error[0] == "UnknownSuburb"


def test_names_are_added_to_those_that_are_there(listed, load, path):
    """A recording that goes on adds names. A client without lists goes by those of the cassette.

    All names on a cassette are by the same lists: those of the last recording.
    """
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
    load(LISTED | {"Quokka Bay (Vic.)": "Victoria"}, "newer.csv")
    with sp.cassette(path, "new_episodes"):
        sp.resolve("woylie")
    assert names_on(path)["quokka bay"] == {"Quokka Bay": "WA", "Quokka Bay (Vic.)": "VIC"}
    assert [one.file for one in vcr_yaml.read(path.read_bytes()).names.lists] == ["newer.csv"]


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("ask", [sp.resolve, sp.find])
def test_a_text_that_holds_a_key_is_not_written(path, ask):
    """A query with an API key in it, perhaps pasted by mistake, is refused, and the error does not show the key."""
    with sp.cassette(path), pytest.raises(sp.errors.CassetteError, match="holds an API key") as caught:
        ask(f"bay {LIVE_KEY}")
    assert LIVE_KEY not in str(caught.value)
    assert not (path.exists() and holds_key(path.read_text(), [LIVE_KEY]))


def carry_all(path, numbers):
    """Add a base and a call for each number to a cassette."""
    file = CassetteFile(path)
    for number in numbers:
        file.add_names(ListedNames("live", (FACTS,), {str(number): []}))
        file.add(call(str(number)), BASE)


def test_threads_and_processes_that_add_names_and_calls_lose_nothing(path):
    """Each of them rewrites the names and appends calls; all of both are in the file."""
    shares = [range(start, 28, 4) for start in range(4)]
    workers = [Worker(carry_all, path, share).go() for share in shares[:2]]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(carry_all, [path] * 2, shares[2:]))
    for worker in workers:
        worker.result()
    found = vcr_yaml.read(path.read_bytes())
    assert found.names.by_base.keys() == {one.item.area_name for one in found.calls} == {*map(str, range(28))}


def test_the_new_file_of_the_next_process_stays(path, monkeypatch):
    """Once a cassette is replaced, its lock is free: the next process may be writing its own new file already."""
    new, replace = path.with_name(f".{path.name}.new"), Path.replace

    def replace_and_go_on(source, target):
        replace(source, target)
        new.write_bytes(b"of the next process")

    monkeypatch.setattr(Path, "replace", replace_and_go_on)
    CassetteFile(path).add_names(ListedNames("live", (FACTS,), {"one": []}))
    assert new.read_bytes() == b"of the next process"


AREAS = Place(
    "No",
    None,
    "Null",
    "0872",
    origin="list",
    lga_share=0.0,
    postcode_share=0.75,
    persons=0,
    sal_code="SAL10490",
    partly=("2536",),
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
        assert (found.calls, found.names.by_base) == (calls, names)
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
