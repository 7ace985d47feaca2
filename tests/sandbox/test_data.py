"""The made-up boundaries. The made-up rents, impacts and places are examples in results.txt."""

from collections import Counter
from itertools import pairwise

from suburb_pandas.sandbox import boundaries


def test_suburbs_meet_without_gaps():
    """Each stretch of a boundary belongs to two suburbs, or lies at the coast. An outline ends where it begins."""
    outlines = boundaries.outlines().values()
    assert all(outline[0] == outline[-1] for outline in outlines)
    stretches = Counter(frozenset(stretch) for outline in outlines for stretch in pairwise(outline))
    assert {*stretches.values()} == {1, 2}
