"""``start`` and ``end``: which dates ``rent`` returns, in every layout, and what is refused before a call."""

import warnings

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.layouts import pivoted, values_of

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2024-02", "2024-02", ("2024-02-01", "2024-02-29")),
        ("2021-05", None, ("2021-05-01", None)),
        (None, "1999-12", (None, "1999-12-31")),
        ("2024-03-31", "2024-03-31", ("2024-03-31", "2024-03-31")),
        (np.datetime64("2021"), np.datetime64("2021-05"), ("2021-01-01", "2021-05-31")),
    ],
)
def test_a_year_or_a_month_is_its_first_or_last_day(embedded, start, end, days):
    """As `start`, a year or a month is its first day, and as `end` its last one. The marks say which day that was."""
    shown = ", ".join(f'{name}="{day}"' for name, day in zip(("start", "end"), days, strict=True) if day)
    found = sp.rent(BAY, start=start, end=end)
    pd.testing.assert_frame_equal(found, sp.rent(BAY).loc[slice(*days)])
    assert found.attrs["suburb_pandas"]["operations"] == [f"rent({shown})"]


def test_suburbs_without_dates_in_the_range_stay(embedded):
    """A suburb without a row in the range keeps its category in a long frame, and its columns in a wide one."""
    names = [BAY, "Galah Siding", "Thorny Devil"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.NoDataWarning)
        full = sp.rent(names)
        found = {layout: sp.rent(names, end="2018", layout=layout) for layout in ("long", "tidy", "wide")}
    expected = full[full.index <= "2018-12-31"]
    assert set(expected["area_name"]) == {BAY}
    pd.testing.assert_frame_equal(found["long"], expected)
    assert values_of(found["tidy"]) == values_of(expected)
    pd.testing.assert_frame_equal(found["wide"], pivoted(expected), check_freq=False)


def test_the_selection_follows_the_resampling_and_goes_by_label(embedded):
    """A period is in the range if its label is. Its value is that of the whole series."""
    quarters = sp.rent([BAY, HEIGHTS], freq="QS", how="mean")
    found = sp.rent([BAY, HEIGHTS], freq="QS", how="mean", start="2024-01-01", end="2024-12-31")
    pd.testing.assert_frame_equal(found, quarters[quarters.index.year == 2024])
    before = quarters.attrs["suburb_pandas"]["operations"]
    assert found.attrs["suburb_pandas"]["operations"] == [*before, 'rent(start="2024-01-01", end="2024-12-31")']


REFUSED = [
    *[
        ({"start": limit}, r"start must be an ISO 8601 date, .* Nothing was sent\.")
        for limit in ("05/12/2025", "2025-02-30", "21", 2025, pd.NaT)
    ],
    ({"end": "-5Y"}, r"Nothing was sent\.$"),
    ({"start": "-5Y"}, r"Nothing was sent\. For the last five years"),
    ({"start": "2022", "end": "2021"}, r"start is after end: 2022-01-01 is after 2021-12-31\. Nothing was sent\."),
    *[
        ({"layout": layout}, r"must be 'long', 'panel', 'tidy' or 'wide', not .*\. Nothing was sent\.")
        for layout in ("wides", None, ["wide"])
    ],
    ({"how": "mean", "max_gap": "5D"}, r"how, max_gap cannot be used without freq.*Nothing was sent\."),
    ({"freq": "Q-FEB"}, r"not 'Q-FEB'\. Write 'QE-FEB'\."),
    ({"freq": "A"}, r"not 'A'\. Write 'YE'\."),
]


def test_options_that_cannot_be_used_are_refused_before_a_call(live, service):
    """A limit that is not a date, limits in the wrong order, an unknown layout and an option of `freq` without it.

    The dates of a request are explicit. To keep the last years, load all dates: the price is the same.
    """
    for options, message in REFUSED:
        with pytest.raises(ValueError, match=message):
            sp.rent(BAY, **options)
    assert not service.requests
