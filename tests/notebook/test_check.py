"""`python -m suburb_pandas check` runs notebooks in real kernels, and reports differences and failures."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import suburb_pandas as sp
from suburb_pandas.__main__ import main
from suburb_pandas.notebook.check import NotANotebookError, check
from tests.support.common import LIVE_KEY
from tests.support.raw_server import whole
from tests.support.recorded import call, written


@pytest.fixture
def write_notebook(tmp_path):
    """Return a function that writes a notebook of code cells, each a source or a source and the stored text."""

    def write_it(*cells, name="study.ipynb"):
        made = [new_markdown_cell("# A study of made-up suburbs")]
        for cell in cells:
            source, text = (cell, "") if isinstance(cell, str) else cell
            made.append(new_code_cell(source, outputs=[new_output("stream", text=text)] if text else []))
        path = tmp_path / name
        nbformat.write(new_notebook(cells=made), path)
        return path

    return write_it


@pytest.fixture
def found(write_notebook):
    """Return a function that checks a notebook of such cells, and returns its findings by place, as text."""

    def found_in(*cells, seconds=30):
        report = check(write_notebook(*cells), seconds=seconds)
        return {finding.where.split(" (")[0]: str(finding) for finding in report.findings}

    return found_in


CELLS = 'import suburb_pandas as sp\nsp.connect(api_key="embedded", store=":memory:")\nprint("ready")', "ready\n"


def test_a_changed_value_is_shown_beside_the_stored_one(write_notebook, capsys):
    """Only the cell that shows something else is named. Addresses in memory and folders of warnings do not count."""
    path = write_notebook(
        CELLS,
        (
            "print(sp.rent('Quokka Bay')['house'].iloc[-1], object())",
            "1037.0 <object object at 0x7f1234567890>\n",
        ),
        ("print(object())", "<object object at 0x7f1234567890>\n"),
        (
            "import warnings; warnings.warn_explicit('hm', UserWarning, '/here/lib/odd.py', 3)",
            "/elsewhere/lib/odd.py:3: UserWarning: hm\n",
        ),
    )
    with pytest.raises(SystemExit) as caught:
        main(["check", str(path)])
    assert caught.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        str(path),
        "  cell 2 (print(sp.rent('Quokka Bay')['house'].iloc[-1], object())): its text differs from the stored text",
        "    --- stored",
        "    +++ now",
        "    -1037.0 <object object at 0x...>",
        "    +1036.0 <object object at 0x...>",
        f"{path} does not rerun: 0 failed and 1 differs, of 4 cells.",
    ]


def test_each_failure_has_its_reason(found, tmp_path):
    """The reasons are told apart: a missing response, an undecided name, the network, a cell that failed before."""
    with_cassette = "with sp.cassette('rents.yaml', record='{}'):\n    {}"
    (tmp_path / "rents.yaml").write_text("version: 1\ninteractions: []\n")
    (tmp_path / "live.yaml").write_bytes(written(call("Quokka Bay")))
    (tmp_path / "torn.yaml").write_text("version: 1\ninteractions: {\n")
    shown = found(
        CELLS,
        with_cassette.format("none", "rents = sp.rent('Quokka Bay')"),
        "names = sp.resolve(['lantern bay'])",
        "names.tolist()",
        "never_defined",
        "import requests; requests.get('http://192.0.2.1', timeout=5)",
        "sp.connect(api_key='test'); sp.rent('Bondi')",
        with_cassette.format("new_episodes", "sp.rent(['Quokka Bay', 'Woylie'])"),
        "with sp.cassette('none.yaml'): sp.rent('Quokka Bay')",
        "sp.find('woylie')",
        "open('sales.csv')",
        "with sp.cassette('torn.yaml'): sp.rent('Quokka Bay')",
        with_cassette.format("none", "sp.resolve('woylie')").replace("rents", "live"),
        "1 / 0",
    )
    reasons = {
        "cell 2": "a call that is not on a cassette\n    NotStored: ",
        "cell 3": "a query that is not in a file of pins\n    AmbiguousSuburb: 'lantern bay' can mean 2 suburbs",
        "cell 4": "failed because cell 3 failed\n    NameError: ",
        "cell 5": "failed\n    NameError: ",
        "cell 6": "it needs the network\n    BlockedError: There is no network here: socket.getaddrinfo of 192.0.2.1",
        "cell 7": "a call that is not on a cassette\n    NotStored: ",
        "cell 8": "a call that is not on a cassette\n    NotStored: ",
        "cell 9": "a call that is not on a cassette\n    NotStored: ",
        "cell 10": "a query that is not in a file of pins\n    NotStored: ",
        "cell 11": "a file that does not exist\n    FileNotFoundError: ",
        "cell 12": "a cassette that cannot be used\n    CassetteError: ",
        "cell 13": "a query that is not in a file of pins\n    NotStored: ",
        "cell 14": "failed\n    ZeroDivisionError: ",
    }
    assert shown.keys() == reasons.keys()
    for where, reason in reasons.items():
        assert reason in shown[where]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["live.yaml", "rents.yaml", "study.ipynb", "torn.yaml"]


def test_a_check_makes_no_call_with_a_key_and_none_through_a_proxy(found, serve, service, monkeypatch):
    """A proxy on this machine would lead to the network. A key in a notebook buys nothing, from no address."""
    proxy = serve(whole(b"{}"))
    for scheme in ("http", "https", "all"):
        monkeypatch.setenv(f"{scheme}_proxy", proxy.url)
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", proxy.url)
    shown = found(
        f"import suburb_pandas as sp\nsp.connect(api_key={LIVE_KEY!r})\nsp.rent('Quokka Bay')",
        f"sp.connect(api_key={LIVE_KEY!r}, base_url={service.url!r})\nsp.rent('Quokka Bay')",
        "import requests; requests.get('http://192.0.2.1', timeout=5)",
        "requests.get('https://192.0.2.1', timeout=5)",
    )
    for cell in ("cell 1", "cell 2"):
        assert "a call that is not on a cassette\n    NotStored: " in shown[cell]
    for cell in ("cell 3", "cell 4"):
        assert "it needs the network\n    BlockedError: " in shown[cell]
    assert (len(service.requests), len(proxy.received)) == (0, 0)


def test_neither_key_nor_store_nor_home_nor_network_is_there(embedded, write_notebook, monkeypatch, tmp_path):
    """Settings in the environment, the home folder and all ways to the network are out of reach; loopback is not."""
    home = tmp_path / "home"
    (home / ".ipython" / "profile_default" / "startup").mkdir(parents=True)
    (home / ".ipython" / "profile_default" / "startup" / "mine.py").write_text("print('my own start-up')")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SUBURB_API_KEY", LIVE_KEY)
    monkeypatch.setenv("SUBURB_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    before = sorted(tmp_path.rglob("*"))
    ways = [
        "socket.create_connection(('192.0.2.1', 80), timeout=1)",
        "socket.socket().connect_ex(('192.0.2.1', 80))",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 80))",
        "socket.getaddrinfo('localhost.example', 443)",
        "socket.create_connection(('127.0.0.1', 1), timeout=1)",
    ]
    try_all = f"""
for way in {ways!r}:
    try:
        exec(way)
    except Exception as error:
        print(type(error).__name__)
"""
    ends = ["BlockedError"] * 4 + ["ConnectionRefusedError"]
    path = write_notebook(
        ("import os, pathlib, socket" + try_all, "\n".join([*ends, ""])),
        ("print(*[name for name in os.environ if name.startswith('SUBURB')])", "SUBURB_RERUN\n"),
        ("print(*pathlib.Path.home().rglob('*.py'))", "\n"),
        "import suburb_pandas as sp\nsp.connect(api_key='embedded', store='store.sqlite');",
        ("len(sp.ledger()), len(sp.rent('Woylie'))", f"(0, {len(sp.rent('Woylie'))})"),
    )
    report = check(path, seconds=30)
    assert report.reruns, str(report)
    assert [one for one in sorted(tmp_path.rglob("*")) if one not in {*before, path}] == []


def test_a_call_outside_a_cassette_is_told(found):
    """Without its author's key, made-up data answer such a call, and the report says so beside the difference."""
    outside, slip = found(
        ("import suburb_pandas as sp\nprint(len(sp.rent('Woylie')))", "1 of the author's\n"), ("print(1)", "2\n")
    ).values()
    assert "a call outside a cassette was answered with made-up data, so its text differs" in outside
    assert "cassette" not in slip


def test_the_end_of_the_kernel_and_a_slow_cell_are_told(found):
    """The cells after such a cell were not run, and the report says so."""
    ended = found("import os\nos._exit(3)", "print('never')")
    assert "cell 1 (import os): ended the kernel" in ended["cell 1"]
    assert "not run, because cell 1 ended the kernel" in ended["cell 2"]
    slow = found("print('quick')", "# wait\nimport time\ntime.sleep(60)", "print('never')", seconds=2)
    assert "cell 2 (import time): took longer than 2 s" in slow["cell 2"]
    assert "not run, because cell 2 took longer than 2 s" in slow["cell 3"]


def test_a_kernel_that_does_not_start_is_started_again(write_notebook, tmp_path, monkeypatch):
    """A kernel whose port was taken by another program dies before its first cell. The next one runs the notebook.

    Nothing is printed about the first one, not even when Python exits.
    """
    folder = tmp_path / "shadows the launcher"
    folder.mkdir()
    (folder / "ipykernel_launcher.py").write_text(
        "import pathlib, sys\n"
        f"marker = pathlib.Path({str(folder / 'has begun')!r})\n"
        "if not marker.exists():\n"
        "    marker.touch()\n"
        "    sys.exit(1)\n"
        "from ipykernel import kernelapp\n"
        "kernelapp.launch_new_instance()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    command = [sys.executable, "-m", "suburb_pandas", "check", str(write_notebook("1 / 0"))]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (folder / "has begun").exists()
    assert "ZeroDivisionError" in finished.stdout
    assert finished.stderr == ""


def test_an_error_inside_a_widget_is_found(write_notebook):
    """An error in an Output, in a callback or in the picker does not fail the cell, and is found all the same."""
    path = write_notebook(
        CELLS,
        "import ipywidgets\nwith ipywidgets.Output() as out:\n    [][1]\nout",
        "button = ipywidgets.Button()\nbutton.on_click(lambda _: 1 / 0)\nbutton.click()",
        "picker = sp.SuburbPicker()\npicker._controls._handle_custom_msg({'pick': 'x' * 500}, [])\npicker",
    )
    shown = str(check(path, seconds=30))
    assert "a widget: an error in it, or in a function that it calls\n    IndexError" in shown
    assert "ZeroDivisionError" in shown
    assert 'role="alert">This text cannot be the name of a suburb.' in shown


def test_a_notebook_without_outputs_proves_nothing(found):
    """A notebook from which the outputs were removed runs, but there is nothing to compare with."""
    (finding,) = found("print(1)", "2").values()
    assert "it has no stored outputs: run it and save it, then check again" in finding


def test_a_cell_that_may_fail_is_compared_like_any_other(write_notebook):
    """The tag of Jupyter, raises-exception, says that a cell fails on purpose; its error is part of its text."""
    path = write_notebook(("print(1)", "1\n"), "1 / 0")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].metadata["tags"] = ["raises-exception"]
    notebook.cells[2].outputs = [new_output("error", ename="ZeroDivisionError", evalue="division by zero")]
    nbformat.write(notebook, path)
    assert check(path, seconds=30).reruns


def test_a_key_in_a_notebook_is_not_repeated(found):
    """A production key that stands in a cell or in its text does not get into the report."""
    shown = found(f"api_key = '{LIVE_KEY}'; print(api_key, 1)", ("print(2)", f"{LIVE_KEY}\n"))
    assert shown.keys() == {"cell 1", "cell 2"}
    assert not [text for text in shown.values() if "mib_live" in text]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "cannot be read as a notebook: "),
        ("{}", "cannot be read as a notebook: "),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}', "cannot be read"),
        (
            '{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {"kernelspec": {"language": "R"}}}',
            "is a notebook of R, and only notebooks of Python can be checked.",
        ),
        (None, "There is no notebook "),
    ],
)
def test_another_file_is_refused(tmp_path, text, why):
    """A file that is not a notebook of Python is refused before anything runs."""
    path = tmp_path / "other.ipynb"
    if text is not None:
        path.write_text(text)
    with pytest.raises(NotANotebookError, match=why):
        check(path)


def test_a_script_is_refused_with_the_line_that_reruns_it(service, monkeypatch, tmp_path):
    """Only notebooks have stored outputs to check. The line in the message reruns a script, and buys nothing."""
    script = tmp_path / "my study.py"
    script.write_text("import suburb_pandas as sp\nsp.rent('Quokka Bay')\n")
    for name, value in {"API_KEY": LIVE_KEY, "BASE_URL": service.url, "STORE": str(tmp_path / "store.sqlite")}.items():
        monkeypatch.setenv(f"SUBURB_{name}", value)
    with pytest.raises(NotANotebookError, match=r"is a script, and check takes notebooks \(\.ipynb\)\.") as caught:
        check(script)
    line = str(caught.value).partition("only replay: ")[2]
    assert line == f"SUBURB_RERUN=1 python '{script}'"
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("python", sys.executable, 1)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "NotStored: " in done.stderr
    assert len(service.requests) == 0
    assert list(tmp_path.iterdir()) == [script]


def test_every_notebook_is_checked_even_if_one_is_broken(write_notebook, tmp_path, capsys):
    """The exit code is 0 if all notebooks rerun, and 1 if one does not; each has its report."""
    good = write_notebook(("print(1)", "1\n"), name="good.ipynb")
    main(["check", str(good)])
    assert capsys.readouterr().out == f"{good} reruns: 1 cell, each with the stored text.\n"
    with pytest.raises(SystemExit) as caught:
        main(["check", str(tmp_path / "none.ipynb"), str(good)])
    assert caught.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        f"There is no notebook {tmp_path / 'none.ipynb'}. Pass the path of an .ipynb file.",
        f"{good} reruns: 1 cell, each with the stored text.",
    ]


def test_without_nbclient_the_command_says_what_to_install(write_notebook, tmp_path):
    """The package works without nbclient. Only this command needs it, and says so."""
    hide = tmp_path / "hide" / "sitecustomize.py"
    hide.parent.mkdir()
    hide.write_text("import sys\nsys.modules['nbclient'] = None\n")
    done = subprocess.run(
        [sys.executable, "-m", "suburb_pandas", "check", str(write_notebook("print(1)"))],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(hide.parent), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == "Checking a notebook needs nbclient, which is not installed: python -m pip install 'suburb_pandas[check]'\n"
    )
