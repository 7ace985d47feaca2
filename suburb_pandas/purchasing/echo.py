"""Cuts the API key out of responses that repeat it, so that no store, cassette, frame or error ever holds it.

The worker calls it before anything else sees the response. Finding the key is left to redaction.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from suburb_pandas.redaction import redacted, without_key
from suburb_pandas.service.calls import REDACTED, Exchange, Item
from suburb_pandas.settings import Key

_log = logging.getLogger("suburb_pandas")


def cut_out_key(exchange: Exchange, item: Item, secret: Key | None) -> tuple[Exchange, dict[str, str]]:
    """Return an exchange without the key in its body, and the headers that mark it if the key was there."""
    body = without_key(exchange.body, secret)
    if body == exchange.body:
        return exchange, {}
    _log.warning(
        "%s of %r: the response held the API key, which was cut out; tell the service, and change the key",
        item.endpoint,
        redacted(item.area_name, secret),
    )
    return replace(exchange, body=body), {REDACTED: "the API key"}
