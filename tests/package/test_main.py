"""The command line of ``python -m suburb_pandas``: the list of commands, their help, and the sandbox."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests

import suburb_pandas as sp
from suburb_pandas.__main__ import main

ROOT = Path(__file__).parents[2]


def test_the_sandbox_serves_until_it_is_interrupted():
    """The command prints its URL, and applies the wallet and the rate limit of its options."""
    command = [
        sys.executable,
        "-m",
        "suburb_pandas",
        "sandbox",
        "--port",
        "0",
        "--wallet-cents",
        "35",
        "--rate-limit",
        "2",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        line = served.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
        assert "made-up" in line
        path = f"{url}/v1/suburbs/Quokka%20Bay/market/median-rent-series"
        statuses = [
            requests.get(path, headers={"Authorization": "Bearer mib_live_a"}, timeout=5).status_code for _ in range(3)
        ]
        assert statuses == [200, 402, 429]
        served.terminate()


def output_of(capsys, *arguments):
    """Run a command in this process, and return its output."""
    main(arguments)
    return capsys.readouterr().out


def described(capsys, *arguments):
    """Return the help that a command prints before it exits with status 0."""
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--help"])
    assert caught.value.code == 0
    return capsys.readouterr().out


def test_without_a_command_all_commands_are_listed_with_lines_to_paste(capsys):
    """Each command has a line of at most 100 characters: an example, and as a comment what it does."""
    listing = output_of(capsys)
    lines = re.findall(r"^python -m suburb_pandas (\w+)(.*?) +# (.+)$", listing, re.MULTILINE)
    choices = re.search(r"\n  COMMAND\n((?:    .+\n)+)", described(capsys))[1]
    assert [name for name, _, _ in lines] == re.findall(r"^    (\w+)", choices, re.MULTILINE)
    assert {"demo", "check", "sandbox", "record"} == {name for name, _, _ in lines}
    assert max(map(len, listing.splitlines())) <= 100
    for name, arguments, summary in lines:
        text = " ".join(described(capsys, name).split())
        assert f"{summary[0].upper()}{summary[1:]}." in text
        assert f"Example: python -m suburb_pandas {name}{arguments}" in text


def test_the_notebook_of_the_example_exists(capsys):
    """The example of `check` names a notebook of the project, so that it can be pasted in a checkout."""
    (pattern,) = re.findall(r"check (\S+\.ipynb)", output_of(capsys))
    assert [*ROOT.glob(pattern)]


def test_the_version_is_that_of_the_package(capsys):
    """`--version` prints the name and the version of the package."""
    assert output_of(capsys, "--version") == f"suburb_pandas {sp.__version__}\n"


@pytest.mark.parametrize("arguments", [["buy"], ["sandbox", "--port", "many"], ["check"]])
def test_a_wrong_command_is_explained(arguments, capsys):
    """A wrong command prints the usage and exits with status 2."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m suburb_pandas" in capsys.readouterr().err
