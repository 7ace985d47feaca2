"""Charts of pandas and matplotlib in the look of the package's own."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import suburb_pandas as sp
from suburb_pandas.plotting.composition.chart import charts_in
from suburb_pandas.plotting.composition.colours import COLOURS
from suburb_pandas.plotting.present import present
from tests.support.charts import EIGHT, assert_all_in_view, end_labels, texts, written

pytestmark = pytest.mark.usefixtures("embedded")


def legend(ax):
    """Return the entries of the legend of a chart."""
    return [text.get_text() for text in texts(ax.figure) if text.get_gid() == "legend"]


def test_lines_of_pandas_are_labelled_at_their_ends():
    """Labels in the colours of the lines replace the legend; title, subtitle, source and badge are added."""
    wide = sp.rent(EIGHT[:3], layout="wide")
    ax = wide["house"].plot(color=COLOURS)
    assert present(ax, "Rents of houses", "AUD per week", frame=wide) is ax
    assert ax.get_legend() is None
    assert {label.get_text(): label.get_color() for label in end_labels(ax)} == dict(
        zip(wide["house"].columns, COLOURS, strict=False)
    )
    shown = written(ax)
    for words in ("Rents of houses", "AUD per week", "made-up data", "Source: made-up data of the embedded sandbox"):
        assert words in shown
    assert legend(ax) == []
    assert_all_in_view(ax.figure)


def test_bars_keep_a_legend_above_the_data():
    frame = pd.DataFrame({"one": [1.0, 2.5], "two": [2.0, 3.0]}, ["a", "b"])
    ax = present(frame.plot.bar(rot=0), "Bars", "A number", frame=frame, notes=["A note."])
    assert legend(ax) == ["one", "two"]
    assert "A note. The source of this data is not known." in written(ax)
    assert "made-up" not in written(ax)
    assert_all_in_view(ax.figure)


def test_points_keep_a_legend_above_the_data():
    ax = sp.rent("Quokka Bay").plot(style=["o", "s"])
    present(ax, "Points", frame=sp.rent("Quokka Bay"))
    assert legend(ax) == ["house", "unit"]
    assert_all_in_view(ax.figure)


def test_charts_side_by_side_share_their_names_and_their_foot():
    """Axes that share their y axis keep its labels on the left one only."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
    for ax in axes:
        ax.barh(["first", "second"], [1, 2])
        present(ax, "Bars", "A number", frame=pd.DataFrame(), grid="x")
    assert_all_in_view(figure)
    assert [text.get_text() for text in texts(figure)].count("first") == 1
    assert sum("not known" in text.get_text() for text in texts(figure)) == 1
    assert np.ptp([ax.get_window_extent().y0 for ax in axes]) < 1


def test_what_has_no_end_keeps_a_legend():
    """Points, areas and steps, and lines without a value, are named in a legend."""
    _, ax = plt.subplots()
    ax.scatter([1, 2], [1, 2], label="points")
    ax.fill_between([1, 2], [1, 2], label="area")
    ax.hist([1, 2, 2], histtype="step", label="steps")
    ax.plot([1, 2], [np.nan, np.nan], label="nothing")
    present(ax, "Several", frame=pd.DataFrame())
    assert {*legend(ax)} == {"points", "area", "steps", "nothing"}
    assert_all_in_view(ax.figure)


def test_presenting_a_chart_again_replaces_its_words():
    _, ax = plt.subplots()
    ax.plot([1, 2], [1, 2], label="line")
    for title in ("First", "Second"):
        present(ax, title, frame=pd.DataFrame())
    assert ax.get_title() == "Second"
    assert [label.get_text() for label in end_labels(ax)] == ["line"]
    assert len(charts_in(ax.figure)) == 1
    assert_all_in_view(ax.figure)
