"""Values that a thread keeps after the work that set them: a ThreadLocal is an edge from every thread that used it.

Pooled threads do not end, so what is set and never removed stays, with its class loader. One value per thread,
made on first use, is a cache and no finding; so are flags and numbers. Silent where anybody removes.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.detectors.leakchecker.instances import are_few
from analyzers.detectors.leakchecker.origins import Origin, Origins, definitions
from analyzers.detectors.leakchecker.retention import PRIMITIVE, Form, Retention, retention
from analyzers.queries import ProcedureKey, Queries
from analyzers.slots import MAX_FILES, VIEW_ROLES, SlotReader, Touched, Use
from analyzers.specs.containers import Role


class ThreadLocals:
    """Judges fields that hold one value per thread."""

    def __init__(self, queries: Queries, reader: SlotReader, origins: Origins) -> None:
        self._queries = queries
        self._reader = reader
        self._origins = origins

    def of(self, touched: Touched) -> Retention | None:
        """What the threads keep, if nobody takes it from them."""
        sets = touched.of(Role.STORE)
        if touched.roles() & {Role.REMOVE, Role.ESCAPE} or any(self._is_nothing(use) for use in sets):
            return None
        if any(self._is_dropped(use) for use in touched.origins):
            return None
        if any(self._is_evicting(use) for use in touched.origins):
            return None
        grown, emptied = self._values(touched)
        name = touched.slot.name
        has_supplier = any(self._supplier(use) for use in touched.origins)
        if emptied and has_supplier:
            return None  # one empty value per thread, made on first use: a cache
        if emptied:
            return retention(
                Form.THREAD_LOCAL, touched, emptied,
                f"The value of `{name}` is emptied, but it stays with the thread: nothing calls `{name}.remove()`.",
            )
        if grown:
            return retention(
                Form.THREAD_LOCAL, touched, grown,
                f"What the value of `{name}` collects stays with the thread: nothing empties or removes it.",
            )
        stale = tuple(use for use in sets if use.is_sure and self._is_worth_keeping(use) and not self._is_whole_thread(use))
        if not stale or has_supplier or self._is_put_back(sets) or any(self._is_reset(use) for use in sets):
            return None
        return retention(
            Form.THREAD_LOCAL, touched, stale,
            f"What is set into `{name}` stays with the thread after its work is done: nothing calls `{name}.remove()`.",
        )

    def _is_nothing(self, use: Use) -> bool:
        """Whether a set puts nothing there, or nothing at times: `set(found.orElse(null))`."""
        body = self._queries.procedure(use.key)
        return use.operands == ("=null",) or any(
            isinstance(node, ir.Call) and "=null" in node.args
            for each in use.operands for node in (definitions(body, each) if body is not None else ())
        )

    def _is_dropped(self, use: Use) -> bool:
        """Whether the ThreadLocal itself is let go: then its values are, sooner or later."""
        body = self._queries.procedure(use.key)
        is_later = body is not None and body.kind not in ("initialiser", "constructor")
        return is_later and self._origins.of(use) is Origin.NOTHING

    def _supplier(self, use: Use) -> ir.Procedure | None:
        """What makes the first value of each thread."""
        body = self._queries.procedure(use.key)
        for node in definitions(body, use.operands[0]) if body is not None else ():
            types = [node.type] if isinstance(node, ir.Alloc) else [
                each.type for arg in getattr(node, "args", ()) if body is not None
                for each in definitions(body, arg) if isinstance(each, ir.Alloc)
            ]
            for each in types:
                name = each.removeprefix("lambda:") if each.startswith("lambda:") else f"{each}.initialValue()"
                supplier = self._queries.procedure(ProcedureKey(use.key.path, name))
                if supplier is not None:
                    return supplier
        return None

    def _is_evicting(self, use: Use) -> bool:
        """Whether the first value of each thread is something with a bound, or made by who knows whom."""
        supplier = self._supplier(use)
        if supplier is not None and any(
            isinstance(node, ir.Call) and node.kind != "new" and not self._reader.is_factory(use.key.path, supplier.owner, node)
            for each in supplier.nodes if isinstance(each, ir.Return) for node in definitions(supplier, each.src)
        ):
            return True
        for node in supplier.nodes if supplier is not None else ():
            if isinstance(node, ir.Alloc) and supplier is not None:
                written = node.type.partition("<")[0]
                resolved = self._queries.resolve_type(use.key.path, supplier.owner, written)
                if self._reader.is_evicting(resolved or written):
                    return True
        return False

    def _is_put_back(self, sets: tuple[Use, ...]) -> bool:
        """Whether what was there before comes back after the work."""
        saved = sum(self._is_saved(use) for use in sets)
        return 0 < saved < len(sets) or any(self._is_restoring(use) for use in sets)

    def _is_restoring(self, use: Use) -> bool:
        """Whether a set puts back what was there, now or in an object that remembers it."""
        body = self._queries.procedure(use.key)
        if body is None or not use.operands:
            return False
        asked = _spread(body, {
            node.dst for node in body.nodes if isinstance(node, ir.Call) and node.name == "get" and not node.args
        })
        return use.operands[-1] in asked or any(
            isinstance(node, ir.Call) and node.kind == "new" and not asked.isdisjoint(node.args) for node in body.nodes
        )

    def _is_saved(self, use: Use) -> bool:
        """Whether a set puts there what lay in a field."""
        body = self._queries.procedure(use.key)
        loaded = {node.dst for node in body.nodes if isinstance(node, ir.Load)} if body is not None else set()
        return body is not None and bool(use.operands) and use.operands[-1] in _spread(body, loaded)

    def _is_worth_keeping(self, use: Use) -> bool:
        """Whether a set puts an object of the program there, more than once per thread."""
        body = self._queries.procedure(use.key)
        linked = self._queries.linked(use.key)
        if body is None or linked is None or not use.operands or ir.is_literal(use.operands[0]):
            return False
        type_name = linked.types.get(use.operands[0], "")
        if not type_name or type_name in PRIMITIVE or (type_name.startswith("java.") and self._reader.family(type_name) is None):
            return False  # a value of the JDK refers to nothing of the program
        if "java.lang.ref.Reference" in (type_name, *self._queries.supertypes(type_name)):
            return False
        return not self._is_first(body, use)

    def _is_whole_thread(self, use: Use) -> bool:
        """Whether a set stands in all that a thread ever does: in the `run` of its class, or in the function that it is made with."""
        body = self._queries.procedure(use.key)
        if body is None:
            return False
        if body.kind != "lambda":
            is_thread = self._queries.is_subtype(body.owner, "java.lang.Thread") is True
            return is_thread and body.name.endswith(".run()")
        unit = self._queries.unit(use.key.path)
        beside = [self._queries.procedure(ProcedureKey(use.key.path, each.name)) for each in (unit.procedures if unit is not None else ())]
        return any(_is_made_with(each, f"lambda:{body.name}") for each in beside if each is not None)

    def _is_reset(self, use: Use) -> bool:
        """Whether some caller hands null to the setter, or what was there before, or the callers are not known."""
        body = self._queries.procedure(use.key)
        if body is None or not use.operands or use.operands[0] not in body.parameters:
            return False
        if "Override" in body.attributes and not self._is_declared_above(body):
            return True
        place = body.parameters.index(use.operands[0])
        name = body.name.partition("(")[0].rpartition(".")[2]
        if len(self._queries.mentioning(name)) > MAX_FILES:
            return True
        for key in self._queries.callers(name):
            caller = self._queries.procedure(key)
            for node in caller.nodes if caller is not None else ():
                if isinstance(node, ir.Call) and node.name == name and node.args[place : place + 1] == ("=null",):
                    return True
                if caller is not None and isinstance(node, ir.Call) and node.name == name and _is_asked_of_same(caller, node, place):
                    return True
            if caller is not None and sum(isinstance(node, ir.Call) and node.name == name for node in caller.nodes) > 1:
                return True  # sets, and puts back what was there
        return False

    def _is_declared_above(self, body: ir.Procedure) -> bool:
        """Whether a type of the repository declares what a method overrides."""
        name = body.name.partition("(")[0].rpartition(".")[2]
        return any(
            self._queries.declaring_file(each) and any(method.owner == each for method in self._queries.methods(each, name))
            for each in self._queries.supertypes(body.owner)
        )

    def _is_first(self, body: ir.Procedure, use: Use) -> bool:
        """Whether a set stands under a test that the thread has no value yet."""
        asked = _spread(body, {
            node.dst for node in body.nodes if isinstance(node, ir.Call) and node.name == "get" and not node.args
        })
        if "private" in body.attributes and use.operands[0] not in body.parameters:
            asked |= set(body.parameters)  # what the caller found
        return any(
            isinstance(node, ir.Branch) and node.operator in ("==", "!=") and node.right == "=null" and node.left in asked
            for node in body.nodes
        ) or body.kind in ("initialiser", "constructor")

    def _values(self, touched: Touched) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """Where the collections that are values grow, and where they are only emptied."""
        grown: list[Use] = []
        emptied: list[Use] = []
        is_shrinking = False
        for key in sorted({use.key for use in touched.of(Role.READ)}):
            body = self._queries.procedure(key)
            if body is None:
                continue
            reads = [use.node for use in touched.of(Role.READ) if use.key == key]
            values = _spread(body, {node.dst for node in (body.nodes[each] for each in reads) if isinstance(node, ir.Call)})
            is_shrinking = is_shrinking or self._is_shrunk_by_view(key, body, values)
            for number, node in enumerate(body.nodes):
                role = self._role(key, node, values)
                if role is Role.STORE and (self._is_weak_data(key, node) or self._is_of_few(key, node)):
                    continue
                if role is Role.STORE:
                    grown.append(Use(role, key, number))
                elif role is Role.CLEAR:
                    emptied.append(Use(role, key, number))
                elif role in (Role.REMOVE, Role.TAKE, Role.ESCAPE):
                    is_shrinking = True
        return () if is_shrinking else tuple(grown), tuple(emptied)

    def _is_shrunk_by_view(self, key: ProcedureKey, body: ir.Procedure, values: set[str]) -> bool:
        """Whether an iterator over one of these, or a view of its entries, takes some out."""
        linked = self._queries.linked(key)
        views: set[str] = set()
        while linked is not None:
            asked = {
                node.dst for node in body.nodes
                if isinstance(node, ir.Call) and (
                    (node.receiver in values and self._role(key, node, values) is Role.VIEW)
                    or (node.receiver in views and VIEW_ROLES.get(node.name) is Role.VIEW)
                )
            }
            more = _spread(body, views | asked)
            if more == views:
                break
            views = more
        return any(
            isinstance(node, ir.Call) and node.receiver in views
            and VIEW_ROLES.get(node.name) in (Role.REMOVE, Role.CLEAR)
            for node in body.nodes
        )

    def _is_weak_data(self, key: ProcedureKey, node: ir.Instruction) -> bool:
        """Whether a store adds a plain value under a key that is held weakly."""
        linked = self._queries.linked(key)
        if linked is None or not isinstance(node, ir.Call):
            return False
        is_plain = linked.types.get(node.args[-1] if node.args else "", "").startswith("java.lang.")
        declared = linked.types.get(node.receiver, "")
        return is_plain and ("Weak" in declared or declared == "java.util.Map")

    def _is_of_few(self, key: ProcedureKey, node: ir.Instruction) -> bool:
        """Whether the key of a store is one of a number that does not grow, or names what is made anew where it is missing."""
        linked = self._queries.linked(key)
        if linked is None or not isinstance(node, ir.Call) or len(node.args) < 2:
            return False
        if are_few(self._queries, linked.types.get(node.args[0], "")):
            return True
        is_named = linked.types.get(node.args[0], "") == "java.lang.String"
        is_plain = linked.types.get(node.args[-1], "").startswith("java.")
        return is_named and is_plain and self._reader.family(linked.types[node.args[-1]]) is None and any(
            isinstance(each, ir.Call) and each.receiver == node.receiver and each.args == node.args[:1]
            for each in linked.body.nodes
        )

    def _role(self, key: ProcedureKey, node: ir.Instruction, values: set[str]) -> Role | None:
        """What an instruction does to the value of the thread."""
        match node:
            case ir.Call(receiver=receiver, name=name) if receiver in values:
                linked = self._queries.linked(key)
                type_name = linked.types.get(receiver, "") if linked is not None else ""
                model = None if self._reader.is_evicting(type_name) else self._reader.family(type_name)
                return Role.ESCAPE if model is None else model.roles.get(name, Role.ESCAPE)
            case ir.Return(src=src) if src in values:
                return Role.ESCAPE
            case ir.Call(args=args) if any(each in values for each in args) and node.name != "set":
                return Role.ESCAPE
            case _:
                return None


def _is_asked_of_same(body: ir.Procedure, call: ir.Call, place: int) -> bool:
    """Whether what a setter is handed is what its class was asked for before."""
    names = set(call.args[place : place + 1])
    names |= {node.src for node in body.nodes if isinstance(node, ir.Copy) and node.dst in names}
    return any(
        isinstance(node, ir.Call) and node.dst in names and not node.args
        and (node.qualifier, node.receiver) == (call.qualifier, call.receiver) for node in body.nodes
    )


def _source(node: ir.Copy | ir.Op) -> str:
    return node.src if isinstance(node, ir.Copy) else node.operands[0] if node.operator == "cast" else ""


def _spread(body: ir.Procedure, values: set[str]) -> set[str]:
    """The variables that hold one of these values."""
    while True:
        more = {node.dst for node in body.nodes if isinstance(node, ir.Copy | ir.Op) and _source(node) in values} - values
        if not more:
            return values
        values = values | more


def _is_made_with(body: ir.Procedure, function: str) -> bool:
    """Whether a procedure makes a thread with a function of its own."""
    made = {node.dst for node in body.nodes if isinstance(node, ir.Alloc) and node.type == function}
    threads = {node.dst for node in body.nodes if isinstance(node, ir.Alloc) and node.type in ("Thread", "java.lang.Thread")}
    return any(
        isinstance(node, ir.Call) and not made.isdisjoint(node.args) and (node.name == "newThread" or node.receiver in threads)
        for node in body.nodes
    )
