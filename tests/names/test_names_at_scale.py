"""Tests search and matching with the 15,334 real names, and with messy rows of which the right answer is known.

Every run tries 500 names and 2,000 rows, ``pytest -m long`` all names and 20,000 rows. The tests use the real names
alone: no rents or prices of real suburbs are made up. A messy row may be left open, but it is never resolved wrong,
unless its mess makes the location of another suburb.
"""

import string
from collections import Counter
from functools import cache
from random import Random

import pytest

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.names.evidence import states_at
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.search import suggest
from suburb_pandas.names.written import Query, readings
from tests.names import messy

ABBREVIATIONS = {"North": "Nth", "South": "Sth", "Junction": "Jct", "Heights": "Hts", "Point": "Pt", "Port": "Pt"}
NONE_WRONG = "none resolves to the wrong suburb, unless the row has the postcode of that suburb"


def some_and_all(some, number):
    """Return the parameters of a test: some in every run, and all with ``-m long``."""
    return [pytest.param(some, id="some"), pytest.param(number, id="all", marks=pytest.mark.long)]


@cache
def gazetteer_of(names):
    """Return a gazetteer that knows all names, and of each suburb only the state in its name."""
    return Gazetteer([Place(name, sal.parse(name).state) for name in names], complete=True)


@pytest.fixture
def gazetteer(sal_names):
    """Return the gazetteer of all names."""
    return gazetteer_of(tuple(sal_names))


@pytest.fixture(params=some_and_all(500, None))
def names(request, sal_names):
    """Return some of the names, or all."""
    return sal_names if request.param is None else Random(7).sample(sal_names, request.param)


def with_a_slip(text, rng):
    """Return a text with one letter added, dropped, changed, or swapped with the next."""
    at, letter = rng.randrange(len(text) - 1), rng.choice(string.ascii_lowercase)
    first, second = text[at : at + 2]
    return text[:at] + rng.choice([letter + first + second, second, letter + second, second + first]) + text[at + 2 :]


def first_five(gazetteer, text):
    return {place.area_name for place in suggest(gazetteer, text, limit=5)}


def test_each_name_suggests_itself_first(gazetteer, names, trial):
    """A full name is its own first suggestion, also in lower case."""
    for name in names:
        for text in (name, name.lower()):
            assert suggest(gazetteer, text, limit=1)[0].area_name == name
    held = "it is its own first suggestion"
    trial("a full ABS name is typed, as it is and in lower case", held, names=len(names))


def test_all_names_resolve_to_themselves(sal_names, tmp_path):
    """With the list loaded, all names resolve to themselves in one batch, also in capitals. No service is called."""
    path = tmp_path / "names.txt"
    path.write_text("\n".join(sal_names), encoding="utf-8")
    with sp.connect(api_key="test", base_url="http://127.0.0.1:9"):
        assert sp.load_gazetteer(path)["complete"].all()
        assert sp.resolve(sal_names + [name.upper() for name in sal_names]).to_list() == sal_names * 2
        assert sp.ledger().empty


def test_an_abbreviation_means_its_name(gazetteer, names, trial):
    """A name with a word abbreviated is among the first five suggestions, and resolves unless it can mean others."""
    abbreviated = {
        f"{base.replace(word, short)}{name.removeprefix(base)}": name
        for name in names
        for base in [sal.parse(name).base]
        for word, short in ABBREVIATIONS.items()
        if word in base.split()
    }
    for text, name in abbreviated.items():
        assert name in first_five(gazetteer, text)
        found = verdict(gazetteer, Query(text))
        assert name in {found.area_name, *(place.area_name for place in found.candidates)}
    held = "the name is among the first five suggestions, and `resolve` returns it or has it among several candidates"
    trial("a name with one word abbreviated, such as Nth or Jct", held, names=len(abbreviated))


def test_with_one_slip_the_name_is_among_the_first_five(gazetteer, names, trial):
    """With one slip, 99 % of the names are among the first five suggestions, and none resolves to another name.

    The exception is a slip that makes the base of another real name. Its state, which the list does not know, does not
    prevent that: ``Cooee WA`` is Cooee, although Coogee (WA) was meant.
    """
    rng, within = Random(1), 0
    for name in names:
        slip = with_a_slip(name, rng)
        within += name in first_five(gazetteer, slip)
        meant = verdict(gazetteer, Query(slip)).area_name
        assert meant in {None, name} or sal.base_of(meant) in {reading.base for reading in readings(slip)}
    assert within >= 0.99 * len(names)
    held = "`resolve` gives no other name, unless the text with the slip is that other name without its suffix"
    trial("a name with one random slip", held, names=len(names), of_them_within_the_first_five_suggestions=within)


def test_a_base_and_its_state_resolve_where_the_list_makes_them_unique(gazetteer, sal_names):
    """A base, alone or with a state beside it or behind it, resolves if one name has it, and is otherwise ambiguous.

    Names that differ only in a space are therefore never taken for each other.
    """
    parts = {name: sal.parse(name) for name in sal_names}
    number = Counter(key for part in parts.values() for key in {part.base, (part.base, part.state)})
    for name, (base, _, state) in parts.items():
        expected = {Query(base.lower()): number[base] == 1}
        if state:
            expected |= dict.fromkeys(
                [Query(base, state), Query(f"{base}, {sal.STATES[state]}")], number[base, state] == 1
            )
        for query, is_unique in expected.items():
            found = verdict(gazetteer, query)
            assert found.area_name == (name if is_unique else None)
            assert is_unique or name in {place.area_name for place in found.candidates}


def test_no_state_or_postcode_opens_a_bare_name(gazetteer, names, trial):
    """A bare name resolves with any state and any postcode, since the list knows neither.

    It stays open with itself among the candidates if a longer name, such as Albert Park (Vic.), lies in that state.
    """
    bare = [name for name in names if not name.endswith(")")]
    for name in bare:
        for code, full in sal.STATES.items():
            for text in (f"{name} {code}", f"{full}, {name}", f"{name}, {full} 3182", f"12 High St, {code} {name}"):
                found = verdict(gazetteer, Query(text))
                assert name in {found.area_name, *(place.area_name for place in found.candidates)}
    tried = "a name that has no suffix, beside each state, with and without a postcode and a street"
    held = "it resolves to itself, or stays open beside longer names in that state; no state can contradict it"
    trial(tried, held, names=len(bare))


def test_a_postcode_in_the_state_never_opens_a_name(gazetteer, names, trial):
    """A base that resolves with its state does so with any postcode of the state, and with none of another state."""
    tried = 0
    for name in names:
        base, _, state = sal.parse(name)
        if state and verdict(gazetteer, Query(base, state)).area_name == name:
            for first, last in messy.POSTCODES.values():
                postcode = f"{Random(name).randint(first + 1, last - 1):04}"
                found = verdict(gazetteer, Query(base, state, postcode)).area_name
                assert found == (name if state in states_at(postcode) else None)
                tried += 1
    held = "it resolves if the postcode is of that state, and stays open if not"
    trial("a name without its suffix, with its state and a postcode of each state", held, queries=tried)


# Messy rows


def resolved(gazetteer, suburbs, drawn):
    """Return how many of the rows resolve, after checking that none resolves wrong.

    A row may resolve to another suburb if it has the postcode of that suburb.
    """
    truth, number = {suburb.name: suburb for suburb in suburbs}, 0
    for row in drawn:
        query = Query(" ".join(row.text.split()), sal.state_code(row.state), row.postcode)
        name = verdict(gazetteer, query).area_name
        postcodes = {row.postcode, *(reading.postcode for reading in readings(row.text))}
        assert name in {None, row.meant} or truth[name].postcode in postcodes
        number += name is not None
    return number


@pytest.mark.parametrize("size", some_and_all(2_000, 20_000))
def test_a_made_up_country(size, trial):
    """If more is known of the suburbs, more contradictions are found. The resolved rows are right in each case."""
    rng = Random(size)
    suburbs = messy.country(6_000, rng)
    drawn, names = messy.rows(suburbs, size, rng), tuple(suburb.name for suburb in suburbs)
    places = [Place(one.name, one.state, one.council, one.postcode) for one in suburbs]
    for gazetteer in (Gazetteer(places, complete=True), gazetteer_of(names)):
        number = resolved(gazetteer, suburbs, drawn)
        assert number > 0.6 * size
        tried = "messy rows of a made-up country, with its councils and postcodes loaded, or its names alone"
        trial(tried, NONE_WRONG, rows=size, of_them_resolved=number)


@pytest.mark.parametrize("size", some_and_all(2_000, 20_000))
def test_the_real_list(gazetteer, sal_names, size, trial):
    """Of messy rows drawn from the real names, more than nine in ten are resolved, and none is resolved wrong."""
    rng = Random(size)
    suburbs = messy.located(sal_names, rng)
    number = resolved(gazetteer, suburbs, messy.rows(suburbs, size, rng))
    assert number > 0.9 * size
    tried = "messy rows of the ABS names: case, marks, states, wrong postcodes, addresses, councils"
    trial(tried, NONE_WRONG, rows=size, of_them_resolved=number)
