"""Tests of choosing in the suburb picker: typed and pasted names, those that are not settled, and undo."""

import pandas as pd
import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

import suburb_pandas as sp
from tests.support.made_up import NAMES, PLACES
from tests.support.pickers import BAY, HILL, say, text_of, typed, waiting


@pytest.mark.usefixtures("embedded")
def test_names_that_cannot_be_are_refused_and_the_choice_stays():
    """An invalid value is refused and the choice stays. Duplicates are dropped; ``multiple=False`` allows one name."""
    picker = sp.SuburbPicker([BAY, HILL, BAY])
    assert picker.value == (BAY, HILL)
    with pytest.raises(sp.errors.InvalidName):
        picker.value = (BAY, "")
    with pytest.raises(traitlets.TraitError):
        picker.value = BAY
    assert picker.value == (BAY, HILL)
    say(picker, pick="x" * 500)
    assert "500" in picker.error
    single = sp.SuburbPicker(BAY, multiple=False)
    say(single, pick=HILL)
    assert single.value == (HILL,)
    with pytest.raises(ValueError, match="for one suburb"):
        single.value = (BAY, HILL)


@pytest.mark.usefixtures("embedded")
def test_pasted_names_are_chosen_and_others_are_listed():
    """A pasted text becomes the names that it means for certain; the others wait for a decision, or are dismissed."""
    picker = sp.SuburbPicker(HILL)
    say(picker, paste="Quokka Bay, lantern bay tas\tLantern Bay\nNowhere At All")
    assert picker.value == (HILL, BAY, "Lantern Bay (Tas.)")
    assert picker._said == "2 suburbs added; 2 names need checking"
    assert waiting(picker) == ["Lantern Bay", "Nowhere At All"]
    assert picker._unsettled[0]["candidates"] == ("Lantern Bay (NSW)", "Lantern Bay (Tas.)")
    say(picker, paste="Kestrel Hill, Tas.")
    say(picker, take="Woylie")
    assert waiting(picker) == ["Lantern Bay", "Nowhere At All", "Kestrel Hill, Tas."]
    say(picker, settle="Lantern Bay", name="Lantern Bay (NSW)")
    assert picker.value[-2:] == ("Woylie", "Lantern Bay (NSW)")
    say(picker, dismiss="Nowhere At All")
    assert waiting(picker) == ["Kestrel Hill, Tas."]
    say(picker, dismiss_all=True)
    assert (waiting(picker), picker.error) == ([], None)


@pytest.mark.usefixtures("embedded")
def test_a_text_of_too_many_names_is_refused_in_a_short_sentence():
    """A sheet that is pasted by accident changes nothing, and the picker's sentence about it is short."""
    picker = sp.SuburbPicker(HILL)
    text = "\n".join(f"Nowhere {number}" for number in range(1500))
    for key in ("paste", "take"):
        say(picker, **{key: text})
        assert picker.value == (HILL,)
        assert len(picker._said) < 150
    assert [one["why"] for one in picker._unsettled] == ["too long: paste at most 1,000 names at once"]


@pytest.mark.usefixtures("embedded")
def test_a_text_is_taken_if_it_means_one_suburb_only():
    """Enter takes a name. If a text means several suburbs or none, the picker says each time why it takes nothing."""
    picker, heard = sp.SuburbPicker(), []
    for text in ("quokka bay", "Lantern Bay (NSW)"):
        say(picker, take=text)
    assert picker.value == (BAY, "Lantern Bay (NSW)")
    for text, why in [("Lantern Bay", "can mean several suburbs"), ("quokk", "no suburb is called that")]:
        say(picker, take=text)
        assert picker._said == f"“{text}”: {why}; choose one of the suggestions"
    picker.observe(lambda change: heard.append(change["new"]), "_said")
    say(picker, take="quokk")
    assert heard == ["", "“quokk”: no suburb is called that; choose one of the suggestions"]
    assert picker.value == (BAY, "Lantern Bay (NSW)")
    assert picker._unsettled == []


def test_a_name_that_nothing_here_knows_is_taken_only_as_a_person_says(live):
    """Without a list, a text can be taken exactly as it is written, by a button of its own."""
    picker = sp.SuburbPicker()
    say(picker, take="Quokka Bay")
    (one,) = picker._unsettled
    assert (picker.value, one["can_be_taken"]) == ((), True)
    say(picker, settle="Quokka Bay", name="Quokka Bay")
    assert (picker.value, picker._unsettled) == ((BAY,), [])


@pytest.mark.usefixtures("embedded")
def test_a_picker_for_one_suburb_refuses_several():
    """With ``multiple=False``, a pasted list of several names is refused, and the choice stays."""
    picker = sp.SuburbPicker(BAY, multiple=False)
    say(picker, paste="Woylie, Bilby Heights")
    assert picker.value == (BAY,)
    assert "for one suburb" in picker._said
    say(picker, take="Woylie")
    assert picker.value == ("Woylie",)


@pytest.mark.usefixtures("embedded")
@settings(max_examples=25)
@given(data=st.data())
def test_undo_goes_back_through_every_change(data):
    """As many undos as changes lead back through each choice in between, with the names that were not settled."""
    picker, names = sp.SuburbPicker(BAY), [place.area_name for place in PLACES[:4]]
    steps = [{step: name} for step in ("pick", "remove", "take") for name in names]
    steps += [{"paste": "Lantern Bay, Woylie"}, {"settle": "Lantern Bay", "name": "Lantern Bay (NSW)"}]
    steps += [{"dismiss": "Lantern Bay"}, {"remove_all": True}]
    earlier = []
    for message in data.draw(st.lists(st.sampled_from(steps), max_size=8)):
        before = picker.value, waiting(picker)
        say(picker, **message)
        if (picker.value, waiting(picker)) != before:
            earlier.append(before)
    for value, unsettled in reversed(earlier):
        assert picker._can_undo
        say(picker, undo=True)
        assert picker.value == value
        assert waiting(picker) == unsettled
    assert not picker._can_undo
    picker.close()


@pytest.mark.usefixtures("embedded")
def test_an_observer_that_changes_the_choice_back_does_not_break_undo():
    """An observer may set the value while undo does; the next undo goes on."""
    picker = sp.SuburbPicker(BAY)
    say(picker, pick=HILL)
    picker.observe(lambda _: picker.set_trait("value", (BAY, HILL)), "value")
    for _ in range(3):
        say(picker, undo=True)
    assert (picker.value, picker.error) == ((BAY, HILL), None)


@pytest.mark.usefixtures("embedded")
def test_of_many_suggestions_the_number_is_shown():
    """The list says how many suggestions there are, and shows the first in the order of `suggest`."""
    picker = sp.SuburbPicker()
    names = typed(picker, "b")
    total = len(sp.suggest("b", limit=10_000))
    assert names == sp.suggest("b")["area_name"].to_list()
    assert total > len(names)
    assert picker._suggested["said"] == f"10 of {total} suggestions for “b”"


ADVICE = {
    "embedded": ("Only made-up suburbs are known here", 'sp.connect(api_key="test")'),
    "test": ("Few suburbs are known here.", "sp.load_gazetteer('SAL_2021_AUST.xlsx')"),
    "a list": ("The list of names that is loaded has no suburb like that.", ""),
}


@pytest.mark.parametrize("source", ADVICE)
def test_where_nothing_is_found_one_line_says_what_to_do(source, tmp_path):
    """A text that is like no known name gets advice, with a line to copy, and it costs nothing."""
    key = "embedded" if source == "embedded" else "test"
    url = None if source == "embedded" else "http://127.0.0.1:9"
    with sp.connect(api_key=key, base_url=url, store=tmp_path / "store.sqlite"):
        if source == "a list":
            sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
        picker = sp.SuburbPicker()
        assert typed(picker, "Parramatta") == []
        text, line = ADVICE[source]
        assert text_of(picker._advice).startswith(text)
        assert f"{line} Copy" in text_of(picker._advice) or not line
        assert len(sp.ledger()) == 0
        say(picker, search="bond" if source == "test" else "quok")
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
