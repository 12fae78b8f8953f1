"""Code without annotations: parameters that a method closes on every return, and leaves open when something throws.

Inference says that such a parameter is owned (`Inference._of_parameter`); then its owner has to release it on each way out,
as with the fields of a destructor (`plain`). Told from the first use of the parameter on. Reports too much when a caller
closes it that is not in the tree; misses parameters that some return leaves open.

Where the method itself promises it (`@WillClose`), returns that leave its parameter open are told, too, and what callers do
does not count. A method that never looks at such a parameter is not asked: it stands there for others, or does nothing yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.declarations import Declarations
from analyzers.detectors.resource_leak_checker.plain import is_expected
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.domains.obligation import SETTLED, UNSURE, Limits
from analyzers.finding import Finding
from analyzers.graphs.operands import used
from analyzers.handles.runs import Departure, Handles, Run
from analyzers.queries import Linked, ProcedureKey, Queries, Target
from analyzers.summaries import Certainty, Effects

WILL_CLOSE = "WillClose"
"""What a method says of a parameter that it closes for its caller (JSR 305)."""

MAX_CALLERS = 12
"""Callers that are asked whether they close what they pass; of more nobody knows."""


def left_open(key: ProcedureKey, declarations: Declarations) -> Iterator[Finding]:
    """The parameters of a method that are released on every return, but not when what it throws is expected."""
    queries = declarations.queries
    body = queries.procedure(key)
    if body is None or body.kind != "method" or not body.parameters:
        return
    meant = _promised(key, body, declarations)
    closed = [(position, name) for position, name in enumerate(body.parameters) if name not in meant and _is_closing(body, name)]
    effects = queries.effects(key) if closed else None
    released = [name for position, name in closed if effects is not None and _is_released(effects, f"${position}")]
    linked = queries.linked(key) if released or meant else None
    if linked is None:
        return
    for name in (*meant, *released):
        if name in released and _is_spared(name, linked, queries):
            continue
        must = declarations.must_call(linked.types.get(name, ""))
        if must:
            yield from _told(name, frozenset(must), name in meant, linked, queries)


def _promised(key: ProcedureKey, body: ir.Procedure, declarations: Declarations) -> tuple[str, ...]:
    """The parameters of which a method says that it closes them."""
    if key.path not in declarations.queries.mentioning(WILL_CLOSE):
        return ()
    method = next((each for each in declarations.methods(body.owner) if each.procedure == key.name), None)
    formals = method.formals if method is not None else ()
    if len(formals) != len(body.parameters):
        return ()
    return tuple(name for name, written in zip(body.parameters, formals, strict=True) if vocabulary.find(written, WILL_CLOSE) is not None)


def _is_closing(body: ir.Procedure, name: str) -> bool:
    """Whether a body calls something that may release a parameter: most do not.

    Who goes on until `isClosed()` says so waits for somebody else's close.
    """
    return next(_closing(body, name), None) is not None


def _closing(body: ir.Procedure, name: str) -> Iterator[int]:
    """Where calls are that may release a variable's object, or what is made over it."""
    names = {name}
    for node in body.nodes:
        match node:
            case ir.Copy(src=source, dst=copy) if source in names:
                names.add(copy)
            case ir.Call(kind="new") if names & set(node.args):
                names.add(node.receiver)
            case _:
                pass
    for at, node in enumerate(body.nodes):
        if isinstance(node, ir.Call) and "close" in node.name.lower() and not node.name.startswith("is") and names & {node.receiver, *node.args}:
            yield at


def _is_spared(name: str, linked: Linked, queries: Queries) -> bool:
    """Whether all that is closed is a wrapper of the tree's own whose `close` ends nothing of its object (it writes the rest,
    and what it wraps stays open): the library's contract says that it does, its body knows better."""
    return all(_ends_nothing(linked.targets.get(node), queries) for node in _closing(linked.body, name))


def _ends_nothing(target: Target | None, queries: Queries) -> bool:
    """Whether a call runs bodies of the tree that release nothing."""
    found = [queries.effects(key) for key in target.procedures] if target is not None else []
    return bool(found) and all(
        each.is_known and not any(outcome.fate != "held" for transfer in each.transfers for outcome in transfer.outcomes) for each in found
    )


def _is_released(effects: Effects, root: str) -> bool:
    """Whether whatever is passed is released on each return."""
    transfer = next((each for each in effects.transfers if each.entry == (root,)), None)
    returned = [each for each in transfer.outcomes if each.exit == "return"] if transfer is not None else []
    return bool(returned) and all(each.fate == "released" and each.certainty is Certainty.MUST for each in returned)


def _told(name: str, methods: frozenset[str], is_meant: bool, linked: Linked, queries: Queries) -> Iterator[Finding]:
    handles = Handles(linked, queries, Limits(), is_summary=False)
    if name not in handles.scene.assigned_formals:
        run = handles.run_passed((name,))
        returned = _returned(name, run, handles) if is_meant else []
        departures = [*returned, *_thrown(name, run, handles)]
        if departures and (is_meant or not _is_closed_by_callers(name, linked, queries)):
            yield Reporter(linked, queries).left_open(name, departures, methods, is_meant=is_meant)
    handles.end()


def _returned(name: str, run: Run, handles: Handles) -> list[Departure]:
    """Where the method returns with a parameter open that it promised to close, looks at on some way, and keeps nowhere."""
    scene = handles.scene
    if not run.is_complete or not any(name in used(scene.nodes[node]) for node in scene.cfg.order):
        return []
    return [
        each for each in run.departures
        if each.exit == "return" and not each.fact[2] & (SETTLED | UNSURE) and all(len(path) == 1 for path in scene.paths.list(each.fact[0]))
    ]  # fmt: skip


def _thrown(name: str, run: Run, handles: Handles) -> list[Departure]:
    """Where the method is left by an exception, with the parameter open that it has begun to use."""
    scene = handles.scene
    first = next((node for node in scene.cfg.order if name in used(scene.nodes[node])), None)
    if first is None or not run.is_complete:
        return []
    later = scene.cfg.reachable_from(first) | {first}
    return [
        each for each in run.departures
        if each.exit == "throw" and not each.fact[2] & (SETTLED | UNSURE) and each.node in later
        and not _is_ending(scene.nodes[each.node], name) and is_expected(each.node, scene.linked, scene.queries)
    ]  # fmt: skip


def _is_ending(node: ir.Instruction, name: str) -> bool:
    """Whether something else is closed there, or the parameter wrapped: that this fails is expected of nobody."""
    is_wrapping = isinstance(node, ir.Call) and node.kind == "new" and name in node.args
    return is_wrapping or (isinstance(node, ir.Call) and node.name in ("close", "flush"))


def _is_closed_by_callers(name: str, linked: Linked, queries: Queries) -> bool:
    """Whether somebody who calls the method closes what it passes, too."""
    position = linked.body.parameters.index(name)
    simple = linked.key.name.partition("(")[0].rpartition(".")[2]
    callers = queries.callers(simple)
    return len(callers) > MAX_CALLERS or any(_closes(each, simple, position, queries) for each in callers)


def _closes(caller: ProcedureKey, simple: str, position: int, queries: Queries) -> bool:
    body = queries.procedure(caller)
    nodes = body.nodes if body is not None else ()
    passed = {
        node.args[position] for node in nodes
        if isinstance(node, ir.Call) and node.name == simple and position < len(node.args)
    }  # fmt: skip
    return any(isinstance(node, ir.Call) and node.name == "close" and node.receiver in passed for node in nodes)

