"""Hostile names, base URLs and proxies: they add nothing to a request, and no error shows the key."""

import contextlib
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
        assert names_of_headers(server.received[0]) == HEADERS
        line = server.received[0].split(b"\r\n")[0].decode()
        assert re.fullmatch(r"GET /%C4%8A/v1/suburbs/[\w.~%-]+/market/median-rent-series HTTP/1\.1", line, re.ASCII)


@pytest.mark.parametrize("evil", ["a\r\nX-Evil: 1", "a\0b", "a\x85b"])
def test_a_line_break_adds_no_header(serve, client_of, evil):
    """A line break is an error in a name or a state, and a space in a query."""
    server = serve(whole(b'{"data": []}'))
    client = client_of(server.url)
    with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
        sp.rent(evil, client=client)
    with pytest.raises(ValueError, match="Nothing was sent"):
        sp.find("a", state=f"NSW{evil[1:]}", client=client)
    assert not server.received
    with contextlib.suppress(sp.SuburbError):  # a query with a character that cannot be looked up
        sp.find(evil, client=client)
    assert [names_of_headers(request) for request in server.received] == [HEADERS] * len(server.received)


def names_of_headers(request):
    """Return the names of a request's headers, and check that nothing follows them."""
    head, _, rest = request.decode("ascii").partition("\r\n\r\n")
    assert not rest
    return [line.partition(":")[0] for line in head.split("\r\n")[1:]]


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
