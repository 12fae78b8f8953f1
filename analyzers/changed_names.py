"""The words that users of a change would mention: names of which some file says something else than before.

Says too much where a name means several things. What a macro's body mentions counts for the macro, a type's new
supertype for all types below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzers import ir
from analyzers.incremental.program import Program
from analyzers.index import CLOSED, MACRO, MEMBER, STORED, SUPERTYPE, TYPE, simple_name
from analyzers.source import language_of

_MOST_LEVELS = 4
"""Macros inside macros, and types below types, that are followed."""


def changed_names(before: Program, after: Program, files: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The names, sorted. `files` are (path before, path after), empty where there is none."""
    names: set[str] = set()
    for old, new in files:
        names |= _of_file(before, after, old, new)
    for program in (before, after):
        names |= _macros_with(program, names)
    return tuple(sorted(name for name in names if name))


def _of_file(before: Program, after: Program, old: str, new: str) -> set[str]:
    olds, news = before.items(old) if old else {}, after.items(new) if new else {}
    names: set[str] = set()
    for item in {*olds, *news}:
        if olds.get(item) == news.get(item):
            continue
        kind, name = item[0], item[1:]
        if kind == TYPE:
            names |= _of_type(before, after, old, new, name)
        elif kind == STORED and "#" in name:
            names |= {before.member_at(old, name), after.member_at(new, name)}
        elif kind not in (MEMBER, SUPERTYPE, CLOSED):
            names.add(name)
    return names


def _of_type(before: Program, after: Program, old: str, new: str, name: str) -> set[str]:
    """The members of a type that differ; the type itself, and those below it, where more than members differs."""
    olds, news = _types(before, old, name), _types(after, new, name)
    names: set[str] = set()
    for binary in {*olds, *news}:
        first, second = olds.get(binary), news.get(binary)
        if first is None or second is None or _heading(first) != _heading(second):
            names.add(name)
            names |= {simple_name(each) for program in (before, after) for each in _below(program, binary)}
        names |= {each for each in _differing(_members(first), _members(second))}
    if "<init>" in names:
        names.add(name)
    return names - {"<init>"}


def _types(program: Program, path: str, name: str) -> dict[str, ir.TypeDeclaration]:
    unit = program.sources.outline(path) if path else None
    return {each.name: each for each in unit.types if simple_name(each.name) == name} if unit is not None else {}


def _heading(declared: ir.TypeDeclaration) -> tuple[object, ...]:
    order = tuple(each.name for each in declared.fields) if declared.kind == "struct" else ()
    return (declared.kind, declared.supertypes, declared.attributes, declared.type_parameters, order)


def _members(declared: ir.TypeDeclaration | None) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    if declared is not None:
        for field in declared.fields:
            found.setdefault(field.name.rpartition(".")[2], []).append((field.type, field.attributes))
        for method in declared.methods:
            found.setdefault(method.name, []).append(method)
    return found


def _differing(first: dict[str, list[object]], second: dict[str, list[object]]) -> Iterable[str]:
    return (name for name in {*first, *second} if first.get(name) != second.get(name))


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
