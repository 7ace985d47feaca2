"""Tests of the suburb picker without a browser: its traits, buttons and panes."""

import json
import re
import threading

import pandas as pd
import pytest
import traitlets
from ipywidgets import Widget

import suburb_pandas as sp
from suburb_pandas.loaders import loaders
from suburb_pandas.purchasing import purchase
from tests.support.common import LIVE_KEY
from tests.support.made_up import PLACES
from tests.support.pickers import BAY, HEIGHTS, HILL, button, inside, press, say, shown, typed

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
    assert '<img alt="Chart of the rents of Quokka Bay, Kestrel Hill (Vic.)" src="data:image/png;base64,' in shown(
        picker
    )
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
    assert "endpoint is one of 'rent', 'impacts', not 'geocode'" in picker.error
    for unknown in ("geocode", "rents"):
        with pytest.raises(traitlets.TraitError, match=f"endpoint is one of .* not '{unknown}'"):
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
    assert 'alt="Chart of the rents of Quokka Bay"' in shown(picker)
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
        assert picker.error == "RuntimeError: observer"
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
    assert picker.error.startswith("InvalidName: ")
    single = sp.SuburbPicker(BAY, multiple=False)
    say(single, pick=HILL)
    assert single.value == (HILL,)
    with pytest.raises(ValueError, match="for one suburb"):
        single.value = (BAY, HILL)


@pytest.mark.usefixtures("embedded")
def test_what_is_no_message_of_the_box_does_nothing():
    """Messages of an unknown form are ignored."""
    picker = sp.SuburbPicker()
    for message in (None, [], "x", {}, {"pick": 1}, {"search": None, "number": "1"}, {"search": "x", "number": 1}):
        picker._controls._handle_custom_msg(message, [])
    assert (picker.value, picker.error) == ((), None)


@pytest.mark.usefixtures("without_charts")
def test_an_error_is_shown_and_what_arrived_is_too(live, service):
    """If some suburbs fail, the error and the frame of the others are shown. Changing the choice clears the error."""
    service.fail("server_error", name=HEIGHTS, times=None)
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    press(picker, "Load")
    assert picker.error.startswith("BatchIncomplete: 1 of 2 suburbs failed (ServiceError: 'Bilby Heights').")
    assert '<div role="alert">BatchIncomplete: ' in shown(picker)
    assert list(picker.frame["area_name"].unique()) == [BAY]
    assert picker.code == "sp.rent(['Quokka Bay', 'Bilby Heights'], errors=\"warn\")"
    assert not picker.busy
    typed(picker, "q")
    assert '<div role="alert">BatchIncomplete: ' in shown(picker)
    picker.value = (BAY,)
    assert picker.error is None
    assert "alert" not in shown(picker)


@pytest.mark.usefixtures("hasty")
def test_a_service_that_is_down_is_an_error_in_the_widget(service, tmp_path):
    """If the service cannot be reached, the picker shows the error and raises nothing."""
    with sp.Client(api_key=LIVE_KEY, base_url="http://127.0.0.1:9", store=tmp_path / "s.sqlite") as client:
        picker = sp.SuburbPicker(BAY, client=client)
        press(picker, "Load")
        assert "(Unreachable: 'Quokka Bay')" in picker.error
        assert picker.frame is None
        typed(picker, "lantern")
        press(picker, "Look up")
        assert picker.error.startswith("Unreachable: ")


def test_any_other_error_is_shown_too(live, monkeypatch):
    """An unexpected exception, such as one while a chart is drawn, is shown in the picker. The loaded frame stays."""
    picker = sp.SuburbPicker(BAY)
    monkeypatch.setattr("suburb_pandas.plotting.plots.as_png", lambda _: 1 / 0)
    press(picker, "Load")
    assert picker.error == "ZeroDivisionError: division by zero"
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
    """Warnings of the package during a load are shown in the picker."""
    picker = sp.SuburbPicker([BAY, "Thorny Devil"])
    press(picker, "Load")
    assert picker.error is None
    assert '<div class="suburb-note">The service has no rent data for &#x27;Thorny Devil&#x27;.' in shown(picker)


def test_without_a_list_the_picker_says_how_to_load_one(live):
    """With a live key and no list, a text that finds nothing shows how to load one, until a suggestion is found."""
    picker = sp.SuburbPicker()
    assert typed(picker, "bond") == []
    assert "No list of suburb names is loaded" in shown(picker)
    assert "sp.load_gazetteer" in shown(picker)
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quokka Bay"]}))
    assert typed(picker, "quo") == ["Quokka Bay"]
    assert "load_gazetteer" not in shown(picker)


def test_what_cells_warn_of_meanwhile_is_not_the_pickers(embedded, monkeypatch):
    """The picker shows the warnings of its own thread only; those of cells that run meanwhile go to the cells."""
    drawing, drawn = threading.Event(), threading.Event()
    monkeypatch.setattr("suburb_pandas.plotting.plots.as_png", lambda _: (drawing.set(), drawn.wait(30), b"")[-1])
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


@pytest.mark.usefixtures("embedded")
def test_more_suburbs_than_a_chart_takes_are_loaded_all_the_same():
    """More suburbs than a chart takes are loaded; in place of the chart, the picker says so."""
    names = [place.area_name for place in PLACES if place.area_name != "Thorny Devil"][:9]
    picker = sp.SuburbPicker(names)
    press(picker, "Load: 9 calls, free")
    assert "a chart takes up to 8" in shown(picker)
    assert picker.error is None
    assert len(picker.frame)


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
    states = [one.get_state() for one in inside(picker) if isinstance(one, Widget)]
    assert LIVE_KEY not in repr(states) + repr(picker) + picker.code + picker.error
    assert repr(picker) == "SuburbPicker(['Quokka Bay', 'Nowhere at All'], 'rent')"


@pytest.mark.usefixtures("without_charts")
def test_progress_is_shown_while_it_loads(live, service):
    """The progress bar advances with each response, and is hidden after the load."""
    picker, noted = sp.SuburbPicker([BAY, HEIGHTS, HILL]), []
    picker._bar.observe(lambda change: noted.append((change["new"], picker._bar.max, picker.busy)), "value")
    press(picker, "Load")
    assert noted == [(1, 3, True), (2, 3, True), (3, 3, True)]
    assert picker._bar.layout.visibility == "hidden"


@pytest.mark.usefixtures("without_charts")
@pytest.mark.parametrize("limits", [{"max_cents": 0}, {"budget_cents": 0}])
def test_the_line_of_the_error_lets_the_next_press_through(live, service, limits):
    """Over the cap or the budget, the picker's error has the line to run. There is no call to change."""
    sp.set_limits(**limits)
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    press(picker, "Load: 2 calls, 60 cents")
    assert not service.requests
    assert "of the call" not in picker.error
    assert "in this call" not in picker.error
    (line,) = re.findall(r"run (sp\.set_limits\(.*?\))", picker.error)
    exec(line, {"sp": sp})  # noqa: S102 - the line that the package printed
    press(picker, "Load: 2 calls, 60 cents")
    assert picker.error is None
    assert len(service.requests) == 2
