"""Tests in a browser do what a user does, see what the kernel sees, and notice whatever goes wrong."""

import sys

import pytest

from tests.browser.lab import PROJECT, chromium_path
from tests.browser.visit import Visit, expect
from tests.processes import wait_for

GREETING = """
    import ipywidgets

    name, button, greeting = ipywidgets.Text(), ipywidgets.Button(description="Greet"), ipywidgets.Label()
    name.add_class("name")
    button.on_click(lambda _: setattr(greeting, "value", f"Hello {name.value}"))
    ipywidgets.VBox([name, button, greeting])
"""


@pytest.fixture
def visit(lab, browser):
    """Give a visit whose troubles do not fail the test."""
    made = Visit(lab, browser)
    yield made
    made.end()


def test_a_widget_is_typed_into_clicked_and_read_back(notebook):
    """What is typed is in the kernel, and what a callback sets is in the page."""
    opened = notebook(GREETING)
    opened.page.locator(".name input").fill("Quokka")
    opened.page.get_by_role("button", name="Greet").click()
    expect(opened.page.get_by_text("Hello Quokka")).to_be_visible()
    assert opened.value("(name.value, greeting.value, [*range(2000)])") == ("Quokka", "Hello Quokka", [*range(2000)])


def test_a_kernel_is_this_python_with_this_project_and_nothing_of_the_users(notebook):
    """Neither keys nor CI get in, and each notebook keeps its data for itself."""
    opened = notebook("import os, sys, suburb_pandas, tests.browser.lab")
    assert opened.value("sys.executable, suburb_pandas.__file__") == (
        sys.executable,
        str(PROJECT / "suburb_pandas/__init__.py"),
    )
    assert opened.value("[name for name in os.environ if name == 'CI' or name.startswith('SUBURB_')]") == []
    assert opened.value("os.environ['XDG_DATA_HOME'] == os.path.join(os.getcwd(), 'data')")


def test_what_would_leave_the_machine_is_blocked_and_recorded(visit):
    """An image and a socket elsewhere are not asked for, and both are troubles."""
    visit.open(
        """
        from IPython.display import HTML

        HTML("<img src='http://192.0.2.1/x.png'><script>new WebSocket('ws://192.0.2.1/socket')</script>")
        """
    )
    urls = {"blocked: http://192.0.2.1/x.png", "blocked: ws://192.0.2.1/socket"}
    wait_for(lambda: urls <= set(visit.troubles()))


def test_what_goes_wrong_in_the_page_is_noticed(visit):
    """An error on the console, one that nothing catches, and what a cell says on stderr."""
    opened = visit.open("import sys; print('of the cell', file=sys.stderr)")
    opened.page.evaluate("() => { console.error('of the console'); setTimeout(() => { throw Error('of the page') }) }")
    sources = ["cell", "console", "page"]
    wait_for(lambda: all(f"of the {source}" in "\n".join(visit.troubles()) for source in sources))


def test_a_cell_that_raises_makes_opening_fail(lab, visit):
    """The failure names the error, and no kernel is left when the visit ends."""
    with pytest.raises(AssertionError, match="ZeroDivisionError: division by zero"):
        visit.open("1 / 0")
    assert len(lab.kernels()) == 1
    visit.end()
    assert lab.kernels() == []


def test_what_a_callback_raises_or_logs_is_noticed(visit):
    """A notebook does not show it, whether it was raised at a click or some time later."""
    opened = visit.open(
        """
        import asyncio, ipywidgets

        at_once, later = ipywidgets.Button(description="At once"), ipywidgets.Button(description="Later")
        at_once.on_click(lambda _: 1 / 0)
        later.on_click(lambda _: asyncio.get_running_loop().call_later(0.01, int, "x"))
        ipywidgets.HBox([at_once, later])
        """
    )
    for name in ("At once", "Later"):
        opened.page.get_by_role("button", name=name).click()
    opened.page.wait_for_function("() => reported.length > 1")
    assert "ZeroDivisionError: division by zero" in visit.troubles()
    assert any("ValueError" in trouble for trouble in visit.troubles())


def test_the_browser_is_the_one_that_is_named_and_exists(monkeypatch):
    """SUBURB_CHROMIUM comes before the PATH; where it names nothing, there is no browser."""
    monkeypatch.setenv("SUBURB_CHROMIUM", sys.executable)
    assert chromium_path() == sys.executable
    monkeypatch.setenv("SUBURB_CHROMIUM", "/nowhere/chromium")
    assert chromium_path() is None
