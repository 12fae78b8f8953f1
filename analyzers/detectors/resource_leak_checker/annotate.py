"""Where inferred annotations go in the text of a file, and the imports that they need."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker.declarations import Declarations
from analyzers.detectors.resource_leak_checker.inference import Inference, Inferred
from analyzers.queries import ProcedureKey, Queries

PACKAGES = {
    "EnsuresCalledMethods": "org.checkerframework.checker.calledmethods.qual",
}
MUST_CALL_PACKAGE = "org.checkerframework.checker.mustcall.qual"


class Insertion(msgspec.Struct, frozen=True, order=True):
    """Text to put in at an offset of a file."""

    offset: int
    text: str


def insertions(queries: Queries, path: str, data: bytes) -> tuple[Insertion, ...]:
    """What to insert into a Java file so that it bears the annotations that are inferred for it; sorted."""
    unit = queries.unit(path)
    if unit is None or unit.language != "java":
        return ()
    placed = _Placing(queries, path, data, unit)
    found: dict[int, list[str]] = {}
    names: set[str] = set()
    inference = Inference(Declarations(queries))
    for declared in unit.types:
        for each in inference.of_type(declared.name):
            offset = placed.offset(each, declared)
            if offset is not None:
                found.setdefault(offset, []).append(placed.text(each, offset))
                names.add(each.annotation[1:].partition("(")[0])
    if not found:
        return ()
    for needed in _imports(names, unit, data):
        found.setdefault(needed.offset, []).insert(0, needed.text)
    return tuple(sorted(Insertion(offset, "".join(dict.fromkeys(texts))) for offset, texts in found.items()))


class _Placing:
    def __init__(self, queries: Queries, path: str, data: bytes, unit: ir.Unit) -> None:
        self._queries = queries
        self._path = path
        self._data = data
        self._bodies = {each.name: each for each in unit.procedures}
        starts = [field.start for declared in unit.types for field in declared.fields]
        self._shared = {start for start in starts if starts.count(start) > 1}

    def offset(self, inferred: Inferred, declared: ir.TypeDeclaration) -> int | None:
        """Where an annotation goes; None where it has no place of its own."""
        match inferred.place:
            case "class":
                return declared.start
            case "field":
                start = next(each.start for each in declared.fields if each.name == inferred.name)
                return None if start in self._shared else start
            case "method":
                body = self._bodies.get(inferred.procedure)
                return body.start if body is not None else None
            case "parameter":
                return self._parameter(inferred)

    def _parameter(self, inferred: Inferred) -> int | None:
        body = self._queries.procedure(ProcedureKey(self._path, inferred.procedure))
        position = int(inferred.name)
        if body is None or position >= len(body.parameters):
            return None
        variable = next(each for each in body.variables if each.name == body.parameters[position])
        return _start_of_formal(self._data, body.start, body.start + variable.declared)

    def text(self, inferred: Inferred, offset: int) -> str:
        """The annotation with what follows it: members and classes have it on a line of its own."""
        if inferred.place in ("parameter", "field"):
            return f"{inferred.annotation} "
        line = self._data.rfind(b"\n", 0, offset) + 1
        indent = self._data[line:offset]
        newline = "\r\n" if b"\r\n" in self._data else "\n"
        return f"{inferred.annotation}{newline}{indent.decode('utf-8', 'replace')}" if not indent.strip() else f"{inferred.annotation} "


def _start_of_formal(data: bytes, start: int, declared: int) -> int | None:
    """Where the formal begins that declares its name at `declared`: after the `(` or `,` before it."""
    depth = 0
    for position in range(declared - 1, start - 1, -1):
        character = data[position : position + 1]
        if character in (b")", b"]", b"}", b">"):
            depth += 1
        elif depth and character in (b"(", b"[", b"{", b"<"):
            depth -= 1
        elif not depth and character in (b"(", b","):
            found = position + 1
            while data[found : found + 1].isspace():
                found += 1
            return found
    return None


def _imports(names: set[str], unit: ir.Unit, data: bytes) -> Iterator[Insertion]:
    present = {each.rpartition(".")[2] for each in unit.imports}
    whole = {each[:-2] for each in unit.imports if each.endswith(".*")}
    packages = {name: PACKAGES.get(name, MUST_CALL_PACKAGE) for name in names - present}
    lines = sorted(f"import {package}.{name};" for name, package in packages.items() if package not in whole)
    if not lines:
        return
    newline = "\r\n" if b"\r\n" in data else "\n"
    first = min((each.start for each in unit.types), default=0)
    offset = _line_after(data, b"import ", first)
    if offset is not None:
        yield Insertion(offset, "".join(f"{each}{newline}" for each in lines))
        return
    offset = _line_after(data, b"package ", first)
    text = newline.join(lines)
    yield Insertion(offset or 0, f"{newline}{text}{newline}" if offset else f"{text}{newline}{newline}")


def _line_after(data: bytes, word: bytes, end: int) -> int | None:
    """The beginning of the line after the last one before `end` that begins with a word."""
    starts = [0]
    while (following := data.find(b"\n", starts[-1])) >= 0:
        starts.append(following + 1)
    last = [start for start in starts[: bisect.bisect_right(starts, end)] if data.startswith(word, start)]
    if not last:
        return None
    after = data.find(b"\n", last[-1])
    return len(data) if after < 0 else after + 1
