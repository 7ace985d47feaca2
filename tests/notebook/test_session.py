"""All that the page of a picker is sent in a session is compared with what a person read last."""

import json
import re
from pathlib import Path

import pytest

import suburb_pandas as sp
from tests.support.pickers import BAY, HEIGHTS, press, say, text_of
from tests.support.results import assert_as_read

READ = Path(__file__).with_name("session.txt")
NUMBERED = re.compile(r'(req_|retrieved |"(?:offer|look_up)": (?=[1-9]))[0-9a-f-]+')


def shown(change):
    """Return a change of the page in words: a table as its text."""
    new = change.new
    if change.name == "_table":
        new = " ".join(text_of(new.partition("</style>")[2]).split())
    return f"    {change.name}: {json.dumps(new, ensure_ascii=False)}"


@pytest.mark.usefixtures("without_charts")
def test_the_page_is_sent_what_a_person_has_read(live, service, tmp_path):
    """If a change is wanted, read the new session, and commit it."""
    service.fail("server_error", name=HEIGHTS)
    picker, sent = sp.SuburbPicker(), []
    picker.observe(lambda change: sent.append(shown(change)), sorted({*picker.keys, "code", "busy"} - {"_chart"}))

    def does(**message):
        sent.append(json.dumps(message))
        say(picker, **message)

    def limits(**cents):
        sp.set_limits(**cents)
        sent.append(json.dumps(cents))
        does(check_price=True)

    def presses(name):
        sent.append(f"press {name}")
        press(picker, name)

    does(search="lantern")
    presses("look-up")
    does(search="xyzzy")
    does(search="")
    does(paste="Quokka Bay, lantern bay tas\tbilby heights, Lantern Bay\nNowhere At All; Nowhere Else")
    does(settle=BAY, name=BAY)
    does(settle="bilby heights", name=HEIGHTS)
    does(settle="Lantern Bay", name="Lantern Bay (NSW)")
    does(dismiss="Nowhere Else")
    does(dismiss_all=True)
    does(take="lantern bay")
    does(undo=True)
    does(remove="Lantern Bay (Tas.)")
    presses("load")
    limits(max_cents=20)
    presses("load")
    limits(max_cents=2000, budget_cents=100)
    does(kind="impacts")
    does(remove=BAY)
    does(undo=True)
    does(remove_all=True)
    assert_as_read(NUMBERED.sub(r"\1...", "\n".join(sent)) + "\n", READ, tmp_path)
