"""Tests of a store whose rows were damaged, or written by somebody else: it is a StoreError, and never wrong data."""

import tracemalloc
import zlib

import pytest

import suburb_pandas as sp
from tests.support.common import RENTED, plain_sqlite
from tests.support.older import store_of_0_1_0

BAY, OTHER, NEW = "Quokka Bay", "Bilby Heights", "Mangrove Steps"

DAMAGES = [
    "update call set cents = 'thirty'",
    "update call set cents = -30",
    "update call set cents = 1e300",
    "update call set at = 'yesterday'",
    "update call set at = '2026-11-01T00:00:00'",
    "update call set at = x'ff'",
    "update call set area_name = x'ff' where area_name <> 'Quokka Bay'",
    "update call set area_name = cast(x'ff' as text) where area_name <> 'Quokka Bay'",
    "update call set http_status = 'fine'",
    "update call set at = '2026-11-01T00:00:00+10:00'",
    "update call set request_id = x'ff'",
    "update call set price_header = x'ff'",
    "insert into name_list values (1, '2026-11-01T00:00:00+00:00', 'f', x'ff', null, 0, 1)",
    "insert into name_list values (1, '2026-11-01T00:00:00+00:00', 'f', 'h', null, 0, -1)",
    "update response set retrieved_at = 'noon'",
    "update response set headers = 'no JSON'",
    "update response set headers = '[[1], 2]'",
    "update response set headers = replace(hex(zeroblob(50000)), '0', '[')",
    "update response set sha256 = x'ff'",
    "update response set body = 'text'",
    "update response set body = cast(x'ff' as text)",
    "update response set body = 5",
    "update response set body = x'78'",
    "insert into plan values (7, x'ff', '2026', 0, 40, null)",
    "insert into plan values (7, 'h', 'now', 0, 'long', 'p')",
]
"""What is done to the rows of a store."""

LOOKS = [
    sp.ledger,
    lambda: sp.rent(BAY),
    lambda: sp.vintages(BAY),
    lambda: sp.quote([BAY, NEW]),
    lambda: sp.suggest("quo"),
    lambda: sp.rent(NEW, refresh=True),
]
"""What a user does with a store."""


@pytest.mark.filterwarnings("ignore::suburb_pandas.SuburbWarning")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_value_that_the_package_never_writes_is_an_error_of_the_store(live, service, damage):
    """Whatever is in a row, reading it is a StoreError that says what to do, and nothing is bought again."""
    sp.rent([BAY, OTHER])
    with plain_sqlite(live.store.path) as plain:
        plain.execute("delete from history")
        plain.execute(damage)
    errors = []
    for look in LOOKS:
        try:
            look()
        except sp.errors.StoreError as error:
            errors.append(str(error))
    assert errors
    assert all("is damaged" in error and "ut back a copy" in error for error in errors)
    assert service.served["rent", BAY] == 1


def test_a_damaged_body_is_bought_again_with_refresh_only(live, service):
    """A damaged body keeps no other response from being read, and is bought again only if ``refresh=True`` says so."""
    frame = sp.rent([BAY, OTHER])
    with plain_sqlite(live.store.path) as plain:
        plain.execute(
            "update response set body = x'00' where call_id = (select id from call where area_name = ?)", [BAY]
        )
        plain.execute("delete from history")
    assert len(sp.rent(OTHER))
    assert len(sp.ledger()) == 2
    with pytest.raises(sp.errors.StoreError, match=f"its data about '{BAY}' have changed"):
        sp.rent([BAY, OTHER])
    assert len(service.requests) == 2
    sp.rent(BAY, refresh=True)
    assert sp.rent([BAY, OTHER]).equals(frame)
    assert len(service.requests) == 3


def test_a_damaged_cache_is_no_damage(live, service):
    """The cache of decoded responses is checked, and read anew from the responses if it is damaged."""
    frame = sp.rent([BAY, OTHER])
    for damage in ("records = x'00'", "records = 5", "crc32 = 'x'", "format = -1"):
        with plain_sqlite(live.store.path) as plain:
            plain.execute(f"update history set {damage}")  # noqa: S608 - the damages above
        assert sp.rent([BAY, OTHER]).equals(frame)
    assert len(service.requests) == 2


def test_what_unpacks_to_gigabytes_takes_no_memory(connect, tmp_path):
    """1.5 GB of zeros behind 1.5 MB of zlib are a damaged body, which is found within 100 MB.

    So are a hundred thousand copies of another body, or five million of nothing, as version 0.1.0 encoded them.
    """
    packer = zlib.compressobj()
    first, next_ = (packer.compress(bytes(2**24)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    zeros = first + next_ * 90
    copies, nothing = (
        zlib.compress(b"\xdd" + number.to_bytes(4) + bytes([0x92, 0, pieces]) * number)
        for number, pieces in ((100_000, 50), (5_000_000, 0))
    )
    path = store_of_0_1_0(tmp_path / "s")
    with connect(base_url="http://127.0.0.1:9", store=path) as client, plain_sqlite(path) as plain:
        for column, stored in (
            ("compressed set data", zeros),
            ("compressed set data", copies),
            ("compressed set data", nothing),
            ("response set body", zeros),
        ):
            plain.execute(f"update {column} = ? where call_id = 3", [stored])
            tracemalloc.start()
            with pytest.raises(sp.errors.StoreError, match=f"its data about {BAY!r} have changed"):
                sp.vintages(BAY)
            client.vacuum()
            assert tracemalloc.get_traced_memory()[1] < 100_000_000
            tracemalloc.stop()


def test_an_error_that_is_kept_hides_nothing_that_comes_later(live):
    """A notebook keeps the last error. What is stored after it is seen all the same, from the same thread."""
    names = RENTED[:5]
    sp.rent(names)
    with plain_sqlite(live.store.path) as plain:
        plain.execute("update response set retrieved_at = 'noon'")
        with pytest.raises(sp.errors.StoreError) as kept:
            sp.rent(names)
        plain.execute("update response set retrieved_at = '2026-04-28T00:00:00+00:00'")
    assert sp.rent(names)["area_name"].nunique() == 5
    assert "is damaged" in str(kept.value)
