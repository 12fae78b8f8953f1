"""What a function of C that fails leaves in a member of an object that it was given: nothing, or what it has released again.

`c->log = fopen(…)` leaves null where it fails. Where `fclose(c->log)` follows because something else failed, the member still
points to what is gone, unless something is stored to it then. Says «not tidy» too often where branches keep both apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.queries import ProcedureKey
from fixers.needed_members import MAX_DEPTH, copies, literal, passed_on

MAX_COPIES = 3
"""Copies of copies."""


def is_tidy(program: Program, key: ProcedureKey, position: int, member: str, nothing: int = 0, depth: int = MAX_DEPTH) -> bool:
    """Whether a member of what the parameter points to is null (or -1) or as it was, where the function has put nothing into it that the
    caller has to release."""

    def computed() -> bool:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return False
        bases = copies(known.linked.body, known.linked.body.parameters[position])
        for node, call in enumerate(known.linked.body.nodes):
            below = passed_on(known, (node, call), bases) if isinstance(call, ir.Call) else []
            if below and not (
                depth and all(is_tidy(program, one, at, member, nothing, depth - 1) for one, at in below)
            ):
                return False
        return _is_tidy(known, bases, member, nothing)

    return program.once(("tidy", key, position, member, nothing, depth), computed)


def _is_tidy(known: Facts, bases: frozenset[str], member: str, nothing: int) -> bool:
    body = known.linked.body
    stored = {n: node.src for n, node in enumerate(body.nodes) if isinstance(node, ir.Store) and node.base in bases and node.field in (member, "*")}
    if any(isinstance(node, ir.AddressOf) and node.base in bases and node.field == member for node in body.nodes):
        return False
    making = {n for n, effects in known.effects.items() if any(not t.entry for e in effects for t in e.transfers)}
    made = _held(body, {call.dst for n in making if isinstance(call := body.nodes[n], ir.Call)})
    if any(src not in made and literal(src) != nothing for src in stored.values()):
        return False
    loaded = _held(body, {node.dst for node in body.nodes if isinstance(node, ir.Load) and node.base in bases and node.field == member})
    behind = _behind(known, stored)
    for node, call in enumerate(body.nodes):
        ended = _released(known, node, call) if isinstance(call, ir.Call) else frozenset[str]()
        is_member = not loaded.isdisjoint(ended) or (node in behind and not ended.isdisjoint(stored.values()))
        if is_member and ir.EXIT in _behind(known, (node,), frozenset(stored)):
            return False
    return True


def _held(body: ir.Procedure, names: set[str]) -> set[str]:
    """Some variables and what is copied from them."""
    found = set(names)
    for _ in range(MAX_COPIES):
        found |= {node.dst for node in body.nodes if isinstance(node, ir.Copy | ir.Op) and _origin(node) in found}
    return found


def _origin(node: ir.Copy | ir.Op) -> str:
    if isinstance(node, ir.Copy):
        return node.src
    return node.operands[0] if node.operator == "cast" and node.operands else ""


def _released(known: Facts, node: int, call: ir.Call) -> frozenset[str]:
    """The arguments that a call may release."""
    entries = {
        t.entry[0]
        for e in known.effects.get(node, ())
        for t in e.transfers
        if len(t.entry) == 1 and any(one.fate == "released" for one in t.outcomes)
    }
    return frozenset(name for index, name in enumerate(call.args) if f"${index}" in entries)


def _behind(known: Facts, nodes: Iterable[int], ending: frozenset[int] = frozenset()) -> set[int]:
    """The nodes that paths from some lead to, no further than to others."""
    work = [each for node in nodes for each in known.linked.next[node]]
    found = set(work)
    while work:
        node = work.pop()
        for each in known.linked.next[node] if node not in ending else ():
            if each not in found:
                found.add(each)
                work.append(each)
    return found
