"""Locks: what a procedure says itself where it gives one back, and what a way out still needs of what the lock guards.

The release is written as the procedure writes it. A way out whose value is computed from anything but its own variables is refused: what
it reads may have to be read under the lock. Refuses too much where that reads nothing that is shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.rules import UNRELEASED_LOCK
from analyzers.summaries import Effects
from analyzers.syntax import Node
from fixers.leak import Leak
from fixers.tree import find

SHARED = "what it returns may have to be computed under the lock"
"""Why nothing is written before a way out."""

_WORD = re.compile(r"[A-Za-z_]\w*")

_COMPUTED = (
    "call_expression", "field_expression", "subscript_expression", "pointer_expression", "update_expression", "assignment_expression",
    "method_invocation", "field_access", "array_access", "object_creation_expression", "lambda_expression",
)


def is_lock(leak: Leak) -> bool:
    """Whether a finding is of a lock."""
    return leak.finding.rule == UNRELEASED_LOCK.id


def written_releases(leak: Leak) -> list[str]:
    """How the procedure writes the calls that give back what the finding says is held, each text once."""
    body = leak.linked.body
    taken = [node for node in body.nodes if isinstance(node, ir.Call) and (node.start + body.start, node.end + body.start) == (leak.finding.acquired.start, leak.finding.acquired.end)]
    names = {_held(leak, call) for call in taken} - {""}
    texts: dict[str, None] = {}
    for number, node in enumerate(body.nodes):
        if isinstance(node, ir.Call) and node not in taken and _held(leak, node) in names and _releases(leak.effects.get(number, ())):
            texts[leak.data[node.start + body.start : node.end + body.start].decode("utf-8", "surrogateescape")] = None
    ends = [each.start - body.start for each in (*leak.finding.exits, leak.finding.lost)]
    return [each for each in texts if all(_is_meant(leak, word, ends) for word in _WORD.findall(each))]


def _is_meant(leak: Leak, word: str, ends: Sequence[int]) -> bool:
    """Whether a word of a release, if a variable of the procedure has that name, is the one in the call that takes the lock, and means the same at
    all ways out: no other has the name, and it is visible there."""
    named = [each for each in leak.linked.body.variables if ir.source_name(each.name) == word and each.kind != "temporary" and ir.HELD not in each.attributes]
    if not named:
        return True
    taken = leak.data[leak.finding.acquired.start : leak.finding.acquired.end].decode("utf-8", "surrogateescape")
    is_visible = named[0].kind == "parameter" or all(named[0].start <= at < named[0].end for at in ends)
    return len(named) == 1 and word in _WORD.findall(taken) and is_visible


def _releases(effects: tuple[Effects, ...]) -> bool:
    """Whether a call gives back something that it is passed."""
    return any(one.fate == "released" for every in effects for each in every.transfers if each.entry for one in each.outcomes)


def _held(leak: Leak, call: ir.Call) -> str:
    """The variable that linking made for the lock of a call; empty for none."""
    held = {variable.name for variable in leak.linked.body.variables if ir.HELD in variable.attributes}
    addresses = {node.dst: node.base for node in leak.linked.body.nodes if isinstance(node, ir.AddressOf)}
    return next((name for operand in (call.receiver, *call.args) for name in (operand, addresses.get(operand, "")) if name in held), "")


def exits(leak: Leak) -> Iterator[tuple[Node, Node] | None]:
    """(holder, statement) of each return or throw that leaves the lock held; (block, block) for the end of the procedure; None for anything else."""
    for span in sorted({*leak.finding.exits, leak.finding.lost}):
        path = leak.tree.path(span.start, span.end)
        if leak.data[span.start : span.end] == b"}":
            block = next((node for node in reversed(path) if node.kind in ("compound_statement", "block", "constructor_body") and node.end == span.end), None)
            yield None if block is None else (block, block)
            continue
        at = next((n for n, node in enumerate(path) if n and node.kind in ("return_statement", "throw_statement") and (node.start, node.end) == (span.start, span.end)), 0)
        yield (path[at - 1], path[at]) if at else None


def computes(leak: Leak, statement: Node) -> bool:
    """Whether a return does more than hand on variables of the procedure, or constants: a field or a global may have to be read under the lock."""
    if statement.kind != "return_statement":
        return False
    own = {ir.source_name(each.name) for each in leak.linked.body.variables if each.kind in ("local", "parameter") and ir.HELD not in each.attributes}
    named = {leak.tree.text(each) for each in find(statement, "identifier")}
    return any(True for _ in find(statement, *_COMPUTED)) or any(name not in own and not name.isupper() for name in named)
