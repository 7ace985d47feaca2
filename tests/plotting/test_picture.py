"""The picture of a loaded frame: the chart that suits the number of its suburbs, on the colour of the page."""

from io import BytesIO
from textwrap import dedent

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import imread
from nbclient import NotebookClient

import suburb_pandas as sp
from suburb_pandas.plotting.look import series_colours
from suburb_pandas.plotting.picture import opaque_colour
from suburb_pandas.plotting.plots import picture_of

pytestmark = pytest.mark.usefixtures("embedded")

DARK = "rgb(17, 17, 17)"
LEVELS = st.integers(0, 255)


def pixels(png):
    """Return the pixels of a picture, without their opacity, as integers."""
    return np.rint(imread(BytesIO(png))[:, :, :3] * 255).astype(int)


def pixels_of(colour):
    """Return the levels of a colour."""
    return np.rint(np.multiply(to_rgb(colour), 255))


def several(endpoint, number):
    """Return a frame of a number of made-up suburbs, each with the data of Quokka Bay."""
    one = getattr(sp, endpoint)(["Quokka Bay"])
    frame = pd.concat([one.tail(30).assign(area_name=f"Suburb {number}") for number in range(number)])
    frame.attrs = one.attrs
    return frame


@pytest.mark.parametrize("endpoint", ["rent", "impacts"])
@pytest.mark.parametrize(("background", "page"), [(DARK, 17), ("rgb(250, 250, 250)", 250)])
@pytest.mark.parametrize("number", [2, 9])
def test_a_chart_is_on_the_colour_of_the_page(endpoint, number, background, page):
    """Its edges have that colour. With any number of suburbs, rents have lines of houses and of units."""
    png, why_none, alt = picture_of(several(endpoint, number), background)
    shown = pixels(png)
    assert (np.concatenate([shown[0], shown[-1], shown[:, 0], shown[:, -1]]) == page).all()
    assert abs(shown.mean(axis=2) - page).max() > 200
    lines = [pixels_of(colour) for colour in series_colours(to_hex(3 * [page / 255]))[:2]]
    assert endpoint == "impacts" or all((shown == line).all(axis=2).any() for line in lines)
    what = "Rents" if endpoint == "rent" else "Amenity price impacts"
    assert alt.startswith(f"{what} in {'Suburb 0 and Suburb 1' if number == 2 else '9 suburbs'}: ")
    assert ("AUD" in alt) == (endpoint == "rent" or number == 2)  # a heatmap is in per cent of the median price
    assert why_none == ""


def test_a_frame_that_cannot_be_drawn_has_a_sentence():
    """More than 60 suburbs, or rows that are no drivers, have no chart; 60 suburbs and no points have one."""
    why = "A chart shows up to 60 suburbs, and these are 61. Choose fewer to see a chart."
    assert picture_of(several("impacts", 61)) == (None, why, "")
    frame = pd.DataFrame({"area_name": ["Woylie"], "label": ["a school"]})
    frame.attrs["suburb_pandas"] = {"endpoint": "impacts"}
    assert picture_of(frame) == (None, "There is no chart for this kind of data.", "")
    assert picture_of(several("rent", 1)[:0])[0]
    assert picture_of(several("impacts", 60))[0]


@pytest.mark.parametrize("what", ["figure", "savefig"])
def test_a_style_sheet_that_colours_figures_prevails(what):
    with mpl.rc_context({f"{what}.facecolor": "#abcdef"}):
        shown = pixels(picture_of(several("rent", 1), DARK)[0])
    assert to_hex(shown[0, 0] / 255) == "#abcdef"
    assert not (shown == 17).all(axis=2).any()


def test_a_picture_leaves_pyplot_and_the_settings_alone():
    """So figures that another thread draws at the same time are left alone, too."""
    before = dict(mpl.rcParams)
    picture_of(several("rent", 2), DARK)
    assert (plt.get_fignums(), dict(mpl.rcParams)) == ([], before)


def test_a_chart_for_a_narrow_page_is_narrow():
    """It has fewer pixels across, so that its words are not made smaller with it."""
    frame = several("impacts", 1)
    assert [pixels(picture_of(frame, is_narrow=narrow)[0]).shape[1] for narrow in (False, True)] == [1350, 630]


@given(LEVELS, LEVELS, LEVELS)
def test_colours_are_read_as_browsers_write_them(red, green, blue):
    """A colour that lets the page below shine through is none."""
    assert opaque_colour(f"rgb({red}, {green}, {blue})") == f"#{red:02x}{green:02x}{blue:02x}"
    assert opaque_colour(f"rgba({red}, {green}, {blue}, 0.5)") is None


@given(st.text(alphabet="rgba(),. 0123456789") | st.text() | st.none())
def test_whatever_is_no_colour_is_none(text):
    """What a browser reports is not trusted: no text raises an error, and anything but a colour is ignored."""
    assert (found := opaque_colour(text)) is None or to_hex(found) == found


def test_a_chart_in_a_notebook_has_a_text_alternative():
    """The saved notebook has it beside the picture, from where nbconvert writes it into a page."""
    code = """
        %matplotlib inline
        import suburb_pandas as sp
        sp.connect(api_key="embedded", store=":memory:")
        sp.plot_impacts(sp.impacts("Quokka Bay")).figure
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(dedent(code))])
    NotebookClient(notebook).execute()
    pictures = [output for output in notebook.cells[0].outputs if "image/png" in output.get("data", {})]
    alts = [picture.metadata["image/png"]["alt"] for picture in pictures]
    assert len(alts) == 2
    assert all(alt.startswith("Amenity price impacts in Quokka Bay: ") for alt in alts)
