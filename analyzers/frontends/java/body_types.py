"""The types of a procedure's variables and the callees of its calls, by one pass in the order of the nodes.

Declared types stand as written; temporaries, `var` and what a lambda or local class captures get what is
assigned to them first. A variable that is assigned once, with a new object, has that object's exact
type as receiver. Misses types that only a later node tells.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java.callees import Callee, Callees
from analyzers.frontends.java.inference import formal_of, formals_of_lambda
from analyzers.frontends.java.overloads import LAMBDA, NULL
from analyzers.frontends.java.type_members import FUNCTION
from analyzers.frontends.java.type_text import (
    OBJECT,
    PRIMITIVES,
    arguments,
    base_and_dimensions,
    erase,
    unbox,
)
from analyzers.frontends.java.written_types import WrittenTypes, enclosing
from analyzers.queries import Linked, ProcedureKey, Queries

STRING = "java.lang.String"
THROWABLE = "java.lang.Throwable"

METHOD_REFERENCE = "method-reference"
"""The attribute of a lambda that lowering made of a method reference: its number of formals is a guess."""

_LAMBDA_TYPE = "lambda:"
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "!", "&&", "||", "instanceof"))
_RANKS = ("double", "float", "long", "int")


class BodyTypes:
    """Runs the pass; afterwards `types` holds types with their arguments, `callees` what calls resolve to,
    `lambdas` the formals of lambdas made here, `rewritten` calls whose kind only linking could tell."""

    def __init__(self, key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> None:
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
        self._declared: set[str] = set()
        self._allocated: dict[str, str] = {}
        self._around: Linked | None = None
        self._has_asked_around = False
        self._fields: dict[tuple[str, str], str] = {}
        self._own_fields: dict[str, dict[str, str]] = {}
        self._counts = _definitions(procedure)

    def run(self) -> None:
        """Types every variable and resolves every call."""
        self._enter()
        self._visit()
        self._type_stored_lambdas()

    def _visit(self) -> None:
        for position, node in enumerate(self.procedure.nodes):
            match node:
                case ir.Call():
                    self._call(position, node)
                case ir.Load():
                    self._assign(node.dst, self._field(node.base, node.field))
                case ir.Copy():
                    self._copy(node)
                case ir.Alloc():
                    self._allocate(node)
                case ir.Op():
                    self._assign(node.dst, self._operation(node))
                case ir.LoadElement():
                    array = self.types.get(node.base, "")
                    self._assign(node.dst, array.removesuffix("[]") if array.endswith("[]") else "")
                case ir.Catch():
                    self._assign(node.dst, self._caught(node.types))
                case _:
                    pass

    # --- variables

    def _enter(self) -> None:
        procedure = self.procedure
        if procedure.owner and "static" not in procedure.attributes and procedure.kind != "lambda":
            self.types["this"] = procedure.owner
        for each in procedure.variables:
            if each.type and "|" not in each.type:
                found = self.written.full(each.type)
                if found:
                    self.types[each.name] = found
                self._declared.add(each.name)
            elif each.kind == "captured":
                name = ir.source_name(each.name)
                self._assign(each.name, procedure.owner if name == "this$0" else self._captured(name))
        if procedure.kind == "lambda":
            around = self._surroundings()
            formals = around.lambdas.get(procedure.name, ()) if around is not None else ()
            for name, found in zip(procedure.parameters, formals, strict=False):
                self._assign(name, found)

    def _surroundings(self) -> Linked | None:
        """The procedure that a lambda or local class stands in, linked; it never asks for what is inside."""
        if not self._has_asked_around:
            self._has_asked_around = True
            around = enclosing(self.unit, self.procedure)
            if around is not None:
                self._around = self.queries.linked(ProcedureKey(self.key.path, around.name))
        return self._around

    def _captured(self, name: str) -> str:
        """The type of what the procedure around stores to `val$name` of the object that runs this one."""
        around = self._surroundings()
        if around is None:
            return ""
        procedure = self.procedure
        made = f"{_LAMBDA_TYPE}{procedure.name}" if procedure.kind == "lambda" else procedure.owner
        objects = {each.dst for each in around.body.nodes if isinstance(each, ir.Alloc) and each.type == made}
        field = f"val${name}"
        for each in around.body.nodes:
            if isinstance(each, ir.Store) and each.field == field and each.base in objects:
                return around.generics.get(each.src) or around.types.get(each.src, "")
        return ""

    def _assign(self, variable: str, found: str) -> None:
        if found and variable and variable not in self.types and variable not in self._declared:
            self.types[variable] = found

    def type_of(self, operand: str) -> str:
        """The type of an operand with its arguments; empty where unknown."""
        if operand[:1] != "=":
            return self.types.get(operand, "")
        return _literal_type(operand)

    def _copy(self, node: ir.Copy) -> None:
        found = self.type_of(node.src)
        self._assign(node.dst, "" if found == NULL else found)
        if node.src in self._allocated and self._counts.get(node.dst, 0) == 1:
            self._allocated[node.dst] = self._allocated[node.src]

    def _allocate(self, node: ir.Alloc) -> None:
        if node.type.startswith(_LAMBDA_TYPE):
            self._allocated[node.dst] = node.type
            return
        found = self.written.full(node.type)
        if not found:
            return
        self._assign(node.dst, found)
        if self._counts.get(node.dst, 0) == 1:
            self._allocated[node.dst] = found

    def is_assigned_by(self, variable: str, count: int) -> bool:
        """Whether so many nodes assign a variable, and no more."""
        return self._counts.get(variable, 0) == count

    # --- values

    def _field(self, base: str, field: str) -> str:
        if not base:
            owner, _, name = field.rpartition(".")
            return self._field_of(self.written.name(owner), name) if owner else self._imported_field(name)
        receiver = self.types.get(base, "")
        if field == "this$0":
            return self._outer_of(erase(receiver))
        if field.startswith("val$"):
            return self._captured(field[4:])
        return self._field_of(erase(receiver), field) if receiver else ""

    def _outer_of(self, type_name: str) -> str:
        if self.procedure.kind == "lambda" and not type_name:
            return self.procedure.owner
        outer = type_name.rpartition("$")[0]
        names = {each.name for each in self.unit.types}
        while outer and outer not in names:
            outer = outer.rpartition("$")[0]
        return outer

    def _imported_field(self, name: str) -> str:
        for each in self.unit.imports:
            if each.startswith("static ") and each.endswith(".*"):
                owner = self.written.name(each[7:-2].strip())
                found = self.queries.field_type(owner, name) if owner else ""
                if found:
                    return found
        return ""

    def _field_of(self, owner: str, name: str) -> str:
        if not owner:
            return ""
        key = (owner, name)
        found = self._fields.get(key)
        if found is None:
            found = self._fields[key] = self._own_field(owner, name) or self.queries.field_type(owner, name)
        return found

    def _own_field(self, owner: str, name: str) -> str:
        """A field that this file declares, with type arguments."""
        fields = self._own_fields.get(owner)
        if fields is None:
            declared = next((each for each in self.unit.types if each.name == owner), None)
            fields = {each.name: each.type for each in declared.fields} if declared is not None else {}
            self._own_fields[owner] = fields
        written = fields.get(name, "")
        if "<" not in written:
            return ""
        return self.written.full(written)

    def _operation(self, node: ir.Op) -> str:
        if node.operator == "cast":
            return self.written.full(node.type) or ""
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
        actuals = tuple(self._actual(each) for each in node.args)
        if node.kind == "static" and METHOD_REFERENCE in self.procedure.attributes:
            callee = self._referred(position, node, actuals)
        else:
            callee = self._lambda_call(node) or self._resolved(node, actuals)
        self.callees[position] = callee
        if node.dst:
            result = callee.result
            if node.name == "getClass" and not node.args:
                result = f"java.lang.Class<{erase(self.types.get(node.receiver, OBJECT)) or OBJECT}>"
            self._assign(node.dst, "" if result == "void" else result)
        for actual, text in zip(node.args, actuals, strict=True):
            if text.startswith(LAMBDA):
                self._give_formals(node, actual, callee)

    def _resolved(self, node: ir.Call, actuals: tuple[str, ...]) -> Callee:
        allocated = self._allocated.get(node.receiver, "")
        if node.kind == "new":
            receiver = allocated or self.written.full(node.qualifier) or self.types.get(node.receiver, "")
            return self._calls.resolve(node, receiver, True, actuals)
        known = self.types.get(node.receiver, "")
        if not allocated:
            return self._calls.resolve(node, known, False, actuals)
        return self._calls.resolve(node, _with_arguments(allocated, known), True, actuals)

    def _referred(self, position: int, node: ir.Call, actuals: tuple[str, ...]) -> Callee:
        """The call of `Type::method`: where no static method takes the arguments, the first is the receiver."""
        callee = self._calls.resolve(node, "", True, actuals)
        if not node.args or any("static" in each.attributes for each in callee.methods):
            return callee
        receiver = self._calls.static_type(node) or actuals[0]
        bound = ir.Call(
            node.start, node.end, node.dst, "virtual", node.name, node.qualifier, node.args[0], node.args[1:]
        )
        found = self._calls.resolve(bound, receiver, False, actuals[1:])
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

    def _actual(self, operand: str) -> str:
        allocated = self._allocated.get(operand, "")
        if allocated.startswith(_LAMBDA_TYPE):
            body = self._lambda_body(allocated)
            is_counted = body is not None and METHOD_REFERENCE not in body.attributes
            return f"{LAMBDA}{len(body.parameters)}" if body is not None and is_counted else LAMBDA
        return self.type_of(operand)

    def _lambda_body(self, allocated: str) -> ir.Procedure | None:
        name = allocated[len(_LAMBDA_TYPE) :]
        return next((each for each in self.unit.procedures if each.name == name), None)

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

    def _give_formals(self, node: ir.Call, operand: str, callee: Callee) -> None:
        """Types the formals of a lambda that is passed to a call."""
        body = self._lambda_body(self._allocated[operand])
        if body is None or not body.parameters or not callee.methods:
            return
        actuals = [self._actual(each) for each in node.args]
        receiver = self.types.get(node.receiver, "")
        self._type_lambda(body, formal_of(callee.methods[0], receiver, actuals, node.args.index(operand)))

    def _type_lambda(self, body: ir.Procedure, functional: str) -> None:
        function = self.queries.methods(erase(functional), FUNCTION) if functional else ()
        if function and (len(function[0].parameters) == len(body.parameters) or METHOD_REFERENCE in body.attributes):
            self.lambdas.setdefault(body.name, formals_of_lambda(function[0], functional))

    def _type_stored_lambdas(self) -> None:
        for variable, allocated in self._allocated.items():
            functional = self.types.get(variable, "")
            if allocated.startswith(_LAMBDA_TYPE) and functional:
                body = self._lambda_body(allocated)
                if body is not None and body.parameters:
                    self._type_lambda(body, functional)


def _definitions(procedure: ir.Procedure) -> dict[str, int]:
    """How many nodes assign each variable that some Alloc or Copy assigns."""
    counts: dict[str, int] = {}
    for name in procedure.parameters:
        counts[name] = 1
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
        if "." in text or (text[-1:] in "fFdD" and not text.startswith("0x")):
            return "float" if text[-1:] in "fF" else "double"
        return "int"
    return "java.lang.Class" if text.endswith(".class") else ""


def _with_arguments(allocated: str, declared: str) -> str:
    """The exact type of an object; for `new ArrayList<>()` with the arguments of the declared type."""
    if "<" in allocated or "<" not in declared:
        return allocated
    base, _ = base_and_dimensions(allocated)
    given = arguments(declared)
    return f"{base}<{','.join(given)}>" if given else allocated
