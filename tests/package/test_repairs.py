"""Every repair that a message prints is pasted, and has to give the right value."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.client import provenance_log
from suburb_pandas.service import calls
from tests.package import odd_inputs, repairs_of_frames, repairs_of_requests, repairs_of_results
from tests.package.repairs import run
from tests.support.common import LIVE_KEY
from tests.support.vintages import rents

CASES = [*repairs_of_frames.CASES, *repairs_of_requests.CASES, *repairs_of_results.CASES]
OWN = {"sp": sp, "pd": pd, "np": np, "odd": odd_inputs, "rents_body": rents, "LIVE_KEY": LIVE_KEY}


@pytest.fixture
def session(tmp_path, monkeypatch, embedded, service, hasty):
    """Return the names of a session in a folder of its own, with the embedded sandbox as the default client."""
    monkeypatch.chdir(tmp_path)

    def live(**options):
        return sp.connect(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "store.sqlite", **options)

    def later(days):
        moment = datetime.now(UTC) + timedelta(days=days)
        monkeypatch.setattr(calls, "clock", lambda: moment)

    def replay(path, load, record="once"):
        with sp.cassette(path, record=record):
            return load()

    def forget():
        monkeypatch.setattr(provenance_log, "_used", {})
        monkeypatch.setattr(provenance_log, "_lists", {})
        sp.connect(api_key="embedded")

    here = {"service": service, "folder": tmp_path}
    return OWN | here | {"live": live, "later": later, "replay": replay, "forget": forget}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.call)
def test_a_repair_that_a_message_prints_gives_the_right_value(session, case):
    """The code in a message can be pasted, and the user's call then gives the right value."""
    session["result"] = run(case, session)
    assert eval(case.check, session)  # noqa: S307 - the test's own code
