"""Code without annotations: fields that are full from the beginning, and filled anew while what they hold is open.

A field that owns what it holds has to be released before it is assigned (section 5.2: who assigns it creates a new
obligation). Told of a private field that each constructor fills, that nothing but the end of the object's life releases,
and that a method fills without a look at it. Reports too much when the method is only called after that end; misses
fields that may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Method
from analyzers.detectors.resource_leak_checker.holders import filled, kept_in, own_field
from analyzers.detectors.resource_leak_checker.inference import Inference
from analyzers.detectors.resource_leak_checker.plain import DESTRUCTORS, simple_name
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.finding import Finding
from analyzers.handles.unknown import words_of
from analyzers.queries import ProcedureKey, Queries

_BEGINNINGS = ("open", "reopen", "connect", "reconnect", "start", "restart", "init", "initialize", "begin", "activate", "set")
"""What methods are named after that begin a life anew, or take what somebody else made."""


def overwritten(key: ProcedureKey, declarations: Declarations) -> Iterator[Finding]:
    """The fields that a method fills while they hold something open."""
    queries = declarations.queries
    body = queries.procedure(key)
    if body is None or body.kind != "method" or "private" in body.attributes or "static" in body.attributes:
        return
    words = words_of(simple_name(key))
    names = () if not words or words[0] in _BEGINNINGS else tuple(name for name in filled(body) if _is_blind(name, body))
    for name in names:
        field = own_field(name, body.owner, declarations)
        if field is None or field.is_final or not _is_full(name, body.owner, declarations):
            continue
        ends = Inference(declarations).facts(body.owner).owning.get(name, ())
        if not ends or not set(ends) <= DESTRUCTORS or _is_called_inside(key, body.owner, declarations):
            continue
        effects = queries.effects(key)
        if any(each.entry[:2] == ("this", name) for each in effects.transfers):
            continue
        linked = queries.linked(key)
        made = next((each for each in effects.transfers if kept_in(each) == name), None)
        if linked is None or made is None:
            continue
        methods = tuple(sorted(declarations.must_call(field.type)))
        yield Reporter(linked, queries).overwritten(name, made.type or field.type, _store(name, body), methods)


def _store(name: str, body: ir.Procedure) -> int:
    """Where a method fills a field."""
    return next(at for at, node in enumerate(body.nodes) if isinstance(node, ir.Store) and (node.base, node.field) == ("this", name))


def _is_blind(name: str, body: ir.Procedure) -> bool:
    """Whether a method fills a field once, with something, and neither looks at it nor asks its own object for anything before."""
    stores = [at for at, node in enumerate(body.nodes) if isinstance(node, ir.Store) and (node.base, node.field) == ("this", name)]
    if len(stores) != 1:
        return False
    return not any(
        (isinstance(node, ir.Load) and node.field == name) or (isinstance(node, ir.Call) and node.receiver == "this" and at < stores[0])
        for at, node in enumerate(body.nodes)
        if at < stores[0] or _may_precede(body, at, stores[0])
    )


def _may_precede(body: ir.Procedure, node: int, store: int) -> bool:
    """Whether control may come from a node to a store."""
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        for following in body.next[waiting.pop()]:
            if following == store:
                return True
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


def _is_full(name: str, owner: str, declarations: Declarations) -> bool:
    """Whether each constructor leaves something that it acquires in a field."""
    queries = declarations.queries
    makers = [each for each in declarations.methods(owner) if each.name == "<init>"]
    return bool(makers) and all(each.procedure and _fills(each, name, queries) for each in makers)


def _fills(maker: Method, name: str, queries: Queries) -> bool:
    return any(kept_in(each) == name for each in queries.effects(maker.key).transfers)


def _is_called_inside(key: ProcedureKey, owner: str, declarations: Declarations) -> bool:
    """Whether the file itself calls a method, which it may do where the field is empty by then."""
    unit, name = declarations.queries.unit(key.path), simple_name(key)
    for each in unit.procedures if unit is not None else ():
        body = declarations.queries.procedure(ProcedureKey(key.path, each.name))
        if body is not None and any(isinstance(node, ir.Call) and node.name == name for node in body.nodes):
            return True
    return False
