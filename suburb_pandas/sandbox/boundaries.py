"""Draws the boundaries of the made-up suburbs: each state is an island, and its suburbs meet without gaps.

The outlines are drawn by rule and follow no real coast. A suburb is the land that is nearest to its centre (a Voronoi
cell). The centres are close together near the largest town of a state and far apart elsewhere, as in reality. An edge
between two suburbs is bent at random, once for both. Coordinates are whole metres.
The names of suburbs and their areas are left to `country`.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isqrt
from operator import eq

from suburb_pandas.sandbox.country import STATES, SUBURBS, Suburb
from suburb_pandas.sandbox.dice import Dice

Point = tuple[int, int]
"""Metres to the east and to the north of a point that is nowhere on the earth."""

_RADII = {"NSW": 240, "VIC": 190, "QLD": 280, "SA": 230, "WA": 290, "TAS": 120, "ACT": 45, "NT": 260}
"""About half the width of each island, in kilometres."""

_BETWEEN = 720_000  # metres between the centres of two islands
_ISLANDS_A_ROW = 4
_SEA = 30  # centres in the sea around an island: the coast is the border between their cells and those of the suburbs
_ON_LAND, _AT_SEA = (0, 100), (125, 170)  # the distances of centres from the middle, in per cent of the radius
_CANDIDATES = 24  # drawn for each centre; the one farthest from the others is taken
_CLOSE = 22  # how close centres are at the largest town: a share of the radius, in thousandths
_BENDS = 5  # how often an edge is halved and bent
_MOST_BENT = 12  # per cent of its length


@cache
def outlines() -> dict[str, tuple[Point, ...]]:
    """Return the outline of each suburb by its name: its corners, anticlockwise, the last one equal to the first."""
    found: dict[str, tuple[Point, ...]] = {}
    for number, state in enumerate(STATES):
        row, column = divmod(number, _ISLANDS_A_ROW)
        for name, outline in _island(state).items():
            found[name] = tuple((x + column * _BETWEEN, y - row * _BETWEEN) for x, y in outline)
    return {suburb.name: found[suburb.name] for suburb in SUBURBS}


def _island(state: str) -> dict[str, list[Point]]:
    """Return the outlines of the suburbs of one state, around the middle of its island."""
    suburbs = sorted((one for one in SUBURBS if one.state == state), key=lambda one: (*_areas(one), one.name))
    dice, radius = Dice("boundaries", state), 1000 * _RADII[state]
    centres: list[Point] = []
    for within in [_ON_LAND] * len(suburbs) + [_AT_SEA] * _SEA:
        candidates = [_drawn(dice, radius, within) for _ in range(_CANDIDATES)]
        centres.append(max(candidates, key=lambda one: _least_crowding(one, centres, radius)))
    land = centres[: len(suburbs)]
    rings = {centre: _ring(centre, centres) for centre in land}
    bent: dict[tuple[Point, Point], list[Point]] = {}
    for start, end in sorted({(min(edge), max(edge)) for ring in rings.values() for edge in pairwise(ring)}):
        line = _bent(start, end, dice, _BENDS)
        bent[start, end], bent[end, start] = line, [end, *line[:0:-1]]
    return {
        suburb.name: [*(point for edge in pairwise(rings[centre]) for point in bent[edge]), rings[centre][0]]
        for suburb, centre in _shared_out(suburbs, land)
    }


def _areas(suburb: Suburb) -> tuple[str, str, str]:
    """Return the areas that a suburb lies in, the largest first."""
    return suburb.sa4, suburb.council, suburb.sa2


def _drawn(dice: Dice, radius: int, within: tuple[int, int]) -> Point:
    """Draw a point at some distances from the middle, in per cent of the radius."""
    while True:
        x, y = dice.between(-2 * radius, 2 * radius), dice.between(-2 * radius, 2 * radius)
        if within[0] * radius <= 100 * isqrt(x * x + y * y) <= within[1] * radius:
            return x, y


def _least_crowding(one: Point, others: Sequence[Point], radius: int) -> float:
    """Return the distance to the nearest of the others, as a multiple of the usual distance at that place."""
    town = -radius // 3, radius // 5
    usual = _CLOSE * radius + 500 * _distance(one, town)
    return min((_distance(one, other) / usual for other in others), default=1 / usual)


def _distance(one: Point, other: Point) -> int:
    return isqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)


def _shared_out(suburbs: Sequence[Suburb], centres: Sequence[Point]) -> Iterator[tuple[Suburb, Point]]:
    """Yield a centre for each suburb, so that the suburbs of an area lie together.

    The suburbs are halved where their largest areas end, nearest to the middle, and the centres with them, from west to
    east or from south to north.
    """
    if len(suburbs) == 1:
        yield suburbs[0], centres[0]
        return
    areas = [_areas(suburb) for suburb in suburbs]

    def unfitness(end: int) -> tuple[int, int]:
        """Return how many areas lie on both sides of an end, and how far it is from the middle."""
        return sum(map(eq, areas[end - 1], areas[end])), abs(2 * end - len(suburbs))

    cut = min(range(1, len(suburbs)), key=unfitness)
    axis = max((0, 1), key=lambda axis: max(one[axis] for one in centres) - min(one[axis] for one in centres))
    ordered = sorted(centres, key=lambda centre: (centre[axis], centre))
    yield from _shared_out(suburbs[:cut], ordered[:cut])
    yield from _shared_out(suburbs[cut:], ordered[cut:])


def _ring(centre: Point, centres: Sequence[Point]) -> list[Point]:
    """Return the corners of the land that is nearest to a centre, anticlockwise, the last one equal to the first."""
    x, y = centre
    others = [(k - x, m - y) for k, m in centres if (k, m) != centre]
    around = [min(others, key=lambda other: (_distance((0, 0), other), other))]
    while len(around) == 1 or around[-1] != around[0]:
        last_x, last_y = around[-1]
        # The next neighbour lies to the left and on the smallest circle through the last two corners: Delaunay's rule.
        turns = {(k, m): last_x * m - last_y * k for k, m in others}
        left = {one: turn for one, turn in turns.items() if turn > 0}
        around.append(min(left, key=lambda one: (one[0] * (one[0] - last_x) + one[1] * (one[1] - last_y)) / left[one]))
    corners = [(x + east, y + north) for east, north in (_corner(*two) for two in pairwise(around))]
    return [*corners, corners[0]]


def _corner(one: Point, other: Point) -> Point:
    """Return the point that is equally far from (0, 0) and from two others, in whole metres."""
    (ax, ay), (bx, by) = one, other
    a, b, twice_area = ax * ax + ay * ay, bx * bx + by * by, 2 * (ax * by - ay * bx)
    return round(Fraction(by * a - ay * b, twice_area)), round(Fraction(ax * b - bx * a, twice_area))


def _bent(start: Point, end: Point, dice: Dice, times: int) -> list[Point]:
    """Return the points of an edge that is halved and bent several times, without its end."""
    if times == 0:
        return [start]
    bent = dice.between(-_MOST_BENT, _MOST_BENT)
    across, along = end[0] - start[0], end[1] - start[1]
    half = (start[0] + end[0]) // 2 - along * bent // 100, (start[1] + end[1]) // 2 + across * bent // 100
    return [*_bent(start, half, dice, times - 1), *_bent(half, end, dice, times - 1)]
