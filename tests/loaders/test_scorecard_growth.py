"""The growth in a scorecard: of single dates, or with `smooth` of means; and the date of its base."""

import json
from datetime import date, timedelta

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
names = st.sampled_from(NAMES)
days_at = st.dates(date(2018, 6, 1), date(2026, 5, 10))


@pytest.mark.usefixtures("embedded")
@law(some=20, name=names, at=days_at, days=st.integers(1, 200))
def test_smoothed_growth_compares_two_means(name, at, days):
    """With `smooth`, growth is from the mean up to the day a year earlier to the mean up to the date of the rent.

    It is the same as that of `growth`. No point after the date of the rent is used.
    """
    card = sp.scorecard(name, at=at, max_lag="62D", smooth=f"{days}D").loc[name]
    grown = sp.growth(sp.rent(name, end=at), smooth=f"{days}D", detail=True)
    for kind in KINDS:
        expected = grown.reindex([card[f"{kind}_rent_date"]]).iloc[0]
        assert card[f"{kind}_growth_1y_pct"] == pytest.approx(100 * expected[kind], nan_ok=True)
        assert str(card[f"{kind}_growth_1y_base_date"]) == str(expected[f"{kind}_base_date"])


def test_smoothing_changes_growth_alone(embedded):
    """Rents, sales, premiums and the date of the base are those of a scorecard without `smooth`."""
    plain, smoothed = sp.scorecard(PAIR), sp.scorecard(PAIR, smooth="91D")
    growth = [f"{kind}_growth_1y_pct" for kind in KINDS]
    pd.testing.assert_frame_equal(smoothed.drop(columns=growth), plain.drop(columns=growth))
    assert not np.isclose(smoothed[growth], plain[growth]).any()


@pytest.mark.parametrize("smooth", ["13W", timedelta(days=91)], ids=repr)
def test_the_span_is_a_length_as_in_growth(embedded, smooth):
    """`smooth` is a number of days or weeks, as in `growth`, with the same result for the same span."""
    card, expected = sp.scorecard(BAY, smooth=smooth), sp.scorecard(BAY, smooth="91D")
    pd.testing.assert_frame_equal(card, expected)
    assert card.attrs == expected.attrs


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
