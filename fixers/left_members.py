"""What a function of C that fails leaves in a member of an object that it was given: nothing, or what it has released again.

`c->log = fopen(…)` leaves null where it fails. Where `fclose(c->log)` follows because something else failed, the member still
points to what is gone, unless something is stored to it then. Says «not tidy» too often where branches keep both apart.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.graphs.operands import assigned
from analyzers.queries import ProcedureKey
from fixers.needed_members import MAX_DEPTH, copies, literal, passed_on, stored_members

MAX_COPIES = 3
"""Copies of copies."""


POINTEE = "*"
"""The «member» of what a pointer to a variable points to."""


class Left(enum.Enum):
    """What a function that fails leaves in a variable whose address it was given: null, null or what was there, or anything."""

    NOTHING = enum.auto()
    AS_IT_WAS = enum.auto()
    ANYTHING = enum.auto()


def left_where_it_fails(program: Program, keys: Iterable[ProcedureKey], position: int, nothing: int) -> Left:
    """What functions of C leave behind a parameter where they acquire nothing for it."""
    found = list(keys)
    if not found or not all(is_tidy(program, key, position, POINTEE, nothing) for key in found):
        return Left.ANYTHING
    is_stored = all(POINTEE in stored_members(program, key, position) for key in found)
    return Left.NOTHING if is_stored else Left.AS_IT_WAS


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
            if member == POINTEE and not below and isinstance(call, ir.Call) and not bases.isdisjoint(call.args):
                return False  # Nobody says what a library leaves there when it fails.
            if below and not (
                depth and all(is_tidy(program, one, at, member, nothing, depth - 1) for one, at in below)
            ):
                return False
        return _is_tidy(known, bases, member, nothing)

    return program.once(("tidy", key, position, member, nothing, depth), computed)


def is_filled_with_new(program: Program, key: ProcedureKey, position: int, member: str, nothing: int = 0) -> bool:
    """Whether a function puts nothing into a member of what the parameter points to but what it makes itself, or null (or -1), and lets nobody
    else put anything there."""

    def computed() -> bool:
        known = facts(program, key)
        if known is None or position >= len(known.linked.body.parameters):
            return False
        bases = copies(known.linked.body, known.linked.body.parameters[position])
        calls = [(node, call) for node, call in enumerate(known.linked.body.nodes) if isinstance(call, ir.Call)]
        is_alone = not any(passed_on(known, each, bases) or not bases.isdisjoint(each[1].args) for each in calls)
        return is_alone and _puts_only_new(known, bases, member, nothing)

    return program.once(("filled with new", key, position, member, nothing), computed)


def _puts_only_new(known: Facts, bases: frozenset[str], member: str, nothing: int) -> bool:
    body = known.linked.body
    stored = [node.src for node in body.nodes if isinstance(node, ir.Store) and node.base in bases and node.field in (member, "*")]
    if any(isinstance(node, ir.AddressOf) and node.base in bases and node.field == member for node in body.nodes):
        return False
    making = {n for n, effects in known.effects.items() if any(not t.entry for e in effects for t in e.transfers)}
    made = _made_only(body, {n for n in making if isinstance(body.nodes[n], ir.Call)}, nothing)
    return all(src in made or literal(src) == nothing for src in stored)


def _is_tidy(known: Facts, bases: frozenset[str], member: str, nothing: int) -> bool:
    body = known.linked.body
    stored = {n: node.src for n, node in enumerate(body.nodes) if isinstance(node, ir.Store) and node.base in bases and node.field in (member, "*")}
    if not _puts_only_new(known, bases, member, nothing):
        return False
    loaded = _held(body, {node.dst for node in body.nodes if isinstance(node, ir.Load) and node.base in bases and node.field == member})
    behind, kept = _behind(known, stored), _held(body, set(stored.values()))
    for node, call in enumerate(body.nodes):
        ended = _released(known, node, call) if isinstance(call, ir.Call) else frozenset[str]()
        is_member = not loaded.isdisjoint(ended) or (node in behind and not ended.isdisjoint(kept))
        if is_member and ir.EXIT in _behind(known, (node,), frozenset(stored)):
            return False
    return True


def _held(body: ir.Procedure, names: set[str]) -> set[str]:
    """Some variables and what is copied from them."""
    found = set(names)
    for _ in range(MAX_COPIES):
        found |= {node.dst for node in body.nodes if isinstance(node, ir.Copy | ir.Op) and _origin(node) in found}
    return found


def _made_only(body: ir.Procedure, making: set[int], nothing: int) -> set[str]:
    """The variables that hold what some calls gave, or nothing, and never anything else."""
    found = _held(body, {name for n in making for name in assigned(body.nodes[n])}) - set(body.parameters)
    is_less = True
    while is_less:
        others = {
            name for n, node in enumerate(body.nodes) if n not in making for name in assigned(node)
            if not (isinstance(node, ir.Copy | ir.Op) and ((origin := _origin(node)) in found or literal(origin) == nothing))
        }
        is_less = not found.isdisjoint(others)
        found -= others
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
