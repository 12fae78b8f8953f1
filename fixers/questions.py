"""What the path checker is asked about a procedure: where the resource is acquired, which releases a fix wrote."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

import msgspec

from analyzers import Program, ir
from analyzers.facts import Facts, releases
from analyzers.finding import Finding
from analyzers.graphs.cfg import reverse_post_order
from analyzers.handles.c.lending import printed
from analyzers.handles.java.given_fields import final_fields
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import AccessPath, Certainty, Effects
from fixers.c.endings import settled as ended_by
from fixers.callees import Callees
from fixers.edits import inserted, moved, original
from fixers.familiar import familiar
from fixers.fix import Edit
from fixers.java.closed_again import are_idempotent, is_idempotent
from fixers.java.delayed import is_output
from fixers.java.moved import moved_closes
from fixers.java.own_closing import plain_closes
from fixers.java.settled import settled
from fixers.later import Later
from fixers.leak import Candidate, Leak
from fixers.left_members import is_filled_with_new, is_tidy
from fixers.needed_members import needed_members, read_members, stored_members, unset_members
from fixers.obliged import obliged, sites_of
from fixers.origins import acquires, sources_of
from fixers.passed_status import passes_status
from fixers.paths import Question, holding
from fixers.tree import Tree
from fixers.unions import unions


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


def question_of(program: Program, patched: Patched, after: Facts, syntax: Tree) -> Question:
    """What the path checker is asked about the patched procedure; `program` is the one over the original text, where all that is
    known of callees is known already."""
    leak = patched.leak
    ours = frozenset(_of_kind(_akin(patched, after, our_releases(patched, after)), after, leak))
    names = {each.call.rpartition(".")[2] for each in leak.releases if each.accepts_null} | leak.tolerant
    nodes = after.linked.body.nodes
    tolerant = {
        node for node in ours
        if isinstance(call := nodes[node], ir.Call)
        and ((call.name in names and call.kind != "virtual") or is_implicit(after, node, syntax))
    }
    sites = frozenset(_sites(patched, after)) if not leak.owned else frozenset((ir.ENTRY,))
    others = frozenset(sources_of(after, ours))
    callees = leak.callees
    looked_at = _looked_at(program, after, ours) if leak.finding.language == "c" else {}
    is_deep = bool(looked_at) or any(len(t.entry) > 1 for node in ours for e in after.effects.get(node, ()) for t in e.transfers)
    return Question(
        sites=sites,
        resource=leak.resource if leak.finding.language == "c" else "",
        ours=ours,
        tolerant=frozenset(tolerant),
        language=leak.finding.language,
        is_idempotent=is_idempotent(patched.program, leak),
        headers=frozenset(node for node in ours if is_implicit(after, node, syntax)),
        others=others,
        mended=frozenset(node for node in others - sites if isinstance(call := nodes[node], ir.Call) and call.name in patched.candidate.makers),
        partial={**callees.partial(after.linked, after.effects, sites | others, leak.resource, ours=ours), **_nullable(leak, after, sites)},
        suspects=suspects(callees, after.linked, after.effects, sites | others, leak.owned),
        lent=lent(leak, after, sites | others),
        shown=shown(leak, after, sites | others),
        untied=untied(leak, after, sites | others),
        apart=apart(leak, after, sites | others),
        left=left(leak, after, sites | others),
        unions=unions(patched.program, after.linked.types, leak.path),
        owned=leak.owned,
        is_ensured=leak.is_ensured,
        raw=raw_sites(after, sites | others, ours) if is_deep else frozenset(),
        passing=leak.passing,
        zeroed=zeroed_sites(after, sites | others),
        is_output=leak.finding.language == "java" and is_output(leak.finding.resource.partition("<")[0]),
        looked_at=looked_at,
        needed=functools.partial(_needed, program, after),
        stored=functools.partial(_stored, program, after),
        is_tidy=functools.partial(_is_tidy, program, after),
        is_status=functools.partial(passes_status, program, after),
        is_filled=functools.partial(_is_filled, program, after),
        unset=_unset(program, after, sites | others, looked_at) if looked_at else frozenset(),
        is_rerouted=patched.candidate.checks_all and leak.finding.language == "c",  # A header of Java sends nothing to what stands elsewhere.
        familiar=familiar(after, ours) if is_deep else frozenset(),
        is_awaited=leak.finding.language == "java" and _is_awaited(Facts(leak.linked, leak.effects)),
        settled=settled(leak, after.linked.body) if leak.finding.language == "java" else frozenset(),
        plain=plain_closes(program, after, ours) if leak.finding.language == "java" else {},
        moved=moved_closes(leak, after, ours, syntax) if leak.finding.language == "java" else frozenset(),
        fixed=final_fields(program.unit(after.linked.key.path), after.linked.body.owner) if leak.finding.language == "java" else frozenset(),
    )


def _looked_at(program: Program, after: Facts, ours: frozenset[int]) -> dict[int, dict[str, frozenset[str]]]:
    """What the functions of the tree that a fix calls look at in what they are given."""
    found: dict[int, dict[str, frozenset[str]]] = {}
    for node in ours:
        call, target = after.linked.body.nodes[node], after.linked.targets.get(node)
        if not isinstance(call, ir.Call) or target is None or not target.procedures:
            continue
        for position in range(len(call.args)):
            members = frozenset().union(*(read_members(program, key, position) for key in target.procedures))
            if members:
                found.setdefault(node, {})[f"${position}"] = members
    return found


def _needed(program: Program, after: Facts, node: int, root: str, empty: frozenset[str], number: int) -> frozenset[str]:
    """The members that such a function needs to be there, of some that are not."""
    target = after.linked.targets.get(node)
    keys = target.procedures if target is not None else ()
    return frozenset().union(*(needed_members(program, key, int(root[1:]), empty, number=number) for key in keys))


def _stored(program: Program, after: Facts, node: int, root: str) -> frozenset[str]:
    """The members of an argument that a call surely stores something to."""
    target = after.linked.targets.get(node)
    found = [stored_members(program, key, int(root[1:])) for key in target.procedures] if target is not None else []
    return frozenset.intersection(*found) if found else frozenset()


def _is_tidy(program: Program, after: Facts, node: int, root: str, member: str, nothing: int) -> bool:
    target = after.linked.targets.get(node)
    keys = target.procedures if target is not None else ()
    return bool(keys) and all(is_tidy(program, key, int(root[1:]), member, nothing) for key in keys)


def _is_filled(program: Program, after: Facts, node: int, root: str, member: str, nothing: int) -> bool:
    target = after.linked.targets.get(node)
    keys = target.procedures if target is not None else ()
    return bool(keys) and all(is_filled_with_new(program, key, int(root[1:]), member, nothing) for key in keys)


def _unset(program: Program, after: Facts, sites: frozenset[int], looked_at: Mapping[int, Mapping[str, frozenset[str]]]) -> frozenset[str]:
    """The members looked at that no function which made the object has set."""
    makers = [key for site in sorted(sites) if (target := after.linked.targets.get(site)) is not None for key in target.procedures]
    members = {member for each in looked_at.values() for one in each.values() for member in one}
    return unset_members(program, makers, members) if makers else frozenset()


def _nullable(leak: Leak, after: Facts, sites: frozenset[int]) -> dict[int, frozenset[str]]:
    """The calls to libraries of which only the finding says that they acquire: they may give nothing, too, unless the code itself
    closes what they give, and never asks whether it is there."""
    if not leak.is_told or _is_closed_unasked(leak):
        return {}
    return {
        node: frozenset(("null",)) for node in sites
        if isinstance(call := after.linked.body.nodes[node], ir.Call) and call.kind != "new"
        and ((target := after.linked.targets.get(node)) is None or not target.procedures)
    }


def _is_closed_unasked(leak: Leak) -> bool:
    """Whether the code before a patch calls the release of the resource, and compares it with nothing."""
    nodes = leak.linked.body.nodes
    sites = [nodes[node] for node in sites_of(Facts(leak.linked, leak.effects), leak.finding)]
    names = {each.dst for each in sites if isinstance(each, ir.Call)}
    names |= {each.dst for each in nodes if isinstance(each, ir.Copy) and each.src in names}
    if any(isinstance(each, ir.Branch) and not names.isdisjoint((each.left, each.right)) for each in nodes):
        return False
    methods = {each.call.rpartition(".")[2] for each in leak.releases} | {"close"}
    return any(isinstance(each, ir.Call) and each.receiver in names and each.name in methods and not each.args for each in nodes)


def _is_awaited(before: Facts) -> bool:
    """Whether the code releases something behind a call that keeps what it is given."""
    keeping = [
        node for node, each in before.effects.items()
        if any(outcome.fate == "retained" for effects in each for t in effects.transfers for outcome in t.outcomes)
    ]
    return any(
        _releases(before, behind) and not acquires(before, behind)
        for node in keeping for behind in reverse_post_order(before.linked.next, node)
    )


def raw_sites(after: Facts, sites: frozenset[int], ours: frozenset[int]) -> frozenset[int]:
    """The acquisitions of the C library whose memory holds nothing yet. What a library makes of a kind whose release looks into
    it (`g_strsplit`, `g_strfreev`) it has filled."""
    whole = {
        t.resource for node in ours if _library_call(after.linked, node)
        for each in after.effects.get(node, ()) if any(len(below.entry) > 1 for below in each.transfers)
        for t in each.transfers if len(t.entry) == 1 and t.resource
    }
    return frozenset(
        node for node in sites
        if (name := _library_call(after.linked, node) or _own_allocator(after.linked, node)) and not any(word in name.lower() for word in _FILLED)
        and not ((kinds := _kinds(after, node)) and whole.issuperset(kinds))
    )


def _own_allocator(linked: Linked, node: int) -> str:
    """The name of an allocator of the program that is told only how much is wanted (`ctx_malloc(ctx, sizeof(struct name))`): it cannot have
    set any member, unless to zero, which its name is taken to tell. Empty for any other call."""
    call = linked.body.nodes[node]
    is_call = linked.language == "c" and isinstance(call, ir.Call) and call.kind == "function" and "=?" in call.args
    return call.name if is_call and isinstance(call, ir.Call) and call.name.lower().endswith("alloc") and "realloc" not in call.name.lower() else ""


def zeroed_sites(after: Facts, sites: frozenset[int]) -> dict[int, tuple[str, ...]]:
    """The acquisitions of the C library whose memory is zeroed, with the members that the procedure or its callees name."""
    nodes = after.linked.body.nodes
    fields = {node.field: None for node in nodes if isinstance(node, ir.Load | ir.Store) and node.field != "*"}
    for transfer in (t for effects in after.effects.values() for each in effects for t in each.transfers):
        if len(transfer.entry) > 1 and transfer.entry[1] not in ("*", "[]"):
            fields[transfer.entry[1]] = None
    return {
        node: tuple(fields) for node in sorted(sites)
        if any(word in _library_call(after.linked, node) for word in _ZEROED)
    }


def _library_call(linked: Linked, node: int) -> str:
    """The name of a function of C without a body in the tree; empty for any other call."""
    call, target = linked.body.nodes[node], linked.targets.get(node)
    is_library = linked.language == "c" and target is not None and not target.procedures
    return call.name if is_library and isinstance(call, ir.Call) else ""


_ZEROED = ("calloc", "zalloc", "alloc0", "new0")
_FILLED = (*_ZEROED, "dup", "printf", "open")
"""Parts of the names of acquisitions whose result holds something."""


def seen(patched: Patched, after: Facts) -> Facts:
    """The facts of the patched procedure, with what only the finding knows."""
    leak = patched.leak
    if leak.finding.language == "c":
        return ended_by(_believed_before(patched, after), leak.enders)
    if not leak.finding.methods and not leak.is_told:
        return after
    sites = _placed(patched, after, _is_same_text(patched)) if leak.is_told else ()
    return obliged(after, sites, leak.finding.methods or ("close",))


def _believed_before(patched: Patched, after: Facts) -> Facts:
    """What callees that nobody knows are believed to do, they are by the original text alone: what the fix releases
    says nothing of them."""
    body, old = after.linked.body, patched.leak.linked.body
    known = {
        (call.name, old.start + call.start): patched.leak.effects.get(node, ())
        for node, call in enumerate(old.nodes) if isinstance(call, ir.Call)
    }
    ranges = inserted(patched.edits)
    effects = dict(after.effects)
    for node, each in after.effects.items():
        call, start = body.nodes[node], body.start + body.nodes[node].start
        if isinstance(call, ir.Call) and any(not one.is_known and one.transfers for one in each):
            is_kept = not any(low <= start < high for low, high in ranges)
            before = known.get((call.name, original(patched.edits, start))) if is_kept else None
            effects[node] = before if before is not None else tuple(_unlent(one) for one in each)
    return Facts(after.linked, effects)


def _unlent(effects: Effects) -> Effects:
    """Effects without what says that a call only borrows, and without certainty of what it hands out."""
    kept = [each for each in effects.transfers if each.entry and any(one.fate != "held" for one in each.outcomes)]
    made = [
        msgspec.structs.replace(
            each, outcomes=tuple(msgspec.structs.replace(one, certainty=Certainty.MAY) for one in each.outcomes)
        )
        for each in effects.transfers if not each.entry
    ]
    return effects if effects.is_known else msgspec.structs.replace(effects, transfers=(*made, *kept))


def _is_same_text(patched: Patched) -> Callable[[Facts, int], bool]:
    """Whether a call is written as the acquisition is."""
    acquired = patched.leak.finding.acquired
    wanted = patched.leak.data[acquired.start : acquired.end].split()

    def accepts(after: Facts, node: int) -> bool:
        body, call = after.linked.body, after.linked.body.nodes[node]
        text = patched.data[body.start + call.start : body.start + call.end]
        return isinstance(call, ir.Call) and text.split() == wanted

    return accepts


def _of_kind(written: list[int], after: Facts, leak: Leak) -> list[int]:
    """Those of the releases that a fix wrote that may be of this leak: a patch for several leaks has others, too."""
    if leak.finding.language != "c":
        return written
    return [node for node in written if _may_be_of(leak.resource, after, node)] or written


def _akin(patched: Patched, after: Facts, written: list[int]) -> list[int]:
    """Those of the releases that a patch for several leaks wrote which may meet a handle that those of the fix of this one meet. The others
    are looked at when it is their turn; here they do what any call of the code does."""
    beside, body = patched.candidate.beside, after.linked.body
    if not beside:
        return written
    starts = {node: original(patched.edits, body.start + body.nodes[node].start) for node in written}
    parts = [[node for node in written if any(edit.span.start <= starts[node] <= edit.span.end for edit in each.edits)] for each in beside]
    kept = [node for node in written if not any(node in part for part in parts)]
    met = {*_sites(patched, after), *sources_of(after, frozenset(kept))}
    places = [sources_of(after, frozenset(part)) + _made(patched, after, each.finding) for part, each in zip(parts, beside, strict=True)]
    left = list(range(len(parts)))
    while near := [n for n in left if not places[n] or not met.isdisjoint(places[n])]:
        kept += [node for n in near for node in parts[n]]
        met.update(node for n in near for node in places[n])
        left = [n for n in left if n not in near]
    return sorted(set(kept))


def _made(patched: Patched, after: Facts, finding: Finding) -> list[int]:
    """The acquisition of another finding in the patched procedure."""
    body, at = after.linked.body, moved(patched.edits, finding.acquired.start)
    return [n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and body.start + each.start == at and acquires(after, n)]


def _may_be_of(resource: str, after: Facts, node: int) -> bool:
    """Whether a release may be of a kind of resource. What a function of the program releases shows where that comes from."""
    kinds = _released_kinds(after, node)
    if resource in kinds or "" not in kinds:
        return resource in kinds
    made = {kind for site in sources_of(after, frozenset((node,))) for kind in _kinds(after, site)}
    return not made or bool(made & {"", resource})


def _released_kinds(after: Facts, node: int) -> set[str]:
    return {
        transfer.resource
        for effects in after.effects.get(node, ())
        for transfer in effects.transfers
        if transfer.entry and any(outcome.fate == "released" for outcome in transfer.outcomes)
    }


def is_implicit(after: Facts, node: int, syntax: Tree) -> bool:
    """Whether a call is the one that a try header makes: it passes null by."""
    body = after.linked.body
    start, end = body.start + body.nodes[node].start, body.start + body.nodes[node].end
    return any(each.kind == "resource" and (each.start, each.end) == (start, end) for each in syntax.path(start, end))


def our_releases(patched: Patched, after: Facts) -> list[int]:
    """The calls that release something and that were not there before."""
    old = _calls(patched.leak.linked.body)
    body = after.linked.body
    found = []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or not _releases(after, node) or acquires(after, node):
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
    return _placed(patched, after, acquires)


def _placed(patched: Patched, after: Facts, accepts: Callable[[Facts, int], bool]) -> list[int]:
    leak = patched.leak
    acquired = leak.finding.acquired
    wanted = leak.data[acquired.start : acquired.end].split()
    body = after.linked.body
    at = moved(patched.edits, acquired.start)
    ranges = inserted(patched.edits)
    exact, same, written = [], [], []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or not accepts(after, node):
            continue
        start, end = body.start + call.start, body.start + call.end
        if start == at and not any(low <= start < high for low, high in ranges):
            exact.append(node)
        if patched.data[start:end].split() == wanted:
            same.append(node)
        if any(low <= start < high for low, high in ranges):
            written.append(node)
    return exact or _at_its_place(patched, after, [node for node in same if node in written]) or same or written


def _at_its_place(patched: Patched, after: Facts, same: list[int]) -> list[int]:
    """Of several calls of the same words in new text, that which comes where the acquisition came among them, if all that
    stood from the first to the last of them still stands there."""
    leak, body = patched.leak, patched.leak.linked.body
    at = leak.finding.acquired
    edit = next((each for each in patched.edits if each.span.start <= at.start and at.end <= each.span.end), None)
    if edit is None or len(same) < 2:
        return same
    wanted = leak.data[at.start : at.end].split()
    old = sorted({
        (body.start + call.start, body.start + call.end) for call in body.nodes
        if isinstance(call, ir.Call) and edit.span.start <= body.start + call.start and body.start + call.end <= edit.span.end
        and leak.data[body.start + call.start : body.start + call.end].split() == wanted
    })
    nodes, start = after.linked.body.nodes, after.linked.body.start
    new = sorted((start + nodes[each].start, start + nodes[each].end, each) for each in same)
    if len(old) != len(new) or leak.data[old[0][0] : old[-1][1]].split() != patched.data[new[0][0] : new[-1][1]].split():
        return same
    return [new[old.index((at.start, at.end))][2]] if (at.start, at.end) in old else same


def questions_of_others(question: Question, patched: Patched, after: Facts) -> Iterator[Question]:
    """One question per kind of resource that the procedure acquires, about all of its releases; in Java about those of the patch."""
    leak = patched.leak
    nodes = after.linked.body.nodes
    acquiring = [node for node, call in enumerate(nodes) if isinstance(call, ir.Call) and acquires(after, node)]
    releasing = frozenset(node for node, call in enumerate(nodes) if isinstance(call, ir.Call) and _releases(after, node))
    for kind in sorted({kind for node in acquiring for kind in _kinds(after, node)}):
        names = {each.call for each in releases(patched.program, kind) if each.accepts_null}
        tolerant = frozenset(n for n in releasing if isinstance(call := nodes[n], ir.Call) and call.name in names)
        sites = frozenset(node for node in acquiring if kind in _kinds(after, node))
        if leak.finding.language == "java":
            ours = question.ours | releasing.intersection(our_releases(patched, after))  # What else is closed there the patch has not written.
            yield msgspec.structs.replace(
                question, sites=frozenset(), others=sites, ours=ours, tolerant=tolerant, is_idempotent=are_idempotent(patched.program, after, sites),
                lent=lent(leak, after, sites), apart=apart(leak, after, sites), left=left(leak, after, sites),
            )
            continue
        yield Question(
            frozenset(), kind, releasing, tolerant, "c", others=sites,
            unions=unions(patched.program, after.linked.types, leak.path),
        )


def _kinds(after: Facts, node: int) -> list[str]:
    return [t.resource for effects in after.effects.get(node, ()) for t in effects.transfers if not t.entry]


def questions_beside(question: Question, patched: Patched, after: Facts) -> Iterator[Question]:
    """The question for each other kind of resource that comes to the releases: a function of the program may release several."""
    leak, sites = patched.leak, question.sites | question.others
    if not question.looked_at:
        return
    for kind in sorted({kind for node in sites for kind in _kinds(after, node)} - {"", leak.resource}):
        names = {each.call for each in releases(patched.program, kind) if each.accepts_null} | leak.tolerant
        nodes = after.linked.body.nodes
        yield msgspec.structs.replace(
            question, sites=frozenset(), others=sites, resource=kind,
            tolerant=frozenset(n for n in question.ours if isinstance(call := nodes[n], ir.Call) and call.name in names),
            partial=leak.callees.partial(after.linked, after.effects, sites, kind, ours=question.ours),
        )


def unpatched_question(program: Program, leak: Leak) -> Question | None:
    """The question about the procedure as it is; None where its acquisition is not among its calls."""
    before = Facts(leak.linked, leak.effects)
    body = leak.linked.body
    at = (leak.finding.acquired.start - body.start, leak.finding.acquired.end - body.start)
    sites = [n for n, call in enumerate(body.nodes) if (call.start, call.end) == at and acquires(before, n)]
    if not sites:
        return None
    return Question(
        frozenset(sites), leak.resource if leak.finding.language == "c" else "", frozenset(), frozenset(),
        leak.finding.language, unions=unions(program, leak.linked.types, leak.path),
        partial=leak.callees.partial(leak.linked, leak.effects, frozenset(sites), leak.resource),
        passing=leak.passing,
        lent=lent(leak, before, frozenset(sites)),
        shown=shown(leak, before, frozenset(sites)),
        apart=apart(leak, before, frozenset(sites)),
        left=left(leak, before, frozenset(sites)),
        zeroed=zeroed_sites(before, frozenset(sites)) if leak.finding.language == "c" else {},
        is_filled=functools.partial(_is_filled, program, before),
    )


def lent(leak: Leak, known: Facts, sites: frozenset[int]) -> Mapping[int, frozenset[str]]:
    """Per call of which not all is known the arguments that it surely only borrows."""
    if leak.lenders is None:
        return {}
    return leak.lenders.borrowed(known, holding(known.linked, sites, (), known.effects))


def shown(leak: Leak, known: Facts, sites: frozenset[int]) -> dict[int, frozenset[str]]:
    """Per call without source the arguments that others release behind it, or that nothing needs there."""
    return leak.lenders.shown(known, holding(known.linked, sites, (), known.effects)) if leak.lenders is not None else {}


def untied(leak: Leak, known: Facts, sites: frozenset[int]) -> dict[int, frozenset[str]]:
    """Per call without source the arguments of which nothing that it leaves elsewhere needs anything."""
    return leak.lenders.untied(known, holding(known.linked, sites, (), known.effects)) if leak.lenders is not None else {}


def apart(leak: Leak, known: Facts, sites: frozenset[int]) -> Mapping[int, frozenset[str]]:
    """Per call that may be given a handle the arguments of which its result needs nothing."""
    results = leak.results
    if results is None:
        return {}
    names, found = holding(known.linked, sites, (), known.effects), dict[int, ir.Call]()
    for node in known.effects:
        call = known.linked.body.nodes[node]
        given = (call.receiver, *call.args) if isinstance(call, ir.Call) and leak.finding.language == "java" else getattr(call, "args", ())
        if isinstance(call, ir.Call) and not names.isdisjoint(given):
            found[node] = call
    return Later(tuple(found), lambda node: results.apart(known.linked, node) | _printed(leak, found[node]))


def _printed(leak: Leak, call: ir.Call) -> frozenset[str]:
    """The arguments of a call of C that a format among them prints: what is made of their text has a copy."""
    return frozenset(f"${n}" for n in printed(call)) if leak.finding.language == "c" else frozenset()


def left(leak: Leak, known: Facts, sites: frozenset[int]) -> dict[int, frozenset[str]]:
    """Per call that may be given a handle, or what was made of one, what it leaves things elsewhere that need it."""
    if leak.results is None:
        return {}
    found = {}
    for node in known.effects:
        roots = leak.results.left(known.linked, node)
        if roots:
            found[node] = roots
    return found


def suspects(
    callees: Callees, linked: Linked, effects: dict[int, tuple[Effects, ...]], sites: frozenset[int],
    owned: tuple[AccessPath, ...] = (),
) -> dict[int, frozenset[str]]:
    """Per call that may be given a handle the arguments that it may release something of, though its Effects do not
    say so."""
    names = holding(linked, sites, owned, effects)
    found = {}
    for node, each in effects.items():
        call = linked.body.nodes[node]
        if isinstance(call, ir.Call) and not names.isdisjoint((call.receiver, *call.args)):
            roots = callees.suspects(linked, node, each)
            if roots:
                found[node] = roots
    return found
