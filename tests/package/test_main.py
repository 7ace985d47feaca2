"""The command line of ``python -m suburb_pandas``: the list of commands, their help, and the sandbox."""

import re
import signal
import subprocess
import sys
from contextlib import nullcontext

import pytest
import requests

import suburb_pandas as sp
from suburb_pandas.__main__ import main

OPTIONS = {
    "check": "NOTEBOOK a Jupyter notebook (.ipynb) options: -h, --help show this help message and exit "
    "--timeout SECONDS longest time for a cell (default 600)",
    "sandbox": "--port PORT port on 127.0.0.1 (default 8000); 0 takes a free one --latency-ms LATENCY_MS delay before "
    "each answer, in milliseconds (default 0) --error-rate ERROR_RATE share of calls that fail with status 500 or 503, "
    "from 0 to 1 (default 0) --rate-limit RATE_LIMIT most calls a second; other calls get status 429 (default no "
    "limit) --wallet-cents WALLET_CENTS made-up cents in the wallet of each key that begins with mib_live_ (default "
    "10000)",
    "record": "--folder FOLDER folder of the cassettes (default cassettes) --live record the free suburbs of the live "
    "service instead, over the network, with the key test",
}
"""The options in the help of each command, in one line."""


def test_the_sandbox_serves_until_it_is_interrupted():
    """The command prints its URL, and applies the wallet and the rate limit of its options."""
    options = ["sandbox", "--port", "0", "--wallet-cents", "35", "--rate-limit", "2"]
    command = [sys.executable, "-m", "suburb_pandas", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        try:
            line = served.stdout.readline()
            url = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
            assert "made-up" in line
            path = f"{url}/v1/suburbs/Quokka%20Bay/market/median-rent-series"
            headers = {"Authorization": "Bearer mib_live_a"}
            assert [requests.get(path, headers=headers, timeout=60).status_code for _ in range(3)] == [200, 402, 429]
            served.send_signal(signal.SIGINT)
            assert (served.wait(30), served.stderr.read()) == (0, "")
        finally:
            served.kill()


@pytest.fixture
def printed(capsys):
    """Return a function that runs a command in this process, and returns its output."""

    def run(*arguments, status=None):
        with pytest.raises(SystemExit) if status is not None else nullcontext() as caught:
            main(arguments)
        assert caught is None or caught.value.code == status
        return "".join(capsys.readouterr())

    return run


def test_without_a_command_all_commands_are_listed_and_the_help_of_each_has_an_example(printed):
    """The list has each command with its summary, and the help of a command begins with it."""
    listing = " ".join(printed().split())
    for name in ("demo", "check", "sandbox", "record"):
        text = " ".join(printed(name, "--help", status=0).split())
        summary = re.search(rf"{name} ([a-z].*?)(?= check | sandbox | record | {re.escape('python -m')})", listing)[1]
        assert f"{summary[0].upper()}{summary[1:]}." in text
        assert f"Example: python -m suburb_pandas {name}" in text
        assert OPTIONS.get(name, "") in text
    assert " commands: COMMAND demo " in listing


def test_the_version_is_that_of_the_package(printed):
    """``--version`` prints one line."""
    assert printed("--version", status=0) == f"suburb_pandas {sp.__version__}\n"


@pytest.mark.parametrize(
    "wrong", ["buy", "check", "sandbox --port many", "sandbox --error-rate 1.1", "sandbox --rate-limit 0"]
)
def test_a_wrong_command_is_explained(wrong, printed):
    """A command or an option that does not exist, one that is missing, and a number out of bounds show the usage."""
    assert "usage: python -m suburb_pandas" in printed(*wrong.split(), status=2)


def test_a_port_that_cannot_be_had_is_an_error():
    """The error of the sandbox has the port, and no traceback."""
    limits = ["--error-rate", "1", "--latency-ms", "0", "--rate-limit", "1"]
    with pytest.raises(SystemExit, match="cannot listen on port 99999: "):
        main(["sandbox", "--port", "99999", *limits])
