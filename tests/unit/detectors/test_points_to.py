"""Points-to on demand: calls and fields are matched, deep calls are summarised, budgets are kept."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program, analyze, ir, load, specs
from analyzers.detectors.leakchecker import LeakChecker
from analyzers.detectors.leakchecker.beyond import Beyond
from analyzers.detectors.leakchecker.events import Events
from analyzers.detectors.leakchecker.points_to import CONE, Object, PointsTo
from analyzers.queries import ProcedureKey
from analyzers.slots import SlotReader
from analyzers.specs.containers import load_containers


def tree(source: str) -> Program:
    return load(MemoryTree({"F.java": source.encode()}), specs.load(("java",)))


def key(name: str) -> ProcedureKey:
    return ProcedureKey("F.java", name)


def asked(program: Program, entry: str) -> PointsTo:
    return PointsTo(program, SlotReader(program, load_containers()), key(entry))


def made(program: Program, found: tuple[Object, ...]) -> list[str]:
    """The types of objects, or the paths of those that were there before."""
    names = []
    for each in found:
        body = program.procedure(each.key)
        node = body.nodes[each.node] if body is not None and not each.path else None
        names.append(node.type if isinstance(node, ir.Alloc) else ".".join(each.path))
    return names


def test_a_call_returns_to_where_it_came_from() -> None:
    program = tree(
        "class Apple {} class Pear {} class Test { static Object same(Object o) { return o; } static Object twice(Object o) { return same(o); }\n"
        "static void run() { Object a = twice(new Apple()); Object p = twice(new Pear()); } }\n"
    )
    points = asked(program, "Test.run()")
    assert made(program, points.of(key("Test.run()"), "a")) == ["Apple"]
    assert made(program, points.of(key("Test.run()"), "p")) == ["Pear"]
    assert sorted(made(program, points.of(key("Test.same(Object)"), "o"))) == ["Apple", "Pear"]


def test_a_field_is_that_of_its_object() -> None:
    program = tree(
        "class Apple {} class Pear {} class Box { Object in; void put(Object o) { in = o; } Object get() { return in; } }\n"
        "class Test { static void run() { Box one = new Box(); Box two = new Box(); one.put(new Apple()); two.put(new Pear());\n"
        "Object a = one.get(); Object p = two.get(); } }\n"
    )
    points = asked(program, "Test.run()")
    assert made(program, points.of(key("Test.run()"), "a")) == ["Apple"]
    assert made(program, points.of(key("Test.run()"), "p")) == ["Pear"]


def test_what_was_there_before_has_a_name() -> None:
    program = tree(
        "import java.util.*; class Test { static List<Object> ALL; List<Object> own; void run(Test other) {\n"
        "Object a = other.own.get(0); Object b = ALL.get(0); List<Object> c = own; } }\n"
    )
    points = asked(program, "Test.run(Test)")
    named = {name: made(program, points.of(key("Test.run(Test)"), name)) for name in "abc"}
    assert named == {"a": ["other.own.[]"], "b": ["Test.ALL.[]"], "c": ["this.own"]}


def test_a_cone_that_is_too_large_is_not_complete() -> None:
    chain = " ".join(f"static void f{n}() {{ f{n + 1}(); }}" for n in range(CONE + 5))
    program = tree(f"class Test {{ {chain} static void f{CONE + 5}() {{}} }}")
    assert not asked(program, "Test.f0()").is_complete
    assert asked(program, "Test.f20()").is_complete
    assert Beyond(program, SlotReader(program, load_containers())).of(key("Test.f0()")) is None


DEEP = (
    "import java.util.*; class Job {} class Deep {\n"
    "void run(int n) { List<Object> all = new ArrayList<>(); for (int i = 0; i < n; i++) { f1(all, new Job()); } }\n"
    "void f1(List<Object> l, Object o) { f2(l, o); } void f2(List<Object> l, Object o) { f3(l, o); }\n"
    "void f3(List<Object> l, Object o) { f4(l, o); } void f4(List<Object> l, Object o) { f5(l, o); }\n"
    "void f5(List<Object> l, Object o) { BODY } }\n"
)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("l.add(o);", 1),
        ("if (o.hashCode() > 0) { f4(l, o); } else { l.add(o); }", 1),
        ("l.add(o); l.get(0).hashCode();", 0),
        ("l.add(o); l.remove(0);", 0),
        ("Object p = o;", 0),
    ],
)
def test_what_is_stored_far_below_a_loop_is_seen(body: str, count: int) -> None:
    events = Events(check=("Deep.run",))
    findings = analyze(tree(DEEP.replace("BODY", body)), None, (LeakChecker(events),)).findings
    assert [each.detail for each in findings] == ["loop"] * count
