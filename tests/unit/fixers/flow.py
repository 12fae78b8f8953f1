"""Procedures written by hand, for what is to be tested without a front end."""

from __future__ import annotations

from analyzers import ir
from analyzers.queries import Linked, ProcedureKey, Target
from analyzers.summaries import Condition, Effects, Outcome, Transfer

RET = ("$ret",)

MALLOC = Effects(
    transfers=(Transfer((), "heap-memory", "heap-memory", (Outcome("return", (Condition(RET, "!=", "=null"),), "held", (RET,)),)),)
)
FREE = Effects(transfers=(Transfer(("$0",), "", "", (Outcome("return", (), "released"),)),))
USE = Effects()
KEEP = Effects(transfers=(Transfer(("$0",), "", "", (Outcome("return", (), "retained"),)),))
OPEN = Effects(transfers=(Transfer((), "closeable", "java.io.Reader", (Outcome("return", (), "held", (("this",),)),)),))
CLOSE = Effects(
    transfers=(Transfer(("this",), "", "", (Outcome("return", (), "released"), Outcome("throw", (), "released"))),)
)
WRAP = Effects(
    transfers=(
        Transfer(
            ("$0",), "", "",
            (Outcome("return", (), "held", (("$0",), ("this", "~"))), Outcome("throw", (), "held", (("$0",),))),
        ),
    )
)
POINTS_INSIDE = Effects(aliases=("$0",))
MADE_INSIDE = Effects(
    transfers=(Transfer((), "closeable", "java.sql.ResultSet", (Outcome("return", (), "held", (RET, ("this", "^"))),)),)
)
CALLS = {
    "malloc": MALLOC, "free": FREE, "use": USE, "keep": KEEP, "open": OPEN, "close": CLOSE, "wrap": WRAP,
    "strchr": POINTS_INSIDE, "inside": MADE_INSIDE, "make": Effects(), "stranger": Effects(is_known=False),
}


class Flow:
    """A procedure under construction: each line is a node, falling through to the next unless it says where."""

    def __init__(self, language: str = "c", **types: str) -> None:
        self.language = language
        self.types = types
        self.nodes: list[ir.Instruction] = [ir.Entry(0, 0), ir.Exit(0, 0), ir.Exit(0, 0)]
        self.goes: list[tuple[str, ...]] = [("",), (), ()]
        self.throws: list[tuple[str, ...]] = [(), (), ()]
        self.labels = {"exit": ir.EXIT, "raise": ir.RAISE}
        self.loops: list[str] = []

    def label(self, name: str) -> Flow:
        """Name the next node."""
        self.labels[name] = len(self.nodes)
        return self

    def loop(self, name: str) -> Flow:
        """Name the next node, which is the header of a loop."""
        self.loops.append(name)
        return self.label(name)

    def add(self, instruction: ir.Instruction, *to: str, throws: tuple[str, ...] = ()) -> Flow:
        """A node; `to` are labels, empty for the next node."""
        self.nodes.append(instruction)
        self.goes.append(to or ("",))
        self.throws.append(throws)
        return self

    @property
    def at(self) -> int:
        """The source offset of the next node."""
        return 10 * len(self.nodes)

    def call(self, dst: str, name: str, *args: str, on: str = "", throws: tuple[str, ...] = ()) -> Flow:
        """A call; `on` is its receiver."""
        kind: ir.CallKind = "virtual" if on else "function"
        return self.add(ir.Call(self.at, self.at + 5, dst, kind, name, "", on, args), throws=throws)

    def new(self, dst: str, name: str) -> Flow:
        """An object and its constructor."""
        return self.add(ir.Alloc(self.at, self.at + 5, dst, "T")).call("", name, on=dst)

    def copy(self, dst: str, src: str) -> Flow:
        """An assignment."""
        return self.add(ir.Copy(self.at, self.at + 5, dst, src))

    def branch(self, left: str, operator: str, right: str, yes: str, no: str = "") -> Flow:
        """A branch; an empty label falls through."""
        return self.add(ir.Branch(self.at, self.at + 5, operator, left, right), yes, no)

    def ret(self, value: str = "") -> Flow:
        """A return."""
        return self.add(ir.Return(self.at, self.at + 5, value), "exit")

    def goto(self, label: str) -> Flow:
        """A jump."""
        return self.add(ir.Copy(self.at, self.at, "%jump", "=0"), label)

    def linked(self) -> Linked:
        """The procedure, linked."""
        def where(node: int, names: tuple[str, ...]) -> tuple[int, ...]:
            return tuple(self.labels[name] if name else node + 1 if node else 3 for name in names)

        following = tuple(where(n, names) for n, names in enumerate(self.goes))
        raising = tuple(where(n, names) for n, names in enumerate(self.throws))
        names = sorted({
            name
            for node in self.nodes
            for name in (getattr(node, "dst", ""), *getattr(node, "args", ()), getattr(node, "base", ""), getattr(node, "left", ""))
            if name and name[0] != "="
        })
        taken = {node.base for node in self.nodes if isinstance(node, ir.AddressOf)}
        parameters = tuple(name for name in names if name.startswith("arg"))
        variables = tuple(
            ir.Variable(
                name, self.types.get(name, ""),
                "parameter" if name in parameters else "temporary" if name[0] == "%"
                else "receiver" if name == "this" else "local",
                is_address_taken=name in taken,
            )
            for name in names
        )
        size = 10 * len(self.nodes) + 10
        loops = tuple(ir.Loop(0, size, self.labels[name]) for name in self.loops)
        body = ir.Procedure(
            "f", "function", 0, size, 0, "", "int", (), parameters, (), variables, tuple(self.nodes), following, raising, loops
        )
        targets = {n: Target((), (node.name,), "", True, (), "") for n, node in enumerate(self.nodes) if isinstance(node, ir.Call)}
        return Linked(ProcedureKey("f.c", "f"), self.language, body, following, raising, dict(self.types), targets)

    def effects(self) -> dict[int, tuple[Effects, ...]]:
        """What the calls do, by the name of the callee."""
        return {n: (CALLS[node.name],) for n, node in enumerate(self.nodes) if isinstance(node, ir.Call)}

    def where(self, name: str) -> frozenset[int]:
        """The nodes that call a function."""
        return frozenset(n for n, node in enumerate(self.nodes) if isinstance(node, ir.Call) and node.name == name)
