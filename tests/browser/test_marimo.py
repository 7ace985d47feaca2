"""The suburb picker in a marimo app, from the first letter to chart and table, and in another cell."""

import socket
import subprocess
import sys

import pytest

from tests.browser.lab import PROJECT, free_port
from tests.browser.visit import expect
from tests.support.common import child_environment, wait_for

APP = """
import marimo

app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import suburb_pandas as sp
    sp.connect(api_key="embedded")
    picker = sp.SuburbPicker()
    look = mo.ui.button(label="How many?")
    mo.vstack([picker, look])
    return look, picker

@app.cell
def _(look, picker):
    look
    f"{0 if picker.frame is None else picker.frame['area_name'].nunique()} in the frame"
    return
"""


@pytest.fixture
def address(tmp_path):
    """Run the app in marimo, and return its address."""
    pytest.importorskip("marimo")
    (tmp_path / "app.py").write_text(APP)
    port = free_port()
    command = [sys.executable, "-m", "marimo", "run", "app.py", "--headless", "--no-token", f"--port={port}"]
    home = child_environment(("SUBURB_", "CI"), PYTHONPATH=str(PROJECT), XDG_DATA_HOME=str(tmp_path))
    server = subprocess.Popen(command, cwd=tmp_path, env=home)

    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_for(answers, 60)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


@pytest.mark.long
def test_the_picker_works_in_marimo(browser, address):
    """In marimo a suburb is found, chosen and loaded, and another cell has its frame."""
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    picker = page.locator(".suburb-picker")
    picker.get_by_role("combobox", name="Suburb").press_sequentially("quokka b")
    picker.get_by_role("option").first.click()
    picker.get_by_role("button", name="Load: 1 call, free").click()
    expect(picker.get_by_role("img", name="Chart of the rents of Quokka Bay")).to_be_visible()
    expect(picker.get_by_role("table")).to_contain_text("Quokka Bay")
    page.get_by_role("button", name="How many?").click()
    expect(page.get_by_text("1 in the frame")).to_be_visible()
    assert errors == []
    page.close()
