"""Cassettes in use: what one answers, and what goes into it. At most one is in use in a process at a time.

A cassette is asked by clients as a store is, and knows neither. The file is cassette_file's.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, get_args

from suburb_pandas.errors import CassetteError
from suburb_pandas.messages import counted
from suburb_pandas.names.gazetteer import NameList, Row
from suburb_pandas.redaction import holds_key
from suburb_pandas.service.calls import Item, Namespace, RecordedInteraction, Response, StoredResponse
from suburb_pandas.service.endpoints import is_made_up
from suburb_pandas.service.rent_columns import History
from suburb_pandas.settings import Key, Source

Record = Literal["once", "none", "new_episodes", "all"]
"""When to record, in the words of vcrpy."""

_MODES: Final = get_args(Record)
_OK: Final = 200
_LONG_AGO: Final = "1970-01-01T00:00:00+00:00"
_SOURCES: Final[tuple[Source, ...]] = ("live", "sandbox", "embedded")

_log = logging.getLogger("suburb_pandas")


class Cassette:
    """A cassette in use. It can be asked for what it holds as a store can.

    ``clients`` has the clients that use it, as they are meanwhile; they are the client module's.
    """

    def __init__(self, path: Path, record: Record) -> None:
        from suburb_pandas.cassettes.file import CassetteFile  # noqa: PLC0415 - brings PyYAML, which only cassettes need

        self.path = path
        self.record = record
        self.clients: dict[int, Any] = {}
        self._file = CassetteFile(path, anew=record == "all")
        self._lock = threading.Lock()
        self._answers: dict[Item, list[Response]] = {}
        self._refusals: dict[Item, RecordedInteraction] = {}
        self._every: list[tuple[Item, Response]] = []
        self._sources: set[str] = set()
        self._is_made_up = False
        for call in [] if record == "all" else self._file.load(to_add=record == "new_episodes"):
            self._hold(call)
        self.replays = record == "none" or (record == "once" and self._file.holds_calls)
        if record == "none" and not self._file.path.exists():
            raise CassetteError(
                f"The cassette {path} cannot be read: there is none. To record it, run the same with record='once'."
            )

    @property
    def source(self) -> Source | None:
        """Where its answers came from: if from several, the one whose answers cost most; None of an empty one."""
        return next((source for source in _SOURCES if source in self._sources), None)

    @property
    def is_real(self) -> bool:
        """Whether it holds answers, and none of made-up data."""
        return bool(self._sources) and not self._is_made_up

    def names(self, endpoint: str) -> list[str]:
        """Give what it has answers of."""
        return [item.subject for item in self._answers if item.endpoint == endpoint and item not in self._refusals]

    def refusal(self, item: Item) -> RecordedInteraction | None:
        """Give the answer other than 200 that it holds."""
        return self._refusals.get(item)

    def newest(
        self,
        _namespace: Namespace,
        items: Sequence[Item],
        *,
        by: str | None = None,
        histories: bool = False,  # noqa: ARG002 - a cassette has none
    ) -> dict[Item, StoredResponse]:
        """Give the last answer of each item that has one; ``by`` leaves out what came after that time."""
        found: dict[Item, StoredResponse] = {}
        for item in items:
            response = None if item in self._refusals else _last(self._answers.get(item, ()), by)
            if response is not None:
                found[item] = _where(response)
        return found

    def read(self, stored: Mapping[Item, StoredResponse]) -> dict[Item, Response]:
        """Give the answers that were found."""
        return {item: where.response for item, where in stored.items() if where.response is not None}

    def keep_histories(self, found: Mapping[int, History]) -> None:
        """Keep rents in columns: a cassette does not."""

    def vintages(self, _namespace: Namespace, item: Item) -> list[Response]:
        """Give every answer of an item, in the order of the file."""
        return list(self._answers.get(item, ()))

    def responses_since(self, _namespace: Namespace, after: int) -> tuple[dict[int, Item], int]:
        """Give all that it has answers of, by numbers below zero; a store's are above it."""
        return {-number: item for number, (item, _) in enumerate(self._every, 1)}, after

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Give the bodies of those answers."""
        return {call: self._every[-call - 1][1].body for call in calls}

    def beginnings(self, calls: Iterable[int], length: int) -> dict[int, bytes]:
        """Give the first bytes of those bodies."""
        return {call: body[:length] for call, body in self.bodies(calls).items()}

    def last_unknown(self, _namespace: Namespace, _items: Sequence[Item]) -> dict[Item, int]:
        """Give the calls whose outcome nobody knows: a cassette has none."""
        return {}

    def last_price(self, _namespace: Namespace, _endpoint: str) -> int:
        """Give what the last answer was charged: of a cassette, nothing."""
        return 0

    def name_lists(self) -> list[NameList]:
        """Give the lists of suburb names: a cassette has none."""
        return []

    def listed_names(self) -> list[Row]:
        """Give the names of those lists."""
        return []

    def add(self, call: RecordedInteraction, base_url: str, secret: Key | None) -> None:
        """Write down what a client was answered, unless it is there already.

        Raises
        ------
        CassetteError
            The file cannot be written, or the answer holds a key.
        """
        with self._lock:
            if self._has(call) or (call.status != _OK and call.item in self._answers):
                return  # what was served before counts, as it does in the store
            self._check(call, base_url, secret)
            newest = _last(self._answers.get(call.item, ()), None)
            self._file.add(call, base_url)
            self._hold(call)
            if newest is not None and newest.retrieved_at > call.response.retrieved_at:
                self._file.add(call._replace(response=newest), base_url)  # as the last of them is the one that counts
                self._hold(call._replace(response=newest))
        _log.debug("%s of %r: recorded", *call.item)

    def _has(self, call: RecordedInteraction) -> bool:
        if call.status == _OK:
            return call.response in self._answers.get(call.item, ())
        known = self._refusals.get(call.item)
        return known is not None and (known.status, known.response.sha256) == (call.status, call.response.sha256)

    def _check(self, call: RecordedInteraction, base_url: str, secret: Key | None) -> None:
        if _hold_key((call.item.area_name,), secret):
            raise CassetteError(
                f"What was asked of {call.item.endpoint} holds an API key, so it was not written to the cassette "
                f"{self.path}. It is in the ledger of the store; change the key."
            )
        if _hold_key(
            (base_url, *call.response.headers.values(), call.response.body.decode("utf-8", "replace")), secret
        ):
            raise CassetteError(
                f"What came for {call.item.subject!r} holds an API key, so it was not written to the cassette "
                f"{self.path}. Tell the service, and change the key; what was bought is in the store."
            )

    def _hold(self, call: RecordedInteraction) -> None:
        """Know of a call: the last one of an item counts, be it an answer or not."""
        self._sources.add(call.response.source)
        self._is_made_up = self._is_made_up or is_made_up(call.response.headers, call.response.source)
        if call.status == _OK:
            self._answers.setdefault(call.item, []).append(call.response)
            self._every.append((call.item, call.response))
            self._refusals.pop(call.item, None)
        else:
            self._refusals[call.item] = call

    @property
    def n_answers(self) -> int:
        """How many answers it holds."""
        return len(self._every)

    def __repr__(self) -> str:
        number = counted(self.n_answers, "answer")
        return f"<Cassette {self.path}: {f'replays {number}' if self.replays else f'records; {number} so far'}>"


def _hold_key(texts: Iterable[str], secret: Key | None) -> bool:
    """Whether one of some texts holds a key. Not where an error is raised, whose traceback would show them."""
    keys = [] if secret is None else [secret.value]
    return any(holds_key(text, keys) for text in texts)


def _where(response: Response) -> StoredResponse:
    """Describe an answer as a store would."""
    at, sha256, request_id = response.retrieved_at, response.sha256, response.request_id
    return StoredResponse(0, at or _LONG_AGO, at, response.cents, sha256, request_id, response=response)


def _last(responses: Sequence[Response], by: str | None) -> Response | None:
    """Give the last of some responses; the newest of those that had come by a time, if one is given."""
    if by is None:
        return responses[-1] if responses else None
    return max(
        (one for one in responses if "" < one.retrieved_at <= by), key=lambda one: one.retrieved_at, default=None
    )


_in_use: Cassette | None = None
_lock = threading.Lock()


def in_use() -> Cassette | None:
    """Give the cassette that is in use in this process, if one is."""
    return _in_use


@contextmanager
def cassette(path: str | os.PathLike[str], record: Record = "once") -> Iterator[Cassette]:
    """Record what the block is served, or replay it: with no key, no network and no spend.

    The file is a cassette in the format of vcrpy, as text that can be read, compared and published beside a notebook.
    Publishing it publishes the data in it, which somebody bought: mind the terms of the service. It holds neither keys
    nor balances, and an answer with a key in it is refused.

    In replay the cassette alone answers, in any order, as often as it is asked, from any number of threads: no
    connection is opened, and no store is read or written. Which key is in force does not matter then, nor what
    ``refresh`` and ``max_age`` say. What it does not hold is a `NotStored`. It holds answers, not the lists of names
    that somebody loaded, so give :func:`resolve` a file of ``pins``.

    While it records, the store serves as usual, and what it serves goes into the cassette as well: recording what has
    been bought costs nothing. Each answer is in the file before the next, so whoever is interrupted goes on with
    ``"new_episodes"``. One cassette can be in use in a process, by all its threads.

    Parameters
    ----------
    path
        The file. Its folder is made where there is none.
    record
        ``"once"`` replays a cassette that is there, and records one that is not. ``"none"`` only replays.
        ``"new_episodes"`` asks the cassette, then the store, then the service, and adds what was not there.
        ``"all"`` writes the file anew, from what the store and the service give; it does not buy again.

    Raises
    ------
    CassetteError
        The cassette cannot be read or written, or another one is in use.
    ValueError
        ``record`` is none of these.

    Notes
    -----
    vcrpy (9.4 or newer) replays the file with ``match_on=["method", "path", "query"]``, and what plain vcrpy recorded
    of this service replays here; of several answers to the same call the last one counts.

    Examples
    --------
    >>> with sp.cassette("study.yaml"):  # doctest: +SKIP
    ...     rents = sp.rent(["Quokka Bay", "Bilby Heights"])
    """
    global _in_use  # noqa: PLW0603 - there is one in a process, and this is its owner
    if record not in _MODES:
        raise ValueError(f"record is one of {', '.join(map(repr, _MODES))}, not {record!r}.")
    with _lock:
        if _in_use is not None:
            raise CassetteError(f"The cassette {_in_use.path} is in use. Its block has to end before another begins.")
        _in_use = Cassette(Path(os.path.expanduser(path)), record)  # noqa: PTH111 - which leaves an unknown user's ~ alone
    try:
        yield _in_use
    finally:
        _in_use = None


def _renew_locks() -> None:
    """After a fork: a thread that is not here may hold the parent's."""
    global _lock  # noqa: PLW0603 - as above
    _lock = threading.Lock()
    if _in_use is not None:
        _in_use._lock = threading.Lock()  # noqa: SLF001 - of this very module


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
