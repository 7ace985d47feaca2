"""Makes recorded interactions, and cassettes as this package or other tools write them."""

import json

import yaml

from suburb_pandas.cassettes import vcr_yaml
from suburb_pandas.cassettes.vcr_yaml import BEGINNING
from suburb_pandas.service import path_of
from suburb_pandas.service.calls import Item, RecordedInteraction, Response

BASE = "https://api.example.org"
MADE_UP = {"x-made-up-data": "yes"}


def body_of(name, value=500.0):
    """Return the body of a response with one rent, as from the service."""
    points = [{"date": "2024-01-31", "value": value}]
    data = {"area_name": name, "area_level": "suburb", "house": points, "unit": None}
    return json.dumps({"data": data}).encode()


def call(
    name="Quokka Bay", value=500.0, *, at="2026-01-01T00:00:00+00:00", body=None, headers=None, source="live", **more
):
    """Return a recorded interaction whose response has one rent."""
    found = body_of(name, value) if body is None else body
    kept = {"content-type": "application/json", "x-cost-cents": "30"} | (headers or {})
    return RecordedInteraction(Item("rent", name), Response.of(found, kept, at, 30, source, **more))


def written(*calls):
    """Return the bytes of a cassette as this package writes it."""
    return BEGINNING + b"".join(vcr_yaml.entry(one, BASE) for one in calls)


def elsewhere(
    name="Quokka Bay",
    *,
    body=None,
    headers=None,
    endpoint="rent",
    method="GET",
    status=200,
    host="http://10.0.0.1:81/x",
):
    """Return an interaction as vcrpy records it for another HTTP client."""
    return {
        "request": {
            "method": method,
            "uri": host + path_of(Item(endpoint, name)),
            "body": None,
            "headers": {"Accept": ["*/*"], "User-Agent": ["python-requests/2.34.2"]},
        },
        "response": {
            "status": {"code": status, "message": "OK"},
            "headers": {"Date": ["Tue, 28 Apr 2026 04:52:36 GMT"], "Set-Cookie": ["a=b"], **(headers or {})},
            "body": {"string": body_of(name).decode() if body is None else body},
        },
    }


def vcrpy_file(*interactions):
    """Return the bytes of a cassette in vcrpy's layout, with the version at the end."""
    return yaml.dump({"interactions": list(interactions), "version": 1}).encode()
