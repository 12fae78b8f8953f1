"""The files of one tree, by path: their blobs, what the name index lists, and the facts that answers rest on."""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from analyzers import ir
from analyzers.c_bodies import Facts
from analyzers.footprint import (
    CONTENT,
    INCLUDES,
    ITEM,
    MENTION,
    NAME,
    OUTLINE,
    PROCEDURE,
    SEPARATOR,
    WORDS,
    Trace,
    TracedDict,
)
from analyzers.incremental.blobs import digest, encode
from analyzers.incremental.units import Blob, Units
from analyzers.index import HEADER, SUPERTYPE, TYPE, WORD, TreeIndex
from analyzers.queries import ProcedureKey
from analyzers.source import language_of
from analyzers.tree import Tree

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Changes:
    """What two nearby trees do not share: files, names that other files list, words, and whether includes differ.
    None for names and words: not known."""

    __slots__ = ("includes", "names", "paths", "words")

    def __init__(
        self, paths: frozenset[str], names: frozenset[str] | None, words: frozenset[str] | None, *, includes: bool
    ) -> None:
        self.paths = paths
        self.names = names
        self.words = words
        self.includes = includes

    def touches(self, kind: str, rest: str) -> bool:
        """Whether a fact may be another one: its kind and the rest of its name, as footprints have them."""
        if kind == NAME:
            return self.names is None or rest in self.names
        if kind == WORDS:
            return self.words is None or rest in self.words
        if kind == INCLUDES:
            return self.includes
        return rest.partition(SEPARATOR)[0] in self.paths


class Sources:
    """See the module. What is asked for here leaves its footprint in `trace`."""

    def __init__(self, tree: Tree, units: Units, near: Sources | None = None, *, is_patched: bool = False) -> None:
        self.trace = Trace()
        self._tree = tree
        self._units = units
        self._near = near
        self._is_patched = is_patched
        self._names = {path: name for path, name in tree.paths() if language_of(path) is not None}
        self._blobs: dict[str, Blob] = {}
        self._index: TreeIndex | None = None
        self._facts: dict[str, bytes] = {}
        self._visible: dict[str, frozenset[str]] = {}
        self._mentioned: dict[str, frozenset[str]] = {}

    def paths(self) -> tuple[str, ...]:
        """All files that leakmend reads, sorted."""
        return tuple(self._names)

    @property
    def names(self) -> dict[str, str]:
        """All files with the names of their contents."""
        return self._names

    def name(self, path: str) -> str:
        """The name of a file's content, empty where there is no such file."""
        return self._names.get(path, "")

    def blob(self, path: str) -> Blob | None:
        """The blob of a file."""
        found = self._blobs.get(path)
        if found is None:
            language = language_of(path)
            name = self._names.get(path)
            if name is None or language is None:
                return None
            below = self._near.blob(path) if self._near is not None and self._is_patched else None
            found = self._blobs[path] = self._units.blob(language, name, self._reader(path), below)
        return found

    def _reader(self, path: str) -> Callable[[], bytes]:
        return lambda: self._tree.read(path)

    def outline(self, path: str) -> ir.Unit | None:
        """The declarations of a file; leaves no footprint."""
        blob = self.blob(path)
        return blob.skeleton if blob is not None else None

    # --- what answers are made of

    def unit(self, path: str) -> ir.Unit | None:
        """The declarations of a file."""
        self.trace.touch(OUTLINE + path)
        return self.outline(path)

    def declares(self, path: str, kind: str, name: str) -> bool:
        """Whether a file declares a name."""
        self.trace.touch(f"{ITEM}{path}{SEPARATOR}{kind}{name}")
        return self._has(path, kind, name)

    def _has(self, path: str, kind: str, name: str) -> bool:
        blob = self.blob(path)
        return blob is not None and kind + name in blob.symbols.items

    def own(self, path: str, kind: str, name: str) -> ir.Unit | None:
        """The same for the file that is looked from: it depends on all declarations of that file."""
        self.trace.touch(OUTLINE + path)
        return self.outline(path) if self._has(path, kind, name) else None

    def declarations(self, path: str, kind: str, name: str) -> ir.Unit | None:
        """The declarations of a file that declares a name, of which only those of that name may be read."""
        return self.outline(path) if self.declares(path, kind, name) else None

    def bodies(self, path: str, kind: str, name: str) -> Facts | None:
        """What the bodies of a file of C say of a name, where they say something; nothing else may be read."""
        blob = self.blob(path)
        return blob.symbols.facts if blob is not None and self.declares(path, kind, name) else None

    def content(self, path: str) -> str:
        """The text of a file, one character a byte."""
        self.trace.touch(CONTENT + path)
        blob = self.blob(path)
        return blob.data.decode("latin-1") if blob is not None else ""

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """A procedure with its body."""
        self.trace.touch(f"{PROCEDURE}{key.path}{SEPARATOR}{key.name}")
        blob = self.blob(key.path)
        return blob.procedure(key.name) if blob is not None else None

    def written(self, key: ProcedureKey) -> str:
        """The text of a procedure, one character a byte."""
        self.trace.touch(f"{PROCEDURE}{key.path}{SEPARATOR}{key.name}")
        blob = self.blob(key.path)
        found = blob.declaration(key.name) if blob is not None else None
        return blob.data[found.start : found.end].decode("latin-1") if blob is not None and found is not None else ""

    def whole(self, path: str) -> ir.Unit | None:
        """A file with all bodies."""
        self.trace.touch(CONTENT + path)
        blob = self.blob(path)
        return blob.unit() if blob is not None else None

    def naming(self, path: str, word: str) -> Iterator[ir.Procedure]:
        """The procedures of a file in whose bodies a word occurs: in its text, or in that of macros."""
        self.trace.touch(CONTENT + path)
        blob = self.blob(path)
        return blob.naming(word) if blob is not None else iter(())

    def files(self, kind: str, name: str) -> tuple[str, ...]:
        """The files, sorted, that can say something of this kind about a name."""
        self.trace.touch((WORDS if kind == WORD else NAME) + name)
        return self.index.paths(kind, name)

    def visible(self, path: str) -> frozenset[str]:
        """The headers of the tree that a file of C includes, and those that they include."""
        self.trace.touch(INCLUDES + path)
        return self._seen_from(path)

    def _seen_from(self, path: str) -> frozenset[str]:
        found = self._visible.get(path)
        if found is None:
            near = self._near
            is_same = near is not None and not self.changes.includes
            found = near._seen_from(path) if near is not None and is_same else self._reached(path)
            self._visible[path] = found
        return found

    def _reached(self, path: str) -> frozenset[str]:
        seen: set[str] = set()
        work = [path]
        while work:
            around = work.pop()
            for written in self.index.includes(around):
                header = self._header(around, written)
                if header and header not in seen:
                    seen.add(header)
                    work.append(header)
        return frozenset(seen)

    def _header(self, path: str, written: str) -> str:
        """The file that an `#include` means: beside the file, else the one with most folders in common."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
        if beside in self._names:
            return beside
        written = posixpath.normpath(written).lstrip("./")
        candidates = [
            other
            for other in self.index.paths(HEADER, written.rpartition("/")[2])
            if other == written or other.endswith("/" + written)
        ]
        return max(candidates, key=lambda other: len(posixpath.commonprefix((path, other))), default="")

    def declaring(self, simple: str) -> tuple[str, ...]:
        """Java files that may declare a type of this simple name."""
        return _java(self.files(TYPE, simple))

    def extending(self, simple: str) -> tuple[str, ...]:
        """Java files that may extend, implement or anonymously subclass a type of this simple name."""
        return _java(self.files(SUPERTYPE, simple))

    def mentioning(self, word: str) -> tuple[str, ...]:
        """Java files that mention a word."""
        return _java(self.files(WORD, word))

    def mentions(self, path: str, word: str) -> bool:
        """Whether a file mentions a word, whatever others do."""
        self.trace.touch(f"{MENTION}{path}{SEPARATOR}{word}")
        return path in self._users(word)

    def _users(self, word: str) -> frozenset[str]:
        found = self._mentioned.get(word)
        if found is None:
            found = self._mentioned[word] = frozenset(self.index.paths(WORD, word))
        return found

    def mentioning_all(self, word: str) -> tuple[str, ...]:
        """The files, sorted, that mention a word."""
        return self.files(WORD, word)

    def memo(self) -> dict[K, V]:
        """A memo for answers that are made of others."""
        return TracedDict(self.trace)

    # --- facts

    def fact(self, name: str) -> bytes:
        """The digest of a fact, by the name that footprints have for it."""
        found = self._facts.get(name)
        if found is None:
            near = self._near
            is_same = near is not None and not self.changes.touches(name[0], name[1:])
            found = near.fact(name) if near is not None and is_same else self._fact(name[0], name[1:])
            self._facts[name] = found
        return found

    def differs(self, name: str) -> bool:
        """Whether a fact is another one than in the tree that this one lies near to."""
        near = self._near
        return near is None or (self.changes.touches(name[0], name[1:]) and self.fact(name) != near.fact(name))

    def _fact(self, kind: str, rest: str) -> bytes:
        if kind == NAME:
            listed = self.index.listed(rest)
            return digest(encode(listed)) if listed else b""
        if kind == WORDS:
            return digest(encode(self.index.paths(WORD, rest)))
        if kind == CONTENT:
            return self.name(rest).encode()
        if kind == INCLUDES:
            return digest(encode(sorted(self.visible(rest))))
        path, _, name = rest.partition(SEPARATOR)
        blob = self.blob(path)
        if blob is None:
            return b""
        if kind == MENTION:
            return name.encode() if path in self._users(name) else b""
        if kind == OUTLINE:
            return blob.symbols.skeleton
        known = blob.symbols.items if kind == ITEM else blob.symbols.procedures
        return known.get(name, b"")

    # --- name index

    @property
    def index(self) -> TreeIndex:
        """The name index of the tree."""
        if self._index is None:
            near = self._near
            if near is None:
                self._index = self._indexed(self.paths())
            else:
                changed = self.changes.paths
                added = [path for path in sorted(changed) if path in self._names]
                self._index = near.index.with_changes(changed, self._indexed(added))
        return self._index

    @functools.cached_property
    def changes(self) -> Changes:
        """How the tree differs from the one that it lies near to."""
        near = self._near
        if near is None:
            return Changes(frozenset(), frozenset(), frozenset(), includes=False)
        changed = {path for path, name in self._names.items() if near.name(path) != name}
        changed |= {path for path in near.paths() if path not in self._names}
        names: set[str] = set()
        words: set[str] = set()
        includes = False
        for path in sorted(changed):
            old, new = near.blob(path), self.blob(path)
            names.update(item[1:] for item in _items(old) ^ _items(new))
            words.update(_words(old) ^ _words(new))
            includes = includes or old is None or new is None or old.index.includes != new.index.includes
            if (old is not None and old.problem) or (new is not None and new.problem):
                return Changes(frozenset(changed), None, None, includes=True)
        return Changes(frozenset(changed), frozenset(names), frozenset(words), includes=includes)

    def differing(self) -> frozenset[str] | None:
        """The facts that are others than in the tree that this one lies near to; None where that is not known."""
        near, changes = self._near, self.changes
        if near is None or changes.names is None or changes.words is None:
            return None
        found = {NAME + name for name in changes.names} | {WORDS + word for word in changes.words}
        if changes.includes:
            found |= {INCLUDES + path for path in self._names if near._seen_from(path) != self._seen_from(path)}
        for path in changes.paths:
            found.add(CONTENT + path)
            old, new = near.blob(path), self.blob(path)
            words = changes.words if len(changes.paths) == 1 else _words(old) ^ _words(new)
            found |= {f"{MENTION}{path}{SEPARATOR}{word}" for word in words}
            if old is None or new is None or old.symbols.skeleton != new.symbols.skeleton:
                found.add(OUTLINE + path)
            if old is None or new is None:
                found.add(INCLUDES + path)
            for kind, was, now in (
                (ITEM, old.symbols.items if old else {}, new.symbols.items if new else {}),
                (PROCEDURE, old.symbols.procedures if old else {}, new.symbols.procedures if new else {}),
            ):
                found |= {f"{kind}{path}{SEPARATOR}{name}" for name in was.keys() | now.keys() if was.get(name) != now.get(name)}
        return frozenset(found)

    def _indexed(self, paths: Sequence[str]) -> TreeIndex:
        blobs = [(path, blob) for path in paths if (blob := self.blob(path)) is not None]
        return TreeIndex(
            ((path, blob.index) for path, blob in blobs), lambda: [(path, blob.words()) for path, blob in blobs]
        )

    def save(self) -> None:
        """Write the name index to the store."""
        if self._index is not None:
            blobs = (self.blob(path) for path in self._names)
            self._units.indexes.save([blob.key for blob in blobs if blob is not None])


def _items(blob: Blob | None) -> set[str]:
    return set(blob.index.items) if blob is not None else set()


def _words(blob: Blob | None) -> frozenset[str]:
    return blob.named() if blob is not None else frozenset()


def _java(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if path.endswith(".java"))
