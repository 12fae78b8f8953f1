"""One patch for several findings: each fix is laid over the text that the ones before it left, then all are verified anew.

Reports no patch where two fixes get in each other's way; misses an order that would have worked where this one does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import Program
from analyzers.rules import RETAINED_BY_LOOP
from fixers.again import found_again
from fixers.driver import fix, refutation, second_look
from fixers.edits import apply, compose
from fixers.fix import CHECKS, Check, Edit, Fix, Verdict
from fixers.java import retained
from fixers.java.kept import Proposal
from fixers.leak import Candidate, Refusal
from fixers.options import Options
from fixers.setting import setting
from fixers.verify import verify

_RANK = {Verdict.PROVED: 0, Verdict.ASSUMED: 1, Verdict.REFUTED: 2}


def fix_together(fixes: Sequence[Fix], program: Program, options: Options | None = None) -> Fix | None:
    """The patch that does what all these fixes of one file do, with a proof of the whole; None where there is none."""
    options = options or Options()
    path = fixes[0].finding.path
    if any(edit.span.path != path for each in fixes for edit in each.edits):
        return None
    edits = _composed(fixes, path, program, options)
    if edits is None:
        return None
    title = "; ".join(dict.fromkeys(each.title for each in fixes))
    proofs = [_proof(each, title, edits, program, options) for each in fixes]
    checks = []
    for name in CHECKS:
        same = [check for proof in proofs if proof is not None for check in proof if check.name == name]
        checks += sorted(same, key=lambda check: -_RANK[check.verdict])[:1]
    if None in proofs or refutation(checks) is not None:
        return None
    return Fix(fixes[0].finding, title, edits, tuple(checks))


def _composed(fixes: Sequence[Fix], path: str, program: Program, options: Options) -> tuple[Edit, ...] | None:
    data = program.source(path)
    edits = fixes[0].edits
    for each in fixes[1:]:
        patched = program.beside_with({path: apply(data, edits)})
        left = found_again(each.finding, edits, patched, options)
        if left is None:
            continue
        answer = fix(left, patched, options)
        if not isinstance(answer, Fix) or any(edit.span.path != path for edit in answer.edits):
            return None
        edits = compose(data, path, edits, answer.edits)
    return edits


def _proof(
    each: Fix, title: str, edits: tuple[Edit, ...], program: Program, options: Options
) -> tuple[Check, ...] | None:
    """The proof of the whole patch for one of the findings. What was assumed of its own fix stays assumed."""
    if each.finding.rule == RETAINED_BY_LOOP.id:
        return retained.proof(each.finding, program, options, Proposal(title, edits))
    leak = setting(each.finding, program, options)
    if isinstance(leak, Refusal):
        return None
    whole = Candidate(title, edits)
    proof = verify(program, leak, whole, second_look(program, leak), options.detectors)
    own = {check.name: check for check in each.proof}
    return tuple(max(check, own.get(check.name, check), key=lambda one: _RANK[one.verdict]) for check in proof)
