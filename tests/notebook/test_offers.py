"""The suburb picker's purchases: a press buys at the price on its button, or not at all."""

import json

import pytest

import suburb_pandas as sp
from suburb_pandas.loaders import ledger
from suburb_pandas.purchasing import purchase
from tests.support.pickers import BAY, HEIGHTS, LOOK, finish, label, press, say, start, text_of, typed

pytestmark = pytest.mark.usefixtures("live", "without_charts")
CHANGED = "The choice or its price has changed. Nothing was sent."


def spent():
    """Return the cents in the ledger."""
    return sp.ledger()["cents"].sum()


def assert_refused(picker, shown):
    """Assert that a press buys nothing because the price has changed, and that the button has a new label."""
    press(picker)
    assert (picker.error[: len(CHANGED)], label(picker)) == (CHANGED, shown)


def test_nothing_is_bought_by_typing_or_choosing(monkeypatch):
    """Typing and choosing buy nothing; only the press of a button with a price does, with these cents as its cap."""
    caps, buy = [], purchase.buy
    monkeypatch.setattr(
        purchase, "buy", lambda *given, **more: (caps.append(more["max_cents"]), buy(*given, **more))[1]
    )
    picker = sp.SuburbPicker(endpoint="impacts")
    typed(picker, "lantern")
    say(picker, paste="Quokka Bay, Bilby Heights")
    for text in (BAY, HEIGHTS):
        say(picker, settle=text, name=text)
    assert (picker.value, label(picker)) == ((BAY, HEIGHTS), "Load: 2 calls, 20 cents")
    picker.endpoint = "rent"
    assert (label(picker), label(picker, "look-up")) == ("Load: 2 calls, 60 cents", "Look up “lantern” (1 cent)")
    assert (len(sp.ledger()), caps) == (0, [])
    press(picker)
    press(picker, "look-up")
    assert (spent(), caps, label(picker)) == (61, [60, 1], "Load: stored, free")
    sp.set_limits(max_cents=0)
    typed(picker, "bay")
    assert label(picker, "look-up") == "(Look up “bay” (1 cent))"


def test_a_press_of_an_offer_that_is_no_longer_shown_buys_nothing():
    """A press that names an outdated offer or none buys nothing, and the picker says so."""
    picker = sp.SuburbPicker([BAY])
    early = picker._buttons["load"]["offer"]
    picker.value = (BAY, HEIGHTS)
    for number in (early, -1, 0):
        say(picker, press="load", offer=number, look=LOOK)
        assert picker.error.startswith(CHANGED)
    assert (picker.frame, len(sp.ledger())) == (None, 0)
    sp.rent(BAY)
    press(picker)  # a suburb that a cell has bought in the meantime costs nothing again
    assert (picker.error, spent()) == (None, 60)


def test_five_presses_are_one_purchase(service):
    """Presses of one offer that the kernel hears one after the other buy once, even if the first one failed."""
    service.fail("server_error", name=BAY)
    picker = sp.SuburbPicker(BAY)
    message = {"press": "load", "offer": picker._buttons["load"]["offer"], "look": LOOK}
    for _ in range(5):
        say(picker, **message)
    finish()
    error = picker.error
    say(picker, **message)
    assert sp.ledger()["outcome"].to_list() == ["unknown"]
    assert picker.error == error
    assert error.startswith("The service failed on 'Quokka Bay' (500")
    press(picker)
    assert (picker.error, len(sp.ledger())) == (None, 2)


def test_what_became_dearer_than_its_button_said_is_not_bought(service):
    """A press makes the quote again; if the price has risen, it buys nothing and the button shows the new price."""
    picker = sp.SuburbPicker([BAY])
    service.answer(HEIGHTS, "rent", headers={"X-Cost-Cents": "45"}, body=json.dumps({"data": None}).encode())
    with pytest.warns(sp.SuburbWarning), pytest.raises(sp.errors.NoData):
        sp.rent(HEIGHTS)
    assert label(picker) == "Load: 1 call, 30 cents"
    assert_refused(picker, "Load: 1 call, 45 cents")
    assert len(sp.ledger()) == 1


def test_a_price_of_an_earlier_client_is_not_paid_with_a_later_one(live):
    """A press under a free price buys nothing if the default client now has a key that pays."""
    with sp.connect(api_key="embedded"):
        picker = sp.SuburbPicker(BAY)
        assert label(picker) == "Load: 1 call, free"
        with sp.connect(api_key=live.settings.api_key.value, base_url=live.settings.base_url, store=":memory:"):
            assert_refused(picker, "Load: 1 call, 30 cents")
            assert len(sp.ledger()) == 0


def test_a_call_that_may_have_been_charged_is_named_until_it_is_settled(service):
    """An unknown outcome stands beside the price until the response has arrived.

    If a cell has made such a call in the meantime, a press first shows the warning, and buys nothing.
    """
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    for name in (BAY, HEIGHTS):
        service.fail("server_error", name=name)
        with pytest.raises(sp.errors.ServiceError):
            sp.rent(name)
    assert_refused(picker, "Load: 2 calls, 60 cents")
    assert text_of(picker._charges).startswith(f"Earlier calls for {BAY} and {HEIGHTS} may have cost 60 cents: ")
    service.fail("server_error", name=HEIGHTS)
    press(picker)
    assert text_of(picker._charges).startswith(f"An earlier call for {HEIGHTS} may have cost 60 cents: ")
    press(picker)
    assert (picker._charges, len(sp.ledger())) == ("", 5)


LIMITS = [
    ({"max_cents": 30}, "This costs 60 cents, and a request may cost at most 30 (the cap)."),
    ({"budget_cents": 40}, "This costs 60 cents, and a month may cost at most 40 (the budget), of which 0 are spent."),
]


@pytest.mark.parametrize(("limits", "sentence"), LIMITS, ids=["cap", "budget"])
def test_a_limit_in_the_way_is_named_with_the_line_that_changes_it(service, limits, sentence):
    """Over the cap or the budget the button cannot be pressed, until the line beside it was run and it is checked."""
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    assert text_of(picker._limits) == "Limits: 2000 cents a request; 5000 a month, of which 0 are spent."
    sp.set_limits(**limits)
    assert_refused(picker, "(Load: 2 calls, 60 cents)")
    said, _, line = text_of(picker._charges).partition(" To allow it, run this line in a cell: ")
    assert said == sentence
    start(picker)
    assert not service.requests
    assert line.endswith("Copy Check the price again")
    exec(line.partition(" Copy")[0], {"sp": sp})  # noqa: S102 - the line that the package printed
    say(picker, check_price=True)
    press(picker)
    assert (picker.error, len(service.requests)) == (None, 2)


def test_where_nobody_watches_nothing_can_be_pressed_without_a_limit(monkeypatch):
    """With ``CI`` set, a button that costs money can be pressed only after somebody gave a limit; a free one can."""
    sp.rent(HEIGHTS)
    monkeypatch.setenv("CI", "true")
    picker = sp.SuburbPicker(HEIGHTS)
    assert (label(picker), picker._limits) == ("Load: stored, free", "")
    picker.value = (BAY,)
    assert label(picker) == "(Load: 1 call, 30 cents)"
    assert text_of(picker._charges).startswith("The environment variable CI is set, so nothing can be bought")
    sp.set_limits(max_cents=2000)
    say(picker, check_price=True)
    assert label(picker) == "Load: 1 call, 30 cents"


def test_a_price_that_is_not_known_cannot_be_paid(monkeypatch):
    """If the store fails while a price is worked out, nothing is bought until it was worked out again."""

    def locked(*_, **__):
        raise sp.errors.StoreError("locked")

    picker = sp.SuburbPicker(BAY)
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "quote", locked)
        start(picker)
        picker.value = (HEIGHTS,)
        assert (picker.error, label(picker)) == ("locked", "(Price not known)")
        unknown = "The price is not known, so nothing can be bought. Check the price again"
        assert text_of(picker._charges) == unknown
        start(picker)
    assert len(sp.ledger()) == 0
    say(picker, check_price=True)
    assert (picker.error, label(picker)) == (None, "Load: 1 call, 30 cents")


def test_an_open_picker_adds_nothing_to_a_cassette(tmp_path):
    """A cassette has only what was requested while it recorded, although a picker is open."""
    sp.rent(HEIGHTS)
    _picker, path = sp.SuburbPicker([BAY, HEIGHTS]), tmp_path / "study.yaml"
    with sp.cassette(path):
        sp.rent("Woylie")
    assert HEIGHTS not in path.read_text()
