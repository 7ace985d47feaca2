"""Describes what a chart holds in lines that a person can read: texts, places, colours and sizes, without drawing."""

import hashlib

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import suburb_pandas as sp

_SHOWN = 12  # lines of a kind


def chart(draw, *given, panels=2, **options):
    """Draw a chart, print its texts and its first panels, or the error, and close all figures."""
    try:
        ax = draw(*given, **options)
    except (sp.SuburbError, ValueError, TypeError, OSError, ImportError) as error:
        left = " A figure is left." * len(plt.get_fignums())
        print(f"{type(error).__name__}: {error}{left}")  # noqa: T201 - it is compared
    else:
        print(*_figure(ax), sep="\n")  # noqa: T201 - as above
        for each in ax.figure.axes[:panels]:
            panel(each)
    plt.close("all")


def _figure(ax):
    figure = ax.figure
    size, page = figure.get_size_inches().round(3), colour(figure.get_facecolor())
    yield f"{type(figure).__name__} {size[0]} {size[1]} {page} {len(figure.axes)} Axes; {getattr(figure, 'alt', '')}"
    yield from _some("-", map(_text, figure.texts))
    legends = [*figure.legends, *filter(None, [ax.get_legend()])]
    yield from _some("legend", (_text(text) for legend in legends for text in legend.get_texts()))


def panel(ax):
    """Print what Axes hold: their limits, titles, texts, ticks, lines, patches and collections."""
    print(*_panel(ax), sep="\n")  # noqa: T201 - as above


def _panel(ax):
    limits = " ".join(map(str, np.round([*ax.get_xlim(), *ax.get_ylim()], 2)))
    yield f"Axes {limits} {colour(ax.get_facecolor())}"
    yield from _some("title", (repr(ax.get_title(where)) for where in ("left", "right") if ax.get_title(where)))
    texts = (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts)
    yield from _some("text", (_text(text) for text in texts if text.get_text()))
    yield from map(_ticks, (ax.xaxis, ax.yaxis))
    yield from _some("line", map(_line, ax.lines))
    yield from _some("patch", map(_patch, ax.patches))
    yield from _some("collection", map(_collection, ax.collections))


def colour(value):
    """Return a colour as hex digits, with its opacity if it is not opaque."""
    return to_hex(value, keep_alpha=True).removesuffix("ff")


def given_axes(rows=1, columns=1, **options):
    """Return the Axes of a new figure that pyplot does not know."""
    return Figure(figsize=(8, 6), **options).subplots(rows, columns)


def _some(kind, lines):
    """Return the lines of one kind. Of many, the ends, with a digest of all."""
    lines = [*lines]
    if len(lines) > _SHOWN:
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
        lines[4:-3] = [f"... {len(lines)} in all, {digest}"]
    return [f"  {kind} {line}" for line in lines]


def _text(text):
    x, y = text.get_position()
    place = "" if isinstance(x, pd.Timestamp) else f" at {float(x):.4g} {float(y):.4g}"
    font = f"{text.get_fontsize():.3g} {text.get_weight()} {colour(text.get_color())}"
    return f"{text.get_text()!r}{place} {font} {text.get_ha()} {text.get_va()} {text.get_gid()}"


def _ticks(axis):
    labels = axis.get_major_formatter().format_ticks(axis.get_majorticklocs())
    grid = [line for line in axis.get_gridlines()[:1] if line.get_visible()]
    drawn = [f" grid {colour(line.get_color())} {line.get_linestyle()} {line.get_linewidth()}" for line in grid]
    return "".join([f"  tick {axis.axis_name} {labels}", *drawn])


def _line(line):
    x, y = (np.nansum(np.asarray(data, "float64")) for data in (line.get_xdata(orig=False), line.get_ydata()))
    name = f"{line.get_gid()} {line.get_label().partition('_child')[0]!r}"
    look = f"{colour(line.get_color())} {line.get_linestyle()} {line.get_linewidth():.3g}"
    marker = f"{line.get_marker()} {line.get_markersize():g} {colour(line.get_markerfacecolor())}"
    return f"{name} {look} {marker}: {len(line.get_xdata())}, sums {x:.6g} {y:.6g}"


def _patch(patch):
    box = patch.get_path().get_extents(patch.get_patch_transform())
    colours = f"{colour(patch.get_facecolor())} {colour(patch.get_edgecolor())}"
    drawn = f"{colours} {patch.get_linewidth():g} {patch.get_hatch()}"
    return f"{box.x0:.5g} {box.y0:.5g} {box.width:.5g} {box.height:.5g}, {drawn}"


def _collection(group):
    faces, edges = (dict.fromkeys(map(colour, each)) for each in (group.get_facecolor(), group.get_edgecolor()))
    sizes = f"{len(group.get_offsets())} {len(group.get_paths())}"
    drawn = f"{' '.join([*faces, '|', *edges])} {group.get_linewidth()[:2].round(2)} {group.get_zorder()}"
    return f"{type(group).__name__} {group.get_gid()} {sizes} {drawn}"
