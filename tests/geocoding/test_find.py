"""Look-ups: what the service finds for a text, at a cent, kept like any response; and what is then known for free."""

import json
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.sandbox import SUBURBS
from tests.support.common import LIVE_KEY, of_this_call
from tests.support.processes import wait_for

COLUMNS = ["area_name", "state", "lga", "postcode", "sa2", "sa3", "sa4"]


def says(service, query, *candidates):
    """Have the service answer a look-up with these candidates."""
    body = json.dumps({"data": list(candidates)}).encode()
    service.answer(query, "geocode", body=body, headers={"X-Cost-Cents": "1"})


def test_find_gives_the_services_candidates(live, service):
    """One row each in the service's order, what it says of where they are in columns, for a cent, once."""
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
    """It is sent as the service spells it, filed apart, and in the ledger the query stands alone."""
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
    """Nothing of a candidate is promised: what it lacks is NaN, an odd state too, and a number is a postcode."""
    says(
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
    """It is no error, and it is kept too."""
    service.answer("quoll", "geocode", body=body, headers={"X-Cost-Cents": "1"})
    assert sp.find("quoll").shape == (0, 7)
    assert sp.find("quoll").shape == (0, 7)
    assert len(service.requests) == 1


def test_an_answer_that_breaks_the_specification(live, service):
    """It is kept and billed, and says nothing to the gazetteer."""
    says(service, "quoll", {"area_name": 7})
    with pytest.raises(sp.ContractViolation, match=r"\$\.data\[0\]\.area_name"):
        sp.find("quoll")
    assert sp.vintages("quoll", "geocode")["cents"].to_list() == [1]
    assert sp.suggest("quoll").empty
    with pytest.raises(sp.ContractViolation):
        sp.resolve("quoll")
    assert len(service.requests) == 1


def test_find_is_quoted_capped_and_kept_like_the_rest(live, service):
    """Cap, offline and refresh mean what they do for rents."""
    with pytest.raises(sp.CapExceeded, match="1 cent "):
        sp.find("quoll", max_cents=0)
    with pytest.raises(sp.NotStored, match="'quoll'"):
        sp.find("quoll", state="VIC", offline=True)
    assert not service.requests
    assert sp.quote("quoll", "geocode").cents == 1
    sp.find("quoll")
    sp.find("quoll", refresh=True)
    assert service.total_cents == 2
    assert len(sp.vintages("quoll", "geocode")) == 2


@pytest.mark.parametrize("query", ["", "  ", None, 7, "a\x00b", "x" * 500])
def test_what_cannot_be_looked_up(live, service, query):
    """It is an InvalidName, and nothing is sent."""
    with pytest.raises(sp.InvalidName):
        sp.find(query)
    with pytest.raises(ValueError, match="'Narnia'"):
        sp.find("quoll", state="Narnia")
    assert not service.requests


@pytest.mark.parametrize("query", ["a/b?c#d&state=VIC", "%2e%2e", "../..", "quoll \u00e9\u00df", "+ +"])
def test_a_look_up_reaches_no_other_path(live, service, query):
    """Whatever the text, it arrives as the query."""
    sp.find(query)
    assert service.billed == {("geocode", query): 1}


def test_places_say_what_is_known(live, service):
    """For free: what a look-up said, that an answer exists, what the name says, or nothing."""
    sp.find("bilby")
    sp.impacts("Quokka Bay")
    sent = len(service.requests)
    found = sp.places(["Quokka Bay", "Bilby Heights", "Quoll (Vic.)", "Emu", "Quokka Bay"])
    assert list(found.columns) == ["state", "lga", "postcode", "sa2", "sa3", "sa4", "origin"]
    assert found.index.name == "area_name"
    assert found[["state", "postcode", "origin"]].fillna("-").to_numpy().tolist() == [
        ["-", "-", "response"],
        ["NSW", "2440", "geocode"],
        ["VIC", "-", "-"],
        ["-", "-", "-"],
    ]
    assert len(service.requests) == sent


def test_a_long_frame_can_be_grouped_by_region(embedded):
    """Join what is known on the names."""
    drivers = sp.impacts(["Quokka Bay", "Woylie", "Numbat Green"])
    joined = drivers.join(drivers.suburb.places(), on="area_name")
    counts = joined.groupby("sa4")["label"].size()
    assert counts.sum() == len(drivers)
    assert list(counts.index) == ["Inner Jarrah", "Marri Coast"]


def test_who_means_no_made_up_suburbs_is_warned(monkeypatch):
    """Without a key, also what is known locally is made up."""
    with pytest.warns(sp.SyntheticDataWarning) as caught:
        sp.suggest("quokka")
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


# Resolving without a full list


def test_one_look_up_a_query_and_none_for_what_is_known(live, service):
    """Each is asked for once, however it is spelt and how often it comes; then never again."""
    queries = ["quokka bay", "Quokka  Bay", "QUOKKA BAY", "lantern bay tas", "quokka bay"]
    assert sp.resolve(queries).to_list() == ["Quokka Bay"] * 3 + ["Lantern Bay (Tas.)", "Quokka Bay"]
    assert service.total_cents == len(service.requests) == 2
    assert sp.resolve(["quokka-bay", "Lantern Bay, Tas."]).to_list() == ["Quokka Bay", "Lantern Bay (Tas.)"]
    assert len(service.requests) == 2


def test_what_is_known_from_an_answer_is_not_looked_up(live, service):
    """A suburb whose rents are stored exists, and a bare name is the only one of its base."""
    sp.rent("Quokka Bay")
    assert sp.resolve("quokka bay").to_list() == ["Quokka Bay"]
    assert service.billed == {("rent", "Quokka Bay"): 30}


def test_a_candidate_is_not_chosen_for_being_the_only_one(live, service):
    """It has to fit the rule: another base, or a suffix that proves more suburbs, resolves nothing."""
    says(service, "quoll", {"area_name": "Quoll (Vic.)"})
    says(service, "woyli", {"area_name": "Woylie"})
    with pytest.raises(sp.AmbiguousSuburb, match="of which this one is known here") as caught:
        sp.resolve("quoll")
    assert caught.value.candidates == ("Quoll (Vic.)",)
    assert caught.value.cents == 1
    with pytest.raises(sp.UnknownSuburb, match=r"It charged 1 cent\. Did you mean Woylie\?") as caught:
        sp.resolve("woyli")
    assert caught.value.suggestions == ("Woylie",)


def test_a_look_up_confirms_a_postcode(live, service):
    """What the service says of where a suburb is decides, and is known from then on."""
    assert sp.resolve("magpie flat", postcode=6171).to_list() == ["Magpie Flat (WA)"]
    with pytest.raises(sp.UnknownSuburb):
        sp.resolve("magpie flat", "WA", 6172)
    assert [seen.target for seen in service.requests] == [
        "/v1/geocode/suburb?q=magpie%20flat",
        "/v1/geocode/suburb?q=magpie%20flat&state=WA",
    ]


def test_a_state_that_nobody_reads_is_not_looked_up(live, service):
    """What cannot resolve costs nothing."""
    with pytest.raises(sp.UnknownSuburb, match="in 'Narnia'"):
        sp.resolve(["quokka bay"], ["Narnia"])
    assert not service.requests


def test_look_ups_are_capped_as_a_whole(live, service):
    """Before anything is sent; what is known already is in the error's ``.resolved``."""
    sp.rent("Quokka Bay")
    with pytest.raises(sp.CapExceeded, match="max_cents=2") as caught:
        sp.resolve(["Quokka Bay", "lantern bay nsw", "woylie"], max_cents=1)
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-", "-"]
    assert caught.value.problems["problem"].to_list() == ["CapExceeded", "CapExceeded"]
    assert len(service.requests) == 1


def test_offline_looks_nothing_up(live, service):
    """What is not known is not stored; with errors="warn" it is left NA."""
    with pytest.raises(sp.NotStored) as caught:
        sp.resolve(["woylie"], offline=True)
    assert caught.value.resolved.isna().all()
    with pytest.warns(sp.SuburbWarning, match="were not resolved"):
        assert sp.resolve(["woylie", "bilby heights"], offline=True, errors="warn").isna().all()
    assert not service.requests


@pytest.mark.usefixtures("hasty")
def test_a_look_up_that_fails_is_the_rows_own_error(live, service):
    """The others are resolved; one alone raises its own error, several a BatchIncomplete."""
    service.fail("server_error", name="woylie", times=None)
    service.fail("server_error", name="zamia", times=None)
    with pytest.raises(sp.ServiceError):
        sp.resolve("woylie")
    with pytest.raises(sp.BatchIncomplete) as caught:
        sp.resolve(["quokka bay", "woylie", "zamia"])
    assert caught.value.resolved.fillna("-").to_list() == ["Quokka Bay", "-", "-"]
    assert {type(error) for error in caught.value.failures.values()} == {sp.ServiceError}
    assert caught.value.cents == 3
    assert caught.value.retryable


def test_look_ups_are_asked_for_under_the_free_key_too(service, tmp_path):
    """Where the key ``test`` may not look up, that is said."""
    with sp.connect(api_key="test", base_url=service.url, store=tmp_path / "s.sqlite"):
        assert sp.resolve("quokka bay").to_list() == ["Quokka Bay"]
    assert service.total_cents == 0


def test_the_key_is_in_nothing_that_a_look_up_leaves(live, service):
    """Neither in the store, nor in attrs, nor in an error."""
    found = sp.find("quoll")
    with pytest.raises(sp.UnknownSuburb) as caught:
        sp.resolve("quoll")
    assert LIVE_KEY not in f"{found.attrs}{caught.value!r}{caught.value.problems}"
    assert LIVE_KEY.encode() not in live.store.path.read_bytes()


def test_a_look_up_in_another_spelling_is_the_same(live, service):
    """Also in another order, another session's words, for find, for a quote, and offline."""
    with pytest.raises(sp.UnknownSuburb):
        sp.resolve(["qqq", "QQQ"])
    with pytest.raises(sp.UnknownSuburb):
        sp.resolve(["Q.Q.Q", "qqq "])
    with pytest.raises(sp.UnknownSuburb):
        sp.resolve("QqQ", offline=True)
    sp.find("kestrel hill", state="vic")
    sp.find("Kestrel-Hill", state="Vic.")
    assert sp.quote([" Qqq", "quoll"], "geocode").calls == 1
    assert len(sp.vintages("QQQ", "geocode")) == 1
    assert service.billed == {("geocode", "qqq"): 1, ("geocode", "kestrel hill"): 1}


def test_a_postcode_at_the_end_is_not_looked_up(live, service):
    """The others of that name are to be found too; only one that the answer names can have the postcode."""
    assert sp.resolve("Magpie Flat 6171").to_list() == ["Magpie Flat (WA)"]
    assert [seen.target for seen in service.requests] == ["/v1/geocode/suburb?q=Magpie%20Flat"]


def test_a_postcode_is_no_proof_where_the_service_names_no_such_suburb(live, service):
    """A suburb that is known from elsewhere may not be the only one of its base at that postcode."""
    says(service, "quoll in the north", {"area_name": "Quoll (Qld)", "information": {"poa": "2406"}})
    sp.find("quoll in the north")
    says(service, "quoll")
    with pytest.raises(sp.AmbiguousSuburb):
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
    """Where the text and what stands beside it cannot be read, or disagree."""
    with pytest.raises(sp.UnknownSuburb, match="Nothing was charged"):
        sp.resolve(queries, state, postcode)
    assert not service.requests


def test_an_unreadable_look_up_is_charged_once(live, service):
    """Its own error says so; the sum of the others counts it once."""
    service.answer("abc", "geocode", body=b"<html>", headers={"X-Cost-Cents": "1"})
    with pytest.raises(sp.BatchIncomplete) as caught:
        sp.resolve(["abc", "woylie"])
    assert caught.value.cents == service.total_cents == 2
    assert isinstance(caught.value.failures["abc"], sp.ContractViolation)


@pytest.mark.parametrize("name", ["   ", "..", "x" * 250, "a\x07b", "", None, "()", "(NSW)"])
def test_an_odd_candidate_harms_nothing(live, service, name):
    """It is shown as it came, and everything else on that store goes on."""
    says(service, "quoll", {"area_name": name}, {"area_name": "Quoll"})
    assert len(sp.find("quoll")) == 2
    assert sp.resolve("quoll").to_list() == ["Quoll"]
    assert "Quoll" in sp.suggest("quoll")["area_name"].to_list()
    assert len(sp.rent("Quokka Bay"))


def test_what_is_unconfirmed_is_not_advised_to_be_bought_again(live, service):
    """Where the service did not say where a suburb is, to find it again brings nothing."""
    says(service, "quoll", {"area_name": "Quoll"})
    with pytest.raises(
        sp.UnknownSuburb, match=r"would be Quoll, if that is in NSW, and nothing known here says so\."
    ) as caught:
        sp.resolve("quoll", state="NSW")
    assert "sp.find" not in str(caught.value)
    assert caught.value.problems["problem"].to_list() == ["unconfirmed"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"offline": True, "refresh": True}, ValueError),
        ({"max_age": "zz"}, ValueError),
        ({"max_cents": "x"}, sp.SettingsError),
        ({"client": "live"}, TypeError),
    ],
)
def test_options_are_checked_although_nothing_is_looked_up(live, service, options, error):
    """As for the loaders."""
    sp.impacts("Quokka Bay")
    with pytest.raises(error):
        sp.resolve("Quokka Bay", **options)


def test_what_asks_the_same_in_other_words_is_one_look_up(live, service):
    """A comma, brackets, another spelling of the state, a postcode: a state in full may be part of a name."""
    queries = ["Zed Vic", "Zed, Vic", "zed VIC 3000", "Zed (Victoria)", "ZED - Vic.", "Zed , vic"]
    with pytest.warns(sp.SuburbWarning):
        assert sp.resolve(queries, errors="warn").isna().all()
    assert service.billed == {("geocode", "Zed Vic"): 1}
    with pytest.warns(sp.SuburbWarning):
        sp.resolve(["Zed Victoria", "zed, vic"], errors="warn")
    assert service.billed == {("geocode", "Zed Vic"): 1, ("geocode", "Zed Victoria"): 1}


@pytest.mark.parametrize("ask", [sp.rent, sp.scorecard, sp.resolve])
def test_a_client_closed_in_the_middle_withholds_nothing(service, tmp_path, ask):
    """What has been paid for comes with the error, though nothing can be asked of the store any more."""
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
