"""What a tree of C does with one member of a struct: who fills it, and whether anybody takes out what lies there.

Every procedure that names the member is looked at. A fill is a store of what a call has acquired; a drain any way on which what
was read from the member may be released, kept elsewhere or handed on. A release that makes room for the next fill is none,
nor is one of an object that its maker gives up. Whatever is not understood is a drain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.domains.obligation import Limits
from analyzers.graphs.operands import operands
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy, is_const_pointer, is_freeing, words_of
from analyzers.queries import ProcedureKey, Queries, Target
from analyzers.source import Span

MAX_FILES = 30
MAX_PROCEDURES = 60
"""Files and procedures that may name a member."""

MAX_KEPT = 200
"""Procedures whose calls are kept resolved."""

_NOTHING = frozenset(("=null", "=0", "=-1"))
"""What stands where nothing is held."""

_DESCRIPTORS = frozenset(("descriptor", "fd", "fildes", "sock", "sockfd", "socket"))
"""Words in the names of members that hold descriptors."""

_COMPARING = frozenset(("==", "!=", "<", ">", "<=", ">="))


class Fill(msgspec.Struct, frozen=True):
    """A block that a procedure stores in a member: where it comes from."""

    key: ProcedureKey
    span: Span
    text: str
    resource: str


class _Body(msgspec.Struct, frozen=True):
    """A procedure with its calls resolved."""

    scene: Scene
    sites: CallSites


class _Uses(msgspec.Struct):
    """What one procedure does with a member."""

    fills: list[tuple[int, int, str]]
    refills: set[int]
    drains: list[tuple[int, str]]
    is_open: bool = False
    is_returned: bool = False


class Tree:
    """All procedures of a program, as far as they are asked for."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._bodies: dict[ProcedureKey, _Body | None] = {}
        self._told: dict[tuple[str, str, str, str], Fill | None] = {}
        self._others: dict[tuple[str, str, str], bool] = {}
        self._stored: dict[str, dict[str, tuple[str, ...]]] = {}

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

    def _stores_of(self, path: str) -> dict[str, tuple[str, ...]]:
        """The members that procedures of a file store to, by what they call the struct."""
        unit = self._queries.unit(path)
        found: dict[str, dict[str, None]] = {}
        for each in unit.procedures if unit is not None else ():
            body = self._queries.procedure(ProcedureKey(path, each.name))
            types = {variable.name: variable.type for variable in body.variables} if body is not None else {}
            for node in body.nodes if body is not None else ():
                if not isinstance(node, ir.Store) or ir.is_literal(node.src) or not types.get(node.base):
                    continue
                if node.field != "*" and "." not in node.field:
                    found.setdefault(_plain(types[node.base]), {})[node.field] = None
        return {owner: tuple(members) for owner, members in found.items()}

    def forgotten(self, scene: Scene, owner: str, member: str) -> Fill | None:
        """The first fill of a member that nobody takes out but who ends the whole object; None where there is none, or that is not known."""
        return self._ask(scene, owner, member, _is_drained)

    def never_taken(self, scene: Scene, owner: str, member: str) -> Fill | None:
        """The same where nobody at all takes it out."""
        return self._ask(scene, owner, member, _is_taken)

    def readings(self, scene: Scene, owner: str, member: str) -> list[tuple[ProcedureKey, _Body, _Uses]]:
        """What each procedure does with a member; none where somebody does what is not understood, or they are too many."""
        path = scene.linked.key.path
        home = self._home(path, owner)
        found = []
        for key in (each for each in self._naming(member, home) if home or not self._is_another(path, each.path, owner)):
            body = self._body(key, owner, member)
            if body is not None:
                uses = _Reading(body, owner, member).uses()
                if uses.is_open:
                    return []
                found.append((key, body, uses))
        return found

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

    def _ask(self, scene: Scene, owner: str, member: str, taken: Callable[[_Body, _Uses], bool]) -> Fill | None:
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
            here, there = (self._queries.c_type(each, owner) for each in (path, other))
            self._others[key] = here is not None and there is not None and bool(there.fields) and _fields(here) != _fields(there)
        return self._others[key]

    def _home(self, path: str, owner: str) -> str:
        """The file that declares a struct for itself, which is no header: nobody else knows its members."""
        unit = self._queries.unit(path) if path.endswith(".c") else None
        is_own = unit is not None and any(each.name == owner and each.fields for each in unit.types)
        return path if is_own else ""

    def _naming(self, member: str, home: str) -> tuple[ProcedureKey, ...]:
        """The procedures that may name a member; none where they are too many."""
        if home:
            unit = self._queries.unit(home)
            keys = [ProcedureKey(home, each.name) for each in unit.procedures] if unit is not None else []
            return tuple(key for key in keys if member.encode() in self._queries.source_of(key))
        if len(self._queries.mentioning(member)) > MAX_FILES:
            return ()
        keys = list(self._queries.callers(member))
        return tuple(keys) if len(keys) <= MAX_PROCEDURES else ()

    def _forgotten(
        self, owner: str, member: str, keys: Iterable[ProcedureKey], taken: Callable[[_Body, _Uses], bool]
    ) -> Fill | None:
        fills: list[Fill] = []
        for key in keys:
            body = self._body(key, owner, member)
            if body is None:
                continue
            uses = _Reading(body, owner, member).uses()
            if uses.is_open or taken(body, uses):
                return None
            fills += [self._fill(body, *each[1:]) for each in uses.fills]
        return min(fills, key=lambda each: each.span, default=None)

    def is_drained_in(self, key: ProcedureKey, owner: str, member: str) -> bool:
        """Whether one procedure takes anything out of a member or returns it, or nobody knows."""
        body = self._body(key, owner, member)
        uses = _Reading(body, owner, member).uses() if body is not None else None
        return uses is not None and (uses.is_open or uses.is_returned or bool(uses.drains))

    def _fill(self, body: _Body, node: int, resource: str) -> Fill:
        linked = body.scene.linked
        instruction = body.scene.nodes[node]
        span = Span(linked.key.path, linked.body.start + instruction.start, linked.body.start + instruction.end)
        text = " ".join(self._queries.text(linked.key, instruction.start, instruction.end).split())[:60]
        return Fill(linked.key, span, text, resource)

    def _body(self, key: ProcedureKey, owner: str, member: str) -> _Body | None:
        """A procedure that touches the member of this struct, as far as types tell."""
        found = self._bodies.get(key)
        if key in self._bodies and found is None:
            return None
        if found is None:
            linked = self._queries.linked(key)
            if linked is None or linked.language != "c":
                self._bodies[key] = None
                return None
            scene = Scene(linked, self._queries, Limits())
            if not any(is_of(scene, node, owner, member) for node in scene.nodes):
                return None
            if len(self._bodies) > MAX_KEPT:
                self._bodies.clear()
            found = self._bodies[key] = _Body(scene, CallSites(scene))
        return found if any(is_of(found.scene, node, owner, member) for node in found.scene.nodes) else None


def _may_hold(field: ir.FieldDeclaration) -> bool:
    """Whether a member is a pointer, or a number that is called a descriptor."""
    if "*" in field.type:
        return "(" not in field.type
    return field.type.split()[-1:] == ["int"] and not _DESCRIPTORS.isdisjoint(words_of(field.name))


def struct_of(scene: Scene, written: str) -> str:
    """The name of the struct that a type leads to, or the type itself where nobody declares it; empty where it is not known."""
    return (scene.c_types.struct_name(written) if written else "") or _plain(written)


def _plain(written: str) -> str:
    """A type without its qualifiers and stars."""
    return " ".join(word for word in written.replace("*", " ").split() if word not in ("const", "volatile", "struct", "register", "static"))


def is_of(scene: Scene, node: ir.Instruction, owner: str, member: str) -> bool:
    """Whether an instruction is about a member, by the types that are known."""
    if not isinstance(node, ir.Load | ir.Store | ir.AddressOf) or node.field.rpartition(".")[2] != member:
        return False
    parts = node.field.split(".")[:-1]
    written = scene.type_of(node.base)
    if not node.base and parts:
        written = scene.queries.variable_type(scene.linked.key.path, parts.pop(0))
    for part in parts:
        written = scene.c_types.member(written, part)
    return struct_of(scene, written) in ("", owner)


class _Reading:
    """Looks at one procedure."""

    def __init__(self, body: _Body, owner: str, member: str) -> None:
        self._scene = body.scene
        self._sites = body.sites.sites
        self._own = {at for at in body.scene.cfg.order if is_of(body.scene, body.scene.nodes[at], owner, member)}
        self._nodes = [(at, body.scene.nodes[at]) for at in body.scene.cfg.order]
        self._found = _Uses([], set(), [])

    def uses(self) -> _Uses:
        """What it does with the member."""
        for at in sorted(self._own):
            match self._scene.nodes[at]:
                case ir.Load(dst=dst, base=base):
                    self._follow(at, dst, base)
                case ir.Store(base=base, src=src):
                    self._stored(at, src, base)
                case ir.AddressOf(dst=dst, base=base):
                    self._addressed(dst, base)
        return self._found

    # --- what is put there

    def _stored(self, at: int, src: str, base: str) -> None:
        if src in _NOTHING:
            return
        origins = self._origins(src, set())
        if origins is None or self._is_shared(src) or self._is_link_back(src, base):
            self._found.is_open = True
            return
        self._found.refills.add(at)
        self._found.fills += [(at, node, resource) for node, resource in origins]

    def _origins(self, name: str, seen: set[str]) -> list[tuple[int, str]] | None:
        """The calls that a value comes from; None where it may be somebody else's."""
        if name in _NOTHING:
            return []
        if ir.is_literal(name) or name in self._scene.formals or name in seen:
            return [] if name in seen else None
        seen.add(name)
        found: list[tuple[int, str]] = []
        for node in self._scene.definitions.get(name, ()):
            made = self._origin(node, seen)
            if made is None:
                return None
            found += made
        filled = self._filled(name)
        if filled is None:
            return None
        return [*found, *filled] if filled or self._scene.definitions.get(name) else None

    def _filled(self, name: str) -> list[tuple[int, str]] | None:
        """The calls that store what they acquire in a variable whose address they get; None where others get it, too."""
        pointers = {pointer for pointer, place in self._scene.addresses.items() if place == (name,)}
        found: list[tuple[int, str]] = []
        for at, node in self._nodes:
            if not isinstance(node, ir.Call) or pointers.isdisjoint(node.args):
                continue
            made = [resource for pointer in node.args if pointer in pointers for resource in self._acquired(at, pointer)]
            if not made:
                return None
            found += [(at, resource) for resource in made]
        return found

    def _origin(self, node: int, seen: set[str]) -> list[tuple[int, str]] | None:
        instruction = self._scene.nodes[node]
        if node in self._own and isinstance(instruction, ir.Load):
            return []
        if isinstance(instruction, ir.Call):
            resource = _given(self._sites[node]) if not self._is_registered(instruction) else ""
            return [(node, resource)] if resource else None
        if isinstance(instruction, ir.Copy) and instruction.src in _NOTHING:
            return []
        source = identity(instruction)
        return self._origins(source, seen) if source and not _is_moved(instruction) else None

    def _is_registered(self, call: ir.Call) -> bool:
        """Whether what makes the value gets the object that it is stored in, too: then the two may know each other."""
        bases = {node.base for at, node in self._nodes if at in self._own and isinstance(node, ir.Store)}
        return not bases.isdisjoint(call.args)

    def _is_shared(self, src: str) -> bool:
        """Whether what is stored has another owner, too."""
        names = self._names_of(src)
        for at, node in self._nodes:
            match node:
                case ir.Store(src=value) if value in names and at not in self._own:
                    return True
                case ir.StoreElement(src=value) | ir.Return(src=value) if value in names:
                    return True
                case ir.Call() as call if not names.isdisjoint(call.args) and self._taken(at, names) == "drained" and not self._is_failure(at):
                    return True
                case _:
                    continue
        return False

    def _is_link_back(self, src: str, base: str) -> bool:
        """Whether what is stored leads to the object that it is stored in (`a->next = b; b->prev = a`): who ends the one by
        its members ends the other."""
        names, holders = self._names_of(src), self._names_of(base)
        return any(isinstance(node, ir.Store) and node.base in names and node.src in holders for _, node in self._nodes)

    def _is_failure(self, at: int) -> bool:
        """Whether what was made is given up again at a node, before it was stored."""
        reached = self._scene.cfg.reachable_from(at)
        return not any(each in reached and isinstance(self._scene.nodes[each], ir.Store) for each in self._own)

    def _names_of(self, name: str) -> set[str]:
        """A variable, and what it is a copy of."""
        found, waiting = {name}, [name]
        while waiting:
            for node in self._scene.definitions.get(waiting.pop(), ()):
                source = identity(self._scene.nodes[node])
                if source and source not in found:
                    found.add(source)
                    waiting.append(source)
        return found

    def _addressed(self, pointer: str, base: str) -> None:
        """The address of the member is taken: a call that is known fills it, or nobody knows what happens."""
        readers = [at for at, node in self._nodes if isinstance(node, ir.Call) and pointer in node.args]
        others = [
            node for _, node in self._nodes
            if not isinstance(node, ir.Call | ir.AddressOf) and pointer in operands(node)
        ]
        if others or not readers:
            self._found.is_open = True
            return
        for at in readers:
            made = self._acquired(at, pointer)
            if not made:
                self._found.is_open = True
                return
            self._found.refills.add(at)
            self._found.fills += [(at, at, resource) for resource in made]

    def _acquired(self, at: int, pointer: str) -> list[str]:
        """The resources that a call stores where an argument points to, and nowhere else."""
        site = self._sites[at]
        place = (f"${site.call.args.index(pointer)}", "*")
        return [each.resource for each in site.acquired if all(path == place for outcome in each.outcomes for path in outcome.paths)]

    # --- what becomes of what lies there

    def _follow(self, at: int, dst: str, base: str) -> None:
        """Follow what was read from the member."""
        names, waiting = {dst}, [dst]
        while waiting:
            name = waiting.pop()
            for node, instruction in self._nodes:
                if name not in operands(instruction):
                    continue
                gained = self._step(node, instruction, name, base)
                waiting += [each for each in gained if each not in names]
                names.update(gained)

    def _step(self, node: int, instruction: ir.Instruction, name: str, base: str) -> tuple[str, ...]:
        match instruction:
            case ir.Copy(dst=dst):
                return (dst,)
            case ir.Op(dst=dst, operator=operator) if operator not in _COMPARING:
                return (dst,)
            case ir.Store(src=src) if src == name and node not in self._own and not self._is_number(instruction):
                self._found.drains.append((node, base))
            case ir.StoreElement(src=src) if src == name:
                self._found.drains.append((node, base))
            case ir.Return():
                self._found.is_returned = True
                if any(isinstance(each := self._scene.nodes[at], ir.Store) and ir.is_literal(each.src) for at in self._own):
                    self._found.drains.append((node, base))
            case ir.Call(args=args, dst=dst) if name in args:
                taken = self._taken(node, {name})
                if taken == "drained":
                    self._found.drains.append((node, base))
                elif taken == "remade":
                    return (dst,) if dst else ()
            case _:
                pass
        return ()

    def _is_number(self, store: ir.Store) -> bool:
        """Whether a place holds numbers only: what is stored there leads nowhere."""
        if not store.base or "." in store.field:
            return False
        plain = self._scene.c_types.plain(self._scene.c_types.member(self._scene.type_of(store.base), store.field))
        return is_plain_c(plain) or plain.split()[-1:] in (["int"], ["unsigned"])

    def _only_reads(self, node: int, numbers: Sequence[int]) -> bool:
        """Whether a call declares for all of these arguments that it changes nothing of what they point to: who keeps it
        is not the one to free it."""
        target = self._scene.linked.targets.get(node)
        parameters = target.parameters if target is not None else ()
        return all(number < len(parameters) and is_const_pointer(parameters[number]) for number in numbers)

    def _taken(self, node: int, names: set[str]) -> str:
        """What a call does with an argument: «borrowed», «remade» or «drained»."""
        site = self._sites[node]
        numbers = [number for number, each in enumerate(site.call.args) if each in names]
        positions = {f"${number}" for number in numbers}
        only_reads = self._only_reads(node, numbers)
        if not only_reads:
            if site.effects is not None and any(path[0] in positions and len(path) == 1 for path in site.effects.retains):
                return "drained"
            if any(each.path[0] in names and each.policy is Policy.ESCAPE for each in site.exposures):
                return "drained"
        answer = "borrowed"
        for move in site.moves:
            if move.entry[0] not in names:
                continue
            for outcome in move.outcomes:
                if outcome.fate == "held" and all(path == ("$ret",) or path[0] in positions for path in outcome.paths):
                    answer = "remade" if ("$ret",) in outcome.paths else answer
                elif len(move.entry) == 1 and outcome.fate != "lost" and not (only_reads and outcome.fate == "retained"):
                    is_told = site.is_library or site.is_declared
                    return "remade" if _remakes(move.outcomes) or (is_told and _given(site)) else "drained"
        return answer


def _remakes(outcomes: Iterable[object]) -> bool:
    return any(("$ret",) in getattr(each, "paths", ()) for each in outcomes)


def _given(site: CallSite) -> str:
    """The resource that a call gives in its result, and nowhere else; empty for none."""
    for transfer in site.acquired:
        if all(outcome.paths == (("$ret",),) for outcome in transfer.outcomes):
            return transfer.resource
    for move in site.moves:
        if len(move.entry) == 1 and move.resource and _remakes(move.outcomes):
            return move.resource
    return ""


def _is_moved(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Op) and instruction.operator != "cast"


def _fields(declared: ir.TypeDeclaration) -> list[tuple[str, str]]:
    return [(each.name, each.type) for each in declared.fields]


def _is_taken(body: _Body, uses: _Uses) -> bool:
    """Whether anything is taken out for good."""
    return any(_reaches_exit(body.scene, [node], uses.refills) and not _makes_room(body.scene, node, uses.refills) for node, _ in uses.drains)


def _is_drained(body: _Body, uses: _Uses) -> bool:
    """Whether anything is taken out for good, but where the procedure ends the whole object itself."""
    ended: dict[str, set[int]] = {}
    for node, site in body.sites.sites.items():
        for move in site.moves:
            if len(move.entry) == 1 and any(each.fate == "released" for each in move.outcomes) and _is_plain(body, node, move.entry[0]):
                ended.setdefault(move.entry[0], set()).add(node)
        if is_named_end(site):
            ended.setdefault(site.call.args[0], set()).add(node)
    for node, base in uses.drains:
        if not _reaches_exit(body.scene, [node], uses.refills) or _makes_room(body.scene, node, uses.refills):
            continue
        if not ended.get(base, set()).isdisjoint(body.scene.cfg.reachable_from(node)):
            continue
        return True
    return False


def _is_plain(body: _Body, node: int, name: str) -> bool:
    """Whether a call ends an object as a whole, and nothing in it."""
    site = body.sites.sites[node]
    if site.is_library:
        return True
    root = f"${site.call.args.index(name)}" if name in site.call.args else ""
    return is_plain_end(body.scene.queries, body.scene.linked.targets[node], root)


def is_plain_end(queries: Queries, target: Target, root: str) -> bool:
    """Whether functions of the program free what any pointer leads to (`void xfree(void *)`)."""
    position = int(root[1:]) if root else len(target.parameters)
    if not target.procedures or position >= len(target.parameters) or target.parameters[position].split() != ["void", "*"]:
        return False
    ends = [each for key in target.procedures for each in queries.effects(key).transfers if each.entry == (root,)]
    fates = {outcome.fate for each in ends for outcome in each.outcomes}
    is_named = all(is_freeing(key.name) for key in target.procedures)
    return len(ends) >= len(target.procedures) and (fates == {"released"} or (is_named and fates == {"released", "retained"}))


def is_named_end(site: CallSite) -> bool:
    """Whether a function that nobody knows is named like one that frees what it is passed, and no more."""
    return site.effects is None and is_freeing(site.call.name) and len(site.call.args) == 1


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
