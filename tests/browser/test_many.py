"""The suburb picker in JupyterLab, 640 pixels wide, with many names: typed, pasted, undone, and loaded."""

import re

from tests.browser.visit import expect, press

MANY = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    names = sp.places().index.to_list()
    picker = sp.SuburbPicker()
    picker
"""
PASTE = """(input, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    input.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
}"""


def parts_of(page):
    """Return the picker of a page, its text box, the list of what is chosen, and its status."""
    picker = page.locator(".suburb-picker")
    box = picker.get_by_role("combobox", name="Suburb")
    return picker, box, picker.get_by_role("list", name="Chosen suburbs"), picker.get_by_role("status")


def check_suggestions(page):
    """Of many suggestions ten are shown, and the list says of how many they are the first."""
    picker, box, _, _ = parts_of(page)
    box.focus()
    page.keyboard.type("b")
    expect(picker.locator(".suburb-total")).to_have_text(re.compile("^10 of .* suggestions for “b”$"))
    expect(picker.get_by_role("option")).to_have_count(10)
    press(page, "Escape")
    expect(picker.get_by_role("listbox")).to_have_count(0)
    box.fill("")


def check_advice(page):
    """A text that finds nothing says why. The line that leads on can be copied, until a text finds something."""
    picker, box, _, status = parts_of(page)
    box.fill("parramatta")
    advice = picker.locator(".suburb-advice")
    expect(advice).to_contain_text("Only made-up suburbs are known here")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy = advice.get_by_role("button", name="Copy")
    copy.click()
    expect(status).to_have_text("The line was copied")
    assert page.evaluate("navigator.clipboard.readText()") == 'sp.connect(api_key="test")'
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('forbidden')) }")
    copy.click()
    expect(status).to_contain_text("select the line and copy it")
    box.fill("quokka")
    expect(advice).to_be_hidden()
    box.fill("")


def check_enter(page):
    """Enter takes an exact name at once, without waiting for suggestions; on anything else it says why not."""
    _, box, chosen, status = parts_of(page)
    page.keyboard.type("Quokka Bay")
    press(page, "Enter")
    expect(chosen.locator("span")).to_have_text(["Quokka Bay"])
    expect(box).to_have_value("")
    page.keyboard.type("Lantern Bay")
    press(page, "Enter")
    expect(status).to_contain_text("“Lantern Bay”: can mean several suburbs; choose one of the suggestions")
    box.fill("")


def check_pasting(page):
    """A pasted list becomes names; what is not settled is listed, with the names to choose from."""
    picker, box, chosen, _ = parts_of(page)
    box.evaluate(PASTE, "Woylie, Lantern Bay\nKestrel Hill (Vic.)\tNowhere At All, Bilby Heights")
    expect(chosen.locator("span")).to_have_text(["Quokka Bay", "Woylie", "Kestrel Hill (Vic.)", "Bilby Heights"])
    open_names = picker.get_by_role("list", name="2 names need checking").get_by_role("listitem")
    expect(open_names).to_have_count(2)
    open_names.first.get_by_role("button", name="Lantern Bay (Tas.)").click()
    expect(chosen.locator("span").last).to_have_text("Lantern Bay (Tas.)")
    picker.get_by_role("button", name="Dismiss Nowhere At All").click()


def check_two_hundred_suburbs(opened):
    """Two hundred suburbs have one Tab stop with arrow keys, a count, remove all, and undo."""
    page = opened.page
    picker, box, chosen, status = parts_of(page)
    opened.value("setattr(picker, 'value', names[:150] + ['Emu Parade Number %d' % n for n in range(50)])")
    expect(picker.locator(".suburb-count")).to_have_text("200 suburbs chosen")
    picker.get_by_role("button", name="Undo").focus()
    press(page, "Tab", "Tab")
    expect(picker.get_by_role("radio", name="Rents")).to_be_focused()
    press(page, "Shift+Tab", "ArrowRight", "ArrowDown", "End", "PageUp", "PageUp", "PageDown", "ArrowLeft")
    expect(picker.get_by_role("button", name="Remove Emu Parade Number 38")).to_be_focused()
    for key, number in [("Delete", 199), ("Control+z", 200), ("Backspace", 199)]:
        press(page, key)
        expect(picker.locator(".suburb-count")).to_have_text(f"{number} suburbs chosen")
    expect(picker.get_by_role("button", name="Remove Emu Parade Number 39")).to_be_focused()
    press(page, "Home", "Tab", "Shift+Tab")
    expect(chosen.get_by_role("button").first).to_be_focused()
    press(page, "Shift+Tab", "Shift+Tab", "Enter")
    expect(chosen).to_be_hidden()
    expect(status).to_have_text("199 suburbs removed")
    expect(box).to_be_focused()
    picker.get_by_role("button", name="Undo").click()
    expect(picker.locator(".suburb-count")).to_have_text("199 suburbs chosen")


def check_progress(opened):
    """Progress has a role, a name and n of N while it lasts, and can be cancelled; its end is announced."""
    page = opened.page
    picker, _, _, status = parts_of(page)
    opened.value("setattr(picker, 'value', names[:40])")
    page.evaluate(
        """() => {
            const pane = document.querySelector(".suburb-progress");
            const bar = pane.querySelector("progress");
            window.seen = [];
            const note = () => seen.push([bar.getAttribute("aria-label"), bar.value, bar.max, pane.innerText]);
            new MutationObserver(note).observe(pane, {attributes: true, childList: true, subtree: true});
        }"""
    )
    picker.get_by_role("button", name="Load: 40 calls, free").click()
    expect(status).to_have_text(re.compile(r"^\d+ suburbs loaded$"))
    seen = page.evaluate("seen")
    assert any([name, top] == ["Loading", 40] and f"Loading: {now:g} of 40" in text for name, now, top, text in seen)
    expect(picker.get_by_role("progressbar")).to_have_count(0)
    assert picker.locator(".suburb-progress").evaluate("pane => pane.getBoundingClientRect().height") == 0


def test_many_names_are_pasted_listed_undone_and_loaded_by_keyboard(notebook):
    """Names are taken and never guessed, and two hundred of them are as easy to handle as two."""
    opened = notebook(MANY, width=640)
    check_suggestions(opened.page)
    check_advice(opened.page)
    check_enter(opened.page)
    check_pasting(opened.page)
    check_two_hundred_suburbs(opened)
    check_progress(opened)
    assert opened.value("picker.error") is None
