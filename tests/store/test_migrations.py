"""Tests of what a store keeps when a newer version of the package opens it."""

import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import CallOutcome, Item, Namespace, Response, utc_now
from suburb_pandas.store import migrations
from suburb_pandas.store.reservation import OvertakenError, ReservationTerms
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, plain_sqlite

OLD = 4  # the version before the one that these tests are about
PRICE = 30
RESPONSE = Response.of(b"{}", {}, "2026", PRICE, "live")


@pytest.fixture
def path(tmp_path):
    """Return the path of a store of the fourth version, without rows."""
    with plain_sqlite(tmp_path / "s") as plain:
        for script in migrations.VERSIONS[:OLD]:
            plain.executescript(script)
        plain.execute(f"pragma user_version = {OLD}")
    return tmp_path / "s"


def add_calls(path, *base_urls, body=b"{}", area_name="Quokka Bay"):
    """Add a billed call with a response for each base URL, as an older version did."""
    with plain_sqlite(path) as plain:
        for base_url in base_urls:
            call = plain.execute(
                "insert into call (at, source, base_url, endpoint, area_name, outcome, cents, http_status, ended_at) "
                "values (?, 'live', ?, 'rent', ?, 'billed', 30, 200, '2026')",
                (utc_now(), base_url, area_name),
            ).lastrowid
            plain.execute(
                "insert into response values (?, ?, '{}', ?, ?)",
                (call, utc_now(), Response.of(body, {}, "", 0, "").sha256, body),
            )


def test_responses_of_other_spellings_of_a_base_url_are_not_bought_again(path, service):
    """What was bought under another spelling of the base URL is found. Text that is no base URL stays as it is."""
    odd = [service.url.upper() + "/", "u", "", "http://", "ftp://Example.org"]
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path.with_name("other")) as client:
        frame = sp.rent("Quokka Bay", client=client)
        (body,) = client.store.bodies([1]).values()
    add_calls(path, *odd, body=body)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path) as client:
        assert sp.rent("Quokka Bay", client=client).equals(frame)
    assert len(service.requests) == 1
    with plain_sqlite(path) as plain:
        assert [url for (url,) in plain.execute("select base_url from call order by id")] == [service.url, *odd[1:]]


def test_two_spellings_of_a_claim_become_one_and_the_call_under_way_keeps_it(path):
    """An older version may have claimed an item under two spellings. The call under way keeps its claim."""
    with plain_sqlite(path) as plain:
        plain.execute("insert into plan (host, at, beats, patience) values ('h', '2026', 0, 30)")
        for url, call in (("https://h", None), ("https://H", 7), ("https://h/", None), ("https://other/", None)):
            plain.execute("insert into claim values ('live', ?, 'rent', 'Quokka Bay', 1, 30, null)", (url,))
            if call:
                plain.execute(
                    "insert into call (id, at, source, base_url, endpoint, area_name, outcome, cents, plan_id) "
                    "values (?, '2026', 'live', ?, 'rent', 'Quokka Bay', 'sent', 30, 1)",
                    (call, url),
                )
                plain.execute("update claim set call_id = ?, cents = 0 where base_url = ?", (call, url))
    Store(path).close()
    with plain_sqlite(path) as plain:
        claims = plain.execute("select base_url, call_id from claim order by base_url").fetchall()
    assert claims == [("https://h", 7), ("https://other", None)]


def test_an_older_version_that_has_the_store_open_can_end_its_call_and_begins_no_other(path):
    """If a store is migrated while an older version buys under another spelling, its call under way can still end."""
    store = Store(path)
    under_way, next_one = Item("rent", "Quokka Bay"), Item("rent", "Bilby Heights")
    namespace = Namespace("live", "https://h")
    reservation = store.reserve(
        ReservationTerms(namespace, {"rent": PRICE}, 5000, 30), {under_way: 0, next_one: 0}
    ).reservation
    call = reservation.begin(under_way, lease=30)
    with plain_sqlite(path) as plain:
        plain.execute(
            "insert into ended (call_id, outcome, cents, http_status, request_id, ended_at, retrieved_at, headers, "
            "sha256, body, again) values (?, 'billed', ?, 200, 'req', '2026', '2026', '{}', ?, ?, null)",
            (call, PRICE, RESPONSE.sha256, RESPONSE.body),
        )
        assert plain.execute("select area_name from claim").fetchall() == [("Bilby Heights",)]
        plain.execute("update claim set base_url = 'https://H'")
    assert [(row.outcome, row.price_header) for row in store.ledger()] == [("billed", None)]
    assert store.read(store.newest(namespace, [under_way]))[under_way].body == RESPONSE.body
    with pytest.raises(OvertakenError):
        reservation.begin(next_one, lease=30)


def test_a_price_that_could_not_be_read_is_in_the_ledger(path):
    """The ledger keeps a price header that could not be read, and reads rows of older versions, which have none."""
    add_calls(path, "https://h")
    store, item = Store(path), Item("rent", "Bilby Heights")
    reservation = store.reserve(
        ReservationTerms(Namespace("live", "https://h"), {"rent": PRICE}, 5000, 30), {item: 0}
    ).reservation
    call = reservation.begin(item, lease=30)
    reservation.finish(call, CallOutcome("billed", PRICE, 200, "req", "thirty"), lease=30, response=RESPONSE)
    assert [row.price_header for row in store.ledger()] == [None, "thirty"]


@pytest.mark.parametrize(
    ("body", "area_name", "is_shown"),
    [
        (b'{"data": {"area_name": "Quokka Bay"}}', "Quokka Bay", True),
        (b'{"data": {"area_name": "Bilby Heights"}}', "Quokka Bay", False),
        (b'{"data": {"area_name": 5}}', "Quokka Bay", True),
        (b'{"data": null, "reason": "no_sales"}', "Quokka Bay", True),
        (b'{"data": [{"area_name": "Bilby Heights"}]}', "bilby\tVIC", True),
        (b'{"data": {"area_name": "Bilby Heights"}', "Quokka Bay", False),
        (b"\xff", "Quokka Bay", False),
    ],
)
def test_nobody_reads_an_answer_under_the_wrong_name(path, body, area_name, is_shown):
    """At a SQLite prompt, ``json`` is null if the body is about another suburb or is no JSON. The body is kept."""
    add_calls(path, "https://h", body=body, area_name=area_name)
    Store(path).close()
    with plain_sqlite(path) as plain:
        for view in ("answer", "newest"):
            expected = body.decode() if is_shown else None
            assert plain.execute(f"select area_name, json from {view}").fetchall() == [(area_name, expected)]  # noqa: S608
        assert plain.execute("select body from response").fetchall() == [(body,)]
