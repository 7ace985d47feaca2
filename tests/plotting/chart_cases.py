"""The charts that are looked at and tested: everything that a chart may have to show, in made-up suburbs."""

import warnings
from functools import partial

import numpy as np
import pandas as pd

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS
from suburb_pandas.sandbox.country import SANDBOX_NAMES
from tests.support.charts import EIGHT
from tests.support.common import RENTED

SIZES = [(4, 3), (9, 5), (14, 9)]
"""Width and least height of a figure, in inches."""

LOOKS = {
    "plain": [],
    "dark": ["dark_background"],
    "grayscale": ["grayscale"],
    "seaborn": ["seaborn-v0_8", "seaborn-v0_8-darkgrid", "seaborn-v0_8-notebook"],
    "ggplot": ["ggplot"],
}
"""Style sheets, by the names of the looks."""


def _stale():
    """Rents of three suburbs, two of which ended years before the third."""
    ends = {"Quokka Bay": None, "Lantern Bay (NSW)": "2022-05", "Cassava Grove": "2013-12"}
    return pd.concat([sp.rent([name], end=end) for name, end in ends.items()])


def _filled():
    """Quarterly rents of two suburbs with a filled year and an open quarter."""
    frame = sp.rent(EIGHT[:2])
    return sp.resample(frame[frame.index.year != 2020], "QE", fill="ffill", detail=True)


def quietly(load, suburbs):
    """Load suburbs of which some have no data or stale rents, without the warning that says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.SuburbWarning)
        return load(suburbs)


def _many_drivers():
    """Drivers of eight suburbs with eighteen labels, some of one long word, one figure missing."""
    drivers = sp.impacts(EIGHT)
    drivers["label"] = [f"no {'verylongword' * (place % 2)}amenity {place % 18} nearby" for place in drivers.index]
    drivers.loc[1, "pct_of_median"] = np.nan
    return drivers


def _flagged():
    """A scorecard with every flag, both signs, ties and a suburb without a value."""
    card = sp.scorecard([*EIGHT, "Gannet Steps"])
    card.loc[EIGHT[:2], "house_growth_1y_pct"] = -1.5
    card.loc[EIGHT[2], "house_rent_date"] = pd.Timestamp("2025-01-31")
    card.loc[EIGHT[3:5], "house_unchanged_days"] = 84
    card.loc[EIGHT[4], "status"] = "stale"
    return card


def _card(state):
    """Return a scorecard of the suburbs of a state that have rents and sales."""
    return sp.scorecard([suburb.name for suburb in SUBURBS if suburb.state == state and suburb.name in RENTED])


def _map(values, column=None, **options):
    """Draw a column on the made-up boundaries."""
    return sp.plot_map(values, sp.sandbox_boundaries(), column=column, **options)


_FRAMES = [
    (
        sp.plot_rent,
        {
            "rents, one": lambda: sp.rent("Quokka Bay"),
            "rents, two": lambda: sp.rent(EIGHT[:2]),
            "rents, eight": lambda: sp.rent(EIGHT),
            "rents, stale": _stale,
            "rents, no points": lambda: sp.rent([]),
            "rents, one point": lambda: sp.rent("Quokka Bay").tail(1),
            "rents, filled": _filled,
            "growth, four": lambda: sp.growth(sp.rent(EIGHT[:4]), detail=True),
            "multiples, some without": lambda: sp.rent([*RENTED[40:50], "Woylie"], layout="wide"),
            "multiples, forty": lambda: sp.rent(RENTED[:40], freq="YE"),
        },
    ),
    (
        partial(sp.plot_rent, property_type="house"),
        {"index, councils": lambda: sp.rent_index(sp.rent(RENTED[:12], freq="QE", partial="drop"), by="lga")},
    ),
    (partial(sp.plot_rent, highlight=RENTED[2:4]), {"rents, highlight": lambda: sp.rent(RENTED[:20])}),
    (partial(sp.plot_rent, kind="index"), {"rents, index": lambda: sp.rent(EIGHT)}),
    (
        sp.plot_impacts,
        {
            "drivers, one": lambda: sp.impacts("Quokka Bay"),
            "drivers, eight": lambda: sp.impacts(EIGHT),
            "drivers, negative": lambda: sp.impacts(EIGHT[3:5]).assign(premium_dollars=-1e5, pct_of_median=-9.9),
            "drivers, no drivers": lambda: quietly(sp.impacts, "Sleepy Lizard"),
            "drivers, some without": lambda: quietly(sp.impacts, ["Quokka Bay", "Sleepy Lizard"]),
        },
    ),
    (
        partial(sp.plot_impacts, kind="heatmap"),
        {
            "heatmap, one": lambda: sp.impacts("Quokka Bay"),
            "heatmap, forty": lambda: sp.impacts(RENTED[:40]),
            "heatmap, eighteen drivers": _many_drivers,
        },
    ),
    (
        _map,
        {
            "map, far apart": lambda: sp.scorecard([*SANDBOX_NAMES]),
            "map, no values": lambda: _card("WA")["house_rent"] * np.nan,
        },
    ),
    (
        partial(_map, column="total_premium"),
        {
            "map, below zero": lambda: _card("VIC").assign(total_premium=lambda card: card["total_premium"] - 1e5),
            "map, few": lambda: _card("QLD").iloc[:12],
        },
    ),
    (
        sp.plot_scorecard,
        {
            "card, flagged": _flagged,
            "card, one": lambda: sp.scorecard(["Quokka Bay"]),
            "card, forty": lambda: quietly(sp.scorecard, RENTED[:40]),
        },
    ),
]
"""The functions that draw, each with the functions that make its frames, by what is special about them."""

CASES = {name: (draw, frame) for draw, frames in _FRAMES for name, frame in frames.items()}
"""The function that draws and the one that makes its frame, by the name of the case."""

GIVEN = {
    "rents, one": "constrained",
    "drivers, one": "tight",
    "heatmap, one": "constrained",
    "card, one": "tight",
    "map, few": "constrained",
}
"""A case of each kind of chart that fits into a figure of a usual size, and the layout of such a figure."""

IN_AXES = GIVEN | {"multiples, some without": "tight", "rents, two": "tight"}
"""The same, with cases of several panels."""

UNSEEN = {"multiples, forty", "heatmap, forty", "card, forty"}
"""Cases without a picture, because it would be too large to look at."""


def draw(case, **options):
    """Draw a case and return the Axes."""
    function, frame = CASES[case]
    return function(frame(), **options)
