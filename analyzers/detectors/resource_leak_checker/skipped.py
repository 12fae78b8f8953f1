"""Code without annotations: methods that end an object and do not come to the one that they override when something before it throws.

`void close() { finish(); super.close(); }`: what the class above holds stays open where `finish()` fails, and after it nobody
else will close it. It is what `plain` tells of fields. Told where the method above is known to release what it holds: a class of the
tree whose `close` does, or a stream of the JDK. Reports too much when a caller tries again; says nothing of methods that leave
the one above out on some return.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker.declarations import Declarations
from analyzers.detectors.resource_leak_checker.plain import (
    first_work,
    is_at_once,
    is_expected,
    is_guard,
    is_making,
    simple_name,
)
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.detectors.resource_leak_checker.scene import Scene
from analyzers.finding import Finding
from analyzers.graphs.cfg import reached
from analyzers.queries import Linked, Queries, Target
from analyzers.summaries import Certainty

CLOSE = "close"

_OPENING = ("java.io.File", "java.io.RandomAccessFile", "java.net.Socket", "java.net.ServerSocket", "java.util.zip.ZipFile", "java.util.jar.JarFile")
"""How the names of classes of the JDK begin that open something themselves; the others are made around what somebody opened."""
_AROUND = ("java.io.", "java.util.zip.", "java.util.jar.", "java.security.", "javax.crypto.")
_IDLE = ("java.io.InputStream", "java.io.OutputStream", "java.io.Reader", "java.io.Writer")
"""Classes of the JDK whose own `close` ends nothing."""
_PIPED = "java.io.Piped"
"""How the names of those begin that hold nothing but memory."""


def skipped(linked: Linked, declarations: Declarations) -> Iterator[Finding]:
    """The method above that a `close` does not come to when something throws."""
    nodes, queries = linked.body.nodes, declarations.queries
    ends = [at for at, node in enumerate(nodes) if isinstance(node, ir.Call) and (node.kind, node.qualifier, node.name, node.args) == ("special", "super", CLOSE, ())]
    target = linked.targets.get(ends[0]) if ends and simple_name(linked.key) == CLOSE else None
    if target is None or not (released := _released(target, queries)):
        return
    scene = Scene(linked, declarations, None)
    first = first_work(scene)
    start = first if first >= 0 else ir.ENTRY
    passed = reached(scene.cfg.successors, start, ends) if start not in ends else frozenset[int]()
    if ir.EXIT in passed or _ends_itself(passed, linked, declarations):
        return
    thrown = [
        each for each in sorted(passed)
        if ir.RAISE in scene.cfg.raised[each] and is_expected(each, linked, queries)
        and not (is_guard(nodes[each]) or is_at_once(each, scene) or _is_of_owner(nodes[each], target) or any(is_making(each, name, linked, queries) for name in released))
    ]  # fmt: skip
    if thrown:
        yield Reporter(linked, queries).skipped(ends[0], thrown, linked.body.owner)


def _released(target: Target, queries: Queries) -> tuple[str, ...]:
    """What the method above ends of its object: fields of a class of the tree, or the stream that one of the JDK is."""
    if target.procedures:
        moves = [move for key in target.procedures for move in queries.effects(key).transfers if len(move.entry) == 2 and move.entry[0] == "this"]
        returned = {move.entry[1]: [each for each in move.outcomes if each.exit == "return"] for move in moves}
        return tuple(name for name, ways in returned.items() if ways and all(each.fate == "released" and each.certainty is Certainty.MUST for each in ways))
    owner = target.type
    is_stream = owner.startswith((*_OPENING, *_AROUND)) and owner not in _IDLE and not owner.startswith(_PIPED)
    return ("",) if is_stream and queries.is_closeable(owner) is True else ()


def _is_of_owner(node: ir.Instruction, target: Target) -> bool:
    """Whether something else is closed, at a node of a stream that was made around what is not its own: the other is mostly what that
    came from, and closes it, too (`new FilterInputStream(zip.getInputStream(entry)) { … zip.close(); super.close(); }`)."""
    is_around = not target.procedures and not target.type.startswith(_OPENING)
    return is_around and isinstance(node, ir.Call) and CLOSE in node.name.lower()


def _ends_itself(passed: frozenset[int], linked: Linked, declarations: Declarations) -> bool:
    """Whether the method closes, on some way without the method above, what an inherited field holds, or passes it to something that may."""
    nodes = linked.body.nodes
    own = {each.declaration.name for each in declarations.fields(linked.body.owner) if each.owner == linked.body.owner}
    loads = [each for node in passed if isinstance(each := nodes[node], ir.Load)]
    inherited = {each.dst for each in loads if each.base == "this" and each.field not in own}
    calls = [each for node in passed if isinstance(each := nodes[node], ir.Call)]
    return any(not inherited.isdisjoint(each.args) or (each.receiver in inherited and CLOSE in each.name.lower()) for each in calls)
