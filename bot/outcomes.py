"""From findings to Outcomes: the names that they keep or get, and what of them is reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from analyzers.finding import Confidence, Finding
from analyzers.source import Span
from fixers import Declined, Fix

_TEST_FOLDERS = ("test", "tests", "testing", "testdata", "it", "androidtest", "integrationtest", "unittest", "unittests")
_TEST_NAMES = ("Test", "Tests", "TestCase", "IT", "_test", "-test", "_unittest")

class Name(msgspec.Struct, frozen=True):
    """What a finding is called, and what it would have been called had it not kept the name of its partner."""

    fingerprint: str
    was: str | None = None


def names(found: Sequence[Finding], partners: Sequence[Finding | None], prefix: str) -> list[Name]:
    """A name for each finding of the head: its partner's in the base, else its own, else the next that is free."""
    kept = {index: fingerprint(old, prefix) for index, old in enumerate(partners) if old is not None}
    taken = set(kept.values())
    result = []
    for index, finding in enumerate(found):
        own = fingerprint(finding, prefix)
        if index in kept:
            result.append(Name(kept[index], own if own != kept[index] else None))
            continue
        ordinal = 0
        while own in taken:
            own = fingerprint(msgspec.structs.replace(finding, ordinal=ordinal), prefix)
            ordinal += 1
        taken.add(own)
        result.append(Name(own))
    return result


def fingerprint(finding: Finding, prefix: str) -> str:
    """The name of a finding in the whole repository, also where only the folder `prefix` was scanned."""
    if not prefix:
        return finding.fingerprint
    procedure = finding.procedure
    if procedure.startswith(f"{finding.path}:"):
        procedure = prefix + procedure
    return msgspec.structs.replace(finding, path=prefix + finding.path, procedure=procedure).fingerprint


def is_test(path: str) -> bool:
    """Whether a file holds test code, by the customs of Java and C projects."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    return any(folder.lower() in _TEST_FOLDERS for folder in folders) or (
        stem.endswith(_TEST_NAMES) or stem.startswith(("test_", "Test", "check_")) or stem == "test"
    )


def believed(finding: Finding, answer: Fix | Declined) -> Finding:
    """A finding as its answer leaves it: one that a second check refutes, cannot follow either, or had no time for, is no more than assumed."""
    if answer.is_doubted or (isinstance(answer, Declined) and (answer.is_refuted or answer.is_unchecked)):
        return msgspec.structs.replace(finding, confidence=Confidence.ASSUMED)
    return finding


def is_enough(finding: Finding, least: Confidence | None) -> bool:
    """Whether a finding is at least of this confidence; None asks for nothing."""
    return least is not Confidence.WITNESSED or finding.confidence is Confidence.WITNESSED


def spans(findings: Iterable[Finding]) -> Iterable[Span]:
    """Every place that findings point at."""
    for finding in findings:
        yield finding.acquired
        yield finding.lost
        yield from finding.exits
        for step in finding.witness:
            yield step.span
