"""Maps: the outlines of the suburbs, and where their names are."""

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.plotting.chart_cases import CASES
from tests.support.charts import assert_all_in_view


def squares(names, size=1000, apart=1000, crs=None, height=1):
    """Return squares, one for each name, that begin at the multiples of a distance, in columns of a height."""
    x, y = apart * np.array(np.divmod(np.arange(len(names)), height))
    return gpd.GeoDataFrame({"area_name": names}, geometry=shapely.box(x, y, x + size, y + size), crs=crs)


def names_on(ax):
    """Map the name of each suburb that is written on a map to its value."""
    words = [" ".join(text.get_text().split()).rsplit(" ", 1) for text in ax.texts if text.get_gid() == "name"]
    return {name: float(value.translate({0x2C: None, 0x2212: "-"})) for name, value in words}


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


@pytest.mark.parametrize(("size", "least", "most"), [((3, 1.9), 0, 0), ((2, 2), 1, 9), ((9, 3), 10, 10)])
def test_names_without_room_are_in_a_note(size, least, most):
    """Axes narrower or lower than 2 inches have no names and no such note."""
    names, ax = [f"Suburb {n}" for n in range(10)], Figure(figsize=size).add_axes((0, 0, 1, 1))
    sp.plot_map(pd.Series(1.0, names), squares(names, 1, 1, height=3), ax=ax)
    found, (_, _, note) = {*names_on(ax)}, " ".join(ax.get_xlabel().split()).partition("No room for the names of ")
    assert least <= len(found) <= most
    others = {*note.partition(".")[0].split(", ")} - {""}
    assert len(found | others) == len(found) + len(others) == (10 if most else 0)
