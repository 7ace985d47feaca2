"""Draws every chart on contact sheets, for people to look at: ``python -m tests.plotting.contact_sheet [CASE ...]``.

There is a sheet for each case, with figures of all sizes and with Axes of a user's figure under both layout engines,
and a sheet for each look, with all cases in one size. The pictures that a test compares are drawn again, too. With the
names of cases of `chart_cases`, only these are drawn.
"""

import sys
import warnings
from functools import partial
from io import BytesIO

from matplotlib import pyplot as plt
from matplotlib import style
from PIL import Image

import suburb_pandas as sp
from tests.browser.lab import PROJECT
from tests.plotting.chart_cases import CASES, GIVEN, IN_AXES, LOOKS, SIZES, UNSEEN, draw

FOLDER = PROJECT / "build/contact_sheets"
COMPARED = PROJECT / "tests/plotting/pictures"
_DPI, _MARGIN, _WIDTH = 80, 12, 2300


def picture(case, look="plain", *, size=(7, 4), layout=None, dpi=_DPI):
    """Draw a case in a look and return it as an image; with a layout engine, in Axes of a user's figure."""
    file = BytesIO()
    with style.context(["default", *LOOKS[look]]):
        where = {"ax": plt.subplots(figsize=size, layout=layout)[1]} if layout else {"figsize": size}
        draw(case, **where).figure.savefig(file, dpi=dpi, facecolor="auto")
        plt.close("all")
    return Image.open(file).convert("RGB")


_WAYS = [
    ("", [case for case in CASES if case not in UNSEEN], {}),
    (", narrow", GIVEN, {"size": (4, 3)}),
    (", wide", GIVEN, {"size": (14, 3)}),
    (", dark", GIVEN, {"look": "dark"}),
    (", seaborn", GIVEN, {"look": "seaborn"}),
    *((", in Axes", [case], {"size": (9, 5), "layout": layout}) for case, layout in IN_AXES.items()),
]
PICTURES = {case + way: partial(picture, case, dpi=40, **options) for way, cases, options in _WAYS for case in cases}
"""The functions that draw the pictures of `pictures/`, by their names."""


def sheet(pictures):
    """Paste pictures into rows on grey, each into a cell of the size of the largest."""
    width, height = (max(sizes) + _MARGIN for sizes in zip(*(image.size for image in pictures), strict=True))
    columns = max(_WIDTH // width, 1)
    page = Image.new("RGB", (columns * width, -(-len(pictures) // columns) * height), "#c8c8c8")
    for place, image in enumerate(pictures):
        page.paste(image, (place % columns * width, place // columns * height))
    return page


def main(cases):
    """Draw the sheets of some cases."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", sp.errors.SuburbWarning)
    with sp.connect(api_key="embedded"):
        for case in cases:
            own = [picture(case, size=size) for size in SIZES]
            given = [picture(case, size=SIZES[1], layout=layout) for layout in ("constrained", "tight")]
            sheet([*own, *given]).save(FOLDER / f"{case}.png")
        for look in LOOKS:
            in_look = sheet([picture(case, look) for case in cases])
            in_look.convert("L" if look == "grayscale" else "RGB").save(FOLDER / f"look, {look}.png")
        for name, draw_picture in PICTURES.items():
            if draw_picture.args[0] in cases:
                draw_picture().save(COMPARED / f"{name}.png", optimize=True)
    sys.stdout.write(f"{FOLDER}\n")


if __name__ == "__main__":
    main(sys.argv[1:] or CASES)
