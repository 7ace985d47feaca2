"""The boundaries of the made-up suburbs: drawn by rule, without gaps, and the same on every machine."""

import hashlib
from collections import Counter
from itertools import pairwise

import pytest
import shapely

from suburb_pandas.sandbox.boundaries import outlines
from suburb_pandas.sandbox.country import STATES, SUBURBS

SHAPES = {name: shapely.Polygon(outline) for name, outline in outlines().items()}
OF_STATE = {state: [SHAPES[suburb.name] for suburb in SUBURBS if suburb.state == state] for state in STATES}


def test_every_made_up_suburb_has_one_closed_outline():
    """An outline ends where it begins, and does not cross itself."""
    assert list(outlines()) == [suburb.name for suburb in SUBURBS]
    assert all(outline[0] == outline[-1] for outline in outlines().values())
    assert all(map(shapely.is_valid, SHAPES.values()))


def test_suburbs_meet_without_gaps_and_do_not_overlap():
    """Each stretch of a boundary belongs to two suburbs, or lies at the coast; a state is one island without lakes."""
    stretches = Counter(frozenset(stretch) for outline in outlines().values() for stretch in pairwise(outline))
    assert set(stretches.values()) == {1, 2}
    islands = [shapely.union_all(shapes) for shapes in OF_STATE.values()]
    for island, shapes in zip(islands, OF_STATE.values(), strict=True):
        assert (island.geom_type, len(island.interiors)) == ("Polygon", 0)
        assert island.area == pytest.approx(sum(shape.area for shape in shapes), rel=1e-12)
    assert not any(one.intersects(other) for one in islands for other in islands if one is not other)


def test_outlines_are_the_same_on_every_machine():
    """Coordinates are whole metres, and are bent without functions that differ between machines."""
    digest = hashlib.sha256(repr(outlines()).encode()).hexdigest()
    assert digest.startswith("f191b72973d0cadf")
