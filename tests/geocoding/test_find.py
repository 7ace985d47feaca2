"""Tests look-ups, which cost 1 cent and are stored like any response, and the free use of their results."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS
from tests.support.common import LIVE_KEY, wait_for

COLUMNS = ["area_name", "state", "lga", "postcode", "sa2", "sa3", "sa4"]


def set_candidates(service, query, *candidates):
    """Set the candidates in the service's response to a look-up."""
    body = json.dumps({"data": list(candidates)}).encode()
    service.answer(query, "geocode", body=body, headers={"X-Cost-Cents": "1"})


def targets(service):
    """Return the look-ups that were sent."""
    return [seen.target.removeprefix("/v1/geocode/suburb?q=") for seen in service.requests]


def test_find_gives_the_services_candidates(live, service):
    """``find`` returns the candidates with their locations in the service's order. The first look-up costs 1 cent."""
    found = sp.find("magpie  flat")
    assert list(found.columns) == COLUMNS
    where = ["VIC", "Bluestone Lakes", "3268", "Bluestone Weir", "Bluestone", "Kestrel and Basalt"]
    assert found.iloc[0].to_list() == ["Magpie Flat (Bluestone Lakes - Vic.)", *where]
    assert len(found) == 7
    assert sp.find(" magpie flat ").equals(found)
    assert service.billed == {("geocode", "magpie flat"): 1}
    attrs = found.attrs["suburb_pandas"]
    assert attrs == attrs | {"endpoint": "geocode", "source": "live", "area_name": "magpie flat", "made_up": True}


def test_a_state_restricts_the_look_up(live, service):
    """A state in any spelling restricts a look-up. Its response is stored separately; the ledger has the text alone."""
    for state in ("NT", "Northern Territory", "nt"):
        assert sp.find("boobook", state=state)["area_name"].to_list() == ["Boobook (NT)"]
    assert len(sp.find("boobook")) == 4
    assert targets(service) == ["boobook&state=NT", "boobook"]
    ledger = sp.ledger()[["endpoint", "area_name", "outcome", "cents"]]
    assert ledger.to_numpy().tolist() == [["geocode", "boobook", "billed", 1]] * 2


def test_what_the_service_does_not_say_is_nan(live, service):
    """Fields that a candidate lacks are NaN, and so is an unknown state. A look-up that finds nothing has no rows."""
    set_candidates(
        service,
        "quoll",
        {},
        {"area_name": "Quoll", "information": None},
        {"area_name": "Quoll (Vic.)", "information": {"poa": 800, "state": "?", "new": [1]}},
        {"area_name": "Quoll Valley", "area_level": "sa3", "information": {"poa": "none"}},
    )
    known = sp.find("quoll").set_index("area_name").stack().dropna()
    assert known.to_dict() == {("Quoll (Vic.)", "state"): "VIC", ("Quoll (Vic.)", "postcode"): "0800"}
    assert sp.places(["Quoll", "Quoll Valley"])["origin"].fillna("-").to_list() == ["geocode", "-"]
    service.answer("emu", "geocode", body=b'{"data": null, "available": false, "reason": "none"}')
    assert [sp.find("emu").shape, sp.find("emu").shape] == [(0, 7)] * 2
    assert len(service.requests) == 2


def test_an_unreadable_look_up_is_charged_once(live, service):
    """A response that breaks the specification is billed and stored, and adds no names. It is counted once."""
    set_candidates(service, "quoll", {"area_name": 7})
    for ask in (sp.find, sp.resolve):
        with pytest.raises(sp.errors.ContractViolation, match=r"\$\.data\[0\]\.area_name"):
            ask("quoll")
    assert len(service.requests) == 1
    service.answer("abc", "geocode", body=b"<html>", headers={"X-Cost-Cents": "1"})
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.resolve(["abc", "woylie"])
    assert caught.value.cents == 2
    assert isinstance(caught.value.failures["abc"], sp.errors.ContractViolation)


def test_find_is_quoted_capped_and_kept_like_the_rest(live, service):
    """Cap, quote, offline and refresh work for look-ups as they do for rents."""
    with pytest.raises(sp.errors.CapExceeded, match="1 cent "):
        sp.find("quoll", max_cents=0)
    with pytest.raises(sp.errors.NotStored, match="'quoll'"):
        sp.find("quoll", state="VIC", offline=True)
    assert not service.requests
    assert sp.quote("quoll", "geocode").cents == 1
    sp.find("quoll")
    sp.find("quoll", refresh=True)
    assert service.total_cents == len(sp.vintages("quoll", "geocode")) == 2


@pytest.mark.parametrize("query", ["", None, 7, "a\x00b", "x" * 500])
def test_what_cannot_be_looked_up(live, service, query):
    """A text that cannot be looked up raises InvalidName, an unknown state ValueError, and no call is made."""
    with pytest.raises(sp.errors.InvalidName):
        sp.find(query)
    with pytest.raises(ValueError, match="'Narnia'"):
        sp.find("quoll", state="Narnia")
    assert not service.requests


@pytest.mark.parametrize("query", ["a/b?c#d&state=VIC", "%2e%2e", "../..", "quoll \u00e9\u00df", "+ +"])
def test_a_look_up_reaches_no_other_path(live, service, query):
    """The text of a look-up is encoded, so that it cannot change the path or the parameters."""
    sp.find(query)
    assert service.billed == {("geocode", query): 1}


# Resolving without a complete list


def test_one_look_up_a_query_and_none_for_what_is_known(live, service):
    """A query is looked up once, in whatever spellings it occurs, and never again. A stored response proves a name."""
    sp.impacts("Woylie")
    queries = ["quokka bay", "Quokka  Bay", "QUOKKA BAY", "lantern bay tas", "woylie"]
    assert sp.resolve(queries).to_list() == ["Quokka Bay"] * 3 + ["Lantern Bay (Tas.)", "Woylie"]
    assert len(service.requests) == 3
    assert sp.resolve(["quokka-bay", "Lantern Bay, Tas."], offline=True).to_list() == [
        "Quokka Bay",
        "Lantern Bay (Tas.)",
    ]
    assert len(service.requests) == 3


def test_what_asks_the_same_in_other_words_is_one_look_up(live, service):
    """Queries that differ in a comma, brackets, the spelling of the state or a postcode share a look-up.

    A query that ends in a state's full name has its own, because that may be part of the name of a suburb in any state.
    """
    queries = ["Zed Vic", "Zed, Vic", "zed VIC 3000", "Zed (Victoria)", "ZED - Vic.", "Zed/vic", "Zed Victoria"]
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve(queries, [*[None] * 6, "SA"])
    assert service.billed == {("geocode", "Zed Vic"): 1, ("geocode", "Zed Victoria"): 1}
    assert sp.quote([" zed-vic", "quoll"], "geocode").calls == 1


LOOKED_UP = {
    "Magpie Flat 6171": ("Magpie Flat (WA)", "Magpie%20Flat"),
    "12 Wader Street, Quokka Bay WA 6171": ("Quokka Bay", "Quokka%20Bay&state=WA"),
    "12 Wader Street, Magpie Flat, Western Australia": ("Magpie Flat (WA)", "Magpie%20Flat&state=WA"),
    "Zamia Heights (Woylie)": ("Zamia Heights", "Zamia%20Heights"),
    "Numbat Green (C)": ("Numbat Green", "Numbat%20Green"),
}


@pytest.mark.parametrize("query", LOOKED_UP)
@pytest.mark.filterwarnings("ignore:In 1 of 1 row")
def test_a_look_up_asks_for_the_name_alone(live, service, query):
    """A postcode, an address, a region and the kind of a council are left out, so that all suburbs of the base come."""
    assert [*sp.resolve(query), *targets(service)] == [*LOOKED_UP[query]]


@pytest.mark.parametrize(
    ("query", "beside"),
    [
        ("quokka bay", [["Narnia"]]),
        ("quokka bay", [None, ["99999"]]),
        ("Kestrel Hill (Vic.)", ["QLD"]),
        ("quokka bay 6171", [None, 6172]),
        ("12 Wader Street Quokka Bay WA", []),
        ("12 Wader Street", []),
        ("Lot 1, Wader Street, Quokka Bay WA", []),
        ("Wader Street, Quokka Bay WA", []),
        ("Quokka Bay (Total)", []),
    ],
)
def test_what_cannot_resolve_is_not_looked_up(live, service, query, beside):
    """A query is not looked up if its state or postcode is invalid or contradicts its text, or if its end is open.

    Nor is a total, or an address of which more is left than a name. For an address without a comma, the error asks for
    one.
    """
    with pytest.raises(sp.errors.UnknownSuburb, match="Nothing was charged") as caught:
        sp.resolve([query], *beside)
    assert ("Put a comma" in str(caught.value)) == query.startswith("12 ")
    assert not service.requests


def test_a_candidate_is_not_chosen_for_being_the_only_one(live, service):
    """The only candidate is not chosen if its base differs, or if its suffix proves that other suburbs share it."""
    set_candidates(service, "quoll", {"area_name": "Quoll (Vic.)"})
    set_candidates(service, "woyli", {"area_name": "Woylie"})
    with pytest.raises(sp.errors.AmbiguousSuburb, match="of which only the one below is known here") as caught:
        sp.resolve("quoll")
    assert (caught.value.candidates, caught.value.cents) == (("Quoll (Vic.)",), 1)
    with pytest.raises(sp.errors.UnknownSuburb, match=r"The service charged 1 cent\. Did you mean Woylie\?") as caught:
        sp.resolve("woyli")
    assert caught.value.suggestions == ("Woylie",)


def test_a_look_up_confirms_a_postcode_or_is_shown_to_say_nothing(live, service):
    """A postcode decides between the candidates of a look-up. What the response lacks is shown in the detail."""
    set_candidates(service, "quoll", {"area_name": "Quoll"})
    found = sp.resolve(["magpie flat", "quoll"], ["WA", "NSW"], [6171, None], detail=True)
    assert found[["area_name", "rule", "confirmed_by", "not_confirmed"]].fillna("-").to_numpy().tolist() == [
        ["Magpie Flat (WA)", "look_up", "state WA; postcode 6171", "-"],
        ["Quoll", "look_up", "-", "state NSW"],
    ]


def test_look_ups_are_capped_as_a_whole(live, service):
    """If the look-ups of a request exceed its cap, none is sent. The error has the names known without them."""
    sp.impacts("Quokka Bay")
    with pytest.raises(sp.errors.CapExceeded, match="max_cents=2") as caught:
        sp.resolve(["Quokka Bay", "lantern bay nsw", "woylie"], max_cents=1)
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-", "-"]
    assert caught.value.problems["problem"].to_list() == ["CapExceeded", "CapExceeded"]
    assert len(service.requests) == 1


def test_offline_looks_nothing_up(live, service):
    """Offline, a query that needs a look-up raises NotStored, or is left NA with errors="warn"."""
    with pytest.raises(sp.errors.NotStored) as caught:
        sp.resolve(["woylie", "bilby heights"], offline=True)
    assert caught.value.resolved.isna().all()
    message = r"2 of 2 rows were not resolved (.|\n)*\. Nothing was sent; without offline=True, .* cost at most 2 cents"
    with pytest.warns(sp.SuburbWarning, match=message):
        assert sp.resolve(["woylie", "bilby heights"], offline=True, errors="warn").isna().all()
    assert not service.requests


def test_an_error_that_ends_the_look_ups_names_the_cost_of_all(service, tmp_path):
    """The call that was refused was free, but the look-ups before it were not. ``errors="warn"`` does not hide it."""
    service.answer("woylie", "geocode", status=402)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client,
        pytest.raises(sp.errors.PaymentRequired) as caught,
    ):
        sp.resolve(["quokka bay", "woylie"], errors="warn", client=client)
    start = "The look-ups of this request cost up to 1 cent; the request ended early: The key's prepaid wallet"
    assert str(caught.value).startswith(start)


@pytest.mark.usefixtures("hasty")
def test_a_look_up_that_fails_is_the_rows_own_error(live, service):
    """A failed look-up is the error of its own rows, and the others are resolved."""
    service.fail("server_error", name="woylie", times=None)
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.resolve(["quokka bay", "woylie"])
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-"]
    assert isinstance(caught.value.failures["woylie"], sp.errors.ServiceError)
    assert (caught.value.cents, caught.value.retryable) == (2, True)
    assert "The look-ups may have charged up to 2 cents.\n'woylie': ServiceError: The serv" in str(caught.value)


def test_look_ups_are_free_under_the_free_key(service, tmp_path):
    """With the key ``test`` queries are looked up too, at no cost."""
    with sp.connect(api_key="test", base_url=service.url, store=tmp_path / "s.sqlite"):
        assert sp.resolve("quokka bay").to_list() == ["Quokka Bay"]
    assert service.total_cents == 0


def test_the_key_is_in_nothing_that_a_look_up_leaves(live, service):
    """The key is not in the store, in the attrs of a frame or in an error."""
    found = sp.find("quoll")
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve("quoll")
    assert LIVE_KEY not in f"{found.attrs}{caught.value!r}{caught.value.problems}"
    assert LIVE_KEY.encode() not in live.store.path.read_bytes()


def test_a_client_closed_in_the_middle_withholds_nothing(service, tmp_path):
    """If a client is closed during a request, the error carries the results that have been paid for."""
    names = [one.name for one in SUBURBS[:12]]
    client = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s")
    for name in names[5:]:
        service.fail("latency", name=name, times=None, seconds=60)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(sp.resolve, ["No Such", *names], client=client)
        wait_for(lambda: sum(seen.status == 200 for seen in service.requests) >= 5)
        client.close()
        service.release()
        with pytest.raises(sp.SuburbError) as caught:
            asking.result(25)
    assert "Nothing was sent" not in str(caught.value)
    assert caught.value.resolved is not None
