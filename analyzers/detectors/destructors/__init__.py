"""Members that the destructor of a struct of C forgets.

A function that releases its argument takes every block away that only a member of it leads to. Where the tree stores blocks of
its own making in a member, and nowhere releases, moves or gives away what lies there, the destructor is where they go: the
complement of the Resource Leak Checker's owning fields (its section 5), by a look at all procedures that name the member.
Reports too much when a block is freed under another name; misses members that anybody else releases for good.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.destructors.dropped import Dropped, dropped
from analyzers.detectors.destructors.embedded import embedded, filled
from analyzers.detectors.destructors.finalised import FINALISING, finalised
from analyzers.detectors.destructors.grown import Grown, grown
from analyzers.detectors.destructors.reading import Body, is_of, struct_of
from analyzers.detectors.destructors.refilled import refilled
from analyzers.detectors.destructors.replaced import Replaced, replaced
from analyzers.detectors.destructors.shown import Beside, shown
from analyzers.detectors.destructors.uses import Fill, Tree, is_named_end, is_plain_end
from analyzers.detectors.destructors.whole import MEMORY, forgotten_struct
from analyzers.domains.obligation import Limits
from analyzers.finding import DROPPED, FORGOTTEN, NOT_GROWN, Confidence, Finding, Note, Role, Step
from analyzers.graphs.operands import assigned
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_ender, is_freeing, words_of
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNCLOSED_RESOURCE, UNRELEASED_MEMORY
from analyzers.source import Span
from analyzers.summaries import Transfer

MAX_MEMBERS = 100
"""Members of one struct that are asked about."""


_FEWEST = 4
"""Members that a procedure releases before it is taken for one that cleans the whole struct up, but for one of them."""

_CLEANING = frozenset(("cleanup", "deinit", "destroy", "dispose", "fini", "free", "teardown", "uninit"))
_PLAIN = frozenset(("char", "void", "int", "unsigned", "long", "short", "FILE", "DIR", "const", "signed", "float", "double"))


_COPYING = frozenset(("memcpy", "memmove", "mempcpy"))


class Destructors:
    """The detector."""

    @property
    def name(self) -> str:
        """See `Detector`."""
        return "destructors"

    @property
    def languages(self) -> frozenset[str]:
        """See `Detector`."""
        return frozenset(("c",))

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterable[Finding | Note]:
        """The members that these procedures forget."""
        tree = Tree(queries)
        for key in keys:
            linked = queries.linked(key)
            if linked is not None:
                yield from (_Destructor(linked, queries, tree, self.name).dropped(each) for each in dropped(linked, queries, tree))
            ended = _ended(linked, tree) if linked is not None else ()
            if linked is not None and ended:
                yield from _Destructor(linked, queries, tree, self.name).findings(ended)
            whole = forgotten_struct(linked, queries) if linked is not None and not ended else None
            if linked is not None and whole is not None:
                yield _Destructor(linked, queries, tree, self.name).forgotten(*whole)
            if linked is not None and not ended:
                yield from (_Destructor(linked, queries, tree, self.name).overwritten(each) for each in _replaced(linked, queries, tree))
                yield from (_Destructor(linked, queries, tree, self.name).not_grown(each) for each in grown(linked, queries))
            if linked is not None and linked.key.name.endswith(FINALISING):
                yield from _Destructor(linked, queries, tree, self.name).finalised()
            cleaned = _cleaned(linked, tree) if linked is not None and not ended and whole is None else ""
            if linked is not None and cleaned:
                yield from _Destructor(linked, queries, tree, self.name).left_over(cleaned)


def _replaced(linked: Linked, queries: Queries, tree: Tree) -> list[Replaced]:
    """The members that a procedure fills anew, by what it looks into itself and by what others show, each once."""
    found = {each.node: each for each in (*refilled(linked, queries, tree), *replaced(linked, queries, tree))}
    return [found[node] for node in sorted(found)]


def _ended(linked: Linked, tree: Tree) -> tuple[str, ...]:
    """The variables that point to a struct which a procedure releases, at first sight."""
    types = {each.name: each.type for each in linked.body.variables}
    found: dict[str, None] = {}
    for node, target in linked.targets.items():
        call = linked.body.nodes[node]
        if not isinstance(call, ir.Call):
            continue
        passed = [
            (f"${n}", each) for n, each in enumerate(call.args)
            if each in types and not ir.is_temporary(each) and _is_struct(linked.types.get(each) or types[each])
        ]
        if not passed:
            continue
        if target.procedures:
            found.update(dict.fromkeys(name for root, name in passed if is_plain_end(tree.queries, target, root)))
            continue
        model = tree.queries.model(target.models, target.parameters) if target.models else None
        ended = {each.entry for each in model.transfers if _is_end(each)} if model is not None else set()
        is_named = model is None and len(call.args) == 1 and (is_freeing(call.name) or (is_ender(call.name) and call.name in tree.freeing(linked)))
        found.update(dict.fromkeys(name for root, name in passed if is_named or (root,) in ended))
    return tuple(found)


def _cleaned(linked: Linked, tree: Tree) -> str:
    """The formal whose members a procedure cleans up that leaves the struct itself to its owner, who does not end it, either;
    empty for none."""
    if linked.body.kind != "function" or _CLEANING.isdisjoint(words_of(linked.key.name)):
        return ""
    types = {each.name: each.type for each in linked.body.variables}
    ends = [each for each in tree.queries.effects(linked.key).transfers if each.entry and any(one.fate == "released" for one in each.outcomes)]
    for position, name in enumerate(linked.body.parameters):
        released = {each.entry[1] for each in ends if each.entry[0] == f"${position}" and len(each.entry) > 1 and "." not in each.entry[1]}
        is_whole = any(each.entry == (f"${position}",) for each in ends)
        if len(released) >= _FEWEST and not is_whole and _is_struct(linked.types.get(name) or types.get(name) or "int"):
            return "" if any(_ends_after(caller, linked.key, position, tree) for caller in tree.queries.callers(linked.key.name)) else name
    return ""


def _ends_after(caller: ProcedureKey, cleaner: ProcedureKey, position: int, tree: Tree) -> bool:
    """Whether a procedure passes an object on for cleaning and ends it itself: then it is told of."""
    linked = tree.queries.linked(caller) if caller != cleaner else None
    ended = _ended(linked, tree) if linked is not None else ()
    return linked is not None and any(
        isinstance(node, ir.Call) and node.name == cleaner.name and node.args[position : position + 1] and node.args[position] in ended
        for node in linked.body.nodes
    )


def _position(site: CallSite, variable: str) -> str:
    return f"${site.call.args.index(variable)}" if variable in site.call.args else ""


def _is_struct(written: str) -> bool:
    return written.count("*") == 1 and written.split()[0] not in _PLAIN


def _is_end(transfer: Transfer) -> bool:
    return all(each.fate == "released" for each in transfer.outcomes)


def _origin(fill: Fill, member: str) -> str:
    return f"`{fill.text}` in `{fill.key.name}` gives what `{member}` holds"


class _Destructor:
    def __init__(self, linked: Linked, queries: Queries, tree: Tree, name: str) -> None:
        self._linked = linked
        self._queries = queries
        self._tree = tree
        self._name = name
        self._scene = Scene(linked, queries, Limits())

    @functools.cached_property
    def _sites(self) -> CallSites:
        return CallSites(self._scene)

    def findings(self, ended: Sequence[str]) -> Iterator[Finding]:
        """One finding per member that is forgotten of what these variables point to."""
        seen: set[str] = set()
        for variable in ended:
            written = self._scene.type_of(variable)
            owner = struct_of(self._scene, written)
            if not owner or owner in seen:
                continue
            seen.add(owner)
            missing = (*self._missing(owner, written, self._tree.forgotten), *self._shown(variable, owner, written), *self._missing_within(owner, written))
            for member, fill in missing:
                end = self._end(variable)
                if self._is_given_back(variable) or self._is_copied(variable):
                    break
                is_own = self._scene.is_sometimes_fresh(variable) or self._is_left_new(variable) or self._is_in_own_list(variable)
                if end >= 0 and not self._is_shown(variable, end) and not is_own:
                    yield self._finding(end, variable, member, fill)

    def _shown(self, variable: str, owner: str, written: str) -> Iterator[tuple[str, Fill]]:
        """The members that strangers fill, and others show to be owned; see `shown`."""
        body = Body(self._scene, self._sites, self._tree.freeing(self._linked))
        beside = Beside(body, self._tree, variable, owner)
        for member in self._tree.members(self._scene, written)[:MAX_MEMBERS] if beside.members else ():
            fill = shown(beside, member) if member not in beside.members else None
            if fill is not None:
                yield member, fill

    def _is_left_new(self, variable: str) -> bool:
        """Whether a call leaves a new object in a variable (`if (session_open(&session) < 0)`): what it put into that is known."""
        addresses = {node.dst for node in self._linked.body.nodes if isinstance(node, ir.AddressOf) and node.base == variable and not node.field}
        return any(
            len(path) == 2 and path[1] == "*" and site.actuals.get(path[0]) in addresses
            for site in self._sites.sites.values() for transfer in site.acquired for outcome in transfer.outcomes for path in outcome.paths
        )

    def _is_in_own_list(self, variable: str) -> bool:
        """Whether a variable walks a list of nodes that this very procedure makes (`node = head; head = node->next;`): what it puts
        into them is known, too."""
        scene = self._scene
        seen, waiting, is_fresh = {variable}, [variable], False
        while waiting:
            name = waiting.pop()
            if name in scene.formals or name not in scene.variables or scene.outlives(name) or scene.is_aggregate(name):
                return False
            for node in scene.definitions.get(name, ()):
                instruction = scene.nodes[node]
                source = instruction.base if isinstance(instruction, ir.Load | ir.AddressOf) else identity(instruction)
                is_fresh |= node in scene.made
                if ir.is_literal(source) or (not source and scene.makes(node)):
                    continue
                if not source:
                    return False
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return is_fresh

    def left_over(self, formal: str) -> Iterator[Finding]:
        """The one member that is forgotten where all others of a formal's are cleaned up; where there are several, they are others' to end."""
        written = self._scene.type_of(formal)
        owner = struct_of(self._scene, written)
        if not owner or self._scene.definitions.get(formal) or self._is_given_back(formal) or self._is_shown(formal, ir.EXIT):
            return
        missing = list(self._missing(owner, written, self._tree.never_taken))
        for member, fill in missing if len(missing) == 1 else ():
            yield self._left(formal, member, fill)

    def finalised(self) -> Iterator[Finding]:
        """The members that are forgotten where an object of GObject comes to its end, whatever else it is told to do before."""
        seen: set[str] = set()
        for variable, written in finalised(self._scene):
            owner = struct_of(self._scene, written) if _is_struct(written) else ""
            if not owner or owner in seen:
                continue
            seen.add(owner)
            for member, fill in self._missing(owner, written, self._tree.never_taken):
                yield self._left(variable, member, fill)

    def _left(self, variable: str, member: str, fill: Fill) -> Finding:
        base, *fields = self._scene.loads.get(variable, (variable,)) if ir.is_temporary(variable) else (variable,)
        name = "->".join((ir.source_name(base), *fields, member))
        verb = "freed" if fill.resource == MEMORY else "released"
        text = f"`{name}`, which `{fill.key.name}` fills, is not {verb} here with the other members."
        return self._told((ir.EXIT, name, text, member), _origin(fill, member), fill)

    def _missing(
        self, owner: str, written: str, ask: Callable[[Scene, str, str], Fill | None]
    ) -> Iterator[tuple[str, Fill]]:
        """The members of a struct that somebody fills, and that neither this procedure nor any other releases."""
        for member in self._tree.members(self._scene, written)[:MAX_MEMBERS]:
            fill = None if self._is_passed(owner, member) else ask(self._scene, owner, member)
            if fill is not None and fill.key != self._linked.key and not self._is_handled(owner, member):
                yield member, fill

    def _missing_within(self, owner: str, written: str) -> Iterator[tuple[str, Fill]]:
        """The members of structs that lie in this one by value, and that nobody takes out there."""
        for inner in embedded(self._scene, written):
            for member in self._tree.members(self._scene, inner.written)[:MAX_MEMBERS] if not self._is_passed(owner, inner.name) else ():
                fill = None if self._is_passed(inner.owner, member) else filled(self._scene, self._tree, owner, inner, member)
                if fill is not None and fill.key != self._linked.key and not self._is_handled(inner.owner, member):
                    yield f"{inner.name}.{member}", fill

    def _end(self, variable: str) -> int:
        """The call that releases what a variable points to; -1 for none."""
        for node, site in self._sites.sites.items():
            ended = [move for move in site.moves if move.entry == (variable,)]
            if site.is_library and any(all(each.fate == "released" for each in move.outcomes) for move in ended):
                return node
            if ended and not site.is_library and is_plain_end(self._queries, self._linked.targets[node], _position(site, variable)):
                return node
            if is_named_end(site, self._tree.freeing(self._linked)) and site.call.args == (variable,):
                return node
        return -1

    def _is_given_back(self, variable: str) -> bool:
        """Whether a procedure returns what it ends on another way: it fills the object, and gives it up where that fails."""
        names = {variable, *(node.dst for node in self._linked.body.nodes if isinstance(node, ir.Copy) and node.src == variable)}
        return any(isinstance(node, ir.Return) and node.src in names for node in self._linked.body.nodes)

    def _is_copied(self, variable: str) -> bool:
        """Whether the struct goes elsewhere as a whole before it ends (`*to = *from; free(from);`), with all that its members hold."""
        return any(
            (isinstance(node, ir.Load) and (node.base, node.field) == (variable, "*"))
            or (isinstance(node, ir.Call) and node.name in _COPYING and node.args[1:2] == (variable,))
            for node in self._linked.body.nodes
        )

    def _is_passed(self, owner: str, member: str) -> bool:
        """Whether what the member holds goes to a call that may release it, at first sight."""
        names: set[str] = set()
        for node in self._linked.body.nodes:
            if isinstance(node, ir.Load | ir.AddressOf) and is_of(self._scene, node, owner, member):
                names.add(node.dst)
            elif identity(node) in names:
                names.update(assigned(node))
        return any(
            isinstance(node, ir.Call) and not names.isdisjoint(node.args) and not self._is_looking(at)
            for at, node in enumerate(self._linked.body.nodes)
        ) if names else False

    def _is_looking(self, at: int) -> bool:
        """Whether a library call releases and keeps nothing."""
        target = self._linked.targets.get(at)
        if target is None or target.procedures or not target.models:
            return False
        model = self._queries.model(target.models, target.parameters)
        return model is not None and model.is_known and not model.transfers and not model.retains

    def _is_handled(self, owner: str, member: str) -> bool:
        """Whether this procedure or one that it calls does anything with what the member holds."""
        if any(move.entry[1:2] == (member,) for site in self._sites.sites.values() for move in site.moves):
            return True
        return self._tree.is_drained_in(self._linked.key, owner, member)

    def _is_shown(self, variable: str, end: int) -> bool:
        """Whether somebody unknown gets the whole object before it ends, and may release what it holds."""
        return any(
            exposure.path == (variable,) and end in self._scene.cfg.reachable_from(node)
            for node, site in self._sites.sites.items() if node != end for exposure in site.exposures
        )

    def forgotten(self, variable: str, fill: Fill) -> Finding:
        """The finding about a struct that is taken apart and not freed."""
        name = ir.source_name(variable)
        text = f"`{name}`, which `{fill.key.name}` makes, is taken apart here and never freed."
        return self._told((ir.EXIT, name, text, "*"), f"`{fill.text}` in `{fill.key.name}` gives what `{name}` is", fill)

    def overwritten(self, lost: Replaced) -> Finding:
        """The finding about a member that is replaced without a release of what it held."""
        node = self._scene.nodes[lost.node]
        text = " ".join(self._queries.text(self._linked.key, node.start, node.end).split())[:60]
        name = f"{ir.source_name(lost.base)}->{lost.member}" if lost.base else lost.member
        verb = "freed" if lost.resource == MEMORY else "released"
        made = self._scene.nodes[lost.made]
        fill = Fill(self._linked.key, self._span(self._linked.key, made), text, lost.resource)
        message = f"What `{name}` held is not {verb} before `{text}` overwrites it."
        return self._told((lost.node, name, message, lost.member), f"`{name}` is given a block of its own", fill)

    def dropped(self, lost: Dropped) -> Finding:
        """The finding about an element that is taken out of its list and not freed."""
        source = next((node for at in self._scene.definitions.get(lost.name, ()) if isinstance(node := self._scene.nodes[at], ir.Load)), None)
        name = ir.source_name(lost.name)
        if ir.is_temporary(lost.name) and source is not None:
            base = ir.source_name(source.base)
            name = f"*{base}" if source.field == "*" else f"{base}->{source.field}"
        text = f"`{name}`, which `{lost.made.key.name}` makes, is taken out of its list here and never freed."
        told = self._told((lost.node, name, text, "*"), f"`{lost.made.text}` in `{lost.made.key.name}` gives what `{name}` is", lost.made)
        return msgspec.structs.replace(told, detail=DROPPED)

    def not_grown(self, lost: Grown) -> Finding:
        """The finding about a member whose block is lost where it cannot grow."""
        node = self._scene.nodes[lost.call]
        text = " ".join(self._queries.text(self._linked.key, node.start, node.end).split())[:60]
        base = ir.source_name(lost.base)
        name = f"*{base}" if lost.member == "*" else f"{base}->{lost.member}" if base else lost.member
        verb = "freed" if lost.resource == MEMORY else "released"
        fill = Fill(self._linked.key, self._span(self._linked.key, node), text, lost.resource)
        message = f"What `{name}` held is not {verb} where `{text}` fails."
        origin = f"`{text}` leaves what `{name}` held where it fails, and its null takes the place of that"
        told = self._told((lost.lost, name, message, lost.member), origin, fill)
        return msgspec.structs.replace(told, detail=NOT_GROWN)

    def _finding(self, node: int, variable: str, member: str, fill: Fill) -> Finding:
        own, scene = self._linked.key, self._scene
        last = " ".join(self._queries.text(own, scene.nodes[node].start, scene.nodes[node].end).split())[:60]
        verb = "freed" if fill.resource == MEMORY else "released"
        name = f"{ir.source_name(variable)}->{member}"
        text = f"`{name}`, which `{fill.key.name}` fills, is not {verb} before `{last}`."
        return self._told((node, name, text, member), _origin(fill, member), fill)

    def _told(self, what: tuple[int, str, str, str], origin: str, fill: Fill) -> Finding:
        node, name, message, member = what
        own = self._linked.key
        body = self._linked.body
        ending = self._span(own, body.nodes[node]) if node != ir.EXIT else Span(own.path, body.end - 1, body.end)
        made = fill.span
        steps = (
            Step(Role.ACQUIRE, made, origin),
            Step(Role.EXIT, ending, "nothing leads to it any more"),
        )
        rule = UNRELEASED_MEMORY if fill.resource == MEMORY else UNCLOSED_RESOURCE
        seed = "\0".join((rule.id, own.path, own.name, member))
        return Finding(
            rule=rule.id,
            cwe=rule.cwe,
            language="c",
            detectors=(self._name,),
            confidence=Confidence.ASSUMED,
            path=own.path,
            procedure=own.name,
            resource=fill.resource,
            variable=name,
            message=message,
            witness=steps,
            acquired=made,
            lost=ending,
            exits=(ending,),
            text=fill.text,
            cluster=hashlib.sha256(seed.encode()).hexdigest()[:16],
            detail=FORGOTTEN,
        )

    def _span(self, key: ProcedureKey, instruction: ir.Instruction) -> Span:
        start = self._linked.body.start
        return Span(key.path, start + instruction.start, start + instruction.end)
