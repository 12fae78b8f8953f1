"""Procedures from finished bodies, and the formals that they begin with."""

from __future__ import annotations

from analyzers import ir
from analyzers.syntax import Node

from .body import Body
from .signatures import Formal, formals_of


def parameters_of(body: Body, node: Node) -> tuple[str, ...]:
    """Declare the formals of a method or lambda; answers their names."""
    if node.kind == "identifier":
        return (body.declare(body.context.text(node), "", node.start, (), "parameter"),)
    if node.kind == "inferred_parameters":
        return tuple(
            body.declare(body.context.text(kid), "", kid.start, (), "parameter")
            for kid in node.kids
            if kid.kind == "identifier"
        )
    return declare_formals(body, formals_of(body.context, node))


def declare_formals(body: Body, formals: tuple[Formal, ...]) -> tuple[str, ...]:
    """Declare formals; answers their names."""
    return tuple(
        body.declare(formal.name, formal.type, formal.offset, formal.attributes, "parameter")
        for formal in formals
    )


def start_captures(body: Body) -> None:
    """Put the loads of what is captured before everything else."""
    if not body.captures:
        return
    end = body.header_end - body.start
    body.graph.prepend(
        [
            ir.Load(0, end, variable, "this", name if name == "this$0" else f"val${name}")
            for name, variable in body.captures.items()
        ]
    )


def finish(
    body: Body,
    kind: str,
    parameters: tuple[str, ...],
    result: str,
    throws: tuple[str, ...],
    attributes: tuple[str, ...],
    type_parameters: tuple[str, ...] = (),
) -> None:
    """Make a Procedure of a body, and give it to the file."""
    body.exits.end()
    graph = body.graph.finish()
    moved = graph.moved
    loops = sorted(body.loops, key=lambda each: (each.start, -each.end))
    if moved is not None:
        loops = [ir.Loop(each.start, each.end, moved[each.header]) for each in loops if each.header in moved]
    body.context.procedures.append(
        ir.Procedure(
            body.name,
            kind,
            body.start,
            body.end,
            body.header_end,
            body.owner.name,
            result,
            throws,
            parameters,
            attributes,
            body.finished_variables(),
            tuple(graph.nodes),
            tuple(graph.following),
            tuple(graph.raises),
            tuple(loops),
            body.context.error_in(body.start, body.end),
            type_parameters,
        )
    )
