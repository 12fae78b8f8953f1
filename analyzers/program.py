"""A Program: the lazy, incremental view of a tree that answers every look outside a file.

Nothing is read or lowered before somebody asks. See `queries.py` for what can be asked.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.engine import Engine, NoSpecs, Specs, StandardEngine
from analyzers.finding import Note, NoteKind
from analyzers.index import FUNCTION, MACRO, PROTOTYPE, TYPE, WORD, TreeIndex, index_blob
from analyzers.queries import Linked, MethodFacts, ProcedureKey
from analyzers.source import Span, language_of
from analyzers.summaries import UNKNOWN, Effects, MemoryStore, SummaryStore
from analyzers.tree import MemoryTree, Overlay, Tree

__all__ = ["MemoryTree", "Options", "Overlay", "Program", "Tree"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a Program is told beside its tree."""

    largest_file: int = 4_000_000


class Program:
    """Implements `queries.Queries` over a tree."""

    def __init__(
        self,
        tree: Tree,
        specs: Specs | None = None,
        store: SummaryStore | None = None,
        options: Options | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.tree = tree
        self.specs: Specs = specs or NoSpecs()
        self.options = options or Options()
        self._store = store or MemoryStore()
        self._engine: Engine = engine or StandardEngine()
        self._digests = {path: digest for path, digest in tree.paths() if language_of(path)}
        self._notes: list[Note] = []
        self._units: dict[str, ir.Unit | None] = {}
        self._index: TreeIndex | None = None
        self._linked: dict[ProcedureKey, Linked | None] = {}
        self._effects: dict[ProcedureKey, Effects] = {}

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out so far, sorted."""
        return tuple(sorted(set(self._notes), key=lambda note: (note.span, note.kind, note.text)))

    def paths(self) -> tuple[str, ...]:
        """The files of the tree that leakmend reads, sorted."""
        return tuple(self._digests)

    def procedures(self) -> tuple[ProcedureKey, ...]:
        """All procedures of the tree, in the order of their source. Lowers everything."""
        return tuple(key for path in self._digests for key in self.procedures_of(path))

    def procedures_of(self, path: str) -> tuple[ProcedureKey, ...]:
        """The procedures of one file, in the order of their source."""
        unit = self.unit(path)
        return tuple(ProcedureKey(path, each.name) for each in unit.procedures) if unit else ()

    def language(self, key: ProcedureKey) -> str:
        """The language of a procedure's file."""
        return language_of(key.path) or ""

    def unit(self, path: str) -> ir.Unit | None:
        """See `Queries`."""
        if path not in self._units:
            self._units[path] = self._lower(path)
        return self._units[path]

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        unit = self.unit(key.path)
        return next((each for each in unit.procedures if each.name == key.name), None) if unit else None

    def linked(self, key: ProcedureKey) -> Linked | None:
        """See `Queries`."""
        if key not in self._linked:
            unit, procedure = self.unit(key.path), self.procedure(key)
            self._linked[key] = self._engine.link(key, unit, procedure, self) if unit and procedure else None
        return self._linked[key]

    def effects(self, key: ProcedureKey) -> Effects:
        """See `Queries`."""
        if key not in self._effects:
            self._effects[key] = UNKNOWN
            linked = self.linked(key)
            if linked is not None:
                self._effects[key] = self._engine.summarise(linked, self)
        return self._effects[key]

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Queries`."""
        return self.specs.model(names, parameters)

    def resolve_type(self, path: str, owner: str, written: str) -> str:
        """See `Queries`."""
        return ""

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`."""
        return ()

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        """See `Queries`."""
        return None

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`."""
        return ()

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        return ()

    def field_type(self, type_name: str, field: str) -> str:
        """See `Queries`."""
        return ""

    def is_closeable(self, type_name: str) -> bool | None:
        """See `Queries`."""
        return None

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        found = []
        for other in self._nearest(path, FUNCTION, name):
            unit = self.unit(other)
            for each in unit.procedures if unit else ():
                if each.name == name and each.kind == "function" and (other == path or "static" not in each.attributes):
                    found.append(ProcedureKey(other, name))
        same = [key for key in found if key.path == path]
        near = [key for key in found if _folder(key.path) == _folder(path)]
        return tuple(dict.fromkeys(same or near or found))

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`."""
        for other in self._nearest(path, PROTOTYPE, name):
            unit = self.unit(other)
            for each in unit.prototypes if unit else ():
                if each.name == name:
                    return each
        return None

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""
        found = []
        for other in self._nearest(path, MACRO, name):
            unit = self.unit(other)
            found += [each for each in unit.macros if each.name == name] if unit else []
            if found and other == path:
                break
        return tuple(found)

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        for other in self._nearest(path, TYPE, name):
            unit = self.unit(other)
            for each in unit.types if unit else ():
                if each.name == name:
                    return each
        return None

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        return ()

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""
        return ""

    def callers(self, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        found = []
        for path in self._names().paths(WORD, name):
            unit = self.unit(path)
            for each in unit.procedures if unit else ():
                if any(isinstance(node, ir.Call) and node.name == name for node in each.nodes):
                    found.append(ProcedureKey(path, each.name))
        return tuple(sorted(found))

    def _nearest(self, path: str, kind: str, name: str) -> list[str]:
        folder = _folder(path)
        return sorted(
            self._names().paths(kind, name), key=lambda other: (other != path, _folder(other) != folder, other)
        )

    def _names(self) -> TreeIndex:
        if self._index is None:
            self._index = TreeIndex(
                (path, index_blob(language_of(path) or "", data))
                for path in self._digests
                if (data := self._read(path)) is not None
            )
        return self._index

    def _read(self, path: str) -> bytes | None:
        try:
            data = self.tree.read(path)
        except (OSError, KeyError) as error:
            self._note(NoteKind.UNREADABLE, path, f"cannot be read: {type(error).__name__}")
            return None
        if len(data) > self.options.largest_file:
            self._note(NoteKind.TOO_LARGE, path, f"has {len(data)} bytes")
            return None
        return data

    def _lower(self, path: str) -> ir.Unit | None:
        language = language_of(path)
        if path not in self._digests or language is None:
            return None
        data = self._read(path)
        if data is None:
            return None
        unit = self._engine.lower(language, data)
        self._notes += (
            Note(NoteKind(note.kind), Span(path, note.start, note.end), note.text) for note in unit.notes
        )
        return unit

    def _note(self, kind: NoteKind, path: str, text: str) -> None:
        self._notes.append(Note(kind, Span(path, 0, 0), text))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
