"""Hostile names, base URLs and proxies: they add nothing to a request, and no error shows the key."""

import contextlib
import json
import re

import pytest

import suburb_pandas as sp
from tests.support.raw_server import KEY, shows, whole

BAY = "Quokka Bay"
HEADERS = ["Host", "User-Agent", "Accept", "Accept-Encoding", "Authorization"]


@pytest.mark.parametrize("evil", ["a\r\nX-Evil: 1", "a\0b", "a\x85b"])
def test_no_name_gets_out_of_its_line(serve, client_of, evil):
    """A line break is an error in a name or a state, and a space in a query; it never adds a header."""
    server = serve(whole(b'{"data": []}'))
    client = client_of(server.url)
    for endpoint in (sp.rent, sp.impacts):
        with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
            endpoint(evil, client=client)
    with pytest.raises(ValueError, match="Nothing was sent"):
        sp.find("a", state=f"NSW{evil[1:]}", client=client)
    assert not server.received
    with contextlib.suppress(sp.SuburbError):  # a query with a character that cannot be looked up
        sp.find(evil, client=client)
    for request in server.received:
        assert names_of_headers(request) == HEADERS


@pytest.mark.parametrize("name", ["a\u010a\u010db", "a\u2028b", "a%0d%0aX-Evil: 1", "a?b#c", "a/../../b"])
def test_a_name_that_looks_like_more_is_one_piece_of_a_path(serve, client_of, name):
    """Characters with a meaning in a URL, escapes, and letters whose last byte is a line break are percent-encoded."""
    server = serve(whole(b'{"data": null}'))
    with pytest.raises(sp.errors.NoData):
        sp.rent(name, client=client_of(server.url))
    assert names_of_headers(server.received[0]) == HEADERS
    line = server.received[0].split(b"\r\n")[0].decode()
    assert re.fullmatch(r"GET /v1/suburbs/[\w.~%-]+/market/median-rent-series HTTP/1\.1", line, re.ASCII)


def test_no_address_gets_out_of_its_line(serve, client_of):
    """A base URL with spaces or line breaks is refused, and a letter whose last byte is a line break is encoded."""
    for rest in ("/ HTTP/1.1\r\nX-Evil: 1\r\n\r\n", "/%0d%0aX-Evil: 1", "/\n"):
        with pytest.raises(sp.errors.SettingsError, match="base_url must be like"):
            client_of(f"http://127.0.0.1:9{rest}")
    server = serve(whole(b'{"data": null}'))
    with pytest.raises(sp.errors.NoData):
        sp.rent(BAY, client=client_of(server.url + "/\u010a"))
    assert names_of_headers(server.received[0]) == HEADERS


def names_of_headers(request):
    """Return the names of a request's headers, and check that nothing follows them."""
    head, _, rest = request.decode("ascii").partition("\r\n\r\n")
    assert not rest
    return [line.partition(":")[0] for line in head.split("\r\n")[1:]]


def data(**more):
    """Encode a response about `BAY`."""
    return json.dumps({"data": {"area_name": BAY, "area_level": "suburb", **more}}).encode()


@pytest.mark.parametrize("letters", [9, len(KEY) - 1])
@pytest.mark.parametrize("where", ["detail", "message", "reason", "area_name", "date", "request id"])
def test_a_key_that_is_cut_off_is_not_shown(serve, client_of, where, letters):
    """Of a long text only the start is shown; if the cut falls within the key, no part of the key is shown."""
    far, near = " " * (800 - letters) + KEY, "a" * (199 - letters) + KEY
    handle = {
        "detail": whole(far.encode(), status="422 Refused"),
        "message": whole(json.dumps({"data": None, "message": far}).encode()),
        "reason": whole(json.dumps({"data": None, "reason": far}).encode()),
        "area_name": whole(data(area_name=f"a{near}")),
        "date": whole(data(house=[{"date": near, "value": 1}])),
        "request id": whole(b"", "X-Request-Id: \x01" + far.replace(" ", "\x01")[1:], status="500 Failed"),
    }[where]
    with pytest.raises(sp.SuburbError) as caught:
        sp.rent(BAY, client=client_of(serve(handle).url))
    shown = f"{caught.value} {vars(caught.value)}"
    assert not shows(KEY[:9], shown)
