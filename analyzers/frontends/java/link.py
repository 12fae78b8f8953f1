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
from analyzers.frontends.java.throwers import Throwers, closed_by, explicit_throws, handlers_of
from analyzers.frontends.java.type_members import CONSTRUCTOR, JDK
from analyzers.frontends.java.type_text import COPY, erase, plain
from analyzers.frontends.scoped import with_scoped
from analyzers.queries import Linked, ProcedureKey, Queries, Target

__all__ = ["IGNORED_EXCEPTIONS", "link"]


_NULL_TESTS = {"isNull": "==", "nonNull": "!="}
"""Methods of `Objects` that ask whether something is null, and the comparison that they stand for."""

_TEST_LENGTH = 5
"""Instructions of a method that only compares: entry, both exits, comparison, return."""


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
    linked = Linked(
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
    return with_scoped(linked, queries)


def _shown(target: Target) -> Target:
    """A Target as others see it: with binary names."""
    if COPY not in target.type and COPY not in target.result and not any([COPY in each for each in target.parameters]):
        return target
    parameters = tuple(plain(each) for each in target.parameters)
    return msgspec.structs.replace(
        target, type=plain(target.type), parameters=parameters, result=plain(target.result)
    )


def _body(body: BodyTypes) -> ir.Procedure:
    rewritten: dict[int, ir.Instruction] = {**body.rewritten, **_null_tests(body)}
    if not rewritten:
        return body.procedure
    nodes = tuple(rewritten.get(position, node) for position, node in enumerate(body.procedure.nodes))
    return msgspec.structs.replace(body.procedure, nodes=nodes)


def _null_tests(body: BodyTypes) -> dict[int, ir.Branch]:
    """The branches on calls that only ask whether their argument is null (`Objects.nonNull(x)`, or a method of the tree's own)
    as what they are: comparisons with null."""
    nodes = body.procedure.nodes
    found = {}
    for position, callee in body.callees.items():
        call, branch = nodes[position], nodes[position + 1] if position + 1 < len(nodes) else None
        if isinstance(branch, ir.Branch) and isinstance(call, ir.Call) and (branch.operator, branch.left) == ("true", call.dst):
            operator = _null_test(call, callee.target, body.queries)
            if operator:
                found[position + 1] = msgspec.structs.replace(branch, operator=operator, left=call.args[0], right="=null")
    return found


def _null_test(call: ir.Call, target: Target, queries: Queries) -> str:
    """The comparison with null that a call of one argument stands for; empty if it does anything else."""
    if len(call.args) != 1 or ir.is_literal(call.args[0]):
        return ""
    if target.type == "java.util.Objects":
        return _NULL_TESTS.get(call.name, "")
    procedure = queries.procedure(target.procedures[0]) if len(target.procedures) == 1 and target.is_exact else None
    if procedure is None or len(procedure.nodes) != _TEST_LENGTH or len(procedure.parameters) != 1:
        return ""
    test, answer = procedure.nodes[-2:]
    if not isinstance(test, ir.Op) or not isinstance(answer, ir.Return) or answer.src != test.dst:
        return ""
    is_test = test.operator in ("==", "!=") and set(test.operands) == {procedure.parameters[0], "=null"}
    return test.operator if is_test else ""


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
    is_closing = bool(closed_by(procedure))
    is_silent = not body.catches and not body.throws and not procedure.throws and not is_closing
    if is_silent and procedure.kind in DECLARING:
        return Edges(((),) * len(procedure.nodes), {}, {})
    explicit, rethrows = explicit_throws(body)
    handlers = handlers_of(body)
    throws = [body.written.name(each) or each for each in procedure.throws]
    has_way_out = bool(throws) or procedure.kind not in DECLARING
    is_expecting = any(types != (ir.ANY_EXCEPTION,) for types in handlers.values())
    has_known = has_way_out or is_expecting or is_closing or bool(explicit)
    throwers = Throwers(body, handlers, rethrows).all() if has_known else {}

    def is_own(name: str) -> bool:
        made = body.queries.methods(name, CONSTRUCTOR)
        return bool(made) and JDK not in made[0].attributes

    flow = ExceptionFlow(
        procedure, handlers, throws, throwers, explicit, rethrows, body.queries.is_subtype, is_own, ignored
    )  # fmt: skip
    return flow.solve()
