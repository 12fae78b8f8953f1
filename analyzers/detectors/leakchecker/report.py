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
    key = first.key
    stores = [span(queries, use.key, use.node) for use in kept.stores]
    here = [each for each, use in zip(stores, kept.stores, strict=True) if use.key == key]
    text = " ".join(_text(queries, key, first.node).split())
    place = f"{kept.slot.owner}.{kept.slot.name}"
    steps = [Step(Role.ACQUIRE, stores[0], f"`{text}` stores an object into `{kept.slot.name}`")]
    steps += [Step(Role.ALIAS, each, f"`{kept.slot.name}` is stored into here, too") for each in stores[1:4]]
    steps.append(Step(Role.EXIT, stores[0], f"the edge `{place}` keeps it: {_lower(kept.message)}"))
    return Finding(
        rule=RETAINED_BY_LOOP.id,
        cwe=RETAINED_BY_LOOP.cwe,
        language="java",
        detectors=(name,),
        confidence=_confidence(kept),
        path=key.path,
        procedure=key.name,
        resource=place,
        variable=kept.slot.name,
        message=kept.message,
        witness=tuple(steps),
        acquired=stores[0],
        lost=stores[0],
        exits=tuple(sorted(set(here))),
        text=text,
        cluster=hashlib.sha256(f"{RETAINED_BY_LOOP.id}\0{key.path}\0{place}".encode()).hexdigest()[:16],
        detail=kept.form.value,
    )


def _confidence(kept: Retention) -> Confidence:
    """WITNESSED where every reader of the field was seen, and there is none."""
    is_seen = kept.form is Form.NEVER_READ and kept.slot.is_private
    return Confidence.WITNESSED if is_seen else Confidence.ASSUMED


def _lower(message: str) -> str:
    return message.rstrip(".")


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
