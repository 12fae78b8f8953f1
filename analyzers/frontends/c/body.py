"""A procedure while it is being lowered: its graph with open edges, its variables and scopes.

An edge is a number: twice the node it leaves plus which successor. `open` holds the edges that lead to
whatever is emitted next. A mark is an edge that belongs to no node: it learns which node comes next, so
that later jumps can go back there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from analyzers import ir
from analyzers.frontends.c.file import File
from analyzers.frontends.c.repair.tokens import tokenise
from analyzers.syntax import Node

MARK = 1 << 40
"""Edges from here on are marks."""

_NUMBERS = frozenset((
    "int", "char", "short", "long", "unsigned", "unsigned int", "unsigned char", "size_t", "ssize_t", "bool", "_Bool",
    "long long", "unsigned long", "off_t", "pid_t", "float", "double", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "int8_t", "int16_t", "int32_t", "int64_t", "unsigned long long",
))

_NOTHING = ir.ScopeEnd(0, 0, ())


class Lowering(msgspec.Struct, frozen=True, gc=False):
    """How each kind of node is lowered: for its value (given a variable that may take it), for its effect
    alone, and as a statement."""

    values: Mapping[str, Callable[[Body, Node, str], str]]
    effects: Mapping[str, Callable[[Body, Node], None]]
    statements: Mapping[str, Callable[[Body, Node], None]]


class Target:
    """A statement that `break` or `continue` may leave for: the edges that do, and the depth of scopes it keeps."""

    __slots__ = ("breaks", "continues", "depth", "takes_continue")

    def __init__(self, depth: int, takes_continue: str) -> None:
        self.depth = depth
        self.takes_continue = takes_continue
        self.breaks: list[int] = []
        self.continues: list[int] = []


class Scope:
    """A block: where it ends, what is declared in it, what to undo, what to clean up when it is left."""

    __slots__ = ("cleanups", "end", "hidden", "start", "variables")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.variables: list[str] = []
        self.hidden: list[tuple[str, str | None]] = []
        self.cleanups: list[tuple[str, str, str]] = []


class Declared:
    """What is known of a variable of the source."""

    __slots__ = ("attributes", "declared", "end", "kind", "name", "start", "type")

    def __init__(
        self, name: str, type_text: str, kind: ir.VariableKind, start: int, end: int, declared: int,
        attributes: tuple[str, ...],
    ) -> None:
        self.name = name
        self.type = type_text
        self.kind = kind
        self.start = start
        self.end = end
        self.declared = declared
        self.attributes = attributes


_RECEIVER = "this"
"""What the IR calls an object whose method runs: in C a name like any other."""


class Body:
    """The graph of one procedure under construction. Offsets given to it are those of the file."""

    __slots__ = (
        "address_taken", "attributes", "base", "begun", "configurations", "dead", "entries", "error", "file", "found", "gotos", "grids",
        "has_returned", "is_macro", "join_count", "label_places", "label_sides", "labels", "late", "looked_into", "loops", "lowering", "marks", "name", "names", "nested",
        "nodes", "open", "parameters", "pending", "pointers", "result", "root", "scopes", "source", "succ",
        "targets", "temporaries", "thread_cleanups", "types", "used_names", "variables",
    )

    def __init__(
        self, file: File, lowering: Lowering, base: int, name: str, result: str, root: Node
    ) -> None:
        self.file = file
        self.found = file.found
        self.lowering = lowering
        self.source = file.source
        self.base = base
        self.name = name
        self.result = result
        self.root = root
        self.nodes: list[ir.Instruction] = []
        self.succ: list[int] = []
        self.open: list[int] = []
        self.marks: list[int] = []
        self.late: list[tuple[int, int]] = []
        self.dead = 0
        self.temporaries = 0
        self.join_count = 0
        self.names: dict[str, str] = {}
        self.used_names: dict[str, int] = {}
        self.variables: dict[str, Declared] = {}
        self.pointers: set[str] = set()
        self.types: dict[str, str] = {}
        self.address_taken: set[str] = set()
        self.looked_into: set[str] = set()
        self.parameters: list[str] = []
        self.scopes: list[Scope] = []
        self.targets: list[Target] = []
        self.labels: dict[str, int] = {}
        self.nested: dict[str, str] = {}
        self.begun: dict[str, str] = {}
        self.gotos: dict[str, list[int]] = {}
        self.grids: dict[str, tuple[str, ...]] = {}
        self.label_places: dict[str, int] | None = None
        self.label_sides: tuple[list[tuple[int, int]], dict[str, list[tuple[int, int]]]] | None = None
        self.entries: list[dict[int, list[int]]] = []
        self.configurations: set[str] = set()
        self.pending: list[tuple[Node, str, dict[str, str]]] = []
        self.loops: list[tuple[int, int, int]] = []
        self.attributes: list[str] = []
        self.thread_cleanups: list[tuple[str, str]] = []
        self.is_macro = False
        self.has_returned = False
        self.error: tuple[int, int] | None = None

    # --- syntax

    def value(self, node: Node, want: str = "") -> str:
        """Lower an expression; the operand that holds its value: `want` if an instruction made it."""
        lower = self.lowering.values.get(node.kind)
        return lower(self, node, want) if lower is not None else self.unknown(node)

    def effect(self, node: Node) -> None:
        """Lower an expression for what it does."""
        lower = self.lowering.effects.get(node.kind)
        if lower is not None:
            lower(self, node)
        else:
            self.value(node)

    def statement(self, node: Node) -> None:
        """Lower a statement or a declaration."""
        lower = self.lowering.statements.get(node.kind)
        if lower is not None:
            lower(self, node)
        else:
            self.unknown(node)

    def unknown(self, node: Node) -> str:
        """What is not modelled: anything may have happened to the variables in it."""
        self.havoc(self.variables_in(node), f"{node.kind} is not modelled", node.start, node.end)
        return "=?"

    def variables_in(self, node: Node) -> tuple[str, ...]:
        """The local variables that are named in a node, sorted."""
        found: set[str] = set()
        stack = [node]
        while stack:
            at = stack.pop()
            if at.kind == "identifier":
                name = self.names.get(self.file.text(at), "::")
                if name[:2] != "::":
                    found.add(name)
            stack += at.kids
        return tuple(sorted(found))

    def names_in(self, start: int, end: int) -> tuple[str, ...]:
        """The local variables that are named in bytes of which there is no tree, sorted."""
        found: set[str] = set()
        for token in tokenise(self.source, start, end):
            name = self.names.get(token.text, "::")
            if token.kind == "name" and name[:2] != "::":
                found.add(name)
        return tuple(sorted(found))

    # --- nodes and edges

    def emit(self, instruction: ir.Instruction) -> int:
        """Append an instruction; all open edges lead to it, and it leaves one."""
        nodes = self.nodes
        index = len(nodes)
        nodes.append(instruction)
        succ = self.succ
        succ += (-1, -1)
        edges = self.open
        if not edges:
            self.dead += 1
        try:
            for edge in edges:
                succ[edge] = index
        except IndexError:
            self._close(edges, index)
        self.open = [2 * index]
        return index

    def _close(self, edges: list[int], index: int) -> None:
        if min(edges, default=0) >= MARK:
            self.dead += 1
        for edge in edges:
            if edge >= MARK:
                self.marks[edge - MARK] = index
            else:
                self.succ[edge] = index

    def branch(self, operator: str, left: str, right: str, node: Node) -> tuple[list[int], list[int]]:
        """Emit a Branch; the edges taken and not taken. Nothing is open after."""
        base = self.base
        index = self.emit(ir.Branch(node.start - base, node.end - base, operator, left, right))
        self.open = []
        return [2 * index], [2 * index + 1]

    def mark(self) -> int:
        """A mark on whatever is emitted next from here."""
        number = len(self.marks)
        self.marks.append(-1)
        self.open = [*self.open, MARK + number]
        return number

    def jump(self, mark: int) -> None:
        """Lead all open edges back to a mark; nothing is open after."""
        if any(edge >= MARK for edge in self.open):
            self.emit(_NOTHING)
        late = self.late
        for edge in self.open:
            late.append((edge, mark))
        self.open = []

    def repeat(self, node: Node, head: int) -> None:
        """Lead the open edges back to the head of a loop, a mark; it is a loop only if some do."""
        if self.open:
            self.jump(head)
            self.loops.append((node.start - self.base, node.end - self.base, head))

    def returns(self) -> None:
        """Lead the open edges to the exit; nothing is open after."""
        self.has_returned = True
        self._close(self.open, ir.EXIT)
        self.open = []

    def label(self, name: str) -> None:
        """What comes next can be jumped to."""
        self.open = self.open + self.gotos.pop(name, [])
        self.labels[name] = self.mark()

    def go_to(self, name: str, node: Node) -> None:
        """Jump to a label of this procedure, out of the blocks that do not hold it."""
        places = self.label_places
        if places is None:
            places = self.label_places = self._labels()
        place = places.get(name)
        if place is None:
            self.leave_macro(node, f"=goto {name}")
            return
        depth = 0
        while depth < len(self.scopes) and self.scopes[depth].start <= place < self.scopes[depth].end:
            depth += 1
        self.leave(depth, node.start, node.end)
        if name in self.labels and not self._is_ahead(name, node):
            self.jump(self.labels[name])
        else:
            self.gotos.setdefault(name, []).extend(self.open)
            self.open = []

    def _is_ahead(self, name: str, node: Node) -> bool:
        """Whether a jump is to a label further on, though one of that name stands before: on the other side of an `#if`."""
        if self.label_sides is None:
            self.label_sides = self._sides()
        chain, labels = self.label_sides
        named = labels.get(name, [])
        own = max((start for start, end in chain if start <= node.start < end), default=-1) if len(named) > 1 else -1
        return len(named) > 1 and any(place > node.start and side == own for place, side in named) and not any(
            place <= node.start and side == own for place, side in named
        )

    def _sides(self) -> tuple[list[tuple[int, int]], dict[str, list[tuple[int, int]]]]:
        """The sides of all `#if`s, and per label where it stands and on which of them."""
        stack = [self.root]
        chain: list[tuple[int, int]] = []
        named: dict[str, list[tuple[int, int]]] = {}
        while stack:
            each = stack.pop()
            if each.kind == "labeled_statement" and each.kids:
                side = max((start for start, end in chain if start <= each.start < end), default=-1)
                named.setdefault(self.file.text(each.kids[0]), []).append((each.start, side))
            if each.kind.startswith("preproc_"):
                chain.append((each.start, each.end))
            stack += reversed(each.kids)
        return chain, named

    def go_anywhere(self, node: Node) -> None:
        """A computed jump: to any label of this procedure."""
        *names, last = sorted(self._labels()) or [""]
        for name in names:
            taken, other = self.branch("*", "=?", "", node)
            self.open = taken
            self.go_to(name, node)
            self.open = other
        if last:
            self.go_to(last, node)
        else:
            self.returns()

    def leave_macro(self, node: Node, where: str) -> None:
        """A jump to where only the user of this macro can say; in a function that is a mistake."""
        if self.is_macro:
            self.attributes.append(f"jumps({where[1:]})")
            self.emit(ir.Return(node.start - self.base, node.end - self.base, where))
        else:
            self.broken(node.start, node.end)
            self.havoc((), f"{where[1:]} leads nowhere", node.start, node.end)
        self.returns()

    def capture(self, outer: Body, visible: dict[str, str]) -> None:
        """See the variables of the function around this one that are visible where it stands."""
        self.push(self.root.start, self.root.end)
        for name, known in visible.items():
            if known[:2] == "::":
                self.declare_global(name, known[2:])
            elif known in outer.variables:
                declared = outer.variables[known]
                self.declare(name, declared.type, "captured", self.base, declared.attributes)
                outer.address_taken.add(known)
        self.nested.update(outer.nested)

    def temporary(self) -> str:
        """A new temporary."""
        self.temporaries += 1
        return f"%{self.temporaries}"

    def join(self) -> str:
        """A new variable for the value of a conditional expression: assigned once on each way."""
        self.join_count += 1
        return f"choice%{self.join_count}"

    def havoc(self, variables: tuple[str, ...], reason: str, start: int, end: int) -> None:
        """Emit a Havoc and a Note for the bytes [start, end) of the file."""
        self.emit(ir.Havoc(start - self.base, end - self.base, variables, reason))
        self.file.note("not-modelled", start, end, reason)

    def broken(self, start: int, end: int) -> None:
        """Note the first bytes that did not parse: the procedure is never patched."""
        if self.error is None:
            self.error = (start - self.base, end - self.base)

    # --- variables and scopes

    def push(self, start: int, end: int) -> None:
        """Open a scope over the bytes [start, end)."""
        self.scopes.append(Scope(start, end))

    def pop(self) -> None:
        """Close the innermost scope; where control reaches its end, say so."""
        end = self.scopes[-1].end
        self.leave(len(self.scopes) - 1, end - 1, end)
        self.drop()

    def drop(self) -> None:
        """Close the innermost scope without a word: what it hid is visible again."""
        names = self.names
        for name, hidden in reversed(self.scopes.pop().hidden):
            if hidden is None:
                del names[name]
            else:
                names[name] = hidden

    def leave(self, depth: int, start: int, end: int) -> None:
        """Emit the ends of the scopes past `depth`, which the open edges leave by the bytes [start, end)."""
        if not self.open:
            return
        variables: list[str] = []
        for scope in reversed(self.scopes[depth:]):
            self._clean(scope, start, end)
            variables += scope.variables
        if variables:
            self.emit(ir.ScopeEnd(start - self.base, end - self.base, tuple(variables)))

    def clean(self, start: int, end: int) -> None:
        """Emit the cleanups of all scopes, as a return by the bytes [start, end) does."""
        for scope in reversed(self.scopes):
            self._clean(scope, start, end)

    def has_cleanups(self) -> bool:
        """Whether some scope has something to clean up."""
        return any(scope.cleanups for scope in self.scopes)

    def _clean(self, scope: Scope, start: int, end: int) -> None:
        start, end = start - self.base, end - self.base
        for variable, function, how in reversed(scope.cleanups):
            argument = variable
            if how == "address":
                argument = self.temporary()
                self.address_taken.add(variable)
                self.emit(ir.AddressOf(start, end, argument, variable, ""))
            self.emit(ir.Call(start, end, "", "function", function, "", "", (argument,)))

    def declare(
        self, name: str, type_text: str, kind: ir.VariableKind, declared: int, attributes: tuple[str, ...]
    ) -> str:
        """Declare a variable in the innermost scope; the name that the IR gives it."""
        scope = self.scopes[-1]
        known = self.names.get(name)
        if known is not None and known in scope.variables:
            return known
        count = self.used_names.get(name, name == _RECEIVER) + 1
        self.used_names[name] = count
        unique = name if count == 1 else f"{name}#{count}"
        scope.hidden.append((name, known))
        self.names[name] = unique
        if kind == "local":
            scope.variables.append(unique)
        base = self.base
        self.variables[unique] = Declared(
            unique, type_text, kind, declared - base, scope.end - base, declared - base, attributes
        )
        self.note_type(unique, type_text)
        return unique

    def note_type(self, variable: str, type_text: str) -> None:
        """Remember the type of a variable, or of what a temporary holds."""
        self.types[variable] = type_text
        if self.file.is_pointer(type_text):
            self.pointers.add(variable)

    def is_number(self, variable: str) -> bool:
        """Whether a variable of the source is known to be no pointer."""
        known = self.variables.get(variable)
        return known is not None and known.type in _NUMBERS

    def is_type(self, name: str) -> bool:
        """Whether a name that may stand for a type does: by a `typedef` of the file, by a variable that was declared with it, or by the
        ending that POSIX keeps for types (`(iconv_t)(-1)` calls nothing, though no header here says so)."""
        if name in self.names or name in self.file.globals:
            return False
        if name in self.file.typedefs or name.endswith("_t"):
            return True
        return any(text.removeprefix("const ").rstrip(" *") == name for text in self.types.values())

    def declare_global(self, name: str, field: str) -> None:
        """Let a name of the innermost scope stand for a global."""
        self.scopes[-1].hidden.append((name, self.names.get(name)))
        self.names[name] = "::" + field

    # --- the end

    def finish(self) -> None:
        """Lead what is still open to the exit, and late jumps to their marks."""
        succ = self.succ
        self._close(self.open, ir.EXIT)
        self.open = []
        for name in sorted(self.gotos):
            self._close(self.gotos[name], ir.EXIT)
        marks = self.marks
        for number, index in enumerate(marks):
            if index < 0:
                marks[number] = ir.EXIT
        for edge, mark in self.late:
            succ[edge] = marks[mark]

    def _labels(self) -> dict[str, int]:
        """Where each label stands."""
        places = {
            name: offset for offset, name in self.found.labels.items() if self.root.start <= offset < self.root.end
        }
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.kind == "labeled_statement" and node.kids:
                places.setdefault(self.file.text(node.kids[0]), node.start)
            stack += node.kids
        return places
