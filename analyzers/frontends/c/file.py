"""What one C file says by itself, collected while its procedures are lowered."""

from __future__ import annotations

import bisect

from analyzers import ir
from analyzers.frontends.c.repair.region import Findings
from analyzers.syntax import Node


class File:
    """The text of a file, its declarations so far, and what was found out about it.

    `source` holds one character per byte, so that byte offsets index it.
    """

    __slots__ = (
        "constants", "data", "defines", "depth", "found", "functions", "global_declarations", "globals", "initialisers", "is_ascii", "member_types", "mentions",
        "notes", "pointer_types", "procedures", "results", "source", "structs", "suspects", "taken_names",
        "typedefs", "types", "unnamed", "word_places",
    )

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.source = data.decode("latin-1")
        self.is_ascii = data.isascii()
        self.constants: dict[str, str] = {}
        self.functions: set[str] = set()
        self.globals: dict[str, str] = {}
        self.global_declarations: list[ir.FieldDeclaration] = []
        self.found = Findings()
        self.unnamed: dict[int, int] = {}
        self.depth = 0
        self.defines: list[int] = []
        self.suspects: list[int] = []
        self.word_places: list[int] = []
        self.typedefs: dict[str, str] = {}
        self.structs: dict[str, tuple[tuple[str, str], ...]] = {}
        self.member_types: dict[tuple[str, str], str] = {}
        self.results: dict[str, str] = {}
        self.pointer_types: dict[str, bool] = {}
        self.types: list[ir.TypeDeclaration] = []
        self.mentions: set[str] = set()
        self.notes: list[ir.UnitNote] = []
        self.procedures: list[ir.Procedure] = []
        self.taken_names: dict[str, int] = {}
        self.initialisers: list[tuple[Node, str, str]] = []

    def text(self, node: Node) -> str:
        """The source text of a node."""
        text = self.source[node.start : node.end]
        if self.is_ascii or text.isascii():
            return text
        return text.encode("latin-1").decode("utf-8", "replace")

    def words_in(self, start: int, end: int) -> list[str]:
        """The attribute macros that were taken out before or between the tokens of [start, end)."""
        words = self.found.words
        if not words:
            return []
        if len(self.word_places) != len(words):
            self.word_places = sorted(words)
        places = self.word_places
        first, last = bisect.bisect_left(places, start), bisect.bisect_left(places, end)
        return [word for offset in places[first:last] for word in words[offset]]

    def declare_global(self, name: str, type_text: str, attributes: tuple[str, ...], start: int, end: int) -> None:
        """Keep a file-level variable, or a static one of a function."""
        self.globals[name] = type_text
        self.global_declarations.append(ir.FieldDeclaration(name, type_text, attributes, start, end))

    def unnamed_type(self, offset: int) -> int:
        """The number of a struct without a name, by where it stands."""
        return self.unnamed.setdefault(offset, len(self.unnamed) + 1)

    def note(self, kind: str, start: int, end: int, text: str) -> None:
        """Say what was not analysed, and why."""
        self.notes.append(ir.UnitNote(kind, start, end, text))

    def is_pointer(self, type_text: str) -> bool:
        """Whether a type as written is known to be a pointer or an array."""
        known = self.pointer_types.get(type_text)
        if known is None:
            known = self._is_pointer(type_text, 8)
            self.pointer_types[type_text] = known
        return known

    def _is_pointer(self, type_text: str, budget: int) -> bool:
        if "*" in type_text or type_text.endswith("[]"):
            return True
        meant = self.typedefs.get(type_text.removeprefix("const "))
        return meant is not None and budget > 0 and self._is_pointer(meant, budget - 1)

    def members(self, type_text: str) -> tuple[tuple[str, str], ...]:
        """Names and types of the members of a struct that this file declares, in order."""
        for _ in range(8):
            type_text = type_text.removeprefix("const ").rstrip("* ")
            known = self.structs.get(type_text)
            if known is not None:
                return known
            meant = self.typedefs.get(type_text)
            if meant is None:
                break
            type_text = meant
        return ()

    def member_type(self, type_text: str, field: str) -> str:
        """The type of a member, behind dots and stars too; empty where it is not known here."""
        known = self.member_types.get((type_text, field))
        if known is None:
            known = self._member_type(type_text, field)
            self.member_types[type_text, field] = known
        return known

    def _member_type(self, type_text: str, field: str) -> str:
        if field in ("*", "[]"):
            return self._pointed(type_text)
        for part in field.split("."):
            for name, member_type in self.members(type_text):
                if name == part:
                    type_text = member_type
                    break
            else:
                return ""
        return type_text

    def _pointed(self, type_text: str) -> str:
        """What a pointer points to, or an array holds."""
        for _ in range(8):
            if type_text.endswith("[]"):
                return type_text[:-2].rstrip()
            if type_text.endswith("*"):
                return type_text[:-1].rstrip()
            type_text = self.typedefs.get(type_text, "")
        return ""

    def is_struct(self, type_text: str) -> bool:
        """Whether a type is known to be a struct or union."""
        if not type_text or type_text[-1] in "*])":
            return False
        return type_text.removeprefix("const ").startswith(("struct ", "union ")) or bool(self.members(type_text))

    def unique_name(self, name: str) -> str:
        """The name for another procedure of this name: the second is `f#2`."""
        count = self.taken_names.get(name, 0) + 1
        self.taken_names[name] = count
        return name if count == 1 else f"{name}#{count}"
