"""Records calls on a cassette, and finds recorded responses. A process uses at most one cassette at a time.

Reading and writing the file is left to file, and its format to vcr_yaml. Deciding which requests a cassette answers is
left to client and purchasing.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, get_args

from msgspec.structs import replace as replace_response

from suburb_pandas.errors import CassetteError, SuburbWarning
from suburb_pandas.messages import counted, warn
from suburb_pandas.names.gazetteer import ListedNames, Place
from suburb_pandas.redaction import holds_key
from suburb_pandas.service import statuses
from suburb_pandas.service.calls import Item, RecordedInteraction, Response
from suburb_pandas.settings import Key, Settings, Source, expand_home, is_rerun

Record = Literal["once", "none", "new_episodes", "all"]
"""The modes of recording, as vcrpy calls them."""

_MODES: Final = get_args(Record)
_LONG_AGO: Final = "1970-01-01T00:00:00+00:00"
_SOURCES: Final[tuple[Source, ...]] = ("live", "sandbox", "embedded")

_log = logging.getLogger("suburb_pandas")


class Cassette:
    """A cassette in use. Requests read responses from it as from a store, and it records calls."""

    def __init__(self, path: Path, record: Record) -> None:
        from suburb_pandas.cassettes.file import CassetteFile  # noqa: PLC0415 - needs PyYAML, which only cassettes use
        from suburb_pandas.cassettes.vcr_yaml import Contents  # noqa: PLC0415 - as above

        self.path = path
        self.record = record
        self._file = CassetteFile(path, anew=record == "all")
        self._lock = threading.Lock()
        self._responses: dict[Item, list[Response]] = {}
        self._refusals: dict[Item, Response] = {}
        self._in_file_order: list[tuple[Item, Response]] = []
        self._sources: set[str] = set()
        self._is_made_up = False
        adds = record == "new_episodes" and not is_rerun()
        contents = Contents([]) if record == "all" else self._file.load(to_add=adds)
        self._requests_with_key = contents.requests_with_key
        self.names: ListedNames | None = contents.names
        for call in contents.calls:
            self._hold(call)
        self.replays: bool = record == "none" or (record == "once" and self._file.holds_something)
        if record == "none" and not is_rerun() and not self._file.path.exists():
            raise CassetteError(
                f"There is no cassette {path}, so nothing can be replayed. Check its name and folder, or record it by "
                "running the same code with record='once'."
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

    def warn_of_keys(self) -> None:
        """Warn if vcrpy recorded an API key in requests that the file holds. The key is not shown."""
        if self._requests_with_key:
            warn(
                f"The cassette {self.path} holds an API key in {counted(self._requests_with_key, 'request')}. Do not "
                "publish the file, and change the key; then record it again with vcrpy's "
                'filter_headers=["authorization"]',
                SuburbWarning,
            )

    @property
    def source(self) -> Source | None:
        """The source of its responses and names; if there are several, the one that costs most; None if it is empty."""
        sources = {*self._sources, *([self.names.source] if self.names else [])}
        return next((source for source in _SOURCES if source in sources), None)

    @property
    def is_real(self) -> bool:
        """True if it holds calls or names, and none of its calls returned made-up data."""
        return self.source is not None and not self._is_made_up

    def asked(self, endpoint: str) -> list[str]:
        """Return the suburbs or queries for which it holds data of this endpoint."""
        return [
            item.area_name
            for item, responses in self._responses.items()
            if item.endpoint == endpoint and item not in self._refusals and not responses[-1].is_refusal
        ]

    def refusal(self, item: Item) -> Response | None:
        """Return the last recorded response to an item if no store would have it; otherwise None."""
        return self._refusals.get(item)

    def newest(self, items: Sequence[Item], *, by: str | None = None) -> dict[Item, Response]:
        """Return the last response of each item; ``by`` leaves out responses retrieved after that time."""
        found = {item: _last(self._responses.get(item, ()), by) for item in items if item not in self._refusals}
        return {item: response for item, response in found.items() if response is not None}

    def vintages(self, item: Item) -> list[Response]:
        """Return every response of an item once, oldest first; in the order of the file if a time is not known."""
        found = self._responses.get(item, [])
        distinct = [response for number, response in enumerate(found) if response not in found[number + 1 :]]
        if not all(response.retrieved_at for response in distinct):
            return distinct
        return sorted(distinct, key=lambda response: response.retrieved_at)

    def numbered(self) -> dict[int, Item]:
        """Return the item of each response but refusals. Their numbers are below zero, those of a store above."""
        return {-number: item for number, (item, _) in enumerate(self._in_file_order, 1)}

    def bodies(self, calls: Iterable[int]) -> dict[int, bytes]:
        """Return the bodies of those responses."""
        return {call: self._in_file_order[-call - 1][1].content for call in calls}

    def add(self, calls: Sequence[RecordedInteraction], base_url: str, secret: Key | None) -> None:
        """Record calls in the file, except those that are there already.

        Raises
        ------
        CassetteError
            The file cannot be written, or a call holds an API key.
        """
        with self._lock:
            new = [call for call in calls if self._is_new(call)]
            for call in new:
                self._check(call, base_url, secret)
                self._write(call, base_url)
            for call in {call.item: call for call in new if call.item in self._responses}.values():
                newest = max(reversed(self._responses[call.item]), key=lambda response: response.retrieved_at)
                if newest.retrieved_at > call.response.retrieved_at:
                    # The last one in the file counts, so the newest one is added again, after this one.
                    self._write(call._replace(response=newest), base_url)

    def carry(self, names: ListedNames, listed: Callable[[str], Sequence[Place]], secret: Key | None) -> None:
        """Record the places that loaded lists have for some bases, unless the file has them already.

        If the file has names of other lists, they are replaced: ``listed`` returns the places of a base in these lists.

        Raises
        ------
        CassetteError
            The file cannot be written, or a text holds an API key.
        """

        def change(present: ListedNames | None) -> ListedNames:
            by_base = dict(present.by_base) if present else {}
            if present is None or present.lists != names.lists:
                by_base = {base: listed(base) for base in by_base}
            return replace(names, by_base=by_base | dict(names.by_base))

        with self._lock:
            known = self.names
            if known and known.lists == names.lists and names.by_base.keys() <= known.by_base.keys():
                return
            if _any_holds_key([*names.by_base, *(one.file for one in names.lists)], secret):
                raise CassetteError(
                    "A name that was asked for, or the file name of a loaded list, holds an API key, so it was not "
                    f"written to the cassette {self.path}. Take the key out of the name, and change the key."
                )
            self.names = self._file.change_names(change)
        _log.debug("%s: recorded", counted(len(names.by_base), "name"))

    def _is_new(self, call: RecordedInteraction) -> bool:
        """Return True if a call is to be recorded. A refusal that no store keeps is not recorded after a response."""
        return not self._has(call) and (_is_stored(call) or call.item not in self._responses)

    def _write(self, call: RecordedInteraction, base_url: str) -> None:
        self._file.add(call, base_url)
        self._hold(call)
        _log.debug("%s of %r: recorded", call.item.endpoint, call.item.area_name)

    def _has(self, call: RecordedInteraction) -> bool:
        if _is_stored(call):
            return call.response in self._responses.get(call.item, ())
        known, response = self._refusals.get(call.item), call.response
        return known is not None and (known.status, known.sha256) == (response.status, response.sha256)

    def _check(self, call: RecordedInteraction, base_url: str, secret: Key | None) -> None:
        """Raise `CassetteError` if a call holds an API key."""
        if _any_holds_key((call.item.area_name,), secret):
            raise CassetteError(
                f"The name in a request to {call.item.endpoint} holds an API key, so the call was not written to the "
                f"cassette {self.path}. The name is in the store's ledger, so change the key."
            )
        if _any_holds_key(
            (base_url, *call.response.headers.values(), call.response.content.decode("utf-8", "replace")), secret
        ):
            raise CassetteError(
                f"The response for {call.item.area_name!r} holds an API key, so it was not written to the cassette "
                f"{self.path}; it is in the store. Tell the service, and change the key."
            )

    def _hold(self, call: RecordedInteraction) -> None:
        """Keep a call in memory. The last call of an item counts, whatever its status."""
        self._sources.add(call.response.source)
        self._is_made_up = self._is_made_up or call.response.made_up
        if _is_stored(call):
            sent = call.response.retrieved_at or _LONG_AGO
            self._responses.setdefault(call.item, []).append(replace_response(call.response, call=0, at=sent))
            self._refusals.pop(call.item, None)
            if not call.response.is_refusal:
                self._in_file_order.append((call.item, call.response))
        else:
            self._refusals[call.item] = call.response

    @property
    def n_answers(self) -> int:
        """The number of responses that it holds."""
        return len(self._in_file_order)

    def __repr__(self) -> str:
        number = counted(self.n_answers, "response")
        return f"<Cassette {self.path}: {f'replays {number}' if self.replays else f'records; {number} so far'}>"


def _is_stored(call: RecordedInteraction) -> bool:
    return statuses.is_stored(call.response.status, call.response.cents)


def _any_holds_key(texts: Iterable[str], secret: Key | None) -> bool:
    """Return True if one of the texts holds an API key.

    Rejected: doing this in `_check`, where a traceback that shows variables would show the texts.
    """
    keys = [] if secret is None else [secret.value]
    return any(holds_key(text, keys) for text in texts)


def _last(responses: Sequence[Response], by: str | None) -> Response | None:
    """Return the last response; with ``by``, the newest one retrieved at or before that time."""
    if by is None:
        return responses[-1] if responses else None
    return max(
        (response for response in responses if "" < response.retrieved_at <= by),
        key=lambda response: response.retrieved_at,
        default=None,
    )


_in_use: Cassette | None = None
_lock = threading.Lock()


def in_use() -> Cassette | None:
    """Return the cassette that this process uses, if there is one."""
    return _in_use


@contextmanager
def cassette(path: str | os.PathLike[str], record: Record = "once") -> Iterator[Cassette]:
    """Record the responses that a block uses, or replay them with no key and no network.

    The file is a cassette in the format of vcrpy: text that can be read, compared and published beside a notebook.
    Publishing the file publishes the data in it, so read the terms of the service first. It holds neither keys nor
    balances. If a response repeats the API key, the key is cut out; a response or name that still holds a key is
    refused.

    In replay, every response comes from the cassette, in any order, any number of times and in any number of threads.
    Nothing is sent or bought, and no store is read or written. The API key, ``refresh`` and ``max_age`` are ignored.
    If the cassette does not hold a response, `NotStored` is raised.

    Of a list that :func:`load_gazetteer` loaded, the cassette holds a digest and the entries for the names that the
    block asks about, never the whole list. In replay, each of these names has the same meaning as in the recording. If
    a suburb is known only from responses that are not recorded, a warning says so while recording. The ledger and
    quotes are not recorded either, and a warning says so. In replay, the ledger is that of the client in use, and
    nothing costs anything.

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
        again. It replaces a cassette of this package or of vcrpy, even a damaged one, and no other file.

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
        The cassette cannot be read or written, another one is in use, or ``"all"`` would replace a file that is
        not a cassette.
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
    recorded from this service replays here. If the same call was recorded several times, the last one counts.

    Examples
    --------
    >>> with sp.cassette("study.yaml"):  # doctest: +SKIP
    ...     rents = sp.rent(["Quokka Bay", "Bilby Heights"])
    """
    global _in_use  # noqa: PLW0603 - a process has one, and this module owns it
    if record not in _MODES:
        raise ValueError(f"record must be one of {', '.join(map(repr, _MODES))}, not {record!r}.")
    with _lock:
        if _in_use is not None:
            raise CassetteError(f"The cassette {_in_use.path} is in use. Its block has to end before another begins.")
        _in_use = Cassette(_expanded(path), "once" if record == "all" and is_rerun() else record)
    try:
        _in_use.warn_of_keys()
        yield _in_use
    finally:
        _in_use = None


def _expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with its ``~`` replaced; raise `CassetteError` if there is no such home folder."""
    try:
        return Path(expand_home(path))
    except FileNotFoundError:
        raise CassetteError(
            f"The cassette {path} cannot be read or written: there is no such home folder. Write its path without ~."
        ) from None
