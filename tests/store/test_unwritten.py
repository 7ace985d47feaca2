"""Tests of answers that a store could not take: they are written as soon as there is room, and are not bought twice."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.adversary import serve
from tests.support.common import RENTED, plain_sqlite
from tests.support.processes import Worker

NAME, OTHER, STORED = "Quokka Bay", "Bilby Heights", RENTED[0]
NO_RESPONSE = "create trigger full before insert on response begin select raise(abort, 'disk full'); end"
NO_END = NO_RESPONSE.replace("insert on response", "update on call when new.ended_at is not null")


@contextmanager
def full(client, trigger=NO_RESPONSE):
    """Have the store of a client take no response for a while, or whatever else the trigger says."""
    with plain_sqlite(client.store.path) as plain:
        plain.execute(trigger)
        yield
        plain.execute("drop trigger full")


def could_not_take(suburbs, **options):
    """Buy suburbs with a store that is full, and return the error."""
    with pytest.raises(sp.errors.StoreError, match="disk full") as caught:
        sp.rent(suburbs, **options)
    return caught.value


def test_an_answer_that_the_store_could_not_take_is_not_bought_again(live, service):
    """Once there is room, the same request in the same session writes the answer and returns the same frame.

    Several requests at once write it once. A forked child does not write what its parent could not write.
    """

    def find_nothing():
        with pytest.raises(sp.errors.NotStored):
            sp.rent(NAME, offline=True)

    with full(live):
        error = could_not_take([NAME])
        assert sp.ledger()["outcome"].to_list() == ["unknown"]
    assert "try again in this session" in str(error)
    assert error.cents == 30
    Worker(find_nothing, method="fork").go().result()
    with ThreadPoolExecutor(8) as pool:
        for frame in pool.map(sp.rent, [[NAME]] * 8):
            pd.testing.assert_frame_equal(frame, error.frame)
    assert sp.quote(NAME).calls == 0
    assert len(service.requests) == 1
    (row,) = sp.ledger().itertuples()
    assert (row.outcome, row.cents, row.http_status) == ("billed", 30, 200)
    assert row.request_id == sp.provenance(frame)["request_id"].item()


def test_while_an_answer_waits_nothing_is_bought(live, service):
    """Until the answer is written, a purchase is an error. What is stored can be read, and quoted."""
    sp.rent(STORED)
    with full(live):
        could_not_take([NAME, OTHER])
        sent = len(service.requests)
        could_not_take([STORED, RENTED[1]])
        assert len(sp.rent(STORED))
        assert sp.quote([STORED, RENTED[1]]).calls == 1
        assert len(sp.ledger()) == sent
    assert len(sp.rent(RENTED[1]))
    assert len(service.requests) == sent + 1


def test_any_client_on_the_file_writes_what_waits_where_it_belongs(live, connect):
    """A client of another service writes the answer with its next transaction, and it stays with the first service."""
    with full(live):
        could_not_take(NAME)
    with serve() as second, connect(base_url=second.url, store=live.store.path):
        assert sp.ledger()["outcome"].to_list() == ["billed"]
        assert sp.quote(NAME).calls == 1
    assert len(sp.rent(NAME, offline=True, client=live))


def test_refusals_are_written_later_too(live, service):
    """A call that was refused is unknown until its end can be written. If it was charged, it is not made again."""
    service.answer(NAME, "rent", status=404)
    service.answer(OTHER, "rent", status=404, billed=True)
    for name in (NAME, OTHER):
        with full(live, NO_END):
            assert could_not_take(name).frame is None
            assert sp.ledger()["outcome"].to_list()[-1] == "unknown"
        assert len(sp.ledger())  # writes what waits
    assert sp.ledger()["outcome"].to_list() == ["not_billed", "billed"]
    with pytest.raises(sp.errors.UnknownSuburb, match="cost 30 cents and is stored"):
        sp.rent(OTHER)
    assert len(service.requests) == 2


def test_closing_warns_of_what_could_not_be_written(live, connect, service, tmp_path):
    """A client that is closed warns of the answers that its store could not take. The next client writes them.

    A new file at the place of the store does not have the call, so its answer is kept until the file is back.
    """
    path, away = live.store.path, tmp_path / "away"
    with full(live):
        could_not_take(NAME)
        with pytest.warns(
            sp.SuburbWarning, match=f"rent of {NAME!r}. They cost 30 cents and stay in the memory"
        ) as one:
            live.close()
    assert [warning.filename for warning in one] == [__file__]
    path.rename(away)
    new = connect(store=path)
    assert len(sp.rent(OTHER))
    with pytest.warns(sp.SuburbWarning, match=f"rent of {NAME!r}. They cost 30 cents"):
        new.close()
    away.replace(path)
    with connect(store=path):
        assert len(sp.rent(NAME))
    assert service.served == {("rent", NAME): 1, ("rent", OTHER): 1}


PROGRAM = """
import sqlite3, sys
import suburb_pandas as sp
url, store, trigger, *names = sys.argv[1:]
client = sp.connect(api_key="mib_live_any", base_url=url, store=store)
sqlite3.connect(client.store.path, isolation_level=None).execute(trigger)
try:
    sp.rent(names)
except sp.errors.StoreError as error:
    print(*error.frame["area_name"].unique(), sep=",")
"""


def test_a_program_that_ends_warns_of_what_it_could_not_write(service, tmp_path):
    """A program that ends before there is room lists each answer that is lost, with their cents, in one warning."""
    command = [sys.executable, "-c", PROGRAM, service.url, tmp_path / "s", NO_RESPONSE, NAME, OTHER]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.count("SuburbWarning") == 1
    names = done.stdout.strip().split(",")
    assert len(names) == len(service.requests)
    assert all(f"rent of {name!r}" in done.stderr for name in names)
    assert f"They cost {30 * len(names)} cents" in done.stderr
