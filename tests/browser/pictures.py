"""Make the pictures of the README and of the notebooks again: ``python -m tests.browser.pictures``."""

import tempfile
from pathlib import Path

from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.browser.lab import PROJECT, chromium_path, jupyterlab, missing
from tests.browser.visit import Visit, chromium, expect

FOLDER = PROJECT / "notebooks/pictures"

PICKER = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    picker = sp.SuburbPicker(["Quokka Bay", "Lantern Bay (NSW)"])
    picker
"""


def draw_rents(path):
    """Draw the chart of the README."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    with sp.connect(api_key="embedded"):
        sp.plot_rent(sp.rent("Quokka Bay"), ax=figure.subplots())
    figure.savefig(path, dpi=100)


def photograph_picker(visit, path):
    """Photograph the picker with a chart below it and suggestions open."""
    page = visit.open(PICKER).page
    picker = page.locator(".suburb-picker")
    picker.get_by_role("button", name="Load: 2 calls, free").click()
    expect(picker.get_by_role("button", name="Load: stored, free")).to_be_enabled()
    expect(picker.get_by_role("img")).to_be_visible()
    picker.get_by_role("combobox").focus()
    page.keyboard.type("mount")
    expect(picker.get_by_role("option")).not_to_have_count(0)
    page.keyboard.press("ArrowDown")
    picker.screenshot(path=path)


def main():
    """Make them all."""
    if reason := missing():
        raise SystemExit(reason)
    draw_rents(FOLDER / "rents.png")
    with (
        tempfile.TemporaryDirectory() as folder,
        jupyterlab(Path(folder)) as lab,
        chromium(chromium_path()) as browser,
    ):
        visit = Visit(lab, browser)
        photograph_picker(visit, FOLDER / "picker.png")
        visit.end()


if __name__ == "__main__":
    main()
