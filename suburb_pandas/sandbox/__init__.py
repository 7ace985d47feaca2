"""A small HTTP service of made-up suburbs, the sandbox, for work without a key.

Owns a made-up country with its boundaries, rents and drivers, and a server on 127.0.0.1 that follows the real service's
specification. `serve` starts it, and `service.Service.respond` answers a request.
Leaves to client whether a client uses it, and faults on demand to the tests, which extend `Service` and `Sandbox`.
Every folder may import it; only ``errors.py`` may not.
Never import anything else of the package: a mistake in shared code would be on both sides, and no test would find it.
Never add a suburb with the name of a real one.
"""

from typing import TYPE_CHECKING, Any

from suburb_pandas.sandbox.country import ANSWER_DATE, DATA_VERSION, SANDBOX_NAMES, SUBURBS, census

if TYPE_CHECKING:
    from suburb_pandas.sandbox.server import Sandbox

__all__ = ["ANSWER_DATE", "DATA_VERSION", "SANDBOX_NAMES", "SUBURBS", "census", "run", "serve"]


def serve(port: int = 0, **options: Any) -> "Sandbox":
    """Start a sandbox in a background thread, on 127.0.0.1.

    Parameters
    ----------
    port
        The port to listen on; 0 takes a free one.
    options
        Those of `Service`: ``latency_ms``, ``error_rate``, ``rate_limit`` and ``wallet_cents``.

    Returns
    -------
    Sandbox
        The running sandbox. Close it, or use it with ``with``.

    Raises
    ------
    OSError
        The port cannot be used, for example because it is taken.
    OverflowError
        The port is not from 0 to 65535.

    Examples
    --------
    >>> from suburb_pandas import sandbox
    >>> with sandbox.serve() as service:
    ...     service.url.startswith("http://127.0.0.1:")
    True
    """
    # Imported here, so that importing the sandbox does not load Werkzeug.
    from suburb_pandas.sandbox.server import Sandbox  # noqa: PLC0415
    from suburb_pandas.sandbox.service import Service  # noqa: PLC0415

    return Sandbox(Service(**options), port)


def run(port: int, **options: Any) -> None:
    """Serve in the foreground until Ctrl-C. The parameters are those of `serve`."""
    service = serve(port, **options)
    line = (
        f"{service.url} serves made-up suburbs until Ctrl-C; "
        "keys: embedded (all suburbs, free), test (nine suburbs, free), "
        f"mib_live_... (all suburbs, from a wallet of {service.service.wallet_cents} made-up cents)"
    )
    print(line, flush=True)  # noqa: T201 - the one line of a command
    service.wait()
