"""Tests the law of the readings of a text. ``results.txt`` shows what stands around a name."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.written import readings


@given(st.text() | st.text(alphabet="aA (-)NSWVic.',0127 ", max_size=40))
def test_any_text_can_be_read(text):
    """The first reading takes the whole text as a name, brackets apart. The others differ from it, and are folded."""
    first, *more = readings(text)
    assert first == (sal.fold(text.replace("(", " ").replace(")", " ")), (), None, None)
    assert len({first, *more}) == 1 + len(more)
    assert all(reading.base and sal.fold(reading.base) == reading.base for reading in more)
