"""Tests of when a connection serves another call: only after a complete 200 about the suburb that was asked for."""

import json

import pytest

import suburb_pandas as sp
from suburb_pandas.errors import SuburbError
from tests.support.common import RENTED, wait_for
from tests.support.raw_server import OK
from tests.support.recorded import body_of

FIRST, SECOND, THIRD = RENTED[:3]


def answer(body, *headers, status=OK):
    """Return the bytes of a response."""
    return b"\r\n".join([status.strip(), b"Content-Length: %d" % len(body), *headers, b"", b""]) + body


def about(request):
    """Return the made-up suburb that a request asks for."""
    return next(name for name in RENTED[:3] if name.replace(" ", "%20").encode() in request)


def right(request):
    """Return the right answer to a request."""
    return answer(body_of(about(request)))


@pytest.fixture
def talk(serve, client_of):
    """Return a function that starts a service whose first request is answered in a way, and the others rightly.

    It returns a client with one worker, and the list of requests on each connection.
    """

    def start(first):
        connections, odd = [], iter([first])

        def handle(connection):
            requests = [server.received.pop()]
            connections.append(requests)
            while requests[-1]:
                connection.sendall(next(odd, right)(requests[-1]))
                requests.append(connection.recv(65536))

        server = serve(handle)
        client = client_of(server.url)
        object.__setattr__(client.settings, "max_workers", 1)
        return client, connections

    return start


def asked(connections):
    """Return the suburbs that were asked for over each connection."""
    return [[about(request) for request in requests if request] for requests in connections]


def test_calls_of_a_request_share_a_connection(talk):
    """After a complete answer about the suburb that was asked for, it serves the next call of its request."""
    client, connections = talk(right)
    sp.rent([FIRST, SECOND], client=client)
    sp.rent(THIRD, client=client)
    assert asked(connections) == [[FIRST, SECOND], [THIRD]]


@pytest.mark.parametrize(
    "odd",
    [
        lambda _: answer(b'{"data": null}'),
        lambda _: answer(b'{"data": '),
        lambda _: answer(body_of("Woylie")),
        lambda _: answer(b"{}", status=b"HTTP/1.1 404 Not Found"),
    ],
)
@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_after_any_other_answer_the_next_call_connects_anew(talk, odd):
    """What arrives late over a closed connection cannot be taken for the answer to another call.

    Any other answer is one without data, one that cannot be read, one about another suburb, and any other status.
    """
    client, connections = talk(odd)
    try:
        frame = sp.rent([FIRST, SECOND, THIRD], client=client)
    except SuburbError as error:
        frame = error.frame
    assert {SECOND, THIRD} <= set(frame["area_name"])
    assert asked(connections) == [[FIRST], [SECOND, THIRD]]


def test_a_look_up_shares_no_connection(serve, client_of):
    """The candidates of a look-up do not say what was asked, so its connection is closed."""
    ended = []

    def handle(connection):
        connection.sendall(answer(json.dumps({"data": [{"area_name": FIRST}]}).encode()))
        ended.append(connection.recv(65536))

    client = client_of(serve(handle).url)
    for query in ("quokka", "bilby"):
        assert sp.find(query, client=client)["area_name"].to_list() == [FIRST]
    assert wait_for(lambda: len(ended) == 2)
    assert ended == [b"", b""]


def test_a_second_answer_is_never_taken_for_another_suburbs(talk):
    """A server that answers twice puts its connection one answer behind. Nothing is filed under a wrong name."""
    client, _ = talk(lambda request: 2 * right(request))
    try:
        frame = sp.rent([FIRST, SECOND, THIRD], client=client)
    except SuburbError as error:
        frame = error.frame
    assert FIRST in set(frame["area_name"])
    for name, rents in frame.groupby("area_name", observed=True):
        assert json.loads(body_of(name))["data"]["house"][0]["value"] == rents["house"].iloc[0]
