"""The suburb picker in JupyterLab, 640 pixels wide: no click is lost, and no price is out of sight when it is paid."""

from tests.browser.visit import expect

LIVE = """
    import pandas as pd
    import suburb_pandas as sp
    from suburb_pandas.sandbox import SUBURBS
    from tests.support.adversary import serve

    service = serve()
    sp.connect(api_key="mib_live_anything", base_url=service.url, store=":memory:")
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": [suburb.name for suburb in SUBURBS]}))
    picker = sp.SuburbPicker(["Quokka Bay", "Bilby Heights", "Emu Parade"])
    picker
"""

OPACITY = "node => Number(getComputedStyle(node.closest('.suburb-result > *')).opacity)"
CLICK = """([x, y, timeStamp]) => {
    const event = new MouseEvent("click", {detail: 1, clientX: x, clientY: y, bubbles: true});
    Object.defineProperty(event, "timeStamp", {value: timeStamp});
    document.elementFromPoint(x, y).dispatchEvent(event);
}"""
"""A click at a time, in milliseconds, that does not depend on the machine."""
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until the page has been drawn twice."""


def shown_price(button):
    """Return the label of a button if all of it can be seen: inside the button, the picker and the window."""
    is_whole = button.evaluate(
        """button => {
            const text = document.createRange();
            text.selectNodeContents(button);
            const inner = text.getBoundingClientRect();
            const page = {left: 0, right: innerWidth, bottom: innerHeight};
            const output = button.closest(".jp-OutputArea-output").getBoundingClientRect();
            return [button.getBoundingClientRect(), output, page].every(outer =>
                inner.left >= outer.left && inner.right <= outer.right && inner.bottom <= outer.bottom);
        }"""
    )
    return button.text_content() if is_whole else None


def type_with_open_list(page, picker, text="perentie", number=1):
    """Type a text, and wait until the list is open and has a number of suggestions."""
    box = picker.get_by_role("combobox", name="Suburb")
    box.fill("")
    box.click()
    page.keyboard.type(text)
    expect(picker.get_by_role("option")).to_have_count(number)


def click(page, control, meanwhile=lambda: None):
    """Click where a control is, as a person does: press, a moment later release. Something may happen meanwhile."""
    box = control.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate(FRAMES)
    meanwhile()
    page.mouse.up()


def parts_of(page):
    """Return the picker of a page, and its two buttons with a price."""
    picker = page.locator(".suburb-picker")
    return picker, picker.locator(".suburb-offers-load"), picker.locator(".suburb-offers-look-up")


def check_clicks_under_suggestions(page):
    """Open suggestions move nothing; every click below them takes effect, and then the list closes."""
    picker, load, look_up = parts_of(page)
    remove, undo, clear = (
        picker.get_by_role("button", name=name) for name in ("Remove Emu Parade", "Undo", "Remove all")
    )
    rents, impacts = (picker.get_by_role("radio", name=name) for name in ("Rents", "Amenity price impacts"))
    count, suggestions = picker.locator(".suburb-count"), picker.get_by_role("listbox")
    expect(undo).to_be_hidden()
    place = count.bounding_box()
    for control, changed, text in [
        (remove, count, "2 suburbs chosen"),
        (undo, count, "3 suburbs chosen"),
        (impacts, load, "Load: 3 calls, 30 cents"),
        (rents, load, "Load: 3 calls, 90 cents"),
        (clear, load, "Load"),
        (undo, load, "Load: 3 calls, 90 cents"),
        (look_up, look_up, "Look up “perentie” (stored, free)"),
        (count, look_up, "Look up “perentie” (stored, free)"),
    ]:
        type_with_open_list(page, picker)
        assert count.bounding_box()["y"] == place["y"]
        click(page, control, meanwhile=expect(suggestions).to_be_visible)
        expect(changed).to_have_text(text)
        if control is not look_up:  # its candidates are in the list
            expect(suggestions).to_have_count(0)


def check_nothing_moves_under_the_pointer(opened):
    """What changes while the pointer is down is shown after the click, which reaches the control that was pressed."""
    picker, load, _ = parts_of(opened.page)
    chosen = "('Quokka Bay', 'Bilby Heights', 'Emu Parade')"
    more = f"setattr(picker, 'value', {chosen} + tuple('Emu Parade Number %d' % n for n in range(9)))"
    click(opened.page, picker.get_by_role("radio", name="Amenity"), meanwhile=lambda: opened.value(more))
    expect(load).to_have_text("Load: 12 calls, 120 cents")
    expect(picker.locator(".suburb-count")).to_have_text("12 suburbs chosen")
    opened.value(f"picker.set_trait('value', {chosen}), picker.set_trait('endpoint', 'rent')")


def check_stray_clicks(opened):
    """The second click of a double click on a suggestion does nothing, although a button is below the list."""
    page = opened.page
    picker, load, _ = parts_of(page)
    type_with_open_list(page, picker, "b", 10)
    option = picker.get_by_role("option").first.bounding_box()
    x, y = option["x"] + 30, option["y"] + option["height"] / 2
    row = picker.locator(".suburb-buttons")
    row.evaluate(
        """(row, [x, y]) => {
            row.setAttribute("style", "position: fixed; left: 0; top: 0");
            const {left, top} = row.getBoundingClientRect();
            row.setAttribute("style", `position: fixed; left: ${x - left - 20}px; top: ${y - top - 15}px`);
        }""",
        [x, y],
    )
    page.evaluate(CLICK, [x, y, 1e9])
    expect(load).to_have_text("Load: 4 calls, 120 cents")
    page.evaluate(CLICK, [x, y, 1e9 + 499])
    assert opened.value("len(sp.ledger())") == 1
    expect(load).to_have_text("Load: 4 calls, 120 cents")
    row.evaluate("row => row.removeAttribute('style')")
    picker.get_by_role("button", name="Undo").click()


def check_a_look_up_is_of_the_text_in_the_box(opened):
    """A press of Look up that comes before the button has changed with the text buys nothing."""
    page = opened.page
    picker, _, look_up = parts_of(page)
    box = picker.get_by_role("combobox", name="Suburb")
    box.fill("woylie")
    expect(look_up).to_have_text("Look up “woylie” (1 cent)")
    look_up.evaluate(
        """button => {
            const box = button.closest(".suburb-picker").querySelector("[role=combobox]");
            box.value = "kestrel";
            button.click();
        }"""
    )
    expect(look_up).to_have_text("Look up “kestrel” (1 cent)")
    expect(picker.get_by_role("status")).to_contain_text("The text has changed. Nothing was sent")
    box.fill("")


def check_the_price_is_whole(opened):
    """The price is in as many lines as it takes, and a button on which it does not fit cannot be pressed."""
    picker, load, _ = parts_of(opened.page)
    expect(load).to_have_text("Load: 3 calls, 90 cents")
    assert shown_price(load) == "Load: 3 calls, 90 cents"
    expect(picker.locator(".suburb-price")).to_have_text(
        "Limits: 2000 cents a request; 5000 a month, of which 1 is spent."
    )
    assert picker.locator(".suburb-progress").evaluate("bar => bar.getBoundingClientRect().height") == 0
    load.evaluate("button => button.setAttribute('style', 'width: 60px; white-space: nowrap; overflow: hidden')")
    click(opened.page, load)
    expect(picker.get_by_role("status")).to_contain_text("The price does not fit on the button, so nothing was sent.")
    load.evaluate("button => button.removeAttribute('style')")


def check_a_charge_that_is_not_certain(opened):
    """A call that may have been charged is named beside the price until it is settled, and in the alert.

    The result of other suburbs is dimmed until the press, and its heading says of what it is.
    """
    page = opened.page
    picker, load, _ = parts_of(page)
    price, heading = picker.locator(".suburb-price"), picker.locator(".suburb-heading")
    opened.value("service.fail('server_error', name='Emu Parade')")
    type_with_open_list(page, picker)
    click(page, load)
    expect(price).to_contain_text("An earlier call for Emu Parade may have cost 30 cents")
    expect(picker.get_by_role("alert")).to_contain_text("The service failed on 'Emu Parade' (500")
    expect(load).to_have_text("Load: 1 call, 30 cents")
    opened.value("setattr(picker, 'value', ('Emu Parade', 'Woylie'))")
    expect(load).to_have_text("Load: 2 calls, 60 cents")
    expect(heading).to_have_text("Earlier result: rents of Quokka Bay, Bilby Heights (2 of 3 suburbs)")
    looks = [picker.get_by_role(role) for role in ("img", "table")]
    assert max(look.evaluate(OPACITY) for look in looks) < 1
    click(page, load)
    expect(heading).to_have_text("Rents of Emu Parade, Woylie")
    expect(price).to_be_hidden()
    assert [look.evaluate(OPACITY) for look in looks] == [1, 1]


def test_no_click_is_lost_and_no_price_is_hidden(notebook):
    """Each click takes effect, and a press pays no more than the price that was shown."""
    opened = notebook(LIVE, width=640)
    check_clicks_under_suggestions(opened.page)
    assert opened.value("sp.ledger()[['area_name', 'cents']].values.tolist()") == [["perentie", 1]]
    check_nothing_moves_under_the_pointer(opened)
    check_stray_clicks(opened)
    check_a_look_up_is_of_the_text_in_the_box(opened)
    check_the_price_is_whole(opened)
    assert opened.value("len(sp.ledger())") == 1
    check_a_charge_that_is_not_certain(opened)
    assert opened.value("(int(sp.ledger()['cents'].sum()), picker.error)") == (151, None)
