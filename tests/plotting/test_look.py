"""The look of charts: colours that everybody can tell apart, on light and on dark pages."""

import itertools

import numpy as np
import pytest
from coloraide import Color
from matplotlib.colors import to_hex

from suburb_pandas.plotting.look import (
    ABOVE,
    BELOW,
    COLOURS,
    MARKERS,
    contrast,
    diverging_colours,
    scale_colours,
    series_colours,
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
