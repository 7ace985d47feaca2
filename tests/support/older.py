"""Makes stores of version 0.1.0, whose bodies are as they came, or differences from an earlier body."""

from pathlib import Path

from suburb_pandas.service.calls import Response, utc_now
from tests.support.common import plain_sqlite

_SCRIPT = Path(__file__).with_name("store_0_1_0.sql")
"""A dump of a store that version 0.1.0 wrote. It had compressed three vintages."""

_URL = "http://127.0.0.1:9"


def store_of_0_1_0(path, url=_URL):
    """Write a store of version 0.1.0, as if it had bought from `url`, and return its path."""
    with plain_sqlite(path) as plain:
        plain.executescript(_SCRIPT.read_text().replace(_URL, url))
        plain.execute("pragma journal_mode = wal")
    return path


def add(path, name, *bodies, namespace=("live", _URL)):
    """Add vintages of a suburb's rents, as version 0.1.0 writes them."""
    with plain_sqlite(path) as plain:
        plain.execute("begin")
        for body in bodies:
            call = plain.execute(
                "insert into call (at, source, base_url, endpoint, area_name, outcome, cents, http_status, ended_at) "
                "values (?, ?, ?, 'rent', ?, 'billed', 30, 200, '2026')",
                (utc_now(), *namespace, name),
            ).lastrowid
            sha256 = Response.of(body, {}, "", 0, "").sha256
            plain.execute("insert into response values (?, ?, '{}', ?, ?)", (call, utc_now(), sha256, body))
        plain.execute("commit")
