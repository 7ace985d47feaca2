"""Runs a few lines of a user's code on made-up suburbs, writes a chart, and prints the price with a key that pays.

Drawing the chart is left to plotting.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.messages import counted
from suburb_pandas.sandbox import serve
from suburb_pandas.service import ENDPOINTS

_BEGINNING: Final = """\
Made-up suburbs: they are not real places, and their data belong to nobody.
This demo of suburb_pandas needs no key, no network and no money.
"""
_STEPS: Final = {
    "A frame of yours has a column of suburbs:": (
        "import pandas as pd",
        "import suburb_pandas as sp",
        'suburbs = ["Lantern Bay (NSW)", "Quokka Bay", "Bilby Heights"]',
        'df = pd.DataFrame({"suburb": suburbs, "listings": [12, 7, 30]})',
    ),
    "Add the number of sales, the median price and the total amenity premium (AUD):": (
        'df.suburb.join_impacts(["n_sales", "median_price", "total_premium"])',
    ),
    "Load their rents, and draw those of houses:": (
        "rents = df.suburb.rent()",
        'ax = rents.suburb.plot(property_type="house")',
    ),
}
"""The lines of code that are shown and run, under the sentences that introduce them."""

_CHART: Final = "suburb_pandas_demo.png"
_ON_CHART: Final = "No real places. The data belong to nobody."
_NEXT: Final = """
Next:
  sp.connect(api_key="test")       nine real suburbs, free
  notebooks/01_quickstart.ipynb    the first notebook of the project
  help(sp)                         the ten functions to know"""


def demo() -> None:
    """Show the main job to a newcomer: code, a table, a chart, and the price.

    The settings of the environment are not used, except ``SUBURB_RERUN``.
    """
    print(_BEGINNING)
    names: dict[str, Any] = {}
    with _quiet(), serve() as sandbox, pd.option_context("display.max_columns", None):
        sp.connect(
            api_key="embedded",
            base_url=sandbox.url,
            store=":memory:",
            max_cents=0,
            budget_cents=0,
            proxies={},
            verify=True,
        )
        for sentence, lines in _STEPS.items():
            print(sentence)
            for line in lines:
                print(f">>> {line}", flush=True)
                exec(compile(line, "<demo>", "single"), names)  # noqa: S102 - our own lines, from above
            print()
        print(f"The chart is in {_draw(names['ax'].figure)}.\n")
        print(_price(Counter(sp.ledger()["endpoint"])))
    print(_NEXT, flush=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide other libraries' messages, such as matplotlib's on its first run: a newcomer would take them for ours.

    No window is opened, whichever backend the environment names.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    mpl.use("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", sp.SuburbWarning)
        yield


def _draw(figure: Figure) -> str:
    """Write the chart to a new file, in the current folder or else in a temporary one. Return its path."""
    figure.text(0.99, 0.015, _ON_CHART, ha="right", va="bottom", size="small", color="dimgray")
    path = Path(_CHART)
    try:
        path.touch(exist_ok=False)
    except OSError:  # there is such a file already, or the folder cannot be written to
        path = Path(mkdtemp(prefix="suburb_pandas-"), _CHART)
    figure.savefig(path)
    return str(path)


def _price(calls: Counter[str]) -> str:
    """Return the sentences on the price of the same calls with a key that pays."""
    cents = sum(ENDPOINTS[endpoint].cents * number for endpoint, number in calls.items())
    each = " and ".join(
        f"{counted(number, f'{endpoint} call')} at {counted(ENDPOINTS[endpoint].cents, 'cent')}"
        for endpoint, number in calls.items()
    )
    return (
        f"The demo is free. With a key that pays, your first run costs {counted(cents, 'cent')}:\n{each}.\n"
        "A second run costs nothing, because each response is stored and reused."
    )
