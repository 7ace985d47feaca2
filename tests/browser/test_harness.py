"""Errors in a browser or in its kernel are noticed, and nothing is left running."""

import sys

import pytest

from tests.browser.lab import PROJECT
from tests.support.common import wait_for

WRONG = """
    import asyncio, os, sys
    import ipywidgets, suburb_pandas
    from IPython.display import HTML, display

    print("of the cell", file=sys.stderr)
    at_once, later = ipywidgets.Button(description="At once"), ipywidgets.Button(description="Later")
    at_once.on_click(lambda _: {}["of the click"])
    later.on_click(lambda _: asyncio.get_running_loop().call_later(0.01, int, "of the callback"))
    display(HTML("<img src='http://192.0.2.1/x.png'><script>new WebSocket('ws://192.0.2.1/socket')</script>"))
    ipywidgets.HBox([at_once, later])
"""
TROUBLES = [
    "blocked: http://192.0.2.1/x.png",
    "blocked: ws://192.0.2.1/socket",
    "of the cell",
    "of the console",
    "of the page",
    "KeyError: 'of the click'",
    "of the callback",
]


def test_whatever_goes_wrong_is_noticed_and_nothing_is_left_running(lab, visit):
    """Requests to other hosts are blocked, errors of page, cells and callbacks are kept, and kernels are isolated."""
    with pytest.raises(AssertionError, match="ZeroDivisionError: division by zero"):
        visit.open(WRONG, "1 / 0")
    (opened,) = visit.notebooks
    package = str(PROJECT / "suburb_pandas/__init__.py")
    assert opened.value("(sys.executable, suburb_pandas.__file__)") == (sys.executable, package)
    assert opened.value("[name for name in os.environ if name == 'CI' or name.startswith('SUBURB_')]") == []
    assert opened.value("os.environ['XDG_DATA_HOME'] == os.path.join(os.getcwd(), 'data')")
    for name in ("At once", "Later"):
        opened.page.get_by_role("button", name=name).click()
    opened.page.evaluate("() => { console.error('of the console'); setTimeout(() => { throw Error('of the page') }) }")
    wait_for(lambda: all(trouble in "\n".join(visit.troubles()) for trouble in TROUBLES))
    assert len(lab.kernels()) == 1
    visit.end()
    assert lab.kernels() == []
