"""Java lowering: goldens of whole units, and what the file's own text decides."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from analyzers import ir
from analyzers.frontends.java import lower
from analyzers.printing import instruction_text, print_unit
from analyzers.wellformed import check_procedure
from tests.conftest import check_golden, require_tool

JAVA = pathlib.Path(__file__).parents[3] / "fixtures" / "java"
FIXTURES = sorted((JAVA / "lowering").glob("*.java"))
COMPILABLE = ("Classes", "ControlFlow", "Expressions", "Finally", "Lambdas", "Resources", "Switches")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_units_are_as_expected(path: pathlib.Path) -> None:
    check_golden(path.with_suffix(".ir"), print_unit(lower(path.read_bytes())))


@pytest.mark.parametrize(
    "path", sorted(JAVA.rglob("*.java")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_every_fixture_lowers_well_formed(path: pathlib.Path) -> None:
    unit = lower(path.read_bytes())
    assert unit.types
    for procedure in unit.procedures:
        assert check_procedure(procedure) == ()
        if procedure.error is None:
            assert not [node for node in procedure.nodes if isinstance(node, ir.Havoc)], procedure.name


def test_types_are_named_as_the_compiler_names_them(tmp_path: pathlib.Path) -> None:
    javac = require_tool("javac")
    sources = [JAVA / "lowering" / f"{name}.java" for name in COMPILABLE]
    subprocess.run(
        [javac, "-nowarn", "-d", str(tmp_path), *map(str, sources)], check=True, capture_output=True
    )
    compiled = {path.stem for path in (tmp_path / "demo").glob("*.class")}
    lowered = {each.name.removeprefix("demo.") for path in sources for each in lower(path.read_bytes()).types}
    # the compiler adds classes of its own for switches over enumerators
    assert {name for name in compiled if name != "Switches$1"} == lowered


def _unit(text: str) -> ir.Unit:
    return lower(text.encode())


def _procedure(text: str, name: str = "A.m()") -> ir.Procedure:
    unit = _unit(text)
    found = next(each for each in unit.procedures if each.name == name)
    assert check_procedure(found) == ()
    return found


def _text(procedure: ir.Procedure) -> list[str]:
    return [instruction_text(node) for node in procedure.nodes[3:]]


def _body(code: str, members: str = "") -> list[str]:
    return _text(_procedure(f"class A {{ void m() {{ {code} }} {members} }}"))


def test_a_name_is_a_local_before_it_is_a_field() -> None:
    assert _body("x = 1; int x = 2; x = 3;", "int x;") == ["store this.x = =1", "x = =2", "x = =3"]


def test_a_name_is_a_field_of_the_nearest_class_that_declares_it() -> None:
    text = "class A { int x; class B extends Z { int y; void m() { y = x; z = 1; } } }"
    assert _text(_procedure(text, "A$B.m()")) == [
        "%1 = load this.this$0",
        "%2 = load %1.x",
        "store this.y = %2",
        "store this.z = =1",
    ]


def test_an_unknown_name_is_inherited_by_the_class_that_can_inherit() -> None:
    text = "class A extends Z { class B { void m() { z = 1; } } static void s() { z = 1; } }"
    assert _text(_procedure(text, "A$B.m()")) == ["%1 = load this.this$0", "store %1.z = =1"]
    assert _text(_procedure(text, "A.s()")) == ["store .z = =1"]


def test_a_field_of_a_supertype_in_the_file_is_known() -> None:
    text = "class A extends B { void m() { s = i; } } class B { static int s; int i; }"
    assert _text(_procedure(text)) == ["%1 = load this.i", "store .B.s = %1"]


def test_a_static_nested_class_reaches_no_instance() -> None:
    text = "class A { int x; static int y; static class B { void m() { y = 1; } } }"
    assert _text(_procedure(text, "A$B.m()")) == ["store .A.y = =1"]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("g()", "virtual g() on this"),
        ("p()", "special p() on this"),
        ("s()", "static s()"),
        ("s(1, 2, 3)", "static s(=1, =2, =3)"),
        ("super.g()", "special super::g() on this"),
        ("this.g()", "virtual g() on this"),
        ("Type.g()", "static Type::g()"),
        ("pkg.sub.Type.g()", "static pkg.sub.Type::g()"),
        ("unknown()", "virtual unknown() on this"),
        ("imported()", "static a.b.C::imported()"),
        ("A.super.g()", "special A.super::g() on this"),
    ],
)
def test_calls_say_how_they_dispatch(call: str, expected: str) -> None:
    text = (
        "import static a.b.C.imported;"
        f"class A extends Z {{ void m() {{ {call}; }} void g() {{ }} private void p() {{ }} static void s(int... n) {{ }} }}"
    )
    assert _text(_procedure(text)) == [expected]


def test_an_overload_is_chosen_by_its_arity() -> None:
    members = "static void f(int a) { } void f(int a, int b) { }"
    assert _body("f(1); f(1, 2);", members) == ["static f(=1)", "virtual f(=1, =2) on this"]


def test_operands_keep_their_order_of_evaluation() -> None:
    assert _body("Object a = null; f(a, a = g()); a.h(a = null);", "Object g() { return null; }") == [
        "a = =null",
        "%1 = a",
        "a = virtual g() on this",
        "virtual f(%1, a) on this",
        "%2 = a",
        "a = =null",
        "virtual h(a) on %2",
    ]


def test_a_pattern_variable_does_not_hide_a_field_behind_its_scope() -> None:
    code = "if (o() instanceof B f) { use(f); } use(f); if (!(o() instanceof B f)) return; use(f);"
    text = _body(code, "Object f; Object o() { return null; } void use(Object o) { }")
    assert [line for line in text if "use" in line] == [
        "virtual use(f) on this",
        "virtual use(%2) on this",
        "virtual use(f#2) on this",
    ]


def test_a_second_variable_of_a_name_gets_a_number() -> None:
    procedure = _procedure("class A { void m() { { int x = 1; } { int x = 2; } for (int x = 3;;) ; } }")
    assert [each.name for each in procedure.variables if each.kind == "local"] == ["x", "x#2", "x#3"]
    first, second, third = (each for each in procedure.variables if each.kind == "local")
    assert first.end <= second.start and second.end <= third.start


def test_copies_of_a_finally_share_their_variables_lambdas_and_classes() -> None:
    text = (
        "class A { int m() { try { return f(); } finally { Object x = g(); h(() -> x); new Object() { }; } }"
        "int f() { return 1; } }"
    )
    unit = _unit(text)
    procedure = _procedure(text)
    assert [each.name for each in procedure.variables if each.kind == "local"] == ["x"]
    assert [each.name for each in unit.procedures if each.kind == "lambda"] == ["A.m()$lambda1"]
    assert [each.name for each in unit.types] == ["A", "A$1"]
    made = [node for node in procedure.nodes if isinstance(node, ir.Alloc)]
    assert len(made) == 4
    assert len({(node.start, node.end) for node in made}) == 2


def test_every_call_meets_its_handlers_inner_first() -> None:
    procedure = _procedure(
        "class A { void m() { try { try { f(); } catch (X e) { g(); } } catch (Y e) { } finally { h(); } k(); } }"
    )
    handlers = {
        node.name: [
            target.types if isinstance(target := procedure.nodes[each], ir.Catch) else ("raise",)
            for each in procedure.raises[number]
        ]
        for number, node in enumerate(procedure.nodes)
        if isinstance(node, ir.Call)
    }
    assert handlers["f"] == [("X",), ("Y",), ("*",)]
    assert handlers["g"] == [("Y",), ("*",)]
    assert handlers["k"] == [("raise",)]


def test_what_a_handler_no_longer_sees_ends_there() -> None:
    text = _body(
        "try { Object a = f(); { Object b = f(); } } catch (X e) { g(); }", "Object f() { return null; }"
    )
    assert text[text.index("e = catch X") + 1] == "end a, b"


def test_a_resource_from_new_is_closed_without_a_test_for_null() -> None:
    text = _body("try (B b = new B()) { f(); }")
    assert not [line for line in text if line.startswith("if")]
    assert text.count("virtual close() on b") == 2


def test_close_stands_at_the_declaration_of_its_resource() -> None:
    source = "class A { void m() { try (B b = open()) { f(); } } }"
    procedure = _procedure(source)
    close = next(node for node in procedure.nodes if isinstance(node, ir.Call) and node.name == "close")
    start = procedure.start
    assert source[start + close.start : start + close.end] == "B b = open()"


def test_a_branch_stands_at_its_atomic_condition() -> None:
    source = "class A { void m(int n, Object o) { if (!(n > 0 && o == null) || (f())) g(); } }"
    procedure = _procedure(source, "A.m(int,Object)")
    branches = [node for node in procedure.nodes if isinstance(node, ir.Branch)]
    texts = [source[procedure.start + node.start : procedure.start + node.end] for node in branches]
    assert texts == ["n > 0", "o == null", "f()"]


def test_literals_stand_on_the_right_of_a_branch() -> None:
    text = _body("if (null != o) f(); if (3 < n) f(); if (b == true) f(); if (false != b) f();", "Object o; int n; boolean b;")
    assert [line for line in text if line.startswith("if")] == [
        "if %1 != =null",
        "if %2 > =3",
        "if %3",
        "if %4",
    ]


def test_moving_a_procedure_changes_nothing_in_it() -> None:
    first = _procedure("class A { void m() { for (Object o : f()) { if (o != null) return; } } }")
    second = _procedure(
        "class A { /* moved */ int x;\n\n void m() { for (Object o : f()) { if (o != null) return; } } }"
    )
    assert (first.nodes, first.next, first.raises, first.variables) == (
        second.nodes,
        second.next,
        second.raises,
        second.variables,
    )


def test_initialisers_keep_their_bytes_in_every_constructor() -> None:
    source = "class A { Object a = new Object(); A() { } A(int n) { } A(long n) { this(); } }"
    made = {}
    for procedure in _unit(source).procedures:
        for node in procedure.nodes:
            if isinstance(node, ir.Alloc):
                made[procedure.name] = source[procedure.start + node.start : procedure.start + node.end]
    assert made == {"A.<init>()": "new Object()", "A.<init>(int)": "new Object()"}


def test_types_stay_as_written_without_annotations_and_comments() -> None:
    procedure = _procedure(
        "class A { void m() { Map< String ,\n @B List<int [ ]>/* x */> x; java . util . List y; } }"
    )
    assert [each.type for each in procedure.variables if each.kind == "local"] == [
        "Map<String, List<int[]>>",
        "java.util.List",
    ]


def test_mentions_name_calls_and_types_but_no_variables() -> None:
    unit = _unit(
        "import a.B; class A extends C<D> { E m(F f) throws G { h(I.class, J::k, (L) f, f.n); return null; } }"
    )
    assert set(unit.mentions) >= {"B", "C", "D", "E", "F", "G", "I", "J", "L", "h", "k"}
    assert not set(unit.mentions) & {"f", "n", "m", "int"}


def test_top_level_members_make_the_implicit_class() -> None:
    unit = _unit("int x = 1; void main() { helper(); } void helper() { }")
    assert [each.name for each in unit.procedures] == ["<file>.<init>()", "<file>.main()", "<file>.helper()"]
    assert unit.types[0].fields[0].name == "x"


def test_module_and_package_files_declare_nothing() -> None:
    assert _unit("module a.b { requires java.sql; exports a; }").procedures == ()
    assert _unit("@Deprecated package a.b;").package == "a.b"
