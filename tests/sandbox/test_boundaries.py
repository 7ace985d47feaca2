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


def test_every_made_up_suburb_has_one_outline():
    assert list(outlines()) == [suburb.name for suburb in SUBURBS]


def test_outlines_are_closed_and_do_not_cross_themselves():
    assert all(outline[0] == outline[-1] for outline in outlines().values())
    assert all(map(shapely.is_valid, SHAPES.values()))


def test_suburbs_meet_without_gaps_and_do_not_overlap():
    """Each stretch of a boundary belongs to two suburbs, or lies at the coast; a state is one island without lakes."""
    stretches = Counter(frozenset(stretch) for outline in outlines().values() for stretch in pairwise(outline))
    assert set(stretches.values()) == {1, 2}
    for shapes in OF_STATE.values():
        island = shapely.union_all(shapes)
        assert (island.geom_type, len(island.interiors)) == ("Polygon", 0)
        assert island.area == pytest.approx(sum(shape.area for shape in shapes), rel=1e-12)


def test_no_two_states_touch():
    islands = [shapely.union_all(shapes) for shapes in OF_STATE.values()]
    assert not any(one.intersects(other) for one in islands for other in islands if one is not other)


@pytest.mark.parametrize("level", ["council", "sa4"])
def test_the_suburbs_of_an_area_lie_together(level):
    """Most areas are one piece of land, as in reality."""
    areas = {getattr(suburb, level) for suburb in SUBURBS}
    lands = [shapely.union_all([SHAPES[one.name] for one in SUBURBS if getattr(one, level) == area]) for area in areas]
    assert sum(land.geom_type == "Polygon" for land in lands) >= 0.7 * len(lands)


def test_suburbs_are_of_very_different_sizes():
    """The largest suburb of a large state is more than ten times as large as its smallest."""
    for state in ("NSW", "VIC", "QLD"):
        areas = [shape.area for shape in OF_STATE[state]]
        assert max(areas) > 10 * min(areas)


def test_outlines_are_the_same_on_every_machine():
    """Coordinates are whole metres, calculated without functions that differ between machines."""
    assert all(isinstance(number, int) for outline in outlines().values() for point in outline for number in point)
    digest = hashlib.sha256(repr(outlines()).encode()).hexdigest()
    assert digest.startswith("2df9ac74e3773580")
