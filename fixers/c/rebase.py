"""A finding in a text that a first step of its fix has changed already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from analyzers.source import Span
from fixers import tree
from fixers.edits import apply, compose, moved
from fixers.fix import Edit
from fixers.leak import Candidate, Leak


def rebased(leak: Leak, edits: Sequence[Edit], variable: str, start: int | None = None) -> Leak | None:
    """The leak in the text after `edits`, held by another variable and acquired at `start` (where it moved to,
    unless given); None where that text does not do."""
    data = apply(leak.data, edits)
    facts = leak.probe(data)
    if facts is None or facts.linked.body.error is not None:
        return None
    old = leak.finding.acquired
    start = moved(edits, old.start) if start is None else start
    acquired = Span(leak.path, start, start + old.end - old.start)
    finding = msgspec.structs.replace(leak.finding, acquired=acquired, variable=variable)
    body = facts.linked.body
    return msgspec.structs.replace(
        leak, finding=finding, data=data, tree=tree.parse("c", data, body.start, body.end), procedure=body,
        linked=facts.linked, effects=facts.effects,
    )


def composed(leak: Leak, first: Sequence[Edit], candidates: Iterator[Candidate]) -> Iterator[Candidate]:
    """Candidates for the changed text as candidates for the original one."""
    for each in candidates:
        yield msgspec.structs.replace(each, edits=compose(leak.data, leak.path, first, each.edits))
