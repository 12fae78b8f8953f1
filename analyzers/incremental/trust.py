"""Which cells are known to be valid in one tree, from this run and from earlier ones over the very same tree.

A tree of the same files, read by the same code with the same specs, has the same answers: what was valid there is valid
without asking again. In a tree beside it a cell stands that read nothing which differs, if the results that it read stand, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from analyzers.incremental.blobs import decoded, digest, encode
from analyzers.incremental.cells import Cell, Read, Standing
from analyzers.incremental.results import Results
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

MAX_CHAIN = 8
"""Trees that lie beside one another of which what is known is kept apart; then all that stands is noted in the last."""

MAX_FOUND = 4
"""Differences of trees beside one of which is kept what stands for all of them."""

Marks = dict[str, dict[str, bytes]]
"""By file, then by procedure and kind: the mark of the cell."""

At = tuple[ProcedureKey, str]
"""A procedure, and the kind of a result."""


class _Kept(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is known of a tree: marks, and the name of the tree that it lies beside with the facts that differ."""

    marks: Marks
    beside: bytes = b""
    differing: tuple[str, ...] = ()


class Trust:
    """See the module. Of a tree with a name; `near` is that of the tree that it lies beside in this run, `differing` tells the facts
    that differ (None: not known)."""

    def __init__(
        self, store: SummaryStore, name: bytes, results: Results | None, near: Trust | None = None,
        differing: Callable[[], frozenset[str] | None] = frozenset,
    ) -> None:
        self._store = store
        self.name = name
        self._results = results
        self._near = near
        self._differing = differing
        self._differences: Standing | None = None
        self._is_open = near is not None
        self._known: Marks | None = None
        self._new: list[tuple[str, str, str, bytes]] = []
        self._refused: set[At] = set()
        self._settled: dict[At, bytes] | None = None
        self._found: dict[frozenset[str], dict[At, bytes]] = {}
        self.keep_due: Callable[[ProcedureKey, str], None] = _is_none_due
        """Makes the cell of a result that was left until somebody asks for it."""

    def mark(self, key: ProcedureKey, kind: str) -> bytes:
        """The mark of the cell that was found to be valid; empty where none was."""
        self.keep_due(key, kind)
        of_file = self._marks().get(key.path)
        return of_file.get(_place(key.name, kind), b"") if of_file is not None else b""

    def standing(self, key: ProcedureKey, kind: str) -> bytes:
        """The mark of the cell that is known to be valid, here or from the tree beside; empty where none is."""
        mark = self.mark(key, kind)
        if not mark and self._beside() is not None and (key, kind) not in self._refused:
            self._settle((key, kind))
            mark = self.mark(key, kind)
        return mark

    def beside(self, key: ProcedureKey, kind: str) -> bytes:
        """The mark of the cell that is known to be valid in the tree beside."""
        near = self._beside()
        return near.standing(key, kind) if near is not None else b""

    def is_clear(self, key: ProcedureKey, cell: Cell) -> bool:
        """Whether a cell that is valid in the tree beside read the same here, other results left out."""
        differences = self._standing()
        return differences is not None and self._results is not None and self._results.is_clear(key, cell, differences)

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
        if not self._new:
            return
        differences = self._standing()
        line = self._line()
        kept = _Kept(self._marks())
        if len(line) > MAX_CHAIN:
            self._note_all(line)
        elif line and differences is not None and all(each.name != self.name for each in line):
            kept = _Kept(self._marks(), line[0].name, tuple(sorted(differences.facts)))
        self._store.put(TRUST, self.name, encode(kept))
        self._new.clear()

    # --- what stands

    def _settle(self, first: At) -> None:
        """Find out whether a cell of the tree beside stands here, and those of the results that it read."""
        begun: dict[At, tuple[Cell, int]] = {}
        settled = self._settled_before()
        stack = [first]
        while stack:
            at = stack[-1]
            if at not in begun:
                if (mark := settled.get(at)) and self.beside(*at) == mark:
                    self.note(*at, mark)
                    stack.pop()
                    continue
                cell = self._candidate(at)
                if cell is None:
                    self._refused.add(at)
                    stack.pop()
                    continue
                begun[at] = (cell, 0)
            cell, done = begun[at]
            missing = self._first_open(cell.results, done, begun)
            if missing < 0:
                self.note(*at, cell.mark)
                if all(_asked(each) in settled for each in cell.results):
                    settled[at] = cell.mark
                stack.pop()
            elif missing == len(cell.results):
                self._refused.add(at)
                stack.pop()
            else:
                begun[at] = (cell, missing)
                stack.append(_asked(cell.results[missing]))

    def _settled_before(self) -> dict[At, bytes]:
        """The cells of the tree beside that stand wherever the same facts differ, whatever they say there, with all results that they read:
        patches of one procedure differ in the same."""
        if self._settled is None:
            near, differences = self._beside(), self._standing()
            if near is None or differences is None:
                return {}
            if len(near._found) >= MAX_FOUND and differences.facts not in near._found:
                del near._found[next(iter(near._found))]
            self._settled = near._found.setdefault(differences.facts, {})
        return self._settled

    def _candidate(self, at: At) -> Cell | None:
        """The cell of the tree beside, if it read nothing else that differs."""
        mark = self.beside(*at)
        cell = self._results.marked(*at, mark) if mark and self._results is not None else None
        return cell if cell is not None and self.is_clear(at[0], cell) else None

    def _first_open(self, results: Sequence[Read], done: int, begun: Mapping[At, object]) -> int:
        """The place of the first result that is not decided; -1 where all stand, the end where one does not."""
        assert self._results is not None
        for place in range(done, len(results)):
            at = _asked(results[place])
            mark = self.mark(*at)
            if mark:
                cell = self._results.marked(*at, mark)
                if cell is None or cell.digest != results[place].digest:
                    return len(results)
            elif at in self._refused or at in begun:
                return len(results)
            else:
                return place
        return -1

    def _note_all(self, line: Sequence[Trust]) -> None:
        """Note what stands of all trees that this one rests on."""
        for near in line:
            for path, of_file in near._marks().items():
                for place in tuple(of_file):
                    kind, _, name = place.partition("\0")
                    self.standing(ProcedureKey(path, name), kind)

    # --- what is kept

    def _marks(self) -> Marks:
        if self._known is None:
            kept = decoded(self._store.get(TRUST, self.name), _Kept) or _Kept({})
            self._known = kept.marks
            if not self._is_open and kept.beside:
                self._near = Trust(self._store, kept.beside, self._results)
                self._differing = lambda: frozenset(kept.differing)
        return self._known

    def _beside(self) -> Trust | None:
        self._marks()
        return self._near

    def _line(self) -> list[Trust]:
        """What is known of the trees that this one rests on, the nearest first."""
        found: list[Trust] = []
        near = self._beside()
        while near is not None:
            found.append(near)
            near = near._beside()
        return found

    def _standing(self) -> Standing | None:
        if self._differences is None and self._beside() is not None:
            differing = self._differing()
            if differing is None:
                self._near = None
                return None
            self._differences = Standing(differing)
        return self._differences


def _is_none_due(key: ProcedureKey, kind: str) -> None:
    """Nothing is left to be made."""


def _asked(read: Read) -> At:
    kind, key = read.question
    assert isinstance(key, ProcedureKey)
    return key, str(kind)


def name_of(told: str, names: Mapping[str, str]) -> bytes:
    """The name of a tree, read by some code with some specs."""
    return digest(encode((told, sorted(names.items()))))


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
