"""The words that messages share, and the capture of warnings."""

import inspect

import suburb_pandas as sp
from suburb_pandas import messages

TEN = ", ".join(map(str, range(10)))


def test_lists_are_cut_after_ten_items_and_counts_have_their_nouns():
    """A list of ten is whole, and a longer one says how many more there are."""
    shown = [messages.listed(range(number), str) for number in (0, 10, 11)]
    assert shown == ["", TEN, f"{TEN} and 1 more"]
    assert messages.listed(["a"]) == "'a'"
    letters = [messages.joined("ABC"[:number], "or", most=2) for number in range(4)]
    assert letters == ["", "A", "A or B", "A, B and 1 more"]
    assert messages.joined(map(str, range(10))) == "0, 1, 2, 3, 4, 5, 6, 7, 8 and 9"
    assert [messages.charged(cents) for cents in range(3)] == [
        "Nothing was charged.",
        "The service charged 1 cent.",
        "The service charged 2 cents.",
    ]


def test_captured_warnings_are_collected_and_not_issued():
    """They are not shown while they are captured."""
    with messages.captured_warnings() as captured:
        assert messages.is_captured()
        messages.warn("one", sp.errors.DataWarning)
    assert not messages.is_captured()
    assert [(type(one), str(one)) for one in captured] == [(sp.errors.DataWarning, "one")]


def test_the_users_frame_is_the_first_outside_the_package():
    """Warnings are issued at its line."""
    assert messages.users_frame() is inspect.currentframe()
