"""What a procedure may read, assign, keep and call, without regard to order.

Every variable is given the places that it may stand for, rooted at formals, the receiver or globals. Says
too much where a variable holds different things at different times, but for what is returned: of that only what the
variable may hold there counts. `?` at the end of a path stands for everything below.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import reached, reaching_definitions
from analyzers.handles.c.counting import counts
from analyzers.handles.c.types import is_plain_c, is_pointer
from analyzers.handles.callees import ANY_GLOBAL, CallSites
from analyzers.handles.java.functions import is_run
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.summaries import BELOW, AccessPath

MAX_DEPTH = 3
MAX_PLACES = 6
"""Places that one variable is followed to."""
MAX_ROUNDS = 4
MAX_STEPS = 64
"""Assignments that what is returned is followed back through."""
MAX_INNER = 400
"""Places below arguments that are told one by one."""

MAX_GLOBALS = 24
"""Globals of one procedure that are told apart."""


class Touches(msgspec.Struct, frozen=True):
    """See the fields of Effects of the same names."""

    reads: tuple[AccessPath, ...]
    writes: tuple[AccessPath, ...]
    retains: tuple[AccessPath, ...]
    aliases: tuple[str, ...]
    invokes: tuple[str, ...]
    is_known: bool


def find_touches(scene: Scene, sites: CallSites) -> Touches:
    """The closure over one procedure and the touches of its callees."""
    return _Finder(scene, sites).touches()


class _Finder:
    def __init__(self, scene: Scene, sites: CallSites) -> None:
        self.scene = scene
        self.sites = sites
        self.places: dict[str, tuple[AccessPath, ...]] = {"this": (("this",),)}
        for name, index in scene.formals.items():
            self.places[name] = ((f"${index}",),)
        self.reads: dict[AccessPath, None] = {}
        self.writes: dict[AccessPath, None] = {}
        self.retains: dict[AccessPath, None] = {}
        self.aliases: dict[str, None] = {}
        self.invokes: dict[str, None] = {}
        self.inner: dict[str, tuple[AccessPath, ...]] = {}
        """What the procedure puts into variables of its own, by the first of those that may lead to one another: who gets one of them, or
        what lies there, may get that."""
        self.is_known = True
        self.kin = {} if scene.is_java else _kin(scene.nodes)
        self.shared = frozenset(name for name, way in counts(scene, sites).values() if way == "up")
        self.exposed: dict[tuple[str, str], frozenset[int]] = {}
        self.stores: dict[tuple[str, str], set[int]] = {}
        for at in () if scene.is_java else scene.cfg.order:
            if isinstance(node := scene.nodes[at], ir.Store):
                self.stores.setdefault((node.base, node.field), set()).add(at)

    def touches(self) -> Touches:
        handing = [(node, index) for index in self.scene.cfg.order if _hands_on(node := self.scene.nodes[index])]
        for _ in range(MAX_ROUNDS):
            before = dict(self.places)
            for node, index in handing:
                self._flow(node, index)
            if before == self.places:
                break
        for index in self.scene.cfg.order:
            self._touch(self.scene.nodes[index], index)
        return Touches(
            _sorted(self.reads), _sorted(self.writes), _sorted(self.retains), tuple(sorted(self.aliases)),
            tuple(sorted(self.invokes)), self.is_known,
        )

    # --- what variables stand for

    def of(self, name: str) -> tuple[AccessPath, ...]:
        """The places that an operand may stand for."""
        return self.places.get(name, ())

    def _held_at(self, name: str, node: int) -> tuple[AccessPath, ...]:
        """The places that a variable may stand for where a node begins, by the assignments that reach it (`p = given; p = strdup(p);
        return p;`): fewer than `of` says."""
        found: dict[AccessPath, None] = {}
        seen, waiting = {(name, node)}, [(name, node)]
        while waiting:
            each, at = waiting.pop()
            variable, places = self.scene.variables.get(each), self.scene.definitions.get(each, ())
            if not places or variable is None or variable.is_address_taken or len(seen) > MAX_STEPS:
                found.update(dict.fromkeys(self.of(each)))
                continue
            for definition in reaching_definitions(self.scene.cfg, frozenset(places), at):
                if definition == ir.ENTRY:
                    found.update(dict.fromkeys([(f"${self.scene.formals[each]}",)] if each in self.scene.formals else []))
                    continue
                sources, others = self._sources(each, definition)
                found.update(dict.fromkeys(others))
                new = [(source, definition) for source in sources if (source, definition) not in seen]
                seen.update(new)
                waiting += new
        return tuple(found)

    def _sources(self, name: str, node: int) -> tuple[Sequence[str], tuple[AccessPath, ...]]:
        """The variables one of which another one is behind a node that assigns it, and what else it may stand for then."""
        match self.scene.nodes[node]:
            case ir.Copy(src=src):
                return (src,), ()
            case ir.Op(operator="cast" | "[]+", operands=operands) if operands:
                return operands[:1], ()
            case ir.Load(base=base, field=field):
                return (), (*self.below(base, field), *self._inside(base))
            case ir.LoadElement(base=base):
                return (), (*self.below(base, "[]"), *self._inside(base))
            case ir.Call():
                return [alias[0] for alias in self.sites.sites[node].aliases], ()
        return (), self.of(name)

    def below(self, base: str, field: str) -> tuple[AccessPath, ...]:
        """The places `base.field`."""
        if not base:
            return ((f"::{field}",),)
        address = self.scene.addresses.get(base)
        if address is not None:
            path = self.scene.normalise((base, field))
            bases = self.of(path[0])
            return tuple(_below(place, path[1:]) for place in bases) if len(path) > 1 else bases
        return tuple(_below(place, (field,)) for place in self.of(base))

    def _flow(self, node: ir.Instruction, index: int) -> None:
        match node:
            case ir.Copy(dst=dst, src=src):
                self._add(dst, self.of(src))
            case ir.Op(dst=dst, operator="cast" | "[]+", operands=operands) if operands:
                self._add(dst, self.of(operands[0]))
            case ir.Op(dst=dst, operator="|" | "&" | "^", operands=operands) if not self.scene.is_java:
                for each in operands:
                    # What a macro is given has no type.
                    if is_pointer(self.scene.type_of(each)) or (self.scene.body.kind == "macro" and each in self.scene.formals):
                        self._add(dst, self.of(each))  # a pointer in whose unused bits a number is kept
            case ir.Load(dst=dst, base=base, field=field):
                self._add(dst, (*self.below(base, field), *self._inside(base)))
            case ir.LoadElement(dst=dst, base=base):
                self._add(dst, (*self.below(base, "[]"), *self._inside(base)))
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if base and not self.scene.is_java:
                self._fill(base, self.of(src))
            case ir.AddressOf(dst=dst, base=base, field=field) if base:
                self._add(dst, self.below(base, field) if field else self.of(base))
            case ir.Call(dst=dst) if dst:
                for alias in self.sites.sites[index].aliases:
                    self._add(dst, self.of(alias[0]))

    def _add(self, name: str, places: tuple[AccessPath, ...]) -> None:
        known = self.places.get(name, ())
        if not all(place in known for place in places):
            self.places[name] = tuple(dict.fromkeys((*known, *places)))[:MAX_PLACES]

    def _fill(self, base: str, places: tuple[AccessPath, ...]) -> None:
        """What the procedure puts where only it can reach, so far."""
        name = self.kin.get(base, base)
        known = self.inner.get(name, ())
        if places and not self.of(base) and not all(place in known for place in places):
            self.inner[name] = tuple(dict.fromkeys((*known, *places)))[:MAX_PLACES]

    def _inside(self, name: str) -> tuple[AccessPath, ...]:
        """What was put into a variable, or where it points."""
        return self.inner.get(self.kin.get(name, name), ())

    # --- what happens to them

    def _touch(self, node: ir.Instruction, index: int) -> None:
        match node:
            case ir.Load(base=base, field=field):
                if not self._is_own(base, field, index):
                    self.reads.update(dict.fromkeys(self.below(base, field)))
            case ir.LoadElement(base=base):
                self.reads.update(dict.fromkeys(self.below(base, "[]")))
            case ir.Store(base=base, field=field, src=src):
                self._store(self.below(base, field), src)
                if field == "*" and not self.scene.is_java and self._is_into_a_block(base) and self._is_struct(src):
                    self.retains.update(dict.fromkeys(self.of(src)))
            case ir.StoreElement(base=base, src=src):
                self._store(self.below(base, "[]"), src)
            case ir.Return(src=src) if src not in self.shared:
                if any(_is_root(place) for place in self.of(src)):
                    self.aliases.update((place[0], None) for place in self._held_at(src, index) if _is_root(place))
            case ir.Call(receiver=receiver):
                if node.kind == "pointer" or (self.scene.is_java and is_run(self.scene, node)):
                    self.invokes.update((place[0], None) for place in self.of(receiver) if len(place) == 1)
                self._call(self.sites.sites[index])

    def _is_own(self, base: str, field: str, index: int) -> bool:
        """Whether what is read behind a formal of C is what the procedure itself has put there, on all ways: nothing of the caller's
        (`*out = malloc(n); if (!*out)`)."""
        scene = self.scene
        if scene.is_java or base not in scene.formals or base in scene.assigned_formals:
            return False
        before = self.exposed.get((base, field))
        if before is None:
            filling = self.stores.get((base, field), set())
            after = [() if at in filling else successors for at, successors in enumerate(scene.cfg.successors)]
            before = self.exposed[base, field] = reached(after, scene.cfg.order[0]) if filling else frozenset(scene.cfg.order)
        return index not in before

    def _is_into_a_block(self, base: str) -> bool:
        """Whether a struct that is assigned as a whole goes to where others may lead to, and so does what its members hold: not into a
        variable of the procedure's own."""
        place = self.scene.addresses.get(base, ())
        return not place or not self.scene.is_aggregate(place[0])

    def _is_struct(self, name: str) -> bool:
        """Whether a variable may be a struct itself, and no pointer or number."""
        written = "" if ir.is_literal(name) else self.scene.type_of(name)
        return bool(written) and "*" not in written and not is_plain_c(self.scene.c_types.plain(written))

    def _store(self, targets: tuple[AccessPath, ...], src: str) -> None:
        self.writes.update(dict.fromkeys(targets))
        if targets:
            self.retains.update(dict.fromkeys((*self.of(src), *self._inside(src))))

    def _call(self, site: CallSite) -> None:
        effects = site.effects
        for argument in site.call.args:
            path = self.scene.addresses.get(argument, ())
            if len(path) > 1:
                self.reads.update((_below(place, path[1:]), None) for place in self.of(path[0]))
        if effects is None:
            for exposure in site.exposures:
                inside = self._inside(exposure.path[0])
                self.is_known = self.is_known and not inside
                for place in (*self.of(exposure.path[0]), *inside):
                    for touched in (self.reads, self.writes, self.retains):
                        touched[_below(place, (BELOW,))] = None
                    self.retains[place] = None
            return
        translated: dict[AccessPath, tuple[AccessPath, ...]] = {}
        for paths, touched in (
            (effects.reads, self.reads), (effects.writes, self.writes), (effects.retains, self.retains)
        ):
            for path in paths:
                places = translated.get(path)
                if places is None:
                    places = translated[path] = self._translated(path, site)
                for place in places:
                    touched[place] = None
        for name in effects.invokes:
            self.invokes.update((place[0], None) for place in self._translated((name,), site) if len(place) == 1)

    def _translated(self, path: AccessPath, site: CallSite) -> tuple[AccessPath, ...]:
        if path[0][:2] == "::":
            return (path,)
        actual = site.actuals.get(path[0], "")
        if len(path) > 1 and actual in self.scene.addresses:
            named = self.scene.normalise((actual, *path[1:]))
            return tuple(_below(place, named[1:]) for place in self.of(named[0]))
        return tuple(_below(place, path[1:]) for place in self.of(actual))


def _kin(nodes: Sequence[ir.Instruction]) -> dict[str, str]:
    """Per variable of C the first of those that may point to what it points to, or to it: in a procedure that stores anything."""
    first: dict[str, str] = {}
    if not any(isinstance(each, ir.Store | ir.StoreElement) for each in nodes):
        return first

    def find(name: str) -> str:
        while (other := first.get(name, name)) != name:
            name = other
        return name

    for each in nodes:
        match each:
            case ir.Copy(dst=dst, src=other) | ir.AddressOf(dst=dst, base=other) | ir.Load(dst=dst, base=other) | ir.LoadElement(dst=dst, base=other):
                pass
            case ir.Op(dst=dst, operator="cast" | "[]+", operands=(other, *_)):
                pass
            case _:
                continue
        if other and not ir.is_literal(other) and find(dst) != find(other):
            first[find(dst)] = find(other)
    return {name: find(name) for name in first}


def _is_root(place: AccessPath) -> bool:
    """Whether a place is a formal or the receiver itself."""
    return len(place) == 1 and place[0][:2] != "::"


def _hands_on(node: ir.Instruction) -> bool:
    """Whether a variable may stand for something else after an instruction."""
    return isinstance(node, ir.Copy | ir.Op | ir.Load | ir.LoadElement | ir.Store | ir.StoreElement | ir.AddressOf | ir.Call)


def _below(place: AccessPath, fields: tuple[str, ...]) -> AccessPath:
    """The place below a place; all of it (`?`) where it gets deep or goes round in a recursive structure."""
    for field in fields:
        if place[-1] == BELOW:
            return place
        place = (*place, BELOW if field in place[1:] or len(place) > MAX_DEPTH else field)
    return place


def _sorted(paths: dict[AccessPath, None]) -> tuple[AccessPath, ...]:
    """Sorted; globals that are named like constants are left out, and many globals are any global, many places below the arguments
    whatever lies below them: procedures that call each other by the hundred touch all that there is."""
    inner = {path for path in paths if path[0][:2] != "::"}
    if len(inner) > MAX_INNER:
        inner = {path if len(path) == 1 else (path[0], BELOW) for path in inner}
    outer = {path for path in paths if path[0][:2] == "::" and not path[0].isupper()}
    return tuple(sorted(inner | (outer if len(outer) <= MAX_GLOBALS else {ANY_GLOBAL})))
