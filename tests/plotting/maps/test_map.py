"""Maps: which suburb has which colour, what is hatched and marked, and what a map says."""

import re
from bisect import bisect

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import suburb_pandas as sp
from suburb_pandas.plotting.composition.colours import page_colour
from suburb_pandas.sandbox import SUBURBS
from tests.support.charts import assert_all_in_view, boxes, texts, written

pytestmark = pytest.mark.usefixtures("embedded")

WA = [suburb.name for suburb in SUBURBS if suburb.state == "WA"]
NAMESAKES = ["Lantern Bay (NSW)", "Lantern Bay (Tas.)", "Magpie Flat (WA)", "Magpie Flat (SA)"]
CARD = pd.DataFrame(
    {
        "house_rent": np.arange(400.0, 600, 10),
        "n_sales": [7, 12, 9, *[99] * 17],
        "sales_flag": ["thin", "caution", "thin", *["ok"] * 17],
        "total_premium": np.arange(-50_000.0, 150_000, 10_000),
    },
    index=pd.Index(WA, name="area_name"),
)
"""Made-up figures of the made-up suburbs of a state."""


@pytest.fixture(scope="module")
def boundaries():
    """Return the made-up boundaries."""
    return sp.sandbox_boundaries()


def numbers_in(text):
    """Return the numbers of a text, with the minus sign of charts."""
    return re.findall(r"-?\d+(?:\.\d+)?", text.replace("\N{MINUS SIGN}", "-"))


def values_of(names, first=1.0):
    """Return a value for each name."""
    return pd.Series(np.arange(first, first + len(names)), pd.Index(names, name="area_name"), name="value")


def colours_on(ax, boundaries, names):
    """Return the colour of the picture at a place inside of each suburb."""
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())
    shapes = boundaries.set_index("SAL_NAME_2021").geometry
    places = ax.transData.transform([shapely.get_coordinates(shapes[name].representative_point())[0] for name in names])
    return {name: to_hex(pixels[-1 - int(y), int(x)] / 255) for name, (x, y) in zip(names, places, strict=True)}


def legend_of(ax):
    """Return the colours of the boxes in the legend, by their names."""
    samples = [artist for artist in ax.findobj() if artist.get_gid() == "legend" and hasattr(artist, "get_hatch")]
    names = [text.get_text() for text in texts(ax.figure) if text.get_gid() == "legend"]
    return dict(zip(names, [to_hex(sample.get_facecolor()) for sample in samples], strict=False))


def test_each_suburb_has_the_colour_of_its_own_value(boundaries):
    """In the picture, every suburb has the colour of the class that holds its value."""
    ax = sp.plot_map(CARD["house_rent"], boundaries)
    names, colours = zip(*legend_of(ax).items(), strict=True)
    limits = [float(name.split()[0]) for name in names[1:]]
    expected = {name: colours[bisect(limits, rent)] for name, rent in CARD["house_rent"].items()}
    assert colours_on(ax, boundaries, WA) == expected
    assert len(set(expected.values())) >= 4


def test_no_namesake_gets_the_value_of_another(boundaries):
    """Of namesakes, the one that has a value is drawn with it; the others are without data."""
    for name in NAMESAKES:
        ax = sp.plot_map(values_of([name]), boundaries)
        assert ax.get_title() == f"Value in {name}"
        shown = ax.collections[0].get_paths()
        own = boundaries.geometry[boundaries["SAL_NAME_2021"] == name].iloc[0]
        assert len(shown) == 1
        assert shown[0].get_extents().bounds == pytest.approx(
            (own.bounds[0], own.bounds[1], own.bounds[2] - own.bounds[0], own.bounds[3] - own.bounds[1]), rel=0.02
        )
        plt.close("all")


def test_a_bare_name_is_not_joined_with_its_namesakes(boundaries):
    with pytest.raises(ValueError, match=r"No shape is called 'Lantern Bay'\. The first.* sp\.resolve"):
        sp.plot_map(values_of(["Lantern Bay"]), boundaries)


def test_the_map_shows_the_bounds_of_the_suburbs_with_values(boundaries):
    """The view is the bounds of the suburbs with a value and a margin of 3 per cent, in the shape of the land."""
    ax = sp.plot_map(CARD, boundaries, column="house_rent")
    own = boundaries[boundaries["SAL_NAME_2021"].isin(WA)].total_bounds
    margin = 0.03 * max(own[2] - own[0], own[3] - own[1])
    assert (*ax.get_xlim(), *ax.get_ylim()) == pytest.approx(
        (own[0] - margin, own[2] + margin, own[1] - margin, own[3] + margin), rel=1e-3
    )
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    assert box.height / box.width == pytest.approx(np.ptp(ax.get_ylim()) / np.ptp(ax.get_xlim()), rel=1e-3)


def test_suburbs_without_data_are_hatched_and_counted(boundaries):
    """A missing value and a shape without one are hatched alike, and both kinds are counted at the foot.

    A suburb whose value is missing is named there too, as in every chart, because nobody asked for its neighbours.
    """
    values = pd.concat([CARD["house_rent"].where(CARD.index != "Quokka Bay"), values_of(["Nowhere", "Elsewhere"])])
    with pytest.warns(sp.errors.SkippedRowsWarning, match="2 of 22 suburbs have no shape and are not on the map: 'Now"):
        ax = sp.plot_map(values, boundaries)
    (without,) = (each for each in ax.collections if each.get_gid() == "no data")
    assert any(patch.get_hatch() == "////" for patch in ax.patches if patch.get_gid() == "hatching")
    assert len(without.get_paths()) == 1
    assert "no data" in legend_of(ax)
    assert "Without data: Quokka Bay. Shapes without a value: 156, of which 1 in view (hatched)." in written(ax)
    assert "Names without a shape: 2 (Nowhere, Elsewhere)." in written(ax)
    assert ax.get_title() == "Value in 19 suburbs"


@pytest.mark.parametrize(
    ("column", "n_thin"), [("house_rent", 0), ("n_sales", 0), ("total_premium", 2), ("median_price", 2)]
)
def test_weak_evidence_is_marked_where_the_values_rest_on_sales(boundaries, column, n_thin):
    """Values of sales have a cross for thin evidence and a dot for caution; rents and counts of sales have neither."""
    card = CARD.rename(columns={"total_premium": column}) if column == "median_price" else CARD
    ax = sp.plot_map(card, boundaries, column=column)
    points = {each.get_gid(): each for each in ax.collections if each.get_gid() in {"thin evidence", "caution"}}
    assert {gid: len(each.get_offsets()) for gid, each in points.items()} == (
        {"thin evidence": n_thin, "caution": 1} if n_thin else {}
    )
    for flag, name in (("thin evidence", WA[0]), ("caution", WA[1])) if n_thin else ():
        shape = boundaries.geometry[boundaries["SAL_NAME_2021"] == name].iloc[0]
        x, y = points[flag].get_offsets()[0]
        assert shape.contains(shapely.Point(x, y))
        assert flag in [text.get_text() for text in texts(ax.figure) if text.get_gid() == "legend"]


def test_the_sales_of_a_summary_say_how_thin_its_evidence_is(boundaries):
    summary = sp.impact_summary(WA)
    ax = sp.plot_map(summary, boundaries)
    (thin,) = (each for each in ax.collections if each.get_gid() == "thin evidence")
    assert len(thin.get_offsets()) == (summary["n_sales"] <= 10).sum() > 0
    assert ax.get_title().startswith("Median sale prices in ")


def test_the_sales_without_an_amenity_say_how_thin_the_evidence_of_its_premiums_is(boundaries):
    """A map of one driver has a cross where at most 10 sales are without the amenity, however many have it."""
    drivers = sp.impacts(WA)
    pubs = drivers[drivers["label"] == "no pub nearby"].set_index("area_name")
    ax = sp.plot_map(pubs, boundaries, column="pct_of_median")
    (thin,) = (each for each in ax.collections if each.get_gid() == "thin evidence")
    assert len(thin.get_offsets()) == (pubs["n_absent"] <= 10).sum() > 0


def test_stale_rents_have_a_sign_where_the_values_rest_on_them(boundaries):
    """A plus marks each suburb whose value rests on a stale rent, and the notes say what it means."""
    with pytest.warns(sp.errors.DataWarning, match="stale"):
        card = sp.scorecard(["Coolibah Track", "Nulla Brolga", "Boobook (NSW)"])
    for column, stale in {"house_rent": 1, "unit_growth_1y_pct": 2, "total_premium": 0, "n_sales": 0}.items():
        ax = sp.plot_map(card, boundaries, column=column)
        signs = [one for one in ax.collections if one.get_gid() == "stale rent"]
        assert sum(len(one.get_offsets()) for one in signs) == stale
        assert ("stale rent" in written(ax)) == bool(stale)
        assert ("Plus: the rent is more than 62 days older than the newest rent." in written(ax)) == bool(stale)


@pytest.mark.parametrize("sheet", ["default", "dark_background"])
@pytest.mark.parametrize("size", [(3, 2), (9, 7), (14, 10)])
def test_a_small_map_has_names_and_values_inside_the_shapes(boundaries, sheet, size):
    """A text lies in the shape of its own suburb and beside its marker. Where it does not fit, there is none."""
    card = CARD.head(12)
    with style.context(["default", sheet]):
        ax = sp.plot_map(card, boundaries, column="total_premium", ax=Figure(figsize=size).subplots())
    ax.figure.draw_without_rendering()
    shapes = boundaries.set_index("SAL_NAME_2021").geometry
    places = [points.get_offsets() for points in ax.collections if points.get_gid() in {"thin evidence", "caution"}]
    markers = [shapely.Point(*place) for points in places for place in points]
    found = {text: box for text, box in boxes(ax.figure).items() if text.get_gid() == "name"}
    assert (len(found) > 2) == (size[0] > 3)
    for text, box in found.items():
        name, value = " ".join(text.get_text().split()).rsplit(" ", 1)
        assert float(value.replace(",", "").replace("\N{MINUS SIGN}", "-")) == card["total_premium"][name]
        area = shapely.box(*ax.transData.inverted().transform(box.get_points()).ravel())
        assert shapes[name].contains(area)
        assert not any(area.contains(marker) for marker in markers)


def test_a_large_map_has_no_names(boundaries):
    """Thirteen suburbs with a value are too many for names."""
    ax = sp.plot_map(CARD.head(13), boundaries, column="house_rent")
    ax.figure.draw_without_rendering()
    assert not [text for text in texts(ax.figure) if text.get_gid() == "name"]


def test_suburbs_below_zero_have_lines_of_their_own(boundaries):
    """In greyscale, horizontal lines tell a value below zero from one above."""
    ax = sp.plot_map(CARD, boundaries, column="total_premium")
    lines = [patch for patch in ax.patches if patch.get_gid() == "hatching" and patch.get_hatch() == "----"]
    shapes = sum(int((patch.get_path().codes == 1).sum()) for patch in lines)
    assert shapes == (CARD["total_premium"] < 0).sum()
    assert "Horizontal lines: below zero." in written(ax)
    assert "Horizontal lines" not in written(sp.plot_map(CARD, boundaries, column="house_rent"))


def test_a_map_has_the_words_of_all_charts(boundaries):
    """Title, unit, source and badge; the unit and the source come from the attrs of the scorecard."""
    card = sp.scorecard(WA[:9])
    ax = sp.plot_map(card, boundaries, column="house_growth_1y_pct")
    assert ax.get_title() == f"Growth of house rents in {card['house_growth_1y_pct'].count()} suburbs"
    assert "Growth over 1 year, per cent" in written(ax)
    assert "Boundaries: made up. Source: made-up data of the embedded sandbox, retrieved 2026-04-28." in written(ax)
    assert "made-up data" in [text.get_text() for text in texts(ax.figure) if text.get_gid() == "badge"]
    assert "Source" not in written(sp.plot_map(card, boundaries, footnote=False))


@pytest.mark.parametrize("column", ["house_rent", "house_growth_1y_pct", "n_sales", "total_premium_pct", "my_score"])
def test_a_map_and_a_ranked_chart_say_the_same_of_a_column(boundaries, column):
    """Title, measure with its unit, and the dates of the rents."""
    card = sp.scorecard(WA[:9]).assign(my_score=1.5).dropna(subset="house_growth_1y_pct")
    charts = sp.plot_map(card, boundaries, column=column), sp.plot_scorecard(card, by=column)
    for ax in charts:
        ax.figure.draw_without_rendering()
    assert charts[0].get_title() == charts[1].get_title()
    subtitles = [[text.get_text() for text in texts(ax.figure) if text.get_gid() == "subtitle"] for ax in charts]
    assert subtitles[0] == subtitles[1] != []
    assert not charts[0].get_title().startswith(subtitles[0][0].partition(",")[0])
    dated = ["Rents as at 2026-04-26." in written(ax) for ax in charts]
    assert dated == [column.startswith("house")] * 2


@pytest.mark.parametrize(
    ("options", "measure"),
    [
        ({}, "Growth over 1 year, per cent"),
        ({"over": "6M", "annualise": True}, "Growth over 6 months, per cent a year"),
    ],
    ids=["one year", "annualised"],
)
def test_growth_on_a_map_is_in_per_cent(boundaries, options, measure):
    """A map and a ranked chart show the growth of each suburb in per cent, with the title of a chart of growth."""
    grown = sp.growth(sp.rent(WA[:9], errors="warn"), **options)
    last = grown.groupby("area_name", observed=True)[["house", "unit"]].last().dropna(subset="house")
    last.attrs = grown.attrs
    for values in (last["house"], last[["house"]]):
        ax = sp.plot_map(values, boundaries)
        assert ax.get_title() == f"Growth of house rents in {len(last)} suburbs"
        assert measure in written(ax)
    ranked = sp.plot_scorecard(last, by="house")
    assert ranked.get_title() == ax.get_title()
    assert measure in written(ranked)
    (dots,) = [line for line in ranked.lines if line.get_gid() == "dot" and len(line.get_xdata()) == len(last)]
    np.testing.assert_allclose(sorted(dots.get_xdata()), sorted(100 * last["house"]))
    limits = [float(part) for name in legend_of(sp.plot_map(last["house"], boundaries)) for part in numbers_in(name)]
    assert min(limits) <= 100 * last["house"].max()
    assert max(limits) >= 100 * last["house"].median() > 1


def test_rents_on_a_map_have_the_title_of_a_chart_of_rents(boundaries):
    """A column of rents is called by its property type."""
    rents = sp.rent(WA[:9])
    last = rents.groupby("area_name", observed=True)["house"].last()
    last.attrs = rents.attrs
    ax = sp.plot_map(last, boundaries)
    assert ax.get_title() == f"House rents in {last.count()} suburbs"
    assert "Advertised median rent, AUD per week" in written(ax)


def test_made_up_boundaries_have_a_badge_with_any_values(boundaries):
    """The names of made-up suburbs are made up, wherever the values came from."""
    values = pd.Series(dict(CARD["house_rent"]), name="rents")
    ax = sp.plot_map(values, boundaries)
    assert "made-up data" in written(ax)
    assert "The source of this data is not known." in written(ax)
    plain = boundaries.copy()
    plain.attrs = {}
    assert "made-up data" not in written(sp.plot_map(values, plain))


def test_scorecards_and_summaries_have_a_default_column(boundaries):
    card = sp.scorecard(WA[:3])
    assert sp.plot_map(card, boundaries).get_title().startswith("House rents in ")
    assert (
        sp.plot_map(card.dropna(axis="columns")[["house_rent"]], boundaries).get_title().startswith("House rents in ")
    )
    with pytest.raises(ValueError, match=r"several columns of numbers: 'house_rent'.* as in column='house_rent'$"):
        sp.plot_map(CARD, boundaries)


@pytest.mark.parametrize("sheet", ["default", "dark_background", "grayscale", "ggplot"])
@pytest.mark.parametrize("size", [(3, 2), (4, 3), (9, 5), (14, 10)])
def test_all_text_of_a_map_is_in_view(boundaries, sheet, size):
    """In any size and look, no text is cut off and no two texts overlap; the map stays below the legend."""
    with style.context(["default", sheet]):
        ax = sp.plot_map(CARD, boundaries, column="total_premium", ax=Figure(figsize=size).subplots())
        assert_all_in_view(ax.figure)
        below = ax.get_window_extent().y1
        assert all(box.y0 >= below - 1 for text, box in boxes(ax.figure).items() if text.get_gid() == "legend")


@pytest.mark.parametrize("sheet", ["default", "dark_background"])
def test_the_least_class_is_the_closest_to_the_page(boundaries, sheet):
    with style.context(["default", sheet]):
        ax = sp.plot_map(CARD["house_rent"], boundaries)
        page, colours = page_colour(ax), list(legend_of(ax).values())
    luminance = [sum(int(colour[place : place + 2], 16) for place in (1, 3, 5)) for colour in (page, *colours)]
    ordered = sorted(luminance, reverse=sheet == "default")
    assert luminance == ordered


def test_one_suburb_and_equal_values_are_one_class(boundaries):
    assert next(iter(legend_of(sp.plot_map(CARD["house_rent"].iloc[:1], boundaries)))) == "400"
    assert list(legend_of(sp.plot_map(CARD["house_rent"] * 0 + 450, boundaries))) == ["450"]


def test_a_map_without_any_value_shows_its_suburbs_hatched(boundaries):
    ax = sp.plot_map(CARD["house_rent"] * np.nan, boundaries)
    assert list(legend_of(ax)) == ["no data"]
    assert f"Without data: {', '.join(WA[:10])} and 10 more." in written(ax)
    assert_all_in_view(ax.figure)


def test_a_map_replaces_the_chart_in_its_axes(boundaries):
    ax = sp.plot_rent(sp.rent("Quokka Bay"), ax=Figure(figsize=(9, 6)).subplots())
    assert sp.plot_map(CARD["house_rent"], boundaries, ax=ax) is ax
    assert "House rents in 20 suburbs" in written(ax)
    sp.plot_rent(sp.rent("Quokka Bay"), ax=ax)
    ax.figure.draw_without_rendering()
    assert ax.get_aspect() == "auto"


def test_own_boundaries_need_no_marks_and_no_crs():
    """A frame of the user's own with a column `suburb` and no CRS is drawn as it is."""
    squares = gpd.GeoDataFrame({"suburb": ["A", "B"]}, geometry=[shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)])
    ax = sp.plot_map(pd.Series({"A": 1, "B": 2}), squares)
    assert ax.get_xlim() == pytest.approx((-0.06, 2.06))
    assert "Boundaries: a frame of 2 shapes." in written(ax)
    assert "made-up data" not in written(ax)


@pytest.mark.parametrize("sheet", ["default", "seaborn-v0_8-talk"])
def test_the_markers_of_the_legend_are_drawn_in_any_style(boundaries, sheet):
    """A cross is all edge, and some style sheets draw markers without edges."""
    with style.context(["default", sheet]):
        ax = sp.plot_map(CARD, boundaries, column="total_premium")
        ax.figure.draw_without_rendering()
    crosses = [line for line in ax.findobj(Line2D) if line.get_gid() == "legend" and line.get_marker() == "x"]
    assert [cross.get_markeredgewidth() > 0.5 for cross in crosses] == [True]


def test_two_maps_of_a_figure_share_their_notes(boundaries):
    """The foot has each sentence once, also that on the boundaries."""
    figure, axes = plt.subplots(1, 2, figsize=(12, 6))
    for ax, column in zip(axes, ("house_rent", "total_premium"), strict=True):
        sp.plot_map(CARD, boundaries, column=column, ax=ax)
    assert_all_in_view(figure)
    assert written(axes[0]).count("Boundaries:") == written(axes[0]).count("its source is not known") == 1


def test_values_in_the_users_own_geodataframe_are_drawn_on_itself(boundaries):
    frame = boundaries.assign(income=np.arange(len(boundaries)))
    ax = sp.plot_map(frame, frame)
    assert ax.get_title() == "Income in 175 suburbs"
