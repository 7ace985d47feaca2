"""Maps: which suburb has which colour, hatching, sign and name, read back from what is drawn."""

import re
from io import StringIO

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from matplotlib import style
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.plotting.look import contrast
from suburb_pandas.sandbox import SUBURBS
from tests.plotting.chart_cases import CASES
from tests.support.charts import assert_all_in_view, written

WA = [suburb.name for suburb in SUBURBS if suburb.state == "WA"]


def squares(names, size=1000, apart=1000, crs=None, height=1):
    """Return squares, one for each name, that begin at the multiples of a distance, in columns of a height."""
    x, y = apart * np.array(np.divmod(np.arange(len(names)), height))
    return gpd.GeoDataFrame({"area_name": names}, geometry=shapely.box(x, y, x + size, y + size), crs=crs)


def drawn(values, **options):
    """Draw values on a row of squares called S0, S1 and so on; the last one is without data."""
    names = [f"S{n}" for n in range(len(values) + 1)]
    return sp.plot_map(pd.Series(values, names[:-1], name="score"), squares(names), **options)


def number(text):
    """Read a number as a chart writes it."""
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def ends(name):
    """Return the limits that the name of a class states."""
    limits = [number(limit) for limit in re.findall("[\N{MINUS SIGN}0-9.,]+", name)]
    return [-np.inf, *limits] if "under" in name else [*limits, np.inf][:2]


def legend_of(ax):
    """Map the names in the legend to their samples."""
    legend = ax.get_legend() or ax.figure.legends[0]
    return dict(zip([text.get_text() for text in legend.get_texts()], legend.legend_handles, strict=True))


def areas_of(ax, apart=1000):
    """Map the place of each square in its row to the artist that draws it."""
    rings = [(ring, area) for area in ax.patches for ring in area.get_path().to_polygons()]
    return {round(ring[:, 0].min() / apart): area for ring, area in rings}


def classes_on(ax, apart=1000):
    """Return the class of each square, by its place in the row, as its colour and hatching show it."""
    names = {(entry.get_facecolor(), entry.get_hatch()): name for name, entry in legend_of(ax).items()}
    return {place: names[area.get_facecolor(), area.get_hatch()] for place, area in areas_of(ax, apart).items()}


def marks_on(ax, name):
    """Return the markers of a name."""
    return [each for each in ax.collections if each.get_gid() == name and len(each.get_offsets())]


def names_on(ax):
    """Map the name of each suburb that is written on a map to its value."""
    words = [" ".join(text.get_text().split()).rsplit(" ", 1) for text in ax.texts if text.get_gid() == "name"]
    return {name: number(value) for name, value in words}


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([-20.0, -8, -3, 0, 2, 7, 12, 19], "under \N{MINUS SIGN}10"),
        ([-5.0, -1, -3.5], "under \N{MINUS SIGN}4"),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], "under 0.2"),
        ([1, 2, 3], "under 2"),
        ([-0.3, *range(100, 200)], "under 0"),
        ([*range(1, 101), 1e9], "under 20"),
        ([1.0] * 100 + [5], "under 2"),
        ([1 / 3], "0.33"),
    ],
)
def test_each_suburb_has_the_colour_of_the_class_that_holds_its_value(values, first):
    """A class has round limits and includes its lower one. Those below zero are hatched and brown, the others blue."""
    ax = drawn(values)
    found, areas = classes_on(ax), areas_of(ax)
    assert found.pop(len(values)) == "no data"
    for place, value in enumerate(values):
        low, high = ends(found[place])
        assert low <= value < high
        red, _, blue, _ = areas[place].get_facecolor()
        assert (areas[place].get_hatch() == "----") == (red > blue) == (value < 0)
    names = [*legend_of(ax)]
    assert (names[0], len(names) <= 9) == (first, True)


def test_given_classes_are_the_same_on_every_map():
    """Maps with the same limits have the same classes and colours, whatever their values are.

    The classes next to zero are the closest to the page.
    """
    names = ["under \N{MINUS SIGN}5", "\N{MINUS SIGN}5 to 0", "0 to 400", "400 or more", "no data"]
    for sheet, sign in (("default", 1), ("dark_background", -1)):
        with style.context(["default", sheet]):
            maps = [drawn(values, classes=[-5, 0, 400]) for values in ([410.0, 390.0], [-7.0, 3.0, np.nan])]
        assert [[*legend_of(ax)] for ax in maps] == [names] * 2
        assert [classes_on(ax)[0] for ax in maps] == ["400 or more", names[0]]
        one, other = ([entry.get_facecolor() for entry in legend_of(ax).values()] for ax in maps)
        farthest, below, above, highest, _ = (sign * sum(colour) for colour in one)
        assert (one == other, farthest < below, highest < above) == (True, True, True)
    for wrong in ([], [1, 1], [1, np.inf], 5):
        with pytest.raises(ValueError, match="classes must be rising numbers"):
            drawn([1.0], classes=wrong)


def test_suburbs_without_data_are_hatched_and_named():
    """A missing value and a shape without one are hatched alike; a name without a shape is warned of."""
    values = pd.Series({"A": 3.0, "B": np.nan, "C": 1.0, "Nowhere": 4.0})
    with pytest.warns(sp.errors.SkippedRowsWarning, match="1 of 4 names have no shape .*: 'Nowhere'"):
        ax = sp.plot_map(values, squares([*"ABCDE"]), figsize=(5, 9))
    assert classes_on(ax) == {0: "3 or more", 1: "no data", 2: "under 2", 3: "no data"}
    assert areas_of(ax)[1].get_hatch() == "////"
    assert "Without data: B. Not on the map, without a shape: Nowhere." in written(ax)
    assert ax.figure.get_suptitle() == "Value in A and C"
    assert ax.figure.alt.endswith("A map of 2 suburbs, from C (1) to A (3).")
    assert np.ptp(ax.get_ylim()) > 1.4 * np.ptp(ax.get_xlim())  # it fills the least height of its figure
    empty = drawn([np.nan, np.nan])
    assert {*classes_on(empty).values()} == {*legend_of(empty)} == {"no data"}


@pytest.mark.parametrize(("crs", "south", "half", "in_view"), [(None, 0, 1.06, 3), ("EPSG:7844", -60.5, 2.12, 4)])
def test_the_view_holds_the_suburbs_and_fills_the_axes(crs, south, half, in_view):
    """Around them is a margin of 3 per cent and, in Axes of another shape, whatever lies there.

    Degrees to the east are half as long as those to the north at a latitude of 60 degrees.
    """
    ax = Figure(figsize=(4, 2)).add_axes((0, 0, 1, 1))
    shapes = squares([*"ABCDE"], 1, 1, crs)
    sp.plot_map(pd.Series({"A": 1.0, "B": np.nan}), shapes.set_geometry(shapes.translate(0, south)), ax=ax)
    assert (*ax.get_xlim(), ax.get_aspect()) == pytest.approx((1 - half, 1 + half, half // 1), abs=0.01)
    assert {*classes_on(ax, 1)} == {*range(in_view)}


def test_outlines_lose_only_what_nobody_sees():
    """An outline of 3,000 corners loses most of them, and moves by less than a pixel at 300 dots an inch.

    A hole stays one, also if its outline has the direction of the other, as some files have it.
    """
    circle = shapely.Point(0, 0).buffer(1, 750).exterior
    hole = shapely.box(-0.5, -0.5, 0.5, 0.5, ccw=False).exterior
    shapes = gpd.GeoDataFrame({"suburb": ["A"]}, geometry=[shapely.Polygon(circle, [hole])])
    path = sp.plot_map(pd.Series({"A": 1.0}), shapes).patches[0].get_path()
    shell, inner = map(shapely.LinearRing, path.to_polygons())
    assert shapely.hausdorff_distance(shell, circle) < 2.1 / 7.5 / 300
    assert (len(path.vertices) < 1500, shell.is_ccw) == (True, not inner.is_ccw)


CARD = """\
suburb,house_rent,total_premium,sales_flag,status,house_rent_date
A,400,-30000,thin,ok,2026-04-26
B,410,10000,caution,ok,2026-04-26
C,420,50000,,ok,2025-04-26
D,430,90000,ok,ok,2026-04-26
"""
"""A scorecard of places that do not exist, as a CSV file has it: with dates as text and without marks."""


@pytest.mark.parametrize(
    ("column", "signs"),
    [
        (
            "total_premium",
            {
                "thin evidence": (0, "Cross: thin evidence, up to 10 sales."),
                "caution": (1, "Dot: caution, up to 30 sales."),
                "sales not known": (2, "Triangle: an unknown number of sales."),
            },
        ),
        ("house_rent", {"stale rent": (2, "Plus: the rent is more than 62 days older")}),
    ],
)
def test_signs_mark_thin_evidence_and_stale_rents_where_the_values_rest_on_them(column, signs):
    """The signs lie in their suburbs, have an entry in the legend, and are explained in a note."""
    ax = sp.plot_map(pd.read_csv(StringIO(CARD)).assign(evidence="ok"), squares([*"ABCD"]), column=column)
    assert {name for name in legend_of(ax) if name[0] in "tcs"} == {*signs}
    for name, (place, note) in signs.items():
        (mark,) = marks_on(ax, name)
        assert [x // 1000 for x, _ in mark.get_offsets()] == [place]
        assert note in written(ax)


def test_a_map_of_one_driver_names_the_amenity():
    """Evidence for a driver is the number of sales without the amenity."""
    drivers = sp.impacts(WA[:12])
    drivers = drivers[drivers["label"] == "no pub nearby"]
    ax = sp.plot_map(drivers, sp.sandbox_boundaries(), column="premium_dollars")
    assert ax.figure.get_suptitle() == f"Premium, no pub nearby in {len(drivers)} suburbs"
    assert "up to 10 sales without the amenity." in written(ax)


def test_made_up_boundaries_have_a_badge_whatever_the_values_are():
    """The foot names them, too."""
    shapes = sp.sandbox_boundaries()
    drawing = written(sp.plot_map(pd.Series({"S0": 1.0}), shapes.assign(SAL_NAME_2021=shapes.index.map("S{}".format))))
    assert "Boundaries: made up. The source of this data is not known. made-up data" in drawing
    assert "made-up data" not in written(drawn([1.0]))


def test_up_to_twelve_suburbs_have_their_names_and_values():
    """A text lies in its own shape, or beside it with a leader that begins there, and covers no text and no marker."""
    draw, load = CASES["map, few"]
    ax = draw(card := load())
    assert_all_in_view(ax.figure)
    shapes = sp.sandbox_boundaries().set_index("SAL_NAME_2021").geometry
    assert names_on(ax) == card["total_premium"].to_dict()
    for name, text in zip(names_on(ax), ax.texts, strict=True):
        extent = text.get_bbox_patch().get_window_extent()
        box = shapely.box(*extent.transformed(ax.transData.inverted()).extents)
        assert shapes[name].contains(shapely.Point(text.xy))
        assert not any(shapely.contains_xy(box, mark.get_offsets()).any() for mark in ax.collections)
        assert (text.arrow_patch is None) == shapes[name].buffer(2000).contains(box)
        assert not any(shapes[other].contains(box.centroid) for other in card.index if other != name)
    assert names_on(draw(sp.scorecard(WA[:13]))) == {}


def test_suburbs_too_small_to_be_seen_have_markers_in_their_colour_and_names():
    """Suburbs in different cities are under a pixel: each has a marker, and the page does not hide its edge.

    A map is higher than a style sheet has figures, and has names even if those would not fit into such a figure.
    """
    values = pd.Series([-2.0, 1, 3, 5, 9], [*"ABCDE"], name="score")
    shapes = squares(values.index, size=2000, apart=800_000)
    shapes.loc[4, "geometry"] = shapely.box(3_200_000, 0, 3_500_000, 300_000)
    with style.context(["default", "dark_background", {"figure.figsize": (9, 1)}]):
        ax = sp.plot_map(values, shapes)
    areas = areas_of(ax, 800_000)
    for mark in marks_on(ax, "small"):
        (rim,) = mark.get_path_effects()
        assert contrast(rim._gc["foreground"], "black") > 10
        for x, _ in mark.get_offsets():
            area = areas.pop(round(x / 800_000))
            assert mark.get_facecolor()[0] == pytest.approx(area.get_facecolor())
    assert {*areas} == {4}
    assert names_on(ax) == values.to_dict()
    assert "Circle: a suburb that is too small to be seen. To draw one city, pass" in written(ax)


@pytest.mark.parametrize(("size", "least", "most"), [((3, 1.9), 0, 0), ((2, 2), 1, 9), ((9, 3), 10, 10)])
def test_names_without_room_are_in_a_note(size, least, most):
    """Axes narrower or lower than 2 inches have no names and no such note."""
    names, ax = [f"Suburb {n}" for n in range(10)], Figure(figsize=size).add_axes((0, 0, 1, 1))
    sp.plot_map(pd.Series(1.0, names), squares(names, 1, 1, height=3), ax=ax)
    found, (_, _, note) = {*names_on(ax)}, " ".join(ax.get_xlabel().split()).partition("No room for the names of ")
    assert least <= len(found) <= most
    others = {*note.partition(".")[0].split(", ")} - {""}
    assert len(found | others) == len(found) + len(others) == (10 if most else 0)
