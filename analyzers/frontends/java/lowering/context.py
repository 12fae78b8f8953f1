"""What the lowering of one Java file shares: its text, its types so far, its mentions and notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers import ir
from analyzers.finding import NoteKind
from analyzers.syntax import Node, first_error

from .scopes import ClassScope

_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_MOST_NOTES = 200
_NO_NAMES = frozenset(
    (
        "boolean", "byte", "char", "class", "double", "extends", "final", "float", "int", "long", "short", "super",
        "var", "void",
    )
)  # fmt: skip


class Context:
    """One file while it is lowered.

    The text is read with one character per byte, so that offsets hold; `text` mends what is not ASCII.
    """

    __slots__ = (
        "_mentions", "_names", "_notes", "_text", "classes", "errors", "imported_members", "imported_types",
        "imports_all_members", "lambdas", "nodes_left", "package", "procedures", "types",
    )  # fmt: skip

    def __init__(self, data: bytes, errors: Sequence[tuple[int, int]]) -> None:
        self._text = data.decode("latin-1")
        self._mentions: set[str] = set()
        self._notes: list[ir.UnitNote] = []
        self._names: dict[str, int] = {}
        self.errors = errors
        self.package = ""
        self.imported_types: dict[str, str] = {}
        self.imported_members: dict[str, str] = {}
        self.imports_all_members = False
        self.nodes_left = 2_000_000
        self.lambdas: dict[int, tuple[str, tuple[str, ...]]] = {}
        self.procedures: list[ir.Procedure] = []
        self.types: list[ir.TypeDeclaration] = []
        self.classes: dict[str, ClassScope] = {}

    def end(self) -> None:
        """Let go of the classes: they hold each other, and would have to be collected."""
        waiting = list(self.classes.values())
        for each in waiting:
            waiting += each.types.values()
            each.types.clear()
            each.locals.clear()
        self.classes.clear()

    def text(self, node: Node) -> str:
        """The source text of a node."""
        return self.slice(node.start, node.end)

    def slice(self, start: int, end: int) -> str:
        """The source text of the bytes [start, end)."""
        text = self._text[start:end]
        return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")

    def has_assignment(self, node: Node) -> bool:
        """Whether a node may assign a local variable: a filter that says yes too often."""
        text = self._text[node.start : node.end]
        return "=" in text or "++" in text or "--" in text

    def mention(self, text: str) -> None:
        """Note that the file names these identifiers as functions or types."""
        self._mentions.add(text)

    def note(self, kind: NoteKind, start: int, end: int, text: str) -> None:
        """Note what is not analysed; past a limit one note stands for all."""
        if len(self._notes) < _MOST_NOTES:
            self._notes.append(ir.UnitNote(kind.value, start, end, text))
        elif len(self._notes) == _MOST_NOTES:
            self._notes.append(ir.UnitNote(kind.value, start, end, "there is more of this in the file"))

    def error_in(self, start: int, end: int) -> tuple[int, int] | None:
        """The first bytes in [start, end) that did not parse, relative to `start`."""
        if not self.errors:
            return None
        found = first_error(self.errors, start, end)
        return (max(found[0], start) - start, min(found[1], end) - start) if found else None

    def unique(self, name: str) -> str:
        """A name for a procedure or type that nothing else in the file bears."""
        count = self._names.get(name, 0) + 1
        self._names[name] = count
        return name if count == 1 else f"{name}#{count}"

    def mentions(self) -> tuple[str, ...]:
        """All identifiers that were mentioned, sorted."""
        words: set[str] = set()
        for text in self._mentions:
            words.update(_WORD.findall(text))
        return tuple(sorted(words - _NO_NAMES))

    def notes(self) -> tuple[ir.UnitNote, ...]:
        """All notes in the order of the source."""
        return tuple(sorted(self._notes, key=lambda note: (note.start, note.end, note.kind, note.text)))
