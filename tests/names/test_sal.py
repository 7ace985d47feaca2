"""Tests how suburb names are checked, parsed, encoded and folded, and how states, postcodes and codes are read."""

import re
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.names.written import readings


def test_a_missing_name_is_refused_with_the_way_to_skip_it():
    """The error for a missing name says that a Series skips it; the error for a number does not."""
    for value, end in ((None, "pd.Series(names)"), (pd.NA, "pd.Series(names)"), (5, "not 5. Nothing was sent.")):
        with pytest.raises(sp.errors.InvalidName, match=f"{re.escape(end)}$"):
            sal.check(value)


class Odd:
    """An object whose repr and conversion to a number fail."""

    def __repr__(self):
        raise RuntimeError

    def __float__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "name", ["", " ", " ..", ". ", "a\nb", "Quokka\u0085Bay", "\ud800", "Bondi " * 40, b"Quokka Bay", Odd()]
)
def test_what_cannot_be_a_name_is_refused(name):
    """Empty names, dots, control characters, long texts and values other than text raise InvalidName."""
    with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
        sal.encode(name)


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


PARTS = {
    "Kestrel Hill (Vic.)": ("Kestrel Hill", None, "VIC"),
    "Made-up Bay (Port Quoll-Numbat - North - Qld)": ("Made-up Bay", "Port Quoll-Numbat - North", "QLD"),
    "Quokka Bay (nsw)": ("Quokka Bay (nsw)", None, None),
    "(NSW)": ("(NSW)", None, None),
}


def test_council_and_state_are_read_from_the_abs_suffix():
    """A name has a council and a state if it ends in the ABS's own spelling of them."""
    assert {name: sal.parse(name) for name in PARTS} == PARTS


FOLDED = {
    " quokka   BAY ": "Quokka Bay",
    "MT. WONGA\u00a0WONGA": "Mount Wonga Wonga",
    "st. corella": "Saint Corella",
    "o\u2019farrelly": "OFarrelly",
    "heron on the water": "Heron-on-the-Water",
    "Nyarra \u2013 Willara": "Nyarra - Willara",
}


def test_what_does_not_matter_is_overlooked():
    """Case, outer and repeated spaces, apostrophes, dots, hyphens, Mt for Mount and Saint for St are ignored."""
    assert [sal.fold(written) for written in FOLDED] == [sal.fold(meant) for meant in FOLDED.values()]
    assert sal.fold("Fernhollow") != sal.fold("Fern hollow")


@pytest.mark.parametrize(
    ("read", "spellings", "expected"),
    [
        (sal.postcode, [200, 200.0, np.int64(200), " 0200 ", "200.0"], "0200"),
        (sal.postcode, [pd.NA, True, 80, 8000.5, Odd(), "27700", "\u0662\u0667\u0667\u0660", ""], None),
        (sal.sal_code, ["1049", "SAL104900", 10490.5], None),
    ],
)
def test_a_postcode_and_a_code_have_several_spellings(read, spellings, expected):
    """Postcodes that have lost a zero, and codes of the ABS are read in any spelling; anything else is None."""
    assert {read(spelling) for spelling in spellings} == {expected}
