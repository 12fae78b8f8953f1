"""One patch for several findings: each fix is laid over the text that the ones before it left, then all are verified anew.

A finding that no fix of its own mends on all of its paths is tried again behind the others: the descriptor that a stream has taken
is lost with the stream.

Reports no patch where two fixes get in each other's way; misses an order that would have worked where this one does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import Program
from analyzers.finding import KEPT_OPEN
from analyzers.rules import RETAINED_BY_LOOP
from fixers.again import found_again
from fixers.driver import fix, refutation, second_look
from fixers.edits import apply, compose
from fixers.fix import CHECKS, STILL_REPORTED, Applicability, Check, Declined, Edit, Fix, Verdict
from fixers.java import retained
from fixers.java.crowded import crowded
from fixers.java.kept import Proposal
from fixers.leak import Candidate, Leak, Refusal
from fixers.options import Options
from fixers.paths import LEAKING
from fixers.setting import setting
from fixers.verify import verify

_RANK = {Verdict.PROVED: 0, Verdict.ASSUMED: 1, Verdict.REFUTED: 2}


def fix_together(fixes: Sequence[Fix], program: Program, options: Options | None = None) -> Fix | None:
    """The patch that does what all these fixes of one file do, with a proof of the whole; None where there is none."""
    options = options or Options()
    path = fixes[0].finding.path
    if any(edit.span.path != path for each in fixes for edit in each.edits):
        return None
    if all(each.finding.detail == KEPT_OPEN for each in fixes):
        fixes = sorted(fixes, key=_end, reverse=True)  # Then the `finally` of the first takes the other fields, each before the last.
    plain = _side_by_side(fixes, program.source(path))
    whole = _verified(fixes, "; ".join(dict.fromkeys(plain[1])), plain[0], program, options, is_plain=True) if plain is not None else None
    if whole is not None and (whole.applicability is Applicability.SAFE or _is_cut(whole)):
        return whole
    composed = _composed(fixes, path, program, options)
    if composed is None:
        return None
    edits, titles = composed
    return _verified(fixes, "; ".join(dict.fromkeys(titles)), edits, program, options)


def _is_cut(whole: Fix) -> bool:
    """Whether all that a proof lacks are more steps: no other form for the same places has fewer paths."""
    return all(check.reason.startswith("more than") for check in whole.proof if check.verdict is Verdict.ASSUMED)


def _side_by_side(fixes: Sequence[Fix], data: bytes) -> tuple[tuple[Edit, ...], list[str]] | None:
    """The edits of all fixes of C as they are, and the titles, where no two of them meet on a line: then none has to be sought anew behind
    the others. None where two do."""
    if any(each.finding.language != "c" for each in fixes):
        return None
    edits, titles, lines = set[Edit](), list[str](), set[int]()
    for each in fixes:
        if edits.issuperset(each.edits):
            continue
        own = {line for edit in each.edits for line in _lines(edit, data)}
        if not lines.isdisjoint(own):
            return None
        edits.update(each.edits)
        titles.append(each.title)
        lines |= own
    return tuple(sorted(edits)), titles


def _lines(edit: Edit, data: bytes) -> range:
    """The numbers of the lines that an edit touches, with those beside them."""
    first = data.count(b"\n", 0, edit.span.start)
    return range(first - 1, first + data.count(b"\n", edit.span.start, edit.span.end) + 2)


def _end(each: Fix) -> int:
    return max(edit.span.end for edit in each.edits)


def fix_behind(fixes: Sequence[Fix], half: Fix | Declined, program: Program, options: Options | None = None) -> Fix | None:
    """The patch that does what one safe patch of one file does, which is the fix of each of `fixes`, and mends a finding that is mended
    on some of its paths only without it, or that is mended by it already; None where there is none that is safe."""
    path, edits, options = half.finding.path, fixes[0].edits, options or Options()
    if half.finding.path != fixes[0].finding.path or any(edit.span.path != path for edit in edits):
        return None
    patched = program.beside_with({path: apply(program.source(path), edits)})
    left = found_again(half.finding, edits, patched, options)
    if left is None:
        return _verified((*fixes, Fix(half.finding, fixes[0].title, edits, ())), fixes[0].title, edits, program, options)
    answer = fix(left, patched, options) if _is_half(half) else None
    if not isinstance(answer, Fix) or answer.applicability is not Applicability.SAFE or any(edit.span.path != path for edit in answer.edits):
        return None
    whole = compose(program.source(path), path, edits, answer.edits)
    title = "; ".join(dict.fromkeys((*(each.title for each in fixes), answer.title)))
    return _verified((*fixes, Fix(half.finding, answer.title, answer.edits, ())), title, whole, program, options)


def _is_half(answer: Fix | Declined) -> bool:
    """Whether what was proposed for a finding leaves paths on which it is lost."""
    if isinstance(answer, Declined):
        return answer.reason == STILL_REPORTED
    return any(check.reason == LEAKING for check in answer.proof if check.verdict is Verdict.ASSUMED)


def _verified(
    fixes: Sequence[Fix], title: str, edits: tuple[Edit, ...], program: Program, options: Options, *, is_plain: bool = False
) -> Fix | None:
    """One patch for all of them with the proof of the whole; None where something is refuted. `is_plain`: it does what they do as they are."""
    leaks = [None if each.finding.rule == RETAINED_BY_LOOP.id else setting(each.finding, program, options) for each in fixes]
    names = frozenset[str]().union(*(each.known_names for each in leaks if isinstance(each, Leak)))
    is_java = all(each.finding.language == "java" for each in fixes) and edits != fixes[0].edits
    data = program.source(fixes[0].finding.path)
    doubt = crowded(fixes, data, apply(data, edits)) if is_java else ""
    wholes = [
        Candidate(title, edits, assumption=doubt, beside=_beside(fixes, each) if is_plain else (), makers=_makers([one for one in fixes if one is not each], program))
        for each in fixes
    ]
    proofs = [_proof(each, leak, whole, names, program, options) for each, leak, whole in zip(fixes, leaks, wholes, strict=True)]
    checks = []
    for name in CHECKS:
        same = [check for proof in proofs if proof is not None for check in proof if check.name == name]
        checks += sorted(same, key=lambda check: -_RANK[check.verdict])[:1]
    if None in proofs or refutation(checks) is not None:
        return None
    return Fix(fixes[0].finding, title, edits, tuple(checks))


def _beside(fixes: Sequence[Fix], own: Fix) -> tuple[Fix, ...]:
    """The fixes that write nothing of what one of them writes."""
    return tuple(each for each in fixes if set(own.edits).isdisjoint(each.edits))


def _makers(fixes: Sequence[Fix], program: Program) -> frozenset[str]:
    """The names of the functions of C that make what these fixes release."""
    places = [each.finding.acquired for each in fixes if each.finding.language == "c"]
    calls = [program.source(at.path)[at.start : at.end].partition(b"(")[0].split() for at in places]
    return frozenset(words[-1].decode(errors="replace") for words in calls if words)


def _composed(fixes: Sequence[Fix], path: str, program: Program, options: Options) -> tuple[tuple[Edit, ...], list[str]] | None:
    """The edits, and the titles of those fixes that are among them: one may mend what another one was for."""
    data = program.source(path)
    edits, titles = fixes[0].edits, [fixes[0].title]
    for each in fixes[1:]:
        patched = program.beside_with({path: apply(data, edits)})
        left = found_again(each.finding, edits, patched, options)
        if left is None:
            continue
        answer = fix(left, patched, options)
        if not isinstance(answer, Fix) or any(edit.span.path != path for edit in answer.edits):
            return None
        edits = compose(data, path, edits, answer.edits)
        titles.append(each.title)
    return edits, titles


def _proof(
    each: Fix, leak: Leak | Refusal | None, whole: Candidate, names: frozenset[str], program: Program, options: Options
) -> tuple[Check, ...] | None:
    """The proof of the whole patch for one of the findings; `leak`: what was read about it, None for one of a loop; `names`: what any of
    the fixes knows. What was assumed of its own fix stays assumed."""
    if leak is None:
        return retained.proof(each.finding, program, options, Proposal(whole.title, whole.edits))
    if isinstance(leak, Refusal):
        return None
    leak = msgspec.structs.replace(leak, known_names=leak.known_names | names)
    proof = verify(program, leak, whole, second_look(program, leak), options.detectors)
    own = {check.name: check for check in each.proof}
    return tuple(max(check, own.get(check.name, check), key=lambda one: _RANK[one.verdict]) for check in proof)
