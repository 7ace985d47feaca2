"""Draws every chart on contact sheets, for people to look at: ``python -m tests.plotting.contact_sheet [FOLDER]``.

There is a sheet for each case, with figures of all sizes and with Axes of a user's figure under both layout engines,
and a sheet for each look, with all cases in one size.
"""

import sys
import warnings
from io import BytesIO
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib import style
from PIL import Image, ImageDraw

import suburb_pandas as sp
from tests.browser.lab import PROJECT
from tests.plotting.chart_cases import CASES, LOOKS, SIZES

FOLDER = PROJECT / "build/contact_sheets"
_DPI, _MARGIN, _WIDTH = 80, 12, 2000
_SIZE_OF_A_LOOK = (7, 4)
_LAYOUTS = ("constrained", "tight")


def picture(case, look="plain", *, size=_SIZE_OF_A_LOOK, layout=None):
    """Draw a case in a look and return it as an image; with a layout engine, in Axes of a user's figure."""
    draw, frame = CASES[case]
    file = BytesIO()
    with style.context(["default", *LOOKS[look]]):
        where = {"figsize": size} if layout is None else {"ax": plt.subplots(figsize=size, layout=layout)[1]}
        figure = draw(frame(), **where).figure
        figure.savefig(file, dpi=_DPI, facecolor="auto")
        plt.close(figure)
    return Image.open(file)


def sheet(pictures):
    """Paste pictures into rows, each in a thin frame."""
    rows, left, top, height = [], _MARGIN, _MARGIN, 0
    for image in pictures:
        if left > _MARGIN and left + image.width + _MARGIN > _WIDTH:
            left, top, height = _MARGIN, top + height + _MARGIN, 0
        rows.append((left, top, image))
        left, height = left + image.width + _MARGIN, max(height, image.height)
    page = Image.new("RGB", (_WIDTH, top + height + _MARGIN), "#c8c8c8")
    for x, y, image in rows:
        page.paste(image, (x, y))
        ImageDraw.Draw(page).rectangle((x - 1, y - 1, x + image.width, y + image.height), outline="black")
    return page


def main(folder):
    """Draw all sheets into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", sp.errors.SuburbWarning)
    with sp.connect(api_key="embedded"):
        for case in CASES:
            own = [picture(case, size=size) for size in SIZES]
            given = [picture(case, size=SIZES[1], layout=layout) for layout in _LAYOUTS]
            sheet([*own, *given]).save(folder / f"{case}.png")
        for look in LOOKS:
            in_look = sheet([picture(case, look) for case in CASES])
            (in_look.convert("L") if look == "grayscale" else in_look).save(folder / f"look, {look}.png")
    sys.stdout.write(f"{folder}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
