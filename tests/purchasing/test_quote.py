"""Quotes: what a request would cost, before it costs anything."""

import pandas as pd
import pytest

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]


def test_a_quote_counts_what_would_be_bought_and_what_is_stored(live, service):
    """Calls, cents and stored responses, by endpoint; no call is made."""
    sp.rent(NAMES[0])
    quote = sp.quote(NAMES, ("rent", "impacts"))
    assert (quote.calls, quote.cents, quote.stored) == (5, 2 * 30 + 3 * 10, 1)
    assert quote.argument == "max_cents=90"
    assert sp.quote(NAMES, ("rent", "impacts"), refresh=True).cents == 120
    assert len(service.requests) == 1


@pytest.mark.parametrize(("endpoints", "cents"), [
    ("rent", 90), (["impacts"], 30), ("impact_summary", 30), ("scorecard", 120), (("scorecard", "rent"), 120),
])  # fmt: skip
def test_endpoints_are_what_a_user_calls_them(live, endpoints, cents):
    """A loader's name means what that loader buys, and nothing is counted twice."""
    assert sp.quote(NAMES, endpoints).cents == cents


@pytest.mark.parametrize("endpoints", ["rents", [], ["rent", "find"], [3]])
def test_what_is_no_endpoint_is_said(live, endpoints):
    """With those that there are."""
    with pytest.raises(ValueError, match="scorecard"):
        sp.quote(NAMES, endpoints)


def test_the_purchase_runs_the_plan_that_was_quoted(live, service):
    """The argument to paste is enough, and a cent less is not."""
    sp.rent(NAMES[0])
    quote = sp.quote(NAMES)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        sp.rent(NAMES, max_cents=quote.cents - 1)
    assert caught.value.quote.to_buy == quote.to_buy
    sp.rent(NAMES, max_cents=quote.cents)
    assert sp.ledger()["cents"].sum() == 30 + quote.cents
    assert sp.quote(NAMES).cents == 0


def test_names_given_more_than_once_are_named(live):
    """A list, a Series, an Index or a generator; they are bought once."""
    for given in ([*NAMES, NAMES[1]], pd.Series([*NAMES, NAMES[1]]), pd.Index([*NAMES, NAMES[1]]),
                  (name for name in [*NAMES, NAMES[1]])):  # fmt: skip
        quote = sp.quote(given)
        assert (quote.duplicates, quote.calls) == ((NAMES[1],), 3)
    assert sp.quote("Quokka Bay").duplicates == ()


def test_names_that_nothing_here_confirms_are_named(live):
    """An answer about a suburb, of any endpoint, confirms its name."""
    sp.impacts(NAMES[0])
    assert sp.quote(NAMES).unresolved == tuple(NAMES[1:])


def test_a_frame_is_quoted_by_its_column(live):
    """Rows without a name are skipped with the warning; a column called suburb has the method too."""
    frame = pd.DataFrame({"place": [*NAMES, None]})
    with pytest.warns(sp.errors.SkippedRowsWarning):
        assert frame.suburb.quote(["rent"], column="place").cents == 90
    assert pd.DataFrame({"suburb": NAMES}).suburb.quote(endpoints="impacts", refresh=True).cents == 30


def test_a_quote_of_the_free_keys_costs_nothing(service):
    """The calls are counted all the same."""
    with sp.Client(api_key="test", base_url=service.url, store=":memory:") as client:
        quote = sp.quote(NAMES, client=client)
        assert (quote.calls, quote.cents) == (3, 0)
        assert "nothing to allow" in repr(quote)
        assert "free" in repr(quote)


def test_a_quote_shows_as_text_and_as_a_table(live, service):
    """Every line that there is something to say in, and a name in a table is text, not markup."""
    service.fail("dropped_after_billing")
    with pytest.raises(sp.errors.Unreachable):
        sp.rent("Quokka Bay")
    odd = "Nowhere <b>& Co</b>"
    quote = sp.quote(["Quokka Bay", odd, odd], ("rent", "impacts"))
    assert repr(quote).splitlines() == [
        "Quote",
        "  source      the live service",
        "  calls       4",
        "  cents       80 (2 calls of rent at 30 and 2 calls of impacts at 10)",
        "  stored      0, free",
        f"  duplicates  {odd!r}: given more than once, bought once",
        "  unknown     'Quokka Bay': sent before, outcome never learnt",
        f"  unresolved  'Quokka Bay', {odd!r}: not known here, so mind the spelling",
        "  to go on    max_cents=80",
    ]
    shown = quote._repr_html_()
    assert "<b>" not in shown
    assert ">max_cents=80</td>" in shown


def test_a_quote_takes_what_a_purchase_takes(live):
    """What no loader takes for suburbs is refused here too, and in the same words."""
    for odd in (
        {"Quokka Bay"},
        {"Quokka Bay": 1},
        b"Quokka Bay",
        3,
        pd.DataFrame({"suburb": NAMES}),
        ["Quokka Bay", None],
    ):
        with pytest.raises((TypeError, sp.errors.InvalidName)) as bought:
            sp.rent(odd)
        with pytest.raises(bought.type) as quoted:
            sp.quote(odd)
        assert str(quoted.value) == str(bought.value)


def test_over_the_budget_the_argument_to_paste_is_the_budgets(service, tmp_path):
    """The quote of the error names what would be enough."""
    options = {"api_key": "mib_live_x", "base_url": service.url, "store": tmp_path / "s"}
    with (
        sp.Client(**options, budget_cents=60) as client,
        pytest.raises(sp.errors.BudgetExceeded, match="budget_cents=90") as caught,
    ):
        sp.rent(NAMES, client=client)
    assert caught.value.quote.argument == "budget_cents=90"


def test_endpoints_are_looked_at_once_whatever_they_come_as(embedded):
    """An iterator will do for them, and a wrong one is refused also where there is no suburb."""
    assert sp.quote(["Quokka Bay", "Woylie"], iter(["rent", "impacts"])).calls == 4
    with pytest.raises(ValueError, match="endpoints are"):
        sp.quote([], "nonsense")
