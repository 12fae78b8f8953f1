"""Makes a Finding of a Retention: allocation site, redundant edge, escaping store, and what is known of the way there."""

from __future__ import annotations

import hashlib

from analyzers import ir
from analyzers.detectors.leakchecker.retention import Form, Retention
from analyzers.finding import Confidence, Finding, Role, Step
from analyzers.queries import ProcedureKey, Queries
from analyzers.rules import RETAINED_BY_LOOP
from analyzers.source import Span


def finding(queries: Queries, name: str, kept: Retention) -> Finding:
    """The finding, told at the first store."""
    first = kept.stores[0]
    key = kept.home or first.key
    stores = [span(queries, use.key, use.node) for use in kept.stores]
    here = [each for each, use in zip(stores, kept.stores, strict=True) if use.key == key]
    text = " ".join(_text(queries, first.key, first.node).split())
    place, variable = kept.edge, kept.edge.rpartition(".")[2]
    steps = [Step(Role.ACQUIRE, stores[0], f"`{text}` hands an object to `{variable}`")]
    steps += [Step(Role.ACQUIRE, span(queries, each.key, each.node), f"`{variable}` is made here") for each in kept.makers]
    steps += [Step(Role.ALIAS, each, f"`{variable}` is handed more here") for each in stores[1:4]]
    lost = stores[0] if kept.lost is None else span(queries, kept.lost.key, kept.lost.node)
    what = f"`{place}` keeps it from here on" if kept.lost is None else "here it should have been taken back"
    steps.append(Step(Role.EXIT, lost, what))
    return Finding(
        rule=RETAINED_BY_LOOP.id,
        cwe=RETAINED_BY_LOOP.cwe,
        language="java",
        detectors=(name,),
        confidence=_confidence(kept),
        path=key.path,
        procedure=key.name,
        resource=place,
        variable=variable,
        message=kept.message,
        witness=tuple(steps),
        acquired=stores[0],
        lost=lost,
        exits=tuple(sorted(set(here))) if kept.lost is None else (lost,),
        text=text,
        cluster=hashlib.sha256(f"{RETAINED_BY_LOOP.id}\0{key.path}\0{place}".encode()).hexdigest()[:16],
        detail=kept.form.value,
    )


def _confidence(kept: Retention) -> Confidence:
    """WITNESSED where every reader of the field was seen, and there is none."""
    is_seen = kept.form is Form.NEVER_READ and kept.is_seen
    return Confidence.WITNESSED if is_seen else Confidence.ASSUMED


def _text(queries: Queries, key: ProcedureKey, node: int) -> str:
    body = queries.procedure(key)
    if body is None:
        return ""
    instruction: ir.Instruction = body.nodes[node]
    return queries.text(key, instruction.start, instruction.end)


def span(queries: Queries, key: ProcedureKey, node: int) -> Span:
    """Where an instruction lies in its file."""
    body = queries.procedure(key)
    if body is None:
        return Span(key.path, 0, 0)
    instruction = body.nodes[node]
    return Span(key.path, body.start + instruction.start, body.start + instruction.end)
