"""The made-up boundaries, and the version of the data. Made-up rents, impacts and places are in results.txt."""

from collections import Counter
from hashlib import sha256
from itertools import pairwise

from suburb_pandas.sandbox import boundaries, premiums, series
from suburb_pandas.sandbox.answers import encoded
from suburb_pandas.sandbox.country import DATA_VERSION, SUBURBS, census


def test_suburbs_meet_without_gaps():
    """Each stretch of a boundary belongs to two suburbs, or lies at the coast. An outline ends where it begins."""
    outlines = boundaries.outlines().values()
    assert all(outline[0] == outline[-1] for outline in outlines)
    stretches = Counter(frozenset(stretch) for outline in outlines for stretch in pairwise(outline))
    assert {*stretches.values()} == {1, 2}


def test_other_data_have_another_version():
    """With each change to the data, `DATA_VERSION` is raised, because a store keeps the data of each version apart.

    The digest below is then that of the new data.
    """
    data = [[*suburb, *census(suburb.name), series.rents(suburb), premiums.impacts(suburb)] for suburb in SUBURBS]
    assert (DATA_VERSION, sha256(encoded(data)).hexdigest()[:16]) == ("2026.04.3", "ed41452a2a24ab98")
