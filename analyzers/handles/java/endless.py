"""Objects that open something for themselves and give nobody a way to close it: a field that is only worked with.

Who drops such an object drops what it opened, whatever its class means by it. Told of fields that no code of their file does more
with than to call methods on them that release nothing, in objects that hand themselves to nobody. Reports too much where the
program ends with the object; misses classes below one that nobody knows.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.graphs.operands import used
from analyzers.handles.java.known_elsewhere import is_read_elsewhere
from analyzers.handles.unknown import Policy, is_release, receiver_policy
from analyzers.queries import ProcedureKey, Queries, Target
from analyzers.summaries import Transfer

_PARTS = ("getChannel", "getFD", "getInputStream", "getOutputStream", "iterator", "stream")
"""Methods that give out what may end their receiver."""
_OPENED = ("java.io.", "java.net.", "java.nio.", "java.sql.", "java.util.jar.", "java.util.zip.", "javax.sql.")
_PROCESS_LONG = ("java.net.ServerSocket", "java.nio.channels.ServerSocketChannel", "java.nio.file.WatchService")
"""What the system has open; and what lives as long as the program more often than not."""


def goes_with_object(transfer: Transfer, call: ir.Call, target: Target, queries: Queries) -> bool:
    """Whether a constructor keeps what it opens in a field, out of which nothing ever takes it, by itself or inside of a wrapper."""
    paths = {path for outcome in transfer.outcomes for path in outcome.paths}
    return call.kind == "new" and all(
        len(path) > 1 and path[0] == "this" and set(path[2:]) <= {WRAPPED} and _is_abandoned(target.type, path[1], transfer.type, queries) for path in paths
    )  # fmt: skip


def _is_abandoned(owner: str, field: str, made: str, queries: Queries) -> bool:
    """Whether no other file reads a field of a class, and nothing in its own may release what it holds, of a type that is made there, or let
    anybody else."""
    if not made.startswith(_OPENED) or made in _PROCESS_LONG:
        return False
    path = queries.declaring_file(owner)
    unit = queries.unit(path) if path else None
    declared = next((each for each in unit.types if each.name == owner), None) if unit is not None else None
    if unit is None or declared is None or not _is_its_own(declared, field, path, queries) or not _is_all_known(owner, queries):
        return False
    for each in unit.procedures:
        body = queries.procedure(ProcedureKey(path, each.name))
        if body is None or _gives_up(body, owner, field) or (body.owner == owner and _hands_itself_on(body)):
            return False
    return True


def _is_its_own(declared: ir.TypeDeclaration, field: str, path: str, queries: Queries) -> bool:
    """Whether a class has such a field for each object, and no other file reads it."""
    attributes = next((each.attributes for each in declared.fields if each.name == field), None)
    if attributes is None or declared.kind != "class" or "static" in attributes:
        return False
    return not is_read_elsewhere(field, attributes, declared, path, queries)


def _is_all_known(owner: str, queries: Queries) -> bool:
    """Whether a class has nothing above it, or only classes and interfaces of the repository."""
    return all(each == "java.lang.Object" or queries.declaring_file(each) for each in queries.supertypes(owner))


def _gives_up(body: ir.Procedure, owner: str, field: str) -> bool:
    """Whether a procedure does more with the field of a class than to call methods on it that do not end it; one of this name of
    an object of an unknown class counts, one of its own object in another class does not."""
    for load in body.nodes:
        if not isinstance(load, ir.Load) or load.field != field or (load.base == "this" and body.kind != "lambda" and body.owner != owner):
            continue
        if not ir.is_temporary(load.dst) or any(load.dst in used(node) and not _is_work(node, load.dst) for node in body.nodes):
            return True
    return False


def _is_work(node: ir.Instruction, name: str) -> bool:
    match node:
        case ir.Branch():
            return True
        case ir.Call(kind="virtual", receiver=receiver, args=args) if receiver == name:
            is_part = node.dst and node.name in _PARTS
            return name not in args and not is_part and not is_release(node.name) and receiver_policy(node) is not Policy.ESCAPE
        case _:
            return False


def _hands_itself_on(body: ir.Procedure) -> bool:
    """Whether a method gives its object to anybody: a thread, a registry, a lambda."""
    return any(
        (isinstance(node, ir.Call) and "this" in node.args) or (isinstance(node, ir.Store | ir.StoreElement | ir.Return) and node.src == "this")
        for node in body.nodes
    )
