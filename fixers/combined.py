"""Several findings of one procedure: their fixes become one, verified again as a whole.

Each further fix is made on the text that the ones before it left, so that regions may nest. What cannot join keeps its
own fix where that touches other bytes, and is Declined where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import Program, analyze
from analyzers.finding import Finding
from fixers.driver import fix, refutation, second_look
from fixers.edits import apply, compose, merge, moved
from fixers.fix import Applicability, Declined, Edit, Fix
from fixers.leak import Candidate, Leak, Options
from fixers.reanalysis import key_of
from fixers.setting import key_of as procedure_of
from fixers.setting import setting
from fixers.verify import verify
from templates import render

Answer = Fix | Declined


def fix_all(findings: Sequence[Finding], program: Program, options: Options | None = None) -> tuple[Answer, ...]:
    """The answers to some findings, in their order; safe fixes of one procedure are one fix."""
    options = options or Options()
    answers = [fix(finding, program, options) for finding in findings]
    for group in _groups(findings, answers):
        _combine(group, answers, program, options)
    return tuple(answers)


def _groups(findings: Sequence[Finding], answers: Sequence[Answer]) -> list[list[int]]:
    """The positions of the findings with a fix, by file and by procedure or overlapping edits."""
    groups: list[list[int]] = []
    order = sorted(range(len(findings)), key=lambda n: (findings[n].acquired, n))
    for position in order:
        answer = answers[position]
        if not isinstance(answer, Fix):
            continue
        home = next((group for group in groups if any(_meet(answers[n], answer) for n in group)), None)
        if home is None:
            groups.append([position])
        else:
            home.append(position)
    return [group for group in groups if len(group) > 1]


def _meet(left: Answer, right: Answer) -> bool:
    """Whether two fixes are of one procedure, or touch the same bytes."""
    if not isinstance(left, Fix) or not isinstance(right, Fix) or left.finding.path != right.finding.path:
        return False
    same = left.finding.procedure.partition("$lambda")[0] == right.finding.procedure.partition("$lambda")[0]
    return same or merge((left.edits, right.edits)) is None


def _combine(group: list[int], answers: list[Answer], program: Program, options: Options) -> None:
    """Put the answers of a group in order; the first safe one leads."""
    safe = [n for n in group if (each := answers[n]) and isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    members, edits = _join(safe, answers, program, options) if len(safe) > 1 else (safe, _edits(answers, safe))
    if len(members) > 1:
        title = _title(answers, members, edits)
        joint = [_verified(answers[n].finding, title, edits, program, options) for n in members]
        if all(each is not None and each.applicability is Applicability.SAFE for each in joint):
            for n, whole in zip(members, joint, strict=True):
                if whole is not None:
                    answers[n] = whole
        else:
            members, edits = members[:1], _edits(answers, members[:1])
    for n in group:
        answer = answers[n]
        if n in members or not isinstance(answer, Fix):
            continue
        if edits and merge((edits, answer.edits)) is None:
            first = answers[members[0]].finding
            answers[n] = Declined(answer.finding, f"its fix overlaps that of `{first.text or first.variable}`: apply that one first")


def _edits(answers: list[Answer], members: list[int]) -> tuple[Edit, ...]:
    answer = answers[members[0]] if members else None
    return answer.edits if isinstance(answer, Fix) else ()


def _join(
    safe: list[int], answers: list[Answer], program: Program, options: Options
) -> tuple[list[int], tuple[Edit, ...]]:
    """The members whose fixes follow from one another, and the edits of all of them."""
    members, edits = safe[:1], _edits(answers, safe)
    path = answers[safe[0]].finding.path
    data = program.source(path)
    for n in safe[1:]:
        patched = program.beside_with({path: apply(data, edits)})
        there = _same(answers[n].finding, patched, edits, options)
        if there is None:
            members.append(n)
            continue
        further = fix(there, patched, options)
        if isinstance(further, Fix) and further.applicability is Applicability.SAFE:
            edits = compose(data, path, edits, further.edits)
            members.append(n)
    return members, edits


def _same(finding: Finding, patched: Program, edits: Sequence[Edit], options: Options) -> Finding | None:
    """The finding in the patched text; None where it is mended already."""
    key = procedure_of(finding, patched)
    found = analyze(patched, (key,), options.detectors).findings if key is not None else ()
    same = [each for each in found if key_of(each) == key_of(finding)]
    at = moved(edits, finding.acquired.start)
    return min(same, key=lambda each: abs(each.acquired.start - at), default=None)


def _title(answers: list[Answer], members: list[int], edits: tuple[Edit, ...]) -> str:
    """The title of the fix that mends all, where one does alone; else one of its own."""
    for n in members:
        answer = answers[n]
        if isinstance(answer, Fix) and answer.edits == edits:
            return answer.title
    procedure = answers[members[0]].finding.procedure
    name = procedure.partition("(")[0].rpartition(":")[2].rpartition(".")[2]
    return render("fixes/titles/combined", procedure=name)


def _verified(
    finding: Finding, title: str, edits: tuple[Edit, ...], program: Program, options: Options
) -> Fix | None:
    """The joint edits as the fix of one of the findings."""
    leak = setting(finding, program, options)
    if not isinstance(leak, Leak):
        return None
    candidate = Candidate(title, edits)
    proof = verify(program, leak, candidate, second_look(program, leak), options.detectors)
    if refutation(proof) is not None:
        return None
    return Fix(finding, candidate.title, edits, proof)
