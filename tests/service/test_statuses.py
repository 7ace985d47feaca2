"""What a call costs, and how a response is read whatever its headers say. ``results.txt`` has the errors, too."""

import pytest

import suburb_pandas as sp
from suburb_pandas.service import statuses
from tests.support.recorded import body_of

SETTLED = """
200 = billed 30
200 0 = billed 0
200 30,60.00,0 = billed 60
200 3000 = billed 3000
200 3001 = unknown 30
200 1.5 = unknown 30
304 = unknown 30
404 = not_billed 0
404 30 = billed 30
500 = unknown 30
500 0 = not_billed 0
503 = not_billed 0
503 free = unknown 30
"""


@pytest.mark.parametrize("line", SETTLED.strip().splitlines())
def test_the_cost_follows_from_the_header_and_else_from_the_status(line):
    """`X-Cost-Cents` decides. Without it only a 200 is billed, and a 5xx other than 503 may have been.

    A cost that is no number of cents, or over 100 times the rate card, leaves the outcome unknown; the quote counts.
    """
    asked, _, expected = line.partition(" = ")
    status, _, cost = asked.partition(" ")
    outcome, cents = statuses.settle("rent", int(status), {"x-cost-cents": cost} if cost else {}, 30)
    assert f"{outcome} {cents}" == expected


def test_json_is_utf_8_whatever_its_header_says(live, service):
    """A response is read as UTF-8 whatever charset its header names, because RFC 8259 defines no charset for JSON."""
    body = b"\xef\xbb\xbf" + body_of("Quokka Bay")  # a mark of UTF-8 is left out
    service.answer("Quokka Bay", "rent", body=body, headers={"Content-Type": "text/html; charset=utf-16"})
    assert sp.rent("Quokka Bay")["house"].tolist() == [500.0]
