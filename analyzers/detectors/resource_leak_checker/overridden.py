"""Code without annotations: methods that end an object and leave out what the one that they override does.

A field that an inherited method releases stays its class's (section 3.2); who overrides that method has to call it, or
nobody releases the field. Told where the constructors of both classes fill the field with something of their own.
Reports too much when a subclass means to keep it open; misses fields that are filled later.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Method
from analyzers.detectors.resource_leak_checker.holders import kept_in
from analyzers.detectors.resource_leak_checker.plain import is_destructor, simple_name
from analyzers.detectors.resource_leak_checker.report import Reporter
from analyzers.finding import Finding
from analyzers.queries import ProcedureKey
from analyzers.source import Span
from analyzers.summaries import Certainty, Effects, Transfer


def unended(key: ProcedureKey, declarations: Declarations) -> Iterator[Finding]:
    """The fields of the classes above that a method which overrides their end leaves open."""
    queries = declarations.queries
    body = queries.procedure(key)
    if body is None or not is_destructor(key) or body.kind != "method" or not _is_ending(body):
        return
    above = _above(body.owner, simple_name(key), declarations)
    released = _released(queries.effects(above.key)) if above is not None else ()
    if above is None or not released:
        return
    own = declarations.methods(body.owner)
    makers = [queries.effects(each.key) for each in own if each.name == "<init>" and each.procedure]
    others = [queries.effects(each.key) for each in own if each.name != "<init>" and each.procedure]
    linked = queries.linked(key)
    for name in released if makers and linked is not None else ():
        made = [_made(name, each) for each in makers]
        if None in made or any(_touches(name, each) for each in others) or linked is None:
            continue
        lost = Span(key.path, body.end - 1, body.end)
        header = Reporter(linked, queries).header()
        owner = above.owner.rpartition(".")[2].replace("$", ".")
        first = made[0]
        verb, other = ("closed", "closes") if first is None or first.resource == "closeable" else ("released", "releases")
        message = f"`{name}` is not {verb}: this `{above.name}()` does not call that of `{owner}`, which {other} it."
        kind = first.type if first is not None else ""
        yield Reporter(linked, queries).overridden(kind, header, lost, message, name)


def _is_ending(body: ir.Procedure) -> bool:
    """Whether a method does something, and nothing with its own object as a whole."""
    calls = [node for node in body.nodes if isinstance(node, ir.Call)]
    is_passed = any(each.receiver == "this" or "this" in each.args for each in calls)
    return not is_passed and any(isinstance(node, ir.Store | ir.Call) for node in body.nodes)


def _above(owner: str, name: str, declarations: Declarations) -> Method | None:
    """The method of a class of the tree that one without parameters overrides; None where a library stands between."""
    for each in declarations.queries.supertypes(owner):
        declared = declarations.declared(each)
        if declared is None:
            return None
        found = [one for one in declarations.methods(each) if one.name == name and not one.parameters]
        if found and found[0].procedure:
            return found[0]
    return None


def _released(effects: Effects) -> tuple[str, ...]:
    """The fields of its own object that a method releases whenever it returns."""
    return tuple(
        each.entry[1] for each in effects.transfers
        if len(each.entry) == 2 and each.entry[0] == "this" and _is_release(each)
    )  # fmt: skip


def _is_release(transfer: Transfer) -> bool:
    returned = [each for each in transfer.outcomes if each.exit == "return"]
    return bool(returned) and all(each.fate == "released" and each.certainty is Certainty.MUST for each in returned)


def _made(name: str, effects: Effects) -> Transfer | None:
    """What a constructor acquires and leaves in a field."""
    return next((each for each in effects.transfers if kept_in(each) == name), None)


def _touches(name: str, effects: Effects) -> bool:
    return any(each.entry[:2] == ("this", name) for each in effects.transfers)
