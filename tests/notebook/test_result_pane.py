"""Tests of the result in the suburb picker: its heading, its chart, and whether it shows the current choice."""

import json

import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, RENTED
from tests.support.odd_responses import points, series_body
from tests.support.pickers import BAY, HILL, press, say, shown


@pytest.mark.usefixtures("embedded", "without_charts")
def test_a_result_says_what_it_is_of_while_something_else_is_chosen():
    """The heading names the suburbs and the data of the result, and says if something else is chosen now."""
    picker = sp.SuburbPicker([BAY, HILL])
    press(picker, "Load")
    current = f'<p class="suburb-heading">Rents of {BAY}, {HILL}</p>'
    other = f'<p class="suburb-heading">Earlier result: rents of {BAY}, {HILL}</p>'
    assert current in shown(picker)
    picker.value = (HILL, BAY)
    assert current in shown(picker)
    for change in ({"value": (HILL,)}, {"value": (HILL, BAY), "endpoint": "impacts"}):
        picker.set_trait("value", change["value"])
        picker.endpoint = change.get("endpoint", "rent")
        assert other in shown(picker)
        assert "suburb-stale" in picker._result._dom_classes
    picker.endpoint = "rent"
    assert current in shown(picker)
    assert "suburb-stale" not in picker._result._dom_classes
    with sp.connect(api_key=LIVE_KEY, base_url="http://127.0.0.1:9"):
        say(picker, check_price=True)
        assert other in shown(picker)


@pytest.mark.usefixtures("embedded")
def test_the_chart_is_drawn_on_the_colour_of_the_page(monkeypatch):
    """A chart has the colour of the page and fits its width, and is drawn again only when one of them changes."""
    dark, light, pages = "rgb(17, 17, 17)", "rgb(255, 255, 255)", []
    monkeypatch.setattr(
        "suburb_pandas.plotting.picture.picture_of",
        lambda _, page, **look: (pages.append((page, *look.values())), (b"chart", "", ""))[1],
    )
    picker = sp.SuburbPicker(BAY)
    say(picker, background=dark, narrow=False)
    assert pages == []
    press(picker, "Load")
    for page, narrow in ((dark, False), (light, False), (light, False), (light, True)):
        say(picker, background=page, narrow=narrow)
    assert (pages, picker.error) == ([(dark, False), (light, False), (light, True)], None)


def test_a_date_that_cannot_be_true_is_told_once(live, service):
    """One press loads and draws, and has one warning about a date in the future."""
    house = points([650, 655], ["2024-01-31", "2099-01-31"])
    service.answer(BAY, "rent", body=series_body(BAY, house=house, unit=None))
    picker = sp.SuburbPicker(BAY)
    press(picker, "Load")
    assert shown(picker).count('<div class="suburb-note">') == 1


@pytest.mark.usefixtures("without_charts")
def test_a_series_without_a_row_is_a_result_too(live, service):
    """If the service sends no rents of a suburb, the heading says that there are none."""
    body = {"data": {"area_name": BAY, "area_level": "suburb", "house": [], "unit": []}}
    service.answer(BAY, "rent", body=json.dumps(body).encode())
    picker = sp.SuburbPicker(BAY)
    press(picker, "Load")
    assert (picker.error, len(picker.frame)) == (None, 0)
    assert "Rents of no suburb (0 of 1 suburb)" in shown(picker)


@pytest.mark.usefixtures("embedded")
def test_more_suburbs_than_a_chart_takes_are_loaded_all_the_same():
    """A picture has its main numbers in words. 61 suburbs have no chart, as a sentence says, and the frame has them."""
    picker = sp.SuburbPicker(RENTED[:2])
    press(picker, "Load: 2 calls, free")
    both = f"{RENTED[0]}, {RENTED[1]}. Rents in {RENTED[0]} and {RENTED[1]}"
    assert f'alt="Chart of the rents of {both}: Advertised median rent, AUD per week.' in shown(picker)
    picker.value = RENTED[:61]
    press(picker, "Load: 59 calls, free")
    assert "This frame has 61 suburbs or groups, but a chart shows up to 60." in shown(picker)
    assert picker.error is None
    assert picker.frame["area_name"].nunique() == 61
