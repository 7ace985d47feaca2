"""`python -m suburb_pandas check` runs notebooks in real kernels, and reports what differs."""

import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import suburb_pandas as sp
from suburb_pandas.__main__ import main
from suburb_pandas.notebook.check import check
from tests.support.common import LIVE_KEY
from tests.support.recorded import call, written


@pytest.fixture
def write_notebook(tmp_path):
    """Return a function that writes a notebook of code cells, each a source or a source and the stored output."""

    def write_it(*cells):
        made = [new_markdown_cell("# A study of made-up suburbs")]
        for source, *outputs in ([cell] if isinstance(cell, str) else cell for cell in cells):
            stored = [new_output("stream", text=one) if isinstance(one, str) else one for one in outputs]
            made.append(new_code_cell(source, outputs=stored))
        nbformat.write(new_notebook(cells=made), tmp_path / "study.ipynb")
        return tmp_path / "study.ipynb"

    return write_it


def reports_of(path, seconds=100):
    """Check a notebook, and return its reports by cell."""
    return {report.partition(" (")[0]: report for report in check(path, seconds=seconds)}


def test_what_differs_is_shown_beside_what_was_stored(write_notebook, capsys):
    """Only the cells that show something else are named. Tables and errors are compared, and pictures are not.

    Addresses do not count. An error in a widget, whose output is not stored with a cell, is reported. A production key
    that stands in a cell or in its text is not repeated. An output with pictures in its HTML is a long text without a
    space, which is compared at once.
    """
    show = "display({}, raw=True)"

    path = write_notebook(
        "import suburb_pandas as sp\nsp.connect(api_key='embedded');",
        ("\nprint(sp.rent('Quokka Bay')['house'].iloc[-1], object())", "1037.0 <object object at 0x7f1234567890>\n"),
        ("print(object())", "<object object at 0x7f1234567890>\n"),
        ("1 / 0", new_output("error", ename="ZeroDivisionError", evalue="division by zero")),
        (show.format({"text/html": "<td>2</td>"}), new_output("display_data", {"text/html": "<td>3</td>"})),
        (show.format({"image/png": "AAAA"}), new_output("display_data", {"image/png": "BBBB"})),
        ("print('A/' * 500_000)", f"{'A/' * 500_000}\n"),
        f"api_key = '{LIVE_KEY}'; print(api_key, 1)",
        ("print(2)", f"{LIVE_KEY}\n"),
        "import ipywidgets\nwhole = ipywidgets.Output()\nwhole.append_stdout('whole')",
        "error = {'output_type': 'error', 'ename': 'ZeroDivisionError', 'evalue': 'division by zero'}\n"
        "failed = ipywidgets.Output(outputs=(error,))",
    )
    before = path.read_bytes()
    with pytest.raises(SystemExit) as caught:
        main(["check", str(path)])
    assert caught.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        "cell 2 (print(sp.rent('Quokka Bay')['house'].iloc[-1], object())): its text differs from the stored text",
        "    -1037.0 <object object at ...>",
        "    +1036.0 <object object at ...>",
        "cell 5 (display({'text/html': '<td>2</td>'}, raw=True)): its text differs from the stored text",
        "    -<td>3</td>",
        "    +<td>2</td>",
        "cell 8 ((not shown, as it holds an API key)): its text differs from the stored text",
        "    (not shown, as it holds an API key)",
        "cell 9 (print(2)): its text differs from the stored text",
        "    (not shown, as it holds an API key)",
        "    +2",
        "a widget: failed",
        "    ZeroDivisionError: division by zero",
        f"{path} does not rerun.",
    ]
    assert path.read_bytes() == before


def test_a_check_sends_nothing_with_a_key_and_only_replays_cassettes(write_notebook, service, tmp_path):
    """What is not on a cassette is an error. Cassettes and files are those beside the notebook."""
    (tmp_path / "live.yaml").write_bytes(written(call("Quokka Bay")))
    (tmp_path / "mine.py").touch()
    path = write_notebook(
        "import mine, suburb_pandas as sp\nwith sp.cassette('live.yaml'):\n    rents = sp.rent('Quokka Bay')",
        "with sp.cassette('live.yaml', record='new_episodes'):\n    sp.rent('Woylie')",
        "with sp.cassette('none.yaml'):\n    sp.rent('Quokka Bay')",
        f"sp.connect(api_key={LIVE_KEY!r}, base_url={service.url!r})\nsp.rent('Quokka Bay')",
        "sp.connect(api_key='test'); sp.rent('Bondi')",
        "input('Which suburb?')",
    )
    reports = reports_of(path)
    assert [*reports] == [f"cell {number}" for number in range(2, 7)]
    *calls, asked = reports.values()
    assert all(": failed\n    +NotStored: " in report for report in calls)
    assert "does not support input requests" in asked
    assert not service.requests
    assert sorted(path.name for path in tmp_path.iterdir()) == ["live.yaml", "mine.py", "study.ipynb"]


def test_neither_key_nor_store_nor_home_is_there(embedded, write_notebook, monkeypatch, tmp_path, capsys):
    """Settings in the environment and the home folder are out of reach. The exit code is 0 if a notebook reruns."""
    startup = tmp_path / "home/.ipython/profile_default/startup"
    startup.mkdir(parents=True)
    (startup / "mine.py").write_text("print('my own start-up')")
    for name, value in {
        "HOME": tmp_path / "home",
        "SUBURB_API_KEY": LIVE_KEY,
        "SUBURB_STORE": tmp_path / "store.sqlite",
        "TMPDIR": tmp_path,  # which temporary stores are removed from, too
    }.items():
        monkeypatch.setenv(name, str(value))
    path = write_notebook(
        ("import os, pathlib, sys\nprint(sys.executable, *pathlib.Path.home().rglob('*.py'))", f"{sys.executable}\n"),
        "import suburb_pandas as sp\nsp.connect(api_key='embedded', store='store.sqlite');",
        ("print(len(sp.ledger()), len(sp.rent('Woylie')))", f"0 {len(sp.rent('Woylie'))}\n"),
        (f"print(*[name for name in os.environ if {LIVE_KEY[:8]!r} in os.environ[name]])", "\n"),
    )
    before = {*tmp_path.rglob("*")}
    main(["check", str(path)])
    assert capsys.readouterr().out == f"{path} reruns: each cell shows the stored text.\n"
    assert {*tmp_path.rglob("*")} == before


def test_the_end_of_the_kernel_and_a_slow_cell_are_told(write_notebook):
    """The cells after such a cell were not run, and the report says so."""
    ended = reports_of(write_notebook("first = 1", "import os\nos._exit(3)", "print('never')"))
    assert [*ended.values()] == ["cell 2 (import os): the kernel ended, so the cells after it were not run"]
    slow = reports_of(write_notebook("# wait\nimport time\ntime.sleep(600)", "print('never')"), seconds=1)
    assert [*slow.values()] == ["cell 1 (import time): took longer than 1 s, so the cells after it were not run"]


def test_every_notebook_is_checked_even_if_one_is_broken(write_notebook, tmp_path, capsys):
    """A file that is no notebook is told in a sentence."""
    good, missing = write_notebook(("print(1)", "1\n")), tmp_path / "none.ipynb"
    with pytest.raises(SystemExit) as caught:
        main(["check", str(missing), str(tmp_path), str(good)])
    assert caught.value.code == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{missing} cannot be read as a notebook: ")
    assert last == f"{good} reruns: each cell shows the stored text."


@pytest.mark.parametrize("needed", ["nbclient", "ipykernel"])
def test_without_nbclient_and_a_kernel_the_command_says_what_to_install(monkeypatch, needed):
    """The package works without them. Only this command needs them, and says so."""
    monkeypatch.delitem(sys.modules, "suburb_pandas.notebook.check")
    monkeypatch.setitem(sys.modules, needed, None)
    with pytest.raises(SystemExit, match=rf"{needed}, which is not installed: python -m pip install '.*\[check\]'"):
        main(["check", "study.ipynb"])
