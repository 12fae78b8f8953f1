"""What code tells of its own functions, and of those without source: who makes, ends and keeps handles, and why.

The Effects that findings rest on, in words; then what procedures of C show by releasing what they got (`beliefs`).
Says nothing of callees that only borrow.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.deep import deeply
from analyzers.domains.obligation import Limits
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.incremental.program import Program
from analyzers.queries import Linked, ProcedureKey
from analyzers.source import Span
from analyzers.summaries import Certainty, Outcome, Transfer


class Inferred(msgspec.Struct, frozen=True):
    """What was found out about a function: `kind` is "computed" from its body or "believed" from its callers. `where` is what shows it."""

    kind: str
    name: str
    effect: str
    why: str
    where: Span


def inferred(program: Program) -> tuple[Inferred, ...]:
    """All that was found out in a program, by file and place."""
    return deeply(lambda: _inferred(program))


def _inferred(program: Program) -> tuple[Inferred, ...]:
    found: list[Inferred] = []
    believed: dict[tuple[str, str], Inferred] = {}
    for key in program.procedures():
        linked = program.linked(key)
        if linked is None:
            continue
        found += dict.fromkeys(_computed(program, key, linked))
        if linked.language == "c":
            for each in _believed(program, linked):
                believed.setdefault((each.name, each.effect), each)
    return (*found, *(believed[name] for name in sorted(believed)))


def _computed(program: Program, key: ProcedureKey, linked: Linked) -> Iterator[Inferred]:
    own = Span(key.path, linked.body.start, linked.body.header_end)
    for transfer in program.effects(key).transfers:
        if not transfer.entry:
            where = transfer.site or own
            for outcome in transfer.outcomes:
                yield Inferred("computed", key.name, _given(transfer, outcome), "acquired there", where)
            continue
        fates = {outcome.fate for outcome in transfer.outcomes if outcome.certainty is Certainty.MUST}
        for fate, word in (("released", "ends"), ("retained", "keeps")):
            if fate in fates:
                sometimes = " on some paths" if len(fates) > 1 else ""
                yield Inferred("computed", key.name, f"{word} {_place(transfer.entry)}{sometimes}", "by its body", own)


def _given(transfer: Transfer, outcome: Outcome) -> str:
    verb = "gives" if outcome.certainty is Certainty.MUST else "may give"
    when = " and ".join(f"{_place(each.path)} {each.operator} {each.value.removeprefix('=')}" for each in outcome.when)
    places = ", ".join(_place(path) for path in outcome.paths)
    return f"{verb} {transfer.resource} in {places}" + (f" when {when}" if when else "")


def _place(path: tuple[str, ...]) -> str:
    return ".".join(path)


def _believed(program: Program, linked: Linked) -> Iterator[Inferred]:
    scene = Scene(linked, program, Limits())
    for node, site in sorted(CallSites(scene).sites.items()):
        if not site.acquired or site.effects is not None or not isinstance(scene.nodes[node], ir.Call):
            continue
        start = linked.body.start
        where = Span(linked.key.path, start + scene.nodes[node].start, start + scene.nodes[node].end)
        for transfer in site.acquired:
            places = ", ".join(dict.fromkeys(_place(path) for each in transfer.outcomes for path in each.paths))
            why = "by its declaration" if site.is_declared else f"`{linked.body.name}` releases what it got there"
            yield Inferred("believed", site.call.name, f"gives {transfer.resource} in {places}", why, where)
