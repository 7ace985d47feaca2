"""The picture of a loaded frame: the chart that suits the number of its suburbs, on the colour of the page."""

from io import BytesIO

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import imread

import suburb_pandas as sp
from suburb_pandas.plotting.look import series_colours
from suburb_pandas.plotting.picture import opaque_colour, picture_of


def pixels(png):
    """Return the pixels of a picture, without their opacity, as integers."""
    return np.rint(imread(BytesIO(png))[:, :, :3] * 255).astype(int)


def several(endpoint, number):
    """Return a frame of a number of made-up suburbs, each with the data of Quokka Bay."""
    one = getattr(sp, endpoint)(["Quokka Bay"])
    frame = pd.concat([one.tail(30).assign(area_name=f"Suburb {number}") for number in range(number)])
    frame.attrs = one.attrs
    return frame


@pytest.mark.parametrize(("number", "page"), [(2, 17), (9, 250)])
def test_rents_are_lines_on_the_colour_of_the_page(number, page):
    """Its edges have that colour. With any number of suburbs, there are lines of houses and of units."""
    shown = pixels(picture_of(several("rent", number), f"rgb({page}, {page}, {page})")[0])
    assert (shown[[0, -1]] == page).all()
    for colour in series_colours(to_hex(3 * [page / 255]))[:2]:
        assert (shown == np.rint(np.multiply(to_rgb(colour), 255))).all(axis=2).any()


def test_drivers_of_more_than_three_suburbs_are_a_heatmap():
    """Bars are in AUD, a heatmap in per cent."""
    for number, unit in ((3, "AUD"), (4, "per cent of the median")):
        _, why_none, alt = picture_of(several("impacts", number))
        assert (why_none, f"Premium where the amenity is absent, {unit}" in alt) == ("", True)


def test_a_picture_has_the_width_of_its_page_and_the_resolution_of_the_screen():
    """A page that is narrower than a chart can be makes the picture smaller itself."""
    one = several("impacts", 1)
    for width, ratio, across in ((704, 2, 1408), (265, 1, 400), (0, 1, 864)):
        assert pixels(picture_of(one, width=width, ratio=ratio)[0]).shape[1] == across


def test_a_style_sheet_that_colours_figures_prevails():
    """Neither the settings nor pyplot's figures, which another thread may draw at the same time, are changed.

    The picture is a PNG, whatever format files have by default.
    """
    with mpl.rc_context({"figure.facecolor": "#abcdef", "savefig.format": "svg"}):
        before = dict(mpl.rcParams)
        shown = pixels(picture_of(several("rent", 1), "rgb(17, 17, 17)")[0])
        assert (plt.get_fignums(), dict(mpl.rcParams)) == ([], before)
    assert to_hex(shown[0, 0] / 255) == "#abcdef"


def test_colours_are_read_as_browsers_write_them():
    """A colour that lets the page below shine through is none, and neither is any other text."""
    for css, colour in {
        "rgb(17, 0, 255)": "#1100ff",
        "rgba(1, 2, 3, 1)": "#010203",
        "rgb(999, 0, 0)": "#ff0000",
        "rgba(1, 2, 3, 0.5)": None,
        "rgb(\N{ARABIC-INDIC DIGIT ONE}, 2, 3)": None,
        None: None,
    }.items():
        assert opaque_colour(css) == colour
