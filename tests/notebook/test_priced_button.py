"""Tests of the suburb picker's purchases: a press buys at the price on its button, or not at all."""

import json

import pytest

import suburb_pandas as sp
from suburb_pandas.geocoding import find
from suburb_pandas.loaders import ledger, loaders
from suburb_pandas.purchasing import purchase
from tests.support.pickers import BAY, HEIGHTS, button, notes, press, say, seen, shown, typed


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
        assert picker.error.startswith("The choice or its price has changed. Nothing was sent")
        assert picker.error in shown(picker)
    assert picker.frame is None
    assert len(sp.ledger()) == 0
    say(picker, **seen(picker))
    assert picker.error is None
    assert sp.ledger()["cents"].sum() == 60


def test_what_became_dearer_than_its_button_said_is_not_bought(live, service):
    """A press makes the quote again; if the price has risen, it buys nothing and the button shows the new price."""
    picker = sp.SuburbPicker([BAY])
    service.answer(HEIGHTS, "rent", headers={"X-Cost-Cents": "45"}, body=json.dumps({"data": None}).encode())
    with pytest.warns(sp.SuburbWarning), pytest.raises(sp.errors.NoData):
        sp.rent(HEIGHTS)
    press(picker, "Load: 1 call, 30 cents")
    assert "has changed" in picker.error
    assert button(picker, "Load").description == "Load: 1 call, 45 cents"
    assert len(sp.ledger()) == 1


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


def test_a_press_is_held_to_the_price_on_its_button(live, monkeypatch):
    """A load or look-up may cost no more than the cents on its button, which is the cap of its request."""
    passed = []
    monkeypatch.setattr(loaders, "load_frame", lambda _endpoint, _suburbs, options: passed.append(options.max_cents))
    monkeypatch.setattr(find, "find", lambda _, **options: passed.append(options["max_cents"]))
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    typed(picker, "lantern")
    press(picker, "Load")
    press(picker, "Look up")
    assert passed == [60, 1]


LIMITS = [
    ({"max_cents": 30}, "This costs 60 cents, and a request may cost at most 30 (the cap)."),
    ({"budget_cents": 40}, "This costs 60 cents, and a month may cost at most 40 (the budget), of which 0 are spent."),
]


@pytest.mark.usefixtures("without_charts")
@pytest.mark.parametrize(("limits", "sentence"), LIMITS, ids=["cap", "budget"])
def test_a_limit_in_the_way_is_named_with_the_line_that_changes_it(live, service, limits, sentence):
    """Over the cap or the budget the button cannot be pressed, until the line beside it was run and it is checked."""
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    early = seen(picker)
    assert notes(picker) == ["Limits: 2000 cents a request; 5000 a month, of which 0 are spent."]
    sp.set_limits(**limits)
    press(picker, "Load: 2 calls, 60 cents")
    assert "has changed. Nothing was sent" in picker.error
    assert button(picker, "Load: 2 calls, 60 cents").disabled
    (note,) = picker._controls.price
    assert (note["text"], note["kind"]) == (f"{sentence} To allow it, run this line in a cell:", "over")
    for message in (early, seen(picker)):
        say(picker, **message)
    assert not service.requests
    exec(note["code"], {"sp": sp})  # noqa: S102 - the line that the package printed
    say(picker, check_price=True)
    press(picker, "Load: 2 calls, 60 cents")
    assert picker.error is None
    assert len(service.requests) == 2


@pytest.mark.usefixtures("live")
def test_an_open_picker_adds_nothing_to_a_cassette(tmp_path):
    """A cassette has only what was requested while it recorded, although a picker is open."""
    sp.rent(HEIGHTS)
    _picker, path = sp.SuburbPicker([BAY, HEIGHTS]), tmp_path / "study.yaml"
    with sp.cassette(path):
        sp.rent("Woylie")
    assert HEIGHTS not in path.read_text()


@pytest.mark.usefixtures("live")
def test_a_look_up_over_a_limit_cannot_be_pressed_either():
    """Each button has its own price, and its own limit in the way."""
    sp.set_limits(max_cents=0)
    picker = sp.SuburbPicker()
    typed(picker, "lantern")
    assert button(picker, "Look up “lantern” (1 cent)").disabled
    assert notes(picker)[0].startswith("This costs 1 cent, and a request may cost at most 0 (the cap).")
    sp.set_limits(max_cents=1)
    say(picker, check_price=True)
    assert not button(picker, "Look up").disabled


@pytest.mark.usefixtures("live", "without_charts")
def test_where_nobody_watches_nothing_can_be_pressed_without_a_limit(monkeypatch):
    """With ``CI`` set, a button that costs money can be pressed only after somebody gave a limit; a free one can."""
    sp.rent(HEIGHTS)
    monkeypatch.setenv("CI", "true")
    picker = sp.SuburbPicker(HEIGHTS)
    press(picker, "Load: stored, free")
    assert (picker.error, picker.code, notes(picker)) == (None, "sp.rent(['Bilby Heights'])", [])
    picker.value = (BAY,)
    assert button(picker, "Load: 1 call, 30 cents").disabled
    assert notes(picker)[0].startswith(
        "The environment variable CI is set, so nothing can be bought until you set a limit."
    )
    sp.set_limits(max_cents=2000)
    say(picker, check_price=True)
    assert not button(picker, "Load: 1 call, 30 cents").disabled


@pytest.mark.usefixtures("without_charts")
def test_a_call_that_may_have_been_charged_is_named_until_it_is_settled(live, service):
    """An unknown outcome stands beside the price until the response has arrived."""
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    for name in (BAY, HEIGHTS):
        service.fail("server_error", name=name)
    press(picker, "Load")
    assert notes(picker)[0].startswith(f"Earlier calls for {BAY} and {HEIGHTS} may have cost 30 cents each: ")
    service.fail("server_error", name=HEIGHTS)
    press(picker, "Load")
    assert notes(picker)[0].startswith(f"An earlier call for {HEIGHTS} may have cost 60 cents: ")
    press(picker, "Load")
    assert notes(picker) == []


def test_a_charge_that_the_page_does_not_show_keeps_a_press_from_buying(live, service):
    """If a cell has made a call of unknown outcome in the meantime, a press first shows the warning."""
    picker = sp.SuburbPicker(BAY)
    service.fail("server_error", name=BAY)
    with pytest.raises(sp.errors.ServiceError):
        sp.rent(BAY)
    press(picker, "Load: 1 call, 30 cents")
    assert "Nothing was sent" in picker.error
    assert len(sp.ledger()) == 1
    assert notes(picker)[0].startswith(f"An earlier call for {BAY} may have cost 30 cents: ")
    press(picker, "Load: 1 call, 30 cents")
    assert picker.error is None


def test_a_look_up_that_may_have_been_charged_is_named(live, service):
    """The warning about a look-up names its text."""
    service.fail("server_error", name="lantern")
    picker = sp.SuburbPicker()
    typed(picker, "lantern")
    press(picker, "Look up")
    assert notes(picker)[0] == "An earlier look-up of “lantern” may have cost 1 cent: its outcome is not known."
    press(picker, "Look up “lantern” (1 cent)")
    assert notes(picker) == []


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
    assert typed(picker, "zzzzz") == []
    press(picker, "Look up “zzzzz” (1 cent)")
    assert (picker._controls.answer["asked"], picker._controls.advice) == (2, [])


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
def test_a_price_that_is_not_known_cannot_be_paid(live, monkeypatch):
    """If the store fails while a price is quoted, the button cannot be pressed until the price was worked out again."""
    picker = sp.SuburbPicker()
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "quote", failing)
        picker.value = (BAY,)
        assert picker.error.startswith("The store cannot be used")
        assert button(picker, "Load: price not known").disabled
        text = "The price is not known, so nothing can be bought."
        assert picker._controls.price == [{"text": text, "code": "", "kind": "unpriced"}]
        press(picker, "Load: price not known")
    assert len(sp.ledger()) == 0
    say(picker, check_price=True)
    assert picker.error is None
    press(picker, "Load: 1 call, 30 cents")
    assert picker.error is None
    assert len(sp.ledger()) == 1


@pytest.mark.usefixtures("without_charts")
def test_a_price_that_is_not_known_at_the_press_buys_nothing(live, monkeypatch):
    """If the price cannot be worked out again when a button is pressed, nothing is bought."""
    picker = sp.SuburbPicker(BAY)
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "quote", failing)
        press(picker, "Load: 1 call, 30 cents")
        assert picker.error.startswith("The store cannot be used")
    assert len(sp.ledger()) == 0


def failing(*_, **__):
    """Raise StoreError, as a locked store does."""
    raise sp.errors.StoreError("locked")
