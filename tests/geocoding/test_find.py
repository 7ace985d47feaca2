"""Tests look-ups, which cost 1 cent and are stored like any response, and the free use of their results."""

import json
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from suburb_pandas.geocoding import find
from suburb_pandas.sandbox import SUBURBS
from suburb_pandas.service.sources import SANDBOX_SUBURBS
from tests.support.common import LIVE_KEY, of_this_call, wait_for
from tests.support.made_up import NAMES

COLUMNS = ["area_name", "state", "lga", "postcode", "sa2", "sa3", "sa4"]


def set_candidates(service, query, *candidates):
    """Set the candidates in the service's response to a look-up."""
    body = json.dumps({"data": list(candidates)}).encode()
    service.answer(query, "geocode", body=body, headers={"X-Cost-Cents": "1"})


def test_find_gives_the_services_candidates(live, service):
    """``find`` returns the candidates with their locations in the service's order. The first look-up costs 1 cent."""
    found = sp.find("magpie  flat")
    assert list(found.columns) == COLUMNS
    assert found.iloc[0].to_list() == [
        "Magpie Flat (Bluestone Lakes - Vic.)",
        "VIC",
        "Bluestone Lakes",
        "3268",
        "Bluestone Weir",
        "Bluestone",
        "Kestrel and Basalt",
    ]
    assert len(found) == 7
    assert set(found.dtypes) == {pd.Series([""], dtype="str").dtype}
    assert sp.find(" magpie flat ").equals(found)
    assert service.billed == {("geocode", "magpie flat"): 1}
    attrs = found.attrs["suburb_pandas"]
    assert attrs == attrs | {"endpoint": "geocode", "source": "live", "area_name": "magpie flat", "made_up": True}


@pytest.mark.parametrize("state", ["NT", "Northern Territory", "nt"])
def test_a_state_restricts_the_look_up(live, service, state):
    """A state in any spelling restricts a look-up. Its response is stored separately; the ledger has the text alone."""
    found = sp.find("boobook", state=state)
    assert found["area_name"].to_list() == ["Boobook (NT)"]
    assert found["postcode"].to_list() == ["0841"]
    assert len(sp.find("boobook")) == 4
    assert [seen.target for seen in service.requests] == [
        "/v1/geocode/suburb?q=boobook&state=NT",
        "/v1/geocode/suburb?q=boobook",
    ]
    ledger = sp.ledger()[["endpoint", "area_name", "outcome", "cents"]]
    assert ledger.to_numpy().tolist() == [["geocode", "boobook", "billed", 1]] * 2
    assert sp.provenance(found).index.to_list() == ["boobook"]


def test_what_is_not_said_is_nan(live, service):
    """Fields that a candidate lacks are NaN, and so is an unknown state. A postcode may be a number."""
    set_candidates(
        service,
        "quoll",
        {},
        {"area_name": "Quoll", "information": None},
        {
            "area_name": "Quoll (Vic.)",
            "area_level": "suburb",
            "information": {"poa": 800, "state": "Narnia", "new": [1]},
        },
        {"area_name": "Quoll Valley", "area_level": "sa3", "information": {"poa": "none", "lga": ""}},
        {"area_name": ".."},
    )
    found = sp.find("quoll")
    assert found.fillna("-").to_numpy().tolist() == [
        ["-", "-", "-", "-", "-", "-", "-"],
        ["Quoll", "-", "-", "-", "-", "-", "-"],
        ["Quoll (Vic.)", "VIC", "-", "0800", "-", "-", "-"],
        ["Quoll Valley", "-", "-", "-", "-", "-", "-"],
        ["..", "-", "-", "-", "-", "-", "-"],
    ]
    assert sp.places(["Quoll", "Quoll Valley"])["origin"].fillna("-").to_list() == ["geocode", "-"]


@pytest.mark.parametrize("body", [b'{"data": []}', b'{"data": null, "available": false, "reason": "none"}'])
def test_nothing_found_is_no_rows(live, service, body):
    """A look-up that finds nothing returns no rows, and is stored like any other."""
    service.answer("quoll", "geocode", body=body, headers={"X-Cost-Cents": "1"})
    assert sp.find("quoll").shape == (0, 7)
    assert sp.find("quoll").shape == (0, 7)
    assert len(service.requests) == 1


def test_an_answer_that_breaks_the_specification(live, service):
    """A response that breaks the specification is billed and stored, but adds no names."""
    set_candidates(service, "quoll", {"area_name": 7})
    with pytest.raises(sp.errors.ContractViolation, match=r"\$\.data\[0\]\.area_name"):
        sp.find("quoll")
    assert sp.vintages("quoll", "geocode")["cents"].to_list() == [1]
    with pytest.warns(sp.SuburbWarning, match="No list of suburb names is loaded, so few names are known here"):
        assert sp.suggest("quoll").empty
    with pytest.raises(sp.errors.ContractViolation):
        sp.resolve("quoll")
    assert len(service.requests) == 1


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
    assert service.total_cents == 2
    assert len(sp.vintages("quoll", "geocode")) == 2


@pytest.mark.parametrize("query", ["", "  ", None, 7, "a\x00b", "x" * 500])
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


def test_places_say_what_is_known(live, service):
    """``places`` makes no call. Locations come from look-ups; without one, the suffix of a name gives its state."""
    sp.find("bilby")
    sp.impacts("Quokka Bay")
    sent = len(service.requests)
    found = sp.places(["Quokka Bay", "Bilby Heights", "Quoll (Vic.)", "Emu", "Quokka Bay"])
    shares = ["lga_share", "postcode_share", "sa2_share", "sa3_share", "sa4_share"]
    columns = ["state", "lga", "postcode", "sa2", "sa3", "sa4", *shares, "dwellings", "persons", "origin"]
    assert list(found.columns) == columns
    assert {str(found[share].dtype) for share in shares} == {"float64"}
    assert {str(found[count].dtype) for count in ("dwellings", "persons")} == {"Int64"}
    assert found.index.name == "area_name"
    assert found[["state", "postcode", "origin"]].fillna("-").to_numpy().tolist() == [
        ["-", "-", "response"],
        ["NSW", "2440", "geocode"],
        ["VIC", "-", "-"],
        ["-", "-", "-"],
    ]
    assert len(service.requests) == sent


def test_a_long_frame_can_be_grouped_by_region(embedded):
    """A long frame can be joined with its places by name, and then grouped by region."""
    drivers = sp.impacts(["Quokka Bay", "Woylie", "Numbat Green"])
    joined = drivers.join(drivers.suburb.places(), on="area_name")
    counts = joined.groupby("sa4")["label"].size()
    assert counts.sum() == len(drivers)
    assert list(counts.index) == ["Inner Jarrah", "Marri Coast"]


@pytest.mark.parametrize("function", [sp.suggest, sp.places, sp.find, sp.resolve])
def test_who_means_no_made_up_suburbs_is_warned(function):
    """Without a key, each function on names warns that the suburbs are made up, even if it makes no call."""
    with pytest.warns(sp.errors.SyntheticDataWarning) as caught:
        function("Quokka Bay")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


# Resolving without a complete list


def test_one_look_up_a_query_and_none_for_what_is_known(live, service):
    """A query is looked up once, in whatever spellings it occurs, and never again."""
    queries = ["quokka bay", "Quokka  Bay", "QUOKKA BAY", "lantern bay tas", "quokka bay"]
    assert sp.resolve(queries).to_list() == ["Quokka Bay"] * 3 + ["Lantern Bay (Tas.)", "Quokka Bay"]
    assert service.total_cents == len(service.requests) == 2
    assert sp.resolve(["quokka-bay", "Lantern Bay, Tas."]).to_list() == ["Quokka Bay", "Lantern Bay (Tas.)"]
    assert len(service.requests) == 2


def test_what_is_known_from_an_answer_is_not_looked_up(live, service):
    """A stored response about a suburb proves its name, so that a query for a bare name needs no look-up."""
    sp.rent("Quokka Bay")
    assert sp.resolve("quokka bay").to_list() == ["Quokka Bay"]
    assert service.billed == {("rent", "Quokka Bay"): 30}


def test_a_candidate_is_not_chosen_for_being_the_only_one(live, service):
    """The only candidate is not chosen if its base differs, or if its suffix proves that other suburbs share it."""
    set_candidates(service, "quoll", {"area_name": "Quoll (Vic.)"})
    set_candidates(service, "woyli", {"area_name": "Woylie"})
    with pytest.raises(sp.errors.AmbiguousSuburb, match="of which only the one below is known here") as caught:
        sp.resolve("quoll")
    assert caught.value.candidates == ("Quoll (Vic.)",)
    assert caught.value.cents == 1
    with pytest.raises(sp.errors.UnknownSuburb, match=r"The service charged 1 cent\. Did you mean Woylie\?") as caught:
        sp.resolve("woyli")
    assert caught.value.suggestions == ("Woylie",)


def test_a_look_up_confirms_a_postcode(live, service):
    """A postcode decides between the candidates of a look-up."""
    assert sp.resolve("magpie flat", postcode=6171).to_list() == ["Magpie Flat (WA)"]
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve("magpie flat", "WA", 6172)
    assert [seen.target for seen in service.requests] == [
        "/v1/geocode/suburb?q=magpie%20flat",
        "/v1/geocode/suburb?q=magpie%20flat&state=WA",
    ]


def test_a_state_that_nobody_reads_is_not_looked_up(live, service):
    """A query with an unknown state cannot be resolved, and is not looked up."""
    with pytest.raises(sp.errors.UnknownSuburb, match="in 'Narnia'"):
        sp.resolve(["quokka bay"], ["Narnia"])
    assert not service.requests


def test_look_ups_are_capped_as_a_whole(live, service):
    """If the look-ups of a request exceed its cap, none is sent. The error has the names known without them."""
    sp.rent("Quokka Bay")
    with pytest.raises(sp.errors.CapExceeded, match="max_cents=2") as caught:
        sp.resolve(["Quokka Bay", "lantern bay nsw", "woylie"], max_cents=1)
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-", "-"]
    assert caught.value.problems["problem"].to_list() == ["CapExceeded", "CapExceeded"]
    assert len(service.requests) == 1


def test_offline_looks_nothing_up(live, service):
    """Offline, a query that needs a look-up raises NotStored, or is left NA with errors="warn"."""
    with pytest.raises(sp.errors.NotStored) as caught:
        sp.resolve(["woylie"], offline=True)
    assert caught.value.resolved.isna().all()
    message = r"2 of 2 rows were not resolved .*\. Nothing was sent; without offline=True, .* cost at most 2 cents"
    with pytest.warns(sp.SuburbWarning, match=message):
        assert sp.resolve(["woylie", "bilby heights"], offline=True, errors="warn").isna().all()
    assert not service.requests


def test_an_error_that_ends_the_look_ups_names_the_cost_of_all(service, tmp_path):
    """The call that was refused was free, but the look-ups before it were not."""
    service.answer("woylie", "geocode", status=402)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client,
        pytest.raises(sp.errors.PaymentRequired) as caught,
    ):
        sp.resolve(["quokka bay", "woylie"], client=client)
    assert str(caught.value).startswith(
        "The key's prepaid wallet cannot pay for 'woylie' (402). The look-ups of this request cost up to 1 cent. Top "
    )


@pytest.mark.usefixtures("hasty")
def test_a_look_up_that_fails_is_the_rows_own_error(live, service):
    """A failed look-up is the error of its own rows, and the others are resolved. A single query raises that error."""
    service.fail("server_error", name="woylie", times=None)
    service.fail("server_error", name="zamia", times=None)
    with pytest.raises(sp.errors.ServiceError):
        sp.resolve("woylie")
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.resolve(["quokka bay", "woylie", "zamia"])
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-", "-"]
    assert {type(error) for error in caught.value.failures.values()} == {sp.errors.ServiceError}
    assert caught.value.cents == 3
    assert caught.value.retryable
    assert "The look-ups may have charged up to 3 cents. Run the same line again: " in str(caught.value)


def test_look_ups_are_asked_for_under_the_free_key_too(service, tmp_path):
    """With the key ``test`` queries are looked up too, at no cost."""
    with sp.connect(api_key="test", base_url=service.url, store=tmp_path / "s.sqlite"):
        assert sp.resolve("quokka bay").to_list() == ["Quokka Bay"]
    assert service.total_cents == 0


def test_a_query_unlike_every_listed_name_asks_for_the_spelling(live, service):
    """With a complete list, the error for a query without similar names says to check the spelling."""
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quoll", "Woylie"]}), complete=True)
    with pytest.raises(sp.errors.UnknownSuburb, match=r"Nothing was charged\. Check the spelling\.$"):
        sp.resolve("zzzzzz")
    assert not service.requests


def test_the_key_is_in_nothing_that_a_look_up_leaves(live, service):
    """The key is not in the store, in the attrs of a frame or in an error."""
    found = sp.find("quoll")
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.resolve("quoll")
    assert LIVE_KEY not in f"{found.attrs}{caught.value!r}{caught.value.problems}"
    assert LIVE_KEY.encode() not in live.store.path.read_bytes()


def test_a_look_up_in_another_spelling_is_the_same(live, service):
    """Spellings of one query share a stored look-up: in resolve, find and quotes, in later requests, and offline."""
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve(["qqq", "QQQ"])
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve(["Q.Q.Q", "qqq "])
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.resolve("QqQ", offline=True)
    sp.find("kestrel hill", state="vic")
    sp.find("Kestrel-Hill", state="Vic.")
    assert sp.quote([" Qqq", "quoll"], "geocode").calls == 1
    assert len(sp.vintages("QQQ", "geocode")) == 1
    assert service.billed == {("geocode", "qqq"): 1, ("geocode", "kestrel hill"): 1}


def test_a_postcode_at_the_end_is_not_looked_up(live, service):
    """A postcode at the end of a query is left out of the look-up, so that all suburbs of the base are found."""
    assert sp.resolve("Magpie Flat 6171").to_list() == ["Magpie Flat (WA)"]
    assert [seen.target for seen in service.requests] == ["/v1/geocode/suburb?q=Magpie%20Flat"]


def test_a_postcode_is_no_proof_where_the_service_names_no_such_suburb(live, service):
    """A postcode does not prove a suburb that the look-up of the query did not return."""
    set_candidates(service, "quoll in the north", {"area_name": "Quoll (Qld)", "information": {"poa": "2406"}})
    sp.find("quoll in the north")
    set_candidates(service, "quoll")
    with pytest.raises(sp.errors.AmbiguousSuburb):
        sp.resolve("quoll 2406")


@pytest.mark.parametrize(
    ("queries", "state", "postcode"),
    [
        (["quokka bay"], None, ["99999"]),
        (["quokka bay"], None, ["x"]),
        (["Kestrel Hill (Vic.)"], "QLD", None),
        (["kestrel hill vic"], ["Qld"], None),
        (["quokka bay 6171"], None, 6172),
    ],
)
def test_what_cannot_resolve_is_not_looked_up(live, service, queries, state, postcode):
    """A query is not looked up if its state or postcode is not valid, or contradicts its text."""
    with pytest.raises(sp.errors.UnknownSuburb, match="Nothing was charged"):
        sp.resolve(queries, state, postcode)
    assert not service.requests


def test_an_unreadable_look_up_is_charged_once(live, service):
    """A look-up with an unreadable response is charged, and the total of the request counts it once."""
    service.answer("abc", "geocode", body=b"<html>", headers={"X-Cost-Cents": "1"})
    with pytest.raises(sp.errors.BatchIncomplete) as caught:
        sp.resolve(["abc", "woylie"])
    assert caught.value.cents == service.total_cents == 2
    assert isinstance(caught.value.failures["abc"], sp.errors.ContractViolation)
    assert str(caught.value).endswith(
        "\nTo repeat the look-up of 'abc', whose response cannot be read, run sp.find('abc', refresh=True)"
    )


@pytest.mark.parametrize("name", ["   ", "..", "x" * 250, "a\x07b", "", None, "()", "(NSW)"])
def test_an_odd_candidate_harms_nothing(live, service, name):
    """A candidate whose name is not valid is shown unchanged, and does not affect other requests on its store."""
    set_candidates(service, "quoll", {"area_name": name}, {"area_name": "Quoll"})
    assert len(sp.find("quoll")) == 2
    assert sp.resolve("quoll").to_list() == ["Quoll"]
    assert "Quoll" in sp.suggest("quoll")["area_name"].to_list()
    assert len(sp.rent("Quokka Bay"))


def test_what_a_look_up_does_not_confirm_is_shown(live, service):
    """If the response to a look-up lacks the location, the name is resolved all the same, and the detail says so."""
    set_candidates(service, "quoll", {"area_name": "Quoll"})
    found = sp.resolve("quoll", state="NSW", detail=True)
    assert found[["area_name", "rule", "not_confirmed"]].to_numpy().tolist() == [["Quoll", "look_up", "state NSW"]]
    assert found[["confirmed_by", "edition", "problem", "candidates"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"offline": True, "refresh": True}, ValueError),
        ({"max_age": "zz"}, ValueError),
        ({"max_cents": "x"}, sp.errors.SettingsError),
        ({"client": "live"}, TypeError),
    ],
)
def test_options_are_checked_although_nothing_is_looked_up(live, service, options, error):
    """Options are checked even if no look-up is needed."""
    sp.impacts("Quokka Bay")
    with pytest.raises(error):
        sp.resolve("Quokka Bay", **options)


def test_what_asks_the_same_in_other_words_is_one_look_up(live, service):
    """Queries that differ in a comma, brackets, the spelling of the state or a postcode share a look-up.

    A query that ends in a state's full name has its own, because that may be part of the suburb's name.
    """
    queries = ["Zed Vic", "Zed, Vic", "zed VIC 3000", "Zed (Victoria)", "ZED - Vic.", "Zed , vic"]
    with pytest.warns(sp.SuburbWarning):
        assert sp.resolve(queries, errors="warn").isna().all()
    assert service.billed == {("geocode", "Zed Vic"): 1}
    with pytest.warns(sp.SuburbWarning):
        sp.resolve(["Zed Victoria", "zed, vic"], errors="warn")
    assert service.billed == {("geocode", "Zed Vic"): 1, ("geocode", "Zed Victoria"): 1}


@pytest.mark.parametrize("ask", [sp.rent, sp.scorecard, sp.resolve])
def test_a_client_closed_in_the_middle_withholds_nothing(service, tmp_path, ask):
    """If a client is closed during a request, the error carries the results that have been paid for."""
    names = [one.name for one in SUBURBS[:12]]
    client = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s")
    for name in names[5:]:
        service.fail("latency", name=name, times=None, seconds=60)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask, ["No Such", *names], client=client)
        wait_for(lambda: sum(seen.status == 200 for seen in service.requests) >= 5)
        client.close()
        service.release()
        with pytest.raises(sp.SuburbError) as caught:
            asking.result(25)
    assert "Nothing was sent" not in str(caught.value)
    if ask is sp.resolve:
        assert caught.value.resolved is not None
    else:
        assert len(caught.value.frame)
        assert caught.value.frame.notna().any(axis=None)


@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize(
    ("text", "limit", "error", "message"),
    [
        (5, 8, TypeError, "^text must be a string, not int"),
        (None, 8, TypeError, "^text must be a string, not NoneType"),
        ("bay", -1, ValueError, "^limit must be at least 0, not -1"),
        ("bay", 1.5, TypeError, "float"),
    ],
)
def test_what_cannot_be_suggested_for_is_refused(text, limit, error, message):
    """Suggestions are for text, and their limit is a whole number that is not negative."""
    with pytest.raises(error, match=message):
        sp.suggest(text, limit=limit)


@pytest.mark.usefixtures("embedded")
def test_a_limit_of_nothing_suggests_nothing():
    """A limit of 0 gives an empty frame, and a limit of 1 the best suggestion."""
    assert [len(sp.suggest("bay", limit=limit)) for limit in (0, 1)] == [0, 1]


@pytest.mark.parametrize("text", ["", "b", "bay", "lantern bay tas", "zzzzzz"])
def test_the_first_suggestions_come_with_the_number_of_all(embedded, text):
    """The picker's list is the beginning of that of ``suggest``, and says how long that is."""
    every = sp.suggest(text, limit=10**6)
    found, total = find.suggestions(text, 10)
    assert_frame_equal(found, every.iloc[:10])
    assert found.attrs == every.attrs
    assert total == len(every)


def test_of_the_suggestions_only_the_shown_ones_are_recorded(live, tmp_path):
    """A cassette carries the names that were shown, and a replay counts only these. Without a list, it warns."""
    with pytest.warns(sp.SuburbWarning, match="No list of suburb names is loaded"):
        assert find.suggestions("bay", 10)[1] == 0
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES}), complete=True)
    path = tmp_path / "study.yaml"
    with sp.cassette(path):
        shown, total = find.suggestions("bay", 3)
    assert total == len(sp.suggest("bay", limit=10**6)) > len(shown) == 3
    with sp.cassette(path, "none"):
        replayed, still = find.suggestions("bay", 3)
    assert replayed["area_name"].to_list() == shown["area_name"].to_list()
    assert still < total


def test_without_names_places_are_all_that_are_known(embedded):
    """``places()`` returns every known suburb, sorted by name, and makes no call."""
    found = sp.places()
    assert found.index.to_list() == sorted(NAMES)
    assert_frame_equal(found, sp.places(sorted(NAMES)))
    assert sp.ledger().empty


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"state": "Tas."}, lambda place: place["state"] == "TAS"),
        ({"postcode": 2535}, lambda place: place["postcode"] == "2535"),
        ({"postcode": "2535", "state": "NSW"}, lambda place: place["postcode"] == "2535"),
        ({"postcode": "2535", "state": "TAS"}, lambda _: False),
        ({"lga": "curlew shores"}, lambda place: place["lga"] == "Curlew Shores"),
        ({"lga": "Shire of Curlew Shores"}, lambda place: place["lga"] == "Curlew Shores"),
        ({"sa4": "Marri Coast"}, lambda place: place["sa4"] == "Marri Coast"),
        ({"sa4": "Curlew Shores"}, lambda _: False),
    ],
)
@pytest.mark.filterwarnings("ignore:No suburb is known to lie in")
def test_places_can_be_filtered(embedded, filters, names):
    """State, council, SA4 and postcode leave out the suburbs that are not known to lie there."""
    found = sp.places()
    expected = found[[names(row) for _, row in found.iterrows()]]
    assert_frame_equal(sp.places(**filters), expected)
    few = sorted(NAMES)[::7]
    assert sp.places(few, **filters).index.to_list() == [name for name in few if name in expected.index]


@pytest.mark.parametrize(
    ("filters", "advice"),
    [
        ({"lga": "Curlew"}, "lga='Curlew'. Did you mean lga='Curlew Shores'?"),
        ({"lga": "city of curlw shores"}, "lga='city of curlw shores'. Did you mean lga='Curlew Shores'?"),
        ({"sa4": "Marri"}, "sa4='Marri'. Did you mean sa4='Marri Coast'?"),
        (
            {"sa4": "Curlew Shores"},
            "sa4='Curlew Shores'. To list every sa4 that is known here: sp.places()[\"sa4\"].unique()",
        ),
    ],
)
def test_an_area_without_suburbs_is_told_with_similar_ones(embedded, filters, advice, tmp_path):
    """An empty frame for a council or SA4 that nobody knows would be a dead end.

    With a cassette, on which only few suburbs are known, the warning suggests none, so that a replay says the same.
    """
    with pytest.warns(sp.SuburbWarning) as caught:
        assert sp.places(**filters).empty
    assert [str(each.message) for each in caught] == [f"No suburb is known to lie in {advice}"]
    plain = []
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "c.yaml", record):
            sp.rent("Quokka Bay")
            with pytest.warns(sp.SuburbWarning) as caught:
                sp.places(**filters)
        plain.append([str(each.message) for each in caught])
    assert plain[0] == plain[1]


@pytest.mark.parametrize("filters", [{"state": "Narnia"}, {"postcode": "27"}, {"postcode": "abcd"}])
def test_a_filter_has_to_be_valid(embedded, filters):
    """A state or a postcode that cannot exist is an error, not an empty frame."""
    with pytest.raises(ValueError, match="Nothing was sent"):
        sp.places(**filters)


def test_with_a_live_key_and_no_list_nothing_found_says_how_to_load_one(live, service):
    """Where nothing is found because no list is loaded, a warning or the error says how to load the ABS's."""
    for nothing in (lambda: sp.suggest("bondi"), sp.places, lambda: sp.places(state="VIC")):
        with pytest.warns(sp.SuburbWarning, match=r"abs\.gov\.au .*sp\.load_gazetteer\('SAL_2021_AUST\.xlsx'\)$"):
            assert nothing().empty
    with pytest.raises(sp.errors.UnknownSuburb, match=r"No list of suburb names is loaded.*sp\.load_gazetteer"):
        sp.rent("Quoka Bay")
    with pytest.raises(sp.errors.UnknownSuburb, match=r"No list of suburb names is loaded.*sp\.load_gazetteer"):
        sp.resolve("xylophone")
    with pytest.raises(sp.errors.UnknownSuburb, match=r"No list of suburb names is loaded.*sp\.load_gazetteer"):
        sp.resolve(["xylophone", "zylophone"])
    sp.find("quokka")
    assert sp.suggest("quokka", limit=1)["area_name"].to_list() == ["Quokka Bay"]


def test_under_the_key_test_nine_names_are_known(tmp_path):
    """The key ``test`` may ask for nine real suburbs. Their names and states are known without a list or a call."""
    with sp.connect(api_key="test", base_url="http://127.0.0.1:9", store=tmp_path / "s"):
        found = sp.places()
        assert found["state"].to_dict() == dict(sorted(SANDBOX_SUBURBS.items()))
        assert set(found["origin"]) == {"sandbox"}
        assert sp.suggest("st kil")["area_name"].to_list() == ["St Kilda (Vic.)"]
        assert sp.resolve(["bondi", "ST KILDA VIC"]).to_list() == ["Bondi", "St Kilda (Vic.)"]
        assert sp.ledger().empty
