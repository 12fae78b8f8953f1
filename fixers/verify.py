"""Computes every check of a fix on the patched text; nothing in a proof is declared.

The patched file is laid over the Program, the changed procedures and the readers of their Effects are analysed
again, and an own checker (`paths`) walks the paths of the patched procedure. What somebody unknown takes
part in is ASSUMED, never PROVED.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from analyzers import Detector, Program, ir
from analyzers.facts import Facts, facts, facts_beside, is_named_closeable
from analyzers.graphs.operands import assigned
from analyzers.handles.c.deep import ended_from_above
from analyzers.handles.c.notified import is_connecting
from analyzers.handles.c.scoped import scoped_variables
from fixers import paths, tree
from fixers.asserting import asserted
from fixers.c.declared import undeclared
from fixers.c.doubts import doubt_of_use
from fixers.c.error_places import handed_on_full
from fixers.c.given_parts import given_part
from fixers.c.harm import evident_harm
from fixers.c.held_beside import held_beside
from fixers.c.hiding import hiding
from fixers.c.interpreter_lock import without_lock
from fixers.c.lists_again import is_as_elsewhere, touched_again
from fixers.c.moved_on import moved_on
from fixers.c.other_kinds import takes_another
from fixers.c.own_callbacks import kept_by_itself
from fixers.c.row_facts import are_rows_only
from fixers.c.said import meant_to_stay
from fixers.c.still_held import held_inside
from fixers.c.unreturned import forgets_result
from fixers.edits import apply, inserted, moved, original
from fixers.fix import CHECKS, STILL_REPORTED, Check, Edit, Verdict
from fixers.flow import changed_flow, lost_statement, unbalanced
from fixers.freed import ended_otherwise, freed_before, released_by, renewed_formal
from fixers.java.claimed import claimed
from fixers.java.closing import is_about_closing
from fixers.java.delayed import delayed, needs_all, tells_of_closing
from fixers.java.exceptions import (
    allowed,
    closing_throws,
    escaping,
    has_none,
    passes_already,
    told_throws,
    unmet,
)
from fixers.java.headed import stands_in_header
from fixers.java.null_closes import meets_null
from fixers.java.overtaken import overtaken
from fixers.java.own_ending import ends_it_itself
from fixers.java.statements import LATER
from fixers.leak import Candidate, Leak
from fixers.obliged import sites_of
from fixers.paths import Answer, Question
from fixers.paths.relevance import holding
from fixers.paths.report import KEPT_AS_BEFORE, LEAKING, UNCERTAIN
from fixers.questions import (
    Patched,
    is_implicit,
    our_releases,
    question_of,
    questions_beside,
    questions_of_others,
    seen,
)
from fixers.reanalysis import Reanalysis, reanalyse
from fixers.tree import COMMENTS, Tree
from fixers.unchanged import unchanged
from fixers.visibility import Locals, all_names, names_in_scope

PROVED, ASSUMED, REFUTED = Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED

SYNTAX_ERROR = "the patched text has a syntax error"

Judgement = tuple[Verdict, str]


class Tried(msgspec.Struct, frozen=True):
    """What other forms for the same leak have come to: what can no longer change its answer need not be asked.

    most      as many assumptions as the best of them has: who has no fewer is no better
    is_told   somebody has been refused, or is at hand: nobody hears why this one is refused
    is_long   a walk came to no end
    is_left   the detectors reported the leak all the same: they are asked before another walk
    """

    most: int = 1 << 20
    is_told: bool = False
    is_long: bool = False
    is_left: bool = False


def verify(
    program: Program,
    leak: Leak,
    candidate: Candidate,
    second: Answer | None,
    detectors: Sequence[Detector] | None,
    tried: Tried = Tried(),  # noqa: B008  a value
) -> tuple[Check, ...]:
    """The proof of a candidate, in the order of `CHECKS`; stops at the first refuted one, and where it is no better than what was `tried`:
    then nothing is said of whether the finding is gone.

    `second` is what the path checker says of the leak before the fix.
    """
    data = apply(leak.data, candidate.edits)
    patched = Patched(leak, candidate, program.beside_with({leak.path: data}), data)
    found: dict[str, Judgement] = {"parses": _parses(program, patched)}
    if found["parses"][0] is not REFUTED:
        _judge(program, patched, found, detectors, second, tried)
    if "finding is gone" in found and second is not None:
        found["finding is gone"] = _doubted(found["finding is gone"], second)
    if (doubt := _handed_on(leak)) and found.get("finding is gone", (REFUTED, ""))[0] is PROVED:
        found["finding is gone"] = (ASSUMED, doubt)
    if candidate.assumption and found.get("finding is gone", (REFUTED, ""))[0] is PROVED:
        found["finding is gone"] = (ASSUMED, candidate.assumption)
    if leak.finding.language == "c" and found.get("comments kept", (REFUTED, ""))[0] is PROVED and (said := meant_to_stay(leak, candidate.edits)):
        found["comments kept"] = (ASSUMED, said)
    if leak.finding.language == "c" and found.get("name in scope", (REFUTED, ""))[0] is PROVED and (hidden := hiding(leak, candidate.edits)):
        found["name in scope"] = (ASSUMED, hidden)
    if leak.finding.language == "c" and found.get("no use after release", (REFUTED, ""))[0] is PROVED and forgets_result(leak.linked.body):
        found["no use after release"] = (ASSUMED, "the function forgets its result, which this may be")
    if found.get("no use after release", (REFUTED, ""))[0] is PROVED and (kept := kept_by_itself(program, leak)):
        found["no use after release"] = (ASSUMED, kept)
    return tuple(Check(name, *found[name]) for name in CHECKS if name in found)


def is_left_by(program: Program, leak: Leak, candidate: Candidate, detectors: Sequence[Detector] | None) -> bool:
    """Whether the detectors still report a leak in the patched text: then no proof is whole. Asked first where the form before has left
    it, too: a walk of all paths takes several times as long."""
    patched = program.beside_with({leak.path: apply(leak.data, candidate.edits)})
    return not reanalyse(program, patched, leak.path, candidate.edits, detectors, leak.finding).gone(leak.finding)


def _handed_on(leak: Leak) -> str:
    """Why calls may do what a finding misses: they are given a resource of which only the finding knows the release."""
    if not leak.is_told:
        return ""
    sites = frozenset(sites_of(Facts(leak.linked, leak.effects), leak.finding))
    if not leak.finding.methods:
        return "whether what is acquired here has to be closed is not known"
    names = paths.holding(leak.linked, sites)
    for node, call in enumerate(leak.linked.body.nodes):
        if isinstance(call, ir.Call) and node not in sites and not names.isdisjoint(call.args):
            return f"`{call.qualifier or call.name}` is given it, and may call `{'`, `'.join(leak.finding.methods)}` in time"
    return ""


def doubts_whatever(leak: Leak, second: Answer | None) -> bool:
    """Whether of any form it is assumed that the finding is gone, if it is."""
    return (second is not None and second.verdict is ASSUMED and second.reason.startswith("whether")) or bool(_handed_on(leak))


def is_final(reason: str) -> bool:
    """Whether what is assumed for this would be assumed of any other form, too: a callee that nobody knows, too many paths."""
    return "is not known: it may" in reason or reason.startswith("more than")


def _is_beaten(leak: Leak, candidate: Candidate, found: dict[str, Judgement], lasting: Answer, second: Answer | None, tried: Tried) -> bool:
    """Whether a candidate of which nothing is refuted yet has no fewer assumptions than another form, whatever the detectors say: nobody proves
    what a `lasting` doubt is about. Not where it may be the last one that is tried: by what is assumed (`is_final`), or as no form is surer."""
    doubt = candidate.assumption or lasting.verdict is not PROVED or doubts_whatever(leak, second)
    reasons = [reason for verdict, reason in found.values() if verdict is ASSUMED]
    if len(reasons) + bool(doubt) < tried.most or (second is not None and second.reason == UNCERTAIN):
        return False
    more = (lasting.reason, candidate.assumption, second.reason if second is not None else "")
    return not any(map(is_final, (*reasons, *more)))


def _judge(
    program: Program, patched: Patched, found: dict[str, Judgement], detectors: Sequence[Detector] | None, second: Answer | None, tried: Tried
) -> None:
    """The checks that need a text that parses, cheap ones first."""
    leak = patched.leak
    after = _syntax(patched)
    found["name in scope"] = _in_scope(program, patched, after)
    found["comments kept"] = _comments(leak.tree, after)
    is_c = leak.finding.language == "c"
    facts_after = facts_beside(program, patched.program, patched.key) if is_c else facts(patched.program, patched.key)
    if facts_after is None:
        found["parses"] = (REFUTED, "the procedure is gone")
        return
    facts_after = seen(patched, facts_after)
    found["nothing else changes"] = _unchanged(patched, facts_after)
    if not is_c and found["nothing else changes"][0] is PROVED:
        found["nothing else changes"] = _closed_in_time(patched, facts_after) or found["nothing else changes"]
    found["parses"] = _types(program, patched, facts_after, after) or found["parses"]
    found["no new unhandled exception"] = _exceptions(patched, facts_after, after)
    if any(verdict is REFUTED for verdict, _ in found.values()):
        return
    question = question_of(program, patched, facts_after, after)
    question = msgspec.structs.replace(question, volatile=_volatile(patched)) if is_c else question
    if is_c and tried.is_told and (reason := _harm(patched, facts_after, question, tried)):
        found["no use after release"] = (REFUTED, reason)
        return
    if tried.is_left and not reanalyse(program, patched.program, leak.path, patched.edits, detectors, leak.finding).gone(leak.finding):
        found["finding is gone"] = (REFUTED, STILL_REPORTED)
        return
    report = paths.check(facts_after.linked, facts_after.effects, question)
    if not is_c and report.after.verdict is REFUTED and report.is_kept_alone and ends_it_itself(leak):
        believing = paths.check(facts_after.linked, facts_after.effects, msgspec.structs.replace(question, is_ended=True))
        report = believing if believing.after.reason != KEPT_AS_BEFORE or believing.is_kept_there else report
    found["released once"] = _judged(report.once, "on no path is it released a second time")
    found["no use after release"] = _judged(report.after, "nothing uses it after its release")
    is_strange = report.after.verdict is ASSUMED and report.is_strange_alone
    if is_strange and question.is_idempotent and leak.finding.language == "java" and ends_it_itself(leak):
        found["no use after release"] = (PROVED, "the code itself closes it behind what is not known")
    if report.is_returned_released and _is_for_closing(patched, facts_after):
        found["no use after release"] = (REFUTED, "what is returned reads from it or writes to it")
    found["released only if acquired"] = _judged(report.acquired, "every release meets what was acquired")
    if is_c and found["released once"][0] is PROVED and (kept := _kept_by_scope(patched, facts_after, question)):
        found["released once"] = (ASSUMED, f"`{kept}` may release it when it goes out of scope")
    if is_c and found["released once"][0] is PROVED and (name := _ended_from_above(facts_after, question)):
        found["released once"] = (ASSUMED, f"`{name}` may release what lies that deep")
    if is_c and found["released once"][0] is PROVED and (name := renewed_formal(Facts(leak.linked, leak.effects), facts_after, question.sites)):
        found["released once"] = (ASSUMED, f"the caller may still have `{name}`, and release it")
    if is_c and leak.lenders is not None and found["no use after release"][0] is PROVED and (kept := given_part(facts_after, question.ours, leak.lenders)):
        found["no use after release"] = (ASSUMED, kept)
    if is_c and found["no use after release"][0] is PROVED and (doubt := doubt_of_use(facts_after, question.sites, question.ours) or held_beside(facts_after, report.held, question.ours)):
        found["no use after release"] = (ASSUMED, doubt)
    if is_c and found["no use after release"][0] is PROVED and (name := _connected(leak, facts_after, question)):
        found["no use after release"] = (ASSUMED, f"handlers are connected to `{name}`, and are called as long as it lives")
    if is_c and found["released only if acquired"][0] is PROVED and (call := asserted(program, facts_after, question.ours)):
        found["released only if acquired"] = (ASSUMED, f"`{call}` asserts something of what it ends")
    name, methods = leak.finding.variable, frozenset(each.call.rpartition(".")[2] for each in leak.releases)
    if not is_c and name and meets_null(facts_after, name, methods, patched.program.source(leak.path)) and not meets_null(
        Facts(leak.linked, leak.effects), name, methods, leak.data
    ):
        found["released only if acquired"] = (REFUTED, f"`{name}` may have been found null")
    if is_c and (name := handed_on_full(facts_after, question.ours)):
        found["no use after release"] = (REFUTED, f"`{name}` is handed the place of an error that is gone")
    if is_c and (gone := freed_before(facts_after, patched.edits, program)):
        found["no use after release"] = (REFUTED, f"what `{gone}` points to may have been released before")
    elif is_c and (gone := ended_otherwise(facts_after, question.ours, leak.resource)):
        found["released once"] = (REFUTED, f"`{gone}` is freed before, though not as what it is")
    elif is_c and (away := moved_on(facts_after, question.ours)):
        found["released only if acquired"] = (REFUTED, f"`{away}` may point into the block by then")
    elif is_c and (lock := held_inside(facts_after, question.ours)):
        found["released once"] = (REFUTED, f"`{lock}` is held by then, and would go with it")
    elif is_c and (given := without_lock(facts_after, question.ours, leak.resource)):
        found["released once"] = (REFUTED, f"behind `{given}` nobody may release what is Python's")
    elif is_c and not report.is_finished and (harm := evident_harm(facts_after, question.ours)):
        found["no use after release"] = (REFUTED, harm)
    if patched.candidate.checks_all:
        _judge_others(questions_of_others(question, patched, facts_after), facts_after, found)
    elif is_c and not any(verdict is REFUTED for verdict, _ in found.values()):
        _judge_others(questions_beside(question, patched, facts_after), facts_after, found)
    if any(verdict is REFUTED for verdict, _ in found.values()):
        return
    lasting, are_rows = report.gone, is_c and are_rows_only(facts_after, patched.edits, leak, after)
    is_own = is_c and not are_rows and lasting.reason == LEAKING and is_as_elsewhere(program, facts_after, question)
    if not are_rows and _is_beaten(leak, patched.candidate, found, Answer(PROVED, "") if is_own else lasting, second, tried):
        return
    again = reanalyse(program, patched.program, leak.path, patched.edits, detectors, leak.finding)
    if are_rows:
        for each in ("released once", "no use after release", "released only if acquired"):
            if found[each][0] is ASSUMED:
                found[each] = (PROVED, "the loops that release the elements meet what the loops before them stored")
        lasting = Answer(PROVED, "")
    if is_own and again.gone(leak.finding):
        touched, lasting = touched_again(facts_after, question.ours), Answer(PROVED, "")
        found["no use after release"] = (REFUTED, touched) if touched else found["no use after release"]
    found["finding is gone"] = _gone(leak, again, lasting)
    found["no new finding"] = _added(again)
    found["idempotent"] = _idempotent(found["finding is gone"])


def _harm(patched: Patched, after: Facts, question: Question, tried: Tried) -> str:
    """What is wrong with a patch of C, whatever its paths say; empty for nothing. What goes wrong on all of them is asked before they are
    walked only where another walk came to no end."""
    if name := handed_on_full(after, question.ours):
        return f"`{name}` is handed the place of an error that is gone"
    if gone := freed_before(after, patched.edits, patched.program):
        return f"what `{gone}` points to may have been released before"
    return evident_harm(after, question.ours) if tried.is_long else ""


def _ended_from_above(after: Facts, question: Question) -> str:
    """The function that may release what an acquisition puts deep below what that is given."""
    nodes, definitions = after.linked.body.nodes, dict[str, list[int]]()
    for node, each in enumerate(nodes):
        for name in assigned(each):
            definitions.setdefault(name, []).append(node)
    return next((name for site in sorted(question.sites) if (name := ended_from_above(nodes, definitions, site))), "")


def _volatile(patched: Patched) -> frozenset[str]:
    """The globals of a file of C that signals or threads may set at any time."""
    unit = patched.program.unit(patched.leak.path)
    return frozenset(each.name for each in unit.globals if "volatile" in each.attributes) if unit is not None else frozenset()


def _kept_by_scope(patched: Patched, after: Facts, question: Question) -> str:
    """A variable that may hold the resource and that a macro cleans up which is declared nowhere; empty where there is none."""
    scoped = scoped_variables(after.linked.body, patched.leak.path, patched.program)
    return min(scoped & holding(after.linked, question.sites, effects=after.effects), default="") if scoped else ""


def _connected(leak: Leak, after: Facts, question: Question) -> str:
    """A variable with an object of GLib to whose signals the procedure connects handlers, and which it releases nowhere itself: it may be meant
    to stay for them. Empty where there is none."""
    nodes = after.linked.body.nodes
    held = {name for site in question.sites for name in assigned(nodes[site])}
    held |= {each.dst for each in nodes if isinstance(each, ir.Copy) and each.src in held}
    cast = {each.dst: each.args[0] for each in nodes if isinstance(each, ir.Call) and len(each.args) == 1 and ir.is_temporary(each.dst)}
    connected = (cast.get(each.args[0], each.args[0]) for each in nodes if isinstance(each, ir.Call) and is_connecting(each))
    before = Facts(leak.linked, leak.effects)
    ended = {name for n, each in enumerate(leak.linked.body.nodes) if isinstance(each, ir.Call) for name in released_by(before, n, each)}
    return min((ir.source_name(name) for name in connected if name in held and name not in ended), default="")


def _is_for_closing(patched: Patched, after: Facts) -> bool:
    """Whether a procedure of Java returns something that its caller closes."""
    body = after.linked.body
    written = body.result.partition("<")[0]
    if patched.leak.finding.language != "java" or not written:
        return False
    meant = patched.program.resolve_type(patched.leak.path, body.owner, written)
    return patched.program.is_subtype(meant, "java.lang.AutoCloseable") is True


def _judge_others(questions: Iterable[Question], after: Facts, found: dict[str, Judgement]) -> None:
    """The releases of other resources, where the candidate changes which of them run, or releases them, too."""
    for question in questions:
        report = paths.check(after.linked, after.effects, question)
        for name, answer in (
            ("released once", report.once), ("no use after release", report.after),
            ("released only if acquired", report.acquired),
        ):
            if _rank((answer.verdict, answer.reason)) > _rank(found[name]):
                found[name] = (answer.verdict, answer.reason)


def _judged(answer: Answer, good: str) -> Judgement:
    return answer.verdict, answer.reason or good


# --- the text


def _parses(program: Program, patched: Patched) -> Judgement:
    path = patched.leak.path
    if _errors(patched.program, path) > _errors(program, path):
        return REFUTED, SYNTAX_ERROR
    procedure = patched.program.procedure(patched.key)
    if procedure is None or procedure.error is not None:
        return REFUTED, "the patched procedure does not parse"
    return PROVED, "no new syntax error"


def _unchanged(patched: Patched, after: Facts) -> Judgement:
    """Whether the patch changes anything beside what it writes."""
    leak = patched.leak
    if leak.finding.language == "java":
        closing = frozenset(each.call.rpartition(".")[2] for each in leak.releases) | {"close", *leak.finding.methods}
        reason = _runs_later(leak, patched.edits)
        if not reason and (first := overtaken(leak, patched.edits)):
            reason = f"`{first}` comes first"
        reason = reason or lost_statement(leak.linked, after.linked, patched.edits)
        judgement = unchanged(Facts(leak.linked, leak.effects), after, patched.edits, closing)
        return (REFUTED, reason) if reason and judgement[0] is PROVED else judgement
    start, end = leak.side
    if end and not all(start <= edit.span.start and edit.span.end <= end for edit in patched.edits):
        return REFUTED, "the acquisition is under a preprocessor condition, and the fix is not"
    if unbalanced(leak.tree.data, patched.edits):
        return REFUTED, "a brace would open under a preprocessor condition and close outside of it"
    reason = changed_flow(leak.linked, after.linked, patched.edits, may_jump=patched.candidate.checks_all)
    return (REFUTED, reason) if reason else (PROVED, "all else runs as before")


def _runs_later(leak: Leak, edits: Sequence[Edit]) -> str:
    """Why calls that are written in do not run with the procedure: they stand in a lambda or a class inside of it."""
    acquired = leak.finding.acquired.start
    for edit in edits:
        around = leak.tree.path(edit.span.start, edit.span.end) if "(" in edit.text else []
        if any(node.kind in LATER and not node.start <= acquired < node.end and node.start < edit.span.start < node.end for node in around):
            return "it would be released where something else runs later"
    return ""


def _errors(program: Program, path: str) -> int:
    return sum(note.kind == "syntax-error" for note in program.notes_of(path))


def _syntax(patched: Patched) -> Tree:
    """The syntax of the patched procedure, as wide as that of the original one."""
    procedure = patched.leak.procedure
    start = moved(patched.edits, procedure.start)
    end = moved(patched.edits, procedure.end)
    return tree.parse(patched.leak.finding.language, patched.data, start, end)


def _comments(before: Tree, after: Tree) -> Judgement:
    lost = _comment_texts(before) - _comment_texts(after)
    if any(not is_about_closing(words) for words in lost):
        return ASSUMED, "a comment on what the fix takes out goes with it"
    return PROVED, "all of them"


def _comment_texts(each: Tree) -> Counter[str]:
    return Counter(" ".join(each.text(node).split()) for node in tree.walk(each.root) if node.kind in COMMENTS)


def _in_scope(program: Program, patched: Patched, after: Tree) -> Judgement:
    leak = patched.leak
    before_locals = Locals(_inside(program, leak.path, leak.procedure.start, leak.procedure.end))
    start, end = moved(patched.edits, leak.procedure.start), moved(patched.edits, leak.procedure.end)
    after_locals = Locals(_inside(patched.program, leak.path, start, end))
    if leak.finding.language == "java" and (twice := sorted(after_locals.nested - before_locals.nested)):
        return REFUTED, f"`{twice[0]}` would be declared twice"
    if leak.finding.language == "c" and (name := undeclared(program, leak.path, leak.procedure.start, patched.edits)):
        return REFUTED, f"`{name}` is defined further down, and nothing declares it before"
    known = all_names(leak.tree) | leak.known_names
    return names_in_scope((leak.tree, before_locals), (after, after_locals), patched.edits, known)


def _inside(program: Program, path: str, start: int, end: int) -> list[ir.Procedure]:
    """The procedures that lie in a stretch of a file."""
    keys = program.procedures_of(path)
    found = [program.procedure(key) for key in keys if start <= program.span(key).start and program.span(key).end <= end]
    return [each for each in found if each is not None]


def _exceptions(patched: Patched, after: Facts, syntax: Tree) -> Judgement:
    if patched.leak.finding.language != "java":
        return PROVED, "C has none"
    judgement: Judgement = (PROVED, "closing adds no exception")
    for node in our_releases(patched, after):
        call = after.linked.body.nodes[node]
        if not isinstance(call, ir.Call) or not call.receiver:
            continue
        type_name = after.linked.types.get(call.receiver, "")
        thrown = closing_throws(patched.program, type_name, call.name) if type_name else None
        if thrown is None and has_none(patched.program, type_name, call.name):
            return REFUTED, f"`{type_name.rpartition('.')[2]}` has no `{call.name}`"
        owner = after.linked.body.owner
        at = after.linked.body.start + call.start
        if thrown is not None and (name := unmet(patched.program, syntax, at, patched.leak.path, owner, thrown, inserted(patched.edits))):
            return REFUTED, f"closing does not throw {name}, which a handler would catch"
        known = _calls_like(patched.leak, call, type_name) if thrown is None else []
        if known and passes_already(patched.leak.tree, known, syntax, at):
            each: Judgement = (PROVED, f"`{call.name}` is called here already, and what it throws is handled or declared")
        else:
            each = allowed(
                patched.program, syntax, at, patched.leak.path, owner, thrown, escaping(patched.leak.linked)
            )
        if _rank(each) > _rank(judgement) or judgement[1] == "closing adds no exception":
            judgement = each
    return judgement


def _closed_in_time(patched: Patched, after: Facts) -> Judgement | None:
    """What is wrong with where a patch closes: something ran behind the close of the code, and would run before it."""
    leak = patched.leak
    old = {
        (each.name, leak.linked.body.start + each.start): node
        for node, each in enumerate(leak.linked.body.nodes) if isinstance(each, ir.Call)
    }
    place = {
        node: old[key] for node, each in enumerate(after.linked.body.nodes) if isinstance(each, ir.Call)
        and (key := (each.name, original(patched.edits, after.linked.body.start + each.start))) in old
    }
    names = {each.call.rpartition(".")[2] for each in leak.releases} | {"close", *leak.finding.methods}
    ranges, start = inserted(patched.edits), after.linked.body.start
    ours = {*our_releases(patched, after)} | {
        node for node, each in enumerate(after.linked.body.nodes)
        if isinstance(each, ir.Call) and each.name in names and any(low <= start + each.start < high for low, high in ranges)
    }
    kept = {place[node] for node in place if node not in ours}
    removed = [node for (name, _), node in old.items() if name in names and node not in kept]
    resource, before = leak.finding.resource.partition("<")[0], Facts(leak.linked, leak.effects)
    if claim := claimed(resource, before, removed, after, ours, patched.edits):
        return REFUTED, f"`{claim.lstrip('.')}` would change before it is closed, which may fail"
    if late := delayed(resource, before, removed, after, ours, place):
        return REFUTED if needs_all(late) or tells_of_closing(late) else ASSUMED, f"`{late}` would run before it is closed"
    return None


IN_HEADER = "can stand in a try header"
"""What is said where only the form of a patch is at fault."""


def _types(program: Program, patched: Patched, after: Facts, syntax: Tree) -> Judgement | None:
    """What is not known of the types that a patch releases objects of."""
    if patched.leak.finding.language != "java":
        taken = takes_another(program, after, our_releases(patched, after))
        return (REFUTED, taken) if taken else None
    for node in our_releases(patched, after):
        call = after.linked.body.nodes[node]
        written = after.linked.types.get(call.receiver, "") if isinstance(call, ir.Call) else ""
        is_closeable = patched.program.is_subtype(written, "java.lang.AutoCloseable") is True
        shown = written.rpartition(".")[2].rpartition("$")[2] or "the resource"
        if isinstance(call, ir.Call) and written == "java.lang.Object" and call.name == "clone":
            return REFUTED, "`clone` of `Object` can be called from below only"
        if is_implicit(after, node, syntax):
            if has_none(program, written, "close"):
                return REFUTED, f"`{shown}` has no `close`"
            if not is_closeable and not stands_in_header(program, written):
                return REFUTED, f"whether `{shown}` {IN_HEADER} is not known"
        elif isinstance(call, ir.Call) and call.kind == "virtual" and not _has(
            patched, call, written, is_closeable=is_closeable
        ):
            if has_none(program, written, call.name):
                return REFUTED, f"`{shown}` has no `{call.name}`"
            verdict = ASSUMED if patched.leak.finding.methods else _of_specs(program, patched, written)
            return verdict, f"whether `{shown}` has a `{call.name}` is not known"
    for node, call in enumerate(after.linked.body.nodes):  # Whatever closing it does: that stands in a header, or is not Java.
        written = after.linked.types.get(call.receiver, "") if isinstance(call, ir.Call) and call.name == "close" else ""
        if written and patched.program.is_subtype(written, "java.lang.AutoCloseable") is False and is_implicit(after, node, syntax):
            return REFUTED, f"`{written.rpartition('.')[2].rpartition('$')[2]}` cannot stand in a try header"
    return None


def _of_specs(program: Program, patched: Patched, written: str) -> Verdict:
    """A type that specs name, or that the code closes before it is patched, has a `close`; of others even that is a guess, and of types of
    the same project that are not there, whether it matters."""
    named = written or patched.leak.finding.resource
    if patched.leak.is_told:
        return REFUTED
    if named != patched.leak.finding.resource and patched.program.is_subtype(named, "java.lang.AutoCloseable") is None:
        return REFUTED
    unit = program.unit(patched.leak.path)
    is_own = unit is not None and bool(unit.package) and _project(named) == _project(unit.package)
    if is_own and not is_named_closeable(program, named):
        return REFUTED
    return ASSUMED if program.is_closeable(named) else REFUTED


def _project(name: str) -> list[str]:
    """The words that the packages of a project begin with: two, or three where many projects share the first two."""
    words = name.split(".")
    return words[: 3 if tuple(words[:2]) in _SHARED else 2]


_SHARED = frozenset((("org", "apache"), ("org", "eclipse"), ("com", "google"), ("com", "github"), ("io", "github"), ("com", "sun"), ("org", "jboss")))


def _has(patched: Patched, release: ir.Call, written: str, *, is_closeable: bool) -> bool:
    """Whether a type is known to have the method that a patch calls on a variable of it."""
    if (is_closeable and release.name == "close") or patched.program.methods(written, release.name):
        return True
    is_modelled = any(each.call == f"{written}.{release.name}" for each in patched.leak.releases)
    return is_modelled or told_throws(patched.program, written, release.name) is not None or bool(_calls_like(patched.leak, release, written))


def _calls_like(leak: Leak, release: ir.Call, written: str) -> list[int]:
    """Where the code calls a method of this name on the same variable, or on one of the same type, already."""
    body = leak.linked.body
    return [
        body.start + each.start
        for each in body.nodes
        if isinstance(each, ir.Call) and each.name == release.name and each.receiver and (
            each.receiver == release.receiver or (written and leak.linked.types.get(each.receiver) == written)
        )
    ]


def _rank(judgement: Judgement) -> int:
    return (PROVED, ASSUMED, REFUTED).index(judgement[0])


# --- the detectors


def _gone(leak: Leak, again: Reanalysis, second: Answer) -> Judgement:
    if not again.gone(leak.finding):
        return REFUTED, STILL_REPORTED
    if second.verdict is not PROVED:
        return ASSUMED, second.reason
    if again.is_cut:
        return ASSUMED, "not every reader of the changed effects was analysed"
    return PROVED, "no detector reports it, and no path loses it"


def _doubted(judgement: Judgement, second: Answer) -> Judgement:
    """A leak that is none for all that we know is not mended for sure."""
    is_conditional = second.verdict is ASSUMED and second.reason.startswith("whether")
    return (ASSUMED, second.reason) if judgement[0] is PROVED and is_conditional else judgement


def _added(again: Reanalysis) -> Judgement:
    added = again.added()
    if added is not None:
        return REFUTED, f"then `{added.text or added.resource}` would be reported"
    return (ASSUMED, "not every reader was analysed") if again.is_cut else (PROVED, "none")


def _idempotent(gone: Judgement) -> Judgement:
    if gone[0] is REFUTED:
        return REFUTED, "the patched text would be fixed again"
    return PROVED, "the patched text needs no further fix"

