"""The types of a procedure's variables and the callees of its calls, by one pass in the order of the nodes.

Declared types stand as written; temporaries, `var` and what a lambda or local class captures get what is
assigned to them first. A variable that is assigned once, with a new object, has that object's exact
type as receiver. Misses types that only a later node tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.frontends.java.answered import answered_type
from analyzers.frontends.java.callees import METHOD_REFERENCE, Callees
from analyzers.frontends.java.expected_types import expect
from analyzers.frontends.java.field_types import FieldTypes
from analyzers.frontends.java.fluent import is_constant
from analyzers.frontends.java.inference import bind_result, formal_of, result_with, signature_of_lambda
from analyzers.frontends.java.overloads import LAMBDA, NULL
from analyzers.frontends.java.type_members import FUNCTION
from analyzers.frontends.java.type_text import (
    PRIMITIVES,
    arguments,
    base_and_dimensions,
    erase,
    has_variables,
    unbox,
)
from analyzers.frontends.java.written_types import WrittenTypes, enclosing
from analyzers.queries import Callee, MethodFacts, ProcedureKey, Queries

STRING = "java.lang.String"
THROWABLE = "java.lang.Throwable"
_LAMBDA_TYPE = "lambda:"
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "instanceof"))
_RANKS = ("double", "float", "long", "int")


class Surroundings(msgspec.Struct, frozen=True):
    """What a lambda or local class sees of the procedure that it stands in: its instructions, the types of
    its variables with their arguments, and the signatures of the lambdas that it makes."""

    nodes: Sequence[ir.Instruction]
    types: Mapping[str, str]
    lambdas: Mapping[str, tuple[str, ...]]


class BodyTypes:
    """Runs the pass; afterwards `types` holds types with their arguments, `callees` what calls resolve to,
    `lambdas` the signatures of lambdas made here, `rewritten` calls whose kind only linking could tell,
    `catches` and `throws` those nodes."""

    def __init__(
        self,
        key: ProcedureKey,
        unit: ir.Unit,
        procedure: ir.Procedure,
        queries: Queries,
        around: Surroundings | None = None,
    ) -> None:
        self.key = key
        self.unit = unit
        self.procedure = procedure
        self.queries = queries
        self.written = WrittenTypes(key, unit, procedure, queries)
        self.types: dict[str, str] = {}
        self.callees: dict[int, Callee] = {}
        self.lambdas: dict[str, tuple[str, ...]] = {}
        self.rewritten: dict[int, ir.Call] = {}
        self._calls = Callees(unit, procedure, self.written, queries)
        self._fields = FieldTypes(unit, procedure, self.written, queries)
        self._declared: set[str] = set()
        self._allocated: dict[str, str] = {}
        self._narrowed: dict[str, str] = {}
        self._around = around
        self._constants: dict[str, str] = {}
        self._stored: dict[str, str] | None = None
        self._counted: dict[str, int] | None = None
        self._headers: dict[str, ir.Procedure] | None = None
        self.catches: dict[int, ir.Catch] = {}
        self.throws: dict[int, ir.Throw] = {}

    def run(self) -> None:
        """Types every variable and resolves every call."""
        self._enter()
        for position, node in enumerate(self.procedure.nodes):
            match node:
                case ir.Call():
                    self._call(position, node)
                case ir.Load():
                    self._assign(node.dst, self._loaded(node))
                    if not node.base and is_constant(node.field):
                        self._constants[node.dst] = node.field.rpartition(".")[0]
                case ir.Copy():
                    self._copy(node)
                case ir.Alloc():
                    self._allocate(node)
                case ir.Op():
                    self._assign(node.dst, self._operation(node))
                case ir.LoadElement():
                    self._assign(node.dst, self.element(node.base))
                case ir.Catch():
                    self.catches[position] = node
                    self._assign(node.dst, self._caught(node.types))
                case ir.Throw():
                    self.throws[position] = node
                case ir.Store() | ir.StoreElement() | ir.Return() if node.src in self._allocated:
                    self._hold(node)
                case _:
                    pass
        expect(self)

    # --- variables

    def _enter(self) -> None:
        procedure = self.procedure
        is_lambda = procedure.kind == "lambda"
        own = self.written.name(procedure.owner) if procedure.owner else ""
        if own and "static" not in procedure.attributes and not is_lambda:
            self.types["this"] = own
        for each in procedure.variables:
            if each.type and "|" not in each.type:
                found = self.written.full(each.type)
                if found:
                    self.types[each.name] = found
                self._declared.add(each.name)
            elif each.kind == "captured":
                name = ir.source_name(each.name)
                self._assign(each.name, own if name == "this$0" else self._captured(name))
        if is_lambda:
            formals = self._surroundings().lambdas.get(procedure.name, ())
            for name, found in zip(procedure.parameters, formals[:-1], strict=False):
                self._assign(name, found)

    def _surroundings(self) -> Surroundings:
        """The procedure that a lambda or local class stands in; it never asks for what is inside."""
        if self._around is None:
            found = enclosing(self.unit, self.procedure)
            linked = self.queries.linked(ProcedureKey(self.key.path, found.name)) if found is not None else None
            if linked is None:
                self._around = Surroundings((), {}, {})
            else:
                self._around = Surroundings(linked.body.nodes, linked.types | linked.generics, linked.lambdas)
        return self._around

    def _captured(self, name: str) -> str:
        """The type of what the procedure around stores to `val$name` of the object that runs this one."""
        around = self._surroundings()
        if self._stored is None:
            procedure = self.procedure
            made = f"{_LAMBDA_TYPE}{procedure.name}" if procedure.kind == "lambda" else procedure.owner
            objects = {each.dst for each in around.nodes if isinstance(each, ir.Alloc) and each.type == made}
            self._stored = {}
            for each in around.nodes:
                if isinstance(each, ir.Store) and each.base in objects:
                    self._stored.setdefault(each.field, each.src)
        operand = self._stored.get(f"val${name}", "")
        return _literal_type(operand) if ir.is_literal(operand) else around.types.get(operand, "")

    def _assign(self, variable: str, found: str) -> None:
        if found and variable and variable not in self.types and variable not in self._declared:
            self.types[variable] = found

    def type_of(self, operand: str) -> str:
        """The type of an operand with its arguments; empty where unknown."""
        if operand[:1] != "=":
            return self.types.get(operand, "")
        if operand.endswith(".class"):
            return f"java.lang.Class<{self.written.name(operand[1:-6]) or '?'}>"
        return _literal_type(operand)

    def is_assigned_by(self, variable: str, count: int) -> bool:
        """Whether so many nodes assign a variable, and no more."""
        if self._counted is None:
            self._counted = _definitions(self.procedure)
        return self._counted.get(variable, 0) == count

    # --- values

    def _loaded(self, node: ir.Load) -> str:
        if node.base and node.field.startswith("val$"):
            return self._captured(node.field[4:])
        return self._fields.field(self.type_of(node.base) if node.base else "", node.base, node.field)

    def element(self, base: str) -> str:
        """The type of the elements of an array."""
        array = self.types.get(base, "")
        return array[:-2] if array.endswith("[]") else ""

    def field(self, base: str, field: str) -> str:
        """The type of a field, of an object or static."""
        return self._fields.field(self.types.get(base, "") if base else "", base, field)

    def _copy(self, node: ir.Copy) -> None:
        found = self.type_of(node.src)
        self._assign(node.dst, "" if found == NULL else found)
        if node.src in self._narrowed and self.is_assigned_by(node.dst, 1):
            self._narrowed[node.dst] = self._narrowed[node.src]
        allocated = self._allocated.get(node.src)
        if allocated is None:
            return
        if self.is_assigned_by(node.dst, 1):
            self._allocated[node.dst] = allocated
        if allocated.startswith(_LAMBDA_TYPE):
            self._type_lambda(allocated, self.types.get(node.dst, ""))

    def _allocate(self, node: ir.Alloc) -> None:
        if node.type.startswith(_LAMBDA_TYPE):
            self._allocated[node.dst] = node.type
            return
        found = self.written.full(node.type)
        if not found:
            return
        self._assign(node.dst, found)
        if ir.is_temporary(node.dst) or self.is_assigned_by(node.dst, 1):
            self._allocated[node.dst] = found

    def _hold(self, node: ir.Store | ir.StoreElement | ir.Return) -> None:
        """Types the formals of a lambda by the place that it is put into."""
        allocated = self._allocated[node.src]
        if not allocated.startswith(_LAMBDA_TYPE):
            return
        match node:
            case ir.Store():
                self._type_lambda(allocated, self.field(node.base, node.field))
            case ir.StoreElement():
                self._type_lambda(allocated, self.element(node.base))
            case ir.Return():
                self._type_lambda(allocated, self.result())

    def result(self) -> str:
        """The type of what the procedure answers."""
        if self.procedure.kind != "lambda":
            return self.written.full(self.procedure.result)
        return self._surroundings().lambdas.get(self.procedure.name, ("",))[-1]

    def _operation(self, node: ir.Op) -> str:
        if node.operator == "cast":
            found = self.written.full(node.type)
            allocated = self._allocated.get(node.operands[0], "")
            if allocated.startswith(_LAMBDA_TYPE):
                self._allocated[node.dst] = allocated
                self._type_lambda(allocated, found)
            return found
        if node.operator in _COMPARISONS:
            return "boolean"
        types = [self.type_of(each) for each in node.operands]
        if node.operator == "+" and STRING in types:
            return STRING
        plain = [unbox(each) or each for each in types]
        if plain and all(each == "boolean" for each in plain):
            return "boolean"
        if not all(each in PRIMITIVES for each in plain):
            return STRING if node.operator == "+" and any(each and each not in PRIMITIVES for each in plain) else ""
        return next((rank for rank in _RANKS if rank in plain), "int")

    def _caught(self, types: tuple[str, ...]) -> str:
        names = [self.written.name(each) for each in types if each != ir.ANY_EXCEPTION]
        if not names or not all(names):
            return THROWABLE
        first = names[0]
        for above in (first, *self.queries.supertypes(first)) if len(names) > 1 else (first,):
            if all(self.queries.is_subtype(each, above) for each in names):
                return above
        return THROWABLE

    # --- calls

    def _call(self, position: int, node: ir.Call) -> None:
        actuals = tuple([self._actual(each) for each in node.args])
        if node.kind == "static" and METHOD_REFERENCE in self.procedure.attributes:
            callee = self._referred(position, node, actuals)
        else:
            callee = self._lambda_call(node) or self._resolved(node, actuals)
        if any([each[:2] == LAMBDA for each in actuals]):
            callee = self._with_lambdas(node, callee, actuals)
        self.callees[position] = callee
        if node.dst and callee.result != "void":
            self._assign(node.dst, self._given(node, callee))

    def _given(self, node: ir.Call, callee: Callee) -> str:
        if node.kind != "virtual" or not node.receiver:
            return callee.result
        answered = answered_type(node, callee, self.type_of(node.receiver), self.queries)
        if answered and self.is_assigned_by(node.dst, 1):
            self._narrowed[node.dst] = answered
        return answered or callee.result

    def _resolved(self, node: ir.Call, actuals: tuple[str, ...]) -> Callee:
        allocated = self._allocated.get(node.receiver, "")
        if node.kind == "new":
            receiver = self.written.full(node.qualifier) or allocated
            return self._calls.resolve(node, receiver, True, actuals)
        known = self._narrowed.get(node.receiver) or self.type_of(node.receiver) or self._constant(node)
        if not allocated:
            return self._calls.resolve(node, known, False, actuals)
        return self._calls.resolve(node, _with_arguments(allocated, known), True, actuals)

    def _constant(self, node: ir.Call) -> str:
        """The class that a call on a constant of a library is looked up in: its own, where a spec says anything of the method there."""
        owner = self._constants.get(node.receiver, "")
        found = self.written.name(owner) if owner else ""
        return found if self._calls.is_modelled(found, node.name) else ""

    def _referred(self, position: int, node: ir.Call, actuals: tuple[str, ...]) -> Callee:
        """The call of `Type::method`: where no static method takes the arguments, the first is the receiver."""
        callee = self._calls.resolve(node, "", True, actuals)
        if not node.args or any("static" in each.attributes for each in callee.methods):
            return callee
        receiver = self._calls.static_type(node)
        given = self.types.get(node.args[0], "")
        if "<" in given and erase(given) == receiver:
            receiver = given
        bound = ir.Call(
            node.start, node.end, node.dst, "virtual", node.name, node.qualifier, node.args[0], node.args[1:]
        )
        found = self._calls.resolve(bound, receiver or given, False, actuals[1:])
        if not found.methods and callee.methods:
            return callee
        self.rewritten[position] = bound
        self._assign(node.args[0], receiver)
        return found

    def _lambda_call(self, node: ir.Call) -> Callee | None:
        allocated = self._allocated.get(node.receiver, "") if node.kind == "virtual" else ""
        if not allocated.startswith(_LAMBDA_TYPE):
            return None
        functional = self.types.get(node.receiver, "")
        function = self.queries.methods(erase(functional), FUNCTION) if functional else ()
        if function and function[0].name != node.name:
            return None
        body = ProcedureKey(self.key.path, allocated[len(_LAMBDA_TYPE) :])
        return self._calls.lambda_callee(body, functional, node.name)

    # --- lambdas

    def _actual(self, operand: str) -> str:
        allocated = self._allocated.get(operand, "")
        if allocated.startswith(_LAMBDA_TYPE):
            body = self._lambda_header(allocated)
            is_counted = body is not None and METHOD_REFERENCE not in body.attributes
            return f"{LAMBDA}{len(body.parameters)}" if body is not None and is_counted else LAMBDA
        return self.type_of(operand)

    def _lambda_header(self, allocated: str) -> ir.Procedure | None:
        if self._headers is None:
            self._headers = {each.name: each for each in self.unit.procedures if each.kind == "lambda"}
        return self._headers.get(allocated[len(_LAMBDA_TYPE) :])

    def _with_lambdas(self, node: ir.Call, callee: Callee, actuals: tuple[str, ...]) -> Callee:
        """Types the formals of the lambdas that a call gets, and its result by what they answer."""
        if not callee.methods:
            return callee
        method = callee.methods[0]
        receiver = self.types.get(node.receiver, "")
        is_open = bool(method.generics) and "!" in method.generics[-1]
        bound: dict[int, str] = {}
        for position, (operand, actual) in enumerate(zip(node.args, actuals, strict=True)):
            if actual[:2] != LAMBDA:
                continue
            allocated = self._allocated[operand]
            functional = formal_of(method, receiver, actuals, position, bound)
            function = self._type_lambda(allocated, functional)
            if is_open and function is not None:
                answered = self._answered(allocated)
                if answered:
                    bind_result(method, function, receiver, actuals, position, answered, bound)
        if not is_open:
            return callee
        result = result_with(method, receiver, actuals, bound)
        target = msgspec.structs.replace(callee.target, result=erase(result))
        return Callee(target, callee.methods, result, callee.model)

    def _type_lambda(self, allocated: str, functional: str) -> MethodFacts | None:
        """Types the formals of a lambda by its functional interface, whose method it answers."""
        function = self.queries.methods(erase(functional), FUNCTION) if functional else ()
        body = self._lambda_header(allocated) if function else None
        if body is None:
            return None
        if len(function[0].parameters) == len(body.parameters) or METHOD_REFERENCE in body.attributes:
            self.lambdas.setdefault(body.name, signature_of_lambda(function[0], functional))
        return function[0]

    def _answered(self, allocated: str) -> str:
        """The type of what a lambda answers, by a pass over its body."""
        key = ProcedureKey(self.key.path, allocated[len(_LAMBDA_TYPE) :])
        procedure = self.queries.procedure(key)
        if procedure is None:
            return ""
        around = Surroundings(self.procedure.nodes, self.types, self.lambdas)
        inner = BodyTypes(key, self.unit, procedure, self.queries, around)
        inner.run()
        for each in procedure.nodes:
            if isinstance(each, ir.Return) and each.src:
                found = inner.type_of(each.src)
                if found and found != NULL:
                    return found
        return ""

    def lambda_result(self, operand: str) -> str | None:
        """The type of the object that a lambda in an operand creates and answers: empty where it does
        something else, None where there is no lambda."""
        allocated = self._allocated.get(operand, "")
        if not allocated.startswith(_LAMBDA_TYPE):
            return None
        body = self.queries.procedure(ProcedureKey(self.key.path, allocated[len(_LAMBDA_TYPE) :]))
        if body is None:
            return None
        made = {each.dst: each.type for each in body.nodes if isinstance(each, ir.Alloc)}
        for each in body.nodes:
            if isinstance(each, ir.Return) and each.src in made:
                return self.written.name(made[each.src])
        return ""


def _definitions(procedure: ir.Procedure) -> dict[str, int]:
    """How many nodes assign each variable."""
    counts: dict[str, int] = dict.fromkeys(procedure.parameters, 1)
    for node in procedure.nodes:
        match node:
            case ir.Copy() | ir.Alloc() | ir.Op() | ir.Load() | ir.LoadElement() | ir.Call() | ir.Catch():
                counts[node.dst] = counts.get(node.dst, 0) + 1
            case ir.Havoc():
                for name in node.variables:
                    counts[name] = counts.get(name, 0) + 2
            case _:
                pass
    return counts


def _literal_type(operand: str) -> str:
    text = operand[1:]
    if text == "null":
        return NULL
    if text in ("true", "false"):
        return "boolean"
    first = text[:1]
    if first == '"':
        return STRING
    if first == "'":
        return "char"
    if first.isdigit() or (first == "-" and text[1:2].isdigit()) or first == ".":
        if "." in text or text[-1:] in "fFdD":
            return "float" if text[-1:] in "fF" else "double"
        return "int"
    return ""


def _with_arguments(allocated: str, declared: str) -> str:
    """The exact type of an object; for `new ArrayList<>()` with the arguments of the declared type."""
    if "<" in allocated or "<" not in declared:
        return allocated
    base, _ = base_and_dimensions(allocated)
    given = arguments(declared)
    return f"{base}<{','.join(given)}>" if given and not has_variables(declared) else allocated
