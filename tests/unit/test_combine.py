"""Agreement of detectors is one finding; numbers and order depend on places alone."""

from __future__ import annotations

import itertools

import msgspec

from analyzers.combine import combine
from analyzers.finding import INFERRED, PROVED, Confidence, Finding, Role, Step
from analyzers.source import Span


def finding(start: int, detector: str = "a", sure: str = "assumed", cluster: str = "", text: str = "open()") -> Finding:
    span = Span("p.c", start, start + 4)
    lost = Span("p.c", 100 + len(detector), 101)
    return Finding(
        rule="leak", cwe=1, language="c", detectors=(detector,), confidence=Confidence(sure), path="p.c", procedure="f",
        resource="r", variable="", message=detector, witness=(Step(Role.ACQUIRE, span, ""),), acquired=span, lost=lost,
        exits=(lost,), text=text, cluster=cluster,
    )  # fmt: skip


def test_agreement_is_one_finding_and_the_witnessed_one_wins() -> None:
    (merged,) = combine([finding(1, "a"), finding(1, "bb", "witnessed")])
    assert merged.detectors == ("a", "bb")
    assert (merged.confidence, merged.message) == (Confidence.WITNESSED, "bb")
    assert {span.start for span in merged.exits} == {101, 102}


def test_two_things_of_one_call_of_c_are_told_in_one_finding() -> None:
    one, other = finding(1), finding(1)
    inner = Step(Role.ACQUIRE, Span("p.c", 60, 64), "")
    (merged,) = combine([one, msgspec.structs.replace(other, witness=(inner, *other.witness, *other.witness))])
    assert [step.span.start for step in merged.witness] == [60, 1, 1]
    (merged,) = combine([msgspec.structs.replace(one, witness=one.witness * 4), msgspec.structs.replace(other, witness=(inner,))])
    assert [step.span.start for step in merged.witness] == [60, 1, 1, 1, 1]


def test_one_cluster_of_two_detectors_is_one_finding() -> None:
    (merged,) = combine([finding(1, "a", cluster="c"), finding(9, "b", cluster="c")])
    assert merged.detectors == ("a", "b")


def test_two_of_one_cluster_by_one_detector_stay_two() -> None:
    assert len(combine([finding(1, "a", cluster="c"), finding(9, "a", cluster="c")])) == 2


def test_equal_acquisitions_are_numbered_in_order_of_place() -> None:
    found = combine([finding(50), finding(10), finding(30, text="other()")])
    assert [(each.acquired.start, each.ordinal) for each in found] == [(10, 0), (30, 0), (50, 1)]


def test_the_order_of_detectors_makes_no_difference() -> None:
    parts = [finding(1, "a"), finding(1, "b", "witnessed"), finding(7, "a", cluster="c"), finding(9, "b", cluster="c")]
    assert len({combine(order) for order in itertools.permutations(parts)}) == 1


def test_a_proof_from_annotations_silences_what_another_detector_found() -> None:
    proof = msgspec.structs.replace(finding(1, "bb"), detail=PROVED)
    assert combine([finding(1, "a", "witnessed"), proof]) == ()
    assert len(combine([finding(2, "a"), proof])) == 1


def test_an_inferred_proof_silences_only_what_is_assumed() -> None:
    proof = msgspec.structs.replace(finding(1, "bb"), detail=INFERRED)
    assert combine([finding(1, "a"), proof]) == ()
    assert len(combine([finding(1, "a", "witnessed"), proof])) == 1


def test_a_proof_does_not_silence_its_own_detector() -> None:
    proof = msgspec.structs.replace(finding(1, "a"), detail=PROVED)
    assert len(combine([finding(1, "a"), proof])) == 1
