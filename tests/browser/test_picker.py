"""The suburb picker in JupyterLab, used with a keyboard and found by its roles and names, as by a screen reader."""

from tests.browser.visit import expect, press

PICKER = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    picker = sp.SuburbPicker()
    picker
"""

SERVICE = """
    import json
    import warnings
    import ipywidgets
    import suburb_pandas as sp
    from tests.support.adversary import serve

    warnings.filterwarnings("ignore", "Glyph")  # matplotlib's font lacks the emoji

    service = serve()
    sp.connect(api_key="mib_live_anything", base_url=service.url, store=":memory:")
    evil = "<img src=x onerror=hacked=1><b id=hacked>O'Bay</b> \\"&amp;\\" 🏖"
    candidate = {"area_name": evil, "information": {"state": "Victoria", "lga": evil}}
    service.answer("bay", "geocode", body=json.dumps({"data": [candidate]}).encode())
    driver = {"label": evil, "coverage_pct": 10.0, "premium_dollars": 5, "pct_of_median": 0.1, "detail": evil}
    impacts = {"area_name": evil, "area_level": "suburb", "n_sales": 3, "median_price": 9, "total_premium": 5}
    service.answer(evil, "impacts", body=json.dumps({"data": {**impacts, "drivers": [driver]}}).encode())
    picker = sp.SuburbPicker(endpoint="impacts")
    ipywidgets.VBox([picker, sp.SuburbPicker("Woylie")])
"""


def check_removal_by_keyboard(page, picker, box):
    """When a suburb goes, the focus stays in the list; when the last one goes, it is in the box again."""
    picker.get_by_role("button", name="Remove Lantern Bay (Tas.)").focus()
    press(page, "Enter")
    expect(picker.get_by_role("button", name="Remove Quokka Bay")).to_be_focused()
    press(page, "Delete")
    expect(box).to_be_focused()


def check_a_late_answer(opened, picker, options):
    """The answer to an earlier search does not replace the suggestions for the present text."""
    opened.page.keyboard.type("quokka", delay=20)
    expect(options).to_have_count(2)
    late = "setattr(picker, '_suggested', {**picker._suggested, 'text': 'lantern', 'hits': []})"
    opened.value(f"({late}, setattr(picker, '_said', 'the late answer has come'))")
    expect(picker.get_by_role("status")).to_have_text("the late answer has come")
    expect(options).to_have_count(2)


def test_suburbs_are_found_chosen_loaded_and_removed_by_keyboard(notebook):
    """The picker works by keyboard alone, the kernel has the state that the page shows, and JupyterLab takes no key."""
    opened = notebook(PICKER)
    page = opened.page
    picker = page.locator(".suburb-picker")
    box = picker.get_by_role("combobox", name="Suburb")
    box.focus()
    page.keyboard.type("lantern b", delay=20)
    options = picker.get_by_role("listbox", name="Suggested suburbs").get_by_role("option")
    expect(options).to_have_text(
        [
            "Lantern Bay (NSW) NSW, Curlew Shores",
            "Lantern Bay (Tas.) TAS, Muttonbird Straits",
            "Lantern Bay Junction NSW, Curlew Shores",
        ]
    )
    expect(picker.get_by_role("status")).to_have_text("3 suggestions for “lantern b”")
    expect(picker.locator(".suburb-total")).to_be_hidden()
    press(page, "ArrowDown", "ArrowDown")
    expect(picker.get_by_role("option", selected=True)).to_contain_text("Lantern Bay (Tas.)")
    assert box.get_attribute("aria-activedescendant") == options.nth(1).get_attribute("id")
    press(page, "Enter")
    expect(options).to_have_count(0)
    check_a_late_answer(opened, picker, options)
    press(page, "ArrowDown", "Enter")
    expect(picker.get_by_role("status")).to_have_text("Quokka Bay chosen")
    expect(picker.get_by_role("list", name="Chosen suburbs").locator("span")).to_have_text(
        ["Lantern Bay (Tas.)", "Quokka Bay"]
    )
    load = picker.get_by_role("button", name="Load: 2 calls, free")
    expect(load).to_be_enabled()
    expect(picker.get_by_role("button", name="Look up", exact=True)).to_be_disabled()
    assert opened.value("(picker.value, len(sp.ledger()))") == (("Lantern Bay (Tas.)", "Quokka Bay"), 0)

    press(page, *["Tab"] * 4, "b", "Tab")  # over Remove all, Undo, the list and the kind of data
    expect(load).to_be_focused()
    press(page, "Enter")
    chart = picker.get_by_role("img", name="Chart of the rents of Lantern Bay (Tas.), Quokka Bay")
    expect(chart).to_be_visible()
    controls = picker.locator(".suburb-controls").first.evaluate("controls => controls.clientWidth")
    assert chart.evaluate("image => [image.naturalWidth, image.width]") == [controls, controls]
    expect(picker.get_by_role("table")).to_be_visible()
    expect(picker.get_by_role("button", name="Load: stored, free")).to_be_focused()
    code = "sp.rent(['Lantern Bay (Tas.)', 'Quokka Bay'])"
    expect(picker.get_by_role("textbox", name="Code that loads this frame again")).to_have_value(code)
    assert opened.value("(picker.code, picker.error, len(sp.ledger()))") == (code, None, 2)

    press(page, "Shift+Tab", "ArrowDown")
    expect(picker.get_by_role("group", name="Data").get_by_role("radio", checked=True)).to_have_value("impacts")
    expect(picker.get_by_role("button", name="Load: 2 calls, free")).to_be_enabled()
    assert opened.value("picker.endpoint") == "impacts"

    check_removal_by_keyboard(page, picker, box)
    assert page.locator(".jp-Cell").count() == 1


def test_nothing_that_the_service_sends_becomes_markup(notebook):
    """Names, places, labels and errors are shown as text, and a press buys only at the price on its button."""
    opened = notebook(SERVICE)
    page, evil = opened.page, opened.value("evil")
    picker, other = page.locator(".suburb-picker").all()
    expect(picker.get_by_role("radio", checked=True)).to_have_value("impacts")
    expect(other.get_by_role("radio", checked=True)).to_have_value("rent")
    picker.get_by_role("combobox", name="Suburb").click()
    page.keyboard.type("bay", delay=20)
    picker.get_by_role("button", name="Look up “bay” (1 cent)").click()
    picker.get_by_role("option").click()
    expect(picker.get_by_role("button", name=f"Remove {evil}")).to_be_visible()
    picker.get_by_role("button", name="Load: 1 call, 10 cents").dblclick()
    expect(picker.get_by_role("button", name="Load: stored, free")).to_be_enabled()
    expect(picker.get_by_role("table")).to_contain_text(evil)
    assert opened.value("(picker.value, sp.ledger()['cents'].to_list())") == ((evil,), [1, 10])

    opened.value("setattr(picker, 'value', (evil, 'Quokka Bay', 'Woylie'))")
    opened.value("service.close()")
    picker.get_by_role("radio", name="Rents").check()
    picker.get_by_role("button", name="Load: 3 calls, 90 cents").click()
    expect(picker.get_by_role("alert")).to_contain_text("The service could not be reached for")
    assert page.evaluate("[typeof window.hacked, document.querySelectorAll('#hacked, img[src=x]').length]") == [
        "undefined",
        0,
    ]
