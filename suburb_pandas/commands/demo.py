"""Runs a few lines of a user's code on made-up suburbs, and prints their price. The chart is written to a file.

Drawing the chart is left to plotting.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

import suburb_pandas as sp
from suburb_pandas.sandbox import serve
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.settings import end_rerun

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
_TITLE: Final = "demo of suburb_pandas"
_HEAD: Final = 1024  # bytes; the metadata of a PNG come before its pixels
_ON_CHART: Final = "No real places. The data belong to nobody."
_NEXT: Final = """
Next:
  sp.connect(api_key="test")       nine real suburbs, free
  notebooks/01_quickstart.ipynb    the first notebook of the project
  help(sp)                         the ten functions to know"""


def demo() -> None:
    """Show the main job to a newcomer: code, a table, a chart, and the price. The environment does not change it."""
    print(_BEGINNING)
    names: dict[str, Any] = {}
    with _quiet(), serve() as sandbox, _client(sandbox.url), pd.option_context("display.max_columns", None):
        for sentence, lines in _STEPS.items():
            print(sentence)
            for line in lines:
                print(f">>> {line}", flush=True)
                exec(compile(line, "<demo>", "single"), names)  # noqa: S102 - our own lines, from above
            print()
        print(f"The chart is in {_write(_picture(names['ax'].figure))}.\n")
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


def _client(url: str) -> sp.Client:
    """Return a default client whose settings are all given, so that none comes from the environment."""
    end_rerun()
    return sp.connect(
        api_key="embedded", base_url=url, store=":memory:", max_cents=0, budget_cents=0, proxies={}, verify=True
    )


def _picture(figure: Figure) -> bytes:
    """Return the chart as a PNG that says on it, and in its metadata, what it is."""
    figure.text(0.99, 0.015, _ON_CHART, ha="right", va="bottom", size="small", color="dimgray")
    picture = BytesIO()
    figure.savefig(picture, format="png", metadata={"Title": _TITLE})
    return picture.getvalue()


def _write(picture: bytes) -> str:
    """Write the chart into the current folder, or else into a temporary one. Return a phrase that says where it is.

    Only the chart of an earlier demo is replaced. Any other file of that name is left as it is.
    """
    path = Path(_CHART)
    try:
        if not path.exists() or _is_ours(path):
            path.write_bytes(picture)
            return f"{_CHART}, in this folder"
        reason = f"{_CHART} in this folder is not from this demo, and was left as it is"
    except OSError:
        reason = "this folder cannot be written to"
    with NamedTemporaryFile(prefix=f"{path.stem}_", suffix=path.suffix, delete=False) as file:
        file.write(picture)
    return f"{file.name} ({reason})"


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _TITLE.encode() in file.read(_HEAD)


def _price(calls: Counter[str]) -> str:
    """Return the price of the same calls with a key that pays."""
    cents = sum(ENDPOINTS[endpoint].cents * number for endpoint, number in calls.items())
    each = " and ".join(
        f"{number} {endpoint} calls at {ENDPOINTS[endpoint].cents} cents" for endpoint, number in calls.items()
    )
    return (
        f"The demo is free. With a key that pays, your first run costs {cents} cents:\n{each}.\n"
        "A second run costs nothing, because each response is stored and reused."
    )
