"""Tests the readings of a text: what stands around a name and texts that stand for no suburb."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.written import Reading, fold_region, is_no_name, is_whole_region, readings


@given(st.text() | st.text(alphabet="aA (-)NSWVic.',0127 ", max_size=40))
def test_any_text_can_be_read(text):
    """The first reading takes the whole text as a name, brackets apart. The others differ from it, and are folded."""
    first, *more = readings(text)
    assert first == (sal.fold(text.replace("(", " ").replace(")", " ")), (), None, None)
    assert len({first, *more}) == 1 + len(more)
    assert all(reading.base and sal.fold(reading.base) == reading.base for reading in more)


IN_TASMANIA = Reading("quoll", (), "TAS", "7241")
SPELLINGS = [
    "Quoll TAS 7241",
    "quoll, 7241 T.A.S.",
    "Quoll(tasmania) 7241",
    "QUOLL (Tas.) TAS 7241",
    "quoll-tas-7241",
    "Quoll \u2013 Tas. \u2013 7241",
    "Quoll/TAS/7241",
    "Quoll | TAS | 7241",
    "Quoll TAS 7241 AU",
    ", Quoll: Tasmania., 7241.0",
    "12 Wader St TAS 7241, Quoll",
    "12 Wader St, TAS, Quoll 7241",
    "Quoll TAS 7241, Australia",
    "Quoll* (TAS) 7241",
    "Tasmania, Quoll 7241",
    "TAS 12 Wader Street, Quoll 7241",
    "Unit 3, 12A Wader St., Quoll TAS 7241",
    "3/12 Wader Rd Quoll TAS 7241",
    "PO Box 7, Quoll TAS 7241",
]


def test_a_state_and_a_postcode_stand_before_or_behind_a_name_in_many_ways():
    """A state and a postcode are read in any spelling and order, with any separator, and with an address in front."""
    assert {text: readings(text)[-1] for text in SPELLINGS} == dict.fromkeys(SPELLINGS, IN_TASMANIA)


READ = {
    "Magpie Flat(Port Gannet-Swanmere-NSW)": ("magpie flat", ("port gannet swanmere",), "NSW", None),
    "Lantern Bay 2535 2536": ("lantern bay 2535", (), None, "2536"),
    "Lantern Bay Vic. Tas.": ("lantern bay vic", (), "TAS", None),
    "Level 3, Wader House, Quoll": ("level 3, wader house, quoll", (), None, None),
    "No 7 Wharf": ("no 7 wharf", (), None, None),
    "Victoria": ("victoria", (), None, None),
    "Unit 2031, 7 Wader St, Quoll": ("quoll", (), None, None),
    "G.P.O. Box 2031, Quoll 2001": ("quoll", (), None, "2001"),
    "Quoll (Bay)": ("quoll", ("bay",), None, None),
    "Quoll (E)": ("quoll e", (), None, None),
    "Quoll (part: NSW 2031)": ("quoll", ("part",), "NSW", "2031"),
    "Quoll (Victoria - part)": ("quoll", ("part",), "VIC", None),
    "Quoll (2031, part)": ("quoll", ("part",), None, "2031"),
    "Quoll (NSW/VIC)": ("quoll nsw/vic", (), None, None),
    "Quoll (Victoria or NSW)": ("quoll victoria or nsw", (), None, None),
    "Quoll (Victoria Park)": ("quoll victoria park", (), None, None),
    "Quoll (Greater Wader - NSW)": ("quoll", ("greater wader",), "NSW", None),
    "Quoll (Nth)": ("quoll nth", (), None, None),
    "C/- 12 Wader St, Quoll": ("quoll", (), None, None),
    "12 Wader St, Perth WA": ("perth", (), "WA", None),
    "12 Wader Street NSW, Quoll TAS": ("quoll tas", (), "NSW", None),
    "(x)": ("x", (), None, None),
}


def test_what_may_be_a_name_is_not_split_off():
    """A state or a postcode is part of the name if nothing else is left, or if another of its kind is there.

    An address begins with a number, and nothing but the name follows its last comma.
    """
    assert {text: readings(text)[-1] for text in READ} == READ


def test_a_region_has_several_spellings():
    """Words for the kind of a council and a state in brackets are ignored, unless nothing else is left."""
    spellings = ["City of Curlew-Shores", "Curlew Shores Shire Council", "Curlew Shores (C) (NSW)"]
    assert {fold_region(text) for text in spellings} == {"curlew shores"}
    assert fold_region("The City") == "the city"


def test_a_text_can_stand_for_no_name_or_for_a_whole_region():
    """Texts such as ``n.a.`` stand for a missing name; a total and the rest of a state are never one suburb."""
    assert all(map(is_no_name, [" ", "-", "..", "n.a.", "N/A", "np", "Unknown", "nan"]))
    assert not any(map(is_no_name, ["Nana Glen", "Unknown Bay", "O"]))
    assert all(map(is_whole_region, ["Sub-total", "Greater Sydney", "Rest of Vic.", "Other", "Victoria"]))
    assert not any(map(is_whole_region, ["Quoll", "Rest", "Port Victoria"]))
