"""Records calls on a cassette, and finds recorded responses. A process uses at most one cassette at a time.

Reading and writing the file is left to file, and its format to vcr_yaml. Deciding which requests a cassette answers is
left to client and purchasing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Final, Literal, get_args

from suburb_pandas.errors import CassetteError, SuburbWarning
from suburb_pandas.messages import counted, listed, warn
from suburb_pandas.names.gazetteer import ListedNames
from suburb_pandas.redaction import holds_key
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import Item, RecordedInteraction, Response
from suburb_pandas.settings import Key, Settings, Source, expand_home, is_rerun

Record = Literal["once", "none", "new_episodes", "all"]
"""The modes of recording, as vcrpy calls them."""

_MODES: Final = get_args(Record)


class Cassette:
    """A cassette in use. Requests read responses from it as from a store, and it records calls."""

    def __init__(self, path: Path, record: Record) -> None:
        from suburb_pandas.cassettes.file import CassetteFile  # noqa: PLC0415 - needs PyYAML, which only cassettes use

        self.path = path
        self.record = record
        self._file = CassetteFile(path, anew=record == "all")
        self._lock = threading.Lock()
        self._stored: dict[Item, list[Response]] = {}  # those that a store would have, oldest first
        self._refusals: dict[Item, Response] = {}  # the last one of those that no store would have
        self._data: list[RecordedInteraction] = []
        self._sources: set[str] = set()
        self._is_made_up = False
        contents = self._file.load(to_add=record == "new_episodes" and not is_rerun())
        self.names: ListedNames | None = None
        self._hold_names(contents.names)
        for call in contents.calls:
            self._hold(call)
        self.replays: bool = record == "none" or (record == "once" and self._file.holds_something)
        if record == "none" and not is_rerun() and not self._file.path.exists():
            raise CassetteError(
                f"There is no cassette {path}, so nothing can be replayed. Check its name and folder, or record it by "
                "running the same code with record='once'."
            )
        if contents.requests_with_key:
            warn(
                f"The cassette {path} holds an API key in {counted(contents.requests_with_key, 'request')}. Do not "
                "publish the file, and change the key; then record it again with vcrpy's "
                'filter_headers=["authorization"]',
                SuburbWarning,
            )

    def only_replays(self, settings: Settings) -> bool:
        """Return True if a client with these settings reads the file and adds nothing to it.

        In a rerun, only the embedded sandbox is recorded, onto a cassette of its own, for a client with its key.
        Without a key, the code may be a rerun of a paid study, and nothing made up must get onto its cassette.
        """
        if self.replays or not is_rerun():
            return self.replays
        is_embedded = settings.base_url is None and settings.was_given("api_key")
        return not is_embedded or self.source not in {None, "embedded"}

    @property
    def source(self) -> Source | None:
        """The source of its responses and names; if there are several, the one that costs most; None if it is empty."""
        by_cost = reversed(get_args(Source))
        return next((source for source in by_cost if source in self._sources), None)

    @property
    def is_real(self) -> bool:
        """True if it holds calls or names, and none of its calls returned made-up data."""
        return self.source is not None and not self._is_made_up

    def asked(self, endpoint: str) -> set[str]:
        """Return the suburbs or queries for which it holds data of this endpoint."""
        return {item.area_name for item, _ in self._data.copy() if item.endpoint == endpoint}

    def refusal(self, item: Item) -> Response | None:
        """Return the recorded refusal of an item if it holds no response that a store would have; otherwise None."""
        return None if item in self._stored else self._refusals.get(item)

    def newest(self, items: Sequence[Item], *, by: str | None = None) -> dict[Item, Response]:
        """Return the newest response of each item; with ``by``, of those retrieved at or before that time.

        If the times are equal or not known, the last one in the file counts.
        """
        found = {}
        for item in items:
            responses = self._stored.get(item, [])
            if by is not None:
                responses = [one for one in responses if "" < one.retrieved_at <= by]
            if responses:
                found[item] = responses[-1]
        return found

    def vintages(self, item: Item) -> list[Response]:
        """Return every response of an item once, oldest first; in the order of the file if no time is known."""
        last_first = dict.fromkeys(reversed(self._stored.get(item, [])))
        return [*reversed(last_first)]

    def numbered(self) -> dict[int, RecordedInteraction]:
        """Return the calls that were not refused. Their numbers are below zero, those of a store above."""
        return {-number: call for number, call in enumerate(self._data, 1)}

    def add(self, calls: Sequence[RecordedInteraction], base_url: str, secret: Key | None) -> None:
        """Record calls in the file, except those that are there already.

        Raises
        ------
        CassetteError
            The file cannot be written, or a call holds an API key.
        """
        with self._lock:
            for call in calls:
                if self._is_new(call):
                    self._check(call, base_url, secret)
                    self._file.add(call, base_url)
                    self._hold(call)

    def carry(self, names: ListedNames, secret: Key | None) -> None:
        """Record names of loaded lists, unless the file has them already. Names of other lists are removed from it.

        Raises
        ------
        CassetteError
            The file cannot be written, or a text holds an API key.
        """
        with self._lock:
            known = self.names
            if known and known.lists == names.lists and names.by_base.keys() <= known.by_base.keys():
                return
            if _any_holds_key([*names.by_base, *(one.file for one in names.lists)], secret):
                raise self._holds_key("A name that was asked for, or the file name of a loaded list,")
            self._hold_names(self._file.add_names(names))

    def _is_new(self, call: RecordedInteraction) -> bool:
        """Return True if a call is to be recorded. A refusal that no store keeps is not recorded after a response."""
        item, response = call
        if _is_stored(response):
            return response not in self._stored.get(item, [])
        known = self._refusals.get(item)
        return item not in self._stored and (known is None or known.status != response.status)

    def _check(self, call: RecordedInteraction, base_url: str, secret: Key | None) -> None:
        """Raise `CassetteError` if a call holds an API key. The message has no name, because the name may hold it."""
        item, response = call
        if _any_holds_key(
            (item.area_name, base_url, *response.headers.values(), response.content.decode("utf-8", "replace")), secret
        ):
            raise self._holds_key(f"A call to {item.endpoint}, with its name and response,")

    def _holds_key(self, what: str) -> CassetteError:
        return CassetteError(
            f"{what} holds an API key, so it was not written to the cassette {self.path}. "
            "What was bought is in the store; change the key."
        )

    def _hold(self, call: RecordedInteraction) -> None:
        """Keep a call in memory."""
        item, response = call
        if _is_stored(response):
            held = self._stored.setdefault(item, [])
            newer = takewhile(lambda one: one.retrieved_at > response.retrieved_at > "", reversed(held))
            held.insert(len(held) - len(list(newer)), response)
        else:
            self._refusals[item] = response
        self._sources.add(response.source)
        self._is_made_up = self._is_made_up or response.made_up
        if not response.is_refusal:
            self._data.append(call)

    def _hold_names(self, names: ListedNames | None) -> None:
        self.names = names
        if names:
            self._sources.add(names.source)

    @property
    def n_answers(self) -> int:
        """The number of responses that it holds, without refusals."""
        return len(self._data)

    def __repr__(self) -> str:
        number = counted(self.n_answers, "response")
        return f"<Cassette {self.path}: {f'replays {number}' if self.replays else f'records; {number} so far'}>"


def _is_stored(response: Response) -> bool:
    return statuses.is_stored(response.status, response.cents)


def _any_holds_key(texts: Iterable[str], secret: Key | None) -> bool:
    """Return True if one of the texts holds an API key.

    Rejected: raising the error here, where a traceback that shows variables would show the texts.
    """
    return any(holds_key(text, [secret.value] if secret else []) for text in texts)


_in_use: Cassette | None = None
_lock = threading.Lock()


def in_use() -> Cassette | None:
    """Return the cassette that this process uses, if there is one."""
    return _in_use


@contextmanager
def cassette(path: str | os.PathLike[str], record: Record = "once") -> Iterator[Cassette]:
    """Record the responses that a block uses, or replay them with no key and no network.

    The file is a cassette in the format of vcrpy: text that can be read, compared and published beside a notebook.
    Publishing the file publishes the data in it, so read the terms of the service first. The file holds neither keys
    nor balances. If a response repeats the API key, the key is cut out; a response or name that still holds a key is
    refused.

    In replay, every response comes from the cassette, in any order, any number of times and in any number of threads.
    Nothing is sent or bought, and only :func:`ledger` uses a store: that of the client in use. The API key, ``refresh``
    and ``max_age`` are ignored. If the cassette does not hold a response, `NotStored` is raised.

    Of a list that :func:`load_gazetteer` loaded, the cassette holds a digest and the entries for the names that the
    block asks about, never the whole list. In replay, each of these names has the same meaning as in the recording. The
    ledger, quotes, and a frame of :func:`places` with more than 500 suburbs, if it was asked for without names, are not
    recorded. A warning says so.

    While a cassette records, the store is used as usual, and every response that the block uses is added to the
    cassette. Recording a response that was bought before costs nothing. Each response is written at once, so an
    interrupted recording can be continued with ``"new_episodes"``. A process uses one cassette at a time, in all of its
    threads.

    While the environment variable ``SUBURB_RERUN`` is set, a cassette only replays, whatever ``record`` says. If a
    response or the whole file is missing, `NotStored` is raised, and no file is made or changed. Only responses of the
    embedded sandbox are still recorded, for a client with the key ``"embedded"``.

    Parameters
    ----------
    path
        The file. Its folder is created if needed.
    record
        ``"once"`` replays a file that exists, and records one that does not. ``"none"`` only replays.
        ``"new_episodes"`` asks the cassette, then the store, then the service, and adds new responses to the file.
        ``"all"`` replaces the file with the responses of the store and the service; stored responses are not bought
        again. It replaces no file that cannot be read as a cassette.

    Yields
    ------
    Cassette
        The cassette in use.

    Warns
    -----
    SuburbWarning
        vcrpy recorded the file with an API key in its requests.

    Raises
    ------
    CassetteError
        The cassette cannot be read or written, does not exist although ``record="none"``, or would hold an API key. Or
        another cassette is in use.
    ValueError
        ``record`` is not one of these four.

    See Also
    --------
    connect : Make the default client.
    cite : Cite the data in a frame.
    provenance : The responses behind a frame, checked value by value.

    Notes
    -----
    Use this in a study: it works with any number of threads, and carries names and vintages. In tests of your own code,
    use vcrpy (``@pytest.mark.vcr``), as with any other client.

    vcrpy (9.4 or newer) replays the file with ``match_on=["method", "path", "query"]``, and a file that vcrpy itself
    recorded from this service replays here. If the same call was recorded several times, the newest response counts.

    Examples
    --------
    >>> with sp.cassette("study.yaml"):  # doctest: +SKIP
    ...     rents = sp.rent(["Quokka Bay", "Bilby Heights"])
    """
    global _in_use  # noqa: PLW0603 - a process has one, and this module owns it
    if record not in _MODES:
        raise ValueError(f"record must be one of {listed(_MODES)}, not {record!r}.")
    with _lock:
        if _in_use is not None:
            raise CassetteError(f"The cassette {_in_use.path} is in use. Its block has to end before another begins.")
        _in_use = Cassette(_expanded(path), "once" if record == "all" and is_rerun() else record)
    try:
        yield _in_use
    finally:
        _in_use = None


def _expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with its ``~`` replaced; raise `CassetteError` if there is no such home folder."""
    try:
        return expand_home(path)
    except FileNotFoundError:
        raise CassetteError(
            f"The cassette {path} cannot be read or written: there is no such home folder. Write its path without ~."
        ) from None
