"""A procedure as a finding sees it that knows more than specs: its call acquires, and what it demands releases.

Findings that rest on annotations or inference name an acquisition and the methods that have to be called; proofs
have to follow that handle too.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.finding import KEPT_OPEN, Finding
from analyzers.summaries import AccessPath, Effects, Outcome, Transfer

RESOURCE = "closeable"


def sites_of(facts: Facts, finding: Finding) -> tuple[int, ...]:
    """The calls at the place of the acquisition."""
    body = facts.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    return tuple(
        node for node, each in enumerate(body.nodes) if isinstance(each, ir.Call) and (each.start, each.end) == at
    )


def told_sites(facts: Facts, finding: Finding) -> tuple[int, ...]:
    """The same, where no Effects say that they acquire."""
    found = sites_of(facts, finding)
    return () if any(_acquires(facts, node) for node in found) else found


def owned_places(finding: Finding, body: ir.Procedure) -> tuple[AccessPath, ...]:
    """Where the resource of a finding lies when its procedure begins, if it owns it from there: a parameter that it
    has to release, a field that it overwrites, or leaves open."""
    start, end = finding.acquired.start - body.start, finding.acquired.end - body.start
    if finding.language != "java":
        return ()
    if finding.detail == KEPT_OPEN:
        return (("this", finding.variable),)
    if finding.variable in body.parameters and finding.acquired.end <= body.header_end:
        return ((f"${body.parameters.index(finding.variable)}",),)
    for each in body.nodes:
        if isinstance(each, ir.Store) and (each.start, each.end) == (start, end) and each.base == "this" and finding.methods:
            return (("this", each.field),)
    return ()


def obliged(facts: Facts, sites: Iterable[int], methods: Iterable[str]) -> Facts:
    """The facts with these acquisitions, and with the releases that calls of these methods are."""
    effects = dict(facts.effects)
    for node in sites:
        call = facts.linked.body.nodes[node]
        if isinstance(call, ir.Call):
            effects[node] = tuple(_with(each, _acquisition(call)) for each in effects.get(node, ()))
    wanted = frozenset(methods)
    for node, call in enumerate(facts.linked.body.nodes):
        if isinstance(call, ir.Call) and call.name in wanted and call.receiver and not call.args:
            effects[node] = tuple(_with(each, _RELEASE) for each in effects.get(node, ()))
    return Facts(facts.linked, effects)


_RELEASE = Transfer(("this",), "", "", (Outcome("return", (), "released"), Outcome("throw", (), "released")))


def _acquisition(call: ir.Call) -> Transfer:
    root = "this" if call.kind == "new" else "$ret"
    return Transfer((), RESOURCE, "", (Outcome("return", (), "held", ((root,),)),))


def _with(effects: Effects, transfer: Transfer) -> Effects:
    """The Effects with one transfer more, unless they speak of its entry already."""
    if any(each.entry == transfer.entry for each in effects.transfers):
        return effects
    return msgspec.structs.replace(effects, transfers=(*effects.transfers, transfer))


def _acquires(facts: Facts, node: int) -> bool:
    return any(not transfer.entry for effects in facts.effects.get(node, ()) for transfer in effects.transfers)
