"""The while-language of LeakChecker's section 3 with its concrete semantics: one run, all effects, and Definition 1.

A program is straight-line statements, then one loop. Choices are drawn from a list. Reading or writing through null
does nothing, as in the paper. `java` writes the same program as Java, `site` numbers its `new` in order of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

FIELDS = ("g", "h")
VARIABLES = ("a", "b", "c")


class New(NamedTuple):
    to: str


class Assign(NamedTuple):
    to: str
    source: str


class Null(NamedTuple):
    to: str


class Read(NamedTuple):
    to: str
    base: str
    field: str


class Write(NamedTuple):
    base: str
    field: str
    source: str


class Either(NamedTuple):
    left: tuple[Statement, ...]
    right: tuple[Statement, ...]


Statement = New | Assign | Null | Read | Write | Either


class Program(NamedTuple):
    before: tuple[Statement, ...]
    body: tuple[Statement, ...]


class Object(NamedTuple):
    """A run-time object: its site, and the iteration that made it (0: before the loop)."""

    number: int
    site: int
    iteration: int


class Effect(NamedTuple):
    inner: Object
    field: str
    outer: Object
    iteration: int


class Run(NamedTuple):
    stores: list[Effect]
    loads: list[Effect]


def java(program: Program) -> str:
    """The program as a method of Java."""
    fields = " ".join(f"Node {field};" for field in FIELDS)
    declared = " ".join(f"Node {each} = null;" for each in VARIABLES)
    before = "".join(map(_text, program.before))
    body = "".join(map(_text, program.body))
    return (
        f"class Node {{ {fields} }}\nclass Test {{ static boolean any() {{ return Math.random() < 0.5; }}\n"
        f"void run() {{ {declared} {before} while (any()) {{ {body} }} }} }}\n"
    )


def _text(statement: Statement) -> str:
    match statement:
        case New(to):
            return f"{to} = new Node(); "
        case Assign(to, source):
            return f"{to} = {source}; "
        case Null(to):
            return f"{to} = null; "
        case Read(to, base, field):
            return f"{to} = {base}.{field}; "
        case Write(base, field, source):
            return f"{base}.{field} = {source}; "
        case Either(left, right):
            return f"if (any()) {{ {''.join(map(_text, left))}}} else {{ {''.join(map(_text, right))}}} "


def _news(statements: Sequence[Statement]) -> Iterator[New]:
    for each in statements:
        if isinstance(each, New):
            yield each
        elif isinstance(each, Either):
            yield from _news(each.left)
            yield from _news(each.right)


def execute(program: Program, choices: Sequence[bool], iterations: int) -> Run:
    """One run of so many iterations."""
    return _Machine(choices).run(program, iterations)


class _Machine:
    def __init__(self, choices: Sequence[bool]) -> None:
        self._choices = list(choices)
        self._chosen = 0
        self._made = 0
        self._iteration = 0
        self._environment: dict[str, Object | None] = dict.fromkeys(VARIABLES)
        self._heap: dict[tuple[Object, str], Object | None] = {}
        self._result = Run([], [])

    def run(self, program: Program, iterations: int) -> Run:
        site = self._block(program.before, 0)
        for self._iteration in range(1, iterations + 1):
            self._block(program.body, site)
        return self._result

    def _block(self, statements: Sequence[Statement], site: int) -> int:
        """Runs statements whose first `new` has this number; answers the number after their last."""
        for each in statements:
            site = self._step(each, site)
        return site

    def _step(self, statement: Statement, site: int) -> int:
        environment = self._environment
        match statement:
            case New(to):
                self._made += 1
                environment[to] = Object(self._made, site, self._iteration)
                return site + 1
            case Assign(to, source):
                environment[to] = environment[source]
            case Null(to):
                environment[to] = None
            case Read(to, base, field):
                holder = environment[base]
                found = self._heap.get((holder, field)) if holder is not None else None
                if found is not None and holder is not None:
                    self._result.loads.append(Effect(found, field, holder, self._iteration))
                environment[to] = found
            case Write(base, field, source):
                holder, value = environment[base], environment[source]
                if holder is not None:
                    self._heap[holder, field] = value
                    if value is not None:
                        self._result.stores.append(Effect(value, field, holder, self._iteration))
            case Either(left, right):
                chosen = left if self._choice() else right
                after_left = site + sum(1 for _ in _news(left))
                self._block(chosen, site if chosen is left else after_left)
                return after_left + sum(1 for _ in _news(right))
        return site

    def _choice(self) -> bool:
        self._chosen += 1
        return bool(self._choices) and self._choices[self._chosen % len(self._choices)]


def leaking(run: Run) -> set[tuple[int, str, int]]:
    """(site, field, outside site) of Definition 1: objects below an escaping root that never comes back, or that
    never come back themselves."""
    inside = [each for each in run.stores if each.inner.iteration > 0 and each.iteration > 0]
    found = set()
    for root in (each for each in inside if each.outer.iteration == 0):
        root_returns = any(
            load.inner == root.inner and load.field == root.field and load.outer == root.outer
            and load.iteration > root.iteration for load in run.loads
        )
        for each in _below(root.inner, inside):
            returns = any(load.inner == each and load.iteration > each.iteration for load in run.loads)
            if not root_returns or not returns:
                found.add((each.site, root.field, root.outer.site))
    return found


def _below(root: Object, stores: Sequence[Effect]) -> set[Object]:
    seen, todo = {root}, [root]
    while todo:
        top = todo.pop()
        for each in stores:
            if each.outer == top and each.inner not in seen and each.inner.iteration > 0:
                seen.add(each.inner)
                todo.append(each.inner)
    return seen
