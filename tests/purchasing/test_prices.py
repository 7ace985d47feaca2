"""The price of a call: what the service charged, what was quoted, and what the next quote goes by."""

import warnings

import pytest

import suburb_pandas as sp
from tests.support.common import RENTED, plain_sqlite
from tests.support.raw_server import only_call
from tests.support.recorded import body_of

NAME, TWELVE, SIXTY_SIX = RENTED[0], RENTED[:12], RENTED[:66]


@pytest.fixture
def charges(service):
    """Return a function that lets the service ask a price, as a header, for a suburb or for each of several."""

    def charge(names, price, **more):
        for name in [names] if isinstance(names, str) else names:
            service.answer(name, "rent", headers={"X-Cost-Cents": price}, **more or {"body": body_of(name)})

    return charge


def test_a_price_above_the_quote_stops_the_request_and_says_what_the_rest_costs(live, service, charges):
    """At most three responses are charged at a price above the quote. They are kept, and the next quote has the price.

    The message has the cost of the calls that are left at the new price, and the line that allows them.
    """
    charges(TWELVE, "300")
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


@pytest.mark.parametrize(
    ("price", "message", "next_price"),
    [
        ("3000", r"30 cents had been quoted\.$", 3000),
        ("3001", r"X-Cost-Cents: '3001'.*unknown, at 30 cents", 30),
    ],
)
def test_a_wrong_price_is_told_also_where_nothing_is_left_to_stop(live, service, charges, price, message, next_price):
    """A warning says what the last call cost, and its data are kept. 100 times the rate card is the most believed."""
    charges(NAME, price)
    with pytest.warns(sp.SuburbWarning, match=message):
        frame = sp.rent(NAME)
    assert sp.rent(NAME).equals(frame)
    assert (len(service.requests), sp.quote(RENTED[1]).cents) == (1, next_price)


def test_a_price_that_cannot_be_read_or_believed_stops_the_request(client_with, service, charges):
    """The call is unknown, at the price of the rate card, and the error shows the header. Nothing else is sent."""
    client = client_with(max_workers=1)
    charges(SIXTY_SIX[1], "30, many", status=404)
    with pytest.raises(sp.errors.ContractViolation, match=r"; the responses cost 30 cents; .* was stopped\.") as caught:
        sp.rent(SIXTY_SIX, client=client)
    assert "X-Cost-Cents: '30, many'" in str(caught.value)
    assert "left would cost" not in str(caught.value)
    assert caught.value.frame["area_name"].unique().tolist() == SIXTY_SIX[:1]
    with pytest.warns(sp.SuburbWarning, match="In 1 call, .* cannot be read or believed, as for .*may have cost more"):
        ledger = sp.ledger(client=client)
    assert ledger[["outcome", "cents"]].to_numpy().tolist() == [["billed", 30], ["unknown", 30]]
    assert (len(service.requests), sp.quote(SIXTY_SIX, client=client).prices) == (2, {"rent": 30})


def test_the_last_billed_call_sets_the_price(live, service, charges):
    """After a rise in prices, calls that were refused, lost or had no readable price change no quote."""
    dear, refused, odd, usual, lost, wanted = RENTED[:6]
    charges(dear, "45")
    charges(refused, "5", status=422)
    charges(odd, "x")
    service.fail("dropped_after_billing", name=lost)
    with pytest.warns(sp.SuburbWarning, match="charged 45 cents"):
        sp.rent(dear)
    with pytest.raises(sp.errors.Rejected):
        sp.rent(refused)
    with pytest.warns(sp.SuburbWarning, match="unknown, at 45 cents"):
        sp.rent(odd)
    assert sp.quote(wanted).prices == {"rent": 45}
    sp.rent(usual)
    with pytest.raises(sp.errors.Unreachable):
        sp.rent(lost)
    assert sp.quote(wanted).prices == {"rent": 30}


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


def test_an_absurd_price_in_a_store_of_an_older_version_enters_no_quote(live):
    """A version that believed any price may have left one in the store. A quote then has the rate card's."""
    sp.rent(NAME)
    with plain_sqlite(live.store.path) as plain:
        plain.execute("update call set cents = 999999999, at = '2020-01-01T00:00:00.000000+00:00'")
    assert sp.quote(RENTED[1]).cents == 30
