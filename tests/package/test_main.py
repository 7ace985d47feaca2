"""The commands of ``python -m suburb_pandas``; the demo and the sandbox run in processes of their own."""

import re
import subprocess
import sys

import pytest
import requests

from suburb_pandas.__main__ import main


def test_the_demo_shows_the_main_job_and_uses_nobodys_key_and_nobodys_store(monkeypatch, tmp_path):
    """The demo loads rents and drivers, says that they are made up, and names the price of the same calls.

    It is free: it ignores the key, the URL and the store of the environment.
    """
    monkeypatch.setenv("SUBURB_API_KEY", "mib_live_nobody")
    monkeypatch.setenv("SUBURB_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("SUBURB_STORE", str(tmp_path / "store"))
    command = [sys.executable, "-m", "suburb_pandas", "demo"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "made up" in done.stdout
    assert ">>> rents = df.suburb.rent()" in done.stdout
    assert "premium_dollars" in done.stdout
    assert "this would have cost 120 cents, once: 3 rent calls at 30 cents and 3 impacts calls at 10" in done.stdout
    assert not (tmp_path / "store").exists()


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


@pytest.mark.parametrize("arguments", [[], ["buy"], ["sandbox", "--port", "many"]])
def test_a_wrong_command_is_explained(arguments, capsys):
    """A wrong command prints the usage and exits with status 2."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m suburb_pandas" in capsys.readouterr().err
