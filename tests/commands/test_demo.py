"""The demo: a newcomer's first minute, whatever the folder, the terminal and the environment are like."""

import logging
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from matplotlib.image import imread

import suburb_pandas as sp
from suburb_pandas.__main__ import main
from suburb_pandas.service import ENDPOINTS
from tests.support.adversary import serve
from tests.support.common import child_environment

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "suburb_pandas", "demo"]
CHART = "suburb_pandas_demo.png"
FOREIGN = {
    "SUBURB_API_KEY": "mib_live_nobody",
    "SUBURB_BASE_URL": "http://127.0.0.1:1",
    "SUBURB_MAX_CENTS": "plenty",
    "SUBURB_BUDGET_CENTS": "-1",
    "REQUESTS_CA_BUNDLE": "/no/such/bundle",
    "HTTPS_PROXY": "http://127.0.0.1:1",
    "CI": "1",
    "COLUMNS": "30",
    "MPLBACKEND": "tkagg",
    "PYTHONIOENCODING": "ascii",
}
"""Variables that would change settings, the table, the chart or the output, if the demo followed them."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run the demo in a folder of its own, in a process with such variables; return its outcome, and the folder."""
    folder = tmp_path_factory.mktemp("demo")
    own = {"SUBURB_STORE": str(folder / "store"), "XDG_DATA_HOME": str(folder)}
    environment = child_environment(("DISPLAY", "WAYLAND_DISPLAY"), **FOREIGN, **own)
    done = subprocess.run(
        COMMAND, capture_output=True, text=True, check=False, timeout=110, cwd=folder, env=environment
    )
    return done, folder


def test_the_demo_tells_its_story_whatever_the_environment_says(demo):
    """The demo follows no setting, opens no window, warns of nothing, and fits 80 columns and 35 lines.

    It ends with the free key and the first notebook, which exists.
    """
    done, folder = demo
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) <= 35
    assert max(map(len, lines)) <= 80
    assert lines[0] == "Made-up suburbs: they are not real places, and their data belong to nobody."
    assert f"The chart is in {CHART}." in lines
    assert [path.name for path in folder.iterdir()] == [CHART]
    _, _, ending = done.stdout.partition("\nNext:\n")
    assert 'sp.connect(api_key="test")' in ending
    (notebook,) = re.findall(r"notebooks/\S+", ending)
    assert (ROOT / notebook).is_file()


def test_the_lines_that_the_demo_shows_give_its_table_for_its_price(demo, tmp_path, capsys):
    """A user who pastes the lines gets the table, and with a key that pays spends what the demo says."""
    shown = demo[0].stdout
    with serve() as service, sp.connect(api_key="mib_live_x", base_url=service.url, store=tmp_path / "store.sqlite"):
        names = {}
        for line in re.findall(r"^>>> (.+)$", shown, re.MULTILINE):
            exec(compile(line, "<test>", "single"), names)  # noqa: S102 - the demo's own lines
        calls = Counter(sp.ledger()["endpoint"])
        spent = sp.ledger()["cents"].sum()
    assert capsys.readouterr().out in shown
    assert f"your first run costs {spent} cents:" in shown
    for endpoint, number in calls.items():
        assert f"{number} {endpoint} calls at {ENDPOINTS[endpoint].cents} cents" in shown


def test_the_chart_says_that_it_is_of_no_real_place(demo):
    """The sentence stands on the picture itself: without it, some of the pixels at the lower right are white."""
    picture = imread(demo[1] / CHART)[..., :3].mean(axis=2)
    height, width = picture.shape
    corner = picture[int(height * 0.94) :, int(width * 0.7) :]
    assert (corner < 0.7).mean() > 0.03


def test_the_demo_never_overwrites_a_file(tmp_path, monkeypatch, capsys):
    """If there is a file of that name in the folder, the demo writes its chart into a temporary folder.

    Other libraries' messages are hidden.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / CHART).write_bytes(b"mine")
    main(["demo"])
    (chart,) = tmp_path.glob(f"*/{CHART}")
    assert f"The chart is in {chart}." in capsys.readouterr().out
    assert imread(chart).std() > 0
    assert (tmp_path / CHART).read_bytes() == b"mine"
    assert not logging.getLogger("matplotlib").isEnabledFor(logging.WARNING)


def test_a_reader_that_stops_early_ends_the_demo_quietly(tmp_path):
    """In `demo | head -3`, the demo ends without a message, and leaves no chart that nobody was told of."""
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0
    assert not [*tmp_path.glob("*.png")]
