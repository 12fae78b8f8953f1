"""A second look into the repository's own functions, for what their Effects may have left out.

Flow-insensitive and short: which parameters something is released of, and what the results can be. Where a
computed Effects says less, a proof takes the handle for doubtful. Sees through copies, casts, loads and calls.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import Program, ir
from analyzers.facts import Facts, facts
from analyzers.graphs.operands import assigned
from analyzers.handles.c.evident import Told, is_surely_given
from analyzers.handles.java.started import is_started
from analyzers.handles.unknown import is_finding
from analyzers.queries import Linked, ProcedureKey
from analyzers.summaries import Certainty, Effects, Transfer
from fixers.only_closing import only_closes
from fixers.paths import Question, check
from fixers.paths.names import CAPTURED
from fixers.paths.report import Report
from fixers.returnable import ANYTHING, HELD, OTHER, returnable

MAX_DEPTH = 4
"""Calls below the call that is asked about."""

MAX_KEEPING = 7
"""The same for what is linked into somebody else's structures: that happens far below."""


Step = Callable[[ir.Instruction], tuple[str, tuple[str, ...]] | None]
"""What an instruction assigns, and from where."""


_MAKING = ("new", "create", "open", "prepare")
"""How methods of the JDK begin that give something for sure."""


class Callees:
    """Looks into callees, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._released: dict[ProcedureKey, frozenset[str]] = {}
        self._kept: dict[ProcedureKey, frozenset[str]] = {}
        self._results: dict[tuple[ProcedureKey, str], frozenset[str]] = {}
        self._asked: list[tuple[ProcedureKey, str]] = []
        self._sources: dict[tuple[ProcedureKey, bool], dict[str, frozenset[str]]] = program.once("sources", dict)
        self._told: Told = program.once("told", dict)

    def facts(self, key: ProcedureKey) -> Facts | None:
        """What is known of a function that is called; None where it has no body."""
        return facts(self._program, key)

    def suspects(self, linked: Linked, node: int, effects: tuple[Effects, ...]) -> frozenset[str]:
        """The roots (`$0`, `this`) of a call that its bodies release something of, though its Effects do not say so."""
        target = linked.targets.get(node)
        found: set[str] = set()
        kept: set[str] = set()
        for key in target.procedures if target is not None else ():
            found |= self.released(key, MAX_DEPTH)
            kept |= self.kept(key, MAX_KEEPING)
        said = {transfer.entry[0] for each in effects for transfer in each.transfers if transfer.entry}
        moved = {t.entry[0] for each in effects for t in each.transfers if t.entry and _moves(t)}
        return frozenset(found - said | kept - moved)

    def may_give_null(self, key: ProcedureKey, depth: int = 3) -> bool:
        """Whether a procedure may return nothing, as far as it shows: it does not where all that it returns is new."""
        body, linked = self._program.procedure(key), self._program.linked(key)
        if body is None or linked is None or not depth:
            return True
        waiting = [node.src for node in body.nodes if isinstance(node, ir.Return)]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            sources = [(n, node) for n, node in enumerate(body.nodes) if isinstance(node, ir.Call | ir.Copy) and node.dst == name]
            if not sources or name in body.parameters:
                return True
            for number, node in sources:
                if isinstance(node, ir.Copy):
                    waiting.append(node.src)
                elif node.kind != "new":
                    target = linked.targets.get(number)
                    keys = target.procedures if target is not None else ()
                    if target is not None and node.name.startswith(_MAKING) and any(each.startswith("java.") for each in target.models):
                        continue
                    if not keys and any(isinstance(each, ir.Call) and each.receiver == name for each in body.nodes[number + 1 :]):
                        continue  # What nobody knows gives it, and the procedure itself calls a method of it then.
                    if not keys or any(self.may_give_null(each, depth - 1) for each in keys):
                        return True
        return False

    def only_closes(self, key: ProcedureKey) -> bool:
        """Whether a method of Java does nothing but close what it is given."""
        return only_closes(self._program, key)

    def released(self, key: ProcedureKey, depth: int) -> frozenset[str]:
        """The roots that something reached from them may be released of, or kept."""
        known = self._released.get(key)
        if known is None:
            self._released[key] = frozenset()
            known = self._released[key] = self._solve(key, depth) if depth else frozenset()
        return known

    def kept(self, key: ProcedureKey, depth: int) -> frozenset[str]:
        """The roots that a pointer to, or into, is stored to somewhere that does not belong to them: a queue that
        they are linked into, an object that remembers them."""
        known = self._kept.get(key)
        if known is None:
            self._kept[key] = frozenset()
            known = self._kept[key] = self._keeps(key, depth) if depth else frozenset()
        return known

    def _keeps(self, key: ProcedureKey, depth: int) -> frozenset[str]:
        linked = self._program.linked(key)
        if linked is None:
            return frozenset()
        body = linked.body
        pointers, owners = self._derived(key, body, _pointing), self._derived(key, body)
        if linked.language == "java":
            return frozenset(self._keeps_java(key, pointers, depth))
        locals_ = {each.name for each in body.variables if each.kind == "local"}
        found: set[str] = set()
        for node, each in enumerate(body.nodes):
            match each:
                case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
                    stored = pointers.get(src, frozenset()) - owners.get(base, frozenset())
                    if stored and (base not in locals_ or owners.get(base) or self._is_handed_on(key, base, depth)):
                        found |= stored
                case ir.Call():
                    found |= self._keeps_by(linked, node, each, pointers, depth)
                case _:
                    pass
        return frozenset(found)

    def _is_handed_on(self, key: ProcedureKey, name: str, depth: int) -> bool:
        """Whether a variable of a procedure leads to something which others may keep: what is stored there is theirs, too."""
        known = facts(self._program, key)
        for node, call in enumerate(known.linked.body.nodes) if known is not None else ():
            if known is None or not isinstance(call, ir.Call) or name not in (call.receiver, *call.args):
                continue
            target = known.linked.targets.get(node)
            keeping = {root for each in (target.procedures if target is not None else ()) for root in self.kept(each, depth - 1)}
            for effects in known.effects.get(node, ()):
                keeping |= {t.entry[0] for t in effects.transfers if len(t.entry) == 1 and any(way.fate == "retained" or way.certainty is Certainty.MAY for way in t.outcomes)}
            if any(_actual(call, root) == name for root in keeping):
                return True
        return False

    def _derived(
        self, key: ProcedureKey, body: ir.Procedure, step: Step | None = None
    ) -> dict[str, frozenset[str]]:
        """Per variable of a procedure the formals that its value may come from, or be a copy of: the same for all who ask."""
        known = self._sources.get((key, step is None))
        if known is None:
            known = self._sources[key, step is None] = _derived(body, step or _reaching)
        return known

    def _keeps_java(self, key: ProcedureKey, pointers: dict[str, frozenset[str]], depth: int) -> set[str]:
        """What outlives a method: what it stores or adds anywhere but in objects that it made, or gives to strangers; what a lambda captures
        that a stranger gets, who may run it at any time, or that a thread runs."""
        known = facts(self._program, key)
        if known is None:
            return set()
        body, fresh = known.linked.body, _made(known.linked.body)
        capturing = _capturing(body)
        found: set[str] = set()
        for node, each in enumerate(body.nodes):
            match each:
                case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if base not in fresh:
                    found |= pointers.get(src, frozenset()) - ({"this"} if base == "this" else frozenset())
                case ir.Call(receiver=receiver):
                    found |= self._keeps_by(known.linked, node, each, pointers, depth)
                    for name in capturing.intersection(each.args):
                        if is_started(each, known.linked.types.get(receiver, "")) or not all(one.is_known for one in known.effects.get(node, ())):
                            found |= pointers.get(name, frozenset())
                    for effects in known.effects.get(node, ()) if receiver not in fresh else ():
                        for path in effects.retains:
                            found |= pointers.get(_actual(each, path[0]), frozenset())
                case _:
                    pass
        return found

    def _keeps_by(
        self, linked: Linked, node: int, call: ir.Call, pointers: dict[str, frozenset[str]], depth: int
    ) -> set[str]:
        target = linked.targets.get(node)
        found: set[str] = set()
        given = [pointers.get(name, frozenset()) for name in call.args]
        if not any(given):
            return found
        for key in target.procedures if target is not None else ():
            for root in self.kept(key, depth - 1):
                found |= pointers.get(_actual(call, root), frozenset())
        return found

    def _solve(self, key: ProcedureKey, depth: int) -> frozenset[str]:
        linked = self._program.linked(key)
        if linked is None:
            return frozenset()
        roots = self._derived(key, linked.body)
        # Where nothing is given that comes from a parameter, what a call does is no matter.
        calls = [(n, call) for n, call in enumerate(linked.body.nodes) if isinstance(call, ir.Call) and any(map(roots.get, (call.receiver, *call.args)))]
        known = facts(self._program, key) if calls else None
        found: set[str] = set()
        for node, call in calls if known is not None else ():
            for root in self._taken(linked, node, known.effects.get(node, ()) if known is not None else (), depth):
                found |= roots.get(_actual(call, root), frozenset())
        return frozenset(found)

    def _taken(self, linked: Linked, node: int, effects: tuple[Effects, ...], depth: int) -> set[str]:
        found = {
            transfer.entry[0]
            for each in effects
            for transfer in each.transfers
            if transfer.entry and any(outcome.fate in ("released", "retained") for outcome in transfer.outcomes)
        }
        target = linked.targets.get(node)
        for key in target.procedures if target is not None else ():
            found |= self.released(key, depth - 1)
        return found

    def results(self, key: ProcedureKey, resource: str, depth: int = MAX_DEPTH) -> frozenset[str]:
        """What a procedure that hands out a resource may return: "held", "null", "other"."""
        known = self._results.get((key, resource))
        if known is None and (key, resource) in self._asked:
            # Who calls himself returns what his other ways do; of those who call each other nobody has the last word yet.
            return frozenset(("held",)) if self._asked[-1] == (key, resource) else frozenset(("held", "other"))
        if known is None:
            self._asked.append((key, resource))
            known = self._results[key, resource] = self._returned(key, resource, depth)
            self._asked.pop()
        return known

    def _returned(self, key: ProcedureKey, resource: str, depth: int) -> frozenset[str]:
        known = facts(self._program, key)
        if known is None or not depth:
            return frozenset(("held", "other"))
        sites = frozenset(
            node for node, each in known.effects.items()
            if any(not t.entry and t.resource in ("", resource) for one in each for t in one.transfers)
        )
        partial = self.partial(known.linked, known.effects, sites, resource, depth - 1)
        most = returnable(known, sites, partial, resource) if known.linked.language == "c" else ANYTHING
        if most == {HELD}:
            return most
        # Whether it may return what it acquires is asked of nobody.
        enough = (most - {HELD}) if known.linked.language == "c" else frozenset[str]()
        question = Question(sites, "", frozenset(), frozenset(), known.linked.language, partial=partial, is_about_results=True, enough=enough)
        asked = ("returned", key, sites, tuple(sorted(partial.items())), enough)
        return self._program.once(asked, lambda: _all_of(check(known.linked, known.effects, question), most))

    def partial(
        self, linked: Linked, effects: dict[int, tuple[Effects, ...]], sites: frozenset[int], resource: str,
        depth: int = MAX_DEPTH, *, ours: frozenset[int] = frozenset(),
    ) -> dict[int, frozenset[str]]:
        """Per acquiring call to the repository what it may return instead of the resource; empty where nothing else. `ours`: the calls
        that a patch wrote."""
        found = {}
        for node in sorted(sites):
            target = linked.targets.get(node)
            if target is None or not target.procedures or _is_by_argument(effects.get(node, ())):
                continue
            kinds = frozenset(kind for key in target.procedures for kind in self.results(key, resource, depth))
            is_one = len(_kinds_of_result(effects.get(node, ()))) < 2  # What `free` takes `freeaddrinfo` does not.
            if "other" in kinds and is_one and linked.language == "c" and is_surely_given(linked, node, -1, self._program, self._told, ours):
                kinds -= {"other"} if all(self._passes_on(key, resource, depth) for key in target.procedures) else frozenset()
            if kinds:
                found[node] = kinds - {"held"}
        return found

    def _passes_on(self, key: ProcedureKey, resource: str, depth: int) -> bool:
        """Whether a function of C returns nothing but what calls gave it then, of functions that do not look for what is there, nor give something
        of their own in its place (`if (p == NULL) p = spare;`)."""
        known = facts(self._program, key)
        if known is None or not depth:
            return False
        nodes = known.linked.body.nodes
        waiting = [each.src for each in nodes if isinstance(each, ir.Return) and each.src]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in seen or name in ("=null", "=0"):
                continue
            seen.add(name)
            made = [(n, each) for n, each in enumerate(nodes) if name in assigned(each)]
            if not made or name in known.linked.body.parameters:
                return False
            for n, each in made:
                if isinstance(each, ir.Copy):
                    waiting.append(each.src)
                elif not isinstance(each, ir.Call) or is_finding(each.name) or not _is_handing_out(known.effects.get(n, ())) or not all(self._passes_on(one, resource, depth - 1) for one in _bodies(known.linked, n) if "other" in self.results(one, resource, depth - 1)):
                    return False
        return True


def _all_of(report: Report, most: frozenset[str]) -> frozenset[str]:
    """What a procedure returns on the ways that were walked, of the `most` that it can; where there were more, that may be all."""
    if report.is_finished:
        return frozenset(report.returned) & most
    return most if most != ANYTHING else frozenset((*report.returned, OTHER))


def _bodies(linked: Linked, node: int) -> tuple[ProcedureKey, ...]:
    target = linked.targets.get(node)
    return target.procedures if target is not None else ()


def _is_handing_out(effects: tuple[Effects, ...]) -> bool:
    """Whether a call may give what is its caller's: it acquires something, or nobody knows it."""
    return all(not each.is_known or any(not t.entry for t in each.transfers) for each in effects)


def _moves(transfer: Transfer) -> bool:
    """Whether a transfer says that what lies there is released, kept, or found elsewhere."""
    return any(each.fate != "held" or any(path[0] != transfer.entry[0] for path in each.paths) for each in transfer.outcomes)


def _kinds_of_result(effects: tuple[Effects, ...]) -> frozenset[str]:
    """The resources that the result of a call itself may be."""
    made = [t for each in effects for t in each.transfers if not t.entry]
    return frozenset(t.resource for t in made if any(("$ret",) in one.paths for one in t.outcomes))


def _is_by_argument(effects: tuple[Effects, ...]) -> bool:
    """Whether what is acquired lies anywhere but in the result."""
    paths = [path for e in effects for t in e.transfers if not t.entry for o in t.outcomes for path in o.paths]
    return not any(path == ("$ret",) for path in paths)


def _actual(call: ir.Call, root: str) -> str:
    if root == "this":
        return call.receiver
    index = int(root[1:]) if root[1:].isdigit() else -1
    return call.args[index] if 0 <= index < len(call.args) else ""


def _pointing(node: ir.Instruction) -> tuple[str, tuple[str, ...]] | None:
    """What an instruction assigns, and the pointers that it may be a copy of or point into."""
    match node:
        case ir.Copy(dst=dst, src=src):
            return dst, (src,)
        case ir.Op(dst=dst, operator="cast" | "[]+", operands=operands):
            return dst, operands[:1]
        case ir.AddressOf(dst=dst, base=base):
            return dst, (base,)
        case ir.Load(dst=dst, base=base, field="*") if base:
            return dst, (base,)  # a struct copied by value takes along what lies in it
        case ir.Call(kind="new", receiver=receiver, args=args):
            return receiver, args
        case ir.Store(base=base, field=field, src=src) if field.startswith(CAPTURED) and src != "this":
            return base, (src,)  # a lambda, or an object of a class without a name, has what it captures
        case _:
            return None


def _capturing(body: ir.Procedure) -> frozenset[str]:
    """The variables of lambdas and objects that capture something, and their copies."""
    found = {each.base for each in body.nodes if isinstance(each, ir.Store) and each.field.startswith(CAPTURED)}
    copies = [each for each in body.nodes if isinstance(each, ir.Copy)]
    while more := {each.dst for each in copies if each.src in found} - found:
        found |= more
    return frozenset(found)


def _made(body: ir.Procedure) -> frozenset[str]:
    """The variables that hold nothing but objects that a procedure made."""
    found = {node.dst for node in body.nodes if isinstance(node, ir.Alloc)}
    others: set[str] = {*body.parameters, "this"}
    for node in body.nodes:
        match node:
            case ir.Alloc() | ir.Copy(src="=null"):
                pass
            case ir.Copy(dst=dst, src=src) if src in found:
                found.add(dst)
            case ir.Copy(dst=dst) | ir.Op(dst=dst) | ir.Load(dst=dst) | ir.LoadElement(dst=dst) | ir.Call(dst=dst) | ir.Catch(dst=dst):
                others.add(dst)
            case _:
                pass
    return frozenset(found - others)


def _reaching(node: ir.Instruction) -> tuple[str, tuple[str, ...]] | None:
    """The same with what is loaded from there."""
    match node:
        case ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base):
            return dst, (base,)
        case _:
            return _pointing(node)


def _derived(body: ir.Procedure, step: Step) -> dict[str, frozenset[str]]:
    """Per variable the formals that its value may come from."""
    found: dict[str, frozenset[str]] = {name: frozenset((f"${n}",)) for n, name in enumerate(body.parameters)}
    found["this"] = frozenset(("this",))
    changed = True
    while changed:
        changed = False
        for node in body.nodes:
            assigned = step(node)
            if assigned is None:
                continue
            dst, sources = assigned
            new = found.get(dst, frozenset()).union(*(found.get(each, frozenset()) for each in sources))
            if new and new != found.get(dst):
                found[dst] = new
                changed = True
    return found
