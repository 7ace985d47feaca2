"""The commands, as a user runs them."""

import re
import subprocess
import sys

import pytest
import requests


def run(*arguments):
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "suburb_pandas", *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def test_the_demo_shows_the_main_job():
    """Suburbs in, rents and drivers out, what it would have cost, and that all of it is made up."""
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "made up" in done.stdout
    assert ">>> rents = df.suburb.rent()" in done.stdout
    assert "premium_dollars" in done.stdout
    assert "this would have cost 120 cents, once: 3 rent calls at 30 cents and 3 impacts calls at 10" in done.stdout


def test_the_demo_uses_nobodys_key_and_nobodys_store(monkeypatch, tmp_path):
    """It says that it is free, so it must not call where the environment points."""
    monkeypatch.setenv("SUBURB_API_KEY", "mib_live_nobody")
    monkeypatch.setenv("SUBURB_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("SUBURB_STORE", str(tmp_path / "store"))
    assert run("demo").returncode == 0
    assert not (tmp_path / "store").exists()


def test_the_sandbox_serves_until_it_is_interrupted():
    """The command prints where it serves, and meets its options."""
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


@pytest.mark.parametrize("arguments", [[], ["buy"], ["sandbox", "--port", "many"]])
def test_a_wrong_command_is_explained(arguments):
    """Usage, and a status that says so."""
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage: python -m suburb_pandas" in done.stderr
