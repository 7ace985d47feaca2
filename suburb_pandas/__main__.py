"""Runs the commands ``python -m suburb_pandas demo``, ``sandbox``, ``check`` and ``record``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

_DEMO = """
df = pd.DataFrame({"suburb": ["Lantern Bay (NSW)", "Quokka Bay", "Mangrove Steps"], "listings": [12, 7, 30]})
rents = df.suburb.rent()
rents.groupby("area_name", observed=True).tail(1)
df.suburb.rent(freq="QE", how="mean", partial="drop", layout="wide")["house"].tail(4).round(1)
df.suburb.impacts()[["area_name", "label", "premium_dollars", "pct_of_median"]].head(6)
df.join(df.suburb.impact_summary()[["n_sales", "median_price", "total_premium"]], on="suburb")
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the commands."""
    options = _parser().parse_args(arguments)
    commands = {"demo": _demo, "sandbox": _sandbox, "check": _check, "record": _record}
    commands[options.command](options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m suburb_pandas", description="Suburb property data from pandas.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("demo", help="the main job, on made-up suburbs, free and offline")
    sandbox = commands.add_parser(
        "sandbox",
        help="serve the made-up suburbs on loopback until Ctrl-C",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    sandbox.add_argument("--port", type=int, default=8000, help="where on 127.0.0.1 to listen; 0 takes a free port")
    sandbox.add_argument(
        "--latency-ms", type=_number(0, 60_000), default=0, help="how long each answer takes at the least"
    )
    sandbox.add_argument("--error-rate", type=_number(0, 1), default=0, help="share of requests that go wrong, 0 to 1")
    sandbox.add_argument("--rate-limit", type=_number(1), help="requests a second; beyond it 429")
    sandbox.add_argument("--wallet-cents", type=int, default=10_000, help="what each live key starts with")
    check = commands.add_parser(
        "check", help="run notebooks with no network, key or store, and compare their text with what is stored in them"
    )
    check.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK", help="a file of Jupyter, .ipynb")
    check.add_argument("--timeout", type=_number(1), default=600, help="the most seconds that a cell may take; 600")
    record = commands.add_parser("record", help="record again the cassettes that the package's own tests replay")
    record.add_argument("--folder", type=Path, default=Path("cassettes"), help="where they are; ./cassettes by default")
    record.add_argument(
        "--live", action="store_true", help="from the live service's free suburbs, over the network; the key is test"
    )
    return parser


def _number(least: float, most: float = float("inf")) -> Callable[[str], float]:
    """Return a function that parses a number within bounds. argparse reports its ValueError."""

    def number(text: str) -> float:
        if not least <= float(text) <= most:
            raise ValueError(text)
        return float(text)

    return number


def _demo(_options: argparse.Namespace) -> None:
    """Demonstrate the main job: print each line of code and run it."""
    import pandas as pd  # noqa: PLC0415 - the other commands and --help need neither

    import suburb_pandas as sp  # noqa: PLC0415 - as above
    from suburb_pandas.sandbox import serve  # noqa: PLC0415 - as above
    from suburb_pandas.service import ENDPOINTS  # noqa: PLC0415 - as above

    print("All suburbs and numbers below are made up, by the sandbox that comes with the package.")
    names = {"pd": pd, "sp": sp}
    with (
        serve() as sandbox,
        sp.connect(api_key="embedded", base_url=sandbox.url, store=":memory:"),
        pd.option_context("display.width", 110, "display.max_columns", None),
    ):
        for line in _DEMO.strip().splitlines():
            print(f"\n>>> {line}")
            exec(compile(line, "<demo>", "single"), names)  # noqa: S102 - our own lines, from above
        calls = Counter(sp.ledger()["endpoint"])
    cents = sum(ENDPOINTS[endpoint].cents * count for endpoint, count in calls.items())
    bought = " and ".join(
        f"{count} {endpoint} calls at {ENDPOINTS[endpoint].cents} cents" for endpoint, count in calls.items()
    )
    print(f"\nLive, with real suburbs, this would have cost {cents} cents, once: {bought}.")
    print("What was asked for twice came from the store, which keeps it for good.")
    print('Next: sp.connect(api_key="test") gives nine real suburbs, free.')


def _sandbox(options: argparse.Namespace) -> None:
    from suburb_pandas.sandbox import run  # noqa: PLC0415 - needs Werkzeug

    try:
        run(
            options.port,
            latency_ms=options.latency_ms,
            error_rate=options.error_rate,
            rate_limit=options.rate_limit,
            wallet_cents=options.wallet_cents,
        )
    except (OSError, OverflowError) as problem:
        raise SystemExit(f"The sandbox cannot listen on port {options.port}: {problem}") from None


def _check(options: argparse.Namespace) -> None:
    """Check notebooks one after the other, and print a report on each. Exit with 1 if one of them does not rerun."""
    missing = [module for module in ("nbclient", "ipykernel") if find_spec(module) is None]
    if missing:
        raise SystemExit(
            f"Notebooks are run by {' and '.join(missing)}, not installed: python -m pip install '.[check]'"
        )
    from suburb_pandas.notebook.check import NotANotebookError, check  # noqa: PLC0415 - needs nbclient

    all_rerun = True
    for path in options.notebooks:
        try:
            report = check(path, seconds=int(options.timeout))
        except NotANotebookError as problem:
            all_rerun = False
            print(problem)
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        else:
            all_rerun = all_rerun and report.reruns
            print(report, flush=True)
    if not all_rerun:
        raise SystemExit(1)


def _record(options: argparse.Namespace) -> None:
    """Record a few responses of each endpoint, one call after the other, so that the file is the same each time."""
    import suburb_pandas as sp  # noqa: PLC0415 - as above
    from suburb_pandas.sandbox import serve  # noqa: PLC0415 - as above
    from suburb_pandas.service.sources import EMBEDDED_TEST_SUBURBS, SANDBOX_SUBURBS  # noqa: PLC0415 - as above
    from suburb_pandas.settings import EMBEDDED_KEY, LIVE_URL, SANDBOX_KEY  # noqa: PLC0415 - as above

    path = options.folder / f"{'live' if options.live else 'embedded'}_sandbox.yaml"
    key, names = (SANDBOX_KEY, [*SANDBOX_SUBURBS][:3]) if options.live else (EMBEDDED_KEY, EMBEDDED_TEST_SUBURBS[:3])
    try:
        with (
            serve() as sandbox,
            sp.Client(
                api_key=key, base_url=LIVE_URL if options.live else sandbox.url, store=":memory:", max_workers=1
            ) as client,
            sp.cassette(path, record="all") as cassette,
        ):
            sp.rent(names, client=client)
            sp.impacts(names, client=client)
            if not options.live:  # it is not documented whether its sandbox answers look-ups
                sp.find("kestrel hill", state="VIC", client=client)
    except sp.SuburbError as problem:
        raise SystemExit(f"{path} was not recorded. {problem}") from None
    print(f"{path}: {cassette.n_answers} answers")


if __name__ == "__main__":
    main()
