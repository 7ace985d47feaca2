"""The growth in a scorecard: of single dates, or with `smooth` of means; and the date of its base."""

import json
from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law

BAY, TRACK, WOYLIE, BROLGA = "Quokka Bay", "Coolibah Track", "Woylie", "Nulla Brolga"
NAMES = [BAY, TRACK, WOYLIE, BROLGA]
PAIR = [BAY, "Bilby Heights"]
KINDS = ("house", "unit")
DAY = timedelta(days=1)

names = st.sampled_from(NAMES)
days_at = st.dates(date(2018, 6, 1), date(2026, 5, 10))


def levels_of(points):
    """Return {day: value} for each day on a point or between two points at most 35 days apart."""
    found = {}
    for (begin, first), (end, last) in pairwise(points):
        if (end - begin).days <= 35:
            for number in range((end - begin).days):
                found[begin + number * DAY] = first + (last - first) * number / (end - begin).days
    return found | dict(points)


def mean_up_to(points, day, days):
    """Return the mean of the levels over some days, up to and including a day; None if fewer than half are known."""
    levels = levels_of(points)
    known = [levels[day - number * DAY] for number in range(days) if day - number * DAY in levels]
    return sum(known) / len(known) if len(known) >= days / 2 else None


def growth_of(points, days):
    """Return the growth over a year, in per cent, of the means up to the last point, and the date of its base."""
    day = points[-1][0]
    year_ago = day - pd.DateOffset(years=1)
    if (day + DAY).day == 1:  # a month's last day goes back to a month's last day
        year_ago = year_ago + pd.offsets.MonthEnd(0)
    now, base = mean_up_to(points, day, days), mean_up_to(points, year_ago, days)
    return (None, None) if now is None or base is None else (100 * (now / base - 1), year_ago)


def assert_bases_of_growth(card, kind):
    """Check that each growth is finite and has the date of its base, and that no other date is there."""
    growth, base_date = card[f"{kind}_growth_1y_pct"], card[f"{kind}_growth_1y_base_date"]
    assert np.isfinite(growth.dropna()).all()
    assert growth.notna().to_list() == base_date.notna().to_list()


@pytest.mark.usefixtures("embedded")
@law(some=20, name=names, at=days_at, days=st.integers(1, 200))
def test_smoothed_growth_compares_two_means(name, at, days):
    """With `smooth`, growth is from the mean up to the day a year earlier to the mean up to the date of the rent."""
    card = sp.scorecard(name, at=at, max_lag="62D", smooth=f"{days}D").loc[name]
    rents = sp.rent(name)
    for kind in KINDS:
        points = [(day, value) for day, value in rents[kind].dropna().items() if day <= pd.Timestamp(at)]
        growth, base_date = growth_of(points, days) if pd.notna(card[f"{kind}_rent_date"]) else (None, None)
        found = card[f"{kind}_growth_1y_pct"], card[f"{kind}_growth_1y_base_date"]
        assert found[0] == pytest.approx(np.nan if growth is None else growth, nan_ok=True)
        assert (None if pd.isna(found[1]) else found[1]) == base_date


@pytest.mark.parametrize("base", [0.0, -888.0])
@pytest.mark.parametrize("smooth", [None, "1D"])
@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.DataWarning")
def test_there_is_no_growth_from_a_value_that_is_no_rent(live, service, base, smooth):
    """A rent that is not above zero is the base of no growth, so that no infinity and no date of a base is shown."""
    points = [{"date": day, "value": value} for day, value in {"2025-04-27": base, "2026-04-27": 500.0}.items()]
    body = {"data": {"area_name": BAY, "area_level": "suburb", "house": points, "unit": points}}
    service.answer(BAY, "rent", body=json.dumps(body).encode())
    card = sp.scorecard(BAY, smooth=smooth)
    assert card["house_rent"].to_list() == [500.0]
    assert card["house_growth_1y_pct"].isna().all()
    assert_bases_of_growth(card, "house")


def test_smoothing_changes_growth_alone(embedded):
    """Rents, sales, premiums and the date of the base are those of a scorecard without `smooth`."""
    plain, smoothed = sp.scorecard(PAIR), sp.scorecard(PAIR, smooth="91D")
    growth = [f"{kind}_growth_1y_pct" for kind in KINDS]
    pd.testing.assert_frame_equal(smoothed.drop(columns=growth), plain.drop(columns=growth))
    assert not np.isclose(smoothed[growth], plain[growth]).any()


@pytest.mark.parametrize("smooth", ["13W", timedelta(days=91)], ids=repr)
def test_the_span_is_a_length_as_in_growth(embedded, smooth):
    """`smooth` is a number of days or weeks, as in `growth`, with the same result for the same span."""
    card = sp.scorecard(BAY, smooth=smooth)
    assert card["house_growth_1y_pct"].to_list() == [100 * sp.growth(sp.rent(BAY), smooth="91D")["house"].iloc[-1]]
    assert card.attrs == sp.scorecard(BAY, smooth="91D").attrs


@pytest.mark.parametrize("smooth", ["91", "3M", "0D", 91])
def test_a_span_that_cannot_be_used_is_refused_before_any_call(live, service, smooth):
    """`smooth` is at least one day; anything else is refused before anything is sent."""
    with pytest.raises(ValueError, match="smooth must be"):
        sp.scorecard(BAY, smooth=smooth)
    assert not service.requests


def test_smoothed_growth_is_computed_again_for_its_citation(embedded):
    """The attrs of a scorecard name the span, so that its growth can be checked. Other growth is refused."""
    plain, card = sp.scorecard(PAIR), sp.scorecard(PAIR, smooth="91D")
    assert sp.cite(card) == sp.cite(plain).replace(", from", ", with growth of means over 91 days, from", 1)
    pd.testing.assert_frame_equal(sp.provenance(card), sp.provenance(plain))
    read = card.copy()
    read.attrs = json.loads(json.dumps(card.attrs))  # as a Parquet file keeps them
    assert sp.cite(read) == sp.cite(card)
    for values, marks in ((plain, card), (card, plain)):
        wrong = values.copy()
        wrong.attrs = dict(marks.attrs)
        with pytest.raises(sp.errors.ProvenanceError, match="house_growth_1y_pct"):
            sp.cite(wrong)
