"""The one door through which fixers learn about a procedure.

What they may know: the linked graph, what each call may do (by computed Effects, specs, or nobody knows), the
ways to release a resource, and what runs last. They never learn which analysis found a leak.
"""

from __future__ import annotations

import functools

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.obligation import Limits
from analyzers.frontends.c.repair.readable import Readable, readable
from analyzers.frontends.c.repair.ways import Way as Way
from analyzers.frontends.c.repair.ways import Ways as Ways
from analyzers.frontends.c.repair.ways import ways
from analyzers.graphs import cfg, liveness
from analyzers.graphs.cfg import Cfg
from analyzers.graphs.liveness import Liveness
from analyzers.handles.c.error_slots import GERROR
from analyzers.handles.c.evident import MAX_CALLERS, Account, account, is_ever_released, is_surely_given
from analyzers.handles.c.lending import Lending, printed
from analyzers.handles.c.python_formats import stolen
from analyzers.handles.c.spelled import spelled_out
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.callees import CallSites
from analyzers.handles.java.arity import spread
from analyzers.handles.runs import Handles
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import block_family, family, is_inserting, is_releaser
from analyzers.incremental.program import Program
from analyzers.queries import Linked, ProcedureKey, Queries, Target
from analyzers.specs.library import SpecLibrary
from analyzers.specs.resources import Release
from analyzers.summaries import BELOW, UNKNOWN, Certainty, Effects, Outcome, Transfer


class Facts(msgspec.Struct, frozen=True, dict=True):
    """One procedure, as fixers see it.

    effects   per node that is a Call, what it may do: one Effects, or one per body that may run
    """

    linked: Linked
    effects: dict[int, tuple[Effects, ...]]

    @functools.cached_property
    def cfg(self) -> Cfg:
        """The graph with the edges that are real."""
        return cfg.build(self.linked)

    @functools.cached_property
    def liveness(self) -> Liveness:
        """Which variables may still be read where."""
        names = tuple(variable.name for variable in self.linked.body.variables)
        return liveness.solve(self.linked.body.nodes, self.cfg, names)


def facts(program: Program, key: ProcedureKey) -> Facts | None:
    """What fixers may know of a procedure; None where it has no body."""
    return program.once(("facts", key), lambda: facts_beside(program, program, key))


def facts_beside(program: Program, patched: Program, key: ProcedureKey) -> Facts | None:
    """The facts of a procedure in another text of its file, where its callees do what they do in the known one."""
    linked = patched.linked(key)
    return None if linked is None else facts_of(linked, program)


def facts_of(linked: Linked, queries: Queries) -> Facts:
    """The same for a procedure that is linked already."""
    scene = Scene(linked, queries, Limits())
    sites = CallSites(scene)
    lending = Lending(scene, sites.sites)
    effects: dict[int, tuple[Effects, ...]] = {}
    for node, instruction in enumerate(linked.body.nodes):
        if isinstance(instruction, ir.Call):
            target = linked.targets.get(node)
            known = sites.effects_of(instruction, target) if target is not None else None
            if known is None:
                known = UNKNOWN
                if linked.language == "c" and node in sites.sites:
                    known = _believed(sites.sites[node], lending.positions(node), (linked, node), queries)
            elif target is not None and linked.language == "c":
                seen = _with_variadic(known, instruction, target) if target.procedures else _unsure(_reading(known, instruction))
                known = _passed_on(_lent_on(seen, lending, node), (linked, node), queries) if target.procedures else seen
            elif target is not None and linked.language == "java":
                known = spread(known, instruction, target, scene)
            known = _spelled(scene, instruction, known)
            found = (known, *_instead(target, queries)) if linked.language == "c" and target is not None else (known,)
            effects[node] = tuple(_decided(each, instruction) for each in found) if linked.language == "c" else found
    return Facts(linked, effects)


def _lent_on(known: Effects, lending: Lending, node: int) -> Effects:
    """Effects of a function of the program without what somebody is only presumed to keep to whom it passes an argument on, where its caller
    still owns that behind the call."""
    presumed = [t for t in known.transfers if len(t.entry) == 1 and any(each.is_presumed for each in t.outcomes)]
    lent = [t for t in presumed if all(each.is_presumed or (each.fate == "held" and each.paths == (t.entry,)) for each in t.outcomes)]
    owned = [t for t in lent if t.entry[0][1:].isdigit() and lending.is_kept_by_us(node, int(t.entry[0][1:]))]
    if not owned:
        return known
    made = (msgspec.structs.replace(t, outcomes=(Outcome("return", (), "held", (t.entry,)),)) if t in owned else t for t in known.transfers)
    return msgspec.structs.replace(known, transfers=tuple(made))


def _spelled(scene: Scene, call: ir.Call, known: Effects) -> Effects:
    """Effects with what the reader of a text has by its address, which the call writes there (`snprintf(name, size, "%p", job)`), and with what a format of Python's
    takes over."""
    names = {each.path[0] for each in (*spelled_out(scene, call), *stolen(scene, call))}
    kept = tuple(Transfer((f"${n}",), "", "", (_KEPT,)) for n, each in enumerate(call.args) if each in names)
    return msgspec.structs.replace(known, transfers=(*known.transfers, *kept)) if kept else known


def _decided(known: Effects, call: ir.Call) -> Effects:
    """Effects of C without the outcomes that a literal argument rules out (`sqlite3_bind_text(…, SQLITE_TRANSIENT)` keeps nothing)."""
    given = {f"${n}": guard.literal(each) for n, each in enumerate(call.args) if ir.is_literal(each)}

    def may_be(outcome: Outcome) -> bool:
        asked = [each for each in outcome.when if len(each.path) == 1 and each.path[0] in given]
        return all(guard.refine(given[each.path[0]], each.operator, guard.literal(each.value)) is not None for each in asked)

    if not given or all(may_be(each) for transfer in known.transfers for each in transfer.outcomes):
        return known
    kept = (msgspec.structs.replace(each, outcomes=tuple(filter(may_be, each.outcomes))) for each in known.transfers)
    return msgspec.structs.replace(known, transfers=tuple(each for each in kept if each.outcomes))


def _reading(known: Effects, call: ir.Call) -> Effects:
    """Effects of a library call with all that it may read below its arguments, of which specs say nothing: `writev` and
    `strsep` look into what they are given. What it releases it only gives back."""
    ended = {t.entry for t in known.transfers if any(outcome.fate == "released" for outcome in t.outcomes)}
    roots = (f"${position}" for position, argument in enumerate(call.args) if argument and not ir.is_literal(argument))
    filled = {path[0] for t in known.transfers if not t.entry for outcome in t.outcomes for path in outcome.paths}
    filled -= {t.entry[0] for t in known.transfers if t.entry}  # `getline` takes what lies there
    below = tuple((root, BELOW) for root in roots if (root,) not in ended and root not in filled)
    return msgspec.structs.replace(known, reads=(*known.reads, *below)) if below else known


def _instead(target: Target, queries: Queries) -> tuple[Effects, ...]:
    """What a library may do in place of a function of the program that has its name: where a build has the library's, it leaves the
    other one out."""
    model = queries.model(target.models, target.parameters) if target.models and target.procedures else None
    is_making = model is not None and any(not each.entry and any(path[0] != "$ret" for one in each.outcomes for path in one.paths) for each in model.transfers)
    return (model,) if model is not None and is_making else ()


def _unsure(known: Effects) -> Effects:
    """What a library is only assumed to hand out, it perhaps does."""
    if known.is_known or all(each.entry for each in known.transfers):
        return known
    made = tuple(
        each if each.entry else msgspec.structs.replace(
            each, outcomes=tuple(msgspec.structs.replace(outcome, certainty=Certainty.MAY) for outcome in each.outcomes)
        )
        for each in known.transfers
    )
    return msgspec.structs.replace(known, transfers=made)


def _passed_on(known: Effects, at: tuple[Linked, int], queries: Queries) -> Effects:
    """Effects of a function of the program that returns what somebody unknown gave it, perhaps: those who call it show whose it is. They do
    not show that it fills a variable whenever it returns."""
    given = [each for each in known.transfers if not each.entry and any(one.certainty is Certainty.MAY for one in each.outcomes)]
    roots = {path[0] for each in given for outcome in each.outcomes for path in outcome.paths}
    if roots != {"$ret"} or known.is_known or not is_surely_given(*at, -1, queries):
        return known
    sure = tuple(
        msgspec.structs.replace(each, outcomes=tuple(msgspec.structs.replace(outcome, certainty=Certainty.MUST) for outcome in each.outcomes))
        if each in given else each
        for each in known.transfers
    )
    return msgspec.structs.replace(known, transfers=sure)


_KEPT = Outcome("return", (), "retained")
_ENDED = Transfer(("$0",), "", "", (Outcome("return", (), "released"),))
_ENDED_THERE = Transfer(("$0", "*"), "", "", (Outcome("return", (), "released"),))


def _with_variadic(known: Effects, call: ir.Call, target: Target) -> Effects:
    """Effects with what a body may do to arguments that it takes by `va_arg`: keep them, unless it prints them."""
    more = range(len(target.parameters), len(call.args)) if target.parameters else ()
    shown = printed(call) if more else frozenset()
    kept = tuple((f"${position}",) for position in more if position not in shown)
    return msgspec.structs.replace(known, retains=(*known.retains, *kept)) if kept else known


def _believed(site: CallSite, lent: tuple[int, ...], at: tuple[Linked, int], queries: Queries) -> Effects:
    """What a function of C that nobody knows is taken to do, by its name and by what its caller does with handles:
    everything else it may do, too."""
    if site.call.kind != "function":
        return UNKNOWN
    if site.call.args and not site.acquired and is_releaser(site.call.name) and all(_is_number(at[0], each) for each in site.call.args[1:]):
        return msgspec.structs.replace(UNKNOWN, transfers=(_ENDED_THERE if _is_value(at[0], site.call.args[0]) else _ENDED,))
    is_evident = site.is_evident and not any(account(*at, each, queries) in (Account.COMPARED, Account.GUARDED) for each in _positions(site))
    is_sure = is_evident or (bool(site.acquired) and (_is_paired(site, queries) or _is_given(site, at, queries)))
    acquired = [each if each.resource == GERROR else _as_sure(each, Certainty.MUST if is_sure else Certainty.MAY) for each in site.acquired]
    inserted = [n for n in _inserted(site.call, at[0]) if n == 0 or n not in lent]  # The first one may be lent for its name alone.
    kept = [Transfer((f"${n}",), "", "", (Outcome("return", (), "held", ((f"${n}",),)),)) for n in lent if n not in inserted]
    taken = [Transfer((f"${n}",), "", "", (_KEPT,)) for n in inserted]
    return msgspec.structs.replace(UNKNOWN, transfers=(*acquired, *kept, *taken))


def _as_sure(transfer: Transfer, certainty: Certainty) -> Transfer:
    return msgspec.structs.replace(transfer, outcomes=tuple(msgspec.structs.replace(each, certainty=certainty) for each in transfer.outcomes))


def _inserted(call: ir.Call, linked: Linked) -> list[int]:
    """The arguments of a function of C named like one that puts objects into a collection (`LIST_APPEND(&all, &x->entry)`) that it
    keeps: nothing whose length is told, as it may be copied; the first one only where it lies inside of an object
    and another one does not."""
    if not is_inserting(call.name) or len(call.args) < 2:
        return []
    inside = {each.dst: bool(each.field) for each in linked.body.nodes if isinstance(each, ir.AddressOf)}
    plain = [not ir.is_literal(each) and not is_plain_c(linked.types.get(each, "")) for each in call.args]
    found = []
    for n, each in enumerate(call.args):
        is_text = "char" in linked.types.get(each, "")
        is_measured = any(not one for one in plain[n + 1 :]) or (is_text and any(_is_number(linked, more) for more in call.args[n + 1 :]))
        is_first = n == 0 and not (inside.get(each) and call.args[1] in inside)
        if plain[n] and not is_measured and not is_first:
            found.append(n)
    return found


def _is_value(linked: Linked, operand: str) -> bool:
    """Whether an argument is the address of a variable that is no pointer itself: what it holds is released, not the variable."""
    names = [each.base for each in linked.body.nodes if isinstance(each, ir.AddressOf) and each.dst == operand and not each.field]
    return len(names) == 1 and "*" not in linked.types.get(names[0], "*")


def _is_number(linked: Linked, operand: str) -> bool:
    """Whether an argument of C is a number, by its type or as it is written."""
    written = linked.types.get(operand, "")
    is_int = written.split()[-1:] in (["int"], ["unsigned"])
    return operand[1:].lstrip("-").isdigit() if ir.is_literal(operand) else is_int or is_plain_c(written)


def _is_given(site: CallSite, at: tuple[Linked, int], queries: Queries) -> bool:
    """Whether those who call a function show that all it gives here is theirs."""
    return all(is_surely_given(*at, each, queries) for each in _positions(site))


def _positions(site: CallSite) -> list[int]:
    """Where a call leaves what it gives: -1 for its result, else the number of the argument."""
    roots = {path[0] for each in site.acquired for outcome in each.outcomes for path in outcome.paths}
    return [-1 if root == "$ret" else int(root[1:]) for root in sorted(roots)]


def _is_paired(site: CallSite, queries: Queries) -> bool:
    """Whether a procedure of the tree gives what a maker gave it to the release of its family. That it calls both shows nothing: what
    it releases it may have found among those that the maker put into a list."""
    maker, makers = site.call.name, None
    for name in (*family(maker), *block_family(maker)):
        if queries.mentioning(name):
            makers = frozenset(queries.callers(maker)) if makers is None else makers
            both = sorted(makers.intersection(queries.callers(name)))[:MAX_CALLERS]
            found = [linked for key in both if (linked := queries.linked(key)) is not None]
            if any(all(is_ever_released(each, maker, at, queries) for at in _positions(site)) for each in found):
                return True
    return False


def readable_c(data: bytes, start: int, end: int) -> Readable | None:
    """A function of C as the grammar can read it, where that is right for every way to compile it."""
    return readable(data, start, end)


def ways_of_c(data: bytes, start: int, end: int) -> Ways | None:
    """The ways to compile a function of C that conditions split; None where none does, or there are too many."""
    return ways(data, start, end)


def passing(linked: Linked, program: Program) -> frozenset[str]:
    """The globals that only pass on what a procedure of C acquires: nobody reads them when it has returned."""
    if linked.language != "c" or not any(isinstance(node, ir.Store) and not node.base for node in linked.body.nodes):
        return frozenset()
    found = Handles(linked, program, Limits(), is_summary=False).find_passing()
    return frozenset(name.removeprefix("::") for name in found)


def releases(program: Program, resource: str) -> tuple[Release, ...]:
    """The ways to release a kind of resource, preferred first; empty where no spec says."""
    library = program.specs
    found = library.resource(resource) if isinstance(library, SpecLibrary) else None
    return found.releases if found is not None else ()


def members_with(program: Program, resource: str) -> tuple[str, ...]:
    """The members of a library's struct whose blocks go with it; empty where no spec says."""
    library = program.specs
    found = library.resource(resource) if isinstance(library, SpecLibrary) else None
    return found.members if found is not None else ()


def is_named_closeable(program: Program, type_name: str) -> bool:
    """Whether a spec names a type of Java, or one above it, as closed by `close()`."""
    library = program.specs
    return isinstance(library, SpecLibrary) and any(
        library.is_closeable(each) for each in (type_name, *library.supertypes(type_name))
    )


def family_releases(program: Program, maker: str) -> tuple[str, ...]:
    """The functions of the tree that are named as the release of what a function makes (`list_free`, `list_new`)."""
    return tuple(name for name in (*family(maker), *block_family(maker)) if program.mentioning(name))


def nothing(program: Program, resource: str) -> str:
    """The literal that means «none» for a kind of resource (`NULL`, `-1`); empty where no spec says."""
    library = program.specs
    found = library.resource(resource) if isinstance(library, SpecLibrary) else None
    return found.nothing if found is not None else ""
