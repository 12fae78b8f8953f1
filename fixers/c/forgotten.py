"""A member that a destructor of C forgets: it is released right before its struct goes.

What the whole tree does with the member the detector has read. Where others may know the struct, only the author knows that all objects own
what they hold there, and that it is set in all of them: the patch is SAFE only where the file shows it (`own_members.py`). Declines where the struct goes as part of something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers import Program, ir
from analyzers.facts import Facts, facts, family_releases, releases
from analyzers.finding import Finding
from analyzers.graphs.operands import assigned
from analyzers.queries import ProcedureKey
from analyzers.rules import UNRELEASED_MEMORY
from analyzers.source import Span
from analyzers.specs import Release
from fixers import text, tree
from fixers.c.headers import HEADERS, is_included
from fixers.c.own_members import are_own, key_owner
from fixers.c.style import Style
from fixers.edits import apply
from fixers.fix import CHECKS, STILL_REPORTED, Check, Declined, Edit, Fix, Verdict
from fixers.flow import changed_flow
from fixers.options import Options
from fixers.reanalysis import Reanalysis, reanalyse
from fixers.setting import is_generated, key_of
from fixers.tree import COMMENTS, Tree, child
from templates import render

PROVED, ASSUMED, REFUTED = Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED

ONLY_AUTHOR = "the member has to be released with the object, which only its author can decide for all objects"

OWN = "all that names the member shows that each object has a block of its own there, or none"

_MOST_NAMES = 8
"""Names of one type that are followed."""

_MEMBER = re.compile(r"([A-Za-z_]\w*)->([A-Za-z_]\w*)")


def answer(finding: Finding, program: Program, options: Options) -> Fix | Declined:
    """A fix with its proof, or why there is none."""
    key = key_of(finding, program)
    known = facts(program, key) if key is not None else None
    named = _MEMBER.fullmatch(finding.variable)
    if key is None or known is None or named is None:
        return Declined(finding, ONLY_AUTHOR)
    data, body = program.source(finding.path), known.linked.body
    if is_generated(finding.path, data):
        return Declined(finding, "the file is generated")
    if body.error is not None or body.kind != "function" or finding.path.endswith(".h"):
        return Declined(finding, ONLY_AUTHOR)
    syntax = tree.parse("c", data, body.start, body.end)
    end = _ending(finding, syntax, named[1])
    call = next((n for n, each in enumerate(body.nodes) if _lies_at(each, body.start, finding.lost)), -1)
    released = _release(program, finding, body.nodes[call])
    written = known.linked.types.get(named[1], "")
    is_placed = end is not None and text.starts_line(data, end) and _is_seen(program, finding.path, written, named[2])
    if syntax.errors or end is None or not released or not is_placed:
        return Declined(finding, ONLY_AUTHOR)
    edits = (_edit(finding, Style(syntax, options.c_standard), end, released, is_there=_is_there(known, named[1], call)),)
    owner = key_owner(program, key, named[1])
    ways = released[0].partition("(")[0], getattr(body.nodes[call], "name", "")
    is_own = bool(owner) and finding.rule == UNRELEASED_MEMORY.id and are_own(program, finding.path, owner, named[2], ways)
    proof = tuple(_proof(finding, program, options, key, edits, is_own=is_own))
    refuted = next((each for each in proof if each.verdict is REFUTED), None)
    if refuted is not None:
        return Declined(finding, refuted.reason)
    return Fix(finding, render("fixes/titles/leakfix", expression=finding.variable, count=1), edits, proof)


def _ending(finding: Finding, syntax: Tree, variable: str) -> int | None:
    """Where the statement begins that releases the struct, and nothing else; None where it is no such statement of a block."""
    path = syntax.path(finding.lost.start, finding.lost.end)
    calls = [n for n, each in enumerate(path) if each.kind == "call_expression" and (each.start, each.end) == (finding.lost.start, finding.lost.end)]
    if not calls or calls[0] < 2:
        return None
    block, statement, call = path[calls[0] - 2 : calls[0] + 1]
    given = child(call, "argument_list")
    words = [syntax.text(kid) for kid in given.kids if kid.kind not in ("(", ")", *COMMENTS)] if given is not None else []
    is_whole = statement.kind == "expression_statement" and block.kind == "compound_statement"
    return statement.start if is_whole and words == [variable] else None


def _lies_at(node: ir.Instruction, origin: int, span: Span) -> bool:
    return isinstance(node, ir.Call) and (origin + node.start, origin + node.end) == (span.start, span.end)


def _release(program: Program, finding: Finding, end: ir.Instruction) -> tuple[str, bool] | None:
    """The words that release the member, `{}` in its place, and whether they may meet null; None where nothing tells.
    What a function of the tree made goes as its family says, or as the struct itself does."""
    unit = program.unit(finding.path)
    mentioned = frozenset(unit.mentions) if unit is not None else frozenset[str]()
    maker = _maker(program, finding)
    if maker is None or not isinstance(end, ir.Call):
        return None
    name, is_own = maker
    usual = next(iter(releases(program, finding.resource)), None)
    kin = next((each for each in family_releases(program, name) if each in mentioned), "") if is_own else ""
    if kin:
        return f"{kin}({{}})", False
    is_usual = usual is not None and "{}" in usual.text and "$" not in usual.text and _is_declared(program, finding.path, usual, mentioned)
    if usual is not None and is_usual and (not is_own or usual.call == end.name):
        return usual.text, usual.accepts_null
    is_like = finding.rule == UNRELEASED_MEMORY.id and _takes_any(program, finding.path, end.name)
    return (f"{end.name}({{}})", False) if is_like else None


def _is_declared(program: Program, path: str, usual: Release, mentioned: frozenset[str]) -> bool:
    """Whether a function of the library can be called in a file: it is already, or its header is included."""
    return usual.call in mentioned or (usual.call in HEADERS and is_included(program, path, HEADERS[usual.call]))


def _is_seen(program: Program, path: str, written: str, member: str) -> bool:
    """Whether a file sees the members of a struct, and not just its name."""
    for _ in range(_MOST_NAMES):
        declared = program.c_type(path, written.replace("const ", "").rstrip("* "))
        if declared is None or declared.kind != "typedef" or not declared.supertypes:
            return declared is not None and any(each.name == member for each in declared.fields)
        written = declared.supertypes[0]
    return False


def _maker(program: Program, finding: Finding) -> tuple[str, bool] | None:
    """The function that gives what the member holds, and whether it is none of a library that is known: what it gives goes as it says."""
    at = finding.acquired
    for key in program.procedures_of(at.path):
        span = program.span(key)
        known = facts(program, key) if span.start <= at.start and at.end <= span.end else None
        for node, each in enumerate(known.linked.body.nodes) if known is not None else ():
            if known is not None and _lies_at(each, known.linked.body.start, at) and isinstance(each, ir.Call):
                target = known.linked.targets.get(node)
                return each.name, target is not None and (bool(target.procedures) or program.model(target.models, target.parameters) is None)
    return None


def _takes_any(program: Program, path: str, name: str) -> bool:
    """Whether a function of the tree takes one pointer to anything."""
    found = [program.procedure(key) for key in program.functions(path, name)]
    return bool(found) and all(
        each is not None and len(each.parameters) == 1
        and any(one.name == each.parameters[0] and one.type.replace(" ", "") == "void*" for one in each.variables)
        for each in found
    )


def _is_there(known: Facts, variable: str, end: int) -> bool:
    """Whether the pointer to the struct cannot be null where it goes: on every way it was looked through, or compared."""
    nodes = known.linked.body.nodes
    begun = [after for node, each in enumerate(nodes) if variable in assigned(each) for after in known.linked.next[node]]
    work = [ir.ENTRY, *begun]
    seen = set(work)
    while work:
        node = work.pop()
        if node == end:
            return False
        for after in _onward(known, node, variable):
            if after not in seen:
                seen.add(after)
                work.append(after)
    return not any(isinstance(each, ir.AddressOf) and each.base == variable and not each.field for each in nodes)


def _onward(known: Facts, node: int, variable: str) -> Iterator[int]:
    """The nodes behind one to which the pointer may come as null."""
    each, onward = known.linked.body.nodes[node], known.linked.next[node]
    match each:
        case ir.Load(base=base) | ir.Store(base=base) if base == variable:
            return
        case ir.Branch(operator="==", left=left, right="=null") if left == variable:
            yield onward[0]
        case ir.Branch(operator="!=", left=left, right="=null") if left == variable:
            yield onward[1]
        case ir.Branch(operator="true", left=left) if left == variable:
            yield onward[1]
        case _:
            yield from onward


def _edit(finding: Finding, style: Style, at: int, released: tuple[str, bool], *, is_there: bool) -> Edit:
    """The release on lines of its own before the statement."""
    words, accepts_null = released
    variable = finding.variable.partition("->")[0]
    tests = [] if is_there else [style.test(variable, "NULL")]
    tests += [] if accepts_null else [style.test(finding.variable, "NULL")]
    data = style.tree.data
    indent, ending = text.indentation(data, at), text.line_ending(data, at)
    call = style.call(words.replace("{}", finding.variable))
    unit = text.indentation_unit(data)
    lines = render("fixes/c/release", call=call, condition=" && ".join(tests), unit=unit).strip("\n")
    written = text.reindented(style.branches(lines, unit), indent).lstrip() + "\n" + indent
    return Edit(Span(finding.path, at, at), text.with_ending(written, ending))


def _proof(
    finding: Finding, program: Program, options: Options, key: ProcedureKey, edits: tuple[Edit, ...], *, is_own: bool
) -> Iterator[Check]:
    """Every check that can be computed on the patched text; the rest is assumed, with what it depends on."""
    data = apply(program.source(finding.path), edits)
    patched = program.beside_with({finding.path: data})
    before, after = program.linked(key), patched.linked(key)
    is_read = after is not None and after.body.error is None and _errors(patched, finding.path) <= _errors(program, finding.path)
    found = {"parses": (PROVED, "no new syntax error") if is_read else (REFUTED, "the patched text has a syntax error")}
    if is_read and before is not None and after is not None:
        again = reanalyse(program, patched, finding.path, edits, options.detectors, finding)
        reason = changed_flow(before, after, edits, may_jump=False)
        found.update(_told(finding, again))
        found.update({
            "released once": (PROVED, OWN) if is_own else (ASSUMED, f"whether what `{finding.variable}` holds belongs to each object alone is not known"),
            "no use after release": (PROVED, OWN) if is_own else (ASSUMED, f"whether others still have what `{finding.variable}` holds is not known"),
            "released only if acquired": (PROVED, OWN) if is_own else (ASSUMED, f"whether `{finding.variable}` is set in each object is not known"),
            "name in scope": (PROVED, "every name stands in the function or the file already"),
            "nothing else changes": (REFUTED, reason) if reason else (PROVED, "all else runs as before"),
            "no new unhandled exception": (PROVED, "C has none"),
            "comments kept": (PROVED, "all of them"),
        })
    yield from (Check(name, *found[name]) for name in CHECKS if name in found)


def _errors(program: Program, path: str) -> int:
    return sum(note.kind == "syntax-error" for note in program.notes_of(path))


def _told(finding: Finding, again: Reanalysis) -> dict[str, tuple[Verdict, str]]:
    added = again.added()
    is_gone = again.gone(finding)
    return {
        "finding is gone": (PROVED, "no detector reports it") if is_gone else (REFUTED, STILL_REPORTED),
        "no new finding": (REFUTED, f"then `{added.text or added.resource}` would be reported") if added else (PROVED, "none"),
        "idempotent": (PROVED, "the patched text needs no further fix") if is_gone else (REFUTED, "the patched text would be fixed again"),
    }
