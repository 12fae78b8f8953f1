"""Puts literals where a name always means one, decides the branches on them, and cuts the side that is dead.

Names: enumerators, object-like macros, file statics that nobody writes, functions with one constant result,
functions as values; and a constant of a library that is not there whose name says success, where it is compared with what that answers with 0
when it has made something (`afc_client_new(device, &client) != AFC_E_SUCCESS`): anywhere else it may be any number. Only temporaries pass a literal on; variables of the source keep theirs to the guards.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.domains.guard import is_named_like_success
from analyzers.frontends.c import constants, literals
from analyzers.queries import Queries
from analyzers.summaries import Condition, Effects

_WRAP = 1 << 64
"""What is added to a negative number that becomes one without a sign."""

_ANSWERED = Condition(("$ret",), "==", "=0")

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))


def with_constants(path: str, body: ir.Procedure, queries: Queries) -> ir.Procedure:
    """The procedure with constants in place, and without edges that no execution takes."""
    return _Folding(path, body, queries).run()


class _Folding:
    def __init__(self, path: str, body: ir.Procedure, queries: Queries) -> None:
        self._path = path
        self._body = body
        self._queries = queries
        self._values: dict[str, str] = {}
        self._unknown: dict[str, str] = {}
        """Per temporary that is read from a name of file level whose value nobody knows, that name."""
        assigned: dict[str, int] = {}
        for node in body.nodes:
            dst = getattr(node, "dst", "")
            if dst[:1] == "%":
                assigned[dst] = assigned.get(dst, 0) + 1
        self._once = {name for name, count in assigned.items() if count == 1}

    def run(self) -> ir.Procedure:
        """See `with_constants`."""
        nodes = list(self._body.nodes)
        following = list(self._body.next)
        changed = False
        for place, node in enumerate(nodes):
            new = self._rewritten(node)
            if isinstance(new, ir.Branch):
                taken = decided(new)
                if taken is not None and len(following[place]) == 2:
                    following[place] = (following[place][0 if taken else 1],)
                    new = ir.ScopeEnd(new.start, new.end, ())
            if new is not node:
                nodes[place] = new
                changed = True
        if not changed:
            return self._body
        return msgspec.structs.replace(self._body, nodes=tuple(nodes), next=tuple(following))

    def _rewritten(self, node: ir.Instruction) -> ir.Instruction:
        match node:
            case ir.Load(dst=dst, base="", field=field):
                value = self._named(field)
                self._unknown.update({dst: field} if not value else {})
                return self._assign(ir.Copy(node.start, node.end, dst, value)) if value else node
            case ir.Copy(src=source):
                value = self._values.get(source, "")
                copy = ir.Copy(node.start, node.end, node.dst, value) if value else node
                return self._assign(copy)
            case ir.Op():
                return self._op(node)
            case ir.Call():
                return self._call(node)
            case ir.Branch(operator=operator, left=left, right=right):
                first, second = self._values.get(left, left), self._values.get(right, right)
                if operator in ("==", "!=") and self._is_success(right) and self._is_answer(left):
                    second = "=0"
                if (first, second) == (left, right):
                    return node
                return ir.Branch(node.start, node.end, node.operator, first, second)
            case ir.LoadElement(index=index):
                value = self._values.get(index, "")
                return msgspec.structs.replace(node, index=value) if value else node
            case ir.StoreElement(index=index, src=source):
                position, value = self._values.get(index, index), self._values.get(source, source)
                return node if (position, value) == (index, source) else msgspec.structs.replace(node, index=position, src=value)
            case ir.Store(src=source) | ir.Return(src=source):
                value = self._values.get(source, "")
                return msgspec.structs.replace(node, src=value) if value else node
            case _:
                return node

    def _is_success(self, operand: str) -> bool:
        """Whether an operand is a constant that nobody knows, and that says success by its name."""
        return "_" in (name := self._unknown.get(operand, "")) and is_named_like_success(name)

    def _is_answer(self, operand: str) -> bool:
        """Whether an operand only ever is what functions of libraries answer, and one of them answers with 0 when it has made something."""
        made = [node for node in self._body.nodes if getattr(node, "dst", "") == operand]
        if not made or operand in self._body.parameters:
            return False
        models = [self._queries.model((node.name,), ()) if isinstance(node, ir.Call) and not self._queries.functions(self._path, node.name) else None for node in made]
        return None not in models and any(_makes_for_nothing(model) for model in models if model is not None)

    def _assign(self, copy: ir.Copy) -> ir.Copy:
        if copy.dst in self._once and ir.is_literal(copy.src) and copy.src != "=?":
            self._values[copy.dst] = copy.src
        return copy

    def _op(self, node: ir.Op) -> ir.Instruction:
        operands = tuple(self._values.get(each, each) for each in node.operands)
        value = folded(node.operator, operands)
        if value:
            return self._assign(ir.Copy(node.start, node.end, node.dst, value))
        return node if operands == node.operands else msgspec.structs.replace(node, operands=operands)

    def _call(self, node: ir.Call) -> ir.Call:
        if node.kind == "function" and node.dst in self._once:
            value = self._queries.constant(self._path, node.name)
            if value and not self._is_of_a_library(node.name):
                self._values[node.dst] = value
        arguments = tuple(self._values.get(each, each) for each in node.args)
        receiver = self._values.get(node.receiver, node.receiver)
        if (arguments, receiver) == (node.args, node.receiver):
            return node
        return msgspec.structs.replace(node, args=arguments, receiver=receiver)

    def _is_of_a_library(self, name: str) -> bool:
        """Whether a library makes something by a name: what stands for it in tests gives nothing, and the code around is written for both."""
        model = self._queries.model((name,), ())
        return model is not None and any(not each.entry for each in model.transfers)

    def _named(self, name: str) -> str:
        """The literal that a name of file level stands for; empty where it is a variable."""
        if "." in name or name == "*":
            return ""
        value = self._queries.constant(self._path, name)
        if value and (not self._queries.functions(self._path, name) or self._is_object_like(name)):
            return value
        if self._queries.variable_type(self._path, name):
            return ""
        is_function = bool(self._queries.functions(self._path, name))
        return f"=&{name}" if is_function or self._queries.prototype(self._path, name) is not None else ""

    def _is_object_like(self, name: str) -> bool:
        """Whether a name is that of a macro without arguments, whatever its body calls (`AS_POINTER(-1)`)."""
        macros = self._queries.macro(self._path, name)
        return bool(macros) and all(each.parameters is None for each in macros)


def _makes_for_nothing(model: Effects) -> bool:
    """Whether a function makes something where it answers with 0."""
    ends = (outcome for transfer in model.transfers if not transfer.entry for outcome in transfer.outcomes)
    return any(_ANSWERED in outcome.when for outcome in ends)


def folded(operator: str, operands: tuple[str, ...]) -> str:
    """An operation on literals; empty where the value is not known."""
    if not operands or not all(map(ir.is_literal, operands)) or "=?" in operands:
        return ""
    if len(operands) == 1:
        if operator == "!":
            known = constants.truth(operands[0])
            return "" if known is None else ("=0" if known else "=1")
        if operator == "cast":
            return operands[0]
        if operator == "unsigned":
            is_below = constants.is_integer(operands[0]) and operands[0][1] == "-"
            return f"={int(operands[0][1:]) + _WRAP}" if is_below else operands[0]
        return literals.negate(operands[0], operator) if operator in ("-", "~") else ""
    return constants.fold(operator, operands[0], operands[1]) if len(operands) == 2 else ""


def decided(branch: ir.Branch) -> bool | None:
    """Whether a branch is always, or never, taken; None where that is not known."""
    if branch.operator == "true":
        return constants.truth(branch.left) if ir.is_literal(branch.left) else None
    if branch.operator in _COMPARISONS and ir.is_literal(branch.left) and ir.is_literal(branch.right):
        value = constants.fold(branch.operator, branch.left, branch.right)
        return constants.truth(value) if value else None
    return None
