"""The forms of retention that a slot shows: what keeps what, and why nobody lets go.

Each is an instance of LeakChecker's Definition 3 (an object flows out through an edge and does not flow back in
through it) or of one of its stated limits (growth with reads of other elements), for the artificial loop around
whatever runs again and again. Silent where anybody else may read, remove, or bound.
"""

from __future__ import annotations

import enum

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.handed import Handed
from analyzers.detectors.leakchecker.instances import is_made_again
from analyzers.detectors.leakchecker.origins import Origins, definitions
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import ARRAY, Slot, SlotReader, Touched, Use
from analyzers.specs.containers import Role

_DROPS = frozenset((Role.REMOVE, Role.CLEAR, Role.REPLACE, Role.TAKE, Role.ESCAPE))
HARMLESS = frozenset((Role.STORE, Role.SET, Role.FEED, Role.NONE))
_ON_PURPOSE = ("pin", "hard", "strong", "keep", "alive", "gcroot", "hold", "forget")
"""Words in the names of fields that are there to keep objects from being collected."""

PRIMITIVE = frozenset(("boolean", "byte", "short", "char", "int", "long", "float", "double"))

_HELD = frozenset(("references", "refs"))
"""Names of fields that say nothing of what is held, but that it is."""

_CONFIGURATIONS = ("FilterConfig", "ServletConfig", "ServletContextEvent")
"""How types end that a container hands to what it begins, once in its life."""

_LIVING = frozenset(("java.lang.Thread", "java.lang.ThreadGroup", "java.lang.ClassLoader"))


class Form(enum.StrEnum):
    """How an object is kept; part of the rule's machine-readable detail."""

    NEVER_READ = "never-read"
    GROWING_KEYS = "growing-keys"
    KEYED_BY_THREAD = "keyed-by-thread"
    THREAD_LOCAL = "thread-local"
    LISTENER = "listener"
    STATIC_INSTANCE = "static-instance"
    FINALIZER = "finalizer"
    UNBOUNDED = "unbounded"
    LOOP = "loop"
    CHAIN = "chain"
    STARTED_THREAD = "started-thread"


class Retention(msgspec.Struct, frozen=True):
    """One leak.

    edge      the outside object and the field or container that keep it, as `pkg.Type.field`
    stores    the escaping stores; the leak is told at the first
    message   the sentence
    makers    where what keeps it is made
    lost      where it should have been let go of; where it is stored, if None
    home      the procedure that the leak is told of; that of the first store, if None
    is_seen   whether all code that can touch the edge was read
    """

    form: Form
    edge: str
    stores: tuple[Use, ...]
    message: str
    makers: tuple[Use, ...] = ()
    is_seen: bool = False
    lost: Use | None = None
    home: ProcedureKey | None = None


def retention(form: Form, touched: Touched, stores: tuple[Use, ...], message: str) -> Retention:
    """What a field keeps."""
    slot = touched.slot
    makers = tuple(use for use in touched.origins if use.operands != ("=null",) and use.is_sure)
    return Retention(form, f"{slot.owner}.{slot.name}", stores, message, makers[:1], slot.is_private)


class Forms:
    """Judges the slots that one procedure stores into."""

    def __init__(self, queries: Queries, reader: SlotReader) -> None:
        self._queries = queries
        self._reader = reader
        self._origins = Origins(queries, reader)
        self._handed = Handed(queries, reader)

    def of(self, slot: Slot) -> Retention | None:
        """The first form that a slot shows."""
        if slot.is_annotated or ("public" in slot.attributes and not slot.is_static):
            return None
        touched = self._reader.touched(slot)
        if touched is not None and Role.ESCAPE in touched.roles() and self._origins.is_kept(touched):
            touched = self._handed.settled(touched)
        if touched is None or Role.ESCAPE in touched.roles():
            return None
        repeated = tuple(
            use for use in touched.of(Role.STORE)
            if use.is_sure and use.key.path == slot.path and self._origins.is_repeated(touched, use)
            and self._is_another(slot, use) and not self._origins.is_first_fill(touched, use) and not self._is_beginning(use)
            and (slot.is_static or not self._origins.is_of_returned(use))
        )
        if not repeated or not self._origins.is_kept(touched):
            return None
        return (
            self._never_read(touched, repeated)
            or self._growing_keys(touched, repeated)
            or self._keyed_by_thread(touched, repeated)
        )

    def _is_beginning(self, use: Use) -> bool:
        """Whether a store is made where a container begins the object and tells it how it is configured."""
        return use.key.name.endswith(tuple(f"{each})" for each in _CONFIGURATIONS))

    def _is_another(self, slot: Slot, use: Use) -> bool:
        """Whether a store may add one more object: arrays may hold numbers, and places and keys may be constants."""
        if slot.type.endswith("[]"):
            is_value = slot.type.removesuffix("[]") in PRIMITIVE or ir.is_literal(use.operands[0])
            return not is_value and not self._is_ring(use)
        model = self._reader.container(slot.type)
        body = self._queries.procedure(use.key)
        if body is None or model is None or not use.operands:
            return True
        if not model.is_keyed or len(use.operands) < 2:
            is_set = slot.type.rpartition(".")[2].endswith("Set")
            return not is_set or any(not ir.is_literal(each) for each in use.operands)
        return not is_constant(body, use.operands[0], 3)

    def _is_ring(self, use: Use) -> bool:
        """Whether the places of an array come round again: each store takes one that was taken before."""
        body = self._queries.procedure(use.key)
        turned = {
            node.dst for node in (body.nodes if body is not None else ())
            if isinstance(node, ir.Op) and node.operator in ("%", "&")
        }
        if body is None or not turned:
            return False
        fields = {node.field for node in body.nodes if isinstance(node, ir.Store) and node.src in turned}
        return use.operands[0] in turned or any(
            (isinstance(node, ir.Copy) and node.src in turned) or (isinstance(node, ir.Load) and node.field in fields)
            for node in definitions(body, use.operands[0])
        )

    # --- what nobody reads

    def _never_read(self, touched: Touched, repeated: tuple[Use, ...]) -> Retention | None:
        slot = touched.slot
        if not touched.roles() <= HARMLESS or "public" in slot.attributes or self._is_serialized(slot):
            return None
        repeated = tuple(use for use in repeated if not self._is_of_failure(use) and not self._is_initial(use))
        name = slot.name.lower().strip("_")
        if not repeated or any(self._is_pinned(use) for use in repeated) or name in _HELD or any(word in name for word in _ON_PURPOSE):
            return None
        if Role.FEED in touched.roles() and not {use.key for use in touched.of(Role.FEED)} & {use.key for use in repeated}:
            return None  # what is collected first, and taken out elsewhere once, may go with its owner
        reads = "only passes it to a call that takes its elements out elsewhere" if Role.FEED in touched.roles() else ""
        never = f"nobody reads or removes them: the program {reads}" if reads else "nobody ever reads or removes them"
        return retention(
            Form.NEVER_READ, touched, repeated, f"`{slot.name}` keeps every element that is stored into it, and {never}."
        )

    def _is_of_failure(self, use: Use) -> bool:
        """Whether a map notes by a key why something failed: there are as many as failures."""
        body = self._queries.procedure(use.key)
        if body is None or len(use.operands) < 2:
            return False
        caught = {node.dst for node in body.nodes if isinstance(node, ir.Catch)}
        told = [use.operands[-1], *(getattr(node, "receiver", "") for node in definitions(body, use.operands[-1]))]
        return self._is_failure(use) or any(
            each in caught or any(isinstance(node, ir.Copy) and node.src in caught for node in definitions(body, each))
            for each in told if each
        )

    def _is_pinned(self, use: Use) -> bool:
        """Whether what is stored is kept on purpose."""
        linked = self._queries.linked(use.key)
        return linked is not None and any(
            self._is_pinned_type(linked.types.get(each, "")) or is_also_weak(linked.body, each) for each in use.operands
        )

    def _is_pinned_type(self, name: str) -> bool:
        """Whether objects of a type are there to be held: a reference that nobody holds is never told of its end."""
        return name in self._reader.pinned or "java.lang.ref.Reference" in (name, *self._queries.supertypes(name))

    def _is_serialized(self, slot: Slot) -> bool:
        """Whether the fields of a class are read by serialization."""
        if slot.is_static or "transient" in slot.attributes:
            return False
        return any(
            each in ("java.io.Serializable", "java.io.Externalizable") for each in self._queries.supertypes(slot.owner)
        )

    # --- what grows with its keys

    def _growing_keys(self, touched: Touched, repeated: tuple[Use, ...]) -> Retention | None:
        slot = touched.slot
        model = self._reader.container(slot.type)
        if not slot.is_static or model is None or model is ARRAY or touched.roles() & _DROPS:
            return None
        stores = tuple(use for use in repeated if self._is_growing(use, slot) and not self._is_filling(use))
        if not stores or (not model.is_keyed and self._is_asked_by_number(touched)):
            return None
        what = "key" if model.is_keyed else "object"
        return retention(
            Form.GROWING_KEYS, touched, stores,
            f"The static `{slot.name}` keeps every {what} for as long as its class lives: nothing is ever removed.",
        )

    def _is_asked_by_number(self, touched: Touched) -> bool:
        """Whether somebody reads the element of a fixed place: then there are as many as the program text says."""
        return any(use.operands and ir.is_literal(use.operands[0]) for use in touched.of(Role.READ))

    def _is_filling(self, use: Use) -> bool:
        """Whether a procedure fills a registry, by its name or since the class calls it when it is loaded; or is part of a program."""
        body, unit = self._queries.procedure(use.key), self._queries.unit(use.key.path)
        if body is None or body.kind not in ("method", "lambda"):
            return False
        name = body.name.partition("(")[0].rpartition(".")[2]
        is_program = "static" in body.attributes and unit is not None and any(
            each.owner == body.owner and each.name.endswith(".main(String[])") for each in unit.procedures
        )
        return is_program or name.startswith("register") or self._is_initial(use)

    def _is_initial(self, use: Use) -> bool:
        """Whether the class calls a procedure when it is loaded."""
        unit, body = self._queries.unit(use.key.path), self._queries.procedure(use.key)
        name = body.name.partition("(")[0].rpartition(".")[2] if body is not None else ""
        return any(
            isinstance(node, ir.Call) and node.name == name
            for each in (unit.procedures if unit is not None else ()) if each.kind == "initialiser"
            for node in _nodes(self._queries.procedure(ProcedureKey(use.key.path, each.name)))
        )

    def _is_growing(self, use: Use, slot: Slot) -> bool:
        """Whether what is stored is another object each time: the receiver, or one made there."""
        if not use.operands:
            return False
        body = self._queries.procedure(use.key)
        linked = self._queries.linked(use.key)
        if body is None or linked is None:
            return False
        key = use.operands[0]
        if key == "this":
            return is_made_again(self._queries, body.owner) and (
                "Identity" in slot.type or not self._has_equals(body.owner)
            )
        made = [node for node in body.nodes if isinstance(node, ir.Alloc) and node.dst == key]
        if made and not made[0].type.endswith("]") and not made[0].type.startswith("lambda:"):
            type_name = linked.types.get(key, "")
            return bool(type_name) and not type_name.startswith("java.") and not self._has_equals(type_name)
        return linked.types.get(key, "") in _LIVING

    def _has_equals(self, type_name: str) -> bool:
        return any(each.owner != "java.lang.Object" for each in self._queries.methods(type_name, "equals"))

    # --- maps of threads

    def _keyed_by_thread(self, touched: Touched, repeated: tuple[Use, ...]) -> Retention | None:
        slot = touched.slot
        model = self._reader.container(slot.type)
        if model is None or not model.is_keyed or model is ARRAY:
            return None
        if touched.roles() & {Role.CLEAR, Role.REPLACE, Role.TAKE, Role.ESCAPE} or self._is_removed_for_sure(touched):
            return None
        stores = tuple(use for use in repeated if use.operands and self._is_living(use, slot) and not self._is_failure(use))
        if not stores:
            return None
        return retention(
            Form.KEYED_BY_THREAD, touched, stores,
            f"`{slot.name}` holds {self._living(stores[0])}: one that ends without being removed is kept with its value.",
        )

    def _living(self, use: Use) -> str:
        linked = self._queries.linked(use.key)
        name = linked.types.get(use.operands[0], "") if linked is not None else ""
        return "class loaders as strong keys" if name.endswith("ClassLoader") else "threads as strong keys"

    def _is_living(self, use: Use, slot: Slot) -> bool:
        """Whether a key is a thread, or a class loader in what outlives all of them."""
        linked = self._queries.linked(use.key)
        name = linked.types.get(use.operands[0], "") if linked is not None else ""
        return name in _LIVING and (slot.is_static or not name.endswith("ClassLoader"))

    def _is_failure(self, use: Use) -> bool:
        """Whether what is noted of a thread is why it failed: there are as many as failures."""
        linked = self._queries.linked(use.key)
        value = linked.types.get(use.operands[-1], "") if linked is not None else ""
        return value.endswith(("Exception", "Error", "Throwable")) or "java.lang.Throwable" in self._queries.supertypes(value)

    def _is_removed_for_sure(self, touched: Touched) -> bool:
        """Whether a removal is more than the other branch of a store: elsewhere, or on the way from it."""
        stores = touched.of(Role.STORE)
        storing = {use.key for use in stores}
        return any(
            use.key not in storing or any(self._leads_to(store, use) for store in stores if store.key == use.key)
            for use in touched.of(Role.REMOVE)
        )

    def _leads_to(self, store: Use, removal: Use) -> bool:
        body = self._queries.procedure(store.key)
        seen, todo = {store.node}, [store.node]
        while todo and body is not None:
            node = todo.pop()
            for successor in (*body.next[node], *body.raises[node]):
                if successor not in seen:
                    seen.add(successor)
                    todo.append(successor)
        return removal.node in seen


def _nodes(body: ir.Procedure | None) -> tuple[ir.Instruction, ...]:
    return tuple(body.nodes) if body is not None else ()


def is_also_weak(body: ir.Procedure, operand: str) -> bool:
    """Whether a procedure hands somebody a weak reference to what it stores: then the store keeps it alive."""
    return any(
        isinstance(node, ir.Call) and node.kind == "new" and operand in node.args
        and any(isinstance(made, ir.Alloc) and "Reference" in made.type for made in definitions(body, node.receiver))
        for node in body.nodes
    )


def is_constant(body: ir.Procedure, operand: str, depth: int) -> bool:
    """Whether a key is a literal, or a constant field."""
    if ir.is_literal(operand):
        return True
    found = definitions(body, operand)
    if not found or depth == 0 or operand in body.parameters:
        return False
    return all(
        (isinstance(each, ir.Copy) and is_constant(body, each.src, depth - 1))
        or (isinstance(each, ir.Load) and not each.base and each.field.rpartition(".")[2].isupper())
        for each in found
    )
