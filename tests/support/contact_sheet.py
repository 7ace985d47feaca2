"""Draws every chart on contact sheets, for people to look at: ``python -m tests.support.contact_sheet``.

There is a sheet for each case, in all sizes, and two for each look, with all cases in one size.
"""

import sys
import warnings
from io import BytesIO
from itertools import product
from pathlib import Path

from matplotlib import style
from matplotlib.figure import Figure
from PIL import Image, ImageDraw

import suburb_pandas as sp
from tests.support.chart_cases import CASES, LOOKS, SIZES
from tests.support.lab import PROJECT

FOLDER = PROJECT / "build/contact_sheets"
_DPI, _MARGIN, _WIDTH = 100, 12, 1600
_SIZES_OF_A_LOOK = [(3, 2), (4.8, 3.6)]


def picture(case, size, look):
    """Draw a case in a size and a look, and return it as an image."""
    draw, frame = CASES[case]
    file = BytesIO()
    with style.context(["default", *LOOKS[look]]):
        figure = Figure(figsize=size)
        draw(frame(), ax=figure.subplots())
        figure.savefig(file, dpi=_DPI)
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
            sheet([picture(case, size, "plain") for size in SIZES]).save(folder / f"{case}.png")
        for look, size in product(LOOKS, _SIZES_OF_A_LOOK):
            sheet([picture(case, size, look) for case in CASES]).save(
                folder / f"look, {look}, {size[0]} by {size[1]}.png"
            )
        in_colour = sheet([picture(case, size, "plain") for size in _SIZES_OF_A_LOOK for case in CASES])
        in_colour.convert("L").save(folder / "look, printed in grey.png")
    sys.stdout.write(f"{folder}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
