"""What a tree of C does with one member of a struct: who fills it, and whether anybody takes out what lies there.

Every procedure that names the member is looked at (`reading`). A release that makes room for the next fill is no drain, nor is one of an
object that its maker gives up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.destructors.reading import Body, Reading, Uses, is_of, plain, struct_of
from analyzers.domains.obligation import Limits
from analyzers.graphs.operands import operands
from analyzers.handles.c.elsewhere import frees_blocks
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_ender, is_freeing, words_of
from analyzers.queries import Linked, ProcedureKey, Queries, Target
from analyzers.source import Span

MAX_FILES = 30
MAX_PROCEDURES = 60
"""Files and procedures that may name a member."""

MAX_KEPT = 200
"""Procedures whose calls are kept resolved."""

_VALUES = "<file>"
"""The procedure that gives the variables of a file their first values; none where no variable has one."""

_FAR = 40
"""Bytes behind the name of a variable in which its first value begins."""

_DESCRIPTORS = frozenset(("descriptor", "fd", "fildes", "sock", "sockfd", "socket"))
"""Words in the names of members that hold descriptors."""


class Fill(msgspec.Struct, frozen=True):
    """A block that a procedure stores in a member: where it comes from."""

    key: ProcedureKey
    span: Span
    text: str
    resource: str


class Tree:
    """All procedures of a program, as far as they are asked for."""

    def __init__(self, queries: Queries) -> None:
        self.queries = queries
        self._bodies: dict[ProcedureKey, Body | None] = {}
        self._told: dict[tuple[str, str, str, str], Fill | None] = {}
        self._others: dict[tuple[str, str, str], bool] = {}
        self._stored: dict[str, dict[str, tuple[str, ...]]] = {}
        self._freeing: dict[tuple[str, str], bool] = {}

    def members(self, scene: Scene, written: str) -> tuple[str, ...]:
        """The members of a struct that may hold blocks: as declared, else those that procedures of the same file store to."""
        declared = scene.c_types.declared(written)
        if declared is not None:
            fields = declared.fields if declared.kind == "struct" else ()
            return tuple(each.name for each in fields if each.name and _may_hold(each))
        owner, path = struct_of(scene, written), scene.linked.key.path
        if path not in self._stored:
            self._stored[path] = self._stores_of(path)
        return self._stored[path].get(owner, ())

    def freeing(self, linked: Linked) -> frozenset[str]:
        """The callees of a procedure that nobody knows and that free a block, and no more."""
        names = {
            node.name for at, node in enumerate(linked.body.nodes)
            if isinstance(node, ir.Call) and len(node.args) == 1 and is_ender(node.name) and self._is_strange(linked.targets.get(at))
        }
        return frozenset(name for name in names if self._frees(linked.key, name))

    def _frees(self, key: ProcedureKey, name: str) -> bool:
        if (key.path, name) not in self._freeing:
            self._freeing[key.path, name] = frees_blocks(self.queries, key, name)
        return self._freeing[key.path, name]

    def _is_strange(self, target: Target | None) -> bool:
        return target is None or not (target.procedures or self.queries.model(target.models, target.parameters))

    def _stores_of(self, path: str) -> dict[str, tuple[str, ...]]:
        """The members that procedures of a file store to, by what they call the struct."""
        unit = self.queries.unit(path)
        found: dict[str, dict[str, None]] = {}
        for each in unit.procedures if unit is not None else ():
            body = self.queries.procedure(ProcedureKey(path, each.name))
            types = {variable.name: variable.type for variable in body.variables} if body is not None else {}
            for node in body.nodes if body is not None else ():
                if not isinstance(node, ir.Store) or ir.is_literal(node.src) or not types.get(node.base):
                    continue
                if node.field != "*" and "." not in node.field:
                    found.setdefault(plain(types[node.base]), {})[node.field] = None
        return {owner: tuple(members) for owner, members in found.items()}

    def forgotten(self, scene: Scene, owner: str, member: str) -> Fill | None:
        """The first fill of a member that nobody takes out but who ends the whole object; None where there is none, or that is not known."""
        return self._ask(scene, owner, member, is_drained)

    def never_taken(self, scene: Scene, owner: str, member: str) -> Fill | None:
        """The same where nobody at all takes it out."""
        return self._ask(scene, owner, member, _is_taken)

    def readings(self, scene: Scene, owner: str, member: str, *, with_strangers: bool = False) -> list[tuple[ProcedureKey, Body, Uses]]:
        """What each procedure does with a member; none where somebody does what is not understood, or they are too many."""
        found = []
        for each in self.uses(scene, owner, member, with_strangers=with_strangers):
            if each[2].is_open:
                return []
            found.append(each)
        return found

    def uses(self, scene: Scene, owner: str, member: str, *, with_strangers: bool = False) -> Iterator[tuple[ProcedureKey, Body, Uses]]:
        """What each procedure does with a member, understood or not; none where they are too many."""
        path = scene.linked.key.path
        home = self._home(path, owner) if owner else path
        for key in (each for each in self._naming(member, home) if home or not self._is_another(path, each.path, owner)):
            body = self._body(key, owner, member)
            if body is not None:
                yield key, body, Reading(body, owner, member, with_strangers=with_strangers).uses()

    def statics(self, path: str) -> frozenset[str]:
        """The variables of a file that no other file can name, and that are empty at first."""
        unit = self.queries.unit(path)
        own = [each for each in unit.globals if "static" in each.attributes] if unit is not None else []
        has_values = unit is not None and any(each.name == _VALUES for each in unit.procedures)
        filled = {each.name for each in own if has_values and not self._is_empty(path, each)}
        return frozenset(each.name for each in own) - filled

    def _is_empty(self, path: str, declared: ir.FieldDeclaration) -> bool:
        """Whether a variable is declared without a value, or as null."""
        behind = self.queries.text(ProcedureKey(path, _VALUES), declared.end, declared.end + _FAR).lstrip()
        return behind[:1] in (";", ",") or (behind[:1] == "=" and behind[1:].lstrip().startswith(("NULL", "0")))

    def holding(self, scene: Scene, owner: str, member: str) -> list[tuple[ProcedureKey, Scene, dict[int, CallSite]]]:
        """The procedures that touch a member, with their calls; those of the same file where the others are too many."""
        path = scene.linked.key.path
        home = self._home(path, owner)
        found = []
        for key in self._naming(member, home) or self._naming(member, path):
            body = self._body(key, owner, member) if home or not self._is_another(path, key.path, owner) else None
            if body is not None:
                found.append((key, body.scene, body.sites.sites))
        return found

    def _ask(self, scene: Scene, owner: str, member: str, taken: Callable[[Body, Uses], bool]) -> Fill | None:
        path = scene.linked.key.path
        home = self._home(path, owner)
        key = (owner, member, home or path, taken.__name__)
        if key not in self._told:
            keys = [each for each in self._naming(member, home) if home or not self._is_another(path, each.path, owner)]
            self._told[key] = self._forgotten(owner, member, keys, taken)
        return self._told[key]

    def _is_another(self, path: str, other: str, owner: str) -> bool:
        """Whether a struct of another file only has the same name."""
        key = (path, other, owner)
        if key not in self._others:
            here, there = (self.queries.c_type(each, owner) for each in (path, other))
            self._others[key] = here is not None and there is not None and bool(there.fields) and _fields(here) != _fields(there)
        return self._others[key]

    def _home(self, path: str, owner: str) -> str:
        """The file that declares a struct for itself, which is no header: nobody else knows its members."""
        unit = self.queries.unit(path) if path.endswith(".c") else None
        is_own = unit is not None and any(each.name == owner and each.fields for each in unit.types)
        return path if is_own else ""

    def _naming(self, member: str, home: str) -> tuple[ProcedureKey, ...]:
        """The procedures that may name a member; none where they are too many."""
        if home:
            unit = self.queries.unit(home)
            keys = [ProcedureKey(home, each.name) for each in unit.procedures] if unit is not None else []
            return tuple(key for key in keys if member.encode() in self.queries.source_of(key))
        if len(self.queries.mentioning(member)) > MAX_FILES:
            return ()
        keys = list(self.queries.callers(member))
        return tuple(keys) if len(keys) <= MAX_PROCEDURES else ()

    def _forgotten(
        self, owner: str, member: str, keys: Iterable[ProcedureKey], taken: Callable[[Body, Uses], bool]
    ) -> Fill | None:
        fills: list[Fill] = []
        for key in keys:
            body = self._body(key, owner, member)
            if body is None:
                continue
            uses = Reading(body, owner, member).uses()
            if uses.is_open or taken(body, uses):
                return None
            fills += [self.fill(body, *each[1:]) for each in uses.fills]
        return min(fills, key=lambda each: each.span, default=None)

    def is_drained_in(self, key: ProcedureKey, owner: str, member: str) -> bool:
        """Whether one procedure takes anything out of a member or returns it, or nobody knows."""
        body = self._body(key, owner, member)
        uses = Reading(body, owner, member).uses() if body is not None else None
        return uses is not None and (uses.is_open or uses.is_returned or bool(uses.drains))

    def fill(self, body: Body, node: int, resource: str) -> Fill:
        """The fill of a member with what an instruction makes."""
        linked = body.scene.linked
        instruction = body.scene.nodes[node]
        span = Span(linked.key.path, linked.body.start + instruction.start, linked.body.start + instruction.end)
        text = " ".join(self.queries.text(linked.key, instruction.start, instruction.end).split())[:60]
        return Fill(linked.key, span, text, resource)

    def _body(self, key: ProcedureKey, owner: str, member: str) -> Body | None:
        """A procedure that touches the member of this struct, as far as types tell."""
        found = self._bodies.get(key)
        if key in self._bodies and found is None:
            return None
        if found is None:
            linked = self.queries.linked(key)
            if linked is None or linked.language != "c":
                self._bodies[key] = None
                return None
            scene = Scene(linked, self.queries, Limits())
            if not any(is_of(scene, node, owner, member) for node in scene.nodes):
                return None
            if len(self._bodies) > MAX_KEPT:
                self._bodies.clear()
            found = self._bodies[key] = Body(scene, CallSites(scene), self.freeing(linked))
        return found if any(is_of(found.scene, node, owner, member) for node in found.scene.nodes) else None


def _may_hold(field: ir.FieldDeclaration) -> bool:
    """Whether a member is a pointer, or a number that is called a descriptor."""
    if "*" in field.type:
        return "(" not in field.type
    return field.type.split()[-1:] == ["int"] and not _DESCRIPTORS.isdisjoint(words_of(field.name))


def _fields(declared: ir.TypeDeclaration) -> list[tuple[str, str]]:
    return [(each.name, each.type) for each in declared.fields]


def _is_taken(body: Body, uses: Uses) -> bool:
    """Whether anything is taken out for good."""
    return any(_reaches_exit(body.scene, [node], uses.refills) and not _makes_room(body.scene, node, uses.refills) for node, _ in uses.drains)


def is_drained(body: Body, uses: Uses) -> bool:
    """Whether anything is taken out for good, but where the procedure ends the whole object itself."""
    ended = ended_in(body)
    for node, base in uses.drains:
        if not _reaches_exit(body.scene, [node], uses.refills) or _makes_room(body.scene, node, uses.refills):
            continue
        if not ended.get(base, set()).isdisjoint(body.scene.cfg.reachable_from(node)):
            continue
        return True
    return False


def ended_in(body: Body) -> dict[str, set[int]]:
    """The variables whose objects a procedure ends as a whole, and where."""
    ended: dict[str, set[int]] = {}
    for node, site in body.sites.sites.items():
        for move in site.moves:
            if len(move.entry) == 1 and any(each.fate == "released" for each in move.outcomes) and _is_plain(body, node, move.entry[0]):
                ended.setdefault(move.entry[0], set()).add(node)
        if is_named_end(site, body.freeing):
            ended.setdefault(site.call.args[0], set()).add(node)
    return ended


def _is_plain(body: Body, node: int, name: str) -> bool:
    """Whether a call ends an object as a whole, and nothing in it."""
    site = body.sites.sites[node]
    if site.is_library:
        return True
    root = f"${site.call.args.index(name)}" if name in site.call.args else ""
    return is_plain_end(body.scene.queries, body.scene.linked.targets[node], root)


def is_plain_end(queries: Queries, target: Target, root: str) -> bool:
    """Whether functions of the program free what any pointer leads to (`void xfree(void *)`)."""
    if root and target.procedures and not target.parameters:
        return all(_hands_to_plain_end(queries, key, int(root[1:])) for key in target.procedures)
    position = int(root[1:]) if root else len(target.parameters)
    if not target.procedures or position >= len(target.parameters) or target.parameters[position].split() != ["void", "*"]:
        return False
    ends = [each for key in target.procedures for each in queries.effects(key).transfers if each.entry == (root,)]
    fates = {outcome.fate for each in ends for outcome in each.outcomes}
    is_named = all(is_freeing(key.name) for key in target.procedures)
    return len(ends) >= len(target.procedures) and (fates == {"released"} or (is_named and fates == {"released", "retained"}))


def _hands_to_plain_end(queries: Queries, key: ProcedureKey, position: int) -> bool:
    """Whether a macro passes its argument on to what frees it, and to nobody else (`#define mem_free(p) xfree((p))`): its parameters have no types."""
    linked = queries.linked(key)
    if linked is None or linked.body.kind != "macro" or position >= len(linked.body.parameters):
        return False
    formal, nodes = linked.body.parameters[position], linked.body.nodes
    given = [(at, node) for at, node in enumerate(nodes) if formal in operands(node) and not isinstance(node, ir.Branch)]
    if len(given) != 1 or not isinstance(call := given[0][1], ir.Call) or call.args.count(formal) != 1:
        return False
    target, root = linked.targets.get(given[0][0]), f"${call.args.index(formal)}"
    if target is None:
        return False
    if target.procedures:
        return bool(target.parameters) and is_plain_end(queries, target, root)
    model = queries.model(target.models, target.parameters)
    return model is not None and any(each.entry == (root,) and all(one.fate == "released" for one in each.outcomes) for each in model.transfers)


def is_named_end(site: CallSite, freeing: frozenset[str]) -> bool:
    """Whether a function that nobody knows is named like one that frees what it is passed, and no more."""
    return site.effects is None and len(site.call.args) == 1 and (is_freeing(site.call.name) or site.call.name in freeing)


def _makes_room(scene: Scene, drain: int, refills: set[int]) -> bool:
    """Whether what is taken out may be replaced later in the same procedure, and nothing that it has put there itself is taken out."""
    after = scene.cfg.reachable_from(drain)
    return any(each in after for each in refills) and not any(drain in scene.cfg.reachable_from(each) for each in refills)


def _reaches_exit(scene: Scene, starts: Iterable[int], stops: set[int]) -> bool:
    """Whether the procedure may end after a node without coming by any of some others."""
    seen: set[int] = set()
    waiting = [each for start in starts for each in scene.cfg.normal[start]]
    while waiting:
        node = waiting.pop()
        if node == ir.EXIT:
            return True
        if node in seen or node in stops:
            continue
        seen.add(node)
        waiting.extend(scene.cfg.normal[node])
    return False
