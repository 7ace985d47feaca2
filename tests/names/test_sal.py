"""Tests the laws of suburb names: how they are checked, parsed, encoded and folded."""

from urllib.parse import unquote

from hypothesis import example, given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.names.written import readings


@given(st.text() | st.text(alphabet="Aa (-)NSWVic.'\u00b4\u0149\u207b \u0327\u0301\u00ad", max_size=30))
@example("C.\u0327")
@example("\u0149.s")
def test_any_text_is_a_name_or_an_invalid_name(text):
    """Any text raises InvalidName, or is decoded from the path unchanged and restored exactly from its parts.

    Folding a folded text changes nothing.
    """
    assert sal.fold(sal.fold(text)) == sal.fold(text)
    try:
        encoded = sal.encode(text)
    except sp.errors.InvalidName:
        return
    assert unquote(encoded) == text == str(sal.parse(text))
    assert not {*encoded} & {*"/?#\\ "}


def test_every_real_name_survives(sal_names):
    """Each real name is a name and the sum of its parts, and equals no other name when folded.

    It has a state if and only if it ends in brackets.
    """
    parts = [sal.parse(name) for name in sal_names]
    assert [str(name) for name in parts] == sal_names
    assert all((name.state is not None) == text.endswith(")") for name, text in zip(parts, sal_names, strict=True))
    assert len({readings(name)[-1] for name in sal_names}) == len(sal_names)
