"""Frames: properties that hold for any points a service sends."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.loaders import frames
from suburb_pandas.service.series import Points, PropertySeries
from suburb_pandas.service.series_columns import pack

points = st.tuples(
    st.integers(18_000, 18_040),
    st.integers(-2, 65_540) | st.floats(0, 2000, allow_nan=False) | st.sampled_from([65_535.0, 65_534.0, -0.5, 1e300]),
)
series = st.lists(points, max_size=12).map(
    lambda sent: Points(np.array([day for day, _ in sent], "int64"), np.array([value for _, value in sent], "f8"))
)


def last_values(sent):
    """Return the last value sent for each day, in the order of the days."""
    return dict(sorted(dict(zip(sent.days.tolist(), sent[1].tolist(), strict=True)).items()))


@given(series, series)
def test_a_frame_holds_each_date_once_with_the_last_value_sent(house, unit):
    """A frame's dates ascend without repeats, each with the last value sent.

    `mended` is True only if points were out of order or repeated a date.
    """
    packed = pack(PropertySeries("Quokka Bay", house, unit))
    frame = frames.series_frame(packed)
    assert frame.index.is_unique
    assert frame.index.is_monotonic_increasing
    for kind, sent in (("house", house), ("unit", unit)):
        shown = frame[kind].dropna()
        assert dict(zip(shown.index.to_numpy().astype("M8[D]").astype("int64"), shown, strict=True)) == last_values(
            sent
        )
    in_order = all(list(last_values(sent)) == sent.days.tolist() for sent in (house, unit))
    assert packed.mended is not in_order
