"""Maps: which suburb has which colour, hatching, sign and name, read back from what is drawn."""

import re
from itertools import pairwise

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from matplotlib import pyplot as plt
from matplotlib import style
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS
from tests.support.charts import written

pytestmark = pytest.mark.usefixtures("embedded")

WA = [suburb.name for suburb in SUBURBS if suburb.state == "WA"]
FREE = ["Lantern Bay (NSW)", "Bilby Heights", "Kestrel Hill (Vic.)", "Mangrove Steps", "Saltbush Park"]


def squares(names, size=1000, apart=1000, crs=None):
    """Return a row of squares, one for each name, that begin at the multiples of a distance."""
    shapes = [shapely.box(n * apart, 0, n * apart + size, size) for n in range(len(names))]
    return gpd.GeoDataFrame({"area_name": names}, geometry=shapes, crs=crs)


def drawn(values, **options):
    """Draw values on a row of squares called A, B, C and so on; the rest is without data."""
    names = [chr(ord("A") + n) if n < 26 else f"S{n}" for n in range(len(values) + 1)]
    return sp.plot_map(pd.Series(values, names[:-1], name="score"), squares(names), **options)


def number(text):
    """Read a number as a chart writes it."""
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def ends(name):
    """Return the limits that the name of a class states."""
    if name.startswith("under "):
        return -np.inf, number(name.removeprefix("under "))
    if name.endswith(" or more"):
        return number(name.removesuffix(" or more")), np.inf
    low, _, high = name.partition(" to ")
    return number(low), number(high or low) + (0 if high else 1e-9)


def legend_of(ax):
    """Map the names in the legend to their samples."""
    legend = ax.get_legend() or ax.figure.legends[0]
    return dict(zip([text.get_text() for text in legend.get_texts()], legend.legend_handles, strict=True))


def colours_of(ax):
    """Map the colours of the legend to the names of their classes."""
    return {to_hex(entry.get_facecolor()): name for name, entry in legend_of(ax).items() if hasattr(entry, "get_hatch")}


def classes_on(ax, apart=1000):
    """Return the class of each square, by its place in the row, as its colour shows it."""
    areas = [each for each in ax.collections if each.get_gid() in legend_of(ax) and each.get_zorder() == 1]
    names = colours_of(ax)
    return {
        round(path.get_extents().x0 / apart): names[to_hex(area.get_facecolor()[0])]
        for area in areas
        for path in area.get_paths()
    }


def hatched_on(ax, hatch):
    """Return the squares with a hatching, by their places in the row."""
    rings = [ring for patch in ax.patches if patch.get_hatch() == hatch for ring in patch.get_path().to_polygons()]
    return {int(ring[:, 0].min() // 1000) for ring in rings}


def points_on(ax, name):
    """Return the places of a sign, rounded down to the square in which it lies."""
    return {int(x // 1000) for each in ax.collections if each.get_gid() == name for x, _ in each.get_offsets()}


def names_on(ax):
    """Map the name of each suburb to its value and to the annotation that shows both."""
    texts = [text for text in ax.texts if text.get_gid() == "name"]
    words = [" ".join(text.get_text().split()).rsplit(" ", 1) for text in texts]
    return {name: (number(value), text) for (name, value), text in zip(words, texts, strict=True)}


@pytest.mark.parametrize(
    "values",
    [
        [630.0, 1292, 800, 1100],
        [-20.0, -8, -3, 0, 2, 7, 12, 19],
        [-5.0, -1, -3.5],
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        [1, 2, 3],
        [-0.3, *range(100, 200)],
        [*range(1, 101), 1e9],
    ],
)
def test_each_suburb_has_the_colour_of_the_class_that_holds_its_value(values):
    """A class holds the values from its lower limit up to, but without, its upper one. Those below zero are hatched."""
    ax = drawn(values)
    found = classes_on(ax)
    assert found.pop(len(values)) == "no data"
    for place, value in enumerate(values):
        low, high = ends(found[place])
        assert low <= value < high
    names = [name for name in legend_of(ax) if name != "no data"]
    assert len(colours_of(ax)) == len(names) + 1 <= 9
    assert all(ends(one)[1] == ends(other)[0] for one, other in pairwise(names))
    bulk = [found[place] for place, value in enumerate(values) if value < 1e9]
    assert len(set(bulk)) >= min(len(values), 3)
    assert hatched_on(ax, "----") == {place for place, value in enumerate(values) if value < 0}


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([450, 450], ["450"]),
        ([3.25], ["3.25"]),
        ([630, 1292, 800, 1100], ["under 800", "800 to 1,000"]),
        ([-1.6, 23.3, 9, 12], ["under 0", "0 to 5"]),
        ([1, 2, 3], ["under 2", "2 to 3", "3 or more"]),
    ],
)
def test_limits_are_round(values, names):
    """Equal values are one class."""
    assert [*legend_of(drawn(values))][: len(names)] == names


def test_given_classes_are_the_same_on_every_map():
    """Maps with the same limits have the same classes and colours, whatever their values are."""
    maps = [drawn(values, classes=[-5, 0, 400]) for values in ([410.0, 390.0], [-7.0, 3.0, np.nan])]
    assert len({tuple(colours_of(ax).items()) for ax in maps}) == 1
    assert [*legend_of(maps[0])] == [
        "under \N{MINUS SIGN}5",
        "\N{MINUS SIGN}5 to 0",
        "0 to 400",
        "400 or more",
        "no data",
    ]
    assert [classes_on(ax)[0] for ax in maps] == ["400 or more", "under \N{MINUS SIGN}5"]
    assert "class" in written(drawn([1.0, 2.0], classes=[2]))
    for wrong in ([], [2, 1], [1, 1], ["x"], [np.nan], 5):
        with pytest.raises(ValueError, match="classes must be rising numbers"):
            drawn([1.0], classes=wrong)


@pytest.mark.parametrize("sheet", ["default", "dark_background"])
def test_colours_grow_stronger_away_from_zero_and_tell_the_signs_apart(sheet):
    """The classes next to zero are the closest to the page. Those below zero are brown, those above are blue."""
    with style.context(["default", sheet]):
        ax = drawn([-20.0, -12, -3, 2, 7, 12, 19])
    names = {name: colour for colour, name in colours_of(ax).items() if name != "no data"}
    signs = [to_rgb(colour)[2] > to_rgb(colour)[0] for colour in names.values()]
    assert signs == [ends(name)[0] >= 0 for name in names]
    lights = np.array([sum(to_rgb(colour)) for colour in names.values()])
    lights = lights if sheet == "default" else -lights
    below = signs.index(True)
    assert (np.diff(lights[:below]) > 0).all()
    assert (np.diff(lights[below:]) < 0).all()


def test_suburbs_without_data_are_hatched_counted_and_named():
    """A missing value and a shape without one are hatched alike; a name without a shape is warned of."""
    values = pd.Series({"A": 3.0, "B": np.nan, "C": 1.0, "Nowhere": 4.0})
    with pytest.warns(
        sp.errors.SkippedRowsWarning, match="1 of 4 suburbs has no shape and is not on the map: 'Nowhere'"
    ):
        ax = sp.plot_map(values, squares([*"ABCDE"]), figsize=(9, 3))
    assert classes_on(ax) == {0: "3 or more", 1: "no data", 2: "under 2", 3: "no data"}
    assert hatched_on(ax, "////") == {1, 3}
    assert "Without data: B. Shapes without a value: 3, of which 2 in view (hatched)." in written(ax)
    assert "Names without a shape: 1 (Nowhere)." in written(ax)
    assert ax.figure.get_suptitle() == "Value in A and C"
    assert ax.figure.alt.endswith("A map of 2 suburbs, from C (1) to A (3).")


def test_a_map_without_any_value_shows_its_suburbs_hatched():
    ax = drawn([np.nan, np.nan])
    assert {*classes_on(ax).values()} == {*legend_of(ax)} == {"no data"}
    assert "Without data: A, B." in written(ax)


def test_the_view_holds_the_suburbs_with_values_and_fills_the_axes():
    """Around them is a margin of 3 per cent and, in Axes of another shape, whatever lies there."""
    ax = Figure(figsize=(8, 4)).add_axes((0, 0, 1, 1))
    assert sp.plot_map(pd.Series({"A": 1.0, "B": 2.0}), squares([*"ABCDE"]), ax=ax) is ax
    assert ax.get_ylim() == pytest.approx((-30, 1030))
    assert ax.get_xlim() == pytest.approx((-60, 2060))
    tall = sp.plot_map(pd.Series({"A": 1.0}), squares([*"ABCDE"]), ax=Figure(figsize=(8, 4)).add_axes((0, 0, 1, 1)))
    assert tall.get_xlim() == pytest.approx((-560, 1560))
    assert set(classes_on(tall)) == {0, 1}


def test_degrees_are_drawn_with_equal_areas_and_north_is_up():
    """Two degrees by two are as large near the equator as the ellipsoid has them, and smaller in the south."""
    shapes = squares([*"AB"]).set_geometry(shapely.box(150, [-11, -41], 152, [-9, -39]), crs="EPSG:7844")
    ax = sp.plot_map(pd.Series({"A": 1.0, "B": 2.0}), shapes)
    paths = [path for each in ax.collections[:2] for path in each.get_paths()]
    assert [shapely.Polygon(path.vertices).area / 1e6 for path in paths] == pytest.approx([48_496, 37_900], rel=2e-3)
    assert paths[0].get_extents().x0 == pytest.approx(-109_000, rel=0.02)
    assert "equal-area projection, centred on 25.0\N{DEGREE SIGN} S, 151.0\N{DEGREE SIGN} E." in written(ax)


def test_coordinates_that_are_no_degrees_are_refused_if_their_crs_has_degrees():
    with pytest.raises(ValueError, match="are not degrees, but their CRS is GDA2020"):
        sp.plot_map(pd.Series({"A": 1.0}), squares(["A"], apart=6_000_000, crs="EPSG:7844"))


def test_outlines_lose_only_what_nobody_sees():
    """A ragged outline loses most of its corners, and moves by less than a pixel at 300 dots an inch."""
    turns = np.linspace(0, 2 * np.pi, 3000)
    ring = np.column_stack([np.cos(turns), np.sin(turns)]) * np.random.default_rng(0).uniform(0.9995, 1.0005, (3000, 1))
    hole = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]  # in the direction of the shell, as some files have it
    shapes = gpd.GeoDataFrame({"suburb": ["A"]}, geometry=[shapely.Polygon(ring, [hole])])
    (path,) = sp.plot_map(pd.Series({"A": 1.0}), shapes).collections[0].get_paths()
    shell, inner = (shapely.LinearRing(part) for part in path.to_polygons())
    assert shapely.hausdorff_distance(shell, shapes.geometry[0].exterior) < 2.1 / 7.5 / 300
    assert len(path.vertices) < 1500
    assert shell.is_ccw != inner.is_ccw


CARD = pd.DataFrame(
    {
        "house_rent": [400.0, 410, 420, 430],
        "total_premium": [-3e4, 1e4, 5e4, 9e4],
        "sales_flag": ["thin", "caution", "ok", "thin"],
        "status": "ok",
        "house_rent_date": ["2026-04-26", "2026-04-26", "2025-04-26", "2026-04-26"],
        "source": "sandbox",
        "retrieved_at": "2026-04-28 01:00:00",
    },
    index=pd.Index([*"ABCD"], name="suburb"),
)
"""A scorecard of places that do not exist, as a CSV file returns it: with dates as text and without marks."""


@pytest.mark.parametrize(
    ("column", "signs"),
    [
        ("total_premium", {"thin evidence": {0, 3}, "caution": {1}, "stale rent": set()}),
        (None, {"thin evidence": set(), "caution": set(), "stale rent": {2}}),
    ],
)
def test_signs_mark_thin_evidence_and_stale_rents_where_the_values_rest_on_them(column, signs):
    """A cross, a dot and a plus lie in their suburbs, have an entry in the legend, and are explained in a note."""
    ax = sp.plot_map(CARD, squares([*"ABCD"]), column=column)
    assert {name: points_on(ax, name) for name in signs} == signs
    marks = {"thin evidence": "x", "caution": ".", "stale rent": "+"}
    notes = ["Cross: thin evidence, up to 10", "Dot: caution, up to 30", "Plus: the rent is more than 62 days older"]
    for (name, mark), note in zip(marks.items(), notes, strict=True):
        assert (note in written(ax)) == (name in legend_of(ax)) == bool(signs[name])
        assert not signs[name] or legend_of(ax)[name].get_marker() == mark


def test_a_scorecard_from_a_file_has_its_unit_dates_and_source():
    """Its columns say what its marks said. The map of a joined frame says the same."""
    for card in (CARD.reset_index(), CARD.assign(mine=1.0)):
        text = written(sp.plot_map(card, squares([*"ABCD"])))
        assert "House rents in 4 suburbs" in text
        assert "Advertised median rent, AUD per week" in text
        assert "Rents as at 2025-04-26 to 2026-04-26." in text
        assert "Source: the property data service, under its sandbox key, retrieved 2026-04-28." in text


def test_what_join_scorecard_added_has_its_unit_and_its_source():
    frame = pd.DataFrame({"suburb": WA[:3], "mine": [1, 2, 3]}).suburb.join_scorecard()
    text = written(sp.plot_map(frame, sp.sandbox_boundaries(), column="total_premium"))
    assert "Total of the amenity price impacts, AUD" in text
    assert "Source: made-up data of the embedded sandbox, retrieved 2026-04-28." in text
    assert "not known" not in text


def test_a_map_has_the_words_of_all_charts():
    """Growth is in per cent, with one decimal. Made-up boundaries have a badge whatever the values are."""
    grown = sp.growth(sp.rent(WA[:9], errors="warn"))
    last = grown.groupby("area_name", observed=True)["house"].last().dropna()
    last.attrs = grown.attrs
    ax = sp.plot_map(last, sp.sandbox_boundaries())
    assert f"Growth of house rents in {len(last)} suburbs" in written(ax)
    assert "Growth over one year, per cent" in written(ax)
    assert {name: value for name, (value, _) in names_on(ax).items()} == pytest.approx((100 * last).round(1).to_dict())
    assert "Boundaries: made up." in written(ax)
    plain = sp.plot_map(pd.Series({WA[0]: 1.0}), sp.sandbox_boundaries(), title="Mine", footnote=False)
    assert plain.figure.get_suptitle() == "Mine"
    assert "made-up data" in written(plain)
    assert "Boundaries" not in written(plain)
    assert "made-up data" not in written(drawn([1.0]))


@pytest.mark.parametrize("sheet", ["default", "dark_background"])
def test_up_to_twelve_suburbs_have_their_names_and_values(sheet):
    """A text lies in its own shape, or beside it with a leader that begins there. No two texts overlap."""
    card = sp.scorecard(WA[:12])
    with style.context(["default", sheet]):
        ax = sp.plot_map(card, sp.sandbox_boundaries(), column="n_sales")
    ax.figure.draw_without_rendering()
    found, shapes = names_on(ax), sp.sandbox_boundaries().set_index("SAL_NAME_2021").geometry
    assert {name: value for name, (value, _) in found.items()} == card["n_sales"].to_dict()
    boxes = {}
    for name, (_, text) in found.items():
        boxes[name] = shapely.box(
            *text.get_bbox_patch().get_window_extent().transformed(ax.transData.inverted()).extents
        )
        assert shapes[name].contains(shapely.Point(text.xy))
        assert (text.arrow_patch is None) == shapes[name].buffer(2000).contains(boxes[name])
        assert not any(boxes[name].overlaps(other) for key, other in boxes.items() if key != name)
        assert ax.get_window_extent().padded(1).contains(*text.get_window_extent().min)
    assert {text.arrow_patch is None for _, text in found.values()} == {True, False}
    assert names_on(sp.plot_map(sp.scorecard(WA[:13]), sp.sandbox_boundaries(), column="n_sales")) == {}


@pytest.mark.parametrize("sheet", ["default", "dark_background", "seaborn-v0_8-darkgrid"])
def test_suburbs_too_small_to_be_seen_have_markers_in_their_colour_and_names(sheet):
    """Suburbs in different cities are under a pixel: each has a marker, with an edge that the page does not hide."""
    values = pd.Series([-2.0, 1, 3, 5, 9], FREE, name="score")
    with style.context(["default", sheet]):
        ax = sp.plot_map(values, squares(FREE, size=2000, apart=800_000))
    marks = [each for each in ax.collections if each.get_gid() == "small"]
    places = {
        FREE[round(x / 800_000)]: colours_of(ax)[to_hex(face)]
        for each in marks
        for (x, _), face in zip(each.get_offsets(), np.tile(each.get_facecolors(), (1, 1)), strict=True)
    }
    assert places == {name: classes_on(ax, 800_000)[place] for place, name in enumerate(FREE)}
    assert [len(each.get_offsets()) for each in marks] == [4, 1]
    assert len({each.get_paths()[0].vertices.shape for each in marks}) == 2
    page = "#000000" if sheet == "dark_background" else "#ffffff"
    assert all(each.get_linewidths()[0] > 0.5 and to_hex(each.get_edgecolors()[0]) != page for each in marks)
    assert {name: value for name, (value, _) in names_on(ax).items()} == values.to_dict()
    assert "Circle: a suburb that is too small to be seen; triangle: the same, below zero." in written(ax)
    line = re.search(r"as in (sp\.plot_map\(.*?\))\.", written(ax))[1]
    one = eval(line, {"sp": sp, "values": values.to_frame(), "boundaries": squares(FREE)})  # noqa: S307 - from the note
    assert "in Lantern Bay (NSW)" in one.figure.get_suptitle()
    assert not [each for each in drawn([1.0, 2]).collections if each.get_gid() == "small"]


def test_a_map_that_is_full_of_small_suburbs_is_not_covered_with_markers():
    """Hundreds of neighbours can be seen as an area. Hundreds in a few towns cannot."""
    names, (x, y) = [f"S{number}" for number in range(800)], np.divmod(np.arange(800), 10)
    for apart, has_markers in ((1, False), (30, True)):
        shapes = gpd.GeoDataFrame(
            {"suburb": names}, geometry=shapely.box(x * apart, y * apart, x * apart + 1, y * apart + 1)
        )
        ax = sp.plot_map(pd.Series(1.0, names), shapes, ax=Figure(figsize=(4, 1)).add_axes((0, 0, 1, 1)))
        assert any(each.get_gid() == "small" for each in ax.collections) == has_markers


def test_a_figure_of_the_user_keeps_its_size_and_layout():
    """With ``ax=``, nothing but the Axes is changed. ``figsize=`` is a width and the least height."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    sp.plot_map(pd.Series({"A": 1.0}), squares(["A"]), ax=axes[0])
    assert figure.get_size_inches().tolist() == [9, 4]
    assert axes[0].get_title() == "Value in A"
    ax = drawn([1.0], figsize=(5, 9))
    assert [*ax.figure.get_size_inches()] == [5, pytest.approx(9, abs=0.5)]
    assert np.ptp(ax.get_ylim()) > 1.4 * np.ptp(ax.get_xlim())  # the map fills it
