"""The look of charts: colours that everybody can tell apart, on light and on dark pages, and numbers written alike."""

import itertools

import numpy as np
import pytest
from coloraide import Color
from matplotlib import pyplot as plt
from matplotlib import rc_context, style
from matplotlib.colors import to_hex

from suburb_pandas.plotting.look import (
    ABOVE,
    BELOW,
    COLOURS,
    MARKERS,
    contrast,
    decimals_of,
    diverging_colours,
    format_number,
    page_colour,
    scale_colours,
    series_colours,
    text_colour,
    tidy,
)


def distances(pairs, sight):
    """Return the CIEDE2000 distance of each pair of colours.

    They are as seen with a deficiency of colour vision, in the simulation of Machado, or without one.
    """
    seen = [[Color(each).filter(sight, method="machado") if sight else Color(each) for each in pair] for pair in pairs]
    return [one.delta_e(other, method="2000") for one, other in seen]


@pytest.mark.parametrize("sight", [None, "protan", "deutan", "tritan"])
def test_colours_can_be_told_apart_with_every_colour_vision(sight):
    """Any two colours of series differ by at least 10 in CIEDE2000, and by 20 without a deficiency.

    Neighbours on a scale differ by 8.5 to 13, and colours equally far from zero by at least 9.
    """
    assert min(distances(itertools.combinations(COLOURS, 2), sight)) >= (10 if sight else 20)
    assert len({*MARKERS}) == len(COLOURS)
    for side in (BELOW, ABOVE):
        steps = distances(itertools.pairwise(side), sight)
        assert 8.5 <= min(steps) <= max(steps) <= 13
    assert min(distances(zip(BELOW, ABOVE, strict=True), sight)) >= 9


@pytest.mark.parametrize("page", ["#ffffff", "#000000", "#070707", "#808080", "#eaeaf2"])
def test_series_have_the_contrast_of_graphics_on_any_page(page):
    """Each colour has the contrast of at least 3 to 1 that WCAG 2.2 requires for graphics (1.4.11)."""
    for colour in series_colours(page):
        assert contrast(colour, page) >= 3
        assert contrast(colour, page) == pytest.approx(Color(colour).contrast(page, method="wcag21"), rel=1e-3)


def test_the_users_own_colours_are_kept():
    """A style sheet with colours for series takes precedence, also if it has fewer than eight."""
    assert series_colours("#ffffff") == [*COLOURS]
    with style.context("ggplot"):
        assert series_colours("#ffffff")[0] == series_colours("#ffffff")[7] == "#e24a33"


def test_the_grid_is_light_and_text_is_strong_on_any_page():
    """Text has the greatest contrast that there is, and a grid behind the data little."""
    for sheet, page, values in (("default", "#ffffff", "y"), ("dark_background", "#000000", "x")):
        with style.context([sheet, {"axes.grid": True, "grid.linestyle": ":"}]):
            _, ax = plt.subplots()
            tidy(ax, values=values)
            assert page_colour(ax) == page
            assert contrast(text_colour(page), page) == 21
        own, other = (axis.get_gridlines() for axis in (ax.xaxis, ax.yaxis)[:: 1 if values == "x" else -1])
        assert {(line.get_visible(), line.get_linestyle()) for line in own} == {(True, "-")}
        assert 1.1 < contrast(own[0].get_color(), page) < 2
        assert not any(line.get_visible() for line in other)


def test_the_page_is_the_colour_behind_the_data():
    """Axes without a colour show the figure, and both without one are on white; a saved picture has its own colour."""
    figure, ax = plt.subplots(facecolor="navy")
    ax.set_facecolor("none")
    assert page_colour(ax) == to_hex("navy")
    figure.set_facecolor("none")
    assert page_colour(ax) == "#ffffff"
    ax.set_facecolor("red")
    assert page_colour(ax) == "#ff0000"
    with style.context("grayscale"):
        _, ax = plt.subplots()
        ax.set_facecolor("none")
        assert page_colour(ax) == "#ffffff"
    part = plt.figure(facecolor="red").subfigures(1, 1, facecolor="lime")
    assert page_colour(part.subplots(subplot_kw={"facecolor": "none"})) == "#00ff00"


@pytest.mark.parametrize("page", ["white", "black"])
@pytest.mark.parametrize("side", [BELOW, ABOVE])
def test_the_order_of_a_scale_can_be_seen_in_greyscale(side, page):
    """Lightness moves away from the page in equal steps, for any number of classes. Zero is almost the page."""
    for number in range(2, 8):
        lightness = [Color(each).convert("lab-d65")["l"] for each in scale_colours(number, page, side)]
        steps = np.diff(lightness) * (-1 if page == "white" else 1)
        assert 0 < steps.min() <= steps.max() < 1.6 * steps.min()
    ends = diverging_colours(page)([0.0, 0.5, 1.0])
    assert {*map(to_hex, ends[::2])} == {scale_colours(7, page, each)[-1] for each in (BELOW, ABOVE)}
    assert contrast(ends[1][:3], page) < 1.1


def test_numbers_have_separators_one_sign_and_the_decimals_that_they_need():
    assert [format_number(value) for value in (1234567.0, -0.2, float("nan"))] == ["1,234,567", "0", "?"]
    assert format_number(-1234.5, 1) == "\N{MINUS SIGN}1,234.5"
    with rc_context({"axes.unicode_minus": False}):
        assert format_number(-1) == "-1"
    assert [decimals_of(values) for values in ([1, 2.5], [100], [0.125, float("nan")])] == [1, 0, 3]
    assert decimals_of([1 / 3], 2) == 2
