"""A response that repeats the API key is stored, recorded and shown without it, and marked as redacted."""

import json
import logging
from base64 import b64encode

import pytest

import suburb_pandas as sp
from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.redaction import holds_key
from suburb_pandas.service.calls import REDACTED, Item, Response
from tests.secrets.test_tracebacks import assert_silent
from tests.support.common import LIVE_KEY
from tests.support.recorded import body_of

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
FORMS = {
    "plain": LIVE_KEY,
    "percent": "".join(f"%{ord(letter):02x}" for letter in LIVE_KEY),
    "base64 of a header": b64encode(f"Bearer {LIVE_KEY}".encode()).decode(),
    "mixed": f"\\u006d%69{LIVE_KEY[2:]}",
}
LEFT = {"base64 of a header": "QmVhcmVyIG[redacted]k="}
"""What is left of a form besides ``[redacted]``: base64 letters that the key shares with the text beside it."""

SAID = "rent of 'Quokka Bay': the response held the API key, which was cut out; tell the service, and change the key"


def echo(form, body=None):
    """Return the body of a response, by default with one rent, that repeats the key."""
    return (body or body_of(BAY)).replace(b"{", b'{"echo": "%b", ' % FORMS[form].encode(), 1)


@pytest.mark.parametrize("form", FORMS)
def test_neither_store_nor_cassette_nor_frame_holds_a_repeated_key(live, service, log, tmp_path, form):
    """A response that repeats the key is bought, logged, stored and recorded like any other, but without the key."""
    service.answer(BAY, "rent", body=echo(form), headers={"Set-Cookie": f"key={LIVE_KEY}"})
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        frame = sp.rent(BAY)
    files = [file.read_bytes().decode("latin-1") for file in tmp_path.iterdir() if file.is_file()]
    assert len(files) > 3  # the store is open, so it has a log, too
    shown = [frame.attrs, frame, live, sp.ledger(), sp.provenance(frame), service.requests]
    for text in [*files, *map(repr, shown), log.text]:
        assert not holds_key(text, [LIVE_KEY])
    (response,) = live.store.vintages(live.namespace, Item("rent", BAY))
    assert json.loads(response.body) == {"echo": LEFT.get(form, "[redacted]"), **json.loads(body_of(BAY))}
    assert (REDACTED in response.headers, response.is_whole) == (True, True)
    assert [record.getMessage() for record in log.records if record.levelno >= logging.WARNING] == [SAID]
    assert "rent of 'Quokka Bay': answered with 200, billed, 30 cents" in log.text
    ((_, kept),) = vcr_yaml.read(path.read_bytes()).calls
    assert (kept.body, kept.headers) == (response.body, response.headers)
    with sp.cassette(path):
        assert sp.rent(BAY).equals(frame)


ERRORS = {
    "refused": (422, b'{"detail": "no"}'),
    "broken JSON": (200, b'{"data": '),
    "another user's key": (200, body_of(f"mib_live_{HEIGHTS}")),
    "no data": (200, b'{"data": null}'),
}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("fault", ERRORS)
def test_no_error_shows_a_repeated_key(live, service, log, tmp_path, fault):
    """If a response repeats the key and is an error as well, neither error, traceback, log nor cassette has the key."""
    status, body = ERRORS[fault]
    service.answer(BAY, "rent", body=echo("percent", body), status=status, times=None)
    path = tmp_path / "study.yaml"
    with sp.cassette(path), pytest.raises(sp.SuburbError) as caught:
        sp.rent(BAY)
    assert_silent(caught.value, lambda text: holds_key(text, [LIVE_KEY]))
    assert not holds_key(log.text, [LIVE_KEY])
    assert SAID in log.text
    assert not (path.exists() and holds_key(path.read_text("utf-8"), [LIVE_KEY]))


def test_no_traceback_of_an_unforeseen_error_shows_a_repeated_key(live, service, monkeypatch):
    """Once the response has arrived, no frame has the key in a variable, whatever fails then."""
    service.answer(BAY, "rent", body=echo("plain"))

    def broken(*_args, **_options):
        raise RuntimeError("no response can be made")

    monkeypatch.setattr(Response, "of", broken)
    with pytest.raises(RuntimeError) as caught:
        sp.rent(BAY)
    assert_silent(caught.value)
