"""Tests how suburb names are checked, parsed, encoded for a path, and read from free text."""

import contextlib
import re
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.names import sal
from suburb_pandas.names.readings import readings


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_name_is_refused_with_the_way_to_skip_it(missing):
    """The error for a missing name says that a Series skips it; the error for a number does not."""
    with pytest.raises(sp.errors.InvalidName, match=r"Nothing was sent\. To skip .*: pd\.Series\(names\)$"):
        sal.check(missing)
    with pytest.raises(sp.errors.InvalidName, match=r"not 5\. Nothing was sent\.$"):
        sal.check(5)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        ".",
        "..",
        "a\nb",
        "a\x00b",
        "\x7f",
        "\ud800",
        None,
        7,
        b"Quokka Bay",
        1.5,
        pytest.param(10**5000, id="huge"),
    ],
)
def test_what_cannot_be_a_name_is_refused(name):
    """Empty names, dots, control characters and values other than text raise InvalidName."""
    with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
        sal.check(name)


def test_a_name_is_encoded_with_nothing_safe():
    """Slashes, percent signs and question marks are encoded, so that a name is one segment of the path."""
    assert sal.encode("a/b?c#d%2e&e f'(.)") == "a%2Fb%3Fc%23d%252e%26e%20f%27%28.%29"


@given(st.text())
def test_any_text_is_a_name_or_an_invalid_name(text):
    """Any text either raises InvalidName or is decoded from the path unchanged."""
    try:
        encoded = sal.encode(text)
    except sp.errors.InvalidName:
        return
    assert unquote(encoded) == text
    assert not set(encoded) & set("/?#\\ ")
    assert encoded not in {".", ".."}


def test_every_real_name_survives_the_path(sal_names):
    """Every name of the ABS is accepted, and is decoded from the path unchanged."""
    assert all(unquote(sal.encode(name)) == name for name in sal_names)


@pytest.mark.parametrize("name", ["Bondi " * 40, " ..", ". ", "Quokka\u0085Bay"])
def test_what_could_reach_elsewhere_is_refused(name):
    """Dots with spaces, names of more than 200 characters and C1 control characters raise InvalidName."""
    with pytest.raises(sp.errors.InvalidName, match="Nothing was sent"):
        sal.encode(name)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Lantern Bay (NSW)", ("Lantern Bay", None, "NSW")),
        ("Kestrel Hill (Vic.)", ("Kestrel Hill", None, "VIC")),
        ("Kestrel Hill (Qld)", ("Kestrel Hill", None, "QLD")),
        ("Lantern Bay (Tas.)", ("Lantern Bay", None, "TAS")),
        ("O'Farrelly (WA)", ("O'Farrelly", None, "WA")),
        ("Made-up Bay (Quoll Shire - NSW)", ("Made-up Bay", "Quoll Shire", "NSW")),
        ("Made-up Bay (Port Quoll-Numbat - North - Qld)", ("Made-up Bay", "Port Quoll-Numbat - North", "QLD")),
        ("No usual address (OT)", ("No usual address", None, "OT")),
        ("Quokka Bay", ("Quokka Bay", None, None)),
        ("Nyarra - Willara", ("Nyarra - Willara", None, None)),
        ("No 7 Wharf", ("No 7 Wharf", None, None)),
        ("Quokka Bay (nsw)", ("Quokka Bay (nsw)", None, None)),
        ("Quokka Bay (WA) North", ("Quokka Bay (WA) North", None, None)),
        ("(NSW)", ("(NSW)", None, None)),
    ],
)
def test_a_name_has_parts_and_is_their_sum(name, parts):
    """Council and state are read from a suffix in the ABS's spelling, and the parts restore the name exactly."""
    assert sal.parse(name) == parts
    assert str(sal.parse(name)) == name


@given(st.one_of(st.text(), st.text(alphabet="Aa (-)NSWVic.' ", max_size=30)))
def test_any_name_is_the_sum_of_its_parts(text):
    """Any text either raises InvalidName or is restored exactly from its parts."""
    try:
        assert str(sal.parse(text)) == text
    except sp.errors.InvalidName:
        return


class Odd:
    """An object whose repr and conversion to a number fail."""

    def __repr__(self):
        raise RuntimeError

    def __float__(self):
        raise RuntimeError


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize("read", [sal.check, sal.encode, sal.parse])
def test_the_oddest_things_are_no_names(read):
    """A value with a failing repr, or with very deep nesting, raises InvalidName and no other error."""
    for odd in (Odd(), nested(100_000)):
        with pytest.raises(sp.errors.InvalidName):
            read(odd)
        assert sal.postcode(odd) is sal.state_code(odd) is None


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.text()), st.decimals()
)


@given(ANYTHING)
def test_nothing_odd_gets_past_the_names(value):
    """For any value, the name functions raise nothing but InvalidName, and a state or postcode is valid or None."""
    for read in (sal.check, sal.encode, sal.parse):
        with contextlib.suppress(sp.errors.InvalidName):
            read(value)
    assert sal.state_code(value) in {None, *sal.STATES}
    assert re.fullmatch("[0-9]{4}", sal.postcode(value) or "0000")


@given(st.one_of(st.text(), st.text(alphabet="cC.'-\u00b4\u0149\u207b \u0327\u0301\u00ad", max_size=6)))
@example("C.\u0327")
@example("\u0149.s")
def test_what_is_folded_stays_so(text):
    """Folding a folded text changes nothing."""
    assert sal.fold(sal.fold(text)) == sal.fold(text)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (" quokka   BAY ", "Quokka Bay"),
        ("MT. WONGA\u00a0WONGA", "Mount Wonga Wonga"),
        ("Saint Corella", "St Corella"),
        ("st. corella", "St Corella"),
        ("OFarrelly", "O'Farrelly"),
        ("o\u2019farrelly", "O'Farrelly"),
        ("heron on the water", "Heron-on-the-Water"),
        ("Nyarra \u2013 Willara", "Nyarra - Willara"),
    ],
)
def test_what_does_not_matter_is_overlooked(written, meant):
    """Case, outer and repeated spaces, apostrophes, dots, hyphens, Mt for Mount and Saint for St are ignored."""
    assert sal.fold(written) == sal.fold(meant)


def test_a_space_matters():
    """Two names that differ in a space within them are different names."""
    assert sal.fold("Fernhollow") != sal.fold("Fern hollow")


@pytest.mark.parametrize("spelling", ["VIC", "Vic.", "Victoria", " victoria ", "vic"])
def test_a_state_has_several_spellings(spelling):
    """The spellings of the service and the ABS have one code, whatever their case and outer spaces."""
    assert sal.state_code(spelling) == "VIC"


@pytest.mark.parametrize("value", [800, "800", "0800", 800.0, np.int64(800), np.float64(800), " 0800 ", "800.0"])
def test_a_postcode_may_have_lost_its_zero(value):
    """A postcode is text of four digits. A leading zero that a spreadsheet has dropped is restored."""
    assert sal.postcode(value) == "0800"


@pytest.mark.parametrize(
    "value", [None, pd.NA, float("nan"), True, 80, 8000.5, "27700", "\u0662\u0667\u0667\u0660", ""]
)
def test_what_is_no_postcode(value):
    """A value that is missing, too long, too small, not whole or not in ASCII digits is no postcode."""
    assert sal.postcode(value) is None


def test_every_real_name_is_the_sum_of_its_parts(sal_names):
    """Every name of the ABS is restored from its parts, and has a state if and only if it ends in brackets."""
    parts = [sal.parse(name) for name in sal_names]
    assert [str(name) for name in parts] == sal_names
    assert all((name.state is not None) == text.endswith(")") for name, text in zip(parts, sal_names, strict=True))
    assert {name.state for name in parts} == {"NSW", "VIC", "QLD", "SA", "WA", "TAS", "NT", "ACT", None}


def test_no_two_real_names_are_the_same_folded(sal_names):
    """No two names of the ABS are equal when folded, so folding never guesses between them."""
    assert len({readings(name)[-1] for name in sal_names}) == len(sal_names)
