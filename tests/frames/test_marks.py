"""The marks in ``attrs`` that say what a frame holds, where it is from, and which calls made it."""

from datetime import timedelta

import numpy as np
import pandas as pd
import pytest

from suburb_pandas.frames import schema

BAY = "Quokka Bay"
LONG = "x" * 40
NAMED = pd.DataFrame({"area_name": [BAY], "house": [1.0]})


def marked(*columns, **marks):
    """Return a frame with marks."""
    frame = pd.DataFrame(columns=list(columns))
    frame.attrs["suburb_pandas"] = marks
    return frame


def step(first=None, text="", number=1):
    """Do nothing, as a function whose calls are put on record."""


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        ({"first": None, "text": "", "number": np.int64(1)}, ""),
        ({"text": "", "number": True}, 'text="", number=True'),
        ({"first": timedelta(7), "text": np.timedelta64(1, "W"), "number": None}, 'first="7D", text="7D", number=None'),
        ({"first": ["é"], "text": [1], "number": step}, 'first=["é"], text=<list of 1>, number=<function>'),
        (
            {"first": LONG + "x", "text": LONG, "number": pd.Series([2])},
            f'first=<str of 41>, text="{LONG}", number=<Series of 1>',
        ),
    ],
)
def test_a_call_is_recorded_with_the_arguments_that_differ(arguments, call):
    """A call has its first argument, and those that differ from the defaults; long values as their type and length."""
    assert schema.call_of(step, **arguments) == f"step({call})"


def test_operations_are_recorded_until_there_is_no_room():
    """The first ten operations are kept with the dates of their input; ``...`` is for the others.

    Those of a frame with a source and dates are remembered. Joins are recorded beside them.
    """
    frame, dates, marks = pd.DataFrame(), ("2024-01-07", "2024-01-14"), {"endpoint": "rent", "source": "live"}
    schema.mark(frame, **marks, unit="AUD per week", made_up=True)
    for number in range(12):
        before = frame
        frame = schema.carry(before, before.copy(), unit="index", operation=f"{number}()", dates=number and dates)
    operations = [*(f"{number}()" for number in range(10)), "..."]
    made = {"operations": operations, "input_dates": [None, *[list(dates)] * 9, None]}
    assert frame.attrs == {"suburb_pandas": {**marks, "unit": "index", "made_up": True, **made}}
    schema.mark(frame, **marks, unit=None)
    for call in ("first()", None, "second()"):
        frame = schema.mark_joined(frame, call)
    assert frame.attrs == {"suburb_pandas": {**marks, **made, "joined": ["first()", "second()"]}}
    for source, own in (("live", None), ("", dates)):
        schema.carry(marked(source=source), frame, unit="index", operation="x" * 1000, dates=own)
        assert schema.operations_of(frame) == ["..."]
    assert schema.recent_operations()[0] == made
    assert len(schema.recent_operations()) == 8


def test_the_suburbs_behind_a_frame_are_named_if_there_is_room():
    """The marks have the names of a few suburbs, and the number and the digest of many."""
    frame = marked(operations=["resample()"])
    for number, expected in ((1, ([BAY], 1, "")), (66, ([], 66, "digest"))):
        schema.mark_suburbs(frame, [BAY] * number, "digest")
        assert schema.suburbs_behind(frame) == expected
    assert schema.operations_of(frame) == ["resample()"]


PLACED = NAMED.set_index("area_name")
HELD = {
    schema.is_made_up: (
        [
            marked(made_up=True),
            marked(source="embedded"),
            NAMED,
            PLACED["house"],
            PLACED.T,
            NAMED[["house"]].assign(source="embedded"),
        ],
        [marked("area_name"), NAMED[["house"]], NAMED["house"], NAMED.assign(area_name="Nowhere")],
    ),
    schema.is_scorecard: (
        [marked(endpoint="scorecard"), marked("sales_flag", "status")],
        [marked("status", endpoint="rent"), marked("sales_flag")],
    ),
    schema.is_computed: ([marked(operations=["rent()", "growth()"])], [marked(operations=["rent()"])]),
    schema.is_resampled: ([marked(operations=["rent()", "resample()"])], [marked(operations=["rent()"])]),
    schema.holds_levels: ([NAMED, marked("house", unit={"house": "index", "n": "points"})], [marked(unit="fraction")]),
}


@pytest.mark.parametrize("function", HELD)
def test_what_a_frame_holds_is_known_by_its_marks_or_by_its_columns(function):
    """Excel and CSV files lose the marks. Columns then tell a scorecard, and the names of suburbs made-up data."""
    for frames, expected in zip(HELD[function], (True, False), strict=True):
        assert [function(frame) for frame in frames] == [expected] * len(frames)


def test_the_unit_of_the_rents_is_known_by_the_marks():
    """It is that of all numbers, or of the columns of rents if it is the same; a Series has that of its name."""
    frame = marked("house", "unit", unit={"house": "AUD", "unit": "index"})
    found = [schema.unit_of(each) for each in (frame, frame["unit"], frame[["house"]], marked(unit="index"), NAMED)]
    assert found == [None, "index", "AUD", "index", None]
