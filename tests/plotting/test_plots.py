"""Both charts: the Axes that they use, their source and marks, and that no text is cut off or overlaps."""

import subprocess
import sys

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.support.charts import (
    EIGHT,
    MADE_UP,
    assert_all_in_view,
    texts,
    written,
)
from tests.support.charts import boxes as drawn_boxes
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")


def test_more_than_eight_suburbs_are_an_error_that_says_how_to_choose():
    """The error comes before a figure is made, so no empty figure is left behind."""
    with pytest.raises(
        ValueError, match=r"has 9 suburbs, .* shows up to 8.*\. Draw one type, .*: property_type='house'$"
    ):
        sp.plot_rent(sp.rent(RENTED[:9]))
    with pytest.raises(
        ValueError, match=r"has 49 suburbs, but this kind of chart shows up to 48\. Choose some, as in frame"
    ):
        sp.plot_rent(sp.rent(RENTED[:49]), property_type="unit")
    assert plt.get_fignums() == []


def test_a_type_without_points_is_named_and_an_empty_frame_says_so():
    """An empty frame gives a chart that says so, and property types and suburbs without data are named on the chart."""
    assert "Without points: unit" in written(sp.plot_rent(sp.rent("Woylie")))
    assert "Without points: Woylie" in written(sp.plot_rent(sp.rent(["Woylie", "Quokka Bay"])))
    assert "No points" in written(sp.plot_rent(sp.rent([])))
    rents = sp.rent(["Quokka Bay", "Woylie"])
    assert "Without data" not in written(sp.plot_rent(rents[rents["area_name"] == "Woylie"]))


def test_other_suburbs_are_not_marked_and_the_source_is_named():
    """The footnote names the source and the dates of retrieval, as far as the frame or this process knows them."""
    frame = sp.rent("Quokka Bay")
    assert "Source: made-up data of the embedded sandbox, retrieved 2026-04-28." in written(sp.plot_rent(frame))
    many = sp.rent(["Quokka Bay", "Woylie"])
    dates = sp.provenance(many)["retrieved_at"].dt.date.astype(str)
    for part in (many, many[many.index >= "2024"]):
        assert f"retrieved {' to '.join(sorted({*dates}))}." in written(sp.plot_rent(part))
    frame.attrs["suburb_pandas"] |= {"source": "live", "made_up": False}
    assert "Source: the property data service, retrieved 2026-04-28." in written(sp.plot_rent(frame))
    assert MADE_UP not in [text.get_text() for text in texts(sp.plot_rent(frame).figure)]
    frame.attrs.clear()
    assert "The source of this data is not known." in written(sp.plot_rent(frame))
    frame.attrs["suburb_pandas"] = {"made_up": True}
    assert "Made-up data; its source is not known." in written(sp.plot_rent(frame))


@pytest.mark.parametrize("layout", ["long", "wide", "card"])
def test_made_up_data_say_so_after_a_file_without_attrs(layout):
    """A CSV or Excel file loses the attrs, but no real suburb has one of these names."""
    if layout == "card":
        frame = sp.scorecard(["Quokka Bay", "Woylie"])
    else:
        frame = sp.rent(["Quokka Bay", "Woylie"], layout=layout)
    frame.attrs.clear()
    drawn = written(sp.plot_scorecard(frame, "house_rent") if layout == "card" else sp.plot_rent(frame))
    assert MADE_UP in drawn
    assert (
        "Made-up data; its source is not known." in drawn or layout == "card"
    )  # a scorecard has its source in a column
    assert MADE_UP not in written(sp.plot_rent(pd.DataFrame({"house": [1.0]}, index=[pd.Timestamp("2024-01-31")])))


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_axes_that_are_given_are_drawn_on_and_make_room(layout):
    """The given Axes are returned, several panels share their place, and all text stays on the page."""
    many = sp.rent(EIGHT[3:5])
    for draw, frame, panels in (
        (sp.plot_rent, sp.rent("Quokka Bay"), 1),
        (sp.plot_rent, many, 2),
    ):
        figure, ax = plt.subplots(figsize=(9, 6), layout=layout)
        assert draw(frame, ax=ax) is ax
        assert len(figure.axes) == panels
        assert_all_in_view(figure)


def test_neighbours_in_a_grid_without_a_layout_do_not_overlap():
    """Charts keep to their own side of the space between neighbours in a grid."""
    figure, axes = plt.subplots(2, 2, figsize=(12, 9))
    for number, ax in enumerate(axes.flat):
        sp.plot_rent(sp.rent(EIGHT[number]), ax=ax)
    assert_all_in_view(figure)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_a_part_of_a_figure_is_a_figure_too(layout):
    """All text of Axes in a subfigure stays inside that subfigure."""
    figure = plt.figure(figsize=(13, 5), layout=layout)
    parts = figure.subfigures(1, 2)
    for part, suburbs in zip(parts, (EIGHT[:2], "Quokka Bay"), strict=True):
        sp.plot_rent(sp.rent(suburbs), ax=part.subplots())
    places = drawn_boxes(figure)
    for part in parts:
        boxes = [box for text, box in places.items() if text.axes in part.axes]
        assert all(part.bbox.x0 - 2 <= box.x0 and box.x1 <= part.bbox.x1 + 2 for box in boxes)


def test_axes_put_by_hand_can_be_divided_too():
    """Axes that were placed by hand can hold several panels too."""
    figure = Figure(figsize=(9, 7))
    ax = figure.add_axes((0.1, 0.15, 0.6, 0.75))
    sp.plot_rent(sp.rent(EIGHT[:2]), ax=ax)
    assert [text.get_text() for text in texts(figure) if text.get_gid() == "heading"] == ["Houses", "Units"]
    assert_all_in_view(figure)
    for box in drawn_boxes(figure).values():
        assert figure.bbox.x0 + 0.1 * figure.bbox.width <= box.x0 + 1
        assert box.x1 - 1 <= 0.7 * figure.bbox.width


def test_pyplot_is_not_touched_where_axes_are_given():
    """With Axes given, pyplot is never imported; matplotlib itself is imported only when a chart is drawn."""
    code = """
import sys
import suburb_pandas as sp
assert "matplotlib" not in sys.modules
from matplotlib.figure import Figure
with sp.connect(api_key="embedded"):
    sp.plot_rent(sp.rent(["Quokka Bay", "Woylie"]), ax=Figure().subplots())
    sp.plot_impacts(sp.impacts("Quokka Bay"), ax=Figure().subplots())
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_what_the_service_writes_is_drawn_as_it_is():
    """Markup, quotes, mathtext, emoji and long names are drawn as plain text, and nothing is cut off."""
    rents = sp.rent(["Quokka Bay", "Woylie"])
    rents["area_name"] = rents["area_name"].cat.rename_categories(["$x^ <b>", "🏠 $"])
    for frame in (rents, rents[rents.area_name == "$x^ <b>"]):
        ax = sp.plot_rent(frame)
        assert_all_in_view(ax.figure)
        assert "$x^ <b>" in written(ax)


def test_the_accessor_draws_whichever_it_is():
    """`df.suburb.plot` draws frames of rents and of drivers; for any other frame the error describes the rent shape."""
    assert "Advertised median rent, AUD per week" in written(sp.rent("Quokka Bay").suburb.plot())
    assert "Premium where the amenity is absent, AUD" in written(sp.impacts("Quokka Bay").suburb.plot())
    assert "Source:" not in written(sp.rent("Quokka Bay").suburb.plot(footnote=False))
    _, ax = plt.subplots()
    assert sp.rent("Quokka Bay").suburb.plot(ax=ax) is ax
    with pytest.raises(ValueError, match="not a frame of rents"):
        pd.DataFrame({"a": [1]}).suburb.plot()


def test_a_frame_of_another_kind_is_an_error_before_anything_is_drawn():
    """Counts, a Series and a list are refused, and so are rents where drivers are expected."""
    rents = sp.rent("Quokka Bay")
    with pytest.raises(ValueError, match=r"holds counts of points, not rents: pandas' own frame\.plot\(\) draws it"):
        sp.plot_rent(sp.resample(rents, "YE", how="count"))
    with pytest.raises(TypeError, match="Series"):
        sp.plot_rent(rents["house"])
    assert plt.get_fignums() == []


def test_hidden_axes_stay_where_they_are():
    """Axes that are not visible have no text to make room for, so they keep their position."""
    _, ax = plt.subplots()
    ax.set_visible(False)
    before = ax.get_position().bounds
    sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    assert ax.get_position().bounds == before
