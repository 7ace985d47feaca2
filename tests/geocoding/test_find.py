"""Tests look-ups, which cost 1 cent and are stored like any response, and the free use of their results."""

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import wait_for
from tests.support.made_up import PLACES

COLUMNS = ["area_name", "state", "lga", "postcode", "sa2", "sa3", "sa4"]


def targets(service):
    """Return the look-ups that were sent."""
    return {seen.target.removeprefix("/v1/geocode/suburb?q=") for seen in service.requests}


def test_find_gives_the_services_candidates(live, service):
    """``find`` returns the candidates with their locations in the service's order. The first look-up costs 1 cent.

    The text of a look-up is encoded, so that it cannot change the path or the parameters. A look-up has limits.
    """
    with pytest.raises(sp.errors.CapExceeded):
        sp.find("magpie flat", max_cents=0)
    found = sp.find("magpie  flat")
    flats = [place[:7] for place in PLACES if place.area_name.startswith("Magpie Flat (")]
    pd.testing.assert_frame_equal(found, pd.DataFrame(flats, columns=COLUMNS, dtype="str"))
    assert sp.find(" magpie flat ", max_cents=0, offline=True).equals(found)
    attrs = found.attrs["suburb_pandas"]
    assert attrs == attrs | {"endpoint": "geocode", "source": "live", "area_name": "magpie flat", "made_up": True}
    assert sp.find("a/b?c#d&state=VIC %2e").shape == (0, 7)
    assert service.billed == {("geocode", "magpie flat"): 1, ("geocode", "a/b?c#d&state=VIC %2e"): 1}


def test_a_state_restricts_the_look_up(live, service):
    """A state in any spelling restricts a look-up. Its response is stored separately; the ledger has the text alone.

    A quote takes the state, too. A text that cannot be looked up raises InvalidName, an unknown state ValueError, and
    no call is made.
    """
    for state in ("Northern Territory", "nt"):
        assert sp.find("boobook", state)["area_name"].to_list() == ["Boobook (NT)"]
    quote = sp.quote(["boobook", "quoll"], "geocode", state="NT")
    assert (quote.cents, quote.stored) == (1, 1)
    assert len(sp.find("boobook")) == 4
    with pytest.raises(sp.errors.InvalidName):
        sp.find("")
    with pytest.raises(ValueError, match="'Narnia'"):
        sp.find("quoll", "Narnia")
    assert targets(service) == {"boobook&state=NT", "boobook"}
    assert sp.ledger()["area_name"].to_list() == ["boobook"] * 2


# Resolving without a complete list


def test_one_look_up_a_query_and_none_for_what_is_known(live, service):
    """A query is looked up once, in whatever spellings it occurs, and never again. A stored response proves a name."""
    sp.impacts("Woylie")
    queries = ["quokka bay", "Quokka  Bay", "QUOKKA BAY", "lantern bay tas", "woylie"]
    names = ["Quokka Bay"] * 3 + ["Lantern Bay (Tas.)", "Woylie"]
    assert sp.resolve(queries).to_list() == names
    assert sp.resolve(["quokka-bay", "Lantern Bay, Tas."], offline=True).to_list() == names[2:4]
    assert len(service.requests) == 3


def test_what_asks_the_same_in_other_words_is_one_look_up(live, service):
    """Queries that differ in a comma, brackets, the spelling of the state or a postcode share a look-up.

    A query that ends in a state's full name has its own, because that may be part of the name of a suburb in any state.
    """
    queries = ["Zed Vic", "Zed, Vic", "zed VIC 3000", "Zed (Victoria)", "ZED - Vic.", "Zed Victoria"]
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve(queries, [*[None] * 5, "SA"])
    assert service.billed == {("geocode", "Zed Vic"): 1, ("geocode", "Zed Victoria"): 1}


def test_if_no_look_up_can_be_sent_the_error_has_the_names_known_without_them(live, service):
    """If look-ups exceed the cap, or the request is offline, none is sent. With errors="warn", offline rows are NA."""
    sp.impacts("Quokka Bay")
    queries = ["Quokka Bay", "lantern bay nsw", "woylie"]
    for options, kind in (({"max_cents": 1}, sp.errors.CapExceeded), ({"offline": True}, sp.errors.NotStored)):
        with pytest.raises(kind) as caught:
            sp.resolve(queries, **options)
        assert caught.value.resolved.dropna().to_list() == ["Quokka Bay"]
        assert caught.value.problems["problem"].to_list() == [kind.__name__] * 2
    message = r"2 of 3 rows were not resolved (.|\n)*\. Nothing was sent; without offline=True, .* cost at most 2 cents"
    with pytest.warns(sp.SuburbWarning, match=message):
        assert sp.resolve(queries, offline=True, errors="warn").isna().sum() == 2
    assert len(service.requests) == 1


def test_an_error_that_ends_the_look_ups_names_the_cost_of_all(live, service):
    """The call that was refused was free, but the look-ups before it were not. ``errors="warn"`` does not hide it."""
    sp.find("quokka bay")
    service.answer("woylie", "geocode", status=402)
    with pytest.raises(sp.errors.PaymentRequired) as caught:
        sp.resolve(["lantern bay nsw", "woylie"], errors="warn")
    start = "The look-ups of this request cost up to 1 cent; the request ended early: The key's prepaid wallet"
    assert str(caught.value).startswith(start)


@pytest.mark.usefixtures("hasty")
def test_a_look_up_that_fails_is_the_rows_own_error(live, service):
    """A failed or unreadable look-up is the error of its own rows, and the others are resolved."""
    service.fail("server_error_billed", name="woylie", times=None)
    service.answer("quoll", "geocode", body=b"{}")
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.resolve(["quokka bay", "woylie", "quoll"])
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-", "-"]
    assert [*map(type, caught.value.failures.values())] == [sp.errors.ServiceError, sp.errors.ContractViolation]
    assert (caught.value.cents, caught.value.retryable) == (3, True)
    assert "The look-ups may have charged up to 3 cents.\n'woylie': ServiceError: The serv" in str(caught.value)


def test_a_client_closed_in_the_middle_withholds_nothing(live, service):
    """If a client is closed during a request, the error carries the results that have been paid for."""
    service.fail("latency", name="woylie", seconds=60)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(sp.resolve, ["quokka bay", "No Such", "woylie"])
        wait_for(lambda: len(service.requests) == 2)
        live.close()
        service.release()
        error = asking.exception(30)
    assert "Nothing was sent" not in str(error)
    assert "Quokka Bay" in error.resolved.to_list()
