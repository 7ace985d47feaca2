"""Makes the pictures of the README, the notebooks and the states of the picker: ``python -m tests.browser.pictures``.

``python -m tests.browser.pictures charts notebooks`` makes only some of them; the pickers need a browser.
"""

import sys
import tempfile
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import nbformat
from PIL import Image

import suburb_pandas as sp
from tests.browser.lab import PROJECT, chromium_path, jupyterlab, missing
from tests.browser.test_looks import LIVE, states
from tests.browser.visit import Visit, chromium, expect
from tests.plotting.chart_cases import quietly
from tests.plotting.contact_sheet import sheet
from tests.support.notebooks import PATHS

FOLDER = PROJECT / "notebooks/pictures"

PICKERS = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    display(sp.SuburbPicker(["Quokka Bay", "Lantern Bay (NSW)"]))
    display(sp.SuburbPicker(["Lantern Bay (NSW)", "Quokka Bay", "Mangrove Steps"], "impacts"))
"""

HALF_A_PAGE = (4.8, 4.1)
"""The size of a chart, in inches, whose words can be read where two of them stand side by side."""

SHOWN_OF = {"02_monthly_and_weekly": 3, "04_amenity_premiums": 0, "06_regions_and_maps": 5}
"""The number of the picture that stands for a notebook, of those in its outputs. Of the others it is the last one."""

PICKER_ONLY = "03_names_and_the_picker"
"""The notebook for which the top of the picker stands: its outputs have no picture of the picker."""

_WIDTH = 640  # pixels; a page shows the picture at half of that, so that it is sharp on a dense screen
_COLOURS = 256


def store(picture, path):
    """Write a picture as a PNG of few colours, which takes a third of the space and looks the same."""
    few = picture.convert("RGB").quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def store_figure(ax, path):
    """Write the figure of Axes as a picture, 900 to 1000 pixels wide."""
    drawn = BytesIO()
    ax.figure.savefig(drawn, format="png", dpi=200)
    store(Image.open(drawn), path)


def draw_charts():
    """Draw the chart and the map of the README."""
    with sp.connect(api_key="embedded"):
        store_figure(sp.plot_rent(sp.rent("Quokka Bay"), figsize=HALF_A_PAGE), FOLDER / "rents.png")
        suburbs, shapes = sp.places(state="NSW").index, sp.sandbox_boundaries()
        shapes = shapes[shapes["SAL_NAME_2021"].isin(suburbs)]
        ax = sp.plot_map(quietly(sp.scorecard, suburbs), shapes, column="house_growth_1y_pct", figsize=HALF_A_PAGE)
        store_figure(ax, FOLDER / "map.png")


def load(picker):
    """Load the chosen suburbs, and wait for the chart."""
    picker.get_by_role("button", name="Load: ").click()
    expect(picker.get_by_role("button", name="Load: stored, free")).to_be_visible()
    expect(picker.get_by_role("img")).to_be_visible()


def photograph_pickers(visit):
    """Take screenshots of a picker of rents with open suggestions, and of a picker of impacts."""
    page = visit.open(PICKERS).page
    page.set_viewport_size({"width": 1200, "height": 3200})  # a screenshot shows only the viewport
    rents, impacts = page.locator(".suburb-picker").all()
    load(impacts)
    load(rents)
    rents.get_by_role("combobox").focus()
    page.keyboard.type("mount")
    expect(rents.get_by_role("option")).not_to_have_count(0)
    page.keyboard.press("ArrowDown")
    assert visit.troubles() == []
    for picker, name in [(rents, "picker.png"), (impacts, "picker_of_impacts.png")]:
        store(Image.open(BytesIO(picker.screenshot())), FOLDER / name)


def photograph_states(visit):
    """Take screenshots of the picker in each of its states, on one sheet, on a narrow and on a wide page."""
    for width in (640, 1100):
        opened = visit.open(LIVE, width=width)
        opened.page.set_viewport_size({"width": width, "height": 2600})  # a screenshot shows only the viewport
        picker = opened.page.locator(".suburb-picker")
        shots = [Image.open(BytesIO(picker.screenshot())) for _ in states(opened)]
        store(sheet(shots), FOLDER / f"picker_{width}.png")


def draw_pickers():
    """Make the pictures of the pickers, in JupyterLab."""
    if reason := missing():
        raise SystemExit(reason)
    with (
        tempfile.TemporaryDirectory() as folder,
        jupyterlab(Path(folder)) as lab,
        chromium(chromium_path()) as browser,
    ):
        visit = Visit(lab, browser)
        photograph_pickers(visit)
        photograph_states(visit)
        visit.end()


def pictures_in(path):
    """Return the pictures in the stored outputs of a notebook."""
    outputs = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", [])]
    found = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [Image.open(BytesIO(b64decode(picture))) for picture in found]


def shown_for(path):
    """Return the picture that stands for a notebook in the list of notebooks."""
    if path.stem == PICKER_ONLY:
        picker = Image.open(FOLDER / "picker.png").convert("RGB")
        return picker.crop((0, 0, picker.width, picker.width * 5 // 6))
    return pictures_in(path)[SHOWN_OF.get(path.stem, -1)].convert("RGB")


def copy_from_notebooks():
    """Make a small picture of each notebook, for the list of notebooks."""
    for path in PATHS:
        picture = shown_for(path)
        picture.thumbnail((_WIDTH, _WIDTH), Image.Resampling.LANCZOS)
        store(picture, FOLDER / f"{path.stem}.png")


MAKERS = {"charts": draw_charts, "pickers": draw_pickers, "notebooks": copy_from_notebooks}

if __name__ == "__main__":
    for which in sys.argv[1:] or MAKERS:
        MAKERS[which]()
