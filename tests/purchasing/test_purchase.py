"""Purchases: the quote, the cap, the budget, and what the ledger has before and after each call."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest.mock import Mock
from urllib.parse import unquote

import numpy as np
import pytest

import suburb_pandas as sp
from suburb_pandas.client.context import RequestContext
from suburb_pandas.http.wire import Wire
from suburb_pandas.purchasing import purchase
from suburb_pandas.purchasing import quote as quotes
from suburb_pandas.purchasing.quote import Reuse
from suburb_pandas.service import ENDPOINTS
from suburb_pandas.service.calls import Item
from tests.support.common import LIVE_KEY, RENTED, plain_sqlite, wait_for

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]


def test_a_plan_makes_no_call_and_says_what_would_be_bought(live, service):
    """A quote makes no call. Stored responses are free, and each missing suburb is counted once at its price."""
    sp.rent("Quokka Bay")
    before = service.requests
    quote = sp.quote([*NAMES, *NAMES])
    assert (quote.calls, quote.cents, quote.stored) == (2, 60, 1)
    assert sp.quote(NAMES, refresh=True).cents == 90
    assert service.requests == before


def test_a_request_over_its_cap_sends_nothing_and_shows_the_argument_to_paste(live, service):
    """A request above its cap sends nothing. The error's frame holds the suburbs that are stored."""
    sp.rent("Quokka Bay")
    with pytest.raises(sp.errors.CapExceeded, match="pass max_cents=60") as caught:
        sp.rent(NAMES, max_cents=59)
    assert caught.value.quote.cents == 60
    assert list(caught.value.frame["area_name"].unique()) == ["Quokka Bay"]
    assert len(service.requests) == 1
    assert len(sp.rent(NAMES, max_cents=60))


def test_fifteen_thousand_suburbs_fail_at_once_with_the_price(live, service):
    """The default cap stops a request for the whole country before anything is spent."""
    with pytest.raises(sp.errors.CapExceeded, match="450000 cents"):
        sp.rent([f"Nowhere {number}" for number in range(15_000)])
    assert service.requests == ()


def test_the_budget_of_a_month_stops_a_loop_too(service, tmp_path):
    """A loop of requests, each below the cap, stops when the next one would exceed the store's monthly budget."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", budget_cents=70) as client:
        for name in NAMES[:2]:
            sp.rent(name, client=client)
        with pytest.raises(sp.errors.BudgetExceeded, match=r"costs 30 cents .*max_cents=2000, budget_cents=90\)"):
            sp.rent(NAMES[2], client=client)
    assert service.total_cents == 60


@pytest.mark.parametrize("cap", [float("nan"), "many", -1, True, 1.5, [60]])
def test_a_cap_that_is_no_number_is_refused_before_anything_is_sent(live, service, cap):
    """A cap must be a whole number. A NaN from a frame must not mean that there is no cap."""
    with pytest.raises(sp.errors.SettingsError, match="max_cents must be a whole number"):
        sp.rent("Quokka Bay", max_cents=cap)
    assert service.requests == ()


def test_a_cap_may_be_a_numpy_integer(live):
    """A cap that was taken from a frame may be a numpy integer."""
    assert len(sp.rent("Quokka Bay", max_cents=np.int64(30)))


def test_an_automatic_run_spends_only_what_somebody_allowed(live, service, monkeypatch):
    """With CI set, a paid request needs an explicit cap or budget. Stored responses and free keys need neither."""
    monkeypatch.setenv("CI", "true")
    with pytest.raises(sp.errors.SettingsError, match=r"CI is set.*max_cents="):
        sp.rent("Quokka Bay")
    assert service.requests == ()
    assert len(sp.rent("Quokka Bay", max_cents=30))
    assert len(sp.rent("Quokka Bay"))
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=":memory:", budget_cents=30) as client:
        assert len(sp.rent("Quokka Bay", client=client))
    with sp.Client(api_key="test", base_url=service.url, store=":memory:") as client:
        assert len(sp.rent("Quokka Bay", client=client))


def test_what_concerns_the_account_stops_every_worker_at_once(service, tmp_path):
    """A refused key stops the request: each worker sends it at most once, however many suburbs there are."""
    with sp.Client(api_key="mib_test_x", base_url=service.url, store=tmp_path / "s") as client:
        with pytest.raises(
            sp.errors.Unauthorized, match=r"0 of 60 suburbs are in the error's .frame.* were not asked for"
        ):
            sp.rent([f"Nowhere {number}" for number in range(60)], client=client)
        assert len(service.requests) <= 8


def test_closing_a_client_ends_its_batch(service, tmp_path):
    """Closing a client ends its batch: calls under way finish, and no further call is sent."""
    service.fail("latency", times=None, seconds=60)
    client = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s")
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(sp.rent, RENTED[:60], client=client)
        wait_for(lambda: service.most_at_once == 3)
        client.close()
        service.release()
        with pytest.raises(sp.errors.SettingsError, match="closed"):
            request.result(25)
    assert len(service.requests) == 3
    time.sleep(0.5)
    assert len(service.requests) == 3


def test_where_there_can_be_no_more_threads_nothing_is_sent(live, service, monkeypatch):
    """If the system allows no more threads, its RuntimeError is raised and nothing is sent. The next request works."""
    full = Mock(side_effect=RuntimeError("can't start new thread"))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", full)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            sp.rent("Quokka Bay")
    assert not service.requests
    assert len(sp.rent("Quokka Bay")) > 100


def test_an_answer_that_cannot_be_stored_still_reaches_the_caller(live, service):
    """If a response cannot be stored, as on a full disk, the error carries its frame and price, and the batch stops."""
    with plain_sqlite(live.store.path) as plain:
        plain.execute("create trigger full before insert on response begin select raise(abort, 'disk full'); end")
        with pytest.raises(sp.errors.StoreError, match=r"disk full.*30 cents.*\.frame") as caught:
            sp.rent("Quokka Bay")
        assert caught.value.cents == 30
        assert len(caught.value.frame) > 100
        assert sp.ledger()["outcome"].to_list() == ["unknown"]
        plain.execute("drop trigger full")
        service.answer("Woylie", "rent", body=b'{"data": null}')
        plain.execute("create trigger full before insert on response begin select raise(abort, 'disk full'); end")
        with pytest.raises(sp.errors.StoreError, match="disk full"):
            sp.rent("Woylie")
        plain.execute("drop trigger full")


def test_a_batch_stops_when_the_store_takes_no_more(live, service):
    """A batch stops at the first response that cannot be stored. Those under way reach the caller, too."""
    with plain_sqlite(live.store.path) as plain:
        plain.execute("create trigger full before insert on response begin select raise(abort, 'disk full'); end")
        with pytest.raises(sp.errors.StoreError, match="disk full") as caught:
            sp.rent(RENTED[:60], max_cents=10_000)
        plain.execute("drop trigger full")
    arrived = caught.value.frame["area_name"].nunique()
    assert 0 < arrived == len(service.requests) <= 8


def test_a_plan_that_others_outran_is_refused_before_anything_is_sent(service, tmp_path):
    """The budget is checked when items are claimed, so it counts money that was spent after the quote."""
    shared = {"api_key": LIVE_KEY, "base_url": service.url, "store": tmp_path / "s", "budget_cents": 70}
    first, second = sp.Client(**shared), sp.Client(**shared)
    context = RequestContext(second)
    quote = quotes.make_quote(context, [Item("rent", NAMES[2])], Reuse())
    assert (quote.limits.spent, quote.limits.allow) == (0, True)
    sp.rent(NAMES[:2], client=first)
    stopped = purchase.fetch(context, quote, take=None).stopped
    assert isinstance(stopped, sp.errors.BudgetExceeded)
    assert stopped.quote.limits.spent == 60
    assert "budget_cents=90)" in stopped.quote.line
    assert service.total_cents == 60


def test_the_free_keys_meet_neither_cap_nor_budget(service):
    """Neither the cap nor the budget limits a free key."""
    with sp.Client(api_key="test", base_url=service.url, store=":memory:", max_cents=0, budget_cents=0) as client:
        assert len(sp.rent(NAMES, client=client))


def test_the_ledger_row_is_committed_before_the_call_leaves(live, service):
    """The ledger row, with its price, is committed before the call is sent, so another connection sees it."""
    service.fail("latency", seconds=0.5)
    call = threading.Thread(target=sp.rent, args=("Quokka Bay",))
    call.start()
    wait_for(lambda: service.most_at_once)
    (row,) = sp.ledger().itertuples()
    assert (row.outcome, row.cents) == ("sent", 30)
    call.join()
    assert sp.ledger()["outcome"].to_list() == ["billed"]


@pytest.fixture
def before_each_call(monkeypatch):
    """Return a function that sets a hook, which is called with the path of each call just before it is sent."""

    def set_hook(hook):
        exchange = Wire.exchange
        monkeypatch.setattr(
            Wire,
            "exchange",
            lambda wire, path: hook(unquote(path)) or exchange(wire, path),
        )

    return set_hook


def test_each_call_of_a_batch_is_in_the_ledger_before_it_leaves(live, before_each_call):
    """Each call is in the ledger before it is sent, even if it begins in the commit that ends another call."""
    seen = []

    def look(path):
        with plain_sqlite(live.store.path) as other:
            sent = other.execute("select area_name, cents from call where outcome = 'sent'").fetchall()
        seen.append([cents for name, cents in sent if f"/{name}/" in path])

    before_each_call(look)
    sp.rent(RENTED[:60])
    assert seen == [[30]] * 60


def test_a_batch_has_a_commit_a_call(live, transactions):
    """One commit writes the end of a call and the beginning of the next."""
    sp.rent(RENTED[:60])
    assert len(transactions) < 1.5 * 60


def test_a_next_call_that_cannot_begin_takes_no_answer_along(service, tmp_path):
    """If a response can be stored but the next call's row cannot, the response is kept and that call is not sent."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client:
        sp.rent(RENTED[0], client=client)
        with plain_sqlite(tmp_path / "s") as plain:
            when = "when (select count(*) from call) >= 2"
            plain.execute(f"create trigger full before insert on call {when} begin select raise(abort, 'full'); end")
        with pytest.raises(sp.errors.StoreError, match="full"):
            sp.rent(RENTED[:10], client=client)
        assert sp.ledger(client=client)["outcome"].to_list() == ["billed", "billed"]
        assert len(sp.rent(RENTED[1], client=client, offline=True)) > 100
    assert len(service.requests) == 2


def test_a_long_batch_looks_at_the_disk_again_and_again(service, tmp_path, monkeypatch):
    """A batch checks the free disk space repeatedly, and buys nothing more once there is too little."""
    service.fail("latency", times=None, seconds=0.1)
    usage, looks = shutil.disk_usage, []

    def look(path):
        looks.append(path)
        return usage(path) if len(looks) < 4 else Mock(free=0)

    monkeypatch.setattr(shutil, "disk_usage", look)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s", max_workers=1) as client:
        with pytest.raises(sp.errors.StoreError, match="has 0 MiB left") as caught:
            sp.rent(RENTED[:60], client=client)
        assert set(sp.ledger(client=client)["outcome"]) == {"billed"}
    assert 2 < caught.value.frame["area_name"].nunique() == len(service.requests) < 30


def test_a_batch_that_is_stopped_leaves_no_call_open(live, service):
    """If the wallet turns out empty, no other call leaves, and a call that had begun leaves the ledger again."""
    service.answer(RENTED[20], "rent", status=402, body=b"{}")
    with pytest.raises(sp.errors.PaymentRequired):
        sp.rent(RENTED[:60])
    ledger = sp.ledger()
    assert len(service.requests) == len(ledger)
    assert set(ledger["outcome"]) == {"billed", "not_billed"}


def test_a_store_that_is_removed_in_a_batch_stops_it_without_a_loss(service, tmp_path, before_each_call):
    """If the store is removed during a batch, no further call is sent. The error's frame has every response so far."""
    path = tmp_path / "s"
    before_each_call(lambda called: path.unlink() if RENTED[3] in called else None)
    client = sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path, max_workers=1)
    with pytest.raises(sp.errors.StoreError, match=r"removed or replaced.*\.frame") as caught:
        sp.rent(RENTED[:60], client=client)
    with pytest.warns(sp.SuburbWarning, match="could not be written"):
        client.close()
    assert caught.value.frame["area_name"].nunique() == len(service.requests) == 4


def test_a_response_is_stored_before_it_is_parsed(live, service, monkeypatch):
    """A response is stored before it is decoded, so a decoder that fails causes no second call."""
    with monkeypatch.context() as broken:
        broken.setitem(ENDPOINTS, "rent", replace(ENDPOINTS["rent"], decode=lambda *_: 1 / 0))
        with pytest.raises(ZeroDivisionError):
            sp.rent("Quokka Bay")
    assert len(sp.rent("Quokka Bay"))
    assert len(service.requests) == 1


def test_the_services_own_count_of_the_cost_wins(live, service):
    """The ledger has the charge of ``X-Cost-Cents``; without that header, the price of the rate card."""
    body = b'{"data": null}'
    service.answer("Quokka Bay", "rent", body=body, headers={"X-Cost-Cents": "12"})
    service.answer("Bilby Heights", "rent", body=body, headers={"X-Cost-Cents": None})
    with pytest.warns(sp.errors.NoDataWarning):
        sp.rent(NAMES[:2])
    assert sorted(sp.ledger()["cents"]) == [12, 30]


def test_ctrl_c_keeps_what_arrived_and_the_next_run_buys_the_rest(service, tmp_path):
    """Ctrl-C raises KeyboardInterrupt. Calls under way end in the store, and the next run buys only the rest."""
    program = f"""
import suburb_pandas as sp
client = sp.connect(api_key={LIVE_KEY!r}, base_url={service.url!r}, store={str(tmp_path / "s")!r}, max_workers=2)
print("ready", flush=True)
try:
    sp.rent({RENTED[:30]!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    service.fail("latency", times=None, seconds=0.1)
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ready\n"
    wait_for(lambda: len(service.requests) >= 5)
    os.kill(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=20)
    assert (out, run.returncode) == ("interrupted\n", 0), err
    served = len(service.requests)
    assert served < 30
    service.clear()
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=tmp_path / "s") as client:
        assert set(sp.ledger(client=client)["outcome"]) == {"billed"}
        sp.rent(RENTED[:30], client=client)
    assert set(service.served.values()) == {1}


def test_a_client_that_is_closed_in_the_middle_loses_nothing(live, service):
    """A request keeps its store: the responses arrive, and their packed payloads are stored."""

    def close_at_the_end(items, _):
        yield from items
        live.close()

    assert sp.rent(NAMES[:3], client=live, progress=close_at_the_end)["area_name"].nunique() == 3
    with plain_sqlite(live.settings.store) as plain:
        assert plain.execute("select count(*) from history").fetchone() == (3,)
