"""Computes every check of a fix on the patched text; nothing in a proof is declared.

The patched file is laid over the Program, the changed procedures and the readers of their Effects are analysed
again, and an own checker (`paths`) walks the paths of the patched procedure. What somebody unknown takes
part in is ASSUMED, never PROVED.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from analyzers import Detector, Program, ir
from analyzers.facts import Facts, facts, releases
from analyzers.queries import ProcedureKey
from fixers import paths, tree
from fixers.edits import apply, inserted, moved, original
from fixers.fix import CHECKS, Check, Edit, Verdict
from fixers.java.exceptions import allowed, closing_throws
from fixers.leak import Candidate, Leak
from fixers.paths import Answer, Question
from fixers.reanalysis import Reanalysis, reanalyse
from fixers.tree import COMMENTS, Tree
from fixers.visibility import Locals, all_names, names_in_scope

PROVED, ASSUMED, REFUTED = Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED

Judgement = tuple[Verdict, str]


class Patched(msgspec.Struct, frozen=True):
    """The text after a candidate, and the Program over it."""

    leak: Leak
    candidate: Candidate
    program: Program
    data: bytes

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What was changed."""
        return self.candidate.edits

    @property
    def key(self) -> ProcedureKey:
        """The procedure of the finding."""
        return self.leak.linked.key


def verify(
    program: Program, leak: Leak, candidate: Candidate, detectors: Sequence[Detector] | None
) -> tuple[Check, ...]:
    """The proof of a candidate, in the order of `CHECKS`; stops at the first refuted one."""
    data = apply(leak.data, candidate.edits)
    patched = Patched(leak, candidate, program.beside_with({leak.path: data}), data)
    found: dict[str, Judgement] = {"parses": _parses(program, patched)}
    if found["parses"][0] is not REFUTED:
        _judge(program, patched, found, detectors)
    return tuple(Check(name, *found[name]) for name in CHECKS if name in found)


def _judge(
    program: Program, patched: Patched, found: dict[str, Judgement], detectors: Sequence[Detector] | None
) -> None:
    """The checks that need a text that parses, cheap ones first."""
    leak = patched.leak
    after = _syntax(patched)
    found["name in scope"] = _in_scope(program, patched, after)
    found["comments kept"] = _comments(leak.tree, after)
    facts_after = facts(patched.program, patched.key)
    if facts_after is None:
        found["parses"] = (REFUTED, "the procedure is gone")
        return
    found["no new unhandled exception"] = _exceptions(patched, facts_after, after)
    if any(verdict is REFUTED for verdict, _ in found.values()):
        return
    report = paths.check(facts_after.linked, facts_after.effects, question_of(patched, facts_after, after))
    found["released once"] = _judged(report.once, "on no path is it released a second time")
    found["no use after release"] = _judged(report.after, "nothing uses it after its release")
    found["released only if acquired"] = _judged(report.acquired, "every release meets what was acquired")
    if patched.candidate.checks_all:
        _judge_others(patched, facts_after, found)
    if any(verdict is REFUTED for verdict, _ in found.values()):
        return
    again = reanalyse(program, patched.program, leak.path, patched.edits, detectors)
    found["finding is gone"] = _gone(leak, again, report.gone)
    found["no new finding"] = _added(again)
    found["idempotent"] = _idempotent(found["finding is gone"])


def _judge_others(patched: Patched, after: Facts, found: dict[str, Judgement]) -> None:
    """The releases of other resources, where the candidate changes which of them run."""
    nodes = after.linked.body.nodes
    acquiring = [node for node, call in enumerate(nodes) if isinstance(call, ir.Call) and _acquires(after, node)]
    kinds = {t.resource for node in acquiring for e in after.effects[node] for t in e.transfers if not t.entry}
    releasing = frozenset(node for node, call in enumerate(nodes) if isinstance(call, ir.Call) and _releases(after, node))
    for kind in sorted(kinds):
        names = accepting_null(patched, kind)
        sites = frozenset(
            node for node in acquiring for e in after.effects[node] for t in e.transfers if not t.entry and t.resource == kind
        )
        tolerant = frozenset(n for n in releasing if isinstance(call := nodes[n], ir.Call) and call.name in names)
        question = Question(frozenset(), kind, releasing, tolerant, "c", others=sites)
        report = paths.check(after.linked, after.effects, question)
        for name, answer in (
            ("released once", report.once), ("no use after release", report.after),
            ("released only if acquired", report.acquired),
        ):
            if _rank((answer.verdict, answer.reason)) > _rank(found[name]):
                found[name] = (answer.verdict, answer.reason)


def accepting_null(patched: Patched, resource: str) -> frozenset[str]:
    """The functions that release a kind of resource and do nothing for what means «none»."""
    return frozenset(each.call for each in releases(patched.program, resource) if each.accepts_null)


def _judged(answer: Answer, good: str) -> Judgement:
    return answer.verdict, answer.reason or good


# --- the text


def _parses(program: Program, patched: Patched) -> Judgement:
    path = patched.leak.path
    before = _errors(program, path)
    after = _errors(patched.program, path)
    if after > before:
        return REFUTED, "the patched text has a syntax error"
    procedure = patched.program.procedure(patched.key)
    if procedure is None or procedure.error is not None:
        return REFUTED, "the patched procedure does not parse"
    return PROVED, "no new syntax error"


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
    if lost:
        return ASSUMED, "a comment on what the fix takes out goes with it"
    return PROVED, "all of them"


def _comment_texts(each: Tree) -> Counter[str]:
    return Counter(" ".join(each.text(node).split()) for node in tree.walk(each.root) if node.kind in COMMENTS)


def _in_scope(program: Program, patched: Patched, after: Tree) -> Judgement:
    leak = patched.leak
    before_locals = Locals(_inside(program, leak.path, leak.procedure.start, leak.procedure.end))
    start, end = moved(patched.edits, leak.procedure.start), moved(patched.edits, leak.procedure.end)
    after_locals = Locals(_inside(patched.program, leak.path, start, end))
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
    for node in _our_releases(patched, after):
        call = after.linked.body.nodes[node]
        if not isinstance(call, ir.Call) or not call.receiver:
            continue
        type_name = after.linked.types.get(call.receiver, "")
        thrown = closing_throws(patched.program, type_name, call.name) if type_name else None
        owner = after.linked.body.owner
        at = after.linked.body.start + call.start
        each = allowed(patched.program, syntax, at, patched.leak.path, owner, thrown)
        if _rank(each) > _rank(judgement) or judgement[1] == "closing adds no exception":
            judgement = each
    return judgement


def _rank(judgement: Judgement) -> int:
    return (PROVED, ASSUMED, REFUTED).index(judgement[0])


# --- the paths


def question_of(patched: Patched, after: Facts, syntax: Tree) -> Question:
    """What the path checker is asked about the patched procedure."""
    leak = patched.leak
    ours = frozenset(_our_releases(patched, after))
    names = {each.call.rpartition(".")[2] for each in leak.releases if each.accepts_null}
    nodes = after.linked.body.nodes
    tolerant = {
        node
        for node in ours
        if isinstance(call := nodes[node], ir.Call) and (call.name in names or _is_implicit(after, node, syntax))
    }
    return Question(
        sites=frozenset(_sites(patched, after)),
        resource=leak.resource if leak.finding.language == "c" else "",
        ours=ours,
        tolerant=frozenset(tolerant),
        language=leak.finding.language,
        is_idempotent=_is_idempotent(patched),
        others=frozenset(_sources(after, ours)),
    )


def _sources(after: Facts, ours: frozenset[int]) -> list[int]:
    """The acquisitions whose handles may come to the releases, as far as names tell."""
    nodes = after.linked.body.nodes
    names = {name for n in ours if isinstance(call := nodes[n], ir.Call) for name in (call.receiver, *call.args)}
    grown = True
    while grown:
        grown = False
        for node in nodes:
            found: tuple[str, ...] = ()
            match node:
                case ir.Copy(dst=dst, src=src) if dst in names:
                    found = (src,)
                case ir.Op(dst=dst, operands=operands) if dst in names:
                    found = operands[:1]
                case ir.Call(kind="new", receiver=receiver, args=args) if receiver in names:
                    found = args
                case _:
                    continue
            if not names.issuperset(found):
                names.update(found)
                grown = True
    return [
        n for n, node in enumerate(nodes)
        if isinstance(node, ir.Call) and _acquires(after, n) and not names.isdisjoint((node.dst, node.receiver))
    ]


def _is_implicit(after: Facts, node: int, syntax: Tree) -> bool:
    """Whether a call is the one that a try header makes: it passes null by."""
    body = after.linked.body
    start, end = body.start + body.nodes[node].start, body.start + body.nodes[node].end
    return any(each.kind == "resource" and (each.start, each.end) == (start, end) for each in syntax.path(start, end))


def _is_idempotent(patched: Patched) -> bool:
    """`java.io.Closeable` promises that a second close has no effect, JDBC likewise."""
    name = patched.leak.finding.resource
    if patched.leak.finding.language != "java":
        return False
    return name.startswith("java.sql.") or patched.program.is_subtype(name, "java.io.Closeable") is True


def _our_releases(patched: Patched, after: Facts) -> list[int]:
    """The calls that release something and that were not there before."""
    old = _calls(patched.leak.linked.body)
    body = after.linked.body
    found = []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or not _releases(after, node):
            continue
        start = original(patched.edits, body.start + call.start)
        end = original(patched.edits, body.start + call.end)
        is_written = any(low < body.start + call.end and body.start + call.start < high for low, high in inserted(patched.edits))
        if is_written or (call.name, start, end) not in old:
            found.append(node)
    return found


def _calls(body: ir.Procedure) -> frozenset[tuple[str, int, int]]:
    return frozenset(
        (node.name, body.start + node.start, body.start + node.end) for node in body.nodes if isinstance(node, ir.Call)
    )


def _releases(after: Facts, node: int) -> bool:
    return any(
        outcome.fate == "released"
        for effects in after.effects.get(node, ())
        for transfer in effects.transfers
        if transfer.entry
        for outcome in transfer.outcomes
    )


def _sites(patched: Patched, after: Facts) -> list[int]:
    """The calls of the patched procedure that acquire the resource: where the acquisition went."""
    leak = patched.leak
    acquired = leak.finding.acquired
    wanted = leak.data[acquired.start : acquired.end].split()
    body = after.linked.body
    at = moved(patched.edits, acquired.start)
    ranges = inserted(patched.edits)
    exact, same, written = [], [], []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or not _acquires(after, node):
            continue
        start, end = body.start + call.start, body.start + call.end
        if start == at and not any(low <= start < high for low, high in ranges):
            exact.append(node)
        if patched.data[start:end].split() == wanted:
            same.append(node)
        if any(low <= start < high for low, high in ranges):
            written.append(node)
    return exact or [node for node in same if node in written] or same or written


def _acquires(after: Facts, node: int) -> bool:
    return any(not transfer.entry for effects in after.effects.get(node, ()) for transfer in effects.transfers)


# --- the detectors


def _gone(leak: Leak, again: Reanalysis, second: Answer) -> Judgement:
    if not again.gone(leak.finding):
        return REFUTED, "it is still reported"
    if second.verdict is not PROVED:
        return ASSUMED, second.reason
    if again.is_cut:
        return ASSUMED, "not every reader of the changed effects was analysed"
    return PROVED, "no detector reports it, and no path loses it"


def _added(again: Reanalysis) -> Judgement:
    added = again.added()
    if added is not None:
        return REFUTED, f"then `{added.text or added.resource}` would be reported"
    return (ASSUMED, "not every reader was analysed") if again.is_cut else (PROVED, "none")


def _idempotent(gone: Judgement) -> Judgement:
    if gone[0] is REFUTED:
        return REFUTED, "the patched text would be fixed again"
    return PROVED, "the patched text needs no further fix"

