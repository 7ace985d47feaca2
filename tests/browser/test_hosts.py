"""The suburb picker in Notebook 7 and in Voila, from the first letter to chart and table."""

import pytest

from tests.browser.visit import expect

PICKER = """
    import suburb_pandas as sp

    sp.connect(api_key="embedded")
    picker = sp.SuburbPicker()
    picker
"""

PLAIN = """
    import anywidget

    class Greeting(anywidget.AnyWidget):
        _esm = "export default { render({ el }) { el.textContent = 'Good morning' } }"

    Greeting()
"""


def find(picker, text):
    """Type a text, and return the suggestions when they have come."""
    picker.get_by_role("combobox", name="Suburb").click()
    picker.page.keyboard.type(text, delay=20)
    options = picker.get_by_role("listbox", name="Suggested suburbs").get_by_role("option")
    expect(options).not_to_have_count(0)
    return options


def expect_results(picker, kind, *names):
    """Wait for the chart and the table of a kind of data about some suburbs."""
    chart = picker.get_by_role("img", name=f"Chart of the {kind} of {', '.join(names)}")
    expect(chart).to_be_visible()
    assert chart.evaluate("async image => { await image.decode(); return image.naturalWidth > 500 }")
    for name in names:
        expect(picker.get_by_role("table")).to_contain_text(name)


def use_with_a_mouse(picker):
    """Find, choose and load a suburb with clicks."""
    find(picker, "quokka b").first.click()
    expect(picker.get_by_role("list", name="Chosen suburbs")).to_contain_text("Quokka Bay")
    picker.get_by_role("button", name="Load: 1 call, free").click()
    expect_results(picker, "rents", "Quokka Bay")


def use_with_a_keyboard(picker):
    """Find and choose another suburb, choose the other data, and load both with keys alone."""
    press = picker.page.keyboard.press
    find(picker, "lantern b")
    press("ArrowDown")
    expect(picker.get_by_role("option", selected=True)).to_contain_text("Lantern Bay (NSW)")
    press("Enter")
    expect(picker.get_by_role("button", name="Remove Lantern Bay (NSW)")).to_be_visible()
    picker.get_by_role("radio", name="Rents").focus()
    press("ArrowDown")
    load = picker.get_by_role("button", name="Load: 2 calls, free")
    expect(load).to_be_enabled()
    load.focus()
    press("Enter")
    expect_results(picker, "amenity price impacts", "Quokka Bay", "Lantern Bay (NSW)")


@pytest.mark.long
def test_the_picker_works_in_other_hosts_too(notebook, host):
    """In Notebook 7 and in Voila, the picker finds, loads and shows suburbs, with a mouse and with a keyboard."""
    opened = notebook(PICKER, host=host)
    picker = opened.page.locator(".suburb-picker")
    use_with_a_mouse(picker)
    use_with_a_keyboard(picker)
    assert opened.value("(picker.value, picker.endpoint, picker.error, len(sp.ledger()))") == (
        ("Quokka Bay", "Lantern Bay (NSW)"),
        "impacts",
        None,
        3,
    )


@pytest.mark.long
def test_requests_that_do_not_count_are_the_host_s_own(visit, host):
    """A page without a picker makes each of the requests to other servers that are not held against the picker."""
    opened = visit.open(PLAIN, host=host)
    expect(opened.page.get_by_text("Good morning", exact=True)).to_be_visible()
    made = [next((own for own in host.requests if url.startswith(own)), url) for url in visit.outside]
    assert sorted(made) == sorted(host.requests)


@pytest.mark.long
def test_a_failing_cell_fails_the_test_in_each_host(visit, host):
    """If a cell raises an error, no host's notebook passes as one that has run."""
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        visit.open("1 / 0", host=host)
