"""Reads the command line of ``python -m suburb_pandas``, and lists the commands if none is given.

Running a command is left to commands, sandbox and notebook.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import suburb_pandas as sp
from suburb_pandas.commands.record import record
from suburb_pandas.messages import install_line

_PROGRAM: Final = "python -m suburb_pandas"


class _Command(NamedTuple):
    """A command: its summary, its details, arguments to try, and the functions that run it and add its options."""

    summary: str
    details: str
    example: str
    run: Callable[[argparse.Namespace], None]
    add_options: Callable[[argparse.ArgumentParser], None] | None = None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command, or list them all if none is given."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its exit


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Australian suburb rents and amenity price impacts in pandas.",
        epilog=f"{_PROGRAM} COMMAND --help describes a command and its options.",
    )
    parser.set_defaults(run=lambda _options: parser.print_help())
    parser.add_argument("--version", action="version", version=f"suburb_pandas {sp.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name, command in _COMMANDS.items():
        added = commands.add_parser(
            name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}. {command.details}",
            epilog=f"Example: {_PROGRAM} {name} {command.example}",
        )
        added.set_defaults(run=command.run)
        if command.add_options:
            command.add_options(added)
    return parser


def _add_sandbox_options(sandbox: argparse.ArgumentParser) -> None:
    sandbox.add_argument(
        "--port", type=int, default=8000, help="port on 127.0.0.1 (default %(default)s); 0 takes a free one"
    )
    sandbox.add_argument(
        "--latency-ms",
        type=_number(0, 60_000),
        default=0,
        help="delay before each answer, in milliseconds (default %(default)s)",
    )
    sandbox.add_argument(
        "--error-rate",
        type=_number(0, 1),
        default=0,
        help="share of calls that fail with status 500 or 503, from 0 to 1 (default %(default)s)",
    )
    sandbox.add_argument(
        "--rate-limit", type=_number(1), help="most calls a second; other calls get status 429 (default no limit)"
    )
    sandbox.add_argument(
        "--wallet-cents",
        type=int,
        default=10_000,
        help="made-up cents in the wallet of each key that begins with mib_live_ (default %(default)s)",
    )


def _add_check_options(check: argparse.ArgumentParser) -> None:
    check.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK", help="a Jupyter notebook (.ipynb)")
    check.add_argument(
        "--timeout",
        type=int,
        default=600,
        metavar="SECONDS",
        help="longest time for a cell (default %(default)s)",
    )


def _add_record_options(record: argparse.ArgumentParser) -> None:
    record.add_argument(
        "--folder", type=Path, default=Path("cassettes"), help="folder of the cassettes (default %(default)s)"
    )
    record.add_argument(
        "--live",
        action="store_true",
        help="record the free suburbs of the live service instead, over the network, with the key test",
    )


def _number(least: float, most: float = float("inf")) -> Callable[[str], float]:
    """Return a function that parses a number within bounds. argparse reports its ValueError."""

    def number(text: str) -> float:
        if not least <= float(text) <= most:
            raise ValueError(text)
        return float(text)

    return number


def _demo(_options: argparse.Namespace) -> None:
    from suburb_pandas.commands.demo import demo  # noqa: PLC0415 - needs matplotlib

    demo()


def _sandbox(options: argparse.Namespace) -> None:
    try:
        sp.sandbox.run(
            options.port,
            latency_ms=options.latency_ms,
            error_rate=options.error_rate,
            rate_limit=options.rate_limit,
            wallet_cents=options.wallet_cents,
        )
    except (OSError, OverflowError) as problem:
        raise SystemExit(f"The sandbox cannot listen on port {options.port}: {problem}") from None


def _check(options: argparse.Namespace) -> None:
    """Check notebooks one after the other, and report what differs. Exit with 1 if a notebook does not rerun."""
    try:
        from suburb_pandas.notebook.check import check  # noqa: PLC0415 - needs nbclient
    except ModuleNotFoundError as problem:
        line = install_line("check")
        raise SystemExit(f"Checking a notebook needs {problem.name}, which is not installed: {line}") from None
    all_rerun = True
    for path in options.notebooks:
        differences = list(check(path, seconds=options.timeout))
        result = "does not rerun" if differences else "reruns: each cell shows the stored text"
        print(*differences, f"{path} {result}.", sep="\n", flush=True)
        all_rerun = all_rerun and not differences
    if not all_rerun:
        raise SystemExit(1)


def _record(options: argparse.Namespace) -> None:
    record(options.folder, is_live=options.live)


_COMMANDS: Final = {
    "demo": _Command(
        "show the package on made-up suburbs, free",
        "It needs no network, and draws a chart into the file suburb_pandas_demo.png in the current folder, or, if "
        "there is one already, into a temporary folder.",
        "",
        _demo,
    ),
    "check": _Command(
        "rerun notebooks with no key, network or store",
        "The text that each cell shows is compared with the output saved in the notebook. suburb_pandas calls only its "
        "own sandbox, and only replays cassettes; other libraries may still use the network. The exit code is 1 if a "
        "cell differs, otherwise 0.",
        "notebooks/01*.ipynb",
        _check,
        _add_check_options,
    ),
    "sandbox": _Command(
        "serve the made-up suburbs on this machine",
        "It runs until Ctrl-C. The options make it slow or make its calls fail, to test a program against it.",
        "--port 8000",
        _sandbox,
        _add_sandbox_options,
    ),
    "record": _Command(
        "record the cassettes of the package's tests",
        "It replaces cassettes/embedded_sandbox.yaml, or, with --live, cassettes/live_sandbox.yaml.",
        "",
        _record,
        _add_record_options,
    ),
}
"""The commands, in the order in which newcomers need them."""


if __name__ == "__main__":
    main()
