"""Frames about calls and responses: short where they are shown, whole where they are used or written."""

import copy
import io
import pickle
import pickletools
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.loaders.compact import CompactFrame

DIGEST = "257c1fdc6ad1c3080da40c5f1996e0d7b7d5d0e7dceeeece41df872891b65dc6"
REQUEST = "5f0c8a52-7d0f-4d6e-9b7a-0c6d9c3b1e2f"
TIME = "2026-04-28T02:31:32.123456"

# pandas 2.2.0 and 2.2.1 warn of what they do themselves in every part of a subclass (pandas-dev/pandas#57032).
pytestmark = pytest.mark.filterwarnings("ignore:Passing a BlockManager:DeprecationWarning")


@pytest.fixture(autouse=True)
def options_are_left_alone():
    """Show frames as pandas does by default and 80 columns wide, and fail if an option was changed for good."""
    with pd.option_context("display.max_columns", 20, "display.width", 80):
        yield
        assert pd.get_option("display.max_columns") == 20


def frame_of(times=(TIME, None), **more):
    """Return a frame with an unusual index and attrs; its second row lacks the time and the digest."""
    columns = {
        "at": pd.to_datetime(list(times)).as_unit("us"),
        "area_name": ["Lantern Bay (NSW)", "Quokka Bay"],
        "sha256": pd.Series([DIGEST, None], dtype="str").to_numpy(),
        "request_id": [REQUEST, REQUEST],
        **more,
    }
    frame = CompactFrame(columns, index=pd.Index([7, 7], name="row"))
    frame.attrs["kept"] = True
    return frame


def plain(frame):
    """Return a frame as one of the class of pandas, with its attrs."""
    return pd.DataFrame(frame).__finalize__(frame)


def shown(frame):
    """Return the text and the HTML of a frame."""
    return repr(frame), frame._repr_html_()


def test_times_are_shown_to_the_second_and_digests_cut():
    """Text and HTML have times without a fraction and 12 digits of a digest; everything else is whole."""
    for text in shown(frame_of()):
        assert "2026-04-28 02:31:32" in re.sub("<[^>]*>", "", text)
        assert not re.search(r":32\.", text)
        assert DIGEST[:12] + "..." in text
        assert DIGEST[:13] not in text
        assert REQUEST in text
        assert "NaT" in text
    assert str(frame_of()) == repr(frame_of())


def test_the_values_are_whole():
    """Values have their microseconds and all 64 digits, also after the frame was shown."""
    frame = frame_of()
    before = plain(frame).copy()
    shown(frame)
    pd.testing.assert_frame_equal(plain(frame), before)
    assert frame["at"].iloc[0] == pd.Timestamp(TIME)
    assert frame["at"].dtype == "datetime64[us]"
    assert frame["sha256"].iloc[0] == DIGEST
    assert type(frame["sha256"]) is pd.Series


WRITERS = {
    "csv": lambda frame: frame.to_csv(),
    "json": lambda frame: frame.reset_index().to_json(date_format="iso", date_unit="us"),
    "text": lambda frame: frame.to_string(),
    "html": lambda frame: frame.to_html(),
    "records": lambda frame: str(frame.to_dict("records")),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_written_is_whole(writer):
    """Methods that write a frame, such as `to_csv` and `to_string`, write it as they write a plain one."""
    frame, write = frame_of(), WRITERS[writer]
    assert write(frame) == write(plain(frame))
    with pd.option_context("display.max_colwidth", None):
        assert DIGEST in write(frame)


PARTS = {
    "rows": lambda frame: frame.tail(1),
    "columns": lambda frame: frame[["at", "sha256"]],
    "a mask": lambda frame: frame[frame["area_name"] == "Lantern Bay (NSW)"],
    "sorted": lambda frame: frame.sort_values("area_name"),
    "copy": lambda frame: frame.copy(),
    "copies": lambda frame: copy.deepcopy(copy.copy(frame)),
    "assigned": lambda frame: frame.assign(cents=30),
    "concatenated": lambda frame: pd.concat([frame, frame]),
    "merged": lambda frame: frame.merge(plain(frame)[["area_name"]], on="area_name"),
    "groups": lambda frame: frame.groupby("area_name").head(1),
    "first of groups": lambda frame: frame.groupby("area_name")[["at", "sha256"]].first(),
    "another index": lambda frame: frame.set_index("area_name"),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_shown_in_the_same_way(part):
    """What pandas makes of the frame has the values that a plain frame would give, and is shown as short."""
    frame, make = frame_of(), PARTS[part]
    made = make(frame)
    pd.testing.assert_frame_equal(made, make(plain(frame)))
    assert made.attrs == make(plain(frame)).attrs
    assert not re.search(rf":32\.|{DIGEST[:13]}", "".join(shown(made)))


def test_it_equals_a_plain_frame_on_either_side():
    """The comparison of `pd.testing` takes the frame and a plain one in either order, and still finds a difference."""
    frame = frame_of()
    pd.testing.assert_frame_equal(frame, plain(frame))
    pd.testing.assert_frame_equal(plain(frame), frame)
    assert frame.equals(plain(frame))
    assert plain(frame).equals(frame)
    with pytest.raises(AssertionError):
        pd.testing.assert_frame_equal(plain(frame), frame.assign(area_name="Woylie"))
    assert not isinstance(frame["at"], CompactFrame)


def test_a_pickle_is_that_of_a_plain_frame():
    """A pickle opens as a plain DataFrame, with its attrs, where this package is not installed."""
    frame = frame_of()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        pickled = pickle.dumps(frame, protocol)
        texts = [argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)]
        assert not [text for text in texts if "suburb_pandas" in text]
        restored = pickle.loads(pickled)  # noqa: S301 - our own
        assert type(restored) is pd.DataFrame
        assert restored.attrs == frame.attrs
        pd.testing.assert_frame_equal(restored, plain(frame))
    buffer = io.BytesIO()
    frame.to_pickle(buffer)
    buffer.seek(0)
    assert type(pd.read_pickle(buffer)) is pd.DataFrame  # noqa: S301 - our own


def test_a_terminal_wraps_the_frame_rather_than_leaving_columns_out():
    """Where pandas would replace middle columns by dots, the frame is wrapped, unless the user set a limit."""
    frame = frame_of(outcome="billed", cents=30, source="live", endpoint="rent")
    with pd.option_context("display.max_columns", 0):
        text = repr(frame)
        assert repr(plain(frame)) != text
        assert all(label in text for label in frame.columns)
        assert max(map(len, text.splitlines())) <= 80
        assert pd.get_option("display.max_columns") == 0
    with pd.option_context("display.max_columns", 4):
        assert "[2 rows x 8 columns]" in repr(frame)
        assert "outcome" not in "".join(shown(frame))


def test_a_table_of_times_is_set_in_small_type():
    """A notebook shows a table with times in small type and does not break the dates; other tables are unchanged."""
    html = frame_of()._repr_html_()
    assert html.count("font-size: 0.85em") == 1
    assert ">2026-04-28</span> 02:31:32</td>" in html
    without = frame_of().drop(columns="at").assign(area_name="2026-04-28 or later")
    assert "font-size" not in without._repr_html_()


def test_local_times_are_shown_to_the_second():
    """A time that came twice when daylight saving ended is shown too, with its offset."""
    local = frame_of(("2026-04-04T15:30:00.5", "2026-04-04T16:30:00.5"))
    local["at"] = local["at"].dt.tz_localize("UTC").dt.tz_convert("Australia/Sydney")
    assert "2026-04-05 02:30:00+11:00" in repr(local)
    assert "2026-04-05 02:30:00+10:00" in repr(local)
    assert local["at"].iloc[0].microsecond == 500_000


def test_odd_frames_are_shown():
    """Labels that come twice, are missing or have levels, other values called sha256, and no rows at all are shown."""
    frame = frame_of()
    assert REQUEST in repr(frame.set_axis(pd.Index(["at", pd.NA, "sha256", "id"], dtype="object"), axis="columns"))
    assert repr(pd.concat([frame, frame], axis="columns")).count(DIGEST[:12]) == 2
    assert "first" in repr(pd.concat({"first": frame}, axis="columns"))
    assert "256" in repr(frame.assign(sha256=256))
    assert DIGEST[:12] + "..." in repr(frame.assign(sha256=frame["sha256"].astype("category")))
    for empty in (frame.head(0), frame[[]]):
        assert shown(empty) == shown(plain(empty))
    with pd.option_context("display.large_repr", "info", "display.max_rows", 1):
        assert "datetime64[us]" in repr(frame)


@given(st.lists(st.tuples(st.text(max_size=60), st.integers(-9, 9), st.floats()), max_size=5))
def test_other_values_are_shown_as_pandas_shows_them(rows):
    """A frame without times and digests is shown exactly as a plain frame."""
    frame = CompactFrame(rows, columns=["text", "whole", "real"])
    assert shown(frame) == shown(plain(frame))
