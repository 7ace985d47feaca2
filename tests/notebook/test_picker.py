"""Tests of the suburb picker without a browser: its traits, its buttons, and what it shows."""

import datetime as dt
import json
import threading

import pandas as pd
import pytest
import traitlets
from ipywidgets import Widget

import suburb_pandas as sp
from suburb_pandas.loaders import loaders
from suburb_pandas.notebook.widgets import widgets_in
from suburb_pandas.purchasing import purchase
from suburb_pandas.service import calls
from tests.support.common import LIVE_KEY
from tests.support.pickers import BAY, HEIGHTS, HILL, button, notes, press, say, shown, typed

EVIL = "<img src=x onerror=alert(1)> \"Bay\" & 'Co' 🏖"


@pytest.mark.usefixtures("embedded")
def test_a_picker_suggests_chooses_loads_and_says_how_to_load_again():
    """The picker's line of code loads the same frame as the picker did."""
    picker = sp.SuburbPicker()
    assert (picker.value, picker.frame, picker.code, picker.busy, picker.error) == ((), None, "", False, None)
    assert button(picker, "Load").disabled
    assert typed(picker, "quokka b")[0] == BAY
    say(picker, pick=BAY)
    say(picker, pick=HILL)
    assert picker.value == (BAY, HILL) == tuple(picker._controls.chosen)
    press(picker, "Load: 2 calls, free")
    assert picker.error is None
    assert picker.code == "sp.rent(['Quokka Bay', 'Kestrel Hill (Vic.)'])"
    pd.testing.assert_frame_equal(eval(picker.code), picker.frame)  # noqa: S307 - the picker's own code
    assert '<img alt="Chart of the rents of Quokka Bay, Kestrel Hill (Vic.). ' in shown(picker)
    say(picker, remove=BAY)
    assert picker.value == (HILL,)
    assert button(picker, "Load").description == "Load: stored, free"
    assert len(picker.frame["area_name"].unique()) == 2


@pytest.mark.usefixtures("embedded")
def test_the_other_endpoint_is_drivers():
    """With the endpoint ``impacts``, the code, frame and table are those of `sp.impacts`."""
    picker = sp.SuburbPicker([BAY], "impacts")
    press(picker, "Load")
    assert picker.code == "sp.impacts(['Quokka Bay'])"
    pd.testing.assert_frame_equal(picker.frame, sp.impacts([BAY]))
    assert "no petrol station nearby" in shown(picker)
    assert 'tabindex="0" aria-label="Table of the amenity price impacts of Quokka Bay"' in shown(picker)
    picker.endpoint = "rent"
    assert button(picker, "Load").description == "Load: 1 call, free"


@pytest.mark.usefixtures("embedded")
def test_the_endpoint_is_one_whose_data_can_be_loaded():
    """The control switches between rents and drivers. Look-ups and unknown endpoints are refused."""
    picker = sp.SuburbPicker([BAY])
    say(picker, kind="impacts")
    assert (picker.endpoint, picker.error) == ("impacts", None)
    say(picker, kind="geocode")
    assert picker.endpoint == "impacts"
    assert "endpoint must be one of 'rent', 'impacts', not 'geocode'" in picker.error
    for unknown in ("geocode", "rents"):
        with pytest.raises(traitlets.TraitError, match=f"endpoint must be one of .* not '{unknown}'"):
            sp.SuburbPicker([BAY], unknown)


def test_what_is_chosen_meanwhile_is_not_what_was_loaded(live, monkeypatch):
    """If the choice changes during a load, frame, code and chart are still those of the suburbs that were loaded."""
    loading, go_on = threading.Event(), threading.Event()

    load_frame = loaders.load_frame

    def load(*arguments):
        loading.set()
        assert go_on.wait(30)
        return load_frame(*arguments)

    monkeypatch.setattr(loaders, "load_frame", load)
    picker = sp.SuburbPicker(BAY)
    thread = threading.Thread(target=press, args=(picker, "Load"))
    thread.start()
    assert loading.wait(30)
    assert picker.busy
    assert button(picker, "Load").description == "Loading"
    picker.value = (HILL,)
    press(picker, "Loading")
    assert picker.error is None
    go_on.set()
    thread.join()
    assert picker.code == "sp.rent(['Quokka Bay'])"
    assert picker.frame["area_name"].unique().tolist() == [BAY]
    assert 'alt="Chart of the rents of Quokka Bay. ' in shown(picker)
    assert "Earlier result: rents of Quokka Bay<" in shown(picker)
    assert button(picker, "Load").description == "Load: 1 call, 30 cents"
    assert len(sp.ledger()) == 1


@pytest.mark.usefixtures("embedded", "without_charts")
def test_an_observer_that_raises_leaves_the_picker_in_order():
    """An error of an observer is shown in the picker, and the next load works."""

    def broken(_):
        raise RuntimeError("observer")

    picker = sp.SuburbPicker(BAY)
    for trait in ("busy", "frame"):
        picker.observe(broken, trait)
        press(picker, "Load")
        assert (
            picker.error == "Something unexpected happened: observer. Look at sp.ledger() for charges, then try again."
        )
        picker.unobserve(broken, trait)
        press(picker, "Load")
        assert (picker.busy, picker.error, picker.code) == (False, None, "sp.rent(['Quokka Bay'])")


def test_a_client_that_is_given_is_in_the_code(embedded):
    """If the picker was given a client, its code passes it as ``client``."""
    picker = sp.SuburbPicker(BAY, client=embedded)
    press(picker, "Load")
    assert picker.code == "sp.rent(['Quokka Bay'], client=client)"
    pd.testing.assert_frame_equal(eval(picker.code, {"sp": sp, "client": embedded}), picker.frame)  # noqa: S307


@pytest.mark.usefixtures("embedded")
def test_what_is_no_message_of_the_box_does_nothing():
    """Messages of an unknown form are ignored."""
    picker = sp.SuburbPicker()
    searches = {"search": None, "number": "1"}, {"search": "x", "number": 1}
    for message in (None, [], "x", {}, {"pick": 1}, {"undo": True}, *searches):
        picker._controls._handle_custom_msg(message, [])
        assert (picker.value, picker.error) == ((), None)


@pytest.mark.usefixtures("without_charts")
def test_an_error_is_shown_and_what_arrived_is_too(live, service):
    """If some suburbs fail, the error and the others are shown. Only another press or choice clears the error."""
    service.fail("server_error", name=HEIGHTS, times=None)
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    press(picker, "Load")
    alert = (
        "The service failed on Bilby Heights (status 500). That call may have cost up to 30 cents. Press Load again "
        "later, which may charge a second time"
    )
    assert picker.error.startswith(alert)
    assert f'<div role="alert">{alert}' in shown(picker)
    assert list(picker.frame["area_name"].unique()) == [BAY]
    assert "Rents of Quokka Bay (1 of 2 suburbs)" in shown(picker)
    assert picker.code == "sp.rent(['Quokka Bay', 'Bilby Heights'], errors=\"warn\")"
    assert not picker.busy
    typed(picker, "q")
    say(picker, background="rgb(17, 17, 17)", narrow=False)
    assert f'<div role="alert">{alert}' in shown(picker)
    picker.value = (BAY,)
    assert picker.error is None
    assert "alert" not in shown(picker)


@pytest.mark.usefixtures("hasty")
def test_a_service_that_is_down_is_an_error_in_the_widget(service, tmp_path):
    """If the service cannot be reached, the picker shows the error and raises nothing."""
    with sp.Client(api_key=LIVE_KEY, base_url="http://127.0.0.1:9", store=tmp_path / "s.sqlite") as client:
        picker = sp.SuburbPicker(BAY, client=client)
        press(picker, "Load")
        assert picker.error.startswith("The data for Quokka Bay did not arrive: ")
        assert picker.frame is None
        typed(picker, "lantern")
        press(picker, "Look up")
        assert picker.error.startswith("The data for lantern did not arrive: ")


def test_any_other_error_is_shown_too(live, monkeypatch):
    """An unexpected exception, such as one while a chart is drawn, is shown in the picker. The loaded frame stays."""
    picker = sp.SuburbPicker(HILL)
    monkeypatch.setattr("suburb_pandas.plotting.picture.picture_of", lambda *_, **__: (b"chart", "", ""))
    press(picker, "Load")
    assert "<img" in shown(picker)
    picker.value = (BAY,)
    monkeypatch.setattr("suburb_pandas.plotting.picture.picture_of", lambda *_, **__: 1 / 0)
    press(picker, "Load")
    assert "<img" not in shown(picker)
    assert (
        picker.error
        == "Something unexpected happened: division by zero. Look at sp.ledger() for charges, then try again."
    )
    assert not picker.busy
    assert (len(picker.frame) > 0, picker.code) == (True, "sp.rent(['Quokka Bay'])")


@pytest.mark.usefixtures("without_charts")
def test_an_interrupt_stays_one_and_the_picker_goes_on(live, monkeypatch):
    """KeyboardInterrupt during a load reaches the kernel, and the buttons can be pressed again."""
    picker = sp.SuburbPicker(BAY)
    with monkeypatch.context() as patch:

        def interrupt(*_, **__):
            raise KeyboardInterrupt

        patch.setattr(purchase, "fetch", interrupt)
        with pytest.raises(KeyboardInterrupt):
            press(picker, "Load")
    assert picker.error.startswith("Interrupted")
    assert not button(picker, "Load").disabled
    press(picker, "Load")
    assert picker.error is None


def test_warnings_are_shown_in_the_picker(embedded):
    """Warnings of the package during a load are shown in the picker until the next load."""
    picker = sp.SuburbPicker([BAY, "Thorny Devil"])
    press(picker, "Load")
    assert picker.error is None
    picker.value = (BAY,)
    assert '<div class="suburb-note">The service has no rent data for &#x27;Thorny Devil&#x27;.' in shown(picker)
    press(picker, "Load")
    assert "The service has no rent data" not in shown(picker)


def test_old_data_are_noted_in_plain_words(live, monkeypatch):
    """The picker says that stored data are old, and names no argument, because it has none."""
    picker = sp.SuburbPicker([BAY])
    press(picker, "Load")
    monkeypatch.setattr(calls, "clock", lambda: dt.datetime.now(dt.UTC) + dt.timedelta(days=45))
    press(picker, "Load")
    assert '<div class="suburb-note">Some of these data were retrieved more than 30 days ago. The picker' in shown(
        picker
    )
    assert "in a cell with max_age=&quot;30D&quot;." in shown(picker)
    with pytest.warns(sp.errors.StaleDataWarning, match=r"more than 30 days old.*max_age="):
        sp.rent([BAY])


def test_without_a_list_the_picker_says_how_to_load_one(live):
    """With a live key and no list, a text that finds nothing shows how to load one; then its names are suggested."""
    picker = sp.SuburbPicker()
    assert typed(picker, "quo") == []
    assert any("sp.load_gazetteer" in one["code"] for one in picker._controls.advice)
    assert "suburb-note" not in shown(picker)
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quokka Bay"]}))
    assert typed(picker, "quo") == ["Quokka Bay"]
    assert picker._controls.advice == []


def test_a_new_default_client_changes_what_the_picker_knows_and_charges(live):
    """A picker without a client of its own uses the newest default: for suggestions, prices and the made-up note."""
    picker = sp.SuburbPicker(BAY)
    assert typed(picker, "bilby") == []
    sp.connect(api_key="embedded")
    assert typed(picker, "bilby") == [HEIGHTS]
    assert button(picker, "Load").description == "Load: 1 call, free"
    assert "are made up" in shown(picker)


def test_a_price_of_an_earlier_client_is_not_paid_with_a_later_one(live):
    """A press under a free price buys nothing if the default client now has a key that pays."""
    first = sp.connect(api_key="embedded")
    picker = sp.SuburbPicker(BAY)
    assert button(picker, "Load").description == "Load: 1 call, free"
    with sp.connect(api_key=LIVE_KEY, base_url=live.settings.base_url, store=":memory:"):
        press(picker, "Load: 1 call, free")
        assert "has changed. Nothing was sent" in picker.error
        assert button(picker, "Load").description == "Load: 1 call, 30 cents"
        assert len(sp.ledger()) == 0
    first.close()


def test_a_closed_picker_closes_its_widgets(embedded):
    """After `close`, neither the picker nor a widget in it is open."""
    picker = sp.SuburbPicker(BAY)
    load = button(picker, "Load")
    picker.close()
    assert not any(one.comm for one in (load, picker))


@pytest.mark.usefixtures("embedded")
def test_a_suburb_without_data_is_not_offered():
    """A suburb that does not exist here is not offered as stored, and the reason stands beside the button."""
    picker = sp.SuburbPicker(["Bondi"])
    assert button(picker, "Load").description == "Load"
    assert button(picker, "Load").disabled
    assert notes(picker)[0].startswith("Bondi is not one of the made-up suburbs")
    picker.value = ("Bondi", BAY)
    assert button(picker, "Load").description == "Load: 1 call, free"
    assert notes(picker)[0].startswith("Bondi is not one of the made-up suburbs")


def test_what_cells_warn_of_meanwhile_is_not_the_pickers(embedded, monkeypatch):
    """The picker shows the warnings of its own thread only; those of cells that run meanwhile go to the cells."""
    drawing, drawn = threading.Event(), threading.Event()
    monkeypatch.setattr(
        "suburb_pandas.plotting.picture.picture_of",
        lambda *_, **__: (drawing.set(), drawn.wait(30), (b"chart", "", ""))[-1],
    )
    picker = sp.SuburbPicker([BAY, "Thorny Devil"])
    thread = threading.Thread(target=press, args=(picker, "Load"))
    thread.start()
    assert drawing.wait(30)
    with pytest.warns(sp.errors.NoDataWarning):
        sp.rent([BAY, "Thorny Devil"])
    drawn.set()
    thread.join()
    assert shown(picker).count("The service has no rent data for") == 1


def test_made_up_suburbs_are_said_to_be(embedded):
    """The picker says that suburbs are made up if the embedded sandbox answers, with or without a key."""
    assert "are made up" in shown(sp.SuburbPicker())
    with sp.Client() as client:
        assert "are made up" in shown(sp.SuburbPicker(client=client))
        with pytest.warns(sp.errors.SyntheticDataWarning):  # given once for each client; the picker must not use it up
            sp.rent(BAY, client=client)
    with sp.Client(api_key="test") as client:
        assert "are made up" not in shown(sp.SuburbPicker(client=client))


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_what_the_service_sends_is_escaped(live, service):
    """Names, states, labels and messages from the service are escaped wherever they are shown."""
    candidate = {"area_name": EVIL, "information": {"state": "Victoria", "lga": EVIL}}
    service.answer("evil", "geocode", body=json.dumps({"data": [candidate]}).encode())
    driver = {"label": EVIL, "coverage_pct": 10.0, "premium_dollars": 5, "pct_of_median": 0.1, "detail": EVIL}
    impacts = {"area_name": EVIL, "area_level": "suburb", "n_sales": 3, "median_price": 9, "total_premium": 5}
    service.answer(EVIL, "impacts", body=json.dumps({"data": {**impacts, "drivers": [driver]}}).encode())
    picker = sp.SuburbPicker(endpoint="impacts")
    typed(picker, "evil")
    press(picker, "Look up")
    (hit,) = picker._controls.answer["hits"]
    assert hit == {"name": EVIL, "where": f"VIC, {EVIL}"}
    say(picker, pick=EVIL)
    press(picker, "Load")
    assert picker.error is None
    assert EVIL in set(picker.frame["label"])
    assert "<img src=x" not in shown(picker)
    assert "&lt;img src=x" in shown(picker)
    service.answer(HILL, "impacts", status=404, body=json.dumps({"detail": EVIL}).encode())
    picker.value = (HILL,)
    press(picker, "Load")
    assert "<img src=x" not in shown(picker)


@pytest.mark.usefixtures("live", "without_charts")
def test_the_key_is_in_no_state_of_a_widget():
    """The API key is in no widget's state, and not in the picker's repr, code or error."""
    picker = sp.SuburbPicker(BAY)
    press(picker, "Load")
    picker.value = (BAY, "Nowhere at All")
    press(picker, "Load")
    assert picker.error
    states = [one.get_state() for one in widgets_in(picker) if isinstance(one, Widget)]
    assert LIVE_KEY not in repr(states) + repr(picker) + picker.code + picker.error
    assert repr(picker) == "SuburbPicker(['Quokka Bay', 'Nowhere at All'], 'rent')"


@pytest.mark.usefixtures("without_charts")
def test_progress_is_shown_while_it_loads(live, service):
    """Progress has a name and counts the calls that have ended; after the load it is gone, and the end is announced."""
    picker, noted = sp.SuburbPicker([BAY, HEIGHTS, HILL]), []
    picker._progress.observe(lambda change: noted.append((change["new"], picker.busy)), "state")
    press(picker, "Load")
    states = [{"name": "Loading", "ended": ended, "total": 3} for ended in range(4)]
    assert noted[1:] == [*((state, True) for state in states), ({}, True)]
    assert picker._controls.said == "3 suburbs loaded"
    typed(picker, "lantern")
    press(picker, "Look up")
    assert {"name": "Looking up", "ended": 1, "total": 1} in [state for state, _ in noted]
