"""How a release that a change takes out is told: always assumed, with the detail by which no fixer takes it up."""

from __future__ import annotations

import hashlib

from analyzers.finding import WITHDRAWN, Confidence, Finding, Role, Rule, Step
from analyzers.queries import ProcedureKey
from analyzers.source import Span

NAME = "withdrawn"


def finding_of(
    rule: Rule, language: str, key: ProcedureKey, place: tuple[str, ...], *, resource: str, variable: str, message: str, witness: tuple[Step, ...],
    acquired: Span, exits: tuple[Span, ...], lost: Span, text: str,
) -> Finding:
    """The finding about one place of a procedure; `lost` is the one of `exits` that the witness comes to."""
    seed = "\0".join((rule.id, key.path, key.name, *place))
    return Finding(
        rule=rule.id,
        cwe=rule.cwe,
        language=language,
        detectors=(NAME,),
        confidence=Confidence.ASSUMED,
        path=key.path,
        procedure=key.name,
        resource=resource,
        variable=variable,
        message=message,
        witness=witness,
        acquired=acquired,
        lost=lost,
        exits=exits,
        text=text,
        cluster=hashlib.sha256(seed.encode()).hexdigest()[:16],
        detail=WITHDRAWN,
    )


def taken_out(verb: str, text: str, name: str, origin: tuple[Span, str], lost: Span) -> tuple[str, tuple[Step, ...]]:
    """The message and the witness of a release, by its text, that nothing stands in the place of; `origin`: where what
    was released comes from, and what is said of that."""
    message = f"This change takes out `{text}` here, and nothing in its place {verb} `{name}`."
    return message, (Step(Role.ACQUIRE, *origin), Step(Role.EXIT, lost, f"`{text}` stood before this"))
