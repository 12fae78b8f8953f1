"""Small programs of procedures that call each other, and two exhaustive answers to what their variables may point to.

`run` executes one (fuel ends recursion), `cloned` is Andersen's analysis with a copy of each procedure per call path (of
programs without recursion) or one copy for all. Procedure 0 is the entry and has no parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

VARIABLES = ("a", "b", "c")
FIELDS = ("g", "h")
FORMALS = ("a", "b")


class New(NamedTuple):
    to: str


class Assign(NamedTuple):
    to: str
    source: str


class Read(NamedTuple):
    to: str
    base: str
    field: str


class Write(NamedTuple):
    base: str
    field: str
    source: str


class Invoke(NamedTuple):
    to: str
    procedure: int
    first: str
    second: str


class Take(NamedTuple):
    """From the static field."""

    to: str


class Give(NamedTuple):
    """To the static field."""

    source: str


Statement = New | Assign | Read | Write | Invoke | Take | Give


class Body(NamedTuple):
    statements: tuple[Statement, ...]
    returned: str


Program = tuple[Body, ...]
Site = tuple[int, int]
"""A procedure and the number of a statement."""


def java(program: Program) -> str:
    """The program as a class of Java."""
    methods = []
    for number, body in enumerate(program):
        formals = "" if number == 0 else "Node a, Node b"
        declared = "Node a = null; Node b = null; Node c = null;" if number == 0 else "Node c = null;"
        text = " ".join(map(_text, body.statements))
        methods.append(f"static Node m{number}({formals}) {{ {declared} {text} return {body.returned}; }}")
    return "class Node { Node g; Node h; }\nclass Test { static Node shared; static boolean any() { return Math.random() < 0.5; }\n" + (
        "\n".join(methods)
    ) + " }\n"


def name(number: int) -> str:
    """The name of a procedure's key."""
    return f"Test.m{number}({'' if number == 0 else 'Node,Node'})"


def _text(statement: Statement) -> str:
    match statement:
        case New(to):
            return f"{to} = new Node();"
        case Assign(to, source):
            return f"{to} = {source};"
        case Read(to, base, field):
            return f"{to} = {base}.{field};"
        case Write(base, field, source):
            return f"{base}.{field} = {source};"
        case Take(to):
            return f"{to} = shared;"
        case Give(source):
            return f"shared = {source};"
        case Invoke(to, procedure, first, second):
            arguments = "" if procedure == 0 else f"{first}, {second}"
            return f"if (any()) {{ {to} = m{procedure}({arguments}); }}"


class Thing(NamedTuple):
    """An object at run time."""

    number: int
    site: Site


def run(program: Program, choices: Sequence[bool], fuel: int = 40) -> set[tuple[int, str, Site]]:
    """(procedure, variable, site) of all that the variables hold at some time of one run."""
    return _Machine(program, choices, fuel).start()


class _Machine:
    def __init__(self, program: Program, choices: Sequence[bool], fuel: int) -> None:
        self._program, self._choices, self._fuel = program, choices, fuel
        self._heap: dict[tuple[Thing, str], Thing | None] = {}
        self._shared: Thing | None = None
        self._made = 0
        self._chosen = 0
        self._seen: set[tuple[int, str, Site]] = set()

    def start(self) -> set[tuple[int, str, Site]]:
        self._call(0, None, None, 0)
        return self._seen

    def _call(self, number: int, first: Thing | None, second: Thing | None, depth: int) -> Thing | None:
        held: dict[str, Thing | None] = {"a": first, "b": second, "c": None}
        body = self._program[number]
        for at, statement in enumerate(body.statements):
            self._note(number, held)
            self._step(number, at, statement, held, depth)
        self._note(number, held)
        return held[body.returned]

    def _note(self, number: int, held: dict[str, Thing | None]) -> None:
        self._seen |= {(number, variable, thing.site) for variable, thing in held.items() if thing is not None}

    def _step(self, number: int, at: int, statement: Statement, held: dict[str, Thing | None], depth: int) -> None:
        match statement:
            case New(to):
                self._made += 1
                held[to] = Thing(self._made, (number, at))
            case Assign(to, source):
                held[to] = held[source]
            case Read(to, base, field):
                owner = held[base]
                held[to] = self._heap.get((owner, field)) if owner is not None else None
            case Write(base, field, source):
                owner = held[base]
                if owner is not None:
                    self._heap[owner, field] = held[source]
            case Take(to):
                held[to] = self._shared
            case Give(source):
                self._shared = held[source]
            case Invoke(to, procedure, first, second):
                self._chosen += 1
                self._fuel -= 1
                if self._fuel > 0 and depth < 12 and self._choices[self._chosen % len(self._choices)]:
                    actuals = (None, None) if procedure == 0 else (held[first], held[second])
                    held[to] = self._call(procedure, *actuals, depth + 1)


Path = tuple[int, ...]


class _Copy(NamedTuple):
    """One copy of a procedure: the calls that lead there, or nothing where there is one for all."""

    path: Path
    number: int


def cloned(program: Program, *, per_path: bool) -> set[tuple[int, str, Site]]:
    """What Andersen's analysis says, over a copy of each procedure per call path, or over one of each."""
    copies: dict[_Copy, None] = {_Copy((), 0): None}
    points: dict[tuple[_Copy, str], set[tuple[_Copy, Site]]] = {}
    heap: dict[tuple[tuple[_Copy, Site], str], set[tuple[_Copy, Site]]] = {}
    shared: set[tuple[_Copy, Site]] = set()

    def of(copy: _Copy, variable: str) -> set[tuple[_Copy, Site]]:
        return points.setdefault((copy, variable), set())

    def step(copy: _Copy, at: int, statement: Statement) -> None:
        match statement:
            case New(to):
                of(copy, to).add((copy, (copy.number, at)))
            case Assign(to, source):
                of(copy, to).update(of(copy, source))
            case Read(to, base, field):
                for owner in tuple(of(copy, base)):
                    of(copy, to).update(heap.get((owner, field), set()))
            case Write(base, field, source):
                for owner in tuple(of(copy, base)):
                    heap.setdefault((owner, field), set()).update(of(copy, source))
            case Take(to):
                of(copy, to).update(shared)
            case Give(source):
                shared.update(of(copy, source))
            case Invoke(to, procedure, first, second):
                callee = _Copy((*copy.path, copy.number, at) if per_path else (), procedure)
                copies[callee] = None
                if procedure:
                    of(callee, "a").update(of(copy, first))
                    of(callee, "b").update(of(copy, second))
                of(copy, to).update(of(callee, program[procedure].returned))

    def size() -> int:
        return sum(map(len, points.values())) + sum(map(len, heap.values())) + len(shared) + len(copies)

    before = -1
    while before != size():
        before = size()
        for copy in tuple(copies):
            for at, statement in enumerate(program[copy.number].statements):
                step(copy, at, statement)
    return {(copy.number, variable, site) for (copy, variable), found in points.items() for _, site in found}
