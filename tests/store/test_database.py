"""Tests of the store's file: its creation, its versions, and what happens when it is damaged, locked or replaced."""

import errno
import os
import re
import shutil
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.concurrency import forks
from suburb_pandas.service.calls import Item, Namespace
from suburb_pandas.store import migrations
from suburb_pandas.store.store import Store
from tests.support.common import LIVE_KEY, plain_sqlite, wait_for

NAME = "Quokka Bay"
FIRST_VERSION = """
insert into call values (1, '2026-10-01T00:00:00.000000+00:00', 'live', 'http://127.0.0.1:1', 'rent', 'Quokka Bay',
    'billed', 30, 200, 'req_1');
insert into call values (2, '2026-10-01T00:00:01.000000+00:00', 'live', 'http://127.0.0.1:1', 'rent', 'Bilby Heights',
    'sent', 30, null, null);
insert into response values (1, '2026-10-01T00:00:00.500000+00:00', '{"x-request-id": "req_1"}',
    '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', x'7b7d');
pragma user_version = 1;
"""


@pytest.fixture
def first_version(tmp_path):
    """Return the path of a store of the first release, with a call that was under way when its process died."""
    with plain_sqlite(tmp_path / "s") as plain:
        plain.executescript(migrations.VERSIONS[0] + FIRST_VERSION)
    return tmp_path / "s"


def buys(path, service):
    """Return the message of the error raised by buying with the store at `path`; check that nothing was sent."""
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path) as client,
        pytest.raises(sp.errors.StoreError) as caught,
    ):
        sp.rent(NAME, client=client)
    assert service.requests == ()
    return str(caught.value)


def test_a_store_of_the_first_release_is_taken_along(first_version):
    """A store of the first release is migrated: its responses are kept, and a call without an outcome is unknown."""
    store, item = Store(first_version), Item("rent", NAME)
    namespace = Namespace("live", "http://127.0.0.1:1")
    response = store.read(store.newest(namespace, [item]))[item]
    assert (response.body, response.cents, response.request_id) == (b"{}", 30, "req_1")
    assert [row.outcome for row in store.ledger()] == ["billed", "unknown"]
    assert Store(first_version).newest(namespace, [item])
    with plain_sqlite(first_version) as plain:
        assert plain.execute("pragma user_version").fetchone() == (len(migrations.VERSIONS),)
        assert plain.execute("select outcome from call where id = 2").fetchone() == ("unknown",)


def test_a_new_store_is_what_a_migrated_one_is(first_version, tmp_path):
    """A new store runs every migration in order, so its schema is the same as that of an old store."""

    def tables(path):
        Store(path).close()
        with plain_sqlite(path) as plain:
            return plain.execute("select type, name, sql from sqlite_master order by name").fetchall()

    assert tables(first_version) == tables(tmp_path / "new")


def test_a_migration_that_fails_changes_nothing(first_version, monkeypatch):
    """A migration that fails is rolled back as a whole: the file keeps every byte."""
    monkeypatch.setattr(migrations, "VERSIONS", (*migrations.VERSIONS, "create table other (a); nonsense"))
    before = first_version.read_bytes()
    with pytest.raises(sp.errors.StoreError, match="nonsense"):
        Store(first_version)
    monkeypatch.undo()
    assert first_version.read_bytes() == before
    assert len(Store(first_version).ledger()) == 2


def test_a_store_of_a_later_version_is_not_touched(tmp_path, service):
    """A store that a later version of the package wrote is refused, and nothing is sent."""
    Store(tmp_path / "s").close()
    with plain_sqlite(tmp_path / "s") as plain:
        plain.execute("pragma user_version = 99")
    assert "another version" in buys(tmp_path / "s", service)


def test_a_store_that_a_later_version_takes_over_is_bought_into_no_more(live, service):
    """A later version may migrate a store that is open here: stored responses can be read, and nothing is sent."""
    frame = sp.rent("Quokka Bay")
    with plain_sqlite(live.store.path) as plain:
        plain.execute("pragma user_version = 99")
    pd.testing.assert_frame_equal(sp.rent("Quokka Bay"), frame)
    with pytest.raises(sp.errors.StoreError, match="another version"):
        sp.rent("Bilby Heights")
    assert len(service.requests) == 1


@pytest.mark.skipif(os.name != "posix", reason="only POSIX has owners")
def test_only_the_owner_may_read_a_store(tmp_path):
    """Only its owner can read a store, and the files that SQLite keeps beside it."""
    store = Store(tmp_path / "deep" / "s")
    with store.database.writing() as connection:
        connection.execute("create table t (a)")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "deep").iterdir()}
    assert modes == {"s": 0o600, "s-wal": 0o600, "s-shm": 0o600}


def test_where_there_are_no_hard_links_a_store_is_renamed_into_place(tmp_path, monkeypatch):
    """A file system without hard links holds a store too, and nothing is left beside it."""

    def refuse(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    store = Store(tmp_path / "s")
    assert store.ledger() == []
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


@pytest.mark.parametrize("code", [errno.EEXIST, errno.EPERM])
def test_a_store_that_another_process_creates_first_is_kept(tmp_path, monkeypatch, code):
    """If two processes create the same store at once, the first one's is kept, with hard links or without."""
    _add_rows(tmp_path / "first", 1)

    def come_too_late(*_, **__):
        (tmp_path / "first").rename(tmp_path / "s")
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", come_too_late)
    store = Store(tmp_path / "s")
    assert len(store.ledger()) == 1
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_every_connection_waits_until_what_it_wrote_is_on_the_disk(tmp_path):
    """Every commit survives a loss of power, whichever connection, thread or group commit writes it."""
    store = Store(tmp_path / "s")

    def levels(_):
        with store.database.reading() as reading, store.database.reading() as other:
            read = [_synchronous(reading), _synchronous(other)]
        with store.database.writing() as writing:
            return [*read, _synchronous(writing)]

    with ThreadPoolExecutor(4) as pool:
        read_and_written = [*pool.map(levels, range(8))]
        committed = [*pool.map(store.database.commit, [_synchronous] * 8)]
    full = 2
    assert read_and_written == [[full] * 3] * 8
    assert committed == [full] * 8


def _synchronous(connection):
    return connection.execute("pragma synchronous").fetchone()[0]


@pytest.mark.parametrize("content", [b"", b"not a database, and longer than a header of one hundred bytes" * 9])
def test_what_is_no_store_is_an_error_that_says_where(tmp_path, service, content):
    """A file that is not a store is left as it is. An empty file is a store that was lost, and not a new one."""
    (tmp_path / "s").write_bytes(content)
    message = buys(tmp_path / "s", service)
    assert str(tmp_path / "s") in message
    assert "put back a copy" in message.lower()
    assert (tmp_path / "s").read_bytes() == content


def test_a_folder_is_no_store_and_a_file_in_it_is_named(tmp_path, service):
    """A folder as the store is refused, with a file in it to paste."""
    message = buys(tmp_path, service)
    assert message.startswith(f"The store {tmp_path} is a folder")
    assert "Nothing was sent" in message
    assert f"SUBURB_STORE={tmp_path}/store.sqlite" in message
    (given,) = re.findall(r"store='([^']+)'", message)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=given) as client:
        assert len(sp.rent(NAME, client=client))


def test_another_programs_database_is_not_touched(tmp_path, service):
    """Another program's SQLite file is refused, and no table is added to it."""
    with plain_sqlite(tmp_path / "s") as plain:
        plain.execute("create table theirs (a)")
        plain.execute("pragma user_version = 1")
    assert "another program's" in buys(tmp_path / "s", service)
    with plain_sqlite(tmp_path / "s") as plain:
        assert plain.execute("select name from sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_a_truncated_store_is_never_bought_anew(live, service, share):
    """A truncated store raises an error with its path and the command that recovers it; nothing is sent."""
    sp.rent([NAME, "Bilby Heights", "Mangrove Steps"])
    path = live.store.path
    live.close()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    sent = len(service.requests)
    with (
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path) as client,
        pytest.raises(sp.errors.StoreError, match=r"damaged.*left as it is.*Put back a copy"),
    ):
        sp.rent(NAME, client=client)
    assert len(service.requests) == sent


def test_a_locked_store_is_an_error_and_never_a_reason_to_buy_without_it(live, service, monkeypatch):
    """While another program locks the store, nothing is sent, and stored responses can still be read."""
    sp.rent("Bilby Heights")
    path = live.store.path
    monkeypatch.setattr(settings, "BUSY_WAIT", 0.2)
    with (
        plain_sqlite(path) as other,
        sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path) as client,
    ):
        other.execute("begin immediate")
        with pytest.raises(sp.errors.StoreError, match="locked by another program"):
            sp.rent(NAME, client=client)
        assert len(sp.rent("Bilby Heights", client=client))
    assert len(service.requests) == 1


def test_reading_that_is_cut_short_leaves_no_old_view_behind(tmp_path):
    """A connection with half-read rows keeps an old snapshot, so it is closed and not used for the next write."""
    store = Store(tmp_path / "s")
    with plain_sqlite(tmp_path / "s") as plain:
        plain.execute("create table t (a)")
        plain.executemany("insert into t values (?)", [(number,) for number in range(9)])
        with suppress(KeyboardInterrupt), store.database.reading() as connection:
            half_read = connection.execute("select a from t")
            assert next(half_read) == (0,)
            raise KeyboardInterrupt
        plain.execute("delete from t")
    with store.database.writing() as connection:
        connection.execute("insert into t values (10)")
    with store.database.reading() as connection:
        assert connection.execute("select a from t").fetchall() == [(10,)]


def test_without_room_for_the_answers_nothing_is_sent(small_disk, service):
    """The disk needs room for one response of the largest size from each worker; otherwise nothing is sent."""
    folder, _ = small_disk
    assert "128" in buys(folder / "s", service)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=folder / "s", max_workers=1) as client:
        assert len(sp.rent(NAME, client=client))


def test_a_read_only_store_can_be_read(small_disk, service):
    """A read-only store serves its responses. A suburb that it does not hold is an error, and nothing is sent."""
    folder, make_read_only = small_disk
    options = {"api_key": LIVE_KEY, "base_url": service.url, "store": folder / "s", "max_workers": 1}
    with sp.Client(**options) as client:
        sp.rent(NAME, client=client)
    make_read_only()
    with sp.Client(**options) as client:
        assert len(sp.rent(NAME, client=client))
        assert len(sp.ledger(client=client)) == 1
        assert sp.suggest("quokka", client=client)["area_name"].to_list() == [NAME]
        with pytest.raises(sp.errors.StoreError, match="read-only"):
            sp.rent("Bilby Heights", client=client)
    assert len(service.requests) == 1


def _add_rows(path, rows):
    store = Store(path)
    for _ in range(rows):
        with store.database.writing() as connection:
            connection.execute("insert into call (at, source, base_url, endpoint, area_name, outcome, cents) "
                               "values ('2026', 's', 'u', 'rent', 'n', 'billed', 0)")  # fmt: skip


def test_a_read_only_store_of_an_older_version_can_be_read(small_disk, service):
    """A read-only store of an older version lacks what was added since. One of the first version is refused."""
    folder, make_read_only = small_disk
    for version in (1, 2):
        with plain_sqlite(folder / f"s{version}") as plain:
            for number, script in enumerate(migrations.VERSIONS[:version], start=1):
                rows = FIRST_VERSION if number == 1 else ""
                plain.executescript(f"{script}; {rows}; pragma user_version = {number};")
    make_read_only()
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=folder / "s2") as client:
        assert sp.ledger(client=client)["outcome"].to_list() == ["billed", "unknown"]
        with pytest.warns(sp.SuburbWarning, match="No list of suburb names is loaded"):
            assert sp.suggest("quokka", client=client).empty
    with (
        pytest.raises(sp.errors.StoreError, match="read-only"),
        sp.Client(api_key="test", store=folder / "s1") as client,
    ):
        sp.ledger(client=client)


def test_a_fork_in_the_middle_of_work_harms_neither_side(tmp_path):
    """A process may fork while its threads write: parent and children lose no row and do not block each other."""
    store, stop = Store(tmp_path / "s"), threading.Event()
    written = []

    def work():
        while not stop.is_set():
            _add_rows(tmp_path / "s", 1)
            written.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    children = [get_context("fork").Process(target=_add_rows, args=(tmp_path / "s", 5)) for _ in range(10)]
    for child in children:
        child.start()
        time.sleep(0.02)
    for child in children:
        child.join(20)
    stop.set()
    for thread in threads:
        thread.join()
    assert [child.exitcode for child in children] == [0] * 10
    assert len(store.ledger()) == 50 + len(written)


def test_a_store_that_is_replaced_while_it_is_in_use_is_an_error(live, service):
    """A store that was replaced or removed while in use raises an error, because later writes would be lost."""
    sp.rent(NAME)
    path = live.store.path
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.replace(path)
    with pytest.raises(sp.errors.StoreError, match=r"was removed or replaced while it was in use"):
        sp.rent("Bilby Heights")
    path.unlink()
    with pytest.raises(sp.errors.StoreError, match="was removed or replaced"):
        sp.rent("Bilby Heights")
    assert len(service.requests) == 1


def _try_to_read(path, errors):
    try:
        Store(path).ledger()
    except sp.errors.StoreError as error:
        errors.send(str(error))


def test_a_fork_in_the_middle_of_a_long_wait_makes_no_child_that_loses_what_it_writes(tmp_path, monkeypatch):
    """If a thread stays in the store too long, a fork goes ahead, and the child's use of any store is an error."""
    monkeypatch.setattr(forks.gate, "fork_seconds", 0.1)
    store = Store(tmp_path / "s")
    received, sent = get_context("fork").Pipe(duplex=False)
    with store.database.reading() as connection:
        connection.execute("select 1")
        child = threading.Thread(target=_start_child, args=(tmp_path / "s", sent))
        child.start()
        child.join()
    assert "spawn" in received.recv()
    assert store.ledger() == []


def _start_child(path, errors):
    child = get_context("fork").Process(target=_try_to_read, args=(path, errors))
    child.start()
    child.join(20)


@pytest.fixture
def crowded(tmp_path):
    """Return a store, and a function that starts one write in each of many threads while another program writes."""
    store = Store(tmp_path / "s")

    def write(*statements):
        with plain_sqlite(tmp_path / "s") as other, ThreadPoolExecutor(len(statements)) as pool:
            other.execute("begin immediate")
            calls = [
                pool.submit(store.database.commit, lambda connection, one=one: connection.execute(one).rowcount)
                for one in statements
            ]
            wait_for(lambda: store.database._group_commit.n_waiting == len(statements))
            other.execute("rollback")
            return calls

    return store, write


def add(number):
    """Return a statement that adds a row to the ledger."""
    row = f"values ('2026', 's', 'u', 'rent', 'Quokka Bay {number}', 'billed', {number})"
    return f"insert into call (at, source, base_url, endpoint, area_name, outcome, cents) {row}"


def test_who_waits_to_write_is_committed_together(crowded, transactions):
    """Writes that wait for their turn share one commit, and each returns its own result."""
    store, write = crowded
    assert [call.result() for call in write(*map(add, range(16)))] == [1] * 16
    assert len(transactions) <= 2
    assert sorted(row.cents for row in store.ledger()) == list(range(16))


def test_all_that_wait_together_for_another_program_give_up_together(tmp_path, transactions):
    """Sixteen writes that wait for another program share its timeout; they do not wait for it one after the other."""
    store = Store(tmp_path / "s", busy_wait=0.3)
    transactions.clear()  # those that created the store
    with plain_sqlite(tmp_path / "s") as other, ThreadPoolExecutor(16) as pool:
        other.execute("begin immediate")
        calls = [
            pool.submit(store.database.commit, lambda one, row=row: one.execute(row)) for row in map(add, range(16))
        ]
        assert all("locked by another program" in str(call.exception()) for call in calls)
    assert len(transactions) <= 3
    assert not store.ledger()


def test_what_cannot_be_written_takes_nothing_else_along(crowded):
    """If one of several writes in a commit fails, only it raises; every other one is committed exactly once."""
    store, write = crowded
    calls = write(*map(add, range(8)), "insert into nowhere values (1)", *map(add, range(8, 15)))
    assert isinstance(calls[8].exception(), sp.errors.StoreError)
    assert [call.result() for call in calls if call is not calls[8]] == [1] * 15
    assert sorted(row.cents for row in store.ledger()) == list(range(15))
    assert not store.database._group_commit.n_waiting
