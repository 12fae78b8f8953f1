"""What one procedure of C does with a member of a struct.

A fill is a store of what a call has acquired; a drain any way on which what was read from the member may be released, kept
elsewhere or handed on. Whatever is not understood makes the member open: nothing is told of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.callees import CallSites
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import Policy, is_const_pointer, is_ender

_NOTHING = frozenset(("=null", "=0", "=-1"))
"""What stands where nothing is held."""

_COMPARING = frozenset(("==", "!=", "<", ">", "<=", ">="))


class Body(msgspec.Struct, frozen=True):
    """A procedure with its calls resolved, and the names of the callees that nobody knows and that free whatever they get."""

    scene: Scene
    sites: CallSites
    freeing: frozenset[str] = frozenset()


Place = tuple[str, int]
"""A callee that nobody knows, and the number of an argument of its (`RESULT` for what it returns); no name for a parameter of the procedure."""

RESULT = -1


class Uses(msgspec.Struct):
    """What one procedure does with a member: with what calls that are known put there and take out, and, where strangers are let in, where
    those put something there (the store, where it comes from), and which of them get what lies there."""

    fills: list[tuple[int, int, str]]
    refills: set[int]
    drains: list[tuple[int, str]]
    is_open: bool = False
    is_returned: bool = False
    strange: list[tuple[int, int, Place]] = msgspec.field(default_factory=list)
    given: list[tuple[int, Place]] = msgspec.field(default_factory=list)


_BOUNDS = re.compile(r"\s*\[[^\[\]]*\]")
"""The bounds of an array, whose elements are of the struct."""


def struct_of(scene: Scene, written: str) -> str:
    """The name of the struct that a type leads to, or the type itself where nobody declares it; empty where it is not known."""
    written = _BOUNDS.sub("", written)
    return (scene.c_types.struct_name(written) if written else "") or plain(written)


def plain(written: str) -> str:
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


class Reading:
    """Looks at one procedure."""

    def __init__(self, body: Body, owner: str, member: str, *, with_strangers: bool = False) -> None:
        self._with_strangers = with_strangers
        self._scene = body.scene
        self._sites = body.sites.sites
        self._own = {at for at in body.scene.cfg.order if is_of(body.scene, body.scene.nodes[at], owner, member)}
        self._nodes = [(at, body.scene.nodes[at]) for at in body.scene.cfg.order]
        self._found = Uses([], set(), [])

    def uses(self) -> Uses:
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
        strange = self._strange(src) if origins is None and self._with_strangers else []
        if strange and not self._is_shared(src) and not self._is_link_back(src, base):
            self._found.refills.add(at)
            self._found.strange += [(at, node, place) for node, place in strange]
            return
        if origins is None or self._is_shared(src) or self._is_link_back(src, base):
            self._found.is_open = True
            return
        self._found.refills.add(at)
        self._found.fills += [(at, node, resource) for node, resource in origins]

    def _strange(self, name: str) -> list[tuple[int, Place]]:
        """The calls that nobody knows and the parameters that a value comes from; none where it comes from anything else."""
        found, seen, waiting = [], set[str](), [name]
        while waiting:
            name = waiting.pop()
            if name in seen or name in _NOTHING:
                continue
            seen.add(name)
            if name in self._scene.formals:
                found.append((-1, ("", RESULT)))
            nodes = self._scene.definitions.get(name, ())
            if ir.is_literal(name) or self._filled(name) != [] or not (nodes or name in self._scene.formals):
                return []
            for at in nodes:
                node = self._scene.nodes[at]
                source = identity(node)
                if isinstance(node, ir.Call) and self._is_stranger(at):
                    found.append((at, (node.name, RESULT)))
                elif source and not _is_moved(node):
                    waiting.append(source)
                elif not (at in self._own and isinstance(node, ir.Load)):
                    return []
        return found

    def _is_stranger(self, at: int) -> bool:
        site = self._sites.get(at)
        return site is not None and site.effects is None and site.call.kind in ("function", "pointer") and site.call.name != ""

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
            call = self._sites[at].call
            if not made and self._is_emptied(at, pointer):
                self._found.drains.append((at, base))
                continue
            if not made and self._with_strangers and self._is_stranger(at):
                if is_ender(call.name):
                    self._found.drains.append((at, base))
                else:
                    self._found.refills.add(at)
                    self._found.strange.append((at, at, (call.name, call.args.index(pointer))))
                continue
            if not made:
                self._found.is_open = True
                return
            self._found.refills.add(at)
            self._found.fills += [(at, at, resource) for resource in made]

    def _is_emptied(self, at: int, pointer: str) -> bool:
        """Whether a call of the library releases what lies where an argument points to, whatever comes (`g_clear_object(&self->file)`)."""
        site = self._sites[at]
        places = {(pointer, "*"), self._scene.addresses.get(pointer, ())}
        ends = [outcome.fate for move in site.moves if move.entry in places for outcome in move.outcomes]
        return site.is_library and bool(ends) and set(ends) == {"released"}

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
            case ir.Op(dst=dst, operator=operator, operands=passed) if operator not in _COMPARING:
                is_distance = operator == "-" and not any(map(ir.is_literal, passed)) and len(passed) == 2
                return () if is_distance and self._with_strangers else (dst,)
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
                if taken == "drained" and self._with_strangers and self._is_stranger(node) and not is_ender(instruction.name):
                    self._found.given.append((node, (instruction.name, args.index(name))))
                elif taken == "drained":
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
                    # What is handed out of it (`queue_find(queue, …)`) may be ended without it.
                    answer = "remade" if ("$ret",) in outcome.paths and len(move.entry) == 1 else answer
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
