"""All that the page of a picker is sent in a session is compared with what a person read last."""

import json
import re
from pathlib import Path

import pytest

import suburb_pandas as sp
from tests.support.pickers import press, text_of

READ = Path(__file__).with_name("session.txt")
NUMBERED = re.compile(r'(req_|retrieved |"(?:offer|look_up)": (?=[1-9]))[0-9a-f-]+')


def shown(change):
    """Return a change of the page in words: a table as its text."""
    new = change.new
    if change.name == "_table":
        new = " ".join(text_of(new.partition("</style>")[2]).split())
    return f"    {change.name}: {json.dumps(new, ensure_ascii=False)}"


@pytest.mark.usefixtures("without_charts")
def test_the_page_is_sent_what_a_person_has_read(live, service, as_read):
    """The lines of the file that are not indented are the steps. `--renew` writes the others."""
    service.fail("server_error", name="Bilby Heights")
    picker, sent = sp.SuburbPicker(), []
    picker.observe(lambda change: sent.append(shown(change)), sorted({*picker.keys, "code", "busy"} - {"_chart"}))
    for step in READ.read_text("utf-8").splitlines():
        if step.startswith(" "):
            continue
        sent.append(step)
        if step.startswith("press "):
            press(picker, step.removeprefix("press "))
        elif "cents" in step:
            sp.set_limits(**json.loads(step))
        else:
            picker._handle_custom_msg(json.loads(step), [])
    as_read(NUMBERED.sub(r"\1...", "\n".join(sent)) + "\n", READ)
