"""The rent index of a region: like for like, against a slow reference and by a law."""

from math import log

import numpy as np
import pandas as pd
from hypothesis import assume
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.laws import law
from tests.timeseries import irregular
from tests.timeseries.irregular import panel_of

NAMES = irregular.NAMES
COLUMNS = ["house", "house_n", "house_share", "house_bridged"]
amounts = st.none() | st.floats(50, 5000)
weights = st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 100), min_size=len(NAMES))
groupings = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["north", "south"]), min_size=len(NAMES))


@st.composite
def panels(draw, cells=amounts):
    """Draw consecutive dates of one frequency and each suburb's values; one suburb has a row on every date."""
    count = draw(st.integers(1, 8))
    freq = draw(irregular.freqs)
    dates = pd.date_range(draw(irregular.days), periods=count, freq=freq)
    first, *others = draw(st.permutations(NAMES))
    values = {first: draw(st.lists(cells, min_size=count, max_size=count))}
    for name in others[: draw(st.integers(0, len(others)))]:
        values[name] = draw(st.lists(cells | st.just(...), min_size=count, max_size=count))
    return dates, values


def slow_index(dates, values, weight, base):
    """Return the index of one group of suburbs, by the formula of the docstring."""
    everywhere = sum(weight[name] for name, found in values.items() if any(value is not ... for value in found))
    level, start, offsets, before, rows = None, None, {}, set(), {}
    for t, date in enumerate(dates):
        logs = {name: log(found[t]) for name, found in values.items() if isinstance(found[t], float)}
        compared = logs.keys() & offsets
        total = sum(weight[name] for name in compared)
        if compared:
            level = sum(weight[name] * (logs[name] - offsets[name]) for name in compared) / total
        elif level is None and logs:
            level = 0.0
        offsets |= {name: amount - level for name, amount in logs.items()}  # from the index to the suburb
        has_index = bool(compared) or len(offsets) == len(logs) > 0
        if any(found[t] is not ... for found in values.values()):
            rows[date] = (level if has_index else np.nan, len(compared), total / everywhere, len(compared - before))
        if has_index:
            before = {*logs}
            start = level if date == base or (base is None and start is None) else start
    found = pd.DataFrame.from_dict(rows, "index", columns=COLUMNS)
    return found.assign(house=100 * np.exp(found["house"] - (np.nan if start is None else start)))


@law(panel=panels(), weight=st.none() | weights, group=groupings, data=st.data())
def test_the_index_agrees_with_a_slow_reference(panel, weight, group, data):
    """The index, the suburbs compared, their share, and those that were missing before are those of the formula."""
    dates, values = panel
    base = data.draw(st.none() | st.sampled_from(list(dates)))
    index = sp.rent_index(panel_of(dates, values), by=group, weights=weight, base=base)
    for name, found in index.groupby("group", observed=False):
        members = {suburb: each for suburb, each in values.items() if group[suburb] == name}
        expected = slow_index(dates, members, weight or dict.fromkeys(NAMES, 1.0), base)
        pd.testing.assert_frame_equal(found[COLUMNS], expected, rtol=1e-9, check_index_type=False, check_names=False)


# Laws


@law(panel=panels(), count=st.integers(1, 8))
def test_later_data_change_no_earlier_value(panel, count):
    """The index of a frame that ends earlier is the beginning of the index of the whole frame."""
    dates, values = panel
    frame = panel_of(dates, values)
    early = frame[frame.index <= dates[min(count, len(dates)) - 1]]
    assume(early.index.nunique() == min(count, len(dates)) > 2)  # fewer dates can be on a coarser calendar
    columns = ["house", "house_n", "house_bridged"]
    found = sp.rent_index(early)[columns]
    pd.testing.assert_frame_equal(found, sp.rent_index(frame)[columns].head(len(found)), rtol=1e-9)
