"""Tests messy rows of which the right answer is known: 2,000 in every run, 20,000 with ``pytest -m long``.

A row may be left open, but it is never resolved wrong, unless its mess makes the location of another suburb.
"""

from random import Random

import pytest

from suburb_pandas.names import sal
from suburb_pandas.names.gazetteer import Gazetteer, Place
from suburb_pandas.names.matching import verdict
from suburb_pandas.names.readings import Query, readings
from tests.support import messy

SIZES = [pytest.param(2_000, id="some"), pytest.param(20_000, id="many", marks=pytest.mark.long)]
NONE_WRONG = "none resolves to the wrong suburb, unless the row has the postcode of that suburb"


def outcomes(places, drawn):
    """Return the names that the rows are resolved to."""
    gazetteer = Gazetteer(places, complete=True)
    queries = (Query(" ".join(row.text.split()), sal.state_code(row.state), row.postcode) for row in drawn)
    return [verdict(gazetteer, query).area_name for query in queries]


def wrong(found, drawn, truth):
    """Return the rows that were resolved wrong, but for those that have the location of the other suburb."""
    return [
        (row, name)
        for name, row in zip(found, drawn, strict=True)
        if name not in {None, row.meant} and truth[name].postcode not in written_postcodes(row)
    ]


def written_postcodes(row):
    """Return the postcodes in a row."""
    return {row.postcode, *(reading.postcode for reading in readings(row.text))} - {None}


@pytest.mark.parametrize("size", SIZES)
def test_a_made_up_country(size, trial):
    """If more is known of the suburbs, more contradictions are found. The resolved rows are right in each case."""
    rng = Random(size)
    suburbs = messy.country(6_000, rng)
    drawn, truth = messy.rows(suburbs, size, rng), {suburb.name: suburb for suburb in suburbs}
    full = [Place(one.name, one.state, one.council, one.postcode) for one in suburbs]
    states = [Place(place.area_name, place.state) for place in full]
    bare = [Place(place.area_name, sal.parse(place.area_name).state) for place in full]
    for places in (full, states, bare):
        found = outcomes(places, drawn)
        assert wrong(found, drawn, truth) == []
        assert sum(map(bool, found)) > 0.6 * size
        tried = "messy rows of a made-up country, with its councils and postcodes loaded, or its names alone"
        trial(tried, NONE_WRONG, rows=size, of_them_resolved=sum(map(bool, found)))


@pytest.mark.parametrize("size", SIZES)
def test_the_real_list(sal_names, size, trial):
    """Of messy rows drawn from the real names, more than nine in ten are resolved, and none is resolved wrong."""
    rng = Random(size)
    suburbs = messy.located(sal_names, rng)
    drawn, truth = messy.rows(suburbs, size, rng), {suburb.name: suburb for suburb in suburbs}
    found = outcomes([Place(name, sal.parse(name).state) for name in sal_names], drawn)
    assert wrong(found, drawn, truth) == []
    assert sum(map(bool, found)) > 0.9 * size
    tried = "messy rows of the ABS names: case, marks, states, wrong postcodes, addresses, councils"
    trial(tried, NONE_WRONG, rows=size, of_them_resolved=sum(map(bool, found)))
