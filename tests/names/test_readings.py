"""Tests the readings of a text: state, postcode and region around a name, and a street address in front of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.readings import fold_region, holds_an_address, is_capital, may_hold_a_state, readings


def bases(text):
    return [reading.base for reading in readings(text)]


@given(st.one_of(st.text(), st.text(alphabet="aA (-)NSWVic.',0127 ", max_size=40)))
def test_any_text_can_be_read(text):
    """The first reading takes the whole text as a name. The others differ from it, and their bases are folded."""
    first, *more = readings(text)
    assert first == (sal.fold(text), (), None, None)
    assert len({first, *more}) == 1 + len(more)
    assert all(reading.base and sal.fold(reading.base) == reading.base for reading in more)


@pytest.mark.parametrize(
    ("written", "reading"),
    [
        ("quokka bay wa", ("quokka bay", (), "WA", None)),
        ("Mt Wonga NSW 2797", ("mount wonga", (), "NSW", "2797")),
        ("Mt Wonga, 2797 N.S.W.", ("mount wonga", (), "NSW", "2797")),
        ("Lantern Bay, New South Wales", ("lantern bay", (), "NSW", None)),
        ("Lantern Bay(tasmania)", ("lantern bay", (), "TAS", None)),
        ("lantern bay (NSW) 2535", ("lantern bay", (), "NSW", "2535")),
        ("magpie flat (curlew shores - nsw)", ("magpie flat", ("curlew shores",), "NSW", None)),
        ("magpie flat (curlew shores \u2013 nsw)", ("magpie flat", ("curlew shores",), "NSW", None)),
        ("Magpie Flat(Port Gannet-Swanmere-NSW)", ("magpie flat", ("port gannet swanmere",), "NSW", None)),
        ("Lantern Bay - Tas", ("lantern bay", (), "TAS", None)),
        ("Lantern Bay \u2013 Tas.", ("lantern bay", (), "TAS", None)),
        ("Lantern Bay - NSW - 2535", ("lantern bay", (), "NSW", "2535")),
        ("Lantern Bay Muttonbird - Tas", ("lantern bay muttonbird", (), "TAS", None)),
        ("Spinifex Landing 0839", ("spinifex landing", (), None, "0839")),
        ("Spinifex Landing 839", ("spinifex landing", (), None, "0839")),
        ("Lantern Bay 2535 2536", ("lantern bay 2535", (), None, "2536")),
        ("Lantern Bay Vic. Tas.", ("lantern bay vic", (), "TAS", None)),
        ("No 7 Wharf", ("no 7 wharf", (), None, None)),
        ("Bore No 12", ("bore no 12", (), None, None)),
        ("Victoria", ("victoria", (), None, None)),
        ("2770", ("2770", (), None, None)),
    ],
)
def test_a_state_or_postcode_at_the_end_is_understood(written, reading):
    """A state and a postcode are read from the end of a text, in any spelling and order, also in brackets.

    They are part of the name if no text would be left, or if there is another of the same kind after them.
    """
    assert readings(written)[-1] == reading


@pytest.mark.parametrize(
    ("written", "reading"),
    [
        ("TAS Lantern Bay", ("lantern bay", (), "TAS", None)),
        ("Tasmania, Lantern Bay 7241", ("lantern bay", (), "TAS", "7241")),
        ("New South Wales - Lantern Bay", ("lantern bay", (), "NSW", None)),
        ("Magpie Flat (City of Curlew Shores)", ("magpie flat", ("curlew shores",), None, None)),
        ("Magpie Flat (Curlew Shores, NSW)", ("magpie flat", ("curlew shores",), "NSW", None)),
        ("Magpie Flat NSW (Curlew Shores)", ("magpie flat", ("curlew shores",), "NSW", None)),
        ("Magpie Flat (Curlew Shores) NSW 2536", ("magpie flat", ("curlew shores",), "NSW", "2536")),
        ("Magpie Flat (2536)", ("magpie flat", (), None, "2536")),
        ("VIC 12 Wader Street, Lantern Bay", ("lantern bay", (), "VIC", None)),
        ("12 Wader Street, VIC 3031 Lantern Bay", ("lantern bay", (), "VIC", "3031")),
        ("3031 Lantern Bay VIC", ("lantern bay", (), "VIC", "3031")),
        ("Lantern Bay NSW 2535, Australia", ("lantern bay", (), "NSW", "2535")),
        ("Lantern Bay South Australia", ("lantern bay", (), "SA", None)),
        ("12 Wader Street, Lantern Bay NSW", ("lantern bay", (), "NSW", None)),
        ("Unit 3, 12 Wader St Lantern Bay NSW 2535", ("lantern bay", (), "NSW", "2535")),
        ("3/12A Wader Rd., Lantern Bay", ("lantern bay", (), None, None)),
        ("Wader Street, Lantern Bay", ("lantern bay", (), None, None)),
        ("PO Box 7, Lantern Bay", ("lantern bay", (), None, None)),
        ("shop 4 wader parade lantern bay", ("lantern bay", (), None, None)),
    ],
)
def test_what_stands_around_a_name_is_understood(written, reading):
    """A state in front, a region in brackets, a capital after a comma, and an address are split off the name."""
    assert readings(written)[-1] == reading


def test_all_ends_of_an_address_are_read():
    """Without a comma, each word for a street may end the address, and a side of the street may follow it."""
    assert {"grove hill", "hill"} <= set(bases("12 Wader Street Grove Hill"))
    assert {"north quoll", "quoll"} <= set(bases("12 Wader Street North Quoll"))
    assert "quoll" not in bases("12 Wader Street, North Quoll")
    assert "kilda" in bases("7 Wader Street St Kilda")
    assert {"wader house", "quoll"} <= set(bases("Level 3, Wader House, Quoll"))
    assert {"quoll", "woylie"} <= set(bases("12 Wader Street, Quoll, Woylie"))
    assert "quoll" in bases("12 Wader Street, Quoll,")


@pytest.mark.parametrize("text", ["Quoll, Woylie", "No 7 Wharf", "Seven Street Quoll", "Quoll Road Woylie"])
def test_what_is_no_address(text):
    """A text without a number has an address only if a comma follows a word for a street. Two names are not one."""
    assert bases(text) == [sal.fold(text)]
    assert not holds_an_address(text)


def test_a_region_after_a_comma_must_be_known():
    """A text after a comma is a region only if there is such a region, since it may as well be a second suburb."""
    assert readings("Quoll, Woylie")[-1] == ("quoll, woylie", (), None, None)
    assert readings("Quoll, Woylie", {"woylie"}.__contains__)[-1] == ("quoll", ("woylie",), None, None)
    assert readings("Quoll, Sydney NSW", is_capital)[-1] == ("quoll", ("sydney",), "NSW", None)


def test_a_suburb_that_is_called_like_a_street_is_not_lost():
    """A text before a comma that ends in a word for a street can be a street, and can be a suburb."""
    assert {"ocean grove", "quoll"} <= set(bases("Ocean Grove, Quoll"))


@pytest.mark.parametrize("text", ["Port Victoria", "Victoria Quoll", "quoll south australia"])
def test_a_state_in_full_may_be_a_part_of_the_name(text):
    """A text that begins or ends with the full name of a state may be the name of a suburb."""
    assert may_hold_a_state(text)
    assert not may_hold_a_state("Quoll VIC")


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Curlew Shores", "curlew shores"),
        ("City of Curlew-Shores", "curlew shores"),
        ("Curlew Shores Shire Council", "curlew shores"),
        ("Curlew Shores (NSW)", "curlew shores"),
        ("The City", "the city"),
    ],
)
def test_a_region_has_several_spellings(written, folded):
    """Words for the kind of a council and a state in brackets are ignored, unless nothing else is left."""
    assert fold_region(written) == folded
