"""Lists the texts of a chart, and asserts that all of them can be read."""

import itertools

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from tests.support.common import RENTED

_LONG = sorted(RENTED, key=len)[-2:]
EIGHT = ["Quokka Bay", "Lantern Bay (NSW)", "Bilby Heights", *_LONG, "Woylie", "Cassava Grove", "Cider Gum"]
MADE_UP = "made-up data"


def texts(figure):
    """Return the visible texts of a figure, without the labels of ticks that are hidden or outside their axis."""
    axes = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]
    ticks = [(tick, axis) for axis in axes for tick in axis.get_major_ticks()]
    hidden = {tick.label1 for tick, axis in ticks if not axis.get_visible() or not is_in_view(tick, axis)}
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text() and text not in hidden]


def is_in_view(tick, axis):
    """Return True if a tick lies within the limits of its axis."""
    low, high = sorted(axis.get_view_interval())
    return low <= tick.get_loc() <= high


def written(ax):
    """Return all text of the Axes' figure on one line."""
    return " ".join(" ".join(text.get_text() for text in texts(ax.figure)).split())


def title(ax):
    """Return the title of a chart in a figure of its own, on one line."""
    return " ".join(ax.figure.get_suptitle().split())


def boxes(figure):
    """Draw a figure, and map each visible text to its box in pixels."""
    figure.draw_without_rendering()
    return {text: _box(text) for text in texts(figure)}


def _box(text):
    """Return the box of a text in pixels, without the room for descenders below a text of digits alone."""
    box = Text.get_window_extent(text)
    if not text.get_text().isdigit():
        return box
    renderer = RendererAgg(1, 1, text.figure.dpi)
    _, _, descent = renderer.get_text_width_height_descent("lp", text.get_fontproperties(), ismath=False)
    return Bbox.from_extents(box.x0, box.y0 + descent, box.x1, box.y1)


def assert_all_in_view(figure):
    """Assert that no text is cut off, and that no two texts overlap."""
    found = boxes(figure)
    page = figure.bbox.padded(1)
    assert [text for text, box in found.items() if not page.contains(box.x0, box.y0)] == []
    assert [text for text, box in found.items() if not page.contains(box.x1, box.y1)] == []
    low = np.array([box.p0 for box in found.values()]) + 0.5
    high = np.array([box.p1 for box in found.values()]) - 0.5
    overlaps = (low[:, None] < high).all(axis=2) & (high[:, None] > low).all(axis=2)
    pairs = zip(itertools.combinations(found, 2), overlaps[np.triu_indices(len(found), 1)], strict=True)
    assert [pair for pair, overlap in pairs if overlap] == []
