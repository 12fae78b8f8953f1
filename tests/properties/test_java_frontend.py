"""Java lowering against the rules of the language, and against any bytes at all."""

from __future__ import annotations

import pathlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from analyzers import ir
from analyzers.frontends.java import lower
from analyzers.printing import parse_procedure, print_procedure
from analyzers.wellformed import check_procedure
from tests.oracles.java_paths import Paths, Rules, Tree, source

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "java" / "lowering"
SOURCES = sorted(FIXTURES.glob("*.java"))
MOST_EVENTS = 8


def _numbers() -> st.SearchStrategy[int]:
    return st.integers(1, 9)


@st.composite
def bodies(
    draw: st.DrawFn, depth: int = 3, targets: tuple[str, ...] = (), loops: tuple[str, ...] = ()
) -> list[Tree]:
    """A block of the small Java; `targets` may be left by break, `loops` continued. An empty name is a bare break."""
    count = draw(st.integers(0, 2 if depth < 3 else 3))
    return [draw(statements(depth, targets, loops)) for _ in range(count)]


@st.composite
def statements(draw: st.DrawFn, depth: int, targets: tuple[str, ...], loops: tuple[str, ...]) -> Tree:
    """A statement of the small Java."""
    simple = ["call", "call", "return", "throw"] + ["break"] * bool(targets) + ["continue"] * bool(loops)
    nested = [
        "if",
        "both",
        "while",
        "do",
        "for",
        "each",
        "block",
        "sync",
        "try",
        "try",
        "try",
        "switch",
        "yield",
    ]
    kind = draw(st.sampled_from(simple + (nested if depth > 0 else [])))
    n, m = draw(_numbers()), draw(_numbers())
    label = f"L{depth}"

    def inner(more: tuple[str, ...] = (), again: tuple[str, ...] = ()) -> list[Tree]:
        outside = tuple(each for each in targets if each or not again)
        return draw(bodies(depth - 1, (*outside, *more), (*loops, *again)))

    match kind:
        case "call" | "return" | "throw":
            return (kind, n)
        case "break":
            return (kind, draw(st.sampled_from(targets)))
        case "continue":
            return (kind, draw(st.sampled_from(loops)))
        case "if":
            return (kind, n, inner(), inner())
        case "both":
            return (kind, n, m, inner())
        case "while" | "do" | "each":
            return (kind, label, n, inner((label,), (label,)))
        case "for":
            return (kind, label, n, m, inner((label,), (label,)))
        case "block":
            return (kind, label, inner((label,)))
        case "sync":
            return (kind, inner())
        case "switch":
            groups = [inner(("",)) for _ in range(draw(st.integers(1, 3)))]
            return (kind, n, groups, draw(st.integers(-1, len(groups) - 1)))
        case "yield":
            closed = [draw(bodies(depth - 1)), draw(bodies(depth - 1))]
            return (kind, n, _without_return(closed[0]), m, _without_return(closed[1]), draw(_numbers()))
    caught = [
        (types, inner() + [("rethrow",)] * draw(st.integers(0, 1)))
        for types in draw(st.sampled_from([[], [("X",)], [("X",), ("Y",)], [("Y", "X")]]))
    ]
    resource = draw(st.sampled_from([0, 0, n]))
    return ("try", resource, inner(), caught, inner() if draw(st.booleans()) else None)


def _without_return(body: list[Tree]) -> list[Tree]:
    """A switch expression may not be left by `return`."""

    def keep(tree: Tree) -> Tree:
        if tree[0] == "return":
            return ("call", tree[1])
        return tuple(_replaced(part) for part in tree)

    def _replaced(part: object) -> object:
        if isinstance(part, list):
            return [_replaced(each) for each in part]
        if isinstance(part, tuple) and part and isinstance(part[0], str) and part[0] not in ("X", "Y"):
            return keep(part)
        return tuple(_replaced(each) for each in part) if isinstance(part, tuple) else part

    return [keep(each) for each in body]


def _method(body: list[Tree]) -> ir.Procedure:
    unit = lower(source(body).encode())
    assert not unit.notes, source(body)
    return next(each for each in unit.procedures if each.name == "G.m()")


_NESTED: list[Tree] = [
    ("while", "L3", 1, [
        ("try", 0, [
            ("try", 2, [("if", 3, [("return", 4)], [("break", "L3")])], [(("X",), [("continue", "L3")])], [("call", 5)]),
        ], [(("Y",), [("return", 6)])], [("if", 7, [("break", "L3")], [])]),
    ]),
]  # fmt: skip


@given(bodies())
@example(_NESTED)
@example([("try", 0, [("return", 1)], [], [("try", 0, [("return", 2)], [], [("call", 3)])])])
@example(
    [("block", "L3", [("try", 0, [("return", 1)], [], [("try", 0, [("return", 2)], [], [("break", "L3")])])])]
)
@example([("try", 1, [("call", 2), ("return", 3)], [(("X",), [("call", 4)])], [("call", 5)])])
@example([("try", 1, [("call", 2)], [], None)])
@example([("yield", 1, [("try", 2, [("call", 3)], [], [("call", 4)])], 5, [], 6)])
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_paths_are_those_of_the_language(body: list[Tree]) -> None:
    procedure = _method(body)
    assert check_procedure(procedure) == ()
    expected = Rules(MOST_EVENTS).runs(body)
    found = Paths(procedure, MOST_EVENTS).runs()
    assert found == expected, f"{source(body)}\n{print_procedure(procedure)}\n{sorted(found ^ expected)[:6]}"


def _check(data: bytes) -> ir.Unit:
    unit = lower(data)
    for procedure in unit.procedures:
        assert check_procedure(procedure) == (), (procedure.name, data)
    names = [each.name for each in unit.procedures]
    assert len(names) == len(set(names))
    assert list(unit.notes) == sorted(
        unit.notes, key=lambda note: (note.start, note.end, note.kind, note.text)
    )
    return unit


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_lower(data: bytes) -> None:
    _check(data)


_JAVA = (
    "class interface enum record { } ( ) ; , . x y Foo int void static this super new = == + ++ -> :: try catch finally "
    "switch case default for while do if else return throw break continue yield @A <T> [] \"s\" 'c' 1 null ? : && || ! "
    "instanceof assert synchronized import package ... var"
)
_WORDS = st.sampled_from(_JAVA.split())


@given(st.lists(_WORDS, max_size=60))
@settings(max_examples=250, deadline=None)
def test_any_words_lower(words: list[str]) -> None:
    _check(" ".join(words).encode())
    _check(("class A { void f() { " + " ".join(words) + " } }").encode())


@given(st.sampled_from(SOURCES), st.data())
@settings(max_examples=200, deadline=None)
def test_any_mutation_of_a_file_lowers(path: pathlib.Path, data: st.DataObject) -> None:
    text = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 40)))
        text[start:end] = data.draw(
            st.sampled_from([b"", b"{", b"}", b"(", b";", b'"', b"\xff", b"x", b"\n", b"class A {"])
        )
    _check(bytes(text))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_lowering_is_a_function_of_the_bytes(path: pathlib.Path) -> None:
    data = path.read_bytes()
    assert lower(data) == lower(data)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_printed_procedures_read_back(path: pathlib.Path) -> None:
    for procedure in lower(path.read_bytes()).procedures:
        assert print_procedure(parse_procedure(print_procedure(procedure))) == print_procedure(procedure)
