"""Bytes that are no sensible C: a unit with Notes, in reasonable time, never an exception."""

from __future__ import annotations

import sys

import pytest

from analyzers import ir
from analyzers.frontends.c import lower
from analyzers.frontends.c.tables import HUGE_FILE
from analyzers.wellformed import check_procedure

LEVELS = 10_000
DEEP = {
    "blocks": b"void f(){" + b"{" * LEVELS + b"}" * LEVELS + b"}",
    "parentheses": b"void f(){x=" + b"(" * LEVELS + b"1" + b")" * LEVELS + b";}",
    "ifs": b"void f(){" + b"if(a)" * LEVELS + b"c;}",
    "members": b"void f(){x=p" + b"->n" * LEVELS + b";}",
    "calls": b"void f(){x=" + b"g(" * LEVELS + b")" * LEVELS + b";}",
    "macro blocks": b"void f(){" + b"EACH(a,b){\n" * 2000 + b"}" * 2000 + b"}",
}
WIDE = {
    "else if": b"void f(){" + b"if(a)b;else " * LEVELS + b"c;}",
    "sum": b"void f(){x=" + b"a+" * LEVELS + b"1;}",
    "conjunction": b"void f(){if(" + b"a&&" * LEVELS + b"1) x;}",
    "cases": b"void f(){switch(x){" + b"case 1: a(); break;" * LEVELS + b"}}",
}


@pytest.mark.parametrize("name", DEEP)
def test_a_body_that_nests_too_deeply_is_left_out_and_said(name: str) -> None:
    unit = lower(DEEP[name] + b"\nint g(void) { return 1; }")
    by_name = {each.name: each for each in unit.procedures}
    assert by_name["f"].error is not None
    assert any(isinstance(node, ir.Havoc) for node in by_name["f"].nodes)
    assert by_name["g"].error is None
    assert unit.notes


@pytest.mark.parametrize("name", WIDE)
def test_a_long_chain_is_no_nesting(name: str) -> None:
    (procedure,) = lower(WIDE[name]).procedures
    assert procedure.error is None
    assert check_procedure(procedure) == ()


@pytest.mark.parametrize(
    "data",
    [
        b"struct s {" * LEVELS + b"int x;" + b"} y;" * LEVELS,
        b"int x[] = " + b"{" * LEVELS + b"f" + b"}" * LEVELS + b";",
        b"enum e { A = " + b"(" * LEVELS + b"1" + b")" * LEVELS + b"};",
        b"#if A\n" * LEVELS + b"int x;\n" + b"#endif\n" * LEVELS,
        b"#define A(x) " + b"(" * LEVELS + b"1" + b")" * LEVELS + b"\n",
        b"int " + b"*" * LEVELS + b"p;",
    ],
)
def test_deep_declarations_do_no_harm(data: bytes) -> None:
    assert [each.name for each in lower(data + b"\nint g(void) { return 1; }\n").procedures if each.kind == "function"] == ["g"]


def test_the_answer_does_not_hang_on_the_callers_stack() -> None:
    data = b"int f(int a){" + b"if(a){" * 40 + b"a=((((a))));" + b"}" * 40 + b"return a;}"
    expected = lower(data)

    def deeper(frames: int) -> ir.Unit:
        return deeper(frames - 1) if frames else lower(data)

    assert deeper(sys.getrecursionlimit() // 3) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0", b"\0" * 1000 + b"int f(void) { return 1; }", b"\xef\xbb\xbfint f(void) { return 1; }",
        b"\xff\xfe\x80int f(void) { return \xff; }", b"int f(void)\r\n{\r\n\treturn 1;\r\n}\r\n", b'"', b"'", b"/*", b"#",
        b"\\", b"#if", b"#else\n#endif\n", b"}}}}", b"((((", b"int f(void) {", b"int f(", b"case 1: default: break; continue;",
        b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 20, b"public class A { void m() { } }",
    ],
)
def test_odd_bytes_give_a_unit(data: bytes) -> None:
    unit = lower(data)
    for procedure in unit.procedures:
        assert check_procedure(procedure) == ()


def test_names_that_are_not_ascii_are_kept() -> None:
    unit = lower("int größe(int ü) { return zähle(ü, \"é\"); }".encode())
    (procedure,) = unit.procedures
    assert procedure.name == "größe"
    assert procedure.parameters == ("ü",)
    call = next(node for node in procedure.nodes if isinstance(node, ir.Call))
    assert (call.name, call.args) == ("zähle", ("ü", '="é"'))


def test_a_huge_table_is_left_out_and_said() -> None:
    table = b"static int x[] = {\n" + b"  0x12, 0x34,\n" * (HUGE_FILE // 14 + 1) + b"};\n"
    unit = lower(b"int f(void) { return 1; }\n" + table + b"int g(void) { return 2; }\n")
    assert [each.name for each in unit.procedures if each.kind == "function"] == ["f", "g"]
    assert [note.kind for note in unit.notes] == ["too-large"]


def test_a_label_outside_a_switch_marks_its_function() -> None:
    unit = lower(b"int f(int n) { case 1: return n; }")
    assert unit.procedures[0].error is not None
    assert unit.notes
