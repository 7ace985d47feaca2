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


def test_names_given_more_than_once_are_named(live):
    """A quote lists names that were given more than once, in any iterable. They are bought once."""
    for kind in (list, pd.Series, pd.Index, iter):
        quote = sp.quote(kind([*NAMES, NAMES[1]]))
        assert (quote.duplicates, quote.calls) == ((NAMES[1],), 3)


def test_a_name_that_may_be_right_is_not_called_wrong(live):
    """A response about a suburb confirms its name. Without a complete list, the repr says how to load one.

    With a complete list, an unknown name may be misspelt.
    """
    sp.impacts(NAMES[2])
    assert sp.quote(NAMES).unresolved == (NAMES[0], NAMES[1])
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


@pytest.mark.parametrize(
    ("endpoints", "given", "message"),
    [
        ("rent", {"state": "NSW"}, "'geocode' use a state, .* this is for 'rent'"),
        ("geocode", {"postcode": 2000}, "only 'resolve' uses a postcode; this is for 'geocode'"),
        ("resolve", {"state": "Narnia"}, "state must be one of NSW, .*, not 'Narnia'"),
        (
            "find",
            {},
            "one or more of 'rent', 'impacts', 'geocode', 'impact_summary', 'scorecard', 'resolve', not 'find'",
        ),
    ],
)
def test_a_state_that_no_look_up_uses_is_refused(live, endpoints, given, message):
    """A state or postcode that an endpoint cannot use, or that is none, is an error and never ignored."""
    with pytest.raises(ValueError, match=message):
        sp.quote(["Quokka Bay"], endpoints, **given)


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
    for odd in ({"Quokka Bay"}, 3, pd.DataFrame({"suburb": NAMES}), ["Quokka Bay", None]):
        with pytest.raises((TypeError, sp.errors.InvalidName)) as bought:
            sp.rent(odd)
        with pytest.raises(bought.type) as quoted:
            sp.quote(odd)
        assert str(quoted.value) == str(bought.value).replace("rent(", "quote(")


def test_endpoints_are_looked_at_once_whatever_they_come_as(embedded):
    """Endpoints may come from an iterator. An unknown one is refused even if there are no suburbs."""
    assert sp.quote(["Quokka Bay", "Woylie"], iter(["rent", "impacts"])).calls == 4
    for odd in ("nonsense", [], ["rent", "find"], [3]):
        with pytest.raises(ValueError, match=r"endpoints must be .*scorecard"):
            sp.quote([], odd)


def test_a_lost_call_counts_as_unknown_until_a_later_one_is_billed(live, service):
    """A refresh's quote names a suburb as unknown only if its last call was lost, and was not billed since."""
    for _ in range(2):
        service.fail("dropped_after_billing")
        with pytest.raises(sp.errors.Unreachable):
            sp.rent(NAMES[0], refresh=True)
        assert sp.quote(NAMES[0], refresh=True).unknown == (NAMES[0],)
        sp.rent(NAMES[0], refresh=True)
        assert sp.quote(NAMES[0], refresh=True).unknown == ()
