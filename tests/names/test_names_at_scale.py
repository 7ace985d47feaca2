"""Tests search and matching with the 15,334 real names: 500 of them in every run, all with `pytest -m long`.

The tests use the names alone: no rents or prices of real suburbs are made up.
"""

import random
import string
import time
from collections import Counter

import pytest

import suburb_pandas as sp
from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.names import sal
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.postcodes import states_at
from suburb_pandas.names.readings import Query, readings
from suburb_pandas.names.search import suggest
from suburb_pandas.service.sources import SANDBOX_SUBURBS
from tests.support.messy import POSTCODES

SIZES = [pytest.param(500, id="some"), pytest.param(None, id="all", marks=pytest.mark.long)]
SEEDED = [
    pytest.param(500, 1, id="some"),
    *(pytest.param(None, seed, id=f"all {seed}", marks=pytest.mark.long) for seed in (1, 2, 3)),
]
ABBREVIATIONS = {"North": "Nth", "South": "Sth", "Junction": "Jct", "Heights": "Hts", "Point": "Pt", "Port": "Pt"}


@pytest.fixture
def listed(sal_names, tmp_path):
    """Yield a client with the free key and all names loaded. No service listens, because no test may call it."""
    path = tmp_path / "names.txt"
    path.write_text("\n".join(sal_names), encoding="utf-8")
    with sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=tmp_path / "store.sqlite") as client:
        found = sp.load_gazetteer(path)
        assert found[["names", "complete"]].to_numpy().tolist() == [[len(sal_names), True]]
        yield client
        assert sp.ledger().empty


def some_of(sal_names, size):
    return sal_names if size is None else random.Random(7).sample(sal_names, size)


def with_a_slip(text, rng):
    """Return a text with one letter added, dropped, changed, or swapped with the next."""
    at, letter = rng.randrange(len(text) - 1), rng.choice(string.ascii_lowercase)
    return rng.choice(
        [
            text[:at] + letter + text[at:],
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at + 1 :],
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        ]
    )


@pytest.mark.parametrize("size", SIZES)
def test_each_name_suggests_itself_first(listed, sal_names, size, trial):
    """A full name is its own first suggestion, also in lower case."""
    for name in some_of(sal_names, size):
        for text in (name, name.lower()):
            assert suggest(known_names.gazetteer_of(RequestContext(listed)), text, limit=1)[0].area_name == name
    held = "it is its own first suggestion"
    trial("a full ABS name is typed, as it is and in lower case", held, names=len(some_of(sal_names, size)))


def test_all_names_resolve_to_themselves(listed, sal_names):
    """All names resolve to themselves in one batch, also in capitals."""
    start = time.process_time()
    found = sp.resolve(sal_names)
    assert time.process_time() - start < 10  # loose; a benchmark measures the usual time
    assert found.to_list() == sal_names
    assert sp.resolve([name.upper() for name in sal_names]).to_list() == sal_names


@pytest.mark.parametrize("size", SIZES)
def test_an_abbreviation_suggests_its_names(listed, sal_names, size, trial):
    """A real name with a word abbreviated is among the first five suggestions, and does not resolve."""
    gazetteer = known_names.gazetteer_of(RequestContext(listed))
    abbreviated = {
        f"{base.replace(word, short)}{name.removeprefix(base)}": name
        for name in some_of(sal_names, size)
        for base in [sal.parse(name).base]
        for word, short in ABBREVIATIONS.items()
        if word in base.split()
    }
    for text, name in abbreviated.items():
        assert name in {place.area_name for place in suggest(gazetteer, text, limit=5)}
        assert verdict(gazetteer, Query(text)).area_name is None
    held = "the name is among the first five suggestions, and `resolve` leaves the text open"
    trial("a name with one word abbreviated, such as Nth or Jct", held, names=len(abbreviated))


@pytest.mark.parametrize(("size", "seed"), SEEDED)
def test_with_one_slip_the_name_is_among_the_first_five(listed, sal_names, size, seed, trial):
    """With one slip, 99 % of the names are among the first five suggestions, and none resolves to another name.

    The exception is a slip that makes the base of another real name. Its state, which the list does not know, does not
    prevent that: ``Cooee WA`` is Cooee, although Coogee (WA) was meant.
    """
    rng = random.Random(seed)
    slips = {name: with_a_slip(name, rng) for name in some_of(sal_names, size)}
    gazetteer = known_names.gazetteer_of(RequestContext(listed))
    found = [name in {place.area_name for place in suggest(gazetteer, slip, limit=5)} for name, slip in slips.items()]
    assert sum(found) >= 0.99 * len(found)
    for name, slip in slips.items():
        meant = verdict(gazetteer, Query(slip)).area_name
        assert meant in {None, name} or sal.base_of(meant) in {reading.base for reading in readings(slip)}
    held = "`resolve` gives no other name, unless the text with the slip is that other name without its suffix"
    trial("a name with one random slip", held, names=len(found), of_them_within_the_first_five_suggestions=sum(found))


def test_a_base_and_its_state_resolve_where_the_list_makes_them_unique(listed, sal_names):
    """A base with its state resolves if the state has it once, and is otherwise ambiguous.

    The state may be given separately or at the end of the text.
    """
    parts = [sal.parse(name) for name in sal_names]
    there = Counter((part.base, part.state) for part in parts)
    repeated = [part for part in parts if part.state]
    expected = [str(part) if there[part.base, part.state] == 1 else None for part in repeated]
    assert expected.count(None) > 200
    gazetteer = known_names.gazetteer_of(RequestContext(listed))
    for part, name in zip(repeated, expected, strict=True):
        for query in (Query(part.base, part.state), Query(f"{part.base.upper()}, {sal.STATES[part.state]}")):
            found = verdict(gazetteer, query)
            assert found.area_name == name
            assert found.is_ambiguous == (name is None)


@pytest.mark.parametrize("size", SIZES)
def test_no_state_or_postcode_opens_a_bare_name(listed, sal_names, size, trial):
    """A bare name resolves with any state and any postcode, before it or behind it: the list knows neither."""
    gazetteer = known_names.gazetteer_of(RequestContext(listed))
    bare = [name for name in some_of(sal_names, size) if not name.endswith(")") and name not in SANDBOX_SUBURBS]
    for name in bare:
        for code, full in sal.STATES.items():
            for text in (f"{name} {code}", f"{full}, {name}", f"{name}, {full} 3182", f"12 High St, {code} {name}"):
                assert verdict(gazetteer, Query(text)).area_name == name
    tried = "a name that has no suffix, beside each state, with and without a postcode and a street"
    held = "it resolves to itself: with only a list of names, no state or postcode can contradict it"
    trial(tried, held, names=len(bare))


@pytest.mark.parametrize("size", SIZES)
def test_a_postcode_in_the_state_never_opens_a_name(listed, sal_names, size, trial):
    """A base that resolves with its state does so with any postcode of the state, and with none of another state."""
    gazetteer, rng, tried = known_names.gazetteer_of(RequestContext(listed)), random.Random(1), 0
    for name in some_of(sal_names, size):
        base, _, state = sal.parse(name)
        if state is None or verdict(gazetteer, Query(base, state)).area_name != name:
            continue
        postcodes = {one: f"{rng.randint(first + 1, last - 1):04}" for one, (first, last) in POSTCODES.items()}
        for one, postcode in postcodes.items():
            found = verdict(gazetteer, Query(base, state, postcode)).area_name
            assert found == (name if state in states_at(postcode) else None), one
            tried += 1
    held = "it resolves if the postcode is of that state, and stays open if not"
    trial("a name without its suffix, with its state and a postcode of each state", held, queries=tried)


def test_a_base_alone_resolves_where_it_is_unique(listed, sal_names):
    """A base alone resolves if one name has it, and is otherwise ambiguous."""
    counts = Counter(sal.parse(name).base for name in sal_names)
    gazetteer = known_names.gazetteer_of(RequestContext(listed))
    for base, number in counts.items():
        found = verdict(gazetteer, Query(base.lower()))
        assert found.area_name == (base if number == 1 else None)
        assert len(found.candidates) == (0 if number == 1 else number)


def test_names_that_differ_in_a_space_are_never_taken_for_each_other(listed, sal_names):
    """The 29 pairs of bases that differ only in a space are never confused."""
    bases = {sal.parse(name).base for name in sal_names}
    joined = Counter(sal.fold(base).replace(" ", "") for base in bases)
    pairs = [base for base in bases if joined[sal.fold(base).replace(" ", "")] == 2]
    assert len(pairs) == 58
    gazetteer = known_names.gazetteer_of(RequestContext(listed))
    for base in pairs:
        found = verdict(gazetteer, Query(base))
        meant = {place.area_name for place in found.candidates} | {found.area_name} - {None}
        assert {sal.parse(name).base for name in meant} == {base}


def test_the_readme_of_a_loader_holds_for_real_names(listed):
    """A loader refuses free text without a charge, and names the suburb that the text means."""
    with pytest.raises(sp.errors.UnknownSuburb, match=r"did you mean St Kilda \(Vic\.\)\?"):
        sp.rent("st kilda vic")
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve("Richmond")
    assert len(caught.value.candidates) == 6
    found = sp.resolve(["St Kilda VIC 3182", "BONDI NSW 2026", "Mt Druitt NSW 2770"], detail=True)
    assert found["area_name"].to_list() == ["St Kilda (Vic.)", "Bondi", "Mount Druitt"]
    assert found["confirmed_by"].to_list()[0] == "state VIC"
    assert found["not_confirmed"].to_list() == ["postcode 3182", "postcode 2026", "state NSW; postcode 2770"]
