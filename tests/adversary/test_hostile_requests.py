"""Hostile names, base URLs and proxies: they add nothing to a request, and no error shows the key."""

import json
import re

import pytest

import suburb_pandas as sp
from tests.support.odd_responses import body_with
from tests.support.raw_server import KEY, shows, whole
from tests.support.recorded import body_of

BAY = "Quokka Bay"
HEADERS = ["Host", "User-Agent", "Accept", "Accept-Encoding", "Authorization"]


def test_a_name_is_one_piece_of_a_path(serve, client_of):
    """Characters with a meaning in a URL, escapes, and letters whose last byte is a line break are percent-encoded."""
    for name in ("a\u010a\u010db", "a\u2028b", "a%0d%0aX-Evil: 1", "a?b#c", "a/../../b"):
        server = serve(whole(b'{"data": null}'))
        with pytest.raises(sp.errors.NoData):
            sp.rent(name, client=client_of(server.url + "/\u010a"))
        line, *headers = server.received[0].decode("ascii").removesuffix("\r\n\r\n").split("\r\n")
        assert [header.partition(":")[0] for header in headers] == HEADERS
        assert re.fullmatch(r"GET /%C4%8A/v1/suburbs/[\w.~%-]+/market/median-rent-series HTTP/1\.1", line, re.ASCII)


@pytest.mark.parametrize("evil", ["a\r\nX-Evil: 1", "a\0b", "a\x85b"])
def test_nothing_is_sent_for_a_line_break(service, live, evil):
    """A line break is an error in a name or a state."""
    with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
        sp.rent(evil)
    with pytest.raises(ValueError, match="Nothing was sent"):
        sp.find("a", state=f"NSW{evil[1:]}")
    assert service.tally()["requests"] == []


@pytest.mark.parametrize("where", ["detail", "message", "area_name", "date", "request id"])
def test_a_key_that_is_cut_off_is_not_shown(serve, client_of, where):
    """Of a long text only the start is shown; if the cut falls within the key, no part of the key is shown.

    The service itself may send a part of the key. It stays in the stored response, but no message shows it.
    """
    part = KEY[:-1]
    far = " " * 791 + part  # a cut after 800 letters leaves nine of the key, one more than are searched for
    handle = {
        "detail": whole(far.encode(), status="422 Refused"),
        "message": whole(json.dumps({"data": None, "message": far}).encode()),
        "area_name": whole(body_of("a" * 170 + part)),
        "date": whole(body_with(BAY, f'{{"date": "{part}", "value": 1}}')),
        "request id": whole(b"", "X-Request-Id: \x01" + far.replace(" ", "\x01")[1:], status="500 Failed"),
    }[where]
    with pytest.raises((sp.SuburbError, sp.SuburbWarning)) as caught:
        sp.rent(BAY, client=client_of(serve(handle).url))
    shown = f"{caught.value} {vars(caught.value)}"
    assert not shows(KEY[:9], shown)
