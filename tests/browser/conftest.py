"""Fixtures for the tests in a browser: one server for all, a browser for each module, a visit for each test."""

import os
from importlib import import_module

import pytest

from tests.browser.lab import chromium_path, jupyterlab, missing
from tests.browser.visit import Visit, chromium


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Run a JupyterLab, which runs Notebook 7 and Voila too.

    If a dependency is missing, the test is skipped, or it fails if SUBURB_REQUIRE_BROWSER is 1.
    """
    if reason := missing():
        (pytest.fail if os.environ.get("SUBURB_REQUIRE_BROWSER") == "1" else pytest.skip)(reason)
    import_module("matplotlib.font_manager")  # a kernel without matplotlib's font cache would write to stderr
    with jupyterlab(tmp_path_factory.mktemp("notebooks")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(lab):
    """Run a browser until the end of the module: while it is open, asyncio sees Playwright's event loop as running."""
    with chromium(chromium_path()) as running:
        yield running


@pytest.fixture
def visit(lab, browser):
    """Return a visit whose errors do not fail the test."""
    made = Visit(lab, browser)
    yield made
    made.end()


@pytest.fixture
def notebook(visit, request, tmp_path):
    """Return a function that opens a notebook of the given cells and runs it. Any error in it fails the test."""
    failed = request.session.testsfailed
    yield visit.open
    troubles = visit.troubles()
    if troubles or request.session.testsfailed > failed:
        shown = "\n".join(map(str, visit.photograph(tmp_path)))
        request.node.add_report_section("teardown", "pictures", shown)
    assert not troubles
