"""The price of a call: what the service charged, what was quoted, and what the next quote goes by."""

import warnings

import pytest

import suburb_pandas as sp
from tests.support.common import RENTED, plain_sqlite
from tests.support.raw_server import only_call
from tests.support.recorded import body_of

TWELVE = RENTED[:12]


def test_a_price_above_the_quote_stops_the_request_and_says_what_the_rest_costs(live, service):
    """At most three responses are charged at a price above the quote. They are kept, and the next quote has the price.

    The message has the cost of the calls that are left at the new price, and the line that allows them.
    """
    for name in TWELVE:
        service.answer(name, "rent", headers={"X-Cost-Cents": "300"}, body=body_of(name))
    sp.set_limits(max_cents=400)
    with pytest.raises(sp.errors.CapExceeded, match=r"charged 300 cents .* 30 cents had been quoted") as caught:
        sp.rent(TWELVE)
    asked = len(service.requests)
    left = 12 - asked
    line = f"sp.set_limits(max_cents={300 * left}, budget_cents=5000)"
    assert 1 <= asked == caught.value.frame["area_name"].nunique() <= 3
    assert caught.value.cents == 300 * asked
    assert f"the {left} calls left would cost {300 * left} cents; before you try again, run {line}" in str(caught.value)
    eval(line, {"sp": sp})  # noqa: S307 - our own line
    assert sp.quote(TWELVE).cents == 300 * left
    sp.rent(TWELVE)
    assert (len(service.requests), sp.ledger()["cents"].sum()) == (12, 3600)


def test_an_absurd_price_in_a_store_of_an_older_version_enters_no_quote(live):
    """A version that believed any price may have left one in the store. A quote then has the rate card's."""
    sp.rent(TWELVE[0])
    with plain_sqlite(live.store.path) as plain:
        plain.execute("update call set cents = 999999999, at = '2020-01-01T00:00:00.000000+00:00'")
    assert sp.quote(TWELVE[1]).cents == 30


@pytest.mark.parametrize(
    ("price", "cents", "message"),
    [("500", 500, r"may have charged 500 cents .* 30 cents had been quoted\.$"), ("1e9", 30, "X-Cost-Cents: '1e9'")],
)
def test_the_price_of_an_answer_that_broke_off_counts(serve, client_of, price, cents, message):
    """The price that arrived before an answer broke off is the most that the call may have cost."""
    head = f"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nX-Cost-Cents: {price}\r\n\r\nhalf".encode()
    client = client_of(serve(lambda connection: connection.sendall(head)).url)
    with pytest.warns(sp.SuburbWarning, match=message), pytest.raises(sp.errors.Unreachable) as caught:
        sp.rent("Quokka Bay", client=client)
    assert caught.value.cents == cents
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        assert only_call(client) == ("unknown", cents)
