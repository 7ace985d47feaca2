"""A small HTTP service of made-up suburbs, the sandbox, for work without a key and for tests of failures.

Owns a made-up country with its boundaries, rents and drivers, and a server on 127.0.0.1 that follows the real service's
specification.
Faults and broken delivery are left to ``sandbox.adversary``; whether a client uses the sandbox is left to client.
Imports nothing else of the package: a mistake in shared code would be on both sides, and no test would find it.
Every folder may import it; only ``errors.py`` may not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from suburb_pandas.sandbox.accounts import EMBEDDED_KEY, LIVE_PREFIX, SANDBOX_KEY, Accounts
from suburb_pandas.sandbox.adversary.faults import Fault
from suburb_pandas.sandbox.adversary.script import Script
from suburb_pandas.sandbox.answers import ANSWER_DATE, MARK
from suburb_pandas.sandbox.app import App
from suburb_pandas.sandbox.census import census
from suburb_pandas.sandbox.country import DATA_VERSION, SANDBOX_NAMES, SUBURBS, Suburb
from suburb_pandas.sandbox.series import LAST_DATE

if TYPE_CHECKING:
    from suburb_pandas.sandbox.server import Sandbox

__all__ = [
    "ANSWER_DATE",
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
    "census",
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
    """Start a sandbox in a background thread, on 127.0.0.1.

    Parameters
    ----------
    port
        The port to listen on; 0 takes a free one.
    latency_ms
        The delay before each call is answered, in milliseconds.
    error_rate
        The share of calls that get a random fault, from 0 to 1.
    rate_limit
        Calls per second, over all clients; None for no limit. A call beyond the limit gets 429, and every second
        429 has a ``Retry-After``.
    wallet_cents
        The balance of each live key at the start, in cents.
    faults
        Names of the faults that `error_rate` draws from (see `Fault`). If empty, those of a bad day: latency, refusals,
        server errors, dropped connections, slow bodies and broken JSON.
    seed
        The seed of the random faults: with the same seed, the same sequence of calls gets the same faults.
    slow_seconds
        The duration of a random fault that takes time, in seconds.

    Returns
    -------
    Sandbox
        The running sandbox. Close it, or use it with ``with``.

    Raises
    ------
    OSError
        The port is taken.

    Examples
    --------
    >>> from suburb_pandas import sandbox
    >>> with sandbox.serve() as service:
    ...     service.url.startswith("http://127.0.0.1:")
    True
    """
    # Imported here, so that importing the sandbox does not load Werkzeug.
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
        f"{LIVE_PREFIX}... (all suburbs, from a wallet of {wallet_cents} made-up cents)"
    )
    print(line, flush=True)  # noqa: T201 - the one line of a command
    service.wait()
