"""The geometry of a map: what is in view, projected to equal areas, and simplified by less than a pixel."""

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from suburb_pandas.plotting.maps.geometry import paths_of, simplified, view_of

INCHES = (9.0, 9.0)
GEOD = Geod(ellps="GRS80")
EVERYWHERE = st.tuples(st.floats(-170, 170), st.floats(-75, 75), st.floats(0.05, 4))


def squares(*corners, size=1.0, crs="EPSG:7844"):
    """Return squares with their lower left corners at some places."""
    return gpd.GeoSeries([shapely.box(x, y, x + size, y + size) for x, y in corners], crs=crs)


@settings(max_examples=20)
@given(EVERYWHERE)
def test_areas_of_degrees_are_drawn_equal(place):
    """Anywhere on the earth, the areas on the map are those on the ellipsoid, within one in ten thousand."""
    x, y, size = place
    shapes = squares((x, y), (x + size, y + size / 2), size=size)
    drawn = shapely.area(view_of(shapes, np.array([True, True]), (1e3, 1e3)).geometry)
    dense = shapes.segmentize(size / 50)
    assert drawn == pytest.approx([abs(GEOD.geometry_area_perimeter(shape)[0]) for shape in dense], rel=1e-4)


def test_north_is_up_in_the_middle_of_a_map():
    """Sydney's longitude is not turned, as it is in Australian Albers."""
    shapes = squares((150.5, -34), size=1)
    view = view_of(shapes, np.array([True]), INCHES)
    assert (view.box[0] + view.box[2]) / 2 == pytest.approx(0, abs=5_000)
    west, _, east, _ = shapely.bounds(view.geometry)[0]
    corners = shapely.get_coordinates(view.geometry[0])
    assert abs(corners[:, 0].min() + corners[:, 0].max()) < 0.01 * (east - west)
    assert view.projection.endswith("centred on 33.5\N{DEGREE SIGN} S, 151.0\N{DEGREE SIGN} E")


@pytest.mark.parametrize("crs", ["EPSG:3577", "EPSG:28356", None])
def test_coordinates_in_metres_stay_as_they_are(crs):
    shapes = squares((0, 0), (1000, 0), size=1000, crs=crs)
    view = view_of(shapes, np.array([True, True]), INCHES)
    assert view.projection == ""
    assert view.box == pytest.approx((-60, -60, 2060, 1060))


def test_only_shapes_in_view_are_drawn():
    """The view is that of the shapes in focus; neighbours that reach into it are drawn, distant ones are not."""
    shapes = squares((0, 0), (1000, 0), (90_000, 0), size=1000, crs="EPSG:3577")
    view = view_of(shapes, np.array([True, False, False]), INCHES)
    assert view.shapes.tolist() == [0, 1]
    assert view.ratio == pytest.approx(1)


def test_no_shape_is_lost_and_no_outline_moves_by_a_tolerance():
    """A shape smaller than a pixel stays, and a simple outline is nowhere farther from the exact one than allowed."""
    generator = np.random.default_rng(0)
    turns = np.sort(generator.uniform(0, 2 * np.pi, 3000))
    ragged = shapely.Polygon(
        np.column_stack([np.cos(turns), np.sin(turns)]) * generator.uniform(0.999, 1.001, (3000, 1))
    )
    tiny = shapely.box(3, 3, 3.0001, 3.0001)
    simple, kept = simplified(np.array([ragged, tiny]), 0.01)
    assert shapely.hausdorff_distance(simple.exterior, ragged.exterior) <= 0.0101
    assert shapely.get_num_coordinates(simple) < 0.2 * shapely.get_num_coordinates(ragged)
    assert not kept.is_empty


def test_coordinates_that_do_not_fit_their_crs_are_refused():
    """A GeoJSON file of metres, for example, is read as if it were of degrees."""
    with pytest.raises(ValueError, match=r"are not degrees, but their CRS is GDA2020"):
        view_of(squares((300_000, 6_000_000), size=1000), np.array([True]), INCHES)


def test_neighbours_on_a_long_border_along_a_parallel_do_not_come_apart():
    """A border of one line for one suburb, and of many for its neighbours, is drawn in one place to half a pixel."""
    long, *short = [shapely.box(140, -30, 150, -26), *(shapely.box(x, -34, x + 1, -30) for x in range(140, 150))]
    view = view_of(gpd.GeoSeries([long, *short], crs="EPSG:7844"), np.full(11, fill_value=True), INCHES)
    pixel = (view.box[2] - view.box[0]) / INCHES[0] / 300
    assert len(shapely.union_all(shapely.buffer(view.geometry, pixel / 2)).interiors) == 0
    overlaps = [view.geometry[0].intersection(one) for one in view.geometry[1:]]
    assert max(map(shapely.area, overlaps)) < pixel * (view.box[2] - view.box[0])


def turn_of(ring):
    """Return 1 for a ring that runs anticlockwise, else -1."""
    return 1 if shapely.LinearRing(ring).is_ccw else -1


def test_paths_have_all_parts_and_their_holes():
    """A path has each part of its shape. A hole runs the other way than its shell, so that it is not filled."""
    shell, hole = [(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (3, 1), (3, 3), (1, 3)]
    both = shapely.MultiPolygon([shapely.Polygon(shell, [hole]), shapely.box(6, 0, 7, 1)])
    one, two = paths_of(np.array([both, shapely.box(10, 0, 11, 1)]))
    assert one.get_extents().bounds == (0, 0, 7, 4)
    assert two.get_extents().bounds == (10, 0, 1, 1)
    turns = {shapely.Polygon(ring).area: turn_of(ring) for ring in one.to_polygons(closed_only=True)}
    assert turns[16] == turns[1] == -turns[4]
