"""Linking of Java: a procedure of a unit with its names resolved through the rest of the tree.

Types of variables and targets of calls come from one pass (`body_types`, `callees`), the exceptional edges
from what is thrown and believed (`exceptions`). A pure function of the procedure and the answers of
`queries`. Says too little of what annotation processors and reflection add.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.frontends.java.body_types import BodyTypes
from analyzers.frontends.java.exceptions import DECLARING, IGNORED_EXCEPTIONS, Edges, ExceptionFlow
from analyzers.frontends.java.throwers import Throwers, explicit_throws, handlers_of
from analyzers.frontends.java.type_members import CONSTRUCTOR, JDK
from analyzers.frontends.java.type_text import COPY, erase, plain
from analyzers.queries import Linked, ProcedureKey, Queries, Target

__all__ = ["IGNORED_EXCEPTIONS", "link"]


def link(
    key: ProcedureKey,
    unit: ir.Unit,
    procedure: ir.Procedure,
    queries: Queries,
    ignored: frozenset[str] = IGNORED_EXCEPTIONS,
) -> Linked:
    """The procedure, linked. `ignored` names the exceptions that no call is taken to throw."""
    body = BodyTypes(key, unit, procedure, queries)
    body.run()
    edges = _edges(body, ignored)
    return Linked(
        key=key,
        language="java",
        body=_body(body),
        next=_next(body),
        raises=edges.raises,
        types={name: plain(erase(text)) for name, text in body.types.items()},
        targets={position: _shown(callee.target) for position, callee in body.callees.items()},
        thrown={position: tuple([plain(name) for name in names]) for position, names in edges.thrown.items()},
        believed=edges.believed,
        generics={name: text for name, text in body.types.items() if "<" in text or COPY in text},
        lambdas=body.lambdas,
    )


def _shown(target: Target) -> Target:
    """A Target as others see it: with binary names."""
    if COPY not in target.type and COPY not in target.result and not any([COPY in each for each in target.parameters]):
        return target
    parameters = tuple(plain(each) for each in target.parameters)
    return msgspec.structs.replace(
        target, type=plain(target.type), parameters=parameters, result=plain(target.result)
    )


def _body(body: BodyTypes) -> ir.Procedure:
    if not body.rewritten:
        return body.procedure
    nodes = tuple(body.rewritten.get(position, node) for position, node in enumerate(body.procedure.nodes))
    return msgspec.structs.replace(body.procedure, nodes=nodes)


def _next(body: BodyTypes) -> tuple[tuple[int, ...], ...]:
    ends = [
        position
        for position, callee in body.callees.items()
        if callee.model is not None and callee.model.returns == "never"
    ]
    following = body.procedure.next
    if not ends:
        return following
    cut = list(following)
    for position in ends:
        cut[position] = ()
    return tuple(cut)


def _edges(body: BodyTypes, ignored: frozenset[str]) -> Edges:
    procedure = body.procedure
    if not body.catches and not body.throws and not procedure.throws and procedure.kind in DECLARING:
        return Edges(((),) * len(procedure.nodes), {}, {})
    explicit, rethrows = explicit_throws(body)
    handlers = handlers_of(body)
    throws = [body.written.name(each) or each for each in procedure.throws]
    has_way_out = bool(throws) or procedure.kind not in DECLARING
    is_expecting = any(types != (ir.ANY_EXCEPTION,) for types in handlers.values())
    has_known = has_way_out or is_expecting or bool(explicit)
    throwers = Throwers(body, handlers, rethrows).all() if has_known else {}

    def is_own(name: str) -> bool:
        made = body.queries.methods(name, CONSTRUCTOR)
        return bool(made) and JDK not in made[0].attributes

    flow = ExceptionFlow(
        procedure, handlers, throws, throwers, explicit, rethrows, body.queries.is_subtype, is_own, ignored
    )  # fmt: skip
    return flow.solve()
