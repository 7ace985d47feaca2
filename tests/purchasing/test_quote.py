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
    """A quote counts calls, cents and stored responses over all endpoints, and makes no call.

    The name of a loader stands for the endpoints that it buys. An endpoint named twice is counted once, and so is a
    suburb, which is listed.
    """
    sp.rent(NAMES[0])
    quote = sp.quote(iter([*NAMES, NAMES[1]]), iter(["scorecard", "rent"]))
    assert (quote.calls, quote.cents, quote.stored, quote.duplicates) == (5, 2 * 30 + 3 * 10, 1, (NAMES[1],))
    assert quote.argument == "max_cents=90"
    assert sp.quote(NAMES, ("rent", "impacts"), refresh=True).cents == 120
    assert sp.quote(NAMES, "impact_summary").cents == 30
    assert sp.quote("Quokka Bay").duplicates == ()
    assert len(service.requests) == 1


def test_a_name_that_may_be_right_is_not_called_wrong(live):
    """A response about a suburb confirms its name. With a complete list, an unknown name may be misspelt."""
    sp.impacts(NAMES[2])
    assert sp.quote(NAMES).unresolved == (NAMES[0], NAMES[1])
    for complete, why in ((False, CANNOT_BE_CHECKED), (True, "not known here; check the spelling")):
        sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Woylie"]}), complete)
        assert f"  unresolved  'Quokka Bay': {why}" in repr(sp.quote("Quokka Bay", check_names=False))


QUERIES = ["quokka bay", "Quokka  Bay", "lantern bay", "lantern bay", "2 Wader Street, Woylie WA 6421", "zzz vic 2000"]


@pytest.mark.parametrize("state", [None, ["WA", "WA", "NSW", "Tas.", None, None]])
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
        ("find", {}, "one or more of 'rent', .* 'geocode', 'impact_summary', 'scorecard', 'resolve', not 'find'"),
        ([], {}, r"endpoints must be .*scorecard"),
        ([3], {}, r"endpoints must be .*scorecard"),
    ],
)
def test_what_an_endpoint_cannot_use_is_refused(live, endpoints, given, message):
    """An unknown endpoint, and a state or postcode that is none or that no look-up uses, are errors, even for nobody.

    They are never ignored.
    """
    with pytest.raises(ValueError, match=message):
        sp.quote([], endpoints, **given)


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
    assert quote.uncertain == {"Quokka Bay": 30}
    assert "Quote" in quote._repr_html_()
    assert "<b>" not in quote._repr_html_()


def test_a_lost_call_counts_as_unknown_until_a_later_one_is_billed(live, service):
    """A refresh's quote names a suburb as unknown only if its last call was lost, and was not billed since."""
    for _ in range(2):
        service.fail("dropped_after_billing")
        with pytest.raises(sp.errors.Unreachable):
            sp.rent(NAMES[0], refresh=True)
        assert sp.quote(NAMES[0], refresh=True).unknown == (NAMES[0],)
        sp.rent(NAMES[0], refresh=True)
        assert sp.quote(NAMES[0], refresh=True).unknown == ()
