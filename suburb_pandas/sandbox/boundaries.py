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

from suburb_pandas.sandbox.country import STATES, SUBURBS, Suburb
from suburb_pandas.sandbox.dice import Dice

Point = tuple[int, int]
"""Metres to the east and to the north of a point that is nowhere on the earth."""

_RADII = {"NSW": 240, "VIC": 190, "QLD": 280, "SA": 230, "WA": 290, "TAS": 120, "ACT": 45, "NT": 260}
"""About half the width of each island, in kilometres."""

_BETWEEN = 720_000  # metres between the centres of two islands
_ISLANDS_A_ROW = 4
_SEA = 30  # centres in the sea around an island: the coast is the border between their cells and those of the suburbs
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
        found |= _island(state, (column * _BETWEEN, -row * _BETWEEN))
    return {suburb.name: found[suburb.name] for suburb in SUBURBS}


def _island(state: str, middle: Point) -> dict[str, tuple[Point, ...]]:
    """Return the outlines of the suburbs of one state."""
    suburbs = sorted((one for one in SUBURBS if one.state == state), key=lambda one: (*_areas(one), one.name))
    dice, radius = Dice("boundaries", state), 1000 * _RADII[state]
    land = _centres(dice, radius, len(suburbs), [], inside=True)
    centres = [*land, *_centres(dice, radius, _SEA, land, inside=False)]
    rings = {centre: _corners(centre, centres) for centre in land}
    edges = {_sorted(edge) for ring in rings.values() for edge in pairwise(ring)}
    bent = {edge: [edge[0], *_bends(*edge, dice, _BENDS), edge[1]] for edge in sorted(edges)}
    return {
        suburb.name: tuple((x + middle[0], y + middle[1]) for x, y in _traced(rings[centre], bent))
        for suburb, centre in _shared_out(suburbs, land)
    }


def _areas(suburb: Suburb) -> tuple[str, str, str]:
    """Return the areas that a suburb lies in, the largest first."""
    return suburb.sa4, suburb.council, suburb.sa2


def _centres(dice: Dice, radius: int, number: int, others: Sequence[Point], *, inside: bool) -> list[Point]:
    """Draw centres on the island or around it. They are close together near the town and far apart elsewhere."""
    town = -radius // 3, radius // 5
    centres: list[Point] = []
    for _ in range(number):
        candidates = [_draw(dice, radius, inside=inside) for _ in range(_CANDIDATES)]
        centres.append(max(candidates, key=lambda one: _least_crowding(one, [*others, *centres], town, radius)))
    return centres


def _draw(dice: Dice, radius: int, *, inside: bool) -> Point:
    """Draw a point in a circle, or in the ring around it."""
    low, high = (0, 100) if inside else (125, 170)  # per cent of the radius
    while True:
        x, y = dice.between(-2 * radius, 2 * radius), dice.between(-2 * radius, 2 * radius)
        if low * radius <= 100 * isqrt(x * x + y * y) <= high * radius:
            return x, y


def _least_crowding(one: Point, others: Sequence[Point], town: Point, radius: int) -> float:
    """Return the distance to the nearest of the others, as a multiple of the usual distance at that place."""
    usual = _CLOSE * radius + 500 * _distance(one, town)
    return min((_distance(one, other) / usual for other in others), default=1 / usual)


def _distance(one: Point, other: Point) -> int:
    return isqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)


def _shared_out(suburbs: Sequence[Suburb], centres: Sequence[Point]) -> Iterator[tuple[Suburb, Point]]:
    """Yield a centre for each suburb, so that the suburbs of an area lie together.

    The suburbs are halved where their largest areas end, and the centres with them, from west to east or from south to
    north.
    """
    if len(suburbs) == 1:
        yield suburbs[0], centres[0]
        return
    spans = [max(centre[axis] for centre in centres) - min(centre[axis] for centre in centres) for axis in (0, 1)]
    axis, cut = spans.index(max(spans)), _cut(suburbs)
    ordered = sorted(centres, key=lambda centre: (centre[axis], centre))
    yield from _shared_out(suburbs[:cut], ordered[:cut])
    yield from _shared_out(suburbs[cut:], ordered[cut:])


def _cut(suburbs: Sequence[Suburb]) -> int:
    """Return the end of an area that is nearest to the middle. The largest kind of area with an end is used."""
    for level in range(3):
        ends = [n for n in range(1, len(suburbs)) if _areas(suburbs[n])[level] != _areas(suburbs[n - 1])[level]]
        if ends:
            return min(ends, key=lambda end: (abs(2 * end - len(suburbs)), end))
    return len(suburbs) // 2


def _corners(centre: Point, centres: Sequence[Point]) -> list[Point]:
    """Return the corners of the land that is nearest to a centre, the last one equal to the first."""
    around = _neighbours(centre, centres)
    corners = [_middle(*sorted((centre, one, next_one))) for one, next_one in pairwise([*around, around[0]])]
    return [*corners, corners[0]]


def _neighbours(centre: Point, centres: Sequence[Point]) -> list[Point]:
    """Return the centres whose land borders on that of a centre, anticlockwise, the nearest one first."""
    others = [other for other in centres if other != centre]
    around = [min(others, key=lambda other: (_distance(centre, other), other))]
    while True:
        (x, y), (last_x, last_y) = centre, around[-1]
        # The next one lies to the left and on the smallest circle through the last two corners: Delaunay's rule.
        turns = {(k, m): (last_x - x) * (m - y) - (last_y - y) * (k - x) for k, m in others}
        left = {one: turn for one, turn in turns.items() if turn > 0}
        following = min(
            left, key=lambda one: ((one[0] - x) * (one[0] - last_x) + (one[1] - y) * (one[1] - last_y)) / left[one]
        )
        if following == around[0]:
            return around
        around.append(following)


def _middle(one: Point, two: Point, three: Point) -> Point:
    """Return the point that is equally far from three others, in whole metres."""
    (ax, ay), (bx, by), (cx, cy) = one, two, three
    squares = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    twice_area = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
    x = squares[0] * (by - cy) + squares[1] * (cy - ay) + squares[2] * (ay - by)
    y = squares[0] * (cx - bx) + squares[1] * (ax - cx) + squares[2] * (bx - ax)
    return round(Fraction(x, twice_area)), round(Fraction(y, twice_area))


def _sorted(edge: tuple[Point, Point]) -> tuple[Point, Point]:
    """Return an edge in a fixed direction, so that it is bent in the same way for both of its suburbs."""
    return min(edge), max(edge)


def _bends(start: Point, end: Point, dice: Dice, times: int) -> Iterator[Point]:
    """Yield the points between the ends of an edge that is halved and bent several times."""
    bent = dice.between(-_MOST_BENT, _MOST_BENT)
    across, along = end[0] - start[0], end[1] - start[1]
    half = (start[0] + end[0]) // 2 - along * bent // 100, (start[1] + end[1]) // 2 + across * bent // 100
    if times > 1:
        yield from _bends(start, half, dice, times - 1)
    yield half
    if times > 1:
        yield from _bends(half, end, dice, times - 1)


def _traced(ring: Sequence[Point], bent: dict[tuple[Point, Point], list[Point]]) -> Iterator[Point]:
    """Yield the points along the bent edges of a ring."""
    for edge in pairwise(ring):
        points = bent[_sorted(edge)]
        yield from points[:-1] if points[0] == edge[0] else points[:0:-1]
    yield ring[0]
