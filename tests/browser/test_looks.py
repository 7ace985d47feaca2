"""The suburb picker looks right and is accessible in each of its states, at each width and in each theme."""

import re

import pytest

from tests.browser import axe
from tests.browser.hosts import HOSTS, LAB, VOILA
from tests.browser.visit import expect

LIVE = """
    import pandas as pd
    import suburb_pandas as sp
    from suburb_pandas.sandbox import SUBURBS
    from tests.support.adversary import serve

    service = serve()
    sp.connect(api_key="mib_live_anything", base_url=service.url, store=":memory:")
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": [suburb.name for suburb in SUBURBS]}))
    picker = sp.SuburbPicker()
    picker
"""

# Returns the contrast of two colours, as WCAG 2 defines it.
CONTRAST = """
    const luminance = colour => {
        const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(level => level / 255)
            .map(level => level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const opaque = (colour, page) => { // a colour with an opacity, laid over a page
        const [r, g, b, share = 1] = colour.match(/[\\d.]+/g).map(Number);
        const under = page.match(/[\\d.]+/g).map(Number);
        return `rgb(${[r, g, b].map((level, at) => level * share + under[at] * (1 - share)).join(", ")})`;
    };
    const pageOf = node => {
        const {backgroundColor} = getComputedStyle(node);
        const parts = backgroundColor.match(/[\\d.]+/g);
        return parts[3] === "0" ? pageOf(node.parentElement) : backgroundColor;
    };
"""


def states(opened):
    """Bring the picker into each of its states in turn, and yield the name of the state."""
    page = opened.page
    picker = page.locator(".suburb-picker")
    box, load = picker.get_by_role("combobox", name="Suburb"), picker.locator(".suburb-offers-load")
    expect(load).to_be_visible()
    yield "empty"
    box.click()
    page.keyboard.type("b")
    expect(picker.locator(".suburb-total")).to_be_visible()
    page.keyboard.press("ArrowDown")
    yield "suggestions open"
    page.keyboard.press("Enter")
    page.keyboard.type("a suburb that is not here, with a long name")
    expect(picker.locator(".suburb-advice")).to_be_visible()
    yield "nothing found"
    box.fill("Lantern Bay, Nowhere At All, Quokka Bay, Bilby Heights")
    page.keyboard.press("Enter")
    expect(picker.locator(".suburb-unsettled")).to_be_visible()
    yield "names not settled"
    picker.get_by_role("button", name="Dismiss all").click()
    opened.value("service.fail('server_error', name='Quokka Bay')")
    load.click()
    expect(picker.get_by_role("alert")).to_be_visible()
    expect(picker.get_by_role("img")).to_be_visible()
    yield "loaded in part"
    opened.value("sp.set_limits(max_cents=10)")
    load.click()
    expect(load).to_be_disabled()
    yield "over the cap"
    opened.value("sp.set_limits(max_cents=2000)")
    picker.get_by_role("button", name="Check the price again").first.click()
    load.click()
    expect(picker.locator(".suburb-stale")).to_have_count(0)
    expect(load).to_have_text("Load: stored, free")
    yield "loaded"
    picker.get_by_role("radio", name="Amenity price impacts").check()
    expect(picker.locator(".suburb-stale")).to_have_count(1)
    expect(load).to_have_text("Load: 3 calls, 30 cents")
    yield "result of other data"
    load.click()
    expect(picker.get_by_role("img", name=re.compile("^Chart of the amenity"))).to_be_visible()
    yield "loaded impacts"


def check_buttons(picker):
    """One button is primary; the look-up comes after it, on one line with it if there is room; all have one inset."""
    classes, boxes, insets = picker.evaluate(
        """picker => {
            const buttons = [...picker.querySelectorAll(".suburb-buttons button")];
            const rows = ["input[type=text]", ".suburb-said", ".suburb-count", "[role=group]", ".suburb-offers-load",
                ".suburb-heading"];
            const shown = rows.map(row => picker.querySelector(row)).filter(row => row?.offsetParent);
            const box = node => node.getBoundingClientRect();
            const heights = buttons.map(box).map(({top, bottom}) => [top, bottom]);
            return [buttons.map(button => button.className), heights, shown.map(row => box(row).left)];
        }"""
    )
    assert ["mod-primary" in name for name in classes] == [True, False]
    assert ["suburb-offers-look-up" in name for name in classes] == [False, True]
    (_, bottom), (other_top, other_bottom) = boxes
    assert other_top >= bottom or abs(bottom - other_bottom) < 1, boxes
    assert max(insets) - min(insets) < 1, insets


def check_nothing_is_cut_off(picker):
    """No text is wider than its place, and what is wider than the page scrolls."""
    cut = picker.evaluate(
        """picker => [...picker.querySelectorAll("button, p, label, code, span, li")]
            .filter(node => node.offsetParent && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)
            .map(node => node.outerHTML.slice(0, 120))"""
    )
    assert cut == []
    page = picker.evaluate("picker => picker.closest('.jp-OutputArea-output, body').getBoundingClientRect().right")
    for part in picker.locator("> *").all():
        if part.is_visible():
            box = part.bounding_box()
            assert box["x"] + box["width"] <= page + 1


def check_the_focus(picker):
    """The ring around each control is whole. The border and the ring of the text box have a contrast of 3:1."""
    cut = picker.evaluate(
        """picker => {
            const controls = [...picker.querySelectorAll("input, button, textarea, [tabindex='0']")];
            return controls.filter(node => node.offsetParent && !node.disabled).flatMap(node => {
                node.focus({focusVisible: true});
                const style = getComputedStyle(node);
                const ring = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
                const own = node.getBoundingClientRect();
                const frames = [];
                for (let one = node.parentElement; one && !one.matches("body"); one = one.parentElement) {
                    if (getComputedStyle(one).overflowX !== "visible") frames.push(one);
                }
                const cuts = frame => {
                    const outer = frame.getBoundingClientRect();
                    return own.left - ring < outer.left || own.right + ring > outer.right;
                };
                const why = ring >= 2 ? [] : [`a ring of ${ring}`];
                return [...why, ...frames.filter(cuts).map(frame => frame.className)].map(one => [one, node.outerHTML]);
            });
        }"""
    )
    assert cut == []
    box = picker.get_by_role("combobox", name="Suburb")
    box.focus()
    measured = box.evaluate(
        f"""box => {{ {CONTRAST}
            const page = pageOf(box.parentElement);
            const style = getComputedStyle(box);
            return [contrast(opaque(style.borderTopColor, page), page), contrast(style.outlineColor, page)];
        }}"""
    )
    assert min(measured) >= 3, measured


def check_results(opened, *, dark):
    """Numbers are on the right with separators, the code can be copied, and the chart has the colour of the page."""
    picker = opened.page.locator(".suburb-picker")
    cells = picker.locator("td", has_text=re.compile(r"^[\u2212\d,.]+$|^\u2013$"))
    assert cells.count() > 0
    assert not any(re.search(r"\d{4}", text) for text in cells.all_inner_texts())
    assert set(cells.evaluate_all("all => all.map(cell => getComputedStyle(cell).textAlign)")) == {"right"}
    code = picker.get_by_role("textbox", name="Code that loads this frame again")
    assert code.input_value() == opened.value("picker.code")
    expect(picker.locator(".suburb-result .suburb-copy")).to_be_visible()
    pixels = picker.get_by_role("img").evaluate(
        f"""async image => {{ {CONTRAST}
            await image.decode();
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 1;
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return [[...context.getImageData(0, 0, 1, 1).data].slice(0, 3), pageOf(image).match(/\\d+/g).map(Number)];
        }}"""
    )
    chart, page = pixels
    assert chart == page[:3]
    assert (sum(page[:3]) < 3 * 128) is dark


SETTINGS = [(host, width, dark) for host in HOSTS for width in (640, 1100) for dark in (False, True)]


@pytest.mark.parametrize(
    ("host", "width", "dark"),
    [pytest.param(*setting, marks=[] if setting == (LAB, 640, True) else [pytest.mark.long]) for setting in SETTINGS],
    ids=str,
)
def test_the_picker_looks_right_in_each_state(notebook, host, width, dark):
    """In each host, width and theme nothing is cut off or out of line, and a chart follows a change of the theme.

    If axe-core is there, it finds no violation in the picker, by WCAG 2.2 A and AA and by good practice.
    """
    opened = notebook(LIVE, host=host, width=width, dark=dark)
    picker = opened.page.locator(".suburb-picker")
    found = []
    for state in states(opened):
        found += [f"{state}: {violation}" for violation in axe.violations(picker)]
        check_buttons(picker)
        check_nothing_is_cut_off(picker)
        if state in {"empty", "loaded"}:
            check_the_focus(picker)
        if state in {"loaded", "loaded impacts"}:
            check_results(opened, dark=dark)
    if host is not VOILA:
        drawn = picker.get_by_role("img").get_attribute("src")
        opened.set_theme(dark=not dark)
        expect(picker.get_by_role("img")).not_to_have_attribute("src", drawn)
        check_results(opened, dark=not dark)
        check_the_focus(picker)
    assert found == []
