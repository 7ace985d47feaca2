"""Tests of choosing in the suburb picker: typed and pasted names, those that are not settled, and undo."""

import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.made_up import PLACES
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
