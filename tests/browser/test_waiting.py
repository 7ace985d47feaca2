"""The suburb picker in JupyterLab: forced colours, a busy kernel, a cell run again, and a kernel that is gone."""

from tests.browser.visit import expect

LIVE = """
    import pandas as pd
    import suburb_pandas as sp
    from tests.support.adversary import serve

    service = serve()
    sp.connect(api_key="mib_live_anything", base_url=service.url, store=":memory:")
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quokka Bay", "Quokka Bay North", "Woylie"]}))
    picker = sp.SuburbPicker(["Quokka Bay"])
    picker
"""
OUTLINE = "node => { const s = getComputedStyle(node); return s.outlineStyle + s.outlineWidth + s.outlineColor }"
RUN = "code => { kernel.requestExecute({code}) }"
RESTART = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
# JupyterLab sends messages of widgets to a thread of their own; Voila and older kernels run them between cells.
ONE_THREAD = "() => { kernel.commsOverSubshells = 'disabled' }"
HOLD = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.05)\nos.remove('go')\n"
"""Code that keeps the kernel busy until there is a file of this name beside the notebook."""
PRESS_AND_WAIT = "button => { button.click(); return new Promise(done => setTimeout(done, 500)) }"
"""A press, and a timer that ends after the one with which the picker says that the kernel is busy."""
BUSY = "The kernel is busy. This press waits for it, and counts once."


def check_forced_colours(page, picker, box):
    """In contrast themes, the option reached with the arrow keys has an outline."""
    box.fill("quokka")
    expect(picker.get_by_role("option")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    chosen = picker.get_by_role("option", selected=True)
    page.emulate_media(forced_colors="active", color_scheme="dark")
    assert chosen.evaluate(OUTLINE) == "solid2pxrgb(255, 255, 255)"
    page.emulate_media(forced_colors="none")
    assert chosen.evaluate(OUTLINE) == "solid2pxrgba(0, 0, 0, 0)"
    box.fill("")


def test_a_press_waits_for_a_busy_kernel_and_a_cell_that_is_run_again_keeps_the_choice(visit):
    """Five presses are one purchase. The status says that they wait, and no longer so when the kernel has answered."""
    opened = visit.open(LIVE)
    page, picker, go = opened.page, opened.page.locator(".suburb-picker"), opened.path.with_name("go")
    box, status, load = map(picker.locator, ("[role=combobox]", "[role=status]", ".suburb-offers-load"))
    page.evaluate(ONE_THREAD)
    check_forced_colours(page, picker, box)
    page.evaluate(RUN, HOLD)
    load.evaluate("button => { for (let press = 0; press < 5; press++) button.click() }")
    expect(status).to_have_text(BUSY)
    go.touch()
    expect(load).to_have_text("Load: stored, free")
    expect(status).to_have_text("1 suburb loaded")
    assert opened.value("(len(sp.ledger()), picker.busy)") == (1, False)

    box.fill("Woylie")
    box.press("Enter")
    expect(load).to_have_text("Load: 1 call, 30 cents")
    page.evaluate(RUN, HOLD + "sp.set_limits(max_cents=5)")
    load.click()
    expect(status).to_have_text(BUSY)
    go.touch()
    expect(picker.get_by_role("alert")).to_contain_text("Nothing was sent.")
    expect(picker.get_by_role("alert")).to_have_css("border-left-color", "rgb(198, 40, 40)")
    expect(status).not_to_have_text(BUSY)

    opened.run()
    assert opened.value("picker.value") == ("Quokka Bay", "Woylie")
    expect(load).to_have_text("Load: 2 calls, 60 cents")
    assert visit.troubles() == []  # a kernel that starts again may warn of its debugger
    page.evaluate(RESTART)
    load.evaluate(PRESS_AND_WAIT)
    expect(status).to_have_text("The kernel was stopped or restarted. Run the cell again.")
