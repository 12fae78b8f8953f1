"""Picks the fixers for a finding, lets them propose, verifies, and answers.

The first candidate whose proof is whole wins; else the first of which something is only assumed. Fixes of
several findings in one procedure become one, verified again as a whole.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Sequence

import msgspec

from analyzers import Program, ir
from analyzers.finding import DROPPED, FORGOTTEN, LEFT_TO_POOL, NOT_CALLED, NOT_GROWN, WITHDRAWN, Finding
from analyzers.rules import CONTRADICTED_ANNOTATION, RETAINED_BY_LOOP
from fixers import c, java
from fixers.again import found_again
from fixers.c import forgotten
from fixers.c.closing_all import closes_the_rest
from fixers.c.each_way import each_way
from fixers.c.ended_parts import ends_its_part
from fixers.c.interior import released_inside
from fixers.c.pair_ends import keeps_its_peer_open
from fixers.c.shared import freed_though_shared
from fixers.c.slots import reached_by_index
from fixers.edits import apply, compose
from fixers.fix import Applicability, Check, Declined, Fix, Verdict
from fixers.given_back import is_lock
from fixers.java import owning_class, retained
from fixers.java.executors import awaited, endless, repeated
from fixers.java.expected import EXPECTED, NOTHING
from fixers.java.left_to_caller import is_left_to_caller
from fixers.java.moved import closes_already
from fixers.java.opened import from_its_origin
from fixers.java.plainer import holds_nothing
from fixers.java.reviewed import asked_to_change
from fixers.java.running import goes_on, runs_on
from fixers.java.same_stream import asked_again, asked_by_callee, ended_with_stream, kept_by_its_owner
from fixers.java.suppressed import is_meant
from fixers.java.turned_down import turned_down, used_behind
from fixers.java.unfolded import unfolded
from fixers.java.unused_imports import without_unused
from fixers.java.waits import waits_before
from fixers.leak import Candidate, Leak, Refusal
from fixers.options import Options
from fixers.paths import HELD, LEAKING, OUT_OF_SIGHT, Answer, check, is_in_doubt
from fixers.paths.report import UNCERTAIN
from fixers.questions import unpatched_question
from fixers.refills import refills
from fixers.setting import UNREADABLE, setting
from fixers.verify import IN_HEADER, SYNTAX_ERROR, Tried, doubts_whatever, is_final, is_left_by, verify

Fixer = Callable[[Leak], Iterator[Candidate | Refusal]]

FIXERS: dict[str, tuple[Fixer, ...]] = {"java": java.FIXERS, "c": c.FIXERS}
LOCKS: dict[str, tuple[Fixer, ...]] = {"java": java.LOCKS, "c": c.LOCKS}

MAX_CONTINUED = 3
"""Forms that are tried for what another one has left."""

MAX_CANDIDATES = 6
"""Candidates of one fixer that are verified."""

_FOLLOWED = frozenset(("tracker", "heapcheck"))
"""The detectors that report a path, and not a broken promise."""

_LOG = logging.getLogger(__name__)


def fix(finding: Finding, program: Program, options: Options | None = None) -> Fix | Declined:
    """A fix with its proof, or why there is none. Never raises."""
    try:
        return _answer(finding, program, options or Options())
    except Exception:
        _LOG.exception("a fixer failed", extra={"path": finding.path, "procedure": finding.procedure})
        return Declined(finding, "looking for a fix failed here")


def _answer(finding: Finding, program: Program, options: Options) -> Fix | Declined:
    if finding.detail == WITHDRAWN:
        return Declined(finding, "the change takes the release out itself: only its author knows why")
    if finding.rule == RETAINED_BY_LOOP.id:
        return retained.answer(finding, program, options)
    if finding.rule == CONTRADICTED_ANNOTATION.id:
        return Declined(finding, "the annotation or the code has to change, which only its author can decide")
    if (repaired := owning_class.answer(finding, program, options)) is not None:
        return repaired
    if finding.detail == NOT_CALLED and not finding.methods and not program.methods(finding.resource, "close"):
        return Declined(finding, "it is not released by `close()`, and no other method is inserted")
    if finding.detail == NOT_GROWN:
        return Declined(finding, "the new block has to lie in a variable of its own until it is there: what the old one is for then only its author can decide")
    if finding.detail == DROPPED:
        return Declined(finding, "what goes with an element of a list, and who else may still look at it, only its author knows")
    if finding.detail == FORGOTTEN and finding.language == "c":
        return forgotten.answer(finding, program, options)
    leak = setting(finding, program, options)
    if isinstance(leak, Refusal):
        split = each_way(finding, program, options, _answer) if leak.reason == UNREADABLE and finding.language == "c" else None
        return split or Declined(finding, leak.reason)
    if finding.methods and (kept := _undeclared_owner(leak, program)):
        return Declined(finding, f"`{kept}` is kept by what is released, and no annotation says whose it is")
    if finding.language == "java" and is_meant(leak):
        return Declined(finding, "an annotation, or a comment, says that it is meant to stay open")
    if finding.language == "java" and is_left_to_caller(leak):
        return Declined(finding, "a comment says that its caller closes it", is_doubted=True)
    if finding.language == "java" and (reason := runs_on(leak, program)):
        return Declined(finding, reason, is_doubted=True)
    if finding.language == "java" and (call := goes_on(leak)):
        return Declined(finding, f"`{call}` has it go on behind the method, which would cut it off")
    if finding.language == "java" and (call := repeated(leak)):
        return Declined(finding, f"what `{call}` repeats would end with it")
    if finding.language == "java" and (call := awaited(leak, program)):
        return Declined(finding, f"`{call}` waits for its end before that, which nothing has begun by then")
    if finding.language == "java" and (call := waits_before(leak)):
        return Declined(finding, f"`{call}` waits for what may still use it: a close whatever happens would not")
    if finding.language == "java" and (task := endless(leak, program)):
        return Declined(finding, f"`{task}` runs as long as the program")
    if finding.language == "java" and (call := asked_again(leak)):
        return Declined(finding, f"`{call}` may give the same again, which would be closed then")
    if finding.language == "java" and (call := asked_by_callee(leak, program)):
        return Declined(finding, f"`{call}` may give the same again, which would be closed then", is_doubted=True)
    if finding.language == "java" and ended_with_stream(leak):
        return Declined(finding, "it ends with the stream that `onClose` makes close it")
    if finding.language == "java" and (reason := turned_down(leak, program) or used_behind(from_its_origin(leak))):
        return Declined(finding, reason, is_doubted=reason in (EXPECTED, NOTHING))  # Then there is nothing that could be lost.
    if finding.language == "c" and (name := reached_by_index(leak)):
        reason = f"an array has the address of `{ir.source_name(name)}`: who goes through it may release what that holds"
        return Declined(finding, reason, is_doubted=True)
    if finding.language == "c" and (name := keeps_its_peer_open(leak)):
        return Declined(finding, f"`{name}` is handed on, and who has it would be told that it is all over", is_doubted=True)
    if finding.language == "c" and (name := closes_the_rest(leak)):
        return Declined(finding, f"`{name}` closes whatever is open", is_doubted=True)
    second = second_look(program, leak)
    is_program = finding.language == "c" and finding.procedure.rpartition(":")[2] == "main"
    is_pooled = finding.detail == LEFT_TO_POOL  # The checker of paths takes it to end with its connection.
    if second is not None and second.verdict is Verdict.PROVED and not is_program and not is_pooled:
        return Declined(finding, "on no path that a second check follows is it lost", is_refuted=_FOLLOWED.issuperset(finding.detectors))
    answer = _mended(leak, program, options, second)
    # What pointers give whose counterpart nobody can name goes back by pointers, too: who follows neither cannot be sure.
    is_strange = isinstance(answer, Declined) and not leak.releases
    if finding.language == "c" and (is_strange or (second is not None and is_in_doubt(second))):
        return msgspec.structs.replace(answer, is_doubted=True)
    return answer


def _mended(leak: Leak, program: Program, options: Options, second: Answer | None) -> Fix | Declined:
    """The best of the forms that are proposed; the first that is SAFE ends the search."""
    finding = leak.finding
    best: Fix | None = None
    reasons: list[str] = []
    is_shared = is_left = is_long = False
    is_doubted = doubts_whatever(leak, second)
    in_turn = _in_turn(_asked_about(leak, program), lambda: best)
    for proposed in in_turn:
        if best is not None and is_doubted and assumed(best) == 1:
            break  # Of all others as much is assumed.
        if isinstance(proposed, Refusal):
            reasons.append(proposed.reason)
            continue
        if finding.language == "c" and (shared := freed_though_shared(leak, program, proposed)):
            reasons.append(shared)
            continue
        if finding.language == "c" and (part := ends_its_part(leak, proposed)):
            reasons.append(part)
            continue
        if finding.language == "c" and (inside := released_inside(leak, program, proposed)):
            reasons.append(inside)
            continue
        if is_left and finding.language == "c" and not proposed.is_part and is_left_by(program, leak, proposed, options.detectors):
            continue  # Why the form before was none is told.
        most = assumed(best) if best is not None and not proposed.is_part else Tried().most
        proof = verify(program, leak, proposed, second, options.detectors, Tried(
            most, bool(reasons) or best is not None, is_long, is_left and finding.language == "java" and not proposed.is_part,
        ))  # fmt: skip
        is_long = is_long or any(each.reason.startswith("more than") for each in proof)
        answer = Fix(finding, proposed.title, proposed.edits, proof)
        refuted = refutation(proof)
        is_left = refuted is not None and refuted.name == "finding is gone"
        if refuted is not None:
            reasons.append(_told(refuted, finding))
            if proposed.is_part and refuted.name == "finding is gone":
                whole = _continued(leak, proposed, (program, options, second))
                if whole is not None and whole.applicability is Applicability.SAFE:
                    return whole
                best = better(best, whole) if whole is not None else best
            continue
        if all(each.name != "finding is gone" for each in proof):
            continue  # It is no better than the best so far.
        if answer.applicability is Applicability.SAFE:
            return answer
        if finding.language == "java" and not finding.methods and (doubt := _unmended(proof) or _dangerous(proof, proposed)):
            reasons.append(doubt)
            continue
        if finding.language == "java" and (call := kept_by_its_owner(leak, proof)):
            reasons.append(f"`{call}` may give the same again, which would be closed then")
            is_shared = True
            continue
        if leak.is_told and not finding.methods and not closes_already(leak) and (doubt := _doubt_of_use(proof)):
            reasons.append(f"whether it has to be closed is not known, and {doubt}")
            continue
        best = better(best, answer)
        if _is_final(proof) or (finding.language == "c" and not proposed.checks_all and _is_least(proof, second)):
            break
    if best is None and finding.language == "java" and set(reasons) <= {SYNTAX_ERROR} and (lines := unfolded(leak)):
        best = _continued(leak, Candidate("", lines), (program, options, second))
    told = [each for each in reasons if IN_HEADER not in each] or reasons
    return best or Declined(finding, told[0] if told else "no form of release fits the code around it", is_doubted=is_shared)


def _asked_about(leak: Leak, program: Program) -> Iterator[Candidate | Refusal]:
    """What is proposed, with what a reviewer of Java would ask to change."""
    for each in _proposals(leak):
        if isinstance(each, Candidate) and leak.finding.language == "java" and not each.assumption and (words := asked_to_change(leak, program, each.edits)):
            each = msgspec.structs.replace(each, assumption=words)
        yield each


def _in_turn(proposed: Iterator[Candidate | Refusal], best: Callable[[], Fix | None]) -> Iterator[Candidate | Refusal]:
    """What is proposed, but that what can be no better than the best so far comes only before what can: it may end the search."""
    waiting: list[Candidate | Refusal] = []
    for each in proposed:
        known = best()
        if isinstance(each, Candidate) and each.assumption and known is not None and assumed(known) == 1:
            waiting.append(each)
            continue
        if isinstance(each, Candidate):
            yield from waiting
            waiting.clear()
        yield each


def _continued(leak: Leak, begun: Candidate, at: tuple[Program, Options, Answer | None]) -> Fix | None:
    """What mends the ways as well that a form leaves: `p = realloc(p, n)` loses a block, and so do returns. The whole is verified."""
    program, options, second = at
    finding = leak.finding
    patched = program.beside_with({leak.path: apply(leak.data, begun.edits)})
    left = found_again(finding, begun.edits, patched, options)
    rest = setting(left, patched, options) if left is not None else None
    if not isinstance(rest, Leak):
        return None
    best: Fix | None = None
    for each in itertools.islice((each for each in _proposals(rest) if isinstance(each, Candidate) and not each.is_part), MAX_CONTINUED):
        assumption = begun.assumption or each.assumption or (asked_to_change(rest, patched, each.edits) if finding.language == "java" else "")
        whole = Candidate(each.title, compose(leak.data, leak.path, begun.edits, each.edits), each.checks_all, assumption)
        proof = verify(program, leak, whole, second, options.detectors)
        if refutation(proof) is None:
            best = better(best, Fix(finding, whole.title, whole.edits, proof))
            if best.applicability is Applicability.SAFE:
                break
    return best


def _undeclared_owner(leak: Leak, program: Program) -> str:
    """An argument that the new object keeps and may release a second time, where something else releases it, too."""
    acquired = leak.finding.acquired
    origin = leak.linked.body.start
    for node, call in enumerate(leak.linked.body.nodes):
        if not isinstance(call, ir.Call) or call.kind != "new" or (call.start + origin, call.end + origin) != (
            acquired.start, acquired.end,
        ):  # fmt: skip
            continue
        target = leak.linked.targets.get(node)
        kept = {
            transfer.entry[0]
            for key in (target.procedures if target is not None else ())
            for transfer in program.effects(key).transfers
            if len(transfer.entry) == 1 and any(path[0] == "this" for each in transfer.outcomes for path in each.paths)
        }
        retained = {path[0] for key in (target.procedures if target else ()) for path in program.effects(key).retains}
        for position, argument in enumerate(call.args):
            is_released = any(
                isinstance(other, ir.Call) and other.receiver == argument and other.name in leak.finding.methods
                for other in leak.linked.body.nodes
            )
            if f"${position}" in kept | retained and is_released:
                return ir.source_name(argument)
    return ""


def _unmended(proof: Sequence[Check]) -> str:
    """Why a patch may not mend: what is closed may lie somewhere else by then. Empty for no reason."""
    reasons = (each.reason for each in proof if each.name == "finding is gone" and each.verdict is Verdict.ASSUMED)
    return next((each for each in reasons if each in (LEAKING, OUT_OF_SIGHT)), "")


def _dangerous(proof: Sequence[Check], proposed: Candidate) -> str:
    """Why something may use what a patch has closed; empty for no reason. What closes only where an exception ends it all may
    meet a field that somebody has assigned."""
    reasons = [each.reason for each in proof if each.verdict is Verdict.ASSUMED and each.name in ("released once", "no use after release")]
    is_rethrown = any("catch (Throwable " in edit.text for edit in proposed.edits)
    in_header = any(edit.text.lstrip().startswith(("try (", "(")) for edit in proposed.edits)
    for each in reasons:
        is_told = any(words in each for words in _DANGERS) or (_FIELD in each and not is_rethrown)
        if is_told or (each.startswith("more than") and not in_header):
            return each
    return ""


_DANGERS = ("after its release", "belongs to somebody else by then", "may use it at any time", OUT_OF_SIGHT, HELD)
_FIELD = "may assign the field that holds it"


def _doubt_of_use(proof: Sequence[Check]) -> str:
    """Why closing may be wrong; empty for no reason."""
    names = ("released once", "no use after release")
    return next((each.reason for each in proof if each.name in names and each.verdict is Verdict.ASSUMED), "")


def _is_final(proof: Sequence[Check]) -> bool:
    """Whether what is assumed would be assumed of any other form, too: a callee that nobody knows, too many paths."""
    return any(check.verdict is Verdict.ASSUMED and is_final(check.reason) for check in proof)


def _is_least(proof: Sequence[Check], second: Answer | None) -> bool:
    """Whether no other form that writes a release can be surer: what is doubted is only whether there is anything to release, which no
    release of it changes. Who leads a path to a release that is there already may be."""
    if second is None or second.verdict is not Verdict.ASSUMED or second.reason != UNCERTAIN:
        return False
    return [(each.name, each.reason) for each in proof if each.verdict is Verdict.ASSUMED] == [(name, UNCERTAIN) for name in _OF_RELEASES]


def second_look(program: Program, leak: Leak) -> Answer | None:
    """What the own checker of paths says of the leak itself: PROVED is «there is none». None where it cannot ask, or stops
    at something else that is wrong before it has seen all paths. It is asked once, though fixes of one procedure are verified together, too."""
    return program.once(("second look", leak.finding), lambda: _second_look(program, leak))


def _second_look(program: Program, leak: Leak) -> Answer | None:
    question = unpatched_question(program, leak)
    if question is None:
        return None
    report = check(leak.linked, leak.effects, question, _lost_at(leak))
    if report.is_proved and (others := refills(leak, question.sites)):
        # What others put into its variable takes its place: followed where nothing else loses it.
        again = check(leak.linked, leak.effects, msgspec.structs.replace(question, others=others))
        report = again if again.gone.verdict is Verdict.REFUTED else report
    return None if report.is_refuted and report.gone.verdict is Verdict.PROVED else report.gone


def _lost_at(leak: Leak) -> list[int]:
    """The nodes at which the finding says that it is lost."""
    body, finding = leak.linked.body, leak.finding
    spans = [(each.start - body.start, each.end - body.start) for each in (*finding.exits, finding.lost) if each.path == leak.path]
    return [n for n, each in enumerate(body.nodes) if n > ir.RAISE and any(start <= each.start < end for start, end in spans)]


def _proposals(leak: Leak) -> Iterator[Candidate | Refusal]:
    """What the fixers propose, each form once, of each fixer the first few; blocks that hold nothing last of all."""
    seen = set()
    late: list[Candidate] = []
    leak = from_its_origin(leak) if leak.finding.language == "java" else leak
    for fixer in (LOCKS if is_lock(leak) else FIXERS)[leak.finding.language]:
        proposed = 0
        for each in fixer(leak):
            if isinstance(each, Candidate):
                each = without_unused(leak, each) if leak.finding.language == "java" else each
                if each.edits in seen or (patched := apply(leak.data, each.edits)) == leak.data:
                    continue
                seen.add(each.edits)
                proposed += 1
                if leak.finding.language == "java" and holds_nothing(leak.data, patched):
                    late.append(each)
                    continue
            yield each
            if proposed >= MAX_CANDIDATES:
                break
    yield from late


def refutation(proof: Sequence[Check]) -> Check | None:
    """The first check that failed."""
    return next((check for check in proof if check.verdict is Verdict.REFUTED), None)


def _told(refuted: Check, finding: Finding) -> str:
    """Why a patch is none, in words that do not sound as if the code were wrong as it stands."""
    is_of_ways = finding.language == "c" and refuted.name in _OF_WAYS
    return f"with the release that was tried, {refuted.reason}" if is_of_ways else refuted.reason


_OF_RELEASES = ("released once", "no use after release")
_OF_WAYS = (*_OF_RELEASES, "released only if acquired")


def better(known: Fix | None, other: Fix) -> Fix:
    """The fix of which less is assumed; the earlier of equals."""
    return other if known is None or assumed(other) < assumed(known) else known


def assumed(answer: Fix) -> int:
    """Of how much it is only assumed."""
    return sum(check.verdict is Verdict.ASSUMED for check in answer.proof)
