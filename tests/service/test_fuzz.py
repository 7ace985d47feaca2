"""Fuzz tests of responses and names: only the package's own errors are raised, nothing hangs, and no value is lost.

Each input follows from its seed, which a failure names: ``check_response(Random(seed))`` repeats it.

Every run checks the same seeds: 20,000 responses and 10,000 names. The long run begins at a seed of its own.
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
import pytest

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.names.written import fold_region, readings
from suburb_pandas.service import ENDPOINTS, item_of, path_of
from suburb_pandas.service.calls import Item
from suburb_pandas.service.envelope import Missing
from suburb_pandas.service.series import KINDS, numbers_of
from tests.service import mutated

LONGEST = 10  # seconds of processor time that one input may take


def check_response(random):
    """Check that a mutated response decodes to its own values, or raises ContractViolation."""
    endpoint, name, body = mutated.an_answer(random)
    if random.random() < 0.2:
        check_url(random, endpoint, name)
    try:
        found = ENDPOINTS[endpoint].decode(body, name)
    except sp.errors.ContractViolation:
        return
    try:  # `json` recurses into unknown fields too, and some are too deep for it
        text = body.removeprefix(BOM_UTF8).decode(errors="replace")
        sent = json.loads(text, strict=False, parse_int=parse_number)["data"]
    except RecursionError:
        return
    if isinstance(found, Missing):
        assert not any(map((sent or {}).get, KINDS))
    elif endpoint == "rent":
        assert found.area_name == sent["area_name"] == name
        check_points(found, sent)
    else:
        assert is_part_of(msgspec.to_builtins(found), sent or [])
        assert endpoint == "geocode" or found.n_sales % 1 == found.median_price % 1 == found.total_premium % 1 == 0


def check_points(found, sent):
    """Check that the points are those that were sent, by date, without at most a tenth that cannot be read.

    Of several points of a date the last one is kept, and they are marked if they had to be mended.
    """
    points = {f"{kind}[{n}]": (kind, point) for kind in KINDS for n, point in enumerate(sent.get(kind) or [])}
    left_out = {text.partition(": ")[0] for text in found.unreadable}
    assert len(left_out) * 10 == len(found.unreadable) * 10 <= len(points)
    readable = [
        (kind, point["date"], float(point["value"])) for place, (kind, point) in points.items() if place not in left_out
    ]
    assert numbers_of(found) == {(kind, date): value for kind, date, value in readable}
    dated = [one[:2] for one in readable]
    assert found.mended == (dated != sorted({*dated}))


def parse_number(text):
    """Parse a whole number; as a float if it has too many digits for Python's `int`."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def is_part_of(found, sent):
    """Return True if each decoded value equals the one in the JSON; undecoded fields are ignored."""
    if isinstance(found, dict):
        return all(is_part_of(value, sent.get(field)) for field, value in found.items())
    if isinstance(found, tuple | list):
        return len(found) == len(sent) and all(map(is_part_of, found, sent))
    return found == sent or (math.isfinite(found) and found == float(sent))


def check_url(random, endpoint, name):
    """Check that a mutated URL is either a call of this service or none."""
    state = random.choice([None, "NSW"]) if endpoint == "geocode" else None
    url = f"https://api.example.org{path_of(Item(endpoint, name, state))}"
    assert item_of(url) == (endpoint, name, state)
    item = item_of(mutated.mutate_text(random, url))
    assert item is None or (item.endpoint in ENDPOINTS and isinstance(item.area_name, str))


def check_names(random):
    """Check that any value is a valid name or raises InvalidName, and that any text can be read and shown."""
    text = mutated.a_text(random)
    for value in (text, random.choice(mutated.VALUES)) if random.random() < 0.05 else (text,):
        with suppress(sp.errors.InvalidName):
            sent = sal.encode(value)
            assert sal.check(value) == value == unquote(sent, errors="strict") == str(sal.parse(value))
            assert re.fullmatch("[-._~%0-9A-Za-z]+", sent)
        assert len(sal.shown(value)) <= 60
        assert re.fullmatch("[0-9]{4}", sal.postcode(value) or "0000")
        assert sal.state_code(value) in {None, *sal.STATES}
    first, *more = readings(text)
    assert first == (sal.fold(text.replace("(", " ").replace(")", " ")), (), None, None)
    assert sal.fold(first.base) == first.base == " ".join(first.base.split())
    for reading in more:
        assert reading.state in {None, *sal.STATES}
        assert re.fullmatch("[0-9]{4}", reading.postcode or "0000")
        assert sal.fold(reading.base) == reading.base
        assert all(fold_region(region) == region for region in reading.regions)


CHECKS = {check_response: "responses and URLs, changed at random", check_names: "names and texts, changed at random"}


@pytest.mark.parametrize(("check", "total"), [
    (check_response, 20_000),
    (check_names, 10_000),
    pytest.param(check_response, 6_000_000, marks=pytest.mark.long),
    pytest.param(check_names, 4_000_000, marks=pytest.mark.long),
])  # fmt: skip
def test_nothing_is_too_odd(check, total, trial):
    """Every run checks 30,000 mutated responses and names, and ``pytest -m long`` checks 10,000,000."""
    warnings.simplefilter("error")
    first = Random().randrange(2**32) if total > 10**6 else 0
    for seed in range(first, first + total):
        start = time.process_time()
        try:
            check(Random(seed))
        except Exception as problem:
            raise AssertionError(f"{check.__name__}(Random({seed}))") from problem
        assert time.process_time() - start < LONGEST, seed
    trial(CHECKS[check], "only the package's own errors are raised; no value is lost; nothing hangs", inputs=total)
