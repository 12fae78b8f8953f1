"""One procedure as the checker sees it: its graph, the contracts of its calls, and the obligations that arise in it.

`InitialObligations` and `FactsFromCall` of Algorithms 1 and 2, in their last versions: owning formals, results and
new objects, and (section 5.1) what an owning field that is not final may hold before it is overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.contracts import Contract, Contracts
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Field, Method, Methods
from analyzers.detectors.resource_leak_checker.obligations import Obligation
from analyzers.graphs.cfg import build
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked
from analyzers.summaries import AccessPath

CONSTRUCTOR = "<init>"

_VIEWS = ("iterator", "listIterator", "descendingIterator", "values", "stream", "elements")
_LOOKING = (*_VIEWS, "keySet", "entrySet", "subList", "toArray")
"""Methods of containers that hand out no element; `_VIEWS` go over the same elements."""

_STEPS = 3

_TESTS = ("isClosed", "isOpen")


class Scene:
    """A procedure, its declaration (None for lambdas and initialisers) and the contracts of its calls."""

    def __init__(self, linked: Linked, declarations: Declarations, method: Method | None) -> None:
        self.linked = linked
        self.declarations = declarations
        self.method = method
        self.body = linked.body
        self.nodes = linked.body.nodes
        self.cfg = build(linked)
        self.contracts = Contracts(declarations)
        self.own = self.contracts.of_method(method) if method is not None else Contract(True)
        self.tests = {
            node.dst: node for node in self.nodes if isinstance(node, ir.Call) and node.name in _TESTS and node.dst
        }
        self._contracts: dict[int, Contract] = {}
        self._fields: dict[tuple[str, str], Field | None] = {}

    @property
    def is_constructor(self) -> bool:
        """Whether it makes the object that `this` names."""
        return self.method is not None and self.method.name == CONSTRUCTOR

    @property
    def is_returning_owned(self) -> bool:
        """Whether what it returns is its caller's to release."""
        return self.own.is_owning or self.method is None

    @property
    def is_alias_method(self) -> bool:
        """Whether its result is one resource with a formal."""
        return bool(self.own.aliases)

    # --- look-ups

    def contract(self, node: int) -> Contract:
        """The contract of a call."""
        found = self._contracts.get(node)
        if found is None:
            call = self.nodes[node]
            target = self.linked.targets.get(node)
            found = Contract(False)
            if isinstance(call, ir.Call):
                declared = self.linked.types.get(call.receiver, "") if call.kind == "virtual" else ""
                found = self.contracts.of_call(call, target, declared)
            self._contracts[node] = found
        return found

    def type_of(self, variable: str) -> str:
        """The type of a variable."""
        return self.body.owner if variable == "this" else self.linked.types.get(variable, "")

    def field_of(self, node: ir.Store | ir.Load) -> Field | None:
        """The declaration of the field that a store or load names."""
        key = (node.base, node.field)
        if key not in self._fields:
            if node.base:
                self._fields[key] = self.declarations.field(self.type_of(node.base), node.field)
            else:
                self._fields[key] = self.declarations.static_field(node.field)
        return self._fields[key]

    def made_type(self, node: int, call: ir.Call) -> str:
        """The type of the object that a call makes or hands out."""
        target = self.linked.targets.get(node)
        if target is None:
            return ""
        return target.type if call.kind == "new" else target.result or self.linked.types.get(call.dst, "")

    def result_must(self, node: int, call: ir.Call) -> Methods:
        """What must be called on what a call hands out."""
        contract = self.contract(node)
        must = contract.must if contract.must is not None else self.declarations.must_call(self.made_type(node, call))
        return tuple(each for each in must if each not in contract.called)

    def is_settled(self, node: int, call: ir.Call) -> bool:
        """Whether the checker knows all about what a call hands out."""
        contract = self.contract(node)
        if contract.method is not None and self.declarations.is_written_for(contract.method.path):
            return True
        return (contract.is_owning or bool(contract.aliases)) and bool(self.declarations.must_call(self.made_type(node, call)))

    def is_overwriting(self, node: int) -> bool:
        """Whether a store is one to an owning field that is not final."""
        store = self.nodes[node]
        field = self.field_of(store) if isinstance(store, ir.Store) else None
        return field is not None and is_overwritable(field)

    # --- obligations

    def obligations(self) -> list[Obligation]:
        """All that arise in the procedure."""
        return [*self._formals(), *self._results(), *self._overwritten()]

    def _formals(self) -> Iterator[Obligation]:
        for variable in self.body.variables:
            if variable.kind != "parameter":
                continue
            written = vocabulary.read(variable.attributes)
            if vocabulary.find(written, vocabulary.OWNING) is None:
                continue
            type_name = self.type_of(variable.name)
            full = frozenset(self.declarations.must_call_of(type_name, written))
            if full:
                yield Obligation("parameter", ir.ENTRY, (variable.name,), full, type_name)

    def _results(self) -> Iterator[Obligation]:
        for node in self.cfg.order:
            call = self.nodes[node]
            if not isinstance(call, ir.Call) or (call.name == CONSTRUCTOR and call.kind != "new"):
                continue
            type_name = self.made_type(node, call)
            if written := self._written_must(node, call) or self._element_must(call, type_name):
                yield Obligation("created", node, (call.dst,), frozenset(written), type_name)
                continue
            if not type_name or type_name in ("void", "boolean", "int", "java.lang.String"):
                continue
            contract = self.contract(node)
            if contract.aliases or not (contract.is_owning or call.kind == "new"):
                continue
            full = frozenset(self.result_must(node, call)) | frozenset(self.declarations.must_call(type_name))
            if full:
                made = call.receiver if call.kind == "new" else call.dst
                yield Obligation("result", node, (made,) if made else (), full, type_name)

    def _written_must(self, node: int, call: ir.Call) -> Methods:
        """What the declaration of the variable asks for that takes the result of a method without source."""
        variable = next((each for each in self.body.variables if call.dst and each.name == call.dst), None)
        if variable is None or variable.kind != "local" or self.contract(node).method is not None:
            return ()
        written = vocabulary.find(vocabulary.read(variable.attributes), vocabulary.MUST_CALL)
        return written.strings() if written is not None else ()

    def _element_must(self, call: ir.Call, type_name: str) -> Methods:
        """What the type argument of a library's container asks for, of which a call hands out an element
        (`List<@MustCall("close") Socket>`, `Iterator<@Owning Socket>`). The last argument is that of the elements."""
        if call.kind != "virtual" or not call.dst or call.name in _LOOKING or not type_name:
            return ()
        attributes = self._attributes_of(call.receiver)
        numbers = [int(each[1 : each.index(">")]) for each in attributes if each.startswith("<")]
        written = vocabulary.of_argument(attributes, max(numbers)) if numbers else ()
        own = vocabulary.find(written, vocabulary.MUST_CALL)
        if own is not None:
            return own.strings()
        return self.declarations.must_call(type_name) if vocabulary.find(written, vocabulary.OWNING) is not None else ()

    def _attributes_of(self, name: str) -> tuple[str, ...]:
        """The attributes of the declaration of a variable or field, or of what an iterator goes over."""
        for _ in range(_STEPS):
            variable = next((each for each in self.body.variables if each.name == name), None)
            if variable is not None and variable.kind != "temporary" and variable.attributes:
                return variable.attributes
            made = [node for node in self.nodes if name in assigned(node)]
            if len(made) != 1:
                return ()
            if isinstance(made[0], ir.Load):
                field = self.field_of(made[0])
                return field.declaration.attributes if field is not None else ()
            if not isinstance(made[0], ir.Call) or made[0].name not in _VIEWS:
                return ()
            name = made[0].receiver
        return ()

    def _overwritten(self) -> Iterator[Obligation]:
        places: dict[AccessPath, tuple[Field, list[int]]] = {}
        for node in self.cfg.order:
            store = self.nodes[node]
            if isinstance(store, ir.Store):
                field = self.field_of(store)
                if field is not None and is_overwritable(field):
                    places.setdefault((store.base, store.field), (field, []))[1].append(node)
        for place, (field, stores) in places.items():
            full = frozenset(self.declarations.must_call_of(field.type, field.annotations))
            if not full:
                continue
            called = {name for path, names in self.own.required if self._is_formal(path, place) for name in names}
            for node in self._beginnings(place, field):
                remaining = full - called if node == ir.ENTRY else full
                if remaining:
                    yield Obligation("field", node, place, remaining, field.type)
            for node in stores:
                store = self.nodes[node]
                if isinstance(store, ir.Store) and not self._is_empty(store.src):
                    yield Obligation("field", node, place, full, field.type)

    def _is_formal(self, path: AccessPath, place: AccessPath) -> bool:
        """Whether a path over formals is this one of the body."""
        return path == place

    def _beginnings(self, place: AccessPath, field: Field) -> Iterator[int]:
        base = place[0]
        if base == "this" or not base:
            is_fresh = self.is_constructor and field.owner == self.body.owner and base == "this"
            is_fresh = is_fresh or (not base and self._is_initialised(place))
            if not is_fresh:
                yield ir.ENTRY
            return
        if base in self.body.parameters:
            yield ir.ENTRY
        for node in self.cfg.order:
            instruction = self.nodes[node]
            if base in assigned(instruction) and not isinstance(instruction, ir.Alloc):
                yield node

    def _is_initialised(self, place: AccessPath) -> bool:
        """Whether a static field gets its value where it is declared, not in a block of its class."""
        found = self.declarations.static_field(place[1])
        if found is None or self.body.kind != "initialiser":
            return False
        declared = found.declaration
        stores = [node for node in self.nodes if isinstance(node, ir.Store) and (node.base, node.field) == place]
        return all(declared.start <= self.body.start + node.start < declared.end for node in stores)

    def _is_empty(self, source: str) -> bool:
        """Whether what is stored surely has nothing to be called: null, or a new object without obligations."""
        if ir.is_literal(source):
            return True
        made = [
            node for node in self.cfg.order
            if isinstance(call := self.nodes[node], ir.Call)
            and source == (call.receiver if call.kind == "new" and call.name == CONSTRUCTOR else call.dst)
        ]  # fmt: skip
        if not ir.is_temporary(source) or not made:
            return False
        return all(not self.result_must(node, call) for node in made if isinstance(call := self.nodes[node], ir.Call))


def is_overwritable(field: Field) -> bool:
    """Whether what a field held can be lost by an assignment."""
    return field.is_owning and not field.is_final
