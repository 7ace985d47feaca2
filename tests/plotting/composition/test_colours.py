"""The colours of charts: everybody can tell them apart, on light and on dark pages."""

import itertools

import pytest
from coloraide import Color
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib import rc_context, style
from matplotlib.colors import to_hex

from suburb_pandas.plotting.composition.colours import (
    ABOVE,
    BELOW,
    COLOURS,
    MARKERS,
    contrast,
    faded,
    grid_colour,
    level_colours,
    page_colour,
    scale_colours,
    series_colours,
)

COLOUR = st.integers(0, 0xFFFFFF).map("#{:06x}".format)


def distances(seen):
    """Return the CIEDE2000 distances between any two colours."""
    return [one.delta_e(other, method="2000") for one, other in itertools.combinations(seen, 2)]


@pytest.mark.parametrize("deficiency", ["protan", "deutan", "tritan"])
def test_colours_can_be_told_apart_with_a_deficiency_of_colour_vision(deficiency):
    """Any two of the eight colours differ by at least 10 in CIEDE2000, in the simulation of Machado and others."""
    seen = [Color(colour).filter(deficiency, method="machado") for colour in COLOURS]
    assert len(seen) == 8
    assert min(distances(seen)) >= 10


def test_colours_differ_more_without_a_deficiency():
    """Any two of the eight colours differ by at least 20 in CIEDE2000."""
    assert min(distances(map(Color, COLOURS))) >= 20


def test_each_series_has_a_marker_of_its_own():
    """In greyscale, markers tell the eight series apart."""
    assert len(set(MARKERS)) == len(MARKERS) == len(COLOURS)


@pytest.mark.parametrize("colour", COLOURS)
def test_a_colour_can_be_seen_on_a_white_page_and_on_a_black_one(colour):
    """Each colour has the contrast of at least 3 to 1 that WCAG 2.2 requires for graphics (1.4.11)."""
    assert contrast(colour, "white") >= 3
    assert contrast(colour, "black") >= 3


@given(COLOUR, COLOUR)
def test_contrast_is_that_of_wcag(one, other):
    assert contrast(one, other) == pytest.approx(Color(one).contrast(other, method="wcag21"), rel=1e-3)


@given(COLOUR, COLOUR)
def test_a_faded_colour_keeps_the_least_contrast(colour, page):
    """A faded colour has at least 3 to 1 with the page, unless the colour itself has less; then it is not faded."""
    assert contrast(faded(colour, page), page) >= min(3, contrast(colour, page)) - 0.05


def test_the_users_own_colours_are_kept():
    """A style sheet with colours for series takes precedence; one without leaves the package's own colours."""
    with rc_context({"font.size": 20}):
        assert series_colours("#ffffff") == series_colours("#000000") == list(COLOURS)
    with style.context("ggplot"):
        assert series_colours("#ffffff")[0] == "#e24a33"


@pytest.mark.parametrize(("sheet", "page"), [("default", "#ffffff"), ("dark_background", "#000000")])
def test_the_grid_is_light_on_any_page(sheet, page):
    """Grid lines are hardly darker than a light page, and hardly lighter than a dark one."""
    with style.context(sheet):
        _, ax = plt.subplots()
        assert page_colour(ax) == page
        assert 1.1 < contrast(grid_colour(page), page) < 2


def test_a_page_without_a_colour_lets_the_one_below_it_through():
    """Axes without a colour on a figure have the colour of the figure; both without a colour are on white."""
    figure, ax = plt.subplots(facecolor="navy")
    ax.set_facecolor("none")
    assert page_colour(ax) == to_hex("navy")
    figure.set_facecolor("none")
    assert page_colour(ax) == "#ffffff"


def test_the_page_is_that_of_a_saved_picture():
    """The style sheet `grayscale` has a grey figure on the screen and a white one in files."""
    with style.context("grayscale"):
        _, ax = plt.subplots()
        ax.set_facecolor("none")
        assert page_colour(ax) == "#ffffff"


SCALES = [("above zero", ABOVE), ("below zero", BELOW)]
SIGHTS = [None, "protan", "deutan", "tritan"]


def seen_as(colours, deficiency):
    """Return colours as seen with a deficiency of colour vision, or without one."""
    return [Color(colour).filter(deficiency, method="machado") if deficiency else Color(colour) for colour in colours]


@pytest.mark.parametrize("deficiency", SIGHTS)
@pytest.mark.parametrize(("side", "colours"), SCALES)
def test_the_steps_of_a_scale_are_seen_and_are_alike(side, colours, deficiency):
    """Neighbours differ by 8.5 to 13 in CIEDE2000, with and without a deficiency of colour vision."""
    steps = [one.delta_e(other, method="2000") for one, other in itertools.pairwise(seen_as(colours, deficiency))]
    assert 8.5 <= min(steps) <= max(steps) <= 13


@pytest.mark.parametrize("page", ["white", "black"])
@pytest.mark.parametrize("number", range(2, 8))
@pytest.mark.parametrize(("side", "colours"), SCALES)
def test_the_order_of_a_scale_can_be_seen_in_greyscale(side, colours, number, page):
    """Lightness moves away from the page in equal steps, for any number of classes."""
    lightness = [Color(colour).convert("lab-d65")["l"] for colour in scale_colours(number, page, colours)]
    steps = [after - before for before, after in itertools.pairwise(lightness)]
    assert max(steps) < 0 if page == "white" else min(steps) > 0
    assert max(map(abs, steps)) < 1.6 * min(map(abs, steps))


@pytest.mark.parametrize("deficiency", SIGHTS)
@pytest.mark.parametrize("number", range(1, 8))
def test_the_sides_of_zero_can_be_told_apart(number, deficiency):
    """Colours equally far from zero differ by at least 9 in CIEDE2000; in greyscale, lines tell them apart."""
    below, above = (seen_as(scale_colours(number, "white", side), deficiency) for side in (BELOW, ABOVE))
    assert min(one.delta_e(other, method="2000") for one, other in zip(below, above, strict=True)) >= 9


def test_the_least_class_can_be_seen_beside_the_page():
    assert Color(ABOVE[0]).delta_e("white", method="2000") >= 8
    assert Color(ABOVE[-1]).delta_e("black", method="2000") >= 15


def test_the_users_own_colour_map_serves_for_levels():
    """A style sheet that sets a colour map for images takes precedence; it begins with the colour close to the page."""
    assert level_colours() == list(ABOVE)
    with rc_context({"image.cmap": "gray"}):
        least, *_, most = scale_colours(5, "white", level_colours())
        assert contrast(least, "white") < 1.5
        assert contrast(most, "white") > 10
