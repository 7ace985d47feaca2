"""Suburb names: what can be one, and its way into a path."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas import names


@pytest.mark.parametrize("name", ["", " ", ".", "..", "a\nb", "a\x00b", "\x7f", "\ud800", None, 7, b"Quokka Bay", 1.5])
def test_what_cannot_be_a_name_is_refused(name):
    """Empty, dots, control characters and non-strings are InvalidName."""
    with pytest.raises(sp.InvalidName, match="Nothing was sent"):
        names.check(name)


def test_a_name_is_encoded_with_nothing_safe():
    """Slashes, percent signs and question marks stay inside the one segment of the path."""
    assert names.encode("a/b?c#d%2e&e f'(.)") == "a%2Fb%3Fc%23d%252e%26e%20f%27%28.%29"


@given(st.text())
def test_any_text_is_a_name_or_an_invalid_name(text):
    """Whatever the text, it is refused as InvalidName or comes back the same from the path."""
    try:
        encoded = names.encode(text)
    except sp.InvalidName:
        return
    assert unquote(encoded) == text
    assert not set(encoded) & set("/?#\\ ")
    assert encoded not in {".", ".."}


def test_every_real_name_survives_the_path(sal_names):
    """Each of the ABS names is one, and comes back the same from the path."""
    assert all(unquote(names.encode(name)) == name for name in sal_names)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("Lantern Bay (NSW)", "NSW"),
        ("Kestrel Hill (Vic.)", "VIC"),
        ("Kestrel Hill (Qld)", "QLD"),
        ("Lantern Bay (Tas.)", "TAS"),
        ("Made-up Bay (Quoll Shire - NSW)", "NSW"),
        ("Quokka Bay", None),
        ("Nyarra - Willara", None),
        ("Quokka Bay (nsw)", None),
        ("Quokka Bay (WA) North", None),
    ],
)
def test_the_state_is_the_suffixs(name, state):
    """The suffix says the state, with or without a council; a bare name says none."""
    assert names.state_of(name) == state


def test_every_real_name_with_a_suffix_has_a_state(sal_names):
    """Each of the ABS names that ends in brackets says its state, and no other does."""
    assert all((names.state_of(name) is not None) == name.endswith(")") for name in sal_names)
    assert {names.state_of(name) for name in sal_names} == {"NSW", "VIC", "QLD", "SA", "WA", "TAS", "NT", "ACT", None}
