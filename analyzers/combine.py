"""Merges what the detectors found: one finding per rule and acquisition site, numbered and sorted.

Of several detectors that name different wrappers of one resource, too, one finding is kept: clusters are
merged across detectors, never within one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import msgspec

from analyzers.finding import FORGOTTEN, INFERRED, PROVED, Confidence, Finding, Role
from analyzers.source import Span


def _order(finding: Finding) -> tuple[object, ...]:
    acquired, lost = finding.acquired, finding.lost
    place = (acquired.path, acquired.start, acquired.end, finding.rule, lost.path, lost.start, lost.end)
    return (*place, finding.procedure, finding.resource, finding.message)


def _merge(same: list[Finding]) -> Finding:
    """One finding for several of one site: WITNESSED wins, then what is released nowhere, then the longest witness, then the first detector by name.
    Of several things that one call of C acquires, it tells where each comes from."""
    best = min(same, key=_rank)
    if best.language == "c":
        known = {step.span for step in best.witness if step.role is Role.ACQUIRE}
        others = {each.witness[0] for each in same if each.witness[0].span not in known and each.witness[0].role is Role.ACQUIRE}
        best = msgspec.structs.replace(best, witness=(*sorted(others, key=lambda step: (step.span, step.note)), *best.witness))
    detectors = sorted({name for each in same for name in each.detectors})
    exits = sorted({span for each in same for span in (*each.exits, each.lost) if span.path == best.lost.path})
    return msgspec.structs.replace(best, detectors=tuple(detectors), exits=tuple(exits))


def _rank(finding: Finding) -> tuple[object, ...]:
    is_assumed = finding.confidence is not Confidence.WITNESSED
    return (is_assumed, finding.detail != FORGOTTEN, -len(finding.witness), finding.detectors, _order(finding))


def _by_cluster(findings: list[Finding]) -> list[Finding]:
    """The findings with those of one cluster merged where no detector reports two of them."""
    clusters: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        own = () if finding.cluster else (str(len(clusters)),)
        clusters.setdefault((finding.rule, finding.path, finding.procedure, finding.cluster, *own), []).append(finding)
    kept: list[Finding] = []
    for same in clusters.values():
        names = [name for each in same for name in each.detectors]
        kept += [_merge(same)] if len(names) == len(set(names)) else same
    return kept


def _site(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.path, finding.procedure, finding.acquired)


def _unproved(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without proofs, and without those that a proof silences: annotations settle every finding of
    a site, an inferred proof those that are assumed. A detector's own findings stand beside its proofs."""
    told: list[Finding] = []
    proofs: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        if finding.detail in (PROVED, INFERRED):
            proofs[_site(finding)] = finding
        else:
            told.append(finding)
    return [each for each in told if not _is_silenced(each, proofs.get(_site(each)))]


def _is_silenced(finding: Finding, proof: Finding | None) -> bool:
    if proof is None or finding.detectors == proof.detectors:
        return False
    return proof.detail == PROVED or finding.confidence is Confidence.ASSUMED


def _without_uses(findings: list[Finding]) -> list[Finding]:
    """The findings without those of what a macro acquires and loses by itself, wherever it is used, if the macro itself is told of."""
    macros = {(each.rule, each.procedure): each.path for each in findings if each.language == "c"}

    def is_use(finding: Finding) -> bool:
        name, parenthesis, _ = finding.text.partition("(")
        path = macros.get((finding.rule, name)) if parenthesis and name != finding.procedure else None
        is_in_reach = path is not None and (path == finding.path or not path.endswith(".c"))
        return is_in_reach and all(_is_within(each, finding.acquired) for each in (finding.lost, *finding.exits))

    return [each for each in findings if each.language != "c" or not is_use(each)]


def _is_within(inner: Span, outer: Span) -> bool:
    return inner.path == outer.path and outer.start <= inner.start and inner.end <= outer.end


def combine(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Merge, number and sort the findings of all detectors."""
    by_site: dict[tuple[object, ...], list[Finding]] = {}
    for finding in _unproved(findings):
        by_site.setdefault(_site(finding), []).append(finding)
    merged = sorted(_without_uses(_by_cluster([_merge(same) for same in by_site.values()])), key=_order)
    numbered: list[Finding] = []
    counts: dict[tuple[str, ...], itertools.count[int]] = {}
    for finding in merged:
        group = (finding.rule, finding.path, finding.procedure, finding.text)
        numbered.append(msgspec.structs.replace(finding, ordinal=next(counts.setdefault(group, itertools.count()))))
    return tuple(numbered)
