"""The suburb picker without a browser: its traits, what it loads and shows, and how its errors look."""

import json
import re
import threading
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.loaders import loaders
from tests.support.common import LIVE_KEY, RENTED, wait_for
from tests.support.drivers import driver, impacts_body
from tests.support.odd_responses import points, series_body
from tests.support.pickers import BAY, HEIGHTS, HILL, LOOK, finish, label, press, say, start, text_of, typed

pytestmark = pytest.mark.usefixtures("embedded")
EVIL = "<img src=x onerror=alert(1)> \"Bay\" & 'Co' 🏖"


def test_a_picker_says_how_to_load_again(embedded):
    """The picker's line of code loads the same frame as the picker did, and another line opens the picker again.

    If the picker was given a client, its code passes it as ``client``.
    """
    names = {"sp": sp, "client": embedded}
    for endpoint, client, more in (("impacts", embedded, ", client=client"), ("rent", None, "")):
        picker = sp.SuburbPicker([BAY, HILL], endpoint, client=client)
        press(picker)
        assert picker.code == f"sp.{endpoint}(['Quokka Bay', 'Kestrel Hill (Vic.)']{more})"
        pd.testing.assert_frame_equal(eval(picker.code, names), picker.frame)  # noqa: S307 - the picker's own code
    again = text_of(picker._again).removesuffix("Copy")
    assert repr(eval(again, names)) == repr(picker) == again.removeprefix("sp.")  # noqa: S307 - as above
    assert 'alt="Chart of the rents of Quokka Bay, Kestrel Hill (Vic.). ' in picker._chart


def test_the_page_is_sent_every_trait_that_its_script_reads():
    """What picker.js reads is sent to the page. At first there are no suggestions."""
    picker = sp.SuburbPicker()
    read = {word for word in re.findall(r'"(\w+)"', str(picker._esm)) if picker.has_trait(word)}
    assert {"value", "_said", "_suggested"} <= read <= {*picker.keys}
    assert picker._suggested == {"text": "", "hits": [], "total": 0, "said": "", "look_up": 0}


@pytest.mark.usefixtures("without_charts")
def test_what_is_chosen_meanwhile_is_not_what_was_loaded(live, monkeypatch):
    """If the choice changes during a load, all that is shown is of the suburbs that were loaded."""
    go_on, load_frame = threading.Event(), loaders.load_frame
    monkeypatch.setattr(loaders, "load_frame", lambda *given: (go_on.wait(100), load_frame(*given))[1])
    picker = sp.SuburbPicker(BAY)
    start(picker)
    wait_for(lambda: picker.busy)
    picker.value = (HILL,)
    assert (label(picker), picker._said, picker._progress["name"]) == ("(Loading)", "Loading", "Loading")
    start(picker)
    go_on.set()
    finish()
    assert (picker.error, picker.code) == (None, "sp.rent(['Quokka Bay'])")
    assert picker.frame["area_name"].unique().tolist() == [BAY]
    assert text_of(picker._heading) == "Earlier result: rents of Quokka Bay"
    assert (label(picker), len(sp.ledger())) == ("Load: 1 call, 30 cents", 1)


@pytest.mark.usefixtures("without_charts")
def test_a_load_that_another_connection_overtakes_is_an_earlier_result(live):
    """Data from the source of the press are not shown as those of a source that is connected during the load."""
    picker = sp.SuburbPicker(BAY)
    picker.observe(lambda change: change["new"].get("ended") == 1 and sp.connect(api_key="embedded"), "_progress")
    press(picker)
    assert (picker.error, picker._is_current, len(picker.frame) > 0) == (None, False, True)


def test_a_chart_is_drawn_for_the_look_of_the_page(monkeypatch):
    """A chart has the page's colour, the picker's width and the screen's resolution, and is drawn again with them."""
    looks = []
    monkeypatch.setattr(
        "suburb_pandas.plotting.picture.picture_of",
        lambda _, page, **look: (looks.append({"background": page, **look}), (b"chart", "", ""))[1],
    )
    picker, dark = sp.SuburbPicker(BAY), {"background": "rgb(17, 17, 17)", "width": 300, "ratio": 2.0}
    say(picker, look=dark)
    press(picker)
    for _ in range(2):
        say(picker, look=dark)
    assert (looks, picker.error) == ([LOOK, dark], None)


def test_a_series_without_a_row_is_a_result_too(live, service):
    """If the service sends no rents of a suburb, the heading says that there are none."""
    service.answer(BAY, "rent", body=series_body(BAY, house=[], unit=[]))
    picker = sp.SuburbPicker(BAY)
    press(picker)
    assert (picker.error, len(picker.frame)) == (None, 0)
    assert text_of(picker._heading) == "Rents of no suburb (0 of 1 suburb)"


@pytest.mark.usefixtures("without_charts")
def test_an_error_is_shown_and_what_arrived_is_too(live, service):
    """If some suburbs fail, the error's message and the others are shown until another press or choice.

    If all fail, the earlier result stays.

    The API key is not in the picker's state, code or error.
    """
    service.fail("server_error", name=HEIGHTS, times=None)
    picker = sp.SuburbPicker([BAY, HEIGHTS])
    press(picker)
    error = picker.error
    assert error.startswith("The service failed on 'Bilby Heights' (500")
    assert list(picker.frame["area_name"].unique()) == [BAY]
    assert text_of(picker._heading) == "Rents of Quokka Bay (1 of 2 suburbs)"
    assert picker.code == "sp.rent(['Quokka Bay', 'Bilby Heights'], errors=\"warn\")"
    assert LIVE_KEY not in repr(picker.get_state()) + picker.code + error
    typed(picker, "q")
    say(picker, look=LOOK)
    assert picker.error == error
    picker.value = (BAY,)
    assert picker.error is None
    service.fail("server_error", name=HILL, times=None)
    picker.value = (HEIGHTS, HILL)
    press(picker)
    assert picker.error.startswith(f"2 suburbs failed: {HEIGHTS}, {HILL}. The first error: The service failed on")
    assert set(picker.frame["area_name"]) == {BAY}


@pytest.mark.usefixtures("without_charts")
def test_any_other_error_is_shown_too(monkeypatch):
    """An unexpected exception, of a chart or of an observer, is shown in the picker. The next load works."""
    picker = sp.SuburbPicker(BAY)
    unexpected = "Something unexpected happened (ZeroDivisionError: division by zero). Look at sp.ledger() for charges."
    with monkeypatch.context() as patch:
        patch.setattr("suburb_pandas.plotting.picture.picture_of", lambda *_, **__: 1 / 0)
        press(picker)
    assert (picker.error, picker._chart, picker.busy, len(picker.frame) > 0) == (unexpected, "", False, True)
    for trait in ("busy", "frame"):
        picker.observe(lambda _: 1 / 0, trait)
        press(picker)
        assert picker.error == unexpected
        picker.unobserve_all(trait)
        press(picker)
        assert (picker.busy, picker.error, picker.code) == (False, None, "sp.rent(['Quokka Bay'])")


@pytest.mark.usefixtures("without_charts")
def test_a_load_can_be_cancelled_and_goes_on_where_it_was(service, tmp_path):
    """After Cancel no call is sent. What arrived is stored, and the next press buys the rest."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s.sqlite", max_workers=1) as client:
        picker = sp.SuburbPicker(RENTED[:8], client=client)
        cancel = partial(say, picker, cancel=True)
        picker.observe(lambda change: change["new"].get("ended") == 2 and cancel(), "_progress")
        press(picker)
        assert picker.error.startswith("Cancelled: no more calls are sent.")
        cancel()  # too late
        assert picker._said == ""
        wait_for(lambda: {*sp.ledger(client=client)["outcome"]} == {"billed"})
        sent = len(sp.ledger(client=client))
        assert 2 <= sent <= 4
        say(picker, check_price=True)
        assert label(picker) == f"Load: {8 - sent} calls, {30 * (8 - sent)} cents"
        picker.unobserve_all("_progress")
        press(picker)
        assert (picker.error, len(sp.ledger(client=client))) == (None, 8)


def test_warnings_are_shown_in_the_picker_until_the_next_load():
    """Warnings of a load are shown by the picker alone, and those of cells that run meanwhile by the cells alone."""
    picker = sp.SuburbPicker([BAY, "Thorny Devil"])
    start(picker)
    with pytest.warns(sp.errors.NoDataWarning):
        sp.rent([BAY, "Thorny Devil"])
    finish()
    picker.value = (BAY,)
    assert text_of(picker._warnings).count("The service has no rent data for 'Thorny Devil'.") == 1
    press(picker)
    assert picker._warnings == ""


def test_a_date_that_cannot_be_true_is_told_once(live, service):
    """One press loads and draws, and has one warning about a date in the future."""
    service.answer(BAY, "rent", body=series_body(BAY, house=points([650], ["2099-01-31"]), unit=None))
    picker = sp.SuburbPicker(BAY)
    press(picker)
    assert picker._warnings.count("<p") == 1


def test_a_new_default_client_changes_what_the_picker_knows_and_charges(live):
    """A picker without a client of its own uses the newest default: for suggestions, prices and the made-up note."""
    picker = sp.SuburbPicker(BAY)
    assert (typed(picker, "bilby"), picker._made_up) == ([], "")
    sp.connect(api_key="embedded")
    assert (typed(picker, "bilby"), label(picker)) == ([HEIGHTS], "Load: 1 call, free")
    assert "are made up" in picker._made_up


def test_the_warning_about_made_up_data_is_left_to_the_next_cell():
    """The picker says that suburbs are made up, and does not use up the warning that each client gives once."""
    with sp.Client() as client:
        assert "are made up" in sp.SuburbPicker(client=client)._made_up
        with pytest.warns(sp.errors.SyntheticDataWarning):
            sp.rent(BAY, client=client)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_what_the_service_sends_is_escaped(live, service):
    """Names, states, labels and messages from the service are escaped where they are part of a pane."""
    candidate = {"area_name": EVIL, "information": {"state": "Victoria", "lga": EVIL}}
    service.answer("evil", "geocode", body=json.dumps({"data": [candidate]}).encode())
    evil = driver(EVIL, 10.0, 5, 0.1) | {"detail": EVIL}
    service.answer(EVIL, "impacts", body=impacts_body(EVIL, [evil]))
    picker = sp.SuburbPicker(endpoint="impacts")
    typed(picker, "evil")
    press(picker, "look-up")
    assert picker._suggested["hits"] == [{"name": EVIL, "where": f"VIC, {EVIL}"}]
    service.fail("server_error", name=EVIL)
    say(picker, pick=EVIL)
    press(picker)
    panes = [picker._charges]
    press(picker)
    assert picker.error is None
    panes += [picker._heading, picker._line, picker._table, picker._chart]
    assert [pane for pane in panes if "<img src=x" in pane or "&lt;img src=x" not in pane] == []


def test_a_cell_that_is_run_again_keeps_the_choice(monkeypatch):
    """The same cell makes pickers of the same suburbs; another cell, other arguments or a function do not."""
    run = {}
    monkeypatch.setattr("suburb_pandas.notebook.picker.get_ipython", lambda: SimpleNamespace(get_parent=lambda: run))
    cell = (
        "def made():\n    return sp.SuburbPicker([], endpoint)\npickers = [made()]\n"
        "for number in range(3):\n    pickers.append(sp.SuburbPicker([], endpoint))"
    )

    def pickers(number, endpoint="rent"):
        run["header"] = {"msg_id": object()}
        names = {"sp": sp, "endpoint": endpoint}
        exec(compile(cell, f"ipykernel_1/{number}.py", "exec"), names)  # noqa: S102 - as a kernel runs a cell
        return names["pickers"]

    for picker, name in zip(pickers(1), (BAY, BAY, HILL, HEIGHTS), strict=True):
        say(picker, pick=name)
        say(picker, kind="impacts")
    for of, values in (((1,), [(), (BAY,), (HILL,), (HEIGHTS,)]), ((2,), [()] * 4), ((1, "impacts"), [()] * 4)):
        assert [picker.value for picker in pickers(*of)] == values
    assert pickers(1)[1].endpoint == "impacts"
