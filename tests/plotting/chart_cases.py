"""The charts that are looked at and tested: everything that a chart may have to show, in made-up suburbs."""

import warnings
from functools import partial

import numpy as np
import pandas as pd

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS
from suburb_pandas.sandbox.country import SANDBOX_NAMES
from tests.support.charts import EIGHT, LONG
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
    frame = sp.rent(["Quokka Bay", "Lantern Bay (NSW)", "Cassava Grove"])
    is_stale = (frame["area_name"] == "Cassava Grove") & (frame.index >= "2014")
    is_staler = (frame["area_name"] == "Lantern Bay (NSW)") & (frame.index >= "2022-06")
    return frame[~(is_stale | is_staler)]


def _flat():
    """Rents that never change."""
    return sp.rent("Quokka Bay").assign(house=400.0, unit=np.nan)


def _filled():
    """Quarterly rents of two suburbs with a filled year and an open quarter."""
    frame = sp.rent(EIGHT[:2])
    return sp.resample(frame[frame.index.year != 2020], "QE", fill="ffill", detail=True)


def _negative():
    """Drivers whose premiums are all negative."""
    drivers = sp.impacts(LONG)
    return drivers.assign(
        premium_dollars=-drivers["premium_dollars"].abs(), pct_of_median=-drivers["pct_of_median"].abs()
    )


def quietly(load, suburbs):
    """Load suburbs of which some have no data or stale rents, without the warning that says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.SuburbWarning)
        return load(suburbs)


def _many_drivers():
    """Drivers of eight suburbs with eighteen labels, some of one long word, some figures missing."""
    drivers = sp.impacts(EIGHT)
    labels = [f"no {'verylongword' * (number % 3 // 2)}amenity {number} nearby" for number in range(18)]
    drivers = drivers.assign(label=[labels[number % 18] for number in range(len(drivers))])
    drivers.loc[[1, 5], "pct_of_median"] = np.nan
    return drivers


def _flagged():
    """A scorecard with every flag, both signs, ties and a suburb without a value."""
    card = sp.scorecard([*EIGHT, "Gannet Steps"])
    card.loc[EIGHT[:2], "house_growth_1y_pct"] = -1.5
    card.loc[EIGHT[2], "house_rent_date"] = pd.Timestamp("2025-01-31")
    card.loc[EIGHT[3:5], "house_unchanged_days"] = 84
    card.loc[EIGHT[4], "status"] = "RateLimited"
    return card


RENTS = {
    "one": lambda: sp.rent("Quokka Bay"),
    "two": lambda: sp.rent(EIGHT[:2]),
    "five": lambda: sp.rent(EIGHT[:5]),
    "eight": lambda: sp.rent(EIGHT),
    "long name": lambda: sp.rent(LONG[-1]),
    "stale": _stale,
    "one type": lambda: sp.rent("Woylie"),
    "no points": lambda: sp.rent([]),
    "one value": _flat,
    "one point": lambda: sp.rent("Quokka Bay").tail(1),
    "months": lambda: sp.rent("Quokka Bay").loc["2025-09":],
    "filled": _filled,
}
"""Frames of rents, by what is special about them."""

DRIVERS = {
    "one": lambda: sp.impacts("Quokka Bay"),
    "two": lambda: sp.impacts(["Black Swan Rise", "Copper Lantern"]),
    "five": lambda: sp.impacts(EIGHT[:5]),
    "eight": lambda: sp.impacts(EIGHT),
    "negative": _negative,
    "no drivers": lambda: quietly(sp.impacts, "Sleepy Lizard"),
    "some without": lambda: quietly(sp.impacts, ["Quokka Bay", "Sleepy Lizard"]),
}
"""Frames of drivers, by what is special about them."""


def _card(state):
    """Return a scorecard of the suburbs of a state that have rents and sales."""
    return sp.scorecard([suburb.name for suburb in SUBURBS if suburb.state == state and suburb.name in RENTED])


def _with_yields():
    """Return a scorecard of eight suburbs with yields on made-up prices."""
    return sp.scorecard(EIGHT, prices=pd.DataFrame({"house_price": 1_000_000}, EIGHT))


def _index(by=None):
    """Return a quarterly index of the rents of twelve suburbs."""
    return sp.rent_index(sp.rent(RENTED[:12], freq="QE", partial="drop"), by=by)


def _draw_map(column=None, **usual):
    """Return the function that draws a column on the made-up boundaries."""
    return lambda values, **options: sp.plot_map(values, sp.sandbox_boundaries(), column=column, **usual, **options)


MAPS = {
    "state": (_draw_map(), lambda: _card("VIC")),
    "thin": (_draw_map("median_price_all_sales"), lambda: _card("VIC")),
    "below zero": (
        _draw_map("total_premium"),
        lambda: _card("VIC").assign(total_premium=lambda card: card["total_premium"] - 1e5),
    ),
    "some without": (_draw_map(), lambda: _card("QLD")["house_rent"].iloc[::2]),
    "few": (_draw_map("total_premium"), lambda: _card("QLD").iloc[:12]),
    "far apart": (_draw_map(), lambda: sp.scorecard([*SANDBOX_NAMES])),
    "classes": (_draw_map(classes=[400, 600, 800]), lambda: _card("VIC")),
    "one suburb": (_draw_map(), lambda: _card("WA")["house_rent"].iloc[:1]),
    "no values": (_draw_map(), lambda: _card("WA")["house_rent"] * np.nan),
}
"""The functions that draw maps and that make their values, by what is special about them."""

MULTIPLES = {
    "twelve": lambda: sp.rent(RENTED[:12]),
    "some without": lambda: sp.rent([*RENTED[40:50], "Woylie"], layout="wide"),
    "forty": lambda: sp.rent(RENTED[:40], freq="YE"),
}
"""Frames of rents that are drawn as small multiples."""

HEATMAPS = {
    **{name: DRIVERS[name] for name in ("one", "eight", "negative", "no drivers")},
    "forty": lambda: sp.impacts(RENTED[:40]),
    "eighteen drivers": _many_drivers,
}
"""Frames of drivers that are drawn as heatmaps."""

CARDS = {
    "flagged": _flagged,
    "one": lambda: sp.scorecard(["Quokka Bay"]),
    "none": lambda: sp.scorecard(["Gannet Steps"]),
    "forty": lambda: quietly(sp.scorecard, RENTED[:40]),
}
"""Scorecards."""

CASES = {
    **{f"rents, {name}": (sp.plot_rent, frame) for name, frame in RENTS.items()},
    **{f"drivers, {name}": (sp.plot_impacts, frame) for name, frame in DRIVERS.items()},
    **{f"map, {name}": case for name, case in MAPS.items()},
    **{f"multiples, {name}": (sp.plot_rent, frame) for name, frame in MULTIPLES.items()},
    "multiples, units": (partial(sp.plot_rent, property_type="unit"), MULTIPLES["twelve"]),
    "rents, highlight": (partial(sp.plot_rent, highlight=RENTED[2:4]), lambda: sp.rent(RENTED[:20])),
    "rents, index": (partial(sp.plot_rent, kind="index"), lambda: sp.rent(EIGHT)),
    "rents, houses": (partial(sp.plot_rent, property_type="house"), lambda: sp.rent(EIGHT[:4])),
    "growth, four": (sp.plot_rent, lambda: sp.growth(sp.rent(EIGHT[:4]), detail=True)),
    "growth, twelve": (partial(sp.plot_rent, property_type="house"), lambda: sp.growth(sp.rent(RENTED[:12]))),
    **{f"heatmap, {name}": (partial(sp.plot_impacts, kind="heatmap"), frame) for name, frame in HEATMAPS.items()},
    **{f"card, {name}": (sp.plot_scorecard, frame) for name, frame in CARDS.items()},
    "card, premiums": (partial(sp.plot_scorecard, by="total_premium_pct"), _flagged),
    "card, highlight": (partial(sp.plot_scorecard, highlight=EIGHT[:2]), _flagged),
    "card, yields": (partial(sp.plot_scorecard, by="house_gross_yield_pct"), _with_yields),
    "index, councils": (partial(sp.plot_rent, property_type="house"), partial(_index, "lga")),
    "index, one": (sp.plot_rent, _index),
}
"""The function that draws and the one that makes its frame, by the name of the case."""
