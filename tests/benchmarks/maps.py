"""Measures a map of a large state: ``python -m tests.benchmarks.maps``. Not a test.

The suburbs, about 4,400, and their boundaries are made up. A boundary has some 750 corners on average, as in New South
Wales. The peer is geopandas' own ``plot``, which draws every corner.
"""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.benchmarks.clock import side_by_side
from tests.benchmarks.tables import head, row

SUBURBS = 4_500
BENDS = 7
SIZE, DPI = (9, 9), 150
ROUNDS = 3


def bent(start, end, generator):
    """Return the edges from their starts to their ends, halved and bent several times."""
    points = np.stack([start, end], axis=1)
    for _ in range(BENDS):
        steps = np.diff(points, axis=1)
        bends = generator.uniform(-0.1, 0.1, (*steps.shape[:2], 1))
        halves = points[:, :-1] + steps / 2 + bends * np.stack([-steps[..., 1], steps[..., 0]], axis=-1)
        finer = np.empty((len(points), 2 * points.shape[1] - 1, 2))
        finer[:, ::2], finer[:, 1::2] = points, halves
        points = finer
    return shapely.linestrings(points)


def made_up_state(suburbs=SUBURBS):
    """Return suburbs in degrees, close together in the middle and far apart elsewhere, with boundaries in common."""
    generator = np.random.default_rng(0)
    far, turn = 6 * generator.random(suburbs) ** 3, 2 * np.pi * generator.random(suburbs)
    centres = shapely.multipoints(np.column_stack([151 + far * np.cos(turn), -33 + far * np.sin(turn)]))
    edges = shapely.get_parts(shapely.voronoi_polygons(centres, only_edges=True))
    corners = list(map(shapely.get_coordinates, edges))
    start, end = (np.concatenate([each[part] for each in corners]) for part in (slice(-1), slice(1, None)))
    shapes = shapely.get_parts(shapely.polygonize(bent(start, end, generator)))
    names = [f"Made-up {number:05}" for number in range(len(shapes))]
    return gpd.GeoDataFrame({"SAL_NAME21": names}, geometry=shapes, crs="EPSG:7844")


def ours(path, values):
    """Draw a map with the package, write its picture, and return its Axes."""
    axes = sp.plot_map(values, path, ax=Figure(figsize=SIZE).subplots())
    axes.figure.savefig("/dev/null", format="png", dpi=DPI)
    return axes


def geopandas_own(path, values):
    """Draw the same map with geopandas alone, and write its picture."""
    frame = gpd.read_file(path).merge(values, left_on="SAL_NAME21", right_index=True, how="left")
    figure = Figure(figsize=SIZE)
    frame.to_crs("EPSG:9473").plot(ax=figure.subplots(), column="value", legend=True)
    figure.savefig("/dev/null", format="png", dpi=DPI)


def main():
    """Write the boundaries to a file, and measure."""
    state = made_up_state()
    number = int(shapely.get_num_coordinates(state.geometry.to_numpy()).sum())
    values = pd.Series(np.arange(len(state)) % 97.0, pd.Index(state["SAL_NAME21"], name="area_name"), name="value")
    with TemporaryDirectory() as folder:
        path = Path(folder, "state.shp")
        state.to_file(path)
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        corners = sum(len(each.get_path().vertices) for each in ours(path, values).patches)
        mine, theirs = side_by_side([partial(draw, path, values) for draw in (ours, geopandas_own)], ROUNDS)
    what = f"{len(state):,} suburbs with {number:,} corners, a .shp file of {size:.0f} MB"
    head(what, f"`sp.plot_map`, {corners:,} corners drawn", "geopandas' own `plot`, all corners drawn")
    row("all", f"{mine:.2f} s", f"{theirs:.2f} s")
    row("of their time", f"{mine / theirs:.2f}", "")


if __name__ == "__main__":
    main()
