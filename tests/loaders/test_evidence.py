"""The evidence behind a premium: the sales without the amenity, and values that cannot be true."""

import pytest

import suburb_pandas as sp
from tests.support.common import of_this_call
from tests.support.drivers import driver, impacts_body

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"


@pytest.fixture
def served(live, service):
    """Return a function that serves drivers of Quokka Bay, all of one label, and loads them."""

    def serve(*figures, n_sales=50, **fields):
        drivers = [driver("no pub nearby", *each) for each in figures]
        service.answer(BAY, "impacts", body=impacts_body(BAY, drivers, n_sales=n_sales, **fields))
        return sp.impacts(BAY)

    return serve


@pytest.mark.parametrize(
    ("coverage", "n_sales", "absent", "present", "evidence"),
    [
        (31, 100, 31, 69, "ok"),
        (30, 100, 30, 70, "caution"),
        (11, 100, 11, 89, "caution"),
        (10, 100, 10, 90, "thin"),
        (50, 25, 12, 13, "caution"),
        (50, 0, 0, 0, "thin"),
    ],
)
def test_evidence_goes_by_the_sales_without_the_amenity(served, coverage, n_sales, absent, present, evidence):
    """The sales without and with the amenity add up to all sales. Those without it decide on the evidence.

    A half is rounded to the even number, as Python and pandas do.
    """
    row = served((coverage, 5000, 0.5), n_sales=n_sales).iloc[0]
    assert (row["n_absent"], row["n_present"], row["evidence"]) == (absent, present, evidence)


@pytest.mark.parametrize(
    ("figures", "n_sales", "message", "is_counted"),
    [
        ([(140, 5000, 0.5)], 50, "coverage_pct of 140 for 'no pub nearby' in 'Quokka Bay'", False),
        ([(-0.1, 5000, 0.5)], 50, "coverage_pct of -0.1 for", False),
        ([(50, 5000, 0.5)], -3, "n_sales of -3 in 'Quokka Bay'", False),
        (
            [(50, 5000, 0.56)],
            50,
            r"pct_of_median of 0.56 for .* \(premium_dollars is 0.5 per cent of median_price\)",
            True,
        ),
        ([(50, 5000, 0.5)] * 2, 50, "label 'no pub nearby', 2 times in 'Quokka Bay'", True),
    ],
)
def test_impossible_values_are_warned_of(served, figures, n_sales, message, is_counted):
    """A warning names the suburb, the field and the value. The values are returned as they came.

    Counts and evidence are NA where the percentage or the number of sales is impossible.
    """
    with pytest.warns(sp.errors.DataWarning, match=message) as caught:
        frame = served(*figures, n_sales=n_sales)
    assert len(of_this_call(caught)) == 1
    assert frame["coverage_pct"].to_list() == [coverage for coverage, *_ in figures]
    assert (frame[["n_absent", "n_present", "evidence"]].notna() == is_counted).all(axis=None)


@pytest.mark.parametrize(
    ("dollars", "per_cent", "median"),
    [(5500, 0.6, 10**6), (4501, 0.5, 10**6), (-5000, -0.5, 10**6), (5000, 0.5, 0), (5000, 0.5, -1)],
)
def test_a_rounded_percentage_is_no_contradiction(served, dollars, per_cent, median):
    """A percentage may differ from the dollars by as much as rounding to a tenth explains.

    Where the median price is zero or less, the percentage cannot be checked.
    """
    assert len(served((50, dollars, per_cent), median_price=median)) == 1


def test_one_warning_names_all_suburbs(live, service):
    """In a batch, one warning has the impossible values of all suburbs. The scorecard warns too."""
    for name in (BAY, HEIGHTS):
        service.answer(name, "impacts", body=impacts_body(name, [driver("no pub nearby", 101, 5000, 0.5)]))
    for load in (sp.impacts, sp.scorecard):
        with pytest.warns(sp.errors.DataWarning, match="in 'Quokka Bay'.*in 'Bilby Heights'") as caught:
            load([BAY, HEIGHTS])
        assert len(of_this_call(caught)) == 1
