"""Answers and names, mutated: nothing is raised but the package's own, nothing hangs, and no number is lost.

Each input follows from its seed, which a failure names: ``of_the_wire(Random(seed))`` goes through it again.
"""

import json
import math
import re
import time
import warnings
from codecs import BOM_UTF8
from contextlib import suppress
from random import Random
from urllib.parse import unquote

import msgspec
import numpy as np
import pytest

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.series import Points, PropertySeries
from suburb_pandas.service.series_columns import join, pack
from suburb_pandas.service.urls import item_of, path_of
from tests.support import mutated
from tests.support.processes import Worker, context

LONGEST = 10  # seconds of the processor that one input may take
SILENCE = 120  # seconds without a further input, on a machine that may be stalled
EVERY = 60  # seconds, it says how far it is

ONE, NONE = (Points(np.full(size, 20_000), np.full(size, 600.5)) for size in (1, 0))
ELSEWHERE = pack(PropertySeries("Quokka Bay", ONE, NONE))


def of_the_wire(random):
    """An answer decodes to what it says, or is a ContractViolation."""
    endpoint, name, body = mutated.an_answer(random)
    if random.random() < 0.2:
        of_a_url(random, endpoint, name)
    try:
        found = ENDPOINTS[endpoint].decode(body, name)
    except sp.errors.ContractViolation:
        return
    try:  # the other reader of JSON, for which some of what is skipped is too deep
        said = json.loads(body.removeprefix(BOM_UTF8).decode(errors="replace"), strict=False, parse_int=number)["data"]
    except RecursionError:
        return
    if isinstance(found, Missing):
        assert said is None
    elif endpoint == "rent":
        assert found.area_name == said["area_name"] == name
        for kind, (days, values) in {"house": found.house, "unit": found.unit}.items():
            points = said.get(kind) or []
            assert days.astype("M8[D]").astype(str).tolist() == [point["date"] for point in points]
            assert values.tolist() == [float(point["value"]) for point in points]
            assert np.isfinite(values).all()
        lies_in_columns(found)
    else:
        assert is_part_of(msgspec.to_builtins(found), said or [])
        counts = [found.n_sales, found.median_price, found.total_premium] if endpoint == "impacts" else []
        assert all(map(float.is_integer, counts))


def number(text):
    """Read a whole number; one of very many digits need not be exact."""
    return int(text) if len(text) < 4000 else float(text)


def is_part_of(found, said):
    """Whether what was found is what was said, as far as it goes."""
    if isinstance(found, dict):
        return all(is_part_of(value, said.get(field)) for field, value in found.items())
    if isinstance(found, tuple | list):
        return len(found) == len(said) and all(map(is_part_of, found, said))
    return found == said or (math.isfinite(found) and found == float(said))


def of_a_url(random, endpoint, name):
    """A URL is a call of the service's or none."""
    state = random.choice([None, "NSW"]) if endpoint == "geocode" else None
    url = f"https://api.example.org{path_of(Item(endpoint, name, state))}"
    assert item_of(url) == (endpoint, name, state)
    asked = item_of(mutated.mutate_text(random, url))
    assert asked is None or (asked[0] in ENDPOINTS and isinstance(asked[1], str))


def lies_in_columns(rent):
    """A history is ascending, mended if it was not, and has the points, each under its date."""
    history = pack(rent)
    house, unit = (dict(zip(days.tolist(), values.tolist(), strict=True)) for days, values in rent[1:])
    days = sorted({*house, *unit})
    every = join([ELSEWHERE, history, ELSEWHERE])
    assert every.days.tolist() == [20_000, *days, 20_000]
    for rents, points in zip(every.numbers.tolist(), (house, unit), strict=True):
        assert [None if math.isnan(value) else value for value in rents[1:-1]] == [points.get(day) for day in days]
    assert history.mended == any((one.days[1:] <= one.days[:-1]).any() for one in rent[1:])


def of_names(random):
    """A text is a name or an InvalidName, and can be read whatever it is; so can what is no text."""
    text = mutated.a_text(random)
    for value in (text, random.choice(mutated.VALUES)) if random.random() < 0.05 else (text,):
        with suppress(sp.errors.InvalidName):
            sent = sal.encode(value)
            assert sal.check(value) == value == unquote(sent, errors="strict") == str(sal.parse(value))
            assert re.fullmatch("[-._~%0-9A-Za-z]+", sent)
        assert len(sal.shown(value)) <= 60
        assert re.fullmatch("[0-9]{4}", sal.postcode(value) or "0000")
        assert sal.state_code(value) in {None, *sal.STATES}
    first, *more = sal.readings(text)
    assert first == (sal.fold(text), None, None, None)
    assert sal.fold(first.base) == first.base == " ".join(first.base.split())
    assert len(more) <= 2
    for reading in more:
        assert reading.state in sal.STATES or re.fullmatch("[0-9]{4}", reading.postcode)
        assert {sal.fold(part) for part in (reading.base, reading.council) if part} <= {reading.base, reading.council}
    assert sal.may_end_in_a_state(text) == text.casefold().endswith(tuple(map(str.casefold, sal.STATES.values())))


def go_through(law, seeds, at, place):
    """Hold a law against the inputs of some seeds, and write down which one is in hand."""
    warnings.simplefilter("error")
    for seed in seeds:
        at[place], start = seed, time.process_time()
        law(Random(seed))
        assert time.process_time() - start < LONGEST


@pytest.mark.parametrize(
    ("times", "processes"), [(1, 1), pytest.param(100, 2, marks=pytest.mark.long)], ids=["some", "all"]
)
@pytest.mark.parametrize(("law", "inputs"), [(of_the_wire, 60_000), (of_names, 40_000)])
def test_nothing_is_too_odd(law, inputs, times, processes, capfd):
    """100,000 mutated answers and names in every run, and 10,000,000 with ``pytest -m long``."""
    total, shares = inputs * times, range(processes)
    at = context("spawn").RawArray("q", processes)
    given = [range(share, total, processes) for share in shares]
    workers = [Worker(go_through, law, given[share], at, share, method="spawn").go() for share in shares]
    said = heard = time.monotonic()
    before = [*at]
    try:
        while not all(worker.has_ended for worker in workers):
            time.sleep(0.05)
            if [*at] != before:
                before, heard = [*at], time.monotonic()
            assert time.monotonic() - heard < SILENCE, "it hangs"
            if time.monotonic() - said > EVERY:
                said = time.monotonic()
                with capfd.disabled():
                    print(f"\n{law.__name__}: {max(at):,} of {total:,}")  # noqa: T201 - it takes minutes
        for worker in workers:
            worker.result()
    except (AssertionError, EOFError) as problem:  # the latter where the interpreter has crashed
        pytest.fail(f"{law.__name__}(Random(seed)), where seed is one of {[*at]}: {problem or 'it is gone'}")
    finally:
        for worker in workers:
            worker.end()
