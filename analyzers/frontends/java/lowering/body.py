"""One procedure while it is lowered: its graph, its variables, its ways out.

Expressions become operands (`value`), conditions become edges (`condition`). What several branches
assign cannot be a temporary, which is assigned once: such a variable is named `choice%1`, `return%1`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from analyzers import ir
from analyzers.finding import NoteKind
from analyzers.syntax import Node

from .context import Context
from .exits import Exits, Target
from .graph import Graph
from .scopes import ClassScope

DEEPEST = 100
"""Nested deeper than this, an expression or statement is not lowered."""

UNKNOWN = "=?"

_TEMPORARIES = tuple(ir.Variable(f"%{number}", "", "temporary") for number in range(1, 257))
_INFERRED = frozenset(("var", "val", "lombok.var", "lombok.val"))
"""What stands for the type of what a variable is made of: Java's word and Lombok's. A class of such a name is missed."""

_PRIMITIVE = frozenset(("int", "boolean", "long", "double", "float", "char", "byte", "short"))

Edges = tuple[list[int], list[int]]


class Tables(msgspec.Struct, frozen=True):
    """How each kind of node is lowered.

    An expression answers its operand; where it is told a variable it may assign that instead. A
    condition answers the edges on which it is true and false. `anonymous` lowers the class of a creation.
    """

    expressions: Mapping[str, Callable[[Body, Node, str], str]]
    conditions: Mapping[str, Callable[[Body, Node], Edges]]
    statements: Mapping[str, Callable[[Body, Node], None]]
    anonymous: Callable[[Body, Node, Node, str], ClassScope]


class Body:
    """A procedure while it is lowered.

    `this` names the enclosing object. `around` is the body that a lambda stands in. `names` maps what
    is visible here to variables; `undo` says what to restore where a scope ends. `captures` maps what
    comes from around to the variables that the procedure loads at its entry.
    """

    def __init__(
        self,
        context: Context,
        tables: Tables,
        owner: ClassScope,
        name: str,
        span: tuple[int, int, int],
        around: Body | None = None,
    ) -> None:
        self.context = context
        self.tables = tables
        self.owner = owner
        self.name = name
        self.start, self.header_end, self.end = span
        self.around = around
        self.is_static = False
        last = max(self.end - 1, self.start) - self.start
        self.graph = Graph(ir.Entry(0, self.header_end - self.start), ir.Exit(last, self.end - self.start))
        self.exits = Exits(self)
        self.names: dict[str, str] = {}
        self.undo: list[tuple[str, str | None, str]] = []
        self.scope_end = self.end
        self.declared: list[str] = []
        self.captures: dict[str, str] = {}
        self.loops: list[ir.Loop] = []
        self.depth: int = around.depth if around is not None else _depth_around(owner)
        self.lambdas = 0
        self.labels: tuple[str, ...] = ()
        self._variables: dict[str, ir.Variable] = {}
        self._by_offset: dict[int, str] = {}
        self._temporaries = 0
        self._choices = 0

    # --- variables

    @property
    def this(self) -> str:
        """The operand for `this` as the source means it."""
        if self.around is None:
            return "this"
        return self.captures.get("this$0") or self.capture("this$0")

    def temporary(self) -> str:
        """A fresh variable that is assigned once."""
        self._temporaries += 1
        return f"%{self._temporaries}"

    def choice(self, purpose: str) -> str:
        """A fresh variable that several branches assign."""
        self._choices += 1
        name = f"{purpose}%{self._choices}"
        self._variables[name] = ir.Variable(name, "", "temporary")
        return name

    def declare(
        self,
        name: str,
        written: str,
        offset: int,
        attributes: tuple[str, ...] = (),
        kind: ir.VariableKind = "local",
    ) -> str:
        """Make a variable visible from its declarator to the end of the scope; answers its name here."""
        if not name:
            return self.temporary()
        variable = self._by_offset.get(offset)
        if variable is None:
            variable, count = name, 1
            while variable in self._variables:
                count += 1
                variable = f"{name}#{count}"
            self._by_offset[offset] = variable
            start = self.start
            self._variables[variable] = ir.Variable(
                variable,
                "" if written in _INFERRED else written,
                kind,
                offset - start,
                max(self.scope_end, offset) - start,
                offset - start,
                attributes,
            )
            if written and written not in _INFERRED:
                self.context.mention(written)
        self.undo.append((name, self.names.get(name), variable))
        self.names[name] = variable
        if kind == "local" and written not in _PRIMITIVE:
            self.declared.append(variable)
        return variable

    def receive(self) -> None:
        """Declare the receiver."""
        self._variables["this"] = ir.Variable("this", "", "receiver", 0, self.end - self.start)

    def close_scope(self, mark: int) -> None:
        """Forget the names declared since the undo log had `mark` entries."""
        undo, names = self.undo, self.names
        while len(undo) > mark:
            name, before, _ = undo.pop()
            if before is None:
                names.pop(name, None)
            else:
                names[name] = before

    def end_scope(self, mark: int, start: int, end: int) -> None:
        """Emit the ScopeEnd of the variables declared since `mark` (primitive ones do not matter)."""
        if len(self.undo) > mark and self.graph.pending:
            self.bury([variable for _, _, variable in self.undo[mark:]], start, end)

    def bury(self, variables: list[str], start: int, end: int) -> None:
        """Emit the ScopeEnd of these variables."""
        mortal = tuple(
            variable
            for variable in dict.fromkeys(variables)
            if self._variables[variable].type not in _PRIMITIVE and self._variables[variable].kind == "local"
        )
        if mortal:
            self.graph.emit(ir.ScopeEnd(start - self.start, end - self.start, mortal))

    def variable(self, name: str) -> str | None:
        """The variable that a simple name denotes here, captured from around where need be."""
        found = self.names.get(name)
        if found is not None:
            return found
        if self.around is not None:
            is_captured = self.around.variable(name) is not None
        else:
            is_captured = _is_captured(self.owner, name)
        if not is_captured:
            return None
        return self.capture(name)

    def capture(self, name: str) -> str:
        """A variable for what is captured under this name."""
        variable, count = name, 1
        while variable in self._variables:
            count += 1
            variable = f"{name}#{count}"
        written = ""
        if self.around is not None:
            written = self.around.type_of(name)
        elif self.owner.body is not None:
            written = self.owner.body.type_of(name)
        self._variables[variable] = ir.Variable(variable, written, "captured", 0, self.end - self.start)
        self.captures[name] = variable
        self.names[name] = variable
        return variable

    def type_of(self, name: str) -> str:
        """The written type of the variable that a simple name denotes here."""
        variable = self.names.get(name)
        return self._variables[variable].type if variable is not None else ""

    def take_labels(self) -> tuple[str, ...]:
        """The labels of the statement that begins here."""
        labels, self.labels = self.labels, ()
        return labels

    # --- lowering

    def value(self, node: Node, into: str = "") -> str:
        """Lower an expression; answers its operand, which may be `into`."""
        lower = self.tables.expressions.get(node.kind)
        if lower is None:
            return self.havoc(node, _reason(node))
        self.depth += 1
        if self.depth > DEEPEST:
            self.depth -= 1
            return self.havoc(node, "nested too deeply")
        operand = lower(self, node, into)
        self.depth -= 1
        return operand

    def assign(self, variable: str, node: Node) -> None:
        """Lower an expression into a variable."""
        operand = self.value(node, variable)
        if operand != variable:
            self.graph.emit(ir.Copy(node.start - self.start, node.end - self.start, variable, operand))

    def condition(self, node: Node) -> Edges:
        """Lower a condition; answers the edges where it holds and where not. Nothing is pending then."""
        while node.kind == "parenthesized_expression" and len(node.kids) == 1:
            node = node.kids[0]
        lower = self.tables.conditions.get(node.kind)
        if lower is not None:
            self.depth += 1
            if self.depth <= DEEPEST:
                edges = lower(self, node)
                self.depth -= 1
                return edges
            self.depth -= 1
        return self.test(self.value(node), node)

    def test(self, operand: str, node: Node) -> Edges:
        """Branch on a boolean operand."""
        if operand in ("=true", "=false"):
            edges, self.graph.pending = self.graph.pending, []
            return (edges, []) if operand == "=true" else ([], edges)
        operator = "*" if operand == UNKNOWN else "true"
        left = "" if operand == UNKNOWN else operand
        return self.graph.branch(
            ir.Branch(node.start - self.start, node.end - self.start, operator, left, "")
        )

    def statement(self, node: Node) -> None:
        """Lower a statement."""
        lower = self.tables.statements.get(node.kind)
        self.depth += 1
        if lower is None:
            self.havoc(node, _reason(node))
        elif self.depth > DEEPEST:
            self.havoc(node, "nested too deeply")
        else:
            lower(self, node)
        self.depth -= 1

    def havoc(self, node: Node, reason: str) -> str:
        """Say that a node is not modelled: the variables that it names may hold anything."""
        start, end = node.start, node.end
        named: dict[str, None] = {}
        work = [node]
        while work:
            each = work.pop()
            if each.kind == "identifier":
                variable = self.names.get(self.context.text(each))
                if variable is not None:
                    named[variable] = None
            work.extend(each.kids)
        self.graph.emit(ir.Havoc(start - self.start, end - self.start, tuple(sorted(named)), reason))
        if node.kind != "ERROR":
            self.context.note(NoteKind.NOT_MODELLED, start, end, f"not modelled in `{self.name}`: {reason}")
        return UNKNOWN

    def leave(self, kind: str, target: Target | None, node: Node, value: str = "") -> None:
        """Lower a jump: see `Exits.leave`."""
        self.exits.leave(kind, target, (node.start, node.end), value)

    def finished_variables(self) -> tuple[ir.Variable, ...]:
        """All variables, sorted by name."""
        variables = list(self._variables.values())
        count = self._temporaries
        variables.extend(_TEMPORARIES[:count])
        variables.extend(
            ir.Variable(f"%{n}", "", "temporary") for n in range(len(_TEMPORARIES) + 1, count + 1)
        )
        variables.sort(key=_name_of)
        return tuple(variables)


def _reason(node: Node) -> str:
    return "syntax error" if node.kind == "ERROR" else f"`{node.kind}`"


def _name_of(variable: ir.Variable) -> str:
    return variable.name


def _depth_around(owner: ClassScope) -> int:
    scope: ClassScope | None = owner
    while scope is not None:
        if scope.body is not None:
            return scope.body.depth
        scope = scope.outer
    return 0


def _is_captured(owner: ClassScope, name: str) -> bool:
    """Whether a name in a class, where it is no field, is a variable of the body around the class."""
    scope: ClassScope | None = owner
    while scope is not None:
        if scope.field(name) is not None:
            return False
        if scope.body is not None:
            if scope.body.variable(name) is None:
                return False
            owner.captures[name] = None
            return True
        scope = scope.outer
    return False
