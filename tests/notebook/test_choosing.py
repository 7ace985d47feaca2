"""Tests of choosing in the suburb picker: typed and pasted names, those that are not settled, and undo."""

import pandas as pd
import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.made_up import NAMES, PLACES
from tests.support.pickers import BAY, HILL, say, text_of, typed, waiting

pytestmark = pytest.mark.usefixtures("embedded")


def test_names_that_cannot_be_are_refused_and_the_choice_stays():
    """An invalid value is refused and the choice stays. Duplicates are dropped."""
    picker = sp.SuburbPicker([BAY, HILL, BAY])
    for wrong, error in (((BAY, ""), sp.errors.InvalidName), (BAY, traitlets.TraitError)):
        with pytest.raises(error):
            picker.value = wrong
    assert picker.value == (BAY, HILL)
    say(picker, pick="x" * 500)
    assert "500" in picker.error
    with pytest.raises(traitlets.TraitError, match="endpoint must be"):
        sp.SuburbPicker(endpoint="rents")


def test_a_picker_for_one_suburb_refuses_several():
    """With ``multiple=False``, a choice replaces the one before, and a list of several names is refused."""
    picker = sp.SuburbPicker(BAY, multiple=False)
    say(picker, pick=HILL)
    with pytest.raises(ValueError, match="for one suburb"):
        picker.value = (BAY, HILL)
    say(picker, paste="Woylie, Bilby Heights")
    assert picker.value == (HILL,)
    assert picker._said == "This picker is for one suburb, and 2 were given, so none was chosen"
    say(picker, undo=True)
    assert (picker.value, picker._said) == ((BAY,), "Undone: 1 suburb is chosen")


def test_a_text_is_taken_if_it_means_one_suburb_only():
    """Enter takes a name. If a text means several suburbs or none, the picker says each time why it takes nothing."""
    picker, heard = sp.SuburbPicker(), []
    say(picker, take="quokka bay")
    picker.observe(lambda change: heard.append(change["new"]), "_said")
    for text, why in [("Lantern Bay", "can mean several suburbs"), ("quokk", "no suburb is called that")] * 2:
        say(picker, take=text)
        assert heard[-2:] == ["", f"“{text}”: {why}; choose one of the suggestions"]
    assert (picker.value, picker._unsettled) == ((BAY,), [])


def test_a_name_that_nothing_here_knows_is_taken_only_as_a_person_says(live):
    """Without a list, a text can be taken exactly as it is written, by a button of its own."""
    picker = sp.SuburbPicker()
    say(picker, take=BAY)
    (one,) = picker._unsettled
    assert (picker.value, one["can_be_taken"]) == ((), True)
    say(picker, settle=BAY, name=BAY)
    assert (picker.value, picker._unsettled) == ((BAY,), [])


@settings(max_examples=25)
@given(data=st.data())
def test_undo_goes_back_through_every_change(data):
    """As many undos as changes lead back through each choice in between, with the names that were not settled."""
    picker, names = sp.SuburbPicker(BAY), [place.area_name for place in PLACES[:4]]
    steps = [{step: name} for step in ("pick", "remove", "take") for name in names]
    steps += [{"paste": "Lantern Bay, Woylie"}, {"settle": "Lantern Bay", "name": "Lantern Bay (NSW)"}]
    steps += [{"dismiss": "Lantern Bay"}, {"remove_all": True}]
    states = [(picker.value, waiting(picker))]
    for message in data.draw(st.lists(st.sampled_from(steps), max_size=8)):
        say(picker, **message)
        if (now := (picker.value, waiting(picker))) != states[-1]:
            states.append(now)
        assert "remove_all" not in message or picker.value == ()
    for state in reversed(states[:-1]):
        assert picker._can_undo
        say(picker, undo=True)
        assert (picker.value, waiting(picker)) == state
    assert not picker._can_undo
    picker.close()


ADVICE = {
    "embedded": ("Only made-up suburbs are known here", 'sp.connect(api_key="test")'),
    "test": ("Few suburbs are known here.", "sp.load_gazetteer('SAL_2021_AUST.xlsx')"),
    "a list": ("The list of names that is loaded has no suburb like that.", ""),
}


@pytest.mark.parametrize("source", ADVICE)
def test_where_nothing_is_found_one_line_says_what_to_do(source, tmp_path):
    """A text that is like no known name gets advice, with a line to copy, and it costs nothing."""
    key, url = ("embedded", None) if source == "embedded" else ("test", "http://127.0.0.1:9")
    with sp.connect(api_key=key, base_url=url, store=tmp_path / "store.sqlite"):
        if source == "a list":
            sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
        picker = sp.SuburbPicker()
        assert typed(picker, "Parramatta") == []
        text, line = ADVICE[source]
        advice = text_of(picker._advice)
        assert advice.startswith(text)
        assert advice.endswith(f"{line} Copy" if line else ".")
        assert len(sp.ledger()) == 0
        typed(picker, "bond" if source == "test" else "quok")
        assert picker._advice == ""


def test_in_replay_only_the_names_on_the_cassette_are_known(live, tmp_path):
    """While a cassette is replayed, the advice says so; what was typed in vain is not recorded."""
    path = tmp_path / "study.yaml"
    picker = sp.SuburbPicker()
    with sp.cassette(path):
        typed(picker, "Cooya")
        sp.rent(BAY)
    with sp.cassette(path, "none"):
        typed(picker, "Cooya")
        assert text_of(picker._advice) == "A cassette is being replayed, so only the names on it are known."
    assert "ooya" not in path.read_text()
