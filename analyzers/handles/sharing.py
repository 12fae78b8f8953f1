"""Which of a procedure's own objects somebody else may hold by now.

An object that the procedure made is its own until it is stored in something that is not, handed to a callee that
keeps it, or caught up in something unknown. What is stored in it afterwards is out of sight.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.handles.c.counters import is_counter
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy
from analyzers.summaries import AccessPath


class Sharing:
    """Per node the variables whose object is shared when the node begins, as bits."""

    def __init__(self, scene: Scene, sites: CallSites) -> None:
        self._scene = scene
        self._sites = sites
        names = [
            name for name in sorted({*scene.definitions, *scene.variables}) if scene.is_fresh(name) or scene.is_sometimes_fresh(name)
        ]
        self._bits = {name: 1 << index for index, name in enumerate(names)}
        self._mixed = sum(bit for name, bit in self._bits.items() if not scene.is_fresh(name))
        self._leads = self._bits if scene.is_java or not names else {**self._find_inner(), **self._bits}
        """The same, and the variables that point into such an object of C: who gets one of them has the object."""
        self._before = [0] * len(scene.nodes)
        self._holders = tuple(dict.fromkeys(self._find_holders())) if names else ()
        """Pairs of an object of the procedure's own and another one that it is put into: where that one goes it goes too."""
        if names:
            self._solve()

    def is_own(self, name: str, node: int) -> bool:
        """Whether nobody but the procedure holds the object of a variable when the node begins."""
        bit = self._bits.get(name)
        return bit is not None and not self._before[node] & bit

    def is_anchored(self, name: str, node: int) -> bool:
        """Whether all that reaches the object is known: it outlives the procedure, or is its own."""
        variable = self._scene.variables.get(name)
        is_held = variable is not None and ir.HELD in variable.attributes
        return is_held or self._scene.outlives(name) or self.is_own(name, node)

    def is_anchored_place(self, place: AccessPath, node: int) -> bool:
        """Whether all that reaches a place is known. What a member of an object of the procedure's own points to is known if
        the procedure has put it there, and nobody else has it."""
        if not self.is_anchored(place[0], node):
            return False
        if self._scene.is_java and len(place) > 1 and self._is_given(place[0], node):
            return False
        if not self._scene.is_java and len(place) > 1 and node in self._behind_hanging(place[0]):
            return False
        is_own = len(place) > 2 and not self._scene.is_java and not self._scene.outlives(place[0])
        if is_own and place[1] == "[]" and len(place) > 3 and self._is_struct_inside(place):
            return place[:3] in self._filled_cells
        if not is_own or place[1] in ("*", "[]") or self._lies_inside(place):
            return True
        return place[:2] in self._filled or any(self.is_own(made, node) for made in self._scene.made_members(place[0], place[1]))

    def _is_given(self, name: str, node: int) -> bool:
        """Whether somebody else may have an object of Java that a temporary holds under another name by then, or another object has it."""
        names = [name]
        for copy in self._scene.copies.get(name, ()) if ir.is_temporary(name) else ():
            at = tuple(self._scene.definitions.get(copy.dst, ()))
            # A variable that gets it further down has, in a loop, what it got in the turn before.
            if len(at) == 1 and at[0] < node:
                names.append(copy.dst)
        return any(node in self._behind_giving(each) or not self.is_anchored(each, node) for each in names)

    def _behind_giving(self, name: str) -> frozenset[int]:
        """The nodes behind a call that has put an object of the procedure's own into another one."""
        found = self._behind.get(name)
        if found is None:
            cfg = self._scene.cfg
            found = self._behind[name] = frozenset().union(*(cfg.reachable_from(each) for at in self._given.get(name, ()) for each in cfg.successors[at]))
        return found

    def _behind_hanging(self, name: str) -> frozenset[int]:
        """The nodes of C at which a variable's object hangs among the elements of another one that the procedure has, or in it, for all of
        what a call did (`TAILQ_INSERT_TAIL(list, item, entries); item->text = strdup(text);`, `disc = disc_new(drive); drive->fd = open(…)`):
        who has the list, or the disc, has what the object is filled with."""
        found = self._behind.get(name)
        if found is None:
            cfg, ends = self._scene.cfg, set(self._scene.definitions.get(name, ()))
            waiting = [each for at in self._hung.get(name, ()) for each in cfg.successors[at]]
            seen = set(waiting)
            while waiting:
                at = waiting.pop()
                fresh = {each for each in cfg.successors[at] if at not in ends} - seen
                seen |= fresh
                waiting += fresh
            found = self._behind[name] = frozenset(seen)
        return found

    @functools.cached_property
    def _hung(self) -> dict[str, list[int]]:
        """Per object of the procedure's own in C where a call puts it among the elements of another one, a function of the program into
        another one, or counts up a part of it for somebody else (`io = share(&work->io)`)."""
        found: dict[str, list[int]] = {}
        for node, site in self._sites.sites.items() if not self._scene.is_java else ():
            counted = {site.actuals.get(path[0], "") for path in (site.effects.writes if site.effects is not None else ()) if len(path) == 2 and is_counter(path[1])}
            for place in (self._scene.addresses.get(each, ()) for each in counted):
                if len(place) > 1 and place[0] in self._bits and site.call.dst:
                    found.setdefault(place[0], []).append(node)
            for move in site.moves:
                paths = [path for outcome in move.outcomes for path in outcome.paths if len(path) > 1]
                roots = {site.call.dst if path[0] == RESULT[0] else site.actuals.get(path[0], path[0]) for path in paths}
                is_put = not site.is_library and bool((roots & {*self._bits, site.call.dst}) - {move.entry[0], ""})
                if len(move.entry) == 1 and move.entry[0] in self._bits and (is_put or any(path[-1] == "[]" for path in paths)):
                    found.setdefault(move.entry[0], []).append(node)
        return found

    @functools.cached_property
    def _behind(self) -> dict[str, frozenset[int]]:
        return {}

    @functools.cached_property
    def _given(self) -> dict[str, tuple[int, ...]]:
        """Per object of the procedure's own in Java, where an object of the repository gets it: what it is filled with later lies there, too,
        under a name that nobody follows (`Group group = new Group(all); all.add(open()); group.close();`)."""
        found: dict[str, list[int]] = {}
        for node, site in self._sites.sites.items() if self._scene.is_java else ():
            for move in site.moves if not site.is_library else ():
                roots = {site.actuals.get(path[0], path[0]) for outcome in move.outcomes for path in outcome.paths if len(path) > 1}
                if len(move.entry) == 1 and move.entry[0] in self._bits and roots - {move.entry[0]}:
                    found.setdefault(move.entry[0], []).append(node)
        return {name: tuple(nodes) for name, nodes in found.items()}

    def _lies_inside(self, place: AccessPath) -> bool:
        """Whether a place is an element of an array that is a part of the object itself."""
        scene = self._scene
        return place[2] == "[]" and scene.c_types.member(scene.type_of(place[0]), place[1]).endswith("]")

    def _is_struct_inside(self, place: AccessPath) -> bool:
        """Whether an element of a local array is a struct by value: what a member of it points to is something else."""
        written = self._scene.type_of(place[0])
        return self._scene.is_aggregate(place[0]) and written.endswith("]") and "*" not in written

    @functools.cached_property
    def _filled_cells(self) -> frozenset[AccessPath]:
        """The members of structs in local arrays in which the procedure keeps what it makes itself."""
        scene = self._scene
        return frozenset(
            name[:3] for index in scene.cfg.order
            if isinstance(node := scene.nodes[index], ir.Store) and scene.is_fresh(node.src)
            for name in scene.spread((node.base, node.field), index) if len(name) == 3 and name[1] == "[]"
        )

    @functools.cached_property
    def _filled(self) -> frozenset[AccessPath]:
        """The members in which callees leave what they make: a list that grows when something is added to it."""
        found: set[AccessPath] = set()
        for node, site in self._sites.sites.items():
            for path in (path for transfer in site.acquired for outcome in transfer.outcomes for path in outcome.paths):
                root = site.call.dst if path[0] == RESULT[0] else site.actuals.get(path[0], "")
                if len(path) > 1 and root and not ir.is_literal(root):
                    found.update(name[:2] for name in self._scene.spread((root, *path[1:]), node) if len(name) == 2)
        return frozenset(found)

    def _solve(self) -> None:
        scene, before = self._scene, self._before
        nodes = [(node, self._is_telling(node)) for node in scene.cfg.order]
        changed = True
        while changed:
            changed = False
            for node, is_telling in nodes:
                after = self._with_held(self._after(node, before[node])) if is_telling else before[node]
                for successor in scene.cfg.successors[node]:
                    if after & ~before[successor]:
                        before[successor] |= after
                        changed = scene.cfg.is_cyclic

    def _find_inner(self) -> dict[str, int]:
        """The pointers to members of the procedure's own objects (`&item->link`)."""
        scene, found = self._scene, dict[str, int]()
        grown = True
        while grown:
            grown = False
            for node in scene.cfg.order:
                match scene.nodes[node]:
                    case ir.AddressOf(dst=dst, base=base, field=field) if field not in ("", "*") and not scene.is_aggregate(base):
                        led = self._bits.get(base, 0) | found.get(base, 0)
                    case instruction:
                        dst = getattr(instruction, "dst", "")
                        led = found.get(identity(instruction), 0)
                if led & ~found.get(dst, 0):
                    found[dst] = found.get(dst, 0) | led
                    grown = True
        return found

    def _find_holders(self) -> Iterator[tuple[int, int]]:
        bits = self._bits
        for node in self._scene.cfg.order:
            match self._scene.nodes[node]:
                case ir.Store(base=base, field=field, src=src) if base and src in bits:
                    yield from ((bits[src], bits[name[0]]) for name in self._scene.spread((base, field), node) if name[0] in bits)
                case ir.StoreElement(base=base, src=src) if src in bits:
                    yield from ((bits[src], bits[name[0]]) for name in self._scene.spread((base, "[]"), node) if name[0] in bits)
                case ir.Call():
                    site = self._sites.sites[node]
                    for move in site.moves:
                        for path in (path for outcome in move.outcomes for path in outcome.paths if len(path) > 1):
                            root = site.call.dst if path[0] == RESULT[0] else site.actuals.get(path[0], path[0])
                            if len(move.entry) == 1 and move.entry[0] in bits and root in bits and root != move.entry[0]:
                                yield bits[move.entry[0]], bits[root]

    def _with_held(self, shared: int) -> int:
        """What is shared, with all that has been put into it."""
        before = -1
        while self._holders and shared != before:
            before = shared
            for inner, outer in self._holders:
                if shared & outer:
                    shared |= inner
        return shared

    def _is_telling(self, node: int) -> bool:
        """Whether what is shared may be something else after a node."""
        match self._scene.nodes[node]:
            case ir.Store(src=src) | ir.StoreElement(src=src):
                return src in self._leads
            case ir.Call():
                site = self._sites.sites[node]
                roots = (*(each.entry[0] for each in site.moves), *(each.path[0] for each in site.exposures), site.call.dst)
                return not self._leads.keys().isdisjoint(roots)
            case instruction:
                return not self._bits.keys().isdisjoint(assigned(instruction))

    def _after(self, node: int, shared: int) -> int:
        bits, leads = self._bits, self._leads
        match self._scene.nodes[node]:
            case ir.Store(base=base, field=field, src=src) if src in leads:
                if not base or not self._is_kept_inside(base, field, node, shared):
                    shared |= leads[src]
            case ir.StoreElement(base=base, src=src) if src in leads:
                if not self._is_kept_inside(base, "[]", node, shared):
                    shared |= leads[src]
            case ir.Call():
                shared = self._after_call(node, self._sites.sites[node], shared)
            case ir.Havoc(variables=names):
                for name in names:
                    shared |= bits.get(name, 0)
            case instruction:
                source = identity(instruction)
                for name in assigned(instruction):
                    if self._scene.is_aggregate(name) and not ir.is_temporary(name):
                        continue  # A struct is the procedure's own, whatever is copied into it.
                    is_shared = bool(shared & bits.get(source, 0)) or self._is_found(name, source, node)
                    shared = shared | bits.get(name, 0) if is_shared else shared & ~bits.get(name, 0)
        return shared

    def _is_kept_inside(self, base: str, field: str, node: int, shared: int) -> bool:
        """Whether a store goes into another object of the procedure's own."""
        roots = [name[0] for name in self._scene.spread((base, field), node)]
        return any(root in self._bits and not shared & self._bits[root] for root in roots)

    def _after_call(self, node: int, site: CallSite, shared: int) -> int:
        bits, leads = self._bits, self._leads
        for move in site.moves:
            bit = leads.get(move.entry[0], 0) if len(move.entry) == 1 else 0
            if bit and any(outcome.fate == "retained" for outcome in move.outcomes):
                shared |= bit
            elif bit:
                kept = [path for outcome in move.outcomes for path in outcome.paths if len(path) > 1]
                roots = {site.actuals.get(path[0], path[0]) for path in kept if path[0] != RESULT[0]}
                if not self._scene.is_java and site.is_library and any(path[:2] == (RESULT[0], "[]") for path in kept):
                    roots.add(site.call.dst)
                if any(root not in bits or shared & bits[root] for root in roots):
                    shared |= bit
        for exposure in site.exposures:
            if exposure.policy is Policy.ESCAPE or not self._scene.is_java:
                shared |= leads.get(exposure.path[0], 0)
        own = bits.get(site.call.dst, 0)
        if shared & bits.get(self._scene.handed_back.get(node, ""), 0):
            return shared | own
        return shared | own if own & self._mixed and node not in self._scene.made else shared & ~own

    def _is_found(self, name: str, source: str, node: int) -> bool:
        """Whether an instruction assigns something that the procedure has not made to a variable that may hold what it has."""
        return bool(self._bits.get(name, 0) & self._mixed) and source not in self._bits and not self._scene.makes(node)
