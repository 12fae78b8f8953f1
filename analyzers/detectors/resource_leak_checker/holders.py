"""Code without annotations: fields, of which no other file knows, that hold a resource which their class acquires and never gives up.

The class-level half of ownership (section 3.2): a field owns what its class stores there, so the method that ends the
life of the object has to release it. Told where no procedure of the file does anything with the field but to call
methods on it that release nothing. Reports too much when the object lives as long as the program; misses fields that
are handed to anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.idle import LOCK
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Field, Method
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.detectors.resource_leak_checker.suppressions import is_suppressed
from analyzers.domains.obligation import Limits
from analyzers.finding import NOT_CALLED, Finding
from analyzers.graphs.operands import used
from analyzers.handles.java.known_elsewhere import is_read_elsewhere
from analyzers.handles.runs import Handles
from analyzers.handles.unknown import Policy, is_release, receiver_policy
from analyzers.queries import Linked, MethodFacts, ProcedureKey, Queries
from analyzers.source import Span
from analyzers.summaries import Certainty, Transfer

ENDINGS = (
    "close", "shutdown", "shutDown", "dispose", "destroy", "terminate", "stop", "cleanup", "cleanUp", "onDestroy", "onCleared", "onTerminate",
    "onDetach",
)
"""Methods without parameters that end the life of their object, the likeliest first."""

_COPYING = ("copy", "copyLarge", "transferFrom", "transferTo")
"""Methods that copy between streams, and keep none."""


def forgotten(key: ProcedureKey, declarations: Declarations) -> Iterator[Finding]:
    """The fields that a procedure fills and the ending method of its class forgets."""
    queries = declarations.queries
    body = queries.procedure(key)
    names = filled(body) if body is not None else ()
    if body is None or not names:
        return
    ending = _ending(body.owner, declarations)
    if ending is None and not _inherits_close(body.owner, queries):
        return
    held = {name: field for name in names if (field := own_field(name, body.owner, declarations)) is not None}
    held = {name: field for name, field in held.items() if not _is_given_up(field, key.path, queries)}
    linked = queries.linked(key) if held else None
    if linked is None:
        return
    told = set()
    for transfer in queries.effects(key).transfers:
        name = kept_in(transfer)
        if name in held and transfer.type != LOCK and _is_told_here(transfer, linked, declarations):
            told.add(name)
            yield _finding(held[name], transfer, ending, linked, queries)
    if left := [name for name in held if name not in told and body.kind == "constructor"]:
        for name, transfer in put_straight(left, linked, queries):
            if transfer.type != LOCK and _is_told_here(transfer, linked, declarations):
                yield _finding(held[name], transfer, ending, linked, queries)


def filled(body: ir.Procedure) -> tuple[str, ...]:
    """The fields of its own object that a procedure stores something to."""
    stored = (node.field for node in body.nodes if isinstance(node, ir.Store) and node.base == "this" and not ir.is_literal(node.src))
    return tuple(dict.fromkeys(stored))


def _ending(owner: str, declarations: Declarations) -> Method | None:
    """The method that ends the life of an object of the class, if it has one of its own."""
    declared = declarations.declared(owner)
    found = {each.name for each in declared[1].methods if each.procedure and not each.parameters} if declared is not None else set()
    name = next((name for name in ENDINGS if name in found), "")
    methods = [each for each in declarations.methods(owner) if each.name == name and each.procedure and not each.parameters] if name else []
    return methods[-1] if methods else None


def _inherits_close(owner: str, queries: Queries) -> bool:
    """Whether objects of a class can be closed by nothing but what classes above it have for them, which know no field of the class."""
    methods = [each for each in queries.methods(owner, "close") if not each.parameters]
    return bool(methods) and all(_is_of_above(each, owner) for each in methods)


def _is_of_above(method: MethodFacts, owner: str) -> bool:
    """Whether a method is one of the JDK, or of a class of the repository above another."""
    if method.procedure is None:
        return "jdk" in method.attributes
    return not method.procedure.name.startswith(f"{owner}.")


def own_field(name: str, owner: str, declarations: Declarations) -> Field | None:
    """The declaration of a field that nobody outside the file sees, or that nobody reads who does."""
    field = declarations.field(owner, name)
    if field is None or field.owner != owner or field.is_static:
        return None
    declared = declarations.declared(owner)
    if is_read_elsewhere(name, field.declaration.attributes, declared[1] if declared is not None else None, field.path, declarations.queries):
        return None
    return None if is_suppressed(NOT_CALLED, field.declaration.attributes) else field


def _is_given_up(field: Field, path: str, queries: Queries) -> bool:
    """Whether some procedure of the file may release what the field holds, or let others."""
    unit, name = queries.unit(path), field.declaration.name
    for each in unit.procedures if unit is not None else ():
        body = queries.procedure(ProcedureKey(path, each.name))
        if body is None:
            continue
        refilled = _refilled(body, name)
        for load in body.nodes:
            if _loads(load, name) and _may_mean(load, field, body) and is_use(load, body.nodes) and not _is_replaced(load, body.nodes, refilled):
                return True
    return False


def _refilled(body: ir.Procedure, name: str) -> int:
    """Where a method stores something new to a field of its own object for the last time; 0 where it does not."""
    stores = [
        node for node, each in enumerate(body.nodes)
        if isinstance(each, ir.Store) and (each.base, each.field) == ("this", name) and not ir.is_literal(each.src)
    ]  # fmt: skip
    return stores[-1] if stores and body.kind == "method" else 0


def _is_replaced(load: ir.Instruction, nodes: Sequence[ir.Instruction], refilled: int) -> bool:
    """Whether what is loaded is closed for something new that takes its place: the field stays full."""
    if not isinstance(load, ir.Load):
        return False
    uses = [(at, node) for at, node in enumerate(nodes) if load.dst in used(node) and not _is_harmless(node, load.dst)]
    return all(at < refilled and isinstance(node, ir.Call) and node.name == "close" and not node.args for at, node in uses)


def _loads(node: ir.Instruction, name: str) -> bool:
    return isinstance(node, ir.Load) and node.field == name


def _may_mean(load: ir.Instruction, field: Field, body: ir.Procedure) -> bool:
    """Whether a load of a field of this name may be one of the field itself, not of another class of the file."""
    is_own = isinstance(load, ir.Load) and load.base == "this" and body.kind != "lambda"
    return not is_own or body.owner == field.owner


def is_use(load: ir.Instruction, nodes: Sequence[ir.Instruction]) -> bool:
    """Whether more becomes of what is loaded than that methods are called on it that do not end it."""
    if not isinstance(load, ir.Load) or not ir.is_temporary(load.dst):
        return True
    return any(load.dst in used(node) and not _is_harmless(node, load.dst) for node in nodes)


def _is_harmless(node: ir.Instruction, name: str) -> bool:
    match node:
        case ir.Branch():
            return True
        case ir.Op(operator=operator):
            return operator not in ("cast", "[]+")
        case ir.Call(kind="virtual", receiver=receiver, args=args) if receiver == name:
            return name not in args and not _is_ending(node)
        case ir.Call(name=called, kind="virtual" | "static"):
            return called in _COPYING
        case _:
            return False


def _is_ending(call: ir.Call) -> bool:
    """Whether a call may release its receiver, or give out what releases it."""
    is_part = call.dst and call.name in ("getChannel", "getInputStream", "getOutputStream", "getFD", "iterator", "stream")
    return bool(is_part) or is_release(call.name) or receiver_policy(call) is Policy.ESCAPE


def kept_in(transfer: Transfer) -> str:
    """The field in which, and nowhere else, a procedure leaves what it acquires; empty where it does not."""
    returned = [each for each in transfer.outcomes if each.exit == "return"]
    if transfer.entry or transfer.site is None or not returned:
        return ""
    places = {each.paths for each in returned if each.fate == "held" and each.certainty is Certainty.MUST}
    if len(places) != 1 or any(each.fate != "held" for each in returned):
        return ""
    paths = places.pop()
    is_field = len(paths) == 1 and len(paths[0]) == 2 and paths[0][0] == "this"
    return paths[0][1] if is_field else ""


def put_straight(names: Sequence[str], linked: Linked, queries: Queries) -> Iterator[tuple[str, Transfer]]:
    """What a constructor acquires and does nothing with but to store it in one of these fields of its object, which may be known to others
    by then: of a private field they know nothing."""
    nodes = linked.body.nodes
    stored = {
        node.src: node.field for node in nodes if isinstance(node, ir.Store) and node.base == "this" and node.field in names and ir.is_temporary(node.src)
    }  # fmt: skip
    if not stored:
        return
    handles = Handles(linked, queries, Limits(), is_summary=False)
    for obligation, site, transfer in handles.acquisitions():
        made = site.call.receiver if site.call.kind == "new" else site.call.dst
        users = [node for node in nodes if node is not site.call and made in used(node)]
        is_whole = all(path in (("$ret",), ("this",)) for outcome in transfer.outcomes for path in outcome.paths)
        if made in stored and is_whole and len(users) == 1 and not site.is_doubtful:
            node = nodes[obligation.node]
            span = Span(linked.key.path, linked.body.start + node.start, linked.body.start + node.end)
            yield stored[made], msgspec.structs.replace(transfer, site=span)
    handles.end()


def _is_told_here(transfer: Transfer, linked: Linked, declarations: Declarations) -> bool:
    """Whether an acquisition stands in the procedure itself; one of an initialiser is told with the first constructor."""
    site, body = transfer.site, linked.body
    if site is None or site.path != linked.key.path:
        return False
    if body.start <= site.start < body.end:
        return True
    makers = [each.procedure for each in declarations.methods(body.owner) if each.name == "<init>"]
    return body.kind == "constructor" and makers[:1] == [linked.key.name]


def _finding(field: Field, transfer: Transfer, ending: Method | None, linked: Linked, queries: Queries) -> Finding:
    name = field.declaration.name
    closing = queries.procedure(ending.key) if ending is not None else None
    acquired = transfer.site or Span(field.path, field.declaration.start, field.declaration.end)
    lost = Span(ending.path, closing.end - 1, closing.end) if ending is not None and closing is not None else acquired
    closer = f"`{ending.name}()`" if ending is not None else "the `close()` that its class inherits"
    verb = "closed" if transfer.resource == "closeable" else "released"
    message = f"`{name}` is not {verb} by {closer}, nor for good by anything else of its class."
    return Reporter(linked, queries).forgotten(transfer.type or field.type, acquired, lost, message, name)
