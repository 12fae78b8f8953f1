"""Which cells are known to be valid in one tree, from this run and from earlier ones over the very same tree.

A tree of the same files, read by the same code with the same specs, has the same answers: what was valid there is valid
without asking again. A tree beside it asks again only for what their differences touch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers.blobs import decoded, digest, encode
from analyzers.queries import ProcedureKey
from analyzers.source import language_of
from analyzers.summaries import SummaryStore
from analyzers.tree import Tree

TRUST = "trust"
RECENT = "recent"

MAX_RECENT = 6
"""Trees of one repository that are remembered, the latest first."""

LEAST_SHARED = 0.7
"""The part of a tree's files that another must have, too, for it to be of use."""

Marks = dict[str, dict[str, bytes]]
"""By file, then by procedure and kind: the mark of the cell."""


class Trust:
    """See the module. `names` are the files of the tree with the names of their contents."""

    def __init__(self, store: SummaryStore, told: str, names: Mapping[str, str]) -> None:
        self._store = store
        self._told = told
        self._names = names
        self._known: Marks | None = None
        self._new: list[tuple[str, str, str, bytes]] = []

    def mark(self, key: ProcedureKey, kind: str) -> bytes:
        """The mark of the cell that is known to be valid; empty where none is."""
        of_file = self._marks().get(key.path)
        return of_file.get(_place(key.name, kind), b"") if of_file is not None else b""

    def note(self, key: ProcedureKey, kind: str, mark: bytes) -> None:
        """A cell is valid."""
        of_file = self._marks().setdefault(key.path, {})
        place = _place(key.name, kind)
        if of_file.get(place) != mark:
            of_file[place] = mark
            self._new.append((key.path, key.name, kind, mark))

    def drain(self, since: int) -> list[tuple[str, str, str, bytes]]:
        """What was noted after a mark, to be sent to another process."""
        return self._new[since:]

    @property
    def size(self) -> int:
        """How much was noted."""
        return len(self._new)

    def accept(self, noted: Sequence[tuple[str, str, str, bytes]]) -> None:
        """Take over what another process noted."""
        for path, name, kind, mark in noted:
            self.note(ProcedureKey(path, name), kind, mark)

    def save(self) -> None:
        """Write what is known to the store."""
        if self._new:
            self._store.put(TRUST, self._name(), encode(self._marks()))
            self._new.clear()

    def _marks(self) -> Marks:
        if self._known is None:
            self._known = decoded(self._store.get(TRUST, self._name()), Marks) or {}
        return self._known

    def _name(self) -> bytes:
        return digest(encode((self._told, sorted(self._names.items()))))


def listing(tree: Tree) -> dict[str, str]:
    """The files of a tree that are analysed, with the names of their contents."""
    return {path: name for path, name in tree.paths() if language_of(path) is not None}


def nearest(store: SummaryStore, repository: str, tree: Tree) -> dict[str, str]:
    """The remembered tree of a repository that has most in common with one; empty where that is known itself, or none is near."""
    names = listing(tree)
    shared = [(len(names.items() & each.items()), each) for each in _recent(store, repository)]
    most, found = max(shared, key=lambda each: each[0], default=(0, {}))
    return found if most >= LEAST_SHARED * len(names) and found != names else {}


def remember(store: SummaryStore, repository: str, trees: Sequence[Tree]) -> None:
    """Remember trees of a repository, the latest first."""
    new = [listing(tree) for tree in trees]
    kept = new + [each for each in _recent(store, repository) if each not in new]
    store.put(RECENT, digest(repository.encode()), encode(kept[:MAX_RECENT]))


def _recent(store: SummaryStore, repository: str) -> list[dict[str, str]]:
    return decoded(store.get(RECENT, digest(repository.encode())), list[dict[str, str]]) or []


def _place(name: str, kind: str) -> str:
    return f"{kind}\0{name}"
