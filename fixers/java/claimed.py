"""`out.close(); saved = true;`: whether a patch says that something was written before the close that could still fail.

A close that writes what was left fails where the disk is full: then the code skipped what follows. Where a patch closes behind that, and
somebody still looks when closing has failed (a handler, a `finally`, whoever sees a field), all seems to be well. Inputs lose nothing.
Errs towards «claimed» for fields, which somebody may look at; misses claims in text that a patch writes anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.cfg import reverse_post_order
from fixers.edits import inserted, original
from fixers.fix import Edit
from fixers.java.delayed import is_output

Change = ir.Copy | ir.Op | ir.Load | ir.Store | ir.StoreElement

Key = tuple[str, str, int]
"""The kind of a change, what it changes, and where it stands in the text before."""


def claimed(resource: str, before: Facts, removed: Iterable[int], after: Facts, written: Iterable[int], edits: Sequence[Edit]) -> str:
    """What was changed behind a release of a type, and would be before one that may fail, and seen then; empty where nothing is."""
    if not is_output(resource):
        return ""
    behind = _behind(before, frozenset(removed))
    if not behind:
        return ""
    ours, ranges, start = frozenset(written), inserted(edits), after.linked.body.start
    for node, each in enumerate(after.linked.body.nodes):
        target = _target(after, each)
        at = start + each.start
        if not target or any(low <= at < high for low, high in ranges) or (type(each).__name__, target, original(edits, at)) not in behind:
            continue
        followed = [one for one in _reached(after, node) if one in ours]
        if any(_is_seen(after, each, failed) for one in followed for failed in after.linked.raises[one]):
            return target
    return ""


def _behind(facts: Facts, releases: frozenset[int]) -> Mapping[Key, None]:
    """What is changed behind some releases, and not before any in the same turn of a loop."""
    body = facts.linked.body
    found: dict[Key, None] = {}
    for release in sorted(releases):
        for node in _reached(facts, release):
            each = body.nodes[node]
            if (target := _target(facts, each)) and releases.isdisjoint(_reached(facts, node)):
                found[type(each).__name__, target, body.start + each.start] = None
    return found


def _reached(facts: Facts, node: int) -> list[int]:
    """What follows a node where nothing is thrown, up to where a loop begins again."""
    forward = tuple(
        tuple(each for each in following if facts.cfg.position[each] > facts.cfg.position[at])
        for at, following in enumerate(facts.linked.next)
    )
    return [each for each in reverse_post_order(forward, node) if each != node]


def _target(facts: Facts, instruction: ir.Instruction) -> str:
    """What an instruction changes that has a name, or lies in an object."""
    match instruction:
        case ir.Copy(dst=name) | ir.Op(dst=name) | ir.Load(dst=name):
            return "" if name.startswith("%") else name
        case ir.Store(field=name):
            return "" if name.startswith("val$") else f".{name}"
        case ir.StoreElement():
            return "[]"
        case _:
            return ""


def _is_seen(facts: Facts, change: ir.Instruction, failed: int) -> bool:
    """Whether somebody may look at what was changed once closing has failed."""
    if isinstance(change, ir.Copy | ir.Op | ir.Load):
        return facts.liveness.is_live_before(change.dst, failed)
    return True
