"""Every repair that a message prints is pasted, and has to give the right value."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.client import provenance_log
from suburb_pandas.notebook.choices import why_nothing
from suburb_pandas.service import calls
from tests.package import odd_inputs, repairs_of_frames, repairs_of_requests, repairs_of_results
from tests.package.repairs import Session, places
from tests.support.common import LIVE_KEY

CASES = [*repairs_of_frames.CASES, *repairs_of_requests.CASES, *repairs_of_results.CASES]

NOT_RUN = {
    # They name an option or a function in a sentence, and print no line.
    "accessor.suburb",
    "accessor.suburb.SuburbAccessor.__getattr__",
    "accessor.suburb.SuburbAccessor.__repr__",
    "cassettes.cassette.Cassette.__init__",
    "client.client._data_folder",
    "http.wire._lasting",
    "loaders.batch._buy",
    "loaders.scorecard._warn_of_prices",
    "notebook.picker.SuburbPicker._check_value",
    "notebook.picker.SuburbPicker._in_words",
    "plotting.tables._caption",
    "purchasing.decisions._end_without_answer",
    "purchasing.explanations._over_a_limit",
    "purchasing.purchase._warn_of_repeats",
    "settings.resolve",
    "store.database.Database.__init__",
    "store.database.Database._check_version",
    "store.database.Database._checked_version",
    "store.database.Database.commit",
    "store.database._explained",
    "timeseries.period_values.grid_of",
    "timeseries.restoring.Layout.check_detail",
    "tracing.provenance.trace",
    # The user's call, into which other messages put the argument.
    "frames.suburbs.select_suburbs",
    "frames.suburbs.texts_of",
    "geocoding.places.places",
    "loaders.ledger",
    "loaders.ledger.vintages",
    "notebook.picker.SuburbPicker.__init__",
    "notebook.picker.SuburbPicker._choice_changed",
    "notebook.picker.SuburbPicker._fetch",
    "tracing.revisions.revisions",
    # Command lines and addresses.
    "__main__",
    "commands.demo",
    "messages.install_line",
    "service.__init__.item_of",
    "service.__init__.path_of",
    # Lines that need a full disk, another process or another pandas.
    "accessor.suburb.install",
    "settings.Hidden.__reduce__",
    "store.database.Database._lend",
    "store.store.Store.close",
}
"""The other places with code in their text."""


@pytest.fixture
def session(tmp_path, monkeypatch, embedded, service):
    """Yield a session in a folder of its own, with the embedded sandbox as the default client."""
    monkeypatch.chdir(tmp_path)

    monkeypatch.setattr(settings, "RETRY_WAIT", 0.001)

    def live(**options):
        return sp.connect(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "store.sqlite", timeout=5, **options)

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

    def advice():
        note = why_nothing(None)
        return f"{note.text} {note.code}"

    own = {"live": live, "later": later, "replay": replay, "forget": forget, "advice": advice}
    modules = {"sp": sp, "pd": pd, "np": np, "odd": odd_inputs}
    with ExitStack() as stack:
        others = {"service": service, "folder": tmp_path, "setenv": monkeypatch.setenv, "enter": stack.enter_context}
        yield Session({**own, **modules, **others, "LIVE_KEY": LIVE_KEY})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.place)
def test_a_repair_that_a_message_prints_gives_the_right_value(session, case):
    """The code in a message can be pasted, and the user's call then gives the right value."""
    result = session.run(case)
    assert eval(case.check, session.names | {"result": result}), session.messages  # noqa: S307 - the test's own code


def test_every_place_that_prints_code_is_known():
    """A message with a new line to paste needs a case that pastes it."""
    assert places().keys() == {case.place for case in CASES} | NOT_RUN
