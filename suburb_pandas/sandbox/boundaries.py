"""Draws the boundaries of the made-up suburbs: each state is an island, and its suburbs meet without gaps.

The corners are read from corners.csv, and follow no real coast. An edge between two suburbs is bent at random, once for
both. Coordinates are whole metres. The names of suburbs and their areas are left to `country`.
"""

import csv
from functools import cache
from itertools import pairwise
from pathlib import Path

from suburb_pandas.sandbox.dice import Dice

Point = tuple[int, int]
"""Metres to the east and to the north of a point that is nowhere on the earth."""

_BENDS = 5  # how often an edge is halved and bent
_MOST_BENT = 12  # per cent of its length


@cache
def outlines() -> dict[str, tuple[Point, ...]]:
    """Return the outline of each suburb by its name: its points, anticlockwise, the last one equal to the first."""
    with Path(__file__).with_name("corners.csv").open(encoding="utf-8") as file:
        corners = {row["name"]: list(map(_point, row["corners"].split(";"))) for row in csv.DictReader(file)}
    return {name: _outline([*ring, ring[0]]) for name, ring in corners.items()}


def _point(text: str) -> Point:
    east, north = map(int, text.split())
    return east, north


def _outline(ring: list[Point]) -> tuple[Point, ...]:
    """Return a ring of corners with its edges bent. Both suburbs at an edge have the same bends."""
    points: list[Point] = []
    for start, end in pairwise(ring):
        first, last = sorted((start, end))
        line = _bent(first, last, Dice("boundaries", *map(str, (*first, *last))), _BENDS)
        points += line if start == first else [start, *line[:0:-1]]
    return (*points, ring[0])


def _bent(start: Point, end: Point, dice: Dice, times: int) -> list[Point]:
    """Return the points of an edge that is halved and bent several times, without its end."""
    if times == 0:
        return [start]
    bent = dice.between(-_MOST_BENT, _MOST_BENT)
    across, along = end[0] - start[0], end[1] - start[1]
    half = (start[0] + end[0]) // 2 - along * bent // 100, (start[1] + end[1]) // 2 + across * bent // 100
    return [*_bent(start, half, dice, times - 1), *_bent(half, end, dice, times - 1)]
