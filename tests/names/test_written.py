"""Tests the readings of a text: what stands around a name and texts that stand for no suburb."""

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.names import sal
from suburb_pandas.names.written import Reading, is_no_name, is_whole_region, readings


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
    "Quoll (E)": ("quoll e", (), None, None),
    "Quoll (part: NSW 2031)": ("quoll", ("part",), "NSW", "2031"),
    "Quoll (NSW/VIC)": ("quoll nsw/vic", (), None, None),
    "Quoll (Victoria Park)": ("quoll victoria park", (), None, None),
    "Quoll (Greater Wader - NSW)": ("quoll", ("greater wader",), "NSW", None),
    "C/- 12 Wader St, Quoll": ("quoll", (), None, None),
    "12 Wader Street NSW, Quoll TAS": ("quoll tas", (), "NSW", None),
}


def test_what_may_be_a_name_is_not_split_off():
    """A state or a postcode is part of the name if nothing else is left, or if another of its kind is there.

    An address begins with a number, and nothing but the name follows its last comma.
    """
    assert {text: readings(text)[-1] for text in READ} == READ


def test_a_text_can_stand_for_no_name_or_for_a_whole_region():
    """Texts such as ``n.a.`` stand for a missing name; a total and the rest of a state are never one suburb."""
    assert [text for text in [" ", "..", "N/A", "np", "nan", "Unknown Bay", "O"] if not is_no_name(text)] == [
        "Unknown Bay",
        "O",
    ]
    regions = ["Sub-total", "Greater Sydney", "Rest of Vic.", "Other", "Victoria", "Quoll", "Rest", "Port Victoria"]
    assert [text for text in regions if not is_whole_region(text)] == ["Quoll", "Rest", "Port Victoria"]
