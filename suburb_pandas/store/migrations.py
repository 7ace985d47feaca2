"""Defines the store's tables, version by version, and migrates a file. A released version is never edited.

Opening the file is left to database, and the statements that use the tables to the table modules.

Some tables and columns have older names than the code, because renaming them would take a new version of the schema:

- ``plan``: a reservation. ``host`` and ``process`` are its computer and its process, ``at`` and ``beats`` its last
  heartbeat, by the calendar and in seconds of the computer's monotonic clock, and ``patience`` the lease: how many
  seconds the reservation may be silent.
- ``claim``: an item that a reservation has claimed, and whose call was not sent. ``plan_id`` is the reservation, and
  ``cents`` the price that is held. Earlier versions kept it during the call, whose number was ``call_id``.
- ``call``: the ledger, one row for each call. ``plan_id`` is the reservation that made the call, and ``price_header``
  the service's ``X-Cost-Cents`` if that could not be read as a price.
- ``response``: the response of a call, unchanged except that the API key was cut out if it was there. The body is
  compressed with zlib, or as it came if an earlier version wrote it; ``sha256``, that of the body as it came, tells.
- ``compressed``: bodies that an earlier version compressed, some with another response as their base. The body in
  ``response`` is then empty. `suburb_pandas.Client.vacuum` moves them into ``response``.
- ``name_list``, ``listed_name`` and ``listed_place``: the loaded lists of suburb names, the names in them with their
  states, and their areas and the ABS's codes. ``partly`` is a JSON array of the other areas in which a suburb lies.
- ``packed_names``: the names of all lists with their search index, a cache that saves building it in each process.
  Loading a list empties it. Earlier versions wrote into ``lists`` which lists they are.
- ``history``: packed payloads of newest responses, a cache that saves decoding them again. It may be emptied.

While nothing is being bought, ``plan`` and ``claim`` are empty, except for rows that a dead process left. The view
``ended``, its trigger and the column ``spends`` are left from earlier versions: a process that has the store open since
before the migration writes the ends of its calls through them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from suburb_pandas.settings import canonical_url

TABLES: Final = frozenset({"call", "response"})
"""Tables that every version has."""

_FIRST = """
create table call (
    id integer primary key,
    at text not null,
    source text not null,
    base_url text not null,
    endpoint text not null,
    area_name text not null,
    outcome text not null check (outcome in ('sent', 'billed', 'not_billed', 'unknown')),
    cents integer not null,
    http_status integer,
    request_id text
);
create table response (
    call_id integer primary key references call (id),
    retrieved_at text not null,
    headers text not null,
    sha256 text not null,
    body blob not null
);
create index call_by_name on call (source, base_url, endpoint, area_name);
create index call_by_time on call (at);
"""

_SECOND = """
create table plan (
    id integer primary key autoincrement,
    host text not null,
    at text not null,
    beats integer not null,
    patience real not null
);
create table claim (
    source text not null,
    base_url text not null,
    endpoint text not null,
    area_name text not null,
    plan_id integer not null references plan (id),
    cents integer not null,
    call_id integer references call (id),
    primary key (source, base_url, endpoint, area_name)
);
create index claim_by_plan on claim (plan_id, call_id);
create index claim_by_call on claim (call_id);
alter table call add column plan_id integer;
alter table call add column ended_at text;
update call set outcome = 'unknown' where outcome = 'sent';
create index call_billed on call (source, base_url, endpoint, id) where outcome = 'billed';
create index call_under_way on call (plan_id) where outcome = 'sent';
create view answer as
    select call.id, source, base_url, endpoint, area_name, cents, request_id, retrieved_at, sha256,
        iif(json_valid(cast(body as text)), cast(body as text), null) as json
    from call join response on call_id = call.id;
create view newest as
    select * from answer
    where id in (select max(call_id) from call join response on call_id = id
        group by source, base_url, endpoint, area_name);
"""

_THIRD = """
create table name_list (
    id integer primary key,
    loaded_at text not null,
    file text not null,
    sha256 text not null,
    edition text,
    complete integer not null,
    names integer not null
);
create table listed_name (
    list_id integer not null references name_list (id),
    area_name text not null,
    state text,
    primary key (area_name, list_id)
) without rowid;
"""

_FOURTH = """
create table history (
    call_id integer primary key references response (call_id),
    format integer not null,
    crc32 integer not null,
    small integer not null,
    mended integer not null,
    made_up integer not null,
    records blob not null
);
drop index claim_by_plan;
drop index claim_by_call;
alter table call add column spends integer;
create trigger call_begins after insert on call when new.spends begin
    update claim set call_id = new.id, cents = 0
        where source = new.source and base_url = new.base_url and endpoint = new.endpoint
        and area_name = new.area_name and plan_id = new.plan_id and call_id is null;
end;
create view ended as
    select id as call_id, outcome, cents, http_status, request_id, ended_at, retrieved_at, headers, sha256, body,
        null as again
    from call left join response on call_id = id where ended_at is not null;
create trigger call_ends instead of insert on ended begin
    update call set outcome = new.outcome, cents = new.cents, http_status = new.http_status,
        request_id = new.request_id, ended_at = new.ended_at
        where id = new.call_id and ended_at is null;
    insert into response select new.call_id, new.retrieved_at, new.headers, new.sha256, new.body
        where new.body is not null;
    delete from claim where call_id = new.call_id and new.again is null
        and (source, base_url, endpoint, area_name) =
            (select source, base_url, endpoint, area_name from call where id = new.call_id);
    update claim set call_id = null, cents = new.again where call_id = new.call_id
        and (source, base_url, endpoint, area_name) =
            (select source, base_url, endpoint, area_name from call where id = new.call_id);
end;
"""

# Two spellings of a base URL may have claims for the same item. One claim is kept; if a call is under way, the claim of
# that call. The other reservation is then overtaken, and does not send its call.
_FIFTH = """
alter table call add column price_header text;
drop view ended;
create view ended as
    select id as call_id, outcome, cents, http_status, request_id, price_header, ended_at, retrieved_at, headers,
        sha256, body, null as again
    from call left join response on call_id = id where ended_at is not null;
create trigger call_ends instead of insert on ended begin
    update call set outcome = new.outcome, cents = new.cents, http_status = new.http_status,
        request_id = new.request_id, price_header = new.price_header, ended_at = new.ended_at
        where id = new.call_id and ended_at is null;
    insert into response select new.call_id, new.retrieved_at, new.headers, new.sha256, new.body
        where new.body is not null;
    delete from claim where call_id = new.call_id and new.again is null
        and (source, base_url, endpoint, area_name) =
            (select source, base_url, endpoint, area_name from call where id = new.call_id);
    update claim set call_id = null, cents = new.again where call_id = new.call_id
        and (source, base_url, endpoint, area_name) =
            (select source, base_url, endpoint, area_name from call where id = new.call_id);
end;
drop view newest;
drop view answer;
create view answer as
    select id, source, base_url, endpoint, area_name, cents, request_id, retrieved_at, sha256,
        case when not json_valid(text) then null
            when json_type(text, '$.data.area_name') = 'text'
                and json_extract(text, '$.data.area_name') <> area_name then null
            else text end as json
    from (select *, cast(body as text) as text from call join response on call_id = id);
create view newest as
    select * from answer
    where id in (select max(call_id) from call join response on call_id = id
        group by source, base_url, endpoint, area_name);
update call set base_url = canonical_url(base_url) where base_url <> canonical_url(base_url);
update or replace claim set base_url = canonical_url(base_url)
    where call_id is not null and base_url <> canonical_url(base_url);
update or ignore claim set base_url = canonical_url(base_url) where base_url <> canonical_url(base_url);
delete from claim where base_url <> canonical_url(base_url);
"""

_SIXTH = """
create table compressed (
    call_id integer primary key references response (call_id),
    base_id integer references response (call_id) check (base_id < call_id),
    data blob not null
);
"""

_SEVENTH = """
create table listed_place (
    list_id integer not null references name_list (id),
    area_name text not null,
    lga text,
    lga_share real,
    postcode text,
    postcode_share real,
    sa2 text,
    sa2_share real,
    sa3 text,
    sa3_share real,
    sa4 text,
    sa4_share real,
    dwellings integer,
    persons integer,
    partly text not null,
    primary key (area_name, list_id)
) without rowid;
create table packed_names (
    lists text primary key,
    layout integer not null,
    packed blob not null
);
"""

_EIGHTH = """
alter table plan add column process integer;
drop view newest;
drop view answer;
"""

_NINTH = ""  # since then, a claim ends where its call begins, which a process of an earlier version would not see

_TENTH = "alter table listed_place add column sal_code text"

VERSIONS: Final = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH, _SEVENTH, _EIGHTH, _NINTH, _TENTH)
"""The SQL that migrates a store from each version to the next."""

READABLE: Final = 7
"""The oldest version that is read without a migration if the file is read-only."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a store's schema."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate the schema to the newest version, in the transaction of the caller."""
    connection.create_function("canonical_url", 1, canonical_url, deterministic=True)
    for version, script in enumerate(VERSIONS[version_of(connection) :], version_of(connection) + 1):
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"pragma user_version = {version}")


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements. A semicolon inside a trigger does not end one."""
    statement = ""
    for piece in f"{script.strip()};".split(";")[:-1]:
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
