"""The words that users of a change would mention: names of which some file says something else than before.

Says too much where a name means several things. What a macro's body mentions counts for the macro, a type's new
supertype for all types below it. Of Java's members it is known which files can mean them: private ones only their own, those
of an anonymous class only who knows a type above it. Misses who gets such an object in a file that names no type of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.incremental.program import Program
from analyzers.index import CLOSED, MACRO, MEMBER, STORED, SUPERTYPE, TYPE, simple_name
from analyzers.source import language_of

_MOST_LEVELS = 4
"""Macros inside macros, and types below types, that are followed."""

_Declared = ir.FieldDeclaration | ir.MethodDeclaration


class ChangedName(msgspec.Struct, frozen=True, order=True):
    """A word, and which of those who mention it can mean what is changed."""

    name: str
    path: str = ""
    """The one file, after the change, that can mean it: empty for any."""
    beside: tuple[str, ...] = ()
    """Words of which a file that means it mentions one, too: none for any file."""
    is_method: bool = False
    """A method of Java: who only declares another one of the name does not use it."""
    is_override: bool = False
    """A method that came or went with its type, which is anonymous or new: for who knows nothing but what stands above the
    type, calls may run another body, and that is all."""


def changed_names(before: Program, after: Program, files: Sequence[tuple[str, str]]) -> tuple[ChangedName, ...]:
    """The names, sorted. `files` are (path before, path after), empty where there is none."""
    names: set[ChangedName] = set()
    for old, new in files:
        names |= _of_file(before, after, old, new)
    words = {each.name for each in names}
    for program in (before, after):
        words |= _macros_with(program, words)
    names |= {ChangedName(word) for word in words - {each.name for each in names}}
    return tuple(sorted(each for each in names if each.name))


def _of_file(before: Program, after: Program, old: str, new: str) -> set[ChangedName]:
    olds, news = before.items(old) if old else {}, after.items(new) if new else {}
    names: set[ChangedName] = set()
    for item in {*olds, *news}:
        if olds.get(item) == news.get(item):
            continue
        kind, name = item[0], item[1:]
        if kind == TYPE:
            names |= _of_type(before, after, old, new, name)
        elif kind == STORED and "#" in name:
            names |= {ChangedName(before.member_at(old, name)), ChangedName(after.member_at(new, name))}
        elif kind not in (MEMBER, SUPERTYPE, CLOSED):
            names.add(ChangedName(name))
    return names


def _of_type(before: Program, after: Program, old: str, new: str, name: str) -> set[ChangedName]:
    """The members of a type that differ; the type itself, and those below it, where more than members differs."""
    olds, news = _types(before, old, name), _types(after, new, name)
    names: set[ChangedName] = set()
    for binary in {*olds, *news}:
        first, second = olds.get(binary), news.get(binary)
        if first is None or second is None or _heading(first) != _heading(second):
            below = {simple_name(each) for program in (before, after) for each in _below(program, binary)}
            names |= {ChangedName(each) for each in (name, *below)}
        reach = _Reach(before, after, binary, (first, second), new or old)
        for (member, is_method), both in _differing(_members(first), _members(second)):
            names.add(ChangedName(name) if member == "<init>" else reach.of(member, both, is_method=is_method))
    return {each for each in names if not each.name[:1].isdigit()}


class _Reach:
    """Which files can mean the members of a type of which `sides` are the declarations, before and after."""

    def __init__(self, before: Program, after: Program, binary: str, sides: Sequence[ir.TypeDeclaration | None], path: str) -> None:
        self._programs = (before, after)
        self._binary = binary
        self._sides = sides
        self._path = path
        self._is_local = simple_name(binary)[:1].isdigit()

    def of(self, member: str, both: Sequence[_Declared], *, is_method: bool) -> ChangedName:
        """A member, whose declarations on both sides are given."""
        if language_of(self._path) != "java":
            return ChangedName(member)
        if all("private" in each.attributes for each in both) or (self._is_local and not is_method):
            return ChangedName(member, path=self._path)
        beside: set[str] = set()
        is_static = all("static" in each.attributes for each in both)
        if is_static:
            beside = self._own()
        elif self._is_local or None in self._sides:
            beside = self._own() | self._above()
        is_override = is_method and bool(beside) and not is_static
        return ChangedName(member, beside=tuple(sorted(beside)), is_method=is_method, is_override=is_override)

    def _own(self) -> set[str]:
        """The names of the type and of those below it."""
        below = (each for program in self._programs for each in program.subtypes(self._binary))
        return {simple_name(each) for each in (self._binary, *below)}

    def _above(self) -> set[str]:
        """The names of the types above it that are known."""
        known = (each for program in self._programs for each in program.supertypes(self._binary))
        written = (each for side in self._sides if side is not None for each in side.supertypes)
        return {simple_name(each) for each in (*known, *written)} - {"Object"}


def _types(program: Program, path: str, name: str) -> dict[str, ir.TypeDeclaration]:
    unit = program.sources.outline(path) if path else None
    return {each.name: each for each in unit.types if simple_name(each.name) == name} if unit is not None else {}


def _heading(declared: ir.TypeDeclaration) -> tuple[object, ...]:
    order = tuple(each.name for each in declared.fields) if declared.kind == "struct" else ()
    return (declared.kind, declared.supertypes, declared.attributes, declared.type_parameters, order)


def _members(declared: ir.TypeDeclaration | None) -> dict[tuple[str, bool], list[_Declared]]:
    """The fields and methods by name, and whether they are methods."""
    found: dict[tuple[str, bool], list[_Declared]] = {}
    if declared is not None:
        for field in declared.fields:
            found.setdefault((field.name.rpartition(".")[2], False), []).append(msgspec.structs.replace(field, start=0, end=0))
        for method in declared.methods:
            found.setdefault((method.name, True), []).append(method)
    return found


def _differing(
    first: dict[tuple[str, bool], list[_Declared]], second: dict[tuple[str, bool], list[_Declared]]
) -> Iterable[tuple[tuple[str, bool], list[_Declared]]]:
    """The members that differ, with all declarations of them."""
    names = {*first, *second}
    return ((name, [*first.get(name, ()), *second.get(name, ())]) for name in names if first.get(name) != second.get(name))


def _below(program: Program, binary: str) -> tuple[str, ...]:
    return program.subtypes(binary) if "." in binary or "$" in binary else ()


def _macros_with(program: Program, names: set[str]) -> set[str]:
    """The macros whose bodies mention one of the names, and so on."""
    found: set[str] = set()
    work = sorted(names)
    for _ in range(_MOST_LEVELS):
        new: set[str] = set()
        for name in work:
            for path in program.sources.mentioning_all(name):
                is_told = language_of(path) == "c" and in_directive(program.source(path), name)
                has_macros = is_told and any(item[0] == MACRO for item in program.items(path))
                unit = program.sources.outline(path) if has_macros else None
                new |= {each.name for each in unit.macros if mentions(each.body, name)} if unit is not None else set()
        work = sorted(new - found - names)
        found |= new
        if not work:
            break
    return found


def in_directive(text: bytes, name: str) -> bool:
    """Whether a name stands in a line of the preprocessor. Misses one behind a comment that ends on a later line."""
    word = name.encode("utf-8", "surrogatepass")
    at = text.find(word)
    while at >= 0:
        start = text.rfind(b"\n", 0, at) + 1
        while start > 1 and text[max(0, start - 3) : start].endswith((b"\\\n", b"\\\r\n")):
            start = text.rfind(b"\n", 0, start - 1) + 1
        if text[start:at].lstrip().startswith(b"#"):
            return True
        at = text.find(word, at + 1)
    return False


def mentions(text: str, name: str) -> bool:
    """Whether a piece of C holds a word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        is_begun = start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_")
        is_open = end < len(text) and (text[end].isalnum() or text[end] == "_")
        if not is_begun and not is_open:
            return True
        start = text.find(name, end)
    return False
