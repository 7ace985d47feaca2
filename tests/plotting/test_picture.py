"""The picture of a loaded frame: its chart, on the colour of the page."""

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
from suburb_pandas.plotting.picture import picture_of


def pixels(png):
    """Return the pixels of a picture, without their opacity, as integers."""
    return np.rint(imread(BytesIO(png))[:, :, :3] * 255).astype(int)


def several(number):
    """Return the rents of a number of made-up suburbs, each with the data of Quokka Bay."""
    one = sp.rent("Quokka Bay")[-30:]
    return pd.concat([one.assign(area_name=f"Suburb {each}") for each in range(number)])


@pytest.mark.parametrize(("number", "page"), [(2, 17), (9, 250)])
def test_rents_are_lines_on_the_colour_of_the_page(number, page):
    """Its edges have that colour. With any number of suburbs, there are lines of houses and of units."""
    shown = pixels(picture_of(several(number), f"rgb({page}, {page}, {page})")[0])
    assert (shown[[0, -1]] == page).all()
    for colour in series_colours(to_hex(3 * [page / 255]))[:2]:
        assert (shown == np.rint(np.multiply(to_rgb(colour), 255))).all(axis=2).any()


def test_a_style_sheet_that_colours_figures_prevails():
    """Neither the settings nor pyplot's figures, which another thread may draw at the same time, are changed.

    The picture is a PNG, whatever format files have by default.
    """
    with mpl.rc_context({"figure.facecolor": "#abcdef", "savefig.format": "svg"}):
        before = dict(mpl.rcParams)
        shown = pixels(picture_of(several(1), "rgb(17, 17, 17)")[0])
        assert (plt.get_fignums(), dict(mpl.rcParams)) == ([], before)
    assert to_hex(shown[0, 0] / 255) == "#abcdef"
