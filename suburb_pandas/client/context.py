"""Defines the context of a request: a client, and the cassette that was in use when the request began.

Every loader makes one and passes it down, so that a request keeps its cassette even if the cassette's block ends first.
It decides whether responses and names come from the store or the cassette. Buying is left to purchasing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from suburb_pandas.cassettes.cassette import Cassette
from suburb_pandas.client.client import Client
from suburb_pandas.errors import SuburbWarning, SyntheticDataWarning
from suburb_pandas.messages import is_captured, warn
from suburb_pandas.names.gazetteer import ListedNames, NameList
from suburb_pandas.service.calls import Item, Namespace, RecordedInteraction, Response, age_seconds
from suburb_pandas.settings import Key, Settings, Source
from suburb_pandas.store import names_table, responses
from suburb_pandas.store.store import Store


@dataclass(frozen=True, slots=True)
class Reuse:
    """The conditions under which a request may use stored responses.

    With ``refresh``, it may use none; with ``max_age``, those of at most this age in seconds; with ``by``, those
    retrieved at or before that time. Without any of these, it may use all.
    """

    refresh: bool = False
    max_age: float | None = None
    by: str | None = None

    def takes(self, stored: Response) -> bool:
        """Return True if ``refresh`` and ``max_age`` allow the use of a response. ``by`` is not checked here."""
        return not self.refresh and (self.max_age is None or age_seconds(stored.at) <= self.max_age)


class RequestContext:
    """A client together with the cassette in use, if there is one.

    Attributes
    ----------
    replayed
        The cassette if it is replayed, otherwise None. In replay, every response comes from the cassette.
    recording
        The cassette if it records, otherwise None.
    source
        The source of the client; in replay, that of the cassette, unless the cassette is empty.
    namespace
        The part of the store that the client uses.
    secret
        The API key, if it has to be kept secret.
    is_default
        True if the client is the default one.
    """

    def __init__(self, client: Client, cassette: Cassette | None = None, *, is_default: bool = True) -> None:
        self.client = client
        self.is_default = is_default
        self.cassette = cassette
        self.settings: Settings = client.settings
        self.secret: Key | None = client.settings.secret
        self.namespace: Namespace = client.namespace
        self.replayed: Cassette | None = cassette if cassette and cassette.only_replays(client.settings) else None
        self.recording: Cassette | None = None if self.replayed else cassette
        # Its responses come before those of the store in replay, and while it is being completed.
        comes_first = cassette and (self.replayed or cassette.record == "new_episodes")
        self._read_first: Cassette | None = cassette if comes_first else None
        self.source: Source = (self.replayed and self.replayed.source) or self.settings.source

    @cached_property
    def store(self) -> Store:
        """The client's own store. It first writes answers that it could not write before, so this request finds them.

        The request keeps the store, because the client may be closed in the middle of the request.
        """
        store = self.client.store
        store.catch_up()
        return store

    @property
    def would_mix(self) -> bool:
        """True if a client of the embedded sandbox would record made-up responses onto a cassette of real ones."""
        return self.settings.source == "embedded" and self.cassette is not None and self.cassette.is_real

    def newest(
        self, items: Sequence[Item], reuse: Reuse | None = None, *, packed: bool = False
    ) -> dict[Item, Response]:
        """Return the facts about the newest response of each item, even if the request may not use it.

        If the cassette is read first, a response on it that the request may use comes before the one in the store; with
        ``reuse.by``, the newer of both is returned. With ``packed``, the facts include the packed payloads that are
        stored, unless a cassette is in use.
        """
        reuse = reuse or Reuse()
        recorded = self._read_first.newest(items, by=reuse.by) if self._read_first else {}
        if self.replayed:
            return recorded
        packed = packed and self.cassette is None  # a cassette records bodies
        found = self.store.read(responses.newest, self.namespace, items, by=reuse.by, packed=packed)
        for item, response in recorded.items():
            stored = found.get(item, Response())
            is_newer = reuse.by is None or response.retrieved_at >= stored.retrieved_at
            if is_newer and reuse.takes(response):
                found[item] = replace(response, call=stored.call)
        return found

    def read(self, stored: Mapping[Item, Response]) -> dict[Item, Response]:
        """Return the responses that :meth:`newest` has found, with their bodies. Those of the store are recorded."""
        unread = {item: response for item, response in stored.items() if response.body is None}
        found = self.store.with_bodies(unread) if unread else {}
        self.record(found.items())
        return {item: found.get(item, response) for item, response in stored.items()}

    def vintages(self, item: Item) -> list[Response]:
        """Return every response of an item with its body, oldest first. Those of the store are recorded."""
        recorded = self._read_first.vintages(item) if self._read_first else []
        if self.replayed:
            return recorded
        stored = self.store.vintages(self.namespace, item)
        self.record((item, response) for response in stored)
        both = [response for response in recorded if response not in stored] + stored
        return sorted(both, key=lambda response: response.retrieved_at) if recorded else stored

    def responses_since(self, after: int) -> tuple[dict[int, Item], int]:
        """Return the item of each response whose call is later than ``after``, and the last settled call.

        The calls on the cassette, whose numbers are below zero, are always included. Refusals are left out, because
        they confirm no name. The settled call and all calls before it have ended.
        """
        recorded = {number: call.item for number, call in self._recorded().items()}
        found, settled = ({}, after) if self.replayed else self.store.read(responses.since, self.namespace, after)
        return recorded | found, settled

    def bodies(self, calls: Iterable[int], beginning: int | None = None) -> dict[int, bytes]:
        """Return the undamaged bodies of those calls; with ``beginning``, only so many bytes of those in the store."""
        numbers = set(calls)
        recorded = {call: one.response.content for call, one in self._recorded().items() if call in numbers}
        stored = [call for call in numbers if call > 0]
        if not stored:
            return recorded
        if beginning:
            return recorded | self.store.read(responses.beginnings, stored, beginning)
        return recorded | {call: response.content for call, response in self.store.responses(stored).items()}

    def _recorded(self) -> dict[int, RecordedInteraction]:
        return self._read_first.numbered() if self._read_first else {}

    @property
    def carried(self) -> ListedNames | None:
        """The names on the cassette in use, if they are used instead of loaded lists; otherwise None.

        They are used in replay, and while a client without loaded lists completes the cassette.
        """
        names = self._read_first.names if self._read_first else None
        return names if names and not self._loaded_lists() else None

    def name_lists(self) -> list[NameList]:
        """Return the lists of suburb names that are loaded; in replay, those that were loaded during the recording."""
        carried = self.carried
        return list(carried.lists) if carried else self._loaded_lists()

    def _loaded_lists(self) -> list[NameList]:
        """Return the lists in the store; none in replay."""
        return [] if self.replayed else self.store.read(names_table.lists)

    def record(self, recorded: Iterable[tuple[Item, Response]]) -> None:
        """Add responses to the cassette in use, if it records. Nothing made up gets onto a cassette of real responses.

        Raises
        ------
        CassetteError
            A response cannot be recorded.
        """
        if self.recording is not None and not self.would_mix:
            calls = [RecordedInteraction(item, response) for item, response in recorded]
            self.recording.add(calls, self.namespace.base_url, self.secret)

    def warn_if_recording(self, what: str) -> None:
        """Warn, while a cassette records, that it will not hold a result: ``what`` names the result."""
        if self.recording is not None:
            warn(
                f"{what} is not recorded on the cassette {self.recording.path}, so a replay will show a different one. "
                "Leave it out of code that has to show the same in every replay.",
                SuburbWarning,
            )

    def warn_if_made_up(self) -> None:
        """Warn, once for each client, that there is no API key and the suburbs are therefore made up."""
        asks_no_sandbox = self.replayed or self.would_mix or self.source != "embedded"
        if asks_no_sandbox or self.settings.was_given("api_key") or self.client.has_warned:
            return
        self.client.has_warned = not is_captured()
        warn(
            "No API key is set, so all suburbs and numbers here are made up. "
            'Run sp.connect(api_key="test") for nine real suburbs, free. '
            'Run sp.connect(api_key="embedded") for the made-up ones without this warning.',
            SyntheticDataWarning,
        )
