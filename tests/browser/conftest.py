"""A JupyterLab for all tests in a browser, a browser for each module, and a visit for each test."""

import os
from importlib import import_module

import pytest

from tests.support.lab import chromium_path, jupyterlab, missing
from tests.support.visit import Visit, chromium


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Give a running JupyterLab. Without what it takes, its tests are skipped, or fail where a browser is required."""
    if reason := missing():
        (pytest.fail if os.environ.get("SUBURB_REQUIRE_BROWSER") == "1" else pytest.skip)(reason)
    import_module("matplotlib.font_manager")  # if a kernel had to list the fonts first, it would say so on stderr
    with jupyterlab(tmp_path_factory.mktemp("notebooks")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(lab):
    """Give a browser. It ends with the module: as long as Playwright is there, asyncio takes its loop for running."""
    with chromium(chromium_path()) as running:
        yield running


@pytest.fixture
def notebook(lab, browser, request, tmp_path):
    """Give a function that opens a notebook of these cells and runs it. Whatever goes wrong in it fails the test."""
    failed = request.session.testsfailed
    visit = Visit(lab, browser)
    yield visit.open
    try:
        troubles = visit.troubles()
        if troubles or request.session.testsfailed > failed:
            shown = "\n".join(map(str, visit.photograph(tmp_path)))
            request.node.add_report_section("teardown", "pictures", shown)
    finally:
        visit.end()
    assert not troubles
