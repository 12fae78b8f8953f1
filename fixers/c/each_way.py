"""One patch for all ways to compile a function of C whose conditions of the preprocessor split its statements.

No tree holds such a function as it is written. Each way to compile it is a text of its own, and the patch is SAFE where it is
found, and proved, in every one of them: the same edits, none of them on a directive. Errs towards no patch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from analyzers import Program, ir
from analyzers.facts import Way, Ways, ways_of_c
from analyzers.finding import Finding
from fixers.again import found_again
from fixers.edits import apply, moved
from fixers.fix import Applicability, Declined, Edit, Fix
from fixers.options import Options
from fixers.setting import key_of

Answering = Callable[[Finding, Program, Options], Fix | Declined]

_OTHERS = "the preprocessor splits the procedure, and the same patch is not proved for every way to compile it"


def each_way(finding: Finding, program: Program, options: Options, answering: Answering) -> Fix | Declined | None:
    """What mends a finding however its function is compiled, or why nothing does; None where no condition splits the function."""
    key = key_of(finding, program)
    procedure = program.procedure(key) if key is not None else None
    data = program.source(finding.path)
    if procedure is None or procedure.error is not None:
        return None
    found = ways_of_c(data, procedure.start, procedure.end)
    if found is None or not procedure.start <= finding.acquired.start < procedure.end:
        return None
    best: Fix | None = None
    without: list[Way] = []
    for way in found.all:
        if _lies_in(finding.acquired.start, finding.acquired.end, way.dropped):
            without.append(way)
            continue
        answer = _in_one(finding, _read_as(program, finding.path, procedure, way, found), options, answering)
        if answer is None or isinstance(answer, Declined):
            reason = answer.reason if answer is not None and best is None else _OTHERS
            return Declined(finding, reason, is_doubted=answer is not None and answer.is_doubted)
        if any(_lies_in(each.span.start, each.span.end, way.dropped) for each in answer.edits) or (best is not None and answer.edits != best.edits):
            return Declined(finding, _OTHERS)
        if best is None or answer.applicability is not Applicability.SAFE:
            best = answer
    if best is None:
        return None
    if not all(_lies_in(each.span.start, each.span.end, way.dropped) for way in without for each in best.edits):
        return Declined(finding, _OTHERS)
    if reason := _misplaced(data, best.edits, found) or _still_there(finding, best.edits, program, options, len(found.all) + 1):
        return Declined(finding, reason)
    return msgspec.structs.replace(best, finding=finding)


def _read_as(program: Program, path: str, procedure: ir.Procedure, way: Way, found: Ways) -> Program:
    """The tree in one way to compile the function. All of them are kept, and a patched text: each leak of the function asks for them again."""
    data = program.source(path)
    return program.beside_with({path: data[: procedure.start] + way.text + data[procedure.end :]}, len(found.all) + 1)


def _in_one(finding: Finding, beside: Program, options: Options, answering: Answering) -> Fix | Declined | None:
    """The answer in one way to compile the function; None where the leak is not found there."""
    again = found_again(finding, (), beside, options)
    if again is None or again.acquired != finding.acquired:
        return None
    return answering(again, beside, options)


def _misplaced(data: bytes, edits: Sequence[Edit], found: Ways) -> str:
    """Why edits cannot stand where they are: one lies on a directive, or runs into its line, or some lie on one side and some not."""
    sides = set()
    for edit in edits:
        start, end = edit.span.start, edit.span.end
        inside = [each for each in found.sides if each[0] < start and end < each[1] and data[each[0] : start].count(b"\n")]
        held = [each for each in found.decided if each[0] < end and start < each[1]]
        if not all(any(outer[0] <= side[0] and side[1] <= outer[1] for side in inside) for outer in held):
            return "a directive of the preprocessor is in the way"
        is_run_into = any(
            (each[0] in (start, end) and not edit.text.endswith("\n")) or (each[1] in (start, end) and not edit.text.startswith("\n"))
            for each in found.decided
        )
        if is_run_into:
            return "a directive of the preprocessor is in the way"
        sides.add(tuple(inside))
    return "" if len(sides) < 2 else "the patch would depend on a condition of the preprocessor"


def _still_there(finding: Finding, edits: Sequence[Edit], program: Program, options: Options, wanted: int) -> str:
    """Why the text as it is written is not mended by edits that mend it in every way to compile it."""
    patched = program.beside_with({finding.path: apply(program.source(finding.path), edits)}, wanted)
    key = key_of(finding, patched)
    procedure = patched.procedure(key) if key is not None else None
    if procedure is None or procedure.error is not None:
        return "the patched procedure does not parse"
    again = found_again(finding, edits, patched, options)
    return _OTHERS if again is not None and again.acquired.start == moved(edits, finding.acquired.start) else ""


def _lies_in(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= start and end <= last for first, last in spans)
