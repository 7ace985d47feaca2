"""Defines the words around the data of a chart. What they say is left to the modules that draw data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Look = tuple[str, str, Literal["-", "None"]]
"""The colour, the marker and the line style of a series in a legend."""


@dataclass(frozen=True, slots=True)
class Swatch:
    """The look of an area in a legend: a box in its colour, with its hatching in the colour of its edge."""

    colour: str
    edge: str
    hatch: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """The words around the data of a chart.

    ``notes`` are sentences. ``legend`` has the look of each series or area, by its name. It is shown where there are no
    labels beside the data, or where they do not fit. ``has_foot`` is False if neither notes nor source are to be shown.
    """

    title: str
    subtitle: str = ""
    notes: Sequence[str] = ()
    source: str = ""
    is_made_up: bool = False
    legend: Mapping[str, Look | Swatch] = field(default_factory=dict)
    has_foot: bool = True
