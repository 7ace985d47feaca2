"""The picture of a loaded frame: the chart that suits the number of its suburbs, on the colour of the page."""

import threading
from io import BytesIO

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import LEAST_CONTRAST, contrast, readable, series_colours
from suburb_pandas.plotting.picture import opaque_colour
from suburb_pandas.plotting.plots import picture_of
from tests.support.charts import EIGHT, texts

pytestmark = pytest.mark.usefixtures("embedded")

DARK = "#111111"
LEVELS = st.integers(0, 255)


def pixels(png):
    """Return the pixels of a picture, without their opacity, as integers."""
    return np.rint(imread(BytesIO(png))[:, :, :3] * 255).astype(int)


def pixels_of(colour):
    """Return the levels of a colour."""
    return np.rint(np.multiply(to_rgb(colour), 255)).astype(int)


def several(endpoint, number, **columns):
    """Return a frame of a number of made-up suburbs, each with the data of Quokka Bay, changed in some columns."""
    one = getattr(sp, endpoint)(["Quokka Bay"]).assign(**columns)
    frame = pd.concat([one.tail(30).assign(area_name=f"Suburb {number}") for number in range(number)])
    frame.attrs = one.attrs
    return frame


@pytest.mark.parametrize("load", [sp.rent, sp.impacts])
@pytest.mark.parametrize(("background", "page"), [(DARK, 17), ("rgb(250, 250, 250)", 250)])
def test_a_chart_is_on_the_colour_of_the_page(load, background, page):
    """Its edges and the space behind its data have exactly that colour. The light is that of text on the page."""
    shown = pixels(picture_of(load(EIGHT[:2]), background)[0])
    edges = np.concatenate([shown[0], shown[-1], shown[:, 0], shown[:, -1]])
    assert (edges == page).all()
    assert (shown == page).all(axis=2).mean() > 0.6
    assert abs(shown.mean(axis=2) - page).max() > 200


@pytest.mark.parametrize("number", [9, pytest.param(48, marks=pytest.mark.long)])
def test_many_suburbs_have_a_chart_of_their_own(number):
    """From nine suburbs on, rents have small panels for one property type, which a sentence says; drivers a heatmap."""
    for columns, said in (({}, "With more than 8 suburbs, the chart shows houses only."), ({"house": np.nan}, "")):
        png, sentence = picture_of(several("rent", number, **columns), DARK)
        assert sentence == said
        assert (pixels(png) == pixels_of(series_colours(DARK)[0])).all(axis=2).any()
    png, sentence = picture_of(several("impacts", number), DARK)
    assert (sentence, (pixels(png)[0] == 17).all()) == ("", True)


@pytest.mark.parametrize(("endpoint", "most"), [("rent", 48), ("impacts", 60)])
def test_more_suburbs_than_a_chart_takes_have_a_sentence(endpoint, most):
    assert picture_of(several(endpoint, most + 1)) == (
        None,
        f"A chart shows up to {most} suburbs, and these are {most + 1}. Choose fewer to see a chart.",
    )


def test_rows_that_are_no_drivers_have_no_chart():
    frame = pd.DataFrame({"area_name": ["Woylie"], "label": ["a school"]})
    frame.attrs["suburb_pandas"] = {"endpoint": "impacts"}
    assert picture_of(frame) == (None, "There is no chart for this kind of data.")


def test_a_frame_without_points_has_a_chart_that_says_so():
    assert picture_of(several("rent", 1)[:0], DARK)[0]


@pytest.mark.parametrize("what", ["figure", "savefig"])
def test_a_style_sheet_that_colours_figures_prevails(what):
    """Users who chose the colour of their figures, or of saved ones, get it here too, with nothing for a dark page."""
    frame = several("rent", 1)
    with mpl.rc_context({f"{what}.facecolor": "#abcdef"}):
        shown = pixels(picture_of(frame, DARK)[0])
    assert to_hex(shown[0, 0] / 255) == "#abcdef"
    assert not (shown == 17).all(axis=2).any()


def test_a_figure_of_another_thread_is_left_alone():
    """While a picture is drawn on a dark page, `rcParams` stay as they are, and so do the figures of other threads."""
    frame, before = several("rent", 2), dict(mpl.rcParams)
    thread = threading.Thread(target=picture_of, args=(frame, DARK))
    thread.start()
    seen = [to_hex(Figure().get_facecolor()) for _ in iter(thread.is_alive, False)]
    thread.join()
    assert seen
    assert {*seen} == {"#ffffff"}
    assert dict(mpl.rcParams) == before


@given(LEVELS, LEVELS, LEVELS)
def test_colours_are_read_as_browsers_write_them(red, green, blue):
    """Hex and ``rgb()`` are the same colour, with commas or spaces, with or without full opacity."""
    same = f"#{red:02x}{green:02x}{blue:02x}"
    for text in (
        same.upper(),
        f"rgb({red}, {green}, {blue})",
        f" rgb({red} {green} {blue}) ",
        f"rgba({red},{green},{blue},1)",
    ):
        assert opaque_colour(text) == same
    assert opaque_colour(f"rgba({red}, {green}, {blue}, 0)") is None
    assert opaque_colour(f"rgba({red}, {green}, {blue}, 0.5)") is None


@given(st.text(alphabet="#rgba(),. 0123456789f") | st.text() | st.none() | st.integers())
def test_whatever_is_no_colour_is_none(text):
    """What a browser reports is not trusted: no text raises an error, and anything but a colour is ignored."""
    assert (found := opaque_colour(text)) is None or to_hex(found) == found


@pytest.mark.parametrize(
    "text", ["", "transparent", "#11", "#1111", "rgb(256, 0, 0)", "black", "rgb(1,2)", "#11111180"]
)
def test_anything_else_is_no_colour(text):
    assert opaque_colour(text) is None


def test_short_hex_is_a_colour():
    assert opaque_colour("#1aF") == "#11aaff"


@given(LEVELS, LEVELS, LEVELS)
def test_lines_and_words_can_be_seen_on_any_page(red, green, blue):
    """Each colour of a series, and that of text, has the least contrast of graphics with the page."""
    page = to_hex((red / 255, green / 255, blue / 255))
    for colour in (*series_colours(page), readable("black", page), readable("white", page)):
        assert contrast(colour, page) >= LEAST_CONTRAST


@pytest.mark.parametrize("load", [sp.rent, sp.impacts])
def test_all_words_of_a_chart_in_a_dark_figure_can_be_read(load):
    """Figures of users may be dark too, without any style sheet."""
    ax = Figure(facecolor=DARK, figsize=(9, 6)).subplots()
    ax.set_facecolor(DARK)
    draw = sp.plot_rent if load is sp.rent else sp.plot_impacts
    figure = draw(load(EIGHT[:3]), ax=ax).figure
    figure.draw_without_rendering()
    words = [text for text in texts(figure) if text.get_text()]
    assert len(words) > 10
    assert min(contrast(text.get_color(), DARK) for text in words) >= LEAST_CONTRAST


@pytest.mark.parametrize("endpoint", ["rent", "impacts"])
def test_a_chart_for_a_narrow_page_is_narrow(endpoint):
    """On a narrow page a chart has fewer pixels across, so that its words are not made smaller with it."""
    frame = several(endpoint, 2)
    widths = [pixels(picture_of(frame, is_narrow=is_narrow)[0]).shape[1] for is_narrow in (False, True)]
    assert widths == [1350, 630]
