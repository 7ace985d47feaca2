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
    "__main__": ("command", ""),
    "accessor.suburb": ("help", 'sp.rent(df["suburb"])'),
    "accessor.suburb.install": ("pandas", 'sp.rent(df["suburb"])'),
    "accessor.suburb.SuburbAccessor.__getattr__": ("mention", ""),
    "accessor.suburb.SuburbAccessor.__repr__": ("help", ""),
    "cassettes.cassette.Cassette.__init__": ("option", ""),
    "client.client._data_folder": ("option", ""),
    "commands.demo": ("demo", 'sp.connect(api_key="test")'),
    "frames.suburbs.select_suburbs": ("template", ""),
    "frames.suburbs.texts_of": ("template", ""),
    "geocoding.places.places": ("template", ""),
    "http.wire._lasting": ("option", ""),
    "loaders.batch._buy": ("option", ""),
    "loaders.ledger": ("template", ""),
    "loaders.ledger.vintages": ("template", ""),
    "loaders.scorecard._warn_of_prices": ("mention", ""),
    "messages.install_line": ("pip", ""),
    "notebook.picker.SuburbPicker.__init__": ("template", ""),
    "notebook.picker.SuburbPicker._check_value": ("option", ""),
    "notebook.picker.SuburbPicker._fetch": ("code", ""),
    "notebook.picker.SuburbPicker._choice_changed": ("code", ""),
    "notebook.picker.SuburbPicker._in_words": ("mention", "sp.ledger()"),
    "plotting.tables._caption": ("option", ""),
    "purchasing.decisions._end_without_answer": ("option", ""),
    "purchasing.explanations._over_a_limit": ("mention", ""),
    "purchasing.purchase._warn_of_repeats": ("mention", "sp.ledger()"),
    "service.__init__.item_of": ("url", ""),
    "service.__init__.path_of": ("url", ""),
    "settings.Hidden.__reduce__": ("pickle", "sp.connect()"),
    "settings.resolve": ("option", ""),
    "store.database.Database.__init__": ("option", ""),
    "store.database.Database._check_version": ("option", ""),
    "store.database.Database._checked_version": ("option", ""),
    "store.database.Database._lend": ("fork", 'multiprocessing.get_context("spawn")'),
    "store.database.Database.commit": ("option", ""),
    "store.database._explained": ("option", ""),
    "store.store.Store.close": ("disk", "sp.ledger()"),
    "timeseries.period_values.grid_of": ("option", ""),
    "timeseries.restoring.Layout.check_detail": ("option", ""),
    "tracing.provenance.trace": ("mention", ""),
    "tracing.revisions.revisions": ("template", ""),
}
"""The other places with code in their text: a reason in one word, and the code if the message has a line to paste.

Those of `option` and `mention` name an option or a function in a sentence, and print no line; `template` is the user's
call, into which other messages put the argument.
"""


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
    assert places().keys() == {case.place for case in CASES} | NOT_RUN.keys()


@pytest.mark.parametrize("code", [code for _, code in NOT_RUN.values() if code])
def test_a_repair_that_cannot_be_run_offline_is_code(code):
    """A line that needs a full disk or another pandas can at least be compiled."""
    compile(code, code, "eval")
