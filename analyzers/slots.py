"""Fields that keep things: which they are, where the repository touches them, and what each touch does.

A slot is the outside object and field of LeakChecker's redundant edge, seen from all its readers at once: what
section 3 asks of one loop («does it flow back in?») is asked here of everybody. Uses are collected per procedure
by the variables that hold the slot, without order. Says READ or ESCAPE too often, never too rarely, but for
reflection and for classes outside the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.operands import used
from analyzers.own_containers import summarised
from analyzers.queries import ProcedureKey, Queries
from analyzers.specs.containers import Container, Containers, Role

MAX_FILES = 40
"""Files that may touch a slot; with more of them nothing is said about it."""

ARRAY = Container({}, True)
"""Arrays are touched by instructions, not by calls."""

THREAD_LOCAL = Container({"set": Role.STORE, "get": Role.READ, "remove": Role.REMOVE, "hashCode": Role.NONE}, False)
"""One value per thread, for as long as the thread lives."""

_READ_ALL = frozenset((
    "Data", "Value", "Getter", "ToString", "EqualsAndHashCode", "Builder", "SuperBuilder", "Entity", "Embeddable",
    "MappedSuperclass", "Document", "XmlRootElement", "XmlType", "XmlAccessorType", "XStreamAlias", "JsonAutoDetect",
    "JsonSerialize", "JsonInclude", "JsonTypeName", "JsonPropertyOrder", "ConfigurationProperties",
))
"""Annotations of classes of which something else reads all fields: accessors that are generated, mappers."""

_BUILT = ("Builder", "SuperBuilder")

_MODIFIERS = frozenset(("private", "protected", "public", "static", "final", "transient", "volatile"))

VIEW_ROLES = {
    "next": Role.READ, "nextElement": Role.READ, "previous": Role.READ, "hasNext": Role.COUNT,
    "hasMoreElements": Role.COUNT, "hasPrevious": Role.COUNT, "remove": Role.REMOVE, "set": Role.SET,
    "size": Role.COUNT, "isEmpty": Role.COUNT, "contains": Role.TEST, "containsAll": Role.TEST,
    "removeAll": Role.REMOVE, "removeIf": Role.REMOVE, "retainAll": Role.REMOVE, "clear": Role.CLEAR,
    "iterator": Role.VIEW, "listIterator": Role.VIEW, "toArray": Role.READ, "forEach": Role.READ,
}
"""What calls of a view or an iterator do to the elements behind it."""

_REFLECTING = frozenset((
    "getDeclaredField", "getField", "findVarHandle", "findGetter", "findField", "newUpdater", "readField", "readDeclaredField",
))
_ADDING = frozenset(("add", "addAll", "addFirst", "addLast", "put", "putAll", "push", "offer"))

_COPYING = frozenset(("addAll", "putAll", "containsAll", "retainAll", "println", "print", "valueOf", "append"))


class Slot(msgspec.Struct, frozen=True):
    """A field that may keep objects.

    owner, name   the class that declares it, and its name there
    type       its type, resolved and erased; empty where unknown
    path       the file that declares it
    attributes modifiers and annotations
    """

    owner: str
    name: str
    type: str
    path: str
    attributes: tuple[str, ...]

    @property
    def is_static(self) -> bool:
        """Whether there is one for the whole class."""
        return "static" in self.attributes

    @property
    def is_private(self) -> bool:
        """Whether only its file can touch it."""
        return "private" in self.attributes

    @property
    def is_annotated(self) -> bool:
        """Whether a framework may read or fill it."""
        return any(each.partition("(")[0] not in _MODIFIERS for each in self.attributes)


class Use(msgspec.Struct, frozen=True):
    """One touch. `operands` are what a STORE stores, or the arguments by which a call is handed it; `is_sure`: it is this slot, not one of the same name."""

    role: Role
    key: ProcedureKey
    node: int
    operands: tuple[str, ...] = ()
    is_sure: bool = True


class Touched(msgspec.Struct, frozen=True):
    """All uses of a slot, and what is put into the field itself (`origins`, by the Store's procedure and node)."""

    slot: Slot
    uses: tuple[Use, ...]
    origins: tuple[Use, ...]

    def roles(self) -> frozenset[Role]:
        """What is done with it anywhere."""
        return frozenset(use.role for use in self.uses)

    def of(self, *roles: Role) -> tuple[Use, ...]:
        """The uses of some roles, in order."""
        return tuple(use for use in self.uses if use.role in roles)


def slot_of(queries: Queries, path: str, owner: str, field: str) -> Slot | None:
    """The field that an instruction of class `owner` names, where the file declares it."""
    unit = queries.unit(path)
    if unit is None:
        return None
    wanted_owner, _, name = field.rpartition(".")
    inner_first = sorted(unit.types, key=lambda each: -len(each.name))
    for declared in inner_first:
        if declared.name != (wanted_owner or owner) and not (
            not wanted_owner and owner.startswith(declared.name + "$")
        ):
            continue
        for each in declared.fields:
            if each.name == name:
                resolved = queries.resolve_type(path, declared.name, _erased(each.type)) or _erased(each.type)
                array = "[]" if each.type.rstrip().endswith("[]") else ""
                implied = each.attributes if declared.kind != "interface" else (*each.attributes, "public", "static")
                read = tuple(attribute for attribute in declared.attributes if _simple(attribute) in _READ_ALL)
                return Slot(declared.name, name, resolved + array, path, (*implied, *read, *_read_to_build(declared.name, unit)))
    return None


def _read_to_build(name: str, unit: ir.Unit) -> tuple[str, ...]:
    """The annotation of the class around a builder that has its `build` generated, which reads all that was handed to the builder."""
    around, _, inner = name.rpartition("$")
    declared = next((each for each in unit.types if each.name == around), None) if inner.endswith("Builder") else None
    return tuple(each for each in declared.attributes if _simple(each) in _BUILT) if declared is not None else ()


def _reflected(slot: Slot, key: ProcedureKey, body: ir.Procedure) -> Iterator[Use]:
    """Where code asks for a field by its name."""
    for number, node in enumerate(body.nodes):
        if isinstance(node, ir.Call) and node.name in _REFLECTING and f'="{slot.name}"' in node.args:
            yield Use(Role.ESCAPE, key, number)


def _simple(annotation: str) -> str:
    return annotation.removeprefix("@").partition("(")[0].rpartition(".")[2]


def _erased(written: str) -> str:
    return written.partition("<")[0].replace("[]", "").strip()


class SlotReader:
    """Collects the uses of slots. One per analysed procedure: what it looks up is recorded there."""

    def __init__(self, queries: Queries, models: Containers) -> None:
        self._queries = queries
        self._models = models
        self._own: dict[str, Container | None] = {}

    @property
    def pinned(self) -> frozenset[str]:
        """Types of objects that are held on purpose."""
        return self._models.pinned

    def container(self, type_name: str) -> Container | None:
        """The model of a type, through its supertypes; None for what is no container, or overrides one."""
        if type_name.endswith("[]"):
            return ARRAY
        known = self._models.types.get(type_name)
        if known is not None:
            return known
        supertypes = self._queries.supertypes(type_name)
        if not self._models.thread_locals.isdisjoint((type_name, *supertypes)) or (
            not set(supertypes) - {"java.lang.Object"} and "ThreadLocal" in type_name.rpartition(".")[2]
        ):
            return THREAD_LOCAL
        if any(each in self._models.bounded for each in supertypes):
            return None
        found = self.family(type_name)
        if found is None:
            return self._summarised(type_name)
        return None if self.is_bounded(type_name) else found

    def _summarised(self, type_name: str) -> Container | None:
        """A class of the repository around one container; while one is looked at, it is none."""
        if type_name not in self._own:
            self._own[type_name] = None
            self._own[type_name] = summarised(self._queries, type_name, self.family, self._touches)
        return self._own[type_name]

    def _touches(
        self, owner: str, field: ir.FieldDeclaration, key: ProcedureKey, body: ir.Procedure
    ) -> Iterator[tuple[Role, tuple[str, ...]]]:
        slot = slot_of(self._queries, key.path, owner, field.name)
        model = self.family(slot.type) if slot is not None else None
        if slot is not None and model is not None and field.name.encode() in self._queries.source_of(key):
            for use in _Reading(slot, model, key, body, self).uses():
                yield use.role, use.operands

    def family(self, type_name: str) -> Container | None:
        """The calls of a container type, whether or not it is bounded."""
        names = (type_name, *self._queries.supertypes(type_name))
        return next((self._models.types[each] for each in names if each in self._models.types), None)

    def is_bounded(self, type_name: str) -> bool:
        """Whether objects of a type let go of elements by themselves, or change what a store means."""
        return type_name in self._models.bounded or self.is_evicting(type_name)

    def is_evicting(self, type_name: str) -> bool:
        """Whether a type of the repository overrides what a store does."""
        return any(
            each.procedure is not None
            for name in ("removeEldestEntry", "add", "put")
            for each in self._queries.methods(type_name, name)
        )

    def refined(self, slot: Slot) -> Slot:
        """A slot that is declared as anything, with the type of what its file puts there."""
        if slot.type != "java.lang.Object":
            return slot
        for key in self._procedures(slot.path, slot.name.encode()):
            body = self._queries.procedure(key)
            for node in body.nodes if body is not None else ():
                if body is not None and isinstance(node, ir.Store) and node.field.rpartition(".")[2] == slot.name:
                    made = next((
                        each for each in body.nodes if isinstance(each, ir.Alloc) and each.dst == node.src
                    ), None)
                    if made is not None:
                        written = _erased(made.type)
                        resolved = self._queries.resolve_type(slot.path, body.owner, written) or written
                        return msgspec.structs.replace(slot, type=resolved)
        return slot

    def touched(self, slot: Slot) -> Touched | None:
        """All uses of a slot; None where there may be others, or too many."""
        paths = self._paths(slot)
        if paths is None:
            return None
        model = self.container(slot.type)
        if model is None:
            return None
        uses: list[Use] = []
        origins: list[Use] = []
        for path in paths:
            for key in self._procedures(path, slot.name.encode()):
                body = self._queries.procedure(key)
                if body is not None:
                    reading = _Reading(slot, model, key, body, self)
                    uses += (*reading.uses(), *_reflected(slot, key, body))
                    origins += reading.origins
        return Touched(slot, tuple(uses), tuple(origins))

    def local_uses(self, key: ProcedureKey, body: ir.Procedure, variable: str, model: Container) -> list[Use]:
        """What a procedure does with a container that a variable of it holds."""
        nowhere = Slot(body.owner, "", "", key.path, ())
        return _Reading(nowhere, model, key, body, self, variable).uses()

    def is_wrapper(self, path: str, owner: str, call: ir.Call) -> bool:
        """Whether a call answers its first argument in another dress."""
        return self._names(path, owner, call) in self._models.wrappers

    def lambda_of(self, path: str, type_name: str) -> ir.Procedure | None:
        """The body of a lambda of a file, by the type of what it makes."""
        name = type_name.removeprefix("lambda:")
        return self._queries.procedure(ProcedureKey(path, name)) if name != type_name else None

    def is_copier(self, path: str, owner: str, call: ir.Call) -> bool:
        """Whether a call reads a container and keeps nothing of it."""
        return self._names(path, owner, call) in self._models.copiers

    def is_factory(self, path: str, owner: str, call: ir.Call) -> bool:
        """Whether a call makes an empty container."""
        return self._names(path, owner, call) in self._models.factories

    def declares(self, path: str, owner: str, field: str) -> bool:
        """Whether a class of the file declares a field of its own of this name."""
        unit = self._queries.unit(path)
        return unit is not None and any(
            each.name == field for declared in unit.types if declared.name == owner for each in declared.fields
        )

    def _names(self, path: str, owner: str, call: ir.Call) -> str:
        if call.kind != "static" or not call.qualifier:
            return ""
        return f"{self._queries.resolve_type(path, owner, call.qualifier)}.{call.name}"

    def _procedures(self, path: str, name: bytes) -> Iterator[ProcedureKey]:
        """The procedures of a file whose text holds a name; initialisers have their text elsewhere."""
        unit = self._queries.unit(path)
        for each in unit.procedures if unit is not None else ():
            key = ProcedureKey(path, each.name)
            if each.kind in ("constructor", "initialiser") or name in self._queries.source_of(key):
                yield key

    def _paths(self, slot: Slot) -> Sequence[str] | None:
        if slot.is_private or ("$" in slot.owner and self._is_private_type(slot)):
            return (slot.path,)
        found = [path for path in self._queries.mentioning(slot.name) if path.endswith(".java")]
        others = [path for path in found if path != slot.path]
        return (slot.path, *others) if len(others) < MAX_FILES else None

    def _is_private_type(self, slot: Slot) -> bool:
        unit = self._queries.unit(slot.path)
        return unit is not None and any(
            each.name == slot.owner and "private" in each.attributes for each in unit.types
        )


class _Reading:
    """The uses of one slot in one procedure."""

    def __init__(
        self, slot: Slot, model: Container, key: ProcedureKey, body: ir.Procedure, reader: SlotReader, variable: str = ""
    ) -> None:
        self._slot, self._model, self._key, self._body, self._reader = slot, model, key, body, reader
        self._holders: dict[str, Role] = {variable: Role.STORE} if variable else {}
        self._doubtful: set[str] = set()
        self.origins: list[Use] = []

    def uses(self) -> list[Use]:
        """What the procedure does with the slot, in the order of its instructions."""
        self._seed()
        if not self._holders and not self.origins:
            return []
        while self._spread():
            pass
        found: list[Use] = []
        for number, node in enumerate(self._body.nodes):
            found += self._of(number, node)
        return found

    # --- who holds it

    def _matches(self, base: str, field: str) -> bool:
        slot, owner = self._slot, self._body.owner
        qualifier, _, name = field.rpartition(".")
        if name != slot.name:
            return False
        if base == "":
            if not qualifier:
                return True
            named = f".{slot.owner.replace('$', '.')}"  # as far outside as the program text begins
            return named.endswith(f".{qualifier.replace('$', '.')}") or self._key.path != slot.path
        if slot.is_static and base != "this":
            return False
        if base == "this" and owner != slot.owner:
            return not self._reader.declares(self._key.path, owner, name)
        return True

    def _is_sure(self, base: str) -> bool:
        if self._slot.is_static or base == "this":
            return True
        return base.startswith("this$") or self._slot.is_private

    def _seed(self) -> None:
        for number, node in enumerate(self._body.nodes):
            match node:
                case ir.Load(dst=dst, base=base, field=field) if self._matches(base, field):
                    self._holders[dst] = Role.STORE
                    if not self._is_sure(base):
                        self._doubtful.add(dst)
                case ir.Store(base=base, field=field, src=src) if self._matches(base, field):
                    self.origins.append(Use(Role.REPLACE, self._key, number, (src,), self._is_sure(base)))
                    if src and not ir.is_literal(src) and src not in self._body.parameters:
                        self._holders[src] = Role.STORE
                case _:
                    pass

    def _spread(self) -> bool:
        before = len(self._holders)
        for node in self._body.nodes:
            match node:
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src, *_)):
                    self._hand(src, dst)
                case ir.Call(dst=dst, args=(first, *_)) if dst and self._is_wrapped(node, first):
                    self._hand(first, dst)
                case ir.Call(dst=dst, receiver=receiver, name=name) if dst and receiver in self._holders:
                    roles = self._model.roles if self._holders[receiver] is Role.STORE else VIEW_ROLES
                    if roles.get(name) is Role.VIEW and dst not in self._holders:
                        self._holders[dst] = Role.VIEW
                case _:
                    pass
        return len(self._holders) > before

    def _is_wrapped(self, call: ir.Call, first: str) -> bool:
        return first in self._holders and self._reader.is_wrapper(self._key.path, self._body.owner, call)

    def _hand(self, src: str, dst: str) -> None:
        if src in self._holders and dst not in self._holders:
            self._holders[dst] = self._holders[src]
            if src in self._doubtful:
                self._doubtful.add(dst)

    # --- what is done with it

    def _of(self, number: int, node: ir.Instruction) -> Iterator[Use]:
        holders = self._holders
        match node:
            case ir.Call():
                yield from self._call(number, node)
            case ir.Store(base=base, field=field, src=src):
                if src in holders and not self._matches(base, field):
                    yield Use(Role.ESCAPE, self._key, number)
            case ir.StoreElement(base=base, index=index, src=src):
                if src in holders:
                    yield Use(Role.ESCAPE, self._key, number)
                if base in holders:
                    role = Role.REMOVE if src == "=null" else Role.STORE
                    yield Use(role, self._key, number, (index, src), base not in self._doubtful)
            case ir.LoadElement(base=base) if base in holders:
                yield Use(Role.READ, self._key, number)
            case ir.Return(src=src) | ir.Throw(src=src) if src in holders:
                yield Use(Role.ESCAPE, self._key, number)
            case ir.Op(operator=operator, operands=operands) if operator not in ("cast", "==", "!=", "instanceof"):
                if any(each in holders for each in operands):
                    yield Use(Role.READ, self._key, number)
            case ir.Havoc(variables=variables) if any(each in holders for each in variables):
                yield Use(Role.ESCAPE, self._key, number)
            case _:
                pass

    def _call(self, number: int, call: ir.Call) -> Iterator[Use]:
        kind = self._holders.get(call.receiver)
        if kind is not None and call.kind != "new":
            roles = self._model.roles if kind is Role.STORE else VIEW_ROLES
            role = roles.get(call.name, Role.ESCAPE)
            if role is Role.VIEW:
                role = Role.NONE
            yield Use(role, self._key, number, call.args, call.receiver not in self._doubtful)
            if role is Role.STORE and call.name in ("compute", "merge") and self._may_drop(call):
                yield Use(Role.REMOVE, self._key, number)
            if role is Role.STORE and call.dst and not self._only_grows(call.dst):
                yield Use(Role.READ if self._model.is_keyed else Role.TEST, self._key, number)
            if role is Role.REMOVE and call.dst:
                yield Use(Role.READ, self._key, number)
        passed = tuple(each for each in call.args if each in self._holders)
        if passed:
            is_whole = all(self._holders[each] is Role.STORE for each in passed)
            yield Use(self._passed(call), self._key, number, passed if is_whole else ())

    def _only_grows(self, variable: str) -> bool:
        """Whether what a container answers is only added to, and nobody looks at it (`byName.computeIfAbsent(name, n -> new ArrayList<>()).add(each)`)."""
        users = [node for node in self._body.nodes if variable in used(node) and not isinstance(node, ir.ScopeEnd)]
        return bool(users) and all(
            isinstance(node, ir.Call) and node.receiver == variable and node.name in _ADDING and not node.dst and variable not in node.args
            for node in users
        )

    def _may_drop(self, call: ir.Call) -> bool:
        """Whether the function that computes a value may answer nothing, which takes the entry out: null, or what it was given."""
        made = [node for node in self._body.nodes if isinstance(node, ir.Alloc) and node.dst == call.args[-1]] if call.args else []
        body = self._reader.lambda_of(self._key.path, made[0].type) if made else None
        returned = {node.src for node in body.nodes if isinstance(node, ir.Return)} if body is not None else set()
        assigned = {
            getattr(node, "dst", "") for node in (body.nodes if body is not None else ())
            if not (isinstance(node, ir.Load) and node.field.startswith("val$"))
        }
        return any(each == "=null" or (each and not ir.is_literal(each) and each not in assigned) for each in returned)

    def _is_field(self, variable: str) -> bool:
        """Whether a variable holds what a field holds: what is taken out of a copy answers somebody."""
        made = [node for node in self._body.nodes if getattr(node, "dst", "") == variable]
        return bool(made) and all(
            isinstance(node, ir.Load) or (isinstance(node, ir.Copy) and self._is_field(node.src)) for node in made
        )

    def _passed(self, call: ir.Call) -> Role:
        """What a call does that the container is an argument of."""
        if len(call.args) == 1 and call.name == "removeAll":
            return Role.FEED if self._is_field(call.receiver) else Role.READ
        path, owner = self._key.path, self._body.owner
        if self._reader.is_wrapper(path, owner, call):
            return Role.NONE
        if call.name in _COPYING or self._reader.is_copier(path, owner, call):
            return Role.READ
        return Role.ESCAPE
