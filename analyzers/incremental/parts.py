"""Parts of results that most readers do without, each kept by the digest of its bytes: equal parts are kept once."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.incremental.blobs import digest
from analyzers.summaries import SummaryStore

PART = "part"


class Parts:
    """The parts in a store, and those of this run."""

    def __init__(self, store: SummaryStore) -> None:
        self._store = store
        self._new: dict[bytes, bytes] = {}

    def keep(self, data: bytes) -> bytes:
        """Keep a part; its name."""
        name = digest(data)
        self._new.setdefault(name, data)
        return name

    def find(self, name: bytes) -> bytes:
        """A part by its name; empty where the store has forgotten it."""
        found = self._new.get(name)
        return found if found is not None else self._store.get(PART, name) or b""

    def drop(self, names: Iterable[bytes]) -> None:
        """Write none of these that is not written yet."""
        for name in names:
            self._new.pop(name, None)

    def drain(self) -> list[bytes]:
        """What is new, to be sent to another process; here it is no longer new."""
        new, self._new = list(self._new.values()), {}
        return new

    def accept(self, parts: Iterable[bytes]) -> None:
        """Take over what another process drained."""
        for data in parts:
            self.keep(data)

    def save(self) -> None:
        """Write what is new to the store."""
        for name, data in self._new.items():
            self._store.put(PART, name, data)
        self._new.clear()
