"""Puts responses into a store as a purchase does, for tests and benchmarks that need no server."""

from msgspec.structs import replace

from suburb_pandas.service.calls import Response, Terms, utc_now
from suburb_pandas.store import responses

HEADERS = {"content-type": "application/json", "x-request-id": "req_0123456789abcdef"}


def terms_of(namespace, *, prices=None, budget=10**9, lease=40.0):
    """Return the terms of a reservation, by default at no cost."""
    return Terms(namespace, prices or {"rent": 0, "impacts": 0, "geocode": 0}, budget, lease)


def put(store, namespace, bodies, *, cents=0, headers=HEADERS, retrieved_at=None):
    """Store a response for each item, in one reservation, and return the calls by item."""
    terms = terms_of(namespace)
    newest = store.read(responses.newest, namespace, list(bodies))
    before = {item: newest[item].call if item in newest else 0 for item in bodies}
    reservation = store.claim(terms, before, ()).reservation
    begun = store.step(terms, reservation, begins=list(bodies))
    ends = [
        (
            replace(begun[item], outcome="billed", cents=cents, http_status=200, request_id=headers["x-request-id"]),
            Response.of(body, headers, retrieved_at or utc_now(), cents, namespace.source),
        )
        for item, body in bodies.items()
    ]
    store.step(terms, reservation, ends)
    store.release(reservation, waits=True)
    return begun
