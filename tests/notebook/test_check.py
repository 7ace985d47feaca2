"""`python -m suburb_pandas check` runs notebooks in real kernels, and reports what differs."""

import json
import os
import subprocess
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
    """Return a function that writes a notebook of code cells, each a source or a source and the stored text."""

    def write_it(*cells, name="study.ipynb"):
        made = [new_markdown_cell("# A study of made-up suburbs")]
        for cell in cells:
            source, text = (cell, "") if isinstance(cell, str) else cell
            made.append(new_code_cell(source, outputs=[new_output("stream", text=text)] if text else []))
        nbformat.write(new_notebook(cells=made), tmp_path / name)
        return tmp_path / name

    return write_it


@pytest.fixture
def found(write_notebook):
    """Return a function that checks a notebook of such cells, and returns its reports by cell."""

    def found_in(*cells, seconds=30):
        reports = check(write_notebook(*cells), seconds=seconds)
        return {report.partition(" (")[0]: report for report in reports}

    return found_in


def test_a_changed_value_is_shown_beside_the_stored_one(write_notebook, capsys):
    """Only the cell that shows something else is named. Addresses, folders of warnings and timings do not count."""
    path = write_notebook(
        "import suburb_pandas as sp\nsp.connect(api_key='embedded');",
        ("print(sp.rent('Quokka Bay')['house'].iloc[-1], object())", "1037.0 <object object at 0x7f1234567890>\n"),
        ("print(object())", "<object object at 0x7f1234567890>\n"),
        (
            "import warnings; warnings.warn_explicit('hm', UserWarning, '/here/lib/odd.py', 3)",
            "/elsewhere/lib/odd.py:3: UserWarning: hm\n",
        ),
        ("%time x = 1", "CPU times: user 9 s\nWall time: 9 s\n"),
    )
    before = path.read_bytes()
    with pytest.raises(SystemExit) as caught:
        main(["check", str(path)])
    assert caught.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        "cell 2 (print(sp.rent('Quokka Bay')['house'].iloc[-1], object())): its text differs from the stored text",
        "    -1037.0 <object object at ...>",
        "    +1036.0 <object object at ...>",
        f"{path} does not rerun.",
    ]
    assert path.read_bytes() == before


def test_tables_and_errors_are_compared_and_pictures_are_not(tmp_path):
    """A cell may show an error, if it showed the same one before. A styled table has an id that differs each time."""
    show = "from IPython.display import display; display({}, raw=True)"
    before_and_now = [
        ({"text/html": '<table id="T_3c4d5">1</table>'}, {"text/html": '<table id="T_0a1b2">1</table>'}),
        ({"text/html": "<td>3</td>"}, {"text/html": "<td>2</td>"}),
        ({"image/png": "BBBB"}, {"image/png": "AAAA"}),
    ]
    error = new_output("error", ename="ZeroDivisionError", evalue="division by zero")
    cells = [
        new_code_cell("1 / 0", outputs=[error]),
        *(new_code_cell(show.format(now), outputs=[new_output("display_data", old)]) for old, now in before_and_now),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "study.ipynb")
    (report,) = check(tmp_path / "study.ipynb", seconds=30)
    assert report.startswith("cell 3 ")
    assert report.splitlines()[1:] == ["    -<td>3</td>", "    +<td>2</td>"]


def test_a_check_sends_nothing_with_a_key_and_only_replays_cassettes(found, service, tmp_path):
    """What is not on a cassette is an error. Cassettes and files are those beside the notebook."""
    (tmp_path / "live.yaml").write_bytes(written(call("Quokka Bay")))
    shown = found(
        "import suburb_pandas as sp\nwith sp.cassette('live.yaml'):\n    rents = sp.rent('Quokka Bay')",
        "with sp.cassette('live.yaml', record='new_episodes'):\n    sp.rent('Woylie')",
        "with sp.cassette('none.yaml'):\n    sp.rent('Quokka Bay')",
        f"sp.connect(api_key={LIVE_KEY!r}, base_url={service.url!r})\nsp.rent('Quokka Bay')",
        "sp.connect(api_key='test'); sp.rent('Bondi')",
        "input('Which suburb?')",
    )
    assert list(shown) == [f"cell {number}" for number in range(2, 7)]
    assert all(": failed\n    +" in report for report in shown.values())
    assert all("+NotStored: " in shown[f"cell {number}"] for number in range(2, 6))
    assert "does not support input requests" in shown["cell 6"]
    assert not service.requests
    assert sorted(path.name for path in tmp_path.iterdir()) == ["live.yaml", "study.ipynb"]


def test_neither_key_nor_store_nor_home_is_there(embedded, write_notebook, monkeypatch, tmp_path):
    """Settings in the environment and the home folder are out of reach."""
    startup = tmp_path / "home" / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "mine.py").write_text("print('my own start-up')")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv("SUBURB_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # which temporary stores are removed from, too
    before = sorted(tmp_path.rglob("*"))
    path = write_notebook(
        ("import os, pathlib, sys\nprint(sys.executable, *pathlib.Path.home().rglob('*.py'))", f"{sys.executable}\n"),
        "import suburb_pandas as sp\nsp.connect(api_key='embedded', store='store.sqlite');",
        ("print(len(sp.ledger()), len(sp.rent('Woylie')))", f"0 {len(sp.rent('Woylie'))}\n"),
        ("print(*[name for name in os.environ if LIVE in os.environ[name]])".replace("LIVE", repr(LIVE_KEY[:8])), "\n"),
    )
    assert list(check(path, seconds=30)) == []
    assert [one for one in sorted(tmp_path.rglob("*")) if one not in {*before, path}] == []


def test_the_end_of_the_kernel_and_a_slow_cell_are_told(found):
    """The cells after such a cell were not run, and the report says so."""
    (ended,) = found("import os\nos._exit(3)", "print('never')").values()
    assert ended == "cell 1 (import os): the kernel ended, so the cells after it were not run"
    (slow,) = found("quick = 1", "# wait\nimport time\ntime.sleep(60)", "print('never')", seconds=2).values()
    assert slow == "cell 2 (import time): took longer than 2 s, so the cells after it were not run"


def test_an_error_in_an_output_widget_is_told(found):
    """What a widget shows is not stored with the cell, so an error in it would not be seen in the text of the cells."""
    whole = "shown = ipywidgets.Output()\nshown.append_stdout('whole')"
    (report,) = found(f"import ipywidgets\n{whole}\nwith ipywidgets.Output():\n    1 / 0", "x = 1").values()
    assert report == "a widget: failed\n    ZeroDivisionError: division by zero"


@pytest.mark.timeout(30)
def test_a_long_text_without_a_space_is_compared_at_once(found):
    """Outputs with pictures in their HTML are as long."""
    assert found(("print('A/' * 500_000)", f"{'A/' * 500_000}\n"), seconds=30) == {}


def test_a_key_in_a_notebook_is_not_repeated(found):
    """A production key that stands in a cell or in its text does not get into the report."""
    shown = found(f"api_key = '{LIVE_KEY}'; print(api_key, 1)", ("print(2)", f"{LIVE_KEY}\n"))
    assert shown.keys() == {"cell 1", "cell 2"}
    assert not [text for text in shown.values() if "mib_live" in text]


def test_every_notebook_is_checked_even_if_one_is_broken(write_notebook, tmp_path, capsys):
    """The exit code is 0 if all notebooks rerun. A file that is no notebook is told in a sentence."""
    good = write_notebook(("print(1)", "1\n"), name="good.ipynb")
    (tmp_path / "text.ipynb").write_text("nonsense")
    (tmp_path / "empty.ipynb").write_text("{}")
    bare = nbformat.read(good, as_version=4)
    del bare.cells[1]["outputs"]
    (tmp_path / "no_outputs.ipynb").write_text(json.dumps(bare))
    main(["check", str(good)])
    rerun = f"{good} reruns: each cell shows the stored text.\n"
    assert capsys.readouterr().out == rerun
    with pytest.raises(SystemExit) as caught:
        main(
            [
                "check",
                *(str(tmp_path / name) for name in ("none.ipynb", "text.ipynb", "empty.ipynb", "no_outputs.ipynb", "")),
                str(good),
            ]
        )
    assert caught.value.code == 1
    shown = capsys.readouterr().out
    assert shown.endswith(rerun)
    assert shown.count(" cannot be read as a notebook: ") == shown.count(" does not rerun.") == 5


@pytest.mark.parametrize("needed", ["nbclient", "ipykernel"])
def test_without_nbclient_and_a_kernel_the_command_says_what_to_install(tmp_path, needed):
    """The package works without them. Only this command needs them, and says so."""
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{needed!r}] = None\n")
    done = subprocess.run(
        [sys.executable, "-m", "suburb_pandas", "check", "study.ipynb"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"{needed}, which is not installed: python -m pip install 'suburb_pandas[check]'\n")
