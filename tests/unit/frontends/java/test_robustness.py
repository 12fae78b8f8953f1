"""Java that is broken, hostile, huge or no Java: Notes, never an exception."""

from __future__ import annotations

import pytest

from analyzers import ir
from analyzers.finding import NoteKind
from analyzers.frontends.java import lower
from analyzers.frontends.java.lowering.unit import LARGEST
from analyzers.wellformed import check_procedure

DEEP = 10_000


def _kinds(unit: ir.Unit) -> set[str]:
    return {note.kind for note in unit.notes}


def _in_method(code: str) -> bytes:
    return f"class A {{ Object x; void m(Object o) {{ {code} }} void after() {{ f(); }} }}".encode()


@pytest.mark.parametrize(
    "code",
    [
        "{" * DEEP + "f();" + "}" * DEEP,
        "if (o == null) " * DEEP + "f();",
        "while (o == null) { " * DEEP + "f();" + "}" * DEEP,
        "try { " * DEEP + "f();" + "} finally { }" * DEEP,
        "o = " * DEEP + "null;",
        "o = f(" * DEEP + ")" * DEEP + ";",
        "o = " + "!" * DEEP + "o;",
        "o = " + "o ? 1 : " * DEEP + "2;",
        "Runnable r = " + "() -> " * DEEP + "1;",
        "Object[] a = " + "{" * DEEP + "}" * DEEP + ";",
        "o = " + "new Object() { Object x = " * 400 + "1" + "; }" * 400 + ";",
        "o = " + "a[" * DEEP + "1" + "]" * DEEP + ";",
        "o = " + "(A) " * DEEP + "o;",
        "switch (1) { case 1: " * DEEP + "}" * DEEP,
        "if (o instanceof " + "A(" * DEEP + "B b" + ")" * DEEP + ") f();",
        "class B { void m() { " * 400 + "} }" * 400,
    ],
    ids=lambda code: code[:24],
)
def test_deep_nesting_is_bounded(code: str) -> None:
    unit = lower(_in_method(code))
    assert NoteKind.NOT_MODELLED.value in _kinds(unit)
    assert "A.after()" in {each.name for each in unit.procedures}
    for procedure in unit.procedures:
        assert check_procedure(procedure) == ()


@pytest.mark.parametrize(
    "code",
    [
        f"o = {'(' * DEEP}1{')' * DEEP};",
        "o = " + "1 + " * DEEP + "2;",
        "o = " + "1 * " * DEEP + "2;",
        "o = o" + ".f()" * DEEP + ";",
        "boolean b = " + "f() && " * DEEP + "f();",
        "if (" + "f() || " * DEEP + "f()) g();",
        "if (o == null) f(); else " * DEEP + "g();",
        "f();" * DEEP,
        "l: " * DEEP + "f();",
        "o = f(" + "1, " * DEEP + "2);",
    ],
    ids=lambda code: code[:24],
)
def test_long_chains_lower_whole(code: str) -> None:
    unit = lower(_in_method(code))
    assert unit.notes == ()
    assert all(check_procedure(procedure) == () for procedure in unit.procedures)


def test_nested_types_are_bounded() -> None:
    unit = lower(b"class A { " * DEEP + b"}" * DEEP)
    assert NoteKind.NOT_MODELLED.value in _kinds(unit)
    assert unit.types[0].name == "A"


def test_finally_blocks_that_multiply_are_abandoned() -> None:
    code = "try { f(); } finally { " * 30 + "g();" + "}" * 30
    unit = lower(_in_method(code))
    procedure = next(each for each in unit.procedures if each.name == "A.m(Object)")
    assert any(isinstance(node, ir.Havoc) for node in procedure.nodes)
    assert "o" in procedure.parameters
    assert any("too large" in note.text for note in unit.notes)


def test_shifts_are_no_angle_brackets() -> None:
    table = "int[] table = { " + "1 << 2 | 3, " * 5_000 + "};"
    assert lower(_in_method(table)).notes == ()


def test_many_angle_brackets_are_refused() -> None:
    unit = lower(_in_method("o = " + "a<" * 100_000))
    assert unit.procedures == ()
    assert _kinds(unit) == {NoteKind.BUDGET.value}


@pytest.mark.parametrize("text", ["- ) = ", "! ? ", "; + ", "/* a "])
def test_what_the_parser_recovers_from_too_slowly_is_cut(text: str) -> None:
    unit = lower(b"class A { int x = " + text.encode() * 40_000)
    assert unit.procedures == ()
    assert _kinds(unit) == {NoteKind.BUDGET.value}


def test_a_huge_file_is_a_note() -> None:
    unit = lower(b" " * (LARGEST + 1))
    assert _kinds(unit) == {NoteKind.TOO_LARGE.value}
    assert unit.notes[0].end == LARGEST + 1


def test_binary_is_a_note() -> None:
    assert _kinds(lower(b"\xca\xfe\xba\xbe\0\0\0\x34class A { }")) == {NoteKind.NOT_TEXT.value}


def test_another_language_is_notes() -> None:
    unit = lower(b"#include <stdio.h>\nint main(void) { struct s *p = malloc(1); p->x = 1; return 0; }\n")
    assert NoteKind.SYNTAX_ERROR.value in _kinds(unit)


def test_a_blank_file_is_empty() -> None:
    assert lower(b"") == lower(b" \n")
    assert lower(b"").notes == ()


def test_encodings_and_line_ends_move_offsets_only() -> None:
    plain = 'class A {\n\tvoid m() {\n\t\tf("x");\n\t}\n}\n'
    for data in (
        plain.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + plain.encode(),
        plain.replace("x", "\u00e9\u4e2d").encode(),
        plain.encode().replace(b"x", b"\xe9"),
    ):
        unit = lower(data)
        assert unit.notes == ()
        (procedure,) = (each for each in unit.procedures if each.name == "A.m()")
        assert data[procedure.start : procedure.end].startswith(b"void m()")
        call = next(node for node in procedure.nodes if isinstance(node, ir.Call))
        assert data[procedure.start + call.start : procedure.start + call.end].startswith(b'f("')


def test_names_beyond_ascii_are_read_as_utf8() -> None:
    unit = lower("class Größe { int länge; void öffne() { länge = 1; } }".encode())
    names = {each.name for each in unit.procedures}
    assert "Größe.öffne()" in names


def test_an_error_stays_in_its_procedure() -> None:
    unit = lower(b"class A { void a() { f(); } void b() { int = ; g( } void c() { h(); } }")
    errors = {each.name: each.error is not None for each in unit.procedures}
    assert errors["A.a()"] is False
    assert errors["A.b()"] is True


def test_members_of_a_class_without_an_end_are_found() -> None:
    unit = lower(b"class A { void a() { f(); } void b() { g(); }")
    assert {"A.a()", "A.b()"} <= {each.name for each in unit.procedures}


def test_many_errors_are_few_notes() -> None:
    assert len(lower(b"class A { " + b"int = ; " * 5000 + b"}").notes) <= 201


def test_equal_signatures_get_names_of_their_own() -> None:
    unit = lower(b"class A { void m(a.X x) { } void m(b.X x) { } void m(b.X y) { } }")
    names = [each.name for each in unit.procedures if each.kind == "method"]
    assert names == ["A.m(X)", "A.m(X)#2", "A.m(X)#3"]


@pytest.mark.parametrize("code", ["case class (", "case @", "case A(", "case A(B, C(", "o instanceof A<", "o instanceof final @", "case A a, @"])
def test_a_pattern_that_ends_with_its_file(code: str) -> None:
    assert "syntax-error" in _kinds(lower(code.encode()))
