"""The suburb picker's first minute, in JupyterLab, 640 pixels wide: no key, the key test, and a key without a list."""

import re

from tests.browser.visit import expect

FRESH = """
    import ipywidgets
    import suburb_pandas as sp
    from tests.support.adversary import serve

    service = serve()
    test = sp.Client(api_key="test", store=":memory:")
    live = sp.Client(api_key="mib_live_anything", base_url=service.url, store=":memory:")
    pickers = [sp.SuburbPicker(["Bondi"]), sp.SuburbPicker(client=test), sp.SuburbPicker(client=live)]
    ipywidgets.VBox(pickers)
"""


def test_a_text_that_finds_nothing_says_why_and_what_to_do(notebook):
    """Each source says what it knows, and gives the lines that lead on; nothing is offered that cannot be had."""
    opened = notebook(FRESH, width=640)
    page = opened.page
    pickers = page.locator(".suburb-picker").all()
    for picker in pickers:
        picker.get_by_role("combobox", name="Suburb").click()
        page.keyboard.type("parramatta")
    without_key, with_test, with_live = pickers

    advice = without_key.locator(".suburb-advice")
    expect(advice).to_contain_text("Only made-up suburbs are known here")
    expect(advice.locator("code")).to_have_text('sp.connect(api_key="test")')
    for picker in (with_test, with_live):
        expect(picker.locator(".suburb-advice code")).to_contain_text("sp.load_gazetteer('SAL_2021_AUST.xlsx'")

    # A real suburb is not offered by the embedded sandbox.
    load = without_key.locator(".suburb-offers-load")
    expect(load).to_have_text("Load: free")
    load.click()
    expect(without_key.get_by_role("alert")).to_contain_text("made-up suburbs only, and none is called exactly 'Bondi'")
    assert opened.value("len(sp.ledger(client=live)) + len(sp.ledger(client=test)) + len(sp.ledger())") == 0

    # A line of the advice can be copied, and the advice goes when the text finds something.
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    advice.get_by_role("button", name="Copy").click()
    expect(without_key.get_by_role("status")).to_have_text("The line was copied")
    assert page.evaluate("navigator.clipboard.readText()") == 'sp.connect(api_key="test")'
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('forbidden')) }")
    advice.get_by_role("button", name="Copy").click()
    expect(without_key.get_by_role("status")).to_contain_text("select the line and copy it")
    box = with_test.get_by_role("combobox", name="Suburb")
    box.fill("bond")
    expect(with_test.get_by_role("option")).to_have_text([re.compile("Bondi")])
    expect(with_test.locator(".suburb-advice")).to_be_hidden()
    assert opened.value("[picker.error for picker in pickers[1:]]") == [None] * 2
