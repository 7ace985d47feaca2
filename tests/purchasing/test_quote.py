"""Quotes: what a request would cost, worked out before anything is spent."""

import pandas as pd
import pytest

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]
CANNOT_BE_CHECKED = (
    "cannot be checked here without a complete list of names; download the ABS's free list from abs.gov.au (ASGS "
    "Edition 3), and run sp.load_gazetteer('SAL_2021_AUST.xlsx')"
)


def test_a_quote_counts_what_would_be_bought_and_what_is_stored(live, service):
    """A quote counts calls, cents and stored responses over all endpoints, and makes no call."""
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
    """The name of a loader stands for the endpoints that it buys. An endpoint named twice is counted once."""
    assert sp.quote(NAMES, endpoints).cents == cents


@pytest.mark.parametrize("endpoints", ["rents", [], ["rent", "find"], [3]])
def test_what_is_no_endpoint_is_said(live, endpoints):
    """An unknown endpoint raises a ValueError that lists the valid names."""
    with pytest.raises(ValueError, match="scorecard"):
        sp.quote(NAMES, endpoints)


def test_the_purchase_runs_the_plan_that_was_quoted(live, service):
    """A purchase buys exactly its quote: a cap of the quoted cents is enough, and one cent less is refused."""
    sp.rent(NAMES[0])
    quote = sp.quote(NAMES)
    with pytest.raises(sp.errors.CapExceeded) as caught:
        sp.rent(NAMES, max_cents=quote.cents - 1)
    assert caught.value.quote.to_buy == quote.to_buy
    sp.rent(NAMES, max_cents=quote.cents)
    assert sp.ledger()["cents"].sum() == 30 + quote.cents
    assert sp.quote(NAMES).cents == 0


def test_names_given_more_than_once_are_named(live):
    """A quote lists names that were given more than once, in any iterable. They are bought once."""
    for names in ([*NAMES, NAMES[1]], pd.Series([*NAMES, NAMES[1]]), pd.Index([*NAMES, NAMES[1]]),
                  (name for name in [*NAMES, NAMES[1]])):  # fmt: skip
        quote = sp.quote(names)
        assert (quote.duplicates, quote.calls) == ((NAMES[1],), 3)
    assert sp.quote("Quokka Bay").duplicates == ()


def test_names_that_nothing_here_confirms_are_named(live):
    """A quote lists unconfirmed names as unresolved. A response about a suburb, of any endpoint, confirms its name."""
    sp.impacts(NAMES[0])
    assert sp.quote(NAMES).unresolved == tuple(NAMES[1:])


def test_a_name_that_may_be_right_is_not_called_wrong(live):
    """Without a complete list, the repr says how to load one. With it, an unknown name may be misspelt."""
    assert f"  unresolved  'Quokka Bay': {CANNOT_BE_CHECKED}" in repr(sp.quote("Quokka Bay"))
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Woylie"]}), False)
    assert f"  unresolved  'Quokka Bay': {CANNOT_BE_CHECKED}" in repr(sp.quote("Quokka Bay"))
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Woylie"]}), True)
    assert "  unresolved  'Quokka Bay': not known here; check" in repr(sp.quote("Quokka Bay", check_names=False))


QUERIES = ["quokka bay", "Quokka  Bay", "lantern bay", "lantern bay", "2 Wader Street, Woylie WA 6421", "zzz vic 2000"]


@pytest.mark.parametrize("state", [None, "WA", ["WA", "WA", "NSW", "Tas.", None, None]])
def test_a_quote_of_resolve_is_what_resolve_buys(live, service, state):
    """The quote of ``resolve`` has one look-up for each query that the known names leave open, as ``resolve`` makes."""
    sp.rent("Quokka Bay")
    quote = sp.quote(QUERIES, "resolve", state=state)
    assert (quote.cents, len(service.requests)) == (quote.calls, 1)
    with pytest.warns(sp.SuburbWarning, match="could not be checked|not resolved"):
        sp.resolve(QUERIES, state, errors="warn", max_cents=quote.cents)
    assert len(service.requests) == 1 + quote.calls
    assert sp.quote(QUERIES, "resolve", state=state).calls == 0


def test_with_a_complete_list_resolve_costs_nothing(embedded):
    """The quote of ``resolve`` has no call if all names are known, whatever the queries mean."""
    assert sp.quote([*QUERIES, "x" * 300], "resolve").calls == 0


def test_a_quote_of_look_ups_takes_states(live):
    """``geocode`` is a look-up of each text in its state, settled or not; on a frame, the states are in a column."""
    frame = pd.DataFrame(
        {"suburb": ["woylie", "lantern bay"], "where": ["WA", "Tasmania"], "area_name": ["Woylie", None]}
    )
    quote = sp.quote(frame["suburb"], "geocode", state=frame["where"])
    assert [(item.area_name, item.state) for item in quote.to_buy] == [("woylie", "WA"), ("lantern bay", "TAS")]
    assert frame.suburb.quote("resolve", state="where").to_buy == quote.to_buy
    assert sp.quote("woylie", "geocode", state="WA").to_buy == quote.to_buy[:1]
    assert sp.quote("woylie", ["geocode", "rent"], state="WA").calls == 2


@pytest.mark.parametrize(
    ("endpoints", "given", "message"),
    [
        ("rent", {"state": "NSW"}, "state= is used with 'resolve' or 'geocode' only, not with 'rent'"),
        ("geocode", {"postcode": 2000}, "postcode= is used with 'resolve' only, not with 'geocode'"),
        ("geocode", {"state": ["Narnia"]}, "state must be one of NSW, .*, not 'Narnia'"),
        ("resolve", {"state": "Narnia"}, "state must be one of NSW, .*, not 'Narnia'"),
        (
            "find",
            {},
            "one or more of 'impact_summary', 'impacts', 'rent', 'scorecard', 'geocode', 'resolve', not 'find'",
        ),
    ],
)
def test_a_state_that_no_look_up_uses_is_refused(live, endpoints, given, message):
    """A state or postcode that an endpoint cannot use, or that is none, is an error and never ignored."""
    with pytest.raises(ValueError, match=message):
        sp.quote(["Quokka Bay"], endpoints, **given)


def test_a_frame_is_quoted_by_its_column(live):
    """`df.suburb.quote` quotes the names of a column, even of one called suburb, and warns of rows without a name."""
    frame = pd.DataFrame({"place": [*NAMES, None]})
    with pytest.warns(sp.errors.SkippedRowsWarning):
        assert frame.suburb.quote(["rent"], column="place").cents == 90
    assert pd.DataFrame({"suburb": NAMES}).suburb.quote(endpoints="impacts", refresh=True).cents == 30


def test_a_quote_of_the_free_keys_costs_nothing(service):
    """A quote for a free key counts its calls, at no cost."""
    with sp.Client(api_key="test", base_url=service.url, store=":memory:") as client:
        quote = sp.quote(NAMES, client=client)
        assert (quote.calls, quote.cents) == (3, 0)
        assert "nothing is in the way" in repr(quote)
        assert "free" in repr(quote)


def test_a_quote_shows_as_text_and_as_a_table(live, service):
    """The repr of a quote has a line for each fact that applies. Its HTML escapes markup in names."""
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
        "  unknown     'Quokka Bay': sent before, outcome unknown",
        f"  unresolved  'Quokka Bay', {odd!r}: {CANNOT_BE_CHECKED}",
        "  to go on    nothing is in the way",
    ]
    shown = quote._repr_html_()
    assert "<b>" not in shown
    assert ">nothing is in the way</td>" in shown


def test_a_quote_takes_what_a_purchase_takes(live):
    """A quote refuses the same invalid suburbs as a loader does, with the same message but for its own name."""
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
        assert str(quoted.value) == str(bought.value).replace("rent(", "quote(")


def test_endpoints_are_looked_at_once_whatever_they_come_as(embedded):
    """Endpoints may come from an iterator. An unknown one is refused even if there are no suburbs."""
    assert sp.quote(["Quokka Bay", "Woylie"], iter(["rent", "impacts"])).calls == 4
    with pytest.raises(ValueError, match="endpoints must be"):
        sp.quote([], "nonsense")


def test_a_lost_call_counts_as_unknown_until_a_later_one_is_billed(live, service):
    """A refresh's quote names a suburb as unknown only if its last call was lost, and was not billed since."""

    def lose_a_call():
        service.fail("dropped_after_billing")
        with pytest.raises(sp.errors.Unreachable):
            sp.rent(NAMES[0], refresh=True)

    lose_a_call()
    assert sp.quote(NAMES[0], refresh=True).unknown == (NAMES[0],)
    sp.rent(NAMES[0])
    assert sp.quote(NAMES[0], refresh=True).unknown == ()
    lose_a_call()
    assert sp.quote(NAMES[0], refresh=True).unknown == (NAMES[0],)


def test_the_last_billed_call_sets_the_price(service, tmp_path):
    """After a rise in prices, calls that were refused or lost do not change the price of the next quote."""
    dear, refused, usual, lost, wanted = [*NAMES, "Woylie", "Bogong Rise"]
    service.answer(dear, "rent", body=b'{"data": null}', headers={"X-Cost-Cents": "45"})
    service.answer(refused, "rent", status=422)
    service.fail("dropped_after_billing", name=lost)
    with sp.Client(api_key="mib_live_x", base_url=service.url, store=tmp_path / "s", max_workers=1) as client:
        with pytest.warns(sp.SuburbWarning, match="charged 45 cents"), pytest.raises(sp.errors.NoData):
            sp.rent(dear, client=client)
        with pytest.raises(sp.errors.Rejected):
            sp.rent(refused, client=client)
        assert sp.quote(wanted, client=client).prices == {"rent": 45}
        with pytest.raises(sp.errors.BatchIncomplete):
            sp.rent([usual, lost], client=client)
        assert sp.ledger(client=client)["cents"].to_list() == [45, 0, 30, 45]
        assert sp.quote(wanted, client=client).prices == {"rent": 30}
