"""Tests of the suburb picker's purchases: a press buys at the price on its button, or not at all."""

import json

import pytest

import suburb_pandas as sp
from suburb_pandas.geocoding import find
from suburb_pandas.loaders import ledger, loaders
from suburb_pandas.purchasing import purchase
from tests.support.common import LIVE_KEY
from tests.support.pickers import BAY, HEIGHTS, button, press, say, seen, shown, typed


@pytest.mark.usefixtures("live", "without_charts")
def test_nothing_is_bought_by_typing_or_choosing(monkeypatch):
    """Typing and choosing buy nothing; only the press of a button with a price does."""

    def never(*_, **__):
        raise AssertionError("bought")

    with monkeypatch.context() as patch:
        patch.setattr(purchase, "fetch", never)
        picker = sp.SuburbPicker()
        typed(picker, "lantern")
        picker.value = (BAY, HEIGHTS)
        picker.endpoint = "impacts"
        assert button(picker, "Load").description == "Load: 2 calls, 20 cents"
        picker.endpoint = "rent"
    assert len(sp.ledger()) == 0
    assert button(picker, "Load").description == "Load: 2 calls, 60 cents"
    assert button(picker, "Look up").description == "Look up “lantern” (1 cent)"
    press(picker, "Load")
    assert sp.ledger()["cents"].sum() == 60
    assert button(picker, "Load").description == "Load: stored, free"
    press(picker, "Load")
    assert len(sp.ledger()) == 2


@pytest.mark.usefixtures("live", "without_charts")
def test_a_press_buys_what_its_button_said_or_nothing():
    """A press that names an outdated offer or label buys nothing, and the picker says so."""
    picker = sp.SuburbPicker([BAY])
    early = seen(picker)
    picker.value = (BAY, HEIGHTS)
    for late in (early, {**seen(picker), "seen": early["seen"]}, {**early, "offer": -1}):
        say(picker, **late)
        assert picker.error.startswith("What is chosen, or its price, has changed. Nothing was sent")
        assert picker.error in shown(picker)
    assert picker.frame is None
    assert len(sp.ledger()) == 0
    say(picker, **seen(picker))
    assert picker.error is None
    assert sp.ledger()["cents"].sum() == 60


def test_what_became_dearer_than_its_button_said_is_not_bought(live, service):
    """A press makes the quote again, and buys nothing if the price has risen."""
    picker = sp.SuburbPicker([BAY])
    service.answer(HEIGHTS, "rent", headers={"X-Cost-Cents": "45"}, body=json.dumps({"data": None}).encode())
    with pytest.warns(sp.SuburbWarning), pytest.raises(sp.errors.NoData):
        sp.rent(HEIGHTS)
    press(picker, "Load: 1 call, 30 cents")
    assert "has changed" in picker.error
    assert len(sp.ledger()) == 1
    assert button(picker, "Load").description == "Load: 1 call, 45 cents"


@pytest.mark.usefixtures("without_charts")
def test_a_second_press_of_a_button_is_not_heard(live, service):
    """A double click buys once, even if the first attempt failed and may have been charged."""
    service.fail("server_error", name=BAY)
    picker = sp.SuburbPicker(BAY)
    twice = seen(picker)
    say(picker, **twice)
    error = picker.error
    say(picker, **twice)
    assert sp.ledger()["outcome"].to_list() == ["unknown"]
    assert picker.error == error is not None
    press(picker, "Load: 1 call, 30 cents")
    assert picker.error is None
    assert len(sp.ledger()) == 2


def test_a_press_is_held_to_the_price_and_to_the_users_own_cap(service, tmp_path, monkeypatch):
    """A load or look-up may cost no more than the price on its button, and no more than the client's cap."""
    passed = []
    monkeypatch.setattr(loaders, "load_frame", lambda _endpoint, _suburbs, options: passed.append(options.cap))
    monkeypatch.setattr(find, "find", lambda _, **options: passed.append(options["max_cents"]))
    for cap, expected in ((2000, [60, 1]), (30, [None, 1])):  # None: the client's own cap
        with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_cents=cap) as client:
            picker = sp.SuburbPicker([BAY, HEIGHTS], client=client)
            typed(picker, "lantern")
            press(picker, "Load")
            press(picker, "Look up")
        assert passed == expected
        passed.clear()


def test_a_cap_that_stops_a_load_is_an_error_in_the_widget(service, tmp_path):
    """If the client's cap is below the price, the picker shows CapExceeded and nothing is sent."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_cents=30) as client:
        picker = sp.SuburbPicker([BAY, HEIGHTS], client=client)
        press(picker, "Load: 2 calls, 60 cents")
        assert picker.error.startswith("CapExceeded: ")
        assert service.total_cents == 0


def test_a_look_up_is_asked_for_and_costs_a_cent(live):
    """A look-up costs a cent. Its candidates are shown, and are suggested from then on at no cost."""
    picker = sp.SuburbPicker(client=live)
    assert button(picker, "Look up").disabled
    assert typed(picker, "lantern bay") == []
    press(picker, "Look up “lantern bay” (1 cent)")
    answer = picker._controls.answer
    assert (answer["asked"], answer["text"]) == (1, "lantern bay")
    assert {"name": "Lantern Bay (NSW)", "where": "NSW, Curlew Shores"} in answer["hits"]
    assert sp.ledger(client=live)["cents"].to_list() == [1]
    assert button(picker, "Look up").description == "Look up “lantern bay” (stored, free)"
    assert "Lantern Bay (NSW)" in typed(picker, "lantern")


@pytest.mark.usefixtures("without_charts")
def test_a_press_of_a_button_that_says_loading_changes_nothing(live, service):
    """A press of a button that says ``Loading`` buys nothing, even after the load, and the load's error stays shown."""
    service.fail("server_error", name=BAY)
    picker = sp.SuburbPicker(BAY)
    press(picker, "Load")
    error = picker.error
    say(picker, press="load", offer=0, seen="Loading")
    assert picker.error == error is not None
    assert len(sp.ledger()) == 1


@pytest.mark.usefixtures("live")
def test_a_browsers_message_without_an_offer_buys_nothing():
    """A browser's click without an offer buys nothing. `Button.click` in Python code is a press, and buys."""
    picker = sp.SuburbPicker(BAY)
    picker._load._handle_custom_msg({"event": "click"}, [])
    assert "Nothing was sent" in picker.error
    assert len(sp.ledger()) == 0
    button(picker, "Load: 1 call, 30 cents").click()
    assert picker.error is None
    assert len(sp.ledger()) == 1


@pytest.mark.usefixtures("without_charts")
def test_a_price_that_could_not_be_told_can_be_asked_for_again(live, monkeypatch):
    """If the store fails while a price is quoted, the button stays usable, and a later press shows the price again."""
    picker = sp.SuburbPicker()
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "quote", failing)
        picker.value = (BAY,)
        assert picker.error == "StoreError: locked"
    press(picker, "Load: price not known")
    assert "Nothing was sent" in picker.error
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "quote", failing)
        press(picker, "Load: 1 call, 30 cents")
        assert picker.error == "StoreError: locked"
    press(picker, "Load: price not known")
    press(picker, "Load: 1 call, 30 cents")
    assert picker.error is None
    assert len(sp.ledger()) == 1


def failing(*_, **__):
    """Raise StoreError, as a locked store does."""
    raise sp.errors.StoreError("locked")
