"""A notebook with a suburb picker is saved in JupyterLab, and opened again without a kernel."""

import nbformat

from suburb_pandas.notebook.result.saved import is_saved_output
from tests.support.visit import expect

PICKER = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    picker = sp.SuburbPicker(["Quokka Bay", "Woylie"])
    picker
"""
BELOW = "print('\\n'.join('This line is below the picker.' for _ in range(60)))"
FOCUSED = "() => [document.activeElement.textContent, document.activeElement.getBoundingClientRect().top]"


def test_a_saved_notebook_shows_without_a_kernel_what_the_picker_loaded(visit, notebook):
    """While the picker runs, nothing else is shown. A load moves neither the page nor the focus."""
    opened = notebook(PICKER, BELOW)
    page = opened.page
    load = page.get_by_role("button", name="Load: 2 calls, free")
    load.focus()
    _, top = page.evaluate(FOCUSED)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Load: stored, free")).to_be_focused()
    expect(page.locator(".suburb-saved")).to_contain_text("sp.rent(['Quokka Bay', 'Woylie'])")
    expect(page.locator(".jp-Cell").first.get_by_role("table")).to_have_count(1)
    expect(page.locator(".suburb-picker").get_by_role("table")).to_be_visible()
    expect(page.locator(".suburb-saved")).to_be_hidden()
    assert page.evaluate(FOCUSED) == ["Load: stored, free", top]

    path = opened.save()
    outputs = nbformat.read(path, as_version=4).cells[0].outputs
    assert [is_saved_output(output) for output in outputs] == [False, True]
    page = visit.view(path)
    saved = page.locator(".suburb-saved")
    expect(saved.get_by_role("table").get_by_role("row")).to_have_count(1 + 2 * 3)
    expect(saved).to_contain_text("sp.rent(['Quokka Bay', 'Woylie'])")
    expect(saved.get_by_role("cell", name="739")).to_have_css("text-align", "right")
