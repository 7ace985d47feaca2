"""Measures one suburb and a nation from the store, beside the alternatives: ``python -m tests.benchmarks.stored``.

Not a test. All suburbs are made up. Alternatives that take minutes are measured on a sample and scaled up; they need
the extra ``benchmark``.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pandas as pd

import suburb_pandas as sp
from tests.benchmarks.clock import seconds, side_by_side
from tests.benchmarks.nation import NAMES, SUBURBS, URL, body_of, stored
from tests.benchmarks.tables import head, row
from tests.support.adversary import serve

SAMPLE = 300
SOME = NAMES[:SAMPLE]
PEAK = f"""
import re, sys
from pathlib import Path
import suburb_pandas as sp
from tests.benchmarks.nation import NAMES
with sp.connect(api_key="test", base_url={URL!r}, store=sys.argv[1]):
    frame = sp.rent(NAMES)
print(int(re.search("VmHWM:[^0-9]*([0-9]+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""


class Point(msgspec.Struct, gc=False):
    """A point of a rent response, laid out for the fastest decoding."""

    date: str
    value: float


class Series(msgspec.Struct, gc=False):
    """The data of a rent response: both series."""

    area_name: str
    house: list[Point]
    unit: list[Point]


class Envelope(msgspec.Struct, gc=False):
    """The envelope of a rent response."""

    data: Series


DECODER = msgspec.json.Decoder(Envelope)


def by_hand(body):
    """Decode a response into a frame as a careful user does."""
    data, columns = json.loads(body)["data"], []
    for kind in ("house", "unit"):
        frame = pd.DataFrame(data[kind])
        frame["date"] = pd.to_datetime(frame["date"])
        columns.append(frame.set_index("date")["value"].rename(kind))
    return pd.concat(columns, axis=1)


def best_decoded(body):
    """Decode a response into dates and columns in the fastest known way."""
    data = DECODER.decode(body).data
    house, unit = (np.array([point.date for point in series], "M8[D]") for series in (data.house, data.unit))
    dates = np.union1d(house, unit)
    columns = np.full((2, len(dates)), np.nan)
    for at, (series, own) in enumerate(((data.house, house), (data.unit, unit))):
        columns[at, np.searchsorted(dates, own)] = [point.value for point in series]
    return dates, columns


def long_frame(decoded):
    """Combine many decoded responses into one long frame."""
    dates, columns = zip(*decoded, strict=True)
    codes = np.repeat(np.arange(len(dates)), [len(part) for part in dates])
    house, unit = np.concatenate(columns, axis=1)
    index = pd.DatetimeIndex(np.concatenate(dates).astype("M8[us]"), name="date")
    names = pd.Categorical.from_codes(codes, NAMES[: len(dates)])
    return pd.DataFrame({"area_name": names, "house": house, "unit": unit}, index=index)


def cached_session(folder) -> Callable[[], object]:
    """Return a function that reads a sample from requests-cache and decodes it in the fastest known way."""
    from requests_cache import CachedSession  # noqa: PLC0415 - it comes with an extra

    session = CachedSession(str(Path(folder, "cache")), backend="sqlite", cache_control=False)
    with serve() as service:
        urls = [f"{service.url}/v1/suburbs/{name.replace(' ', '%20')}/market/median-rent-series" for name in SOME]
        for name, url in zip(SOME, urls, strict=True):
            service.answer(name, "rent", body=body_of(name))
            session.get(url, headers={"Authorization": "Bearer embedded"})

    def read():
        return long_frame([best_decoded(session.get(url).content) for url in urls])

    return read


def one():
    """Measure one suburb and print a row of the table."""
    bodies = [body_of(name) for name in SOME]
    ours, theirs = side_by_side(
        [lambda: [sp.rent(name) for name in SOME], lambda: [by_hand(body) for body in bodies]], rounds=3
    )
    own, peer = (f"{1000 * each / SAMPLE:.2f} ms" for each in (ours, theirs))
    by = "by hand (`json.loads`, `DataFrame`, `to_datetime`, `concat`)"
    row('`sp.rent("X")`, stored', own, f"{by} {peer}", f"{theirs / ours:.0f} times as fast")


def nation(path):
    """Measure the nation and print rows of the table."""
    bodies = [body_of(name) for name in SOME]
    with TemporaryDirectory() as folder:
        parquet, cached = Path(folder, "nation.parquet"), cached_session(folder)
        frame = sp.rent(NAMES)
        frame.to_parquet(parquet)
        works = [lambda: sp.rent(NAMES), lambda: pd.read_parquet(parquet)]
        ours, file = side_by_side([*works, *works], rounds=5)[2:]
        scaled = SUBURBS / SAMPLE
        cache = scaled * seconds(cached)
        hand = scaled * seconds(lambda: pd.concat([by_hand(body) for body in bodies], keys=SOME))
    rows = f"{SUBURBS:,} suburbs, {len(frame):,} rows"
    row(f"{rows}, stored", f"{ours:.2f} s", f"by hand {hand:.0f} s", f"{hand / ours:.0f} times as fast")
    row(
        "",
        "",
        f"requests-cache hits, decoded in the fastest known way {cache:.0f} s",
        f"{cache / ours:.0f} times as fast",
    )
    row("", "", f"the same frame from a Parquet file {file:.2f} s", f"{ours / file:.1f} times as long")
    few = side_by_side([lambda: sp.rent(NAMES[:1000])], rounds=7)[0]
    row("1,000 suburbs, stored", f"{1000 * few:.0f} ms", "", f"all {SUBURBS:,} take {ours / few:.1f} times as long")
    command = [sys.executable, "-c", PEAK, str(path)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    row("peak memory of a process that reads all", f"{peak} MB", "", "")
    quote = side_by_side([lambda: sp.quote(NAMES)])[0]
    shown = side_by_side([lambda: (repr(frame), repr(sp.quote(NAMES[:5])), frame.copy())])[0]
    row("`sp.quote` of all; `repr` and `copy` of the frame", f"{1000 * quote:.0f} ms; {1000 * shown:.0f} ms", "", "")


if __name__ == "__main__":
    head("task", "time", "compared with", "")
    with stored() as store:
        one()
        nation(store)
