"""Makes the pictures of the README and of the notebooks: ``python -m tests.support.pictures``."""

import tempfile
import warnings
from pathlib import Path

from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.support.lab import PROJECT, chromium_path, jupyterlab, missing
from tests.support.visit import Visit, chromium, expect

FOLDER = PROJECT / "notebooks/pictures"

PICKERS = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    display(sp.SuburbPicker(["Quokka Bay", "Lantern Bay (NSW)"]))
    display(sp.SuburbPicker(["Lantern Bay (NSW)", "Quokka Bay", "Mangrove Steps"], "impacts"))
"""


def draw_rents(path):
    """Draw the chart of the README."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    with sp.connect(api_key="embedded"):
        sp.plot_rent(sp.rent("Quokka Bay"), ax=figure.subplots())
    figure.savefig(path, dpi=100)


def draw_map(path):
    """Draw the map of the README."""
    figure = Figure(figsize=(9, 7.4))
    with sp.connect(api_key="embedded"), warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.DataWarning)
        card = sp.scorecard(sp.places(state="NSW").index)
        sp.plot_map(card, sp.sandbox_boundaries(), column="house_growth_1y_pct", ax=figure.subplots())
    figure.savefig(path, dpi=100)


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
    rents.screenshot(path=FOLDER / "picker.png")
    impacts.screenshot(path=FOLDER / "picker_of_impacts.png")


def main():
    """Make all pictures."""
    if reason := missing():
        raise SystemExit(reason)
    draw_rents(FOLDER / "rents.png")
    draw_map(FOLDER / "map.png")
    with (
        tempfile.TemporaryDirectory() as folder,
        jupyterlab(Path(folder)) as lab,
        chromium(chromium_path()) as browser,
    ):
        visit = Visit(lab, browser)
        photograph_pickers(visit)
        visit.end()


if __name__ == "__main__":
    main()
