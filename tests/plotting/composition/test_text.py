"""Text of charts: numbers, widths and wrapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib import rc_context

from suburb_pandas.plotting.composition.text import NumberFormatter, Ruler, decimals_of, format_number

WORDS = st.lists(st.text("abcdefgWil-() ", min_size=1, max_size=12), min_size=1, max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (1234567.0, 0, "1,234,567"),
        (-21100.0, 0, "\N{MINUS SIGN}21,100"),
        (-0.04, 1, "0.0"),
        (-0.0, 0, "0"),
        (float("nan"), 1, "?"),
    ],
)
def test_numbers_have_separators_and_a_true_minus_sign(value, decimals, expected):
    """A number that rounds to zero has no sign. A missing number is a question mark."""
    assert format_number(value, decimals) == expected


def test_a_style_sheet_may_ask_for_hyphens():
    with rc_context({"axes.unicode_minus": False}):
        assert format_number(-1.0) == "-1"


def test_ticks_have_as_many_decimals_as_they_need():
    """All ticks of an axis have the same number of decimals."""
    assert NumberFormatter().format_ticks([0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert NumberFormatter().format_ticks([800, 1000]) == ["800", "1,000"]
    assert NumberFormatter().format_ticks([]) == []
    assert NumberFormatter()(0.5) == "0.5"


@given(st.lists(st.integers(-(10**6), 10**6), max_size=8), st.integers(0, 4))
def test_decimals_are_enough(values, decimals):
    """Rounding numbers to the decimals that they need does not change them."""
    numbers = [value / 10**decimals for value in values]
    assert decimals_of(numbers) <= decimals
    assert [round(value, decimals_of(numbers)) for value in numbers] == pytest.approx(numbers, rel=1e-12)


@given(WORDS, st.floats(20, 300), st.floats(4.5, 24))
def test_wrapped_text_loses_nothing_and_fits(text, room, size):
    """Every letter is kept, in its order, and no line of more than one letter is wider than the room."""
    ruler = Ruler(plt.figure(1).text(0, 0, ""))
    wrapped = ruler.wrap(text, room, size)
    assert "".join(wrapped.split()) == "".join(text.split())
    assert all(ruler.width(line, size) <= room for line in wrapped.split("\n") if len(line) > 1)
    plt.close("all")
