"""A small service of made-up suburbs, for work without a key and for tests with an adversary.

It speaks as the real service does, over HTTP on 127.0.0.1, of a country that does not exist, and marks every
answer with the header ``X-Made-Up-Data``. It shares no code with the client, so that neither hides the other's
mistake.

Where to look::

    country    the suburbs              routes     paths, prices            server    the running service
    oddities   the awkward ones         accounts   keys, wallets, counts    delivery  bytes on the wire
    series     rents                    app        from request to answer   script    what goes wrong when
    premiums   drivers                  answers    what answers look like   faults    what can go wrong
    geocode    the lookup               dice       numbers from names

Keys: ``embedded`` knows every suburb and pays nothing, ``test`` knows nine (`SANDBOX_NAMES`) and pays nothing,
and whatever begins ``mib_live_`` knows every suburb and pays from a wallet of its own.

The same request gets the same bytes on every machine, Python and day: all of an answer under the free keys, its
date and request id included, follows from `DATA_VERSION` and the request target.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from suburb_pandas.sandbox.accounts import EMBEDDED_KEY, LIVE_PREFIX, SANDBOX_KEY, Accounts
from suburb_pandas.sandbox.adversary.faults import Fault
from suburb_pandas.sandbox.adversary.script import Script
from suburb_pandas.sandbox.answers import MARK
from suburb_pandas.sandbox.app import App
from suburb_pandas.sandbox.country import DATA_VERSION, SANDBOX_NAMES, SUBURBS, Suburb
from suburb_pandas.sandbox.series import LAST_DATE

if TYPE_CHECKING:
    from suburb_pandas.sandbox.server import Sandbox

__all__ = [
    "DATA_VERSION",
    "EMBEDDED_KEY",
    "LAST_DATE",
    "LIVE_PREFIX",
    "MARK",
    "SANDBOX_KEY",
    "SANDBOX_NAMES",
    "SUBURBS",
    "Fault",
    "Suburb",
    "run",
    "serve",
]


def serve(
    port: int = 0,
    *,
    latency_ms: float = 0,
    error_rate: float = 0.0,
    rate_limit: float | None = None,
    wallet_cents: int = 10_000,
    faults: Sequence[str] = (),
    seed: int = 0,
    slow_seconds: float = 1.0,
) -> "Sandbox":
    """Start a sandbox in a background thread.

    Parameters
    ----------
    port
        Where to listen on 127.0.0.1; 0 takes a free port.
    latency_ms
        How long every answer takes at the least.
    error_rate
        The share of requests that meet a fault by chance, from 0 to 1.
    rate_limit
        Requests a second, over all clients; beyond it 429, every second time with a ``Retry-After``.
    wallet_cents
        What each live key starts with.
    faults
        Names of faults that chance picks from (see `Fault`). Empty: what a service does on a bad day.
    seed
        Where chance starts.
    slow_seconds
        How long a chance fault takes if it is one that takes time.

    Returns
    -------
    Sandbox
        The running sandbox, to be closed or used with ``with``.

    Raises
    ------
    OSError
        If the port is taken.

    Examples
    --------
    >>> from suburb_pandas import sandbox
    >>> with sandbox.serve() as service:
    ...     service.url.startswith("http://127.0.0.1:")
    True
    """
    # Werkzeug loads with the first server, not with the package.
    from suburb_pandas.sandbox.server import Sandbox  # noqa: PLC0415

    script = Script(error_rate=error_rate, faults=faults, seed=seed, rate_limit=rate_limit, seconds=slow_seconds)
    return Sandbox(App(Accounts(wallet_cents), script, latency_ms), port)


def run(
    port: int = 8000,
    *,
    latency_ms: float = 0,
    error_rate: float = 0.0,
    rate_limit: float | None = None,
    wallet_cents: int = 10_000,
) -> None:
    """Serve in the foreground until Ctrl-C. The parameters are those of `serve`."""
    service = serve(
        port, latency_ms=latency_ms, error_rate=error_rate, rate_limit=rate_limit, wallet_cents=wallet_cents
    )
    line = (
        f"{service.url} serves made-up suburbs until Ctrl-C; "
        f"keys: {EMBEDDED_KEY} (all suburbs, free), {SANDBOX_KEY} (nine suburbs, free), "
        f"{LIVE_PREFIX}... (all suburbs, {wallet_cents} cents each)"
    )
    print(line, flush=True)  # noqa: T201 - the one line of a command
    service.wait()
