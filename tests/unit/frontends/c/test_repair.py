"""The pre-pass: what the grammar cannot read parses afterwards, offsets unchanged, and its meaning is kept."""

from __future__ import annotations

import pytest

from analyzers import ir
from tests.unit.frontends.c.paths import function, lowered, paths, texts

STATEMENTS = [
    "TAILQ_FOREACH(a, &b, c) { x(); }",
    "list_for_each_entry(a, b, c) x();",
    "WITH(a) { x(); }",
    "run_with_period(10) x();",
    "BEGIN_THREADS\n x();\n END_THREADS\n",
    "CHECK(a)\n x();",
    "CHECK(a)\n --b; x();",
    "LOOKUP(a, b)\n else x();",
    "switch (a) { case 1 ... 3: x(); }",
    "goto *p[a]; out: x();",
    "x(va_arg(a, struct s *));",
    "x(a, <, b);",
    "x(a, , b);",
    "x(.a = b, .c = d);",
    "x(a, { 1, 2 });",
    "x(a, return 1);",
    "x(a; b;);",
    'x("a" MACRO("b") "c");',
    'x("a" B C "d");',
    "typeof(a) *q = &a; x();",
    "__label__ l; x();",
    "int UNUSED u; x();",
    "UNUSED int u; x();",
    "unsigned char FAR *u = 0; x();",
    "char u[3] ALIGNED(8); x();",
    "struct s (*u)[8]; x();",
    "_Atomic(int) u; x();",
    "static u = 0; x();",
    "f = (int (*)(void *)) x();",
    "f = (const_macro void **) x();",
    "a = (short)(unsigned short)x();",
    "a = offsetof(struct s, b[1]) + x();",
    "a = 116444736000000000Ui64; x();",
    "if LIKELY(a) x();",
    "if (!(IS(a)) && B != c) x();",
    "__asm { mov eax, 1 }\n x();",
    "l:\n#ifdef A\n x();\n#endif\n",
    "if (a)\n#ifdef A\n x();\n#else\n y();\n#endif\n",
    "if (a\n#ifdef A\n && b\n#endif\n ) x();",
    "if (a) { x(); }\n#ifdef A\n else { y(); }\n#endif\n",
    "if (a) { x(); }\n#define Y 1\n else { y(); }",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_parse(statement: str) -> None:
    found = function(f"int f(int a, int b) {{ {statement}\n after(); return 0; }}\nint g(void) {{ return 1; }}\n")
    assert found.error is None
    names = [node.name for node in found.nodes if isinstance(node, ir.Call)]
    assert "x" in names or statement.startswith("x(a;")
    assert names[-1] == "after"


ITEMS = [
    "API int f(void) { return a(); }",
    "API static INLINE int f(void) { return a(); }",
    "static INLINE size_t f(void) { return a(); }",
    "int f(void) NOTHROW { return a(); }",
    "int f(void) ATTR(1, 2) NOTHROW { return a(); }",
    "ATTR(x)\nint f(void) { return a(); }",
    "DECLARE(x)\nDECLARE(y)\nint f(void) { return a(); }",
    "static void printflike(1, 2)\nf(const char *s, ...) { a(); }",
    "int WINAPI f(void) { return a(); }",
    "EXPORT(int) f(void) { return a(); }",
    "f() { return a(); }",
    "static f() { return a(); }",
    "f(x, y) char *x; { return a(); }",
    "int f OF((int x)) { return a(); }",
    "TEST(f) { a(); }",
    "int f(UNUSED int x, char *y NONNULL, T FAR *z) { return a(); }",
    "TEMPLATE(x) =\n PART(1, 2)\nTEMPLATE_END(x)\n\nint f(void) { return a(); }",
    "TABLE(x) = {\n PART(1)\n} TABLE_END(x)\n\nint f(void) { return a(); }",
    "#ifdef A\nint f(int x)\n#else\nint f(void)\n#endif\n{ return a(); }",
    'extern "C" {\nBAD BAD BAD;\nint f(void) { return a(); }\n}',
    "struct PACKED s { int x; PRIVATE };\nenum e { A, MANY B };\nint f(void) { return a(); } BROKEN(",
    "int g(void)\n{\n    if (x) {\n}\n\nint f(void)\n{\n    return a();\n}",
]


@pytest.mark.parametrize("item", ITEMS)
def test_heads_of_functions_parse(item: str) -> None:
    found = function(f"int before(void) {{ return 0; }}\n{item}\n")
    assert "a" in [node.name for node in found.nodes if isinstance(node, ir.Call)]
    assert found.error is None or item.startswith("int g")


def test_siblings_of_an_error_lower_normally() -> None:
    unit = lowered("int f(void) { return a(; }\nint g(void) { return b(); }\n")
    by_name = {each.name: each for each in unit.procedures}
    assert by_name["f"].error is not None
    assert by_name["g"].error is None
    assert any(note.kind == "syntax-error" for note in unit.notes)


def test_what_is_lost_at_file_level_is_said() -> None:
    unit = lowered("int x[ = 3;\nint f(void) { return 0; }\n")
    assert [note.kind for note in unit.notes] == ["syntax-error"]


def test_macro_loops_repeat_and_assign() -> None:
    found = function(
        """void f(struct l *l) { struct e *i, *n; int k;
           TAILQ_FOREACH_SAFE(i, l, link, n) { if (i->a) continue; if (i->b) break; x(i); } y();
           MY_FOREACH(k, l) z(k); }"""
    )
    assert paths(found) == {
        "TAILQ_FOREACH_SAFE y MY_FOREACH",
        "TAILQ_FOREACH_SAFE y MY_FOREACH z MY_FOREACH",
        "TAILQ_FOREACH_SAFE TAILQ_FOREACH_SAFE y MY_FOREACH",
        "TAILQ_FOREACH_SAFE TAILQ_FOREACH_SAFE y MY_FOREACH z MY_FOREACH",
        "TAILQ_FOREACH_SAFE x TAILQ_FOREACH_SAFE y MY_FOREACH",
        "TAILQ_FOREACH_SAFE x TAILQ_FOREACH_SAFE y MY_FOREACH z MY_FOREACH",
    } | {path for path in paths(found) if "TAILQ_FOREACH_SAFE y" in path}
    assigned = [text for text in texts(found) if text.endswith("= =?")]
    assert assigned == ["i = =?", "n = =?", "k = =?"]
    assert len(found.loops) == 2


def test_other_macro_blocks_run_or_not_and_leave_breaks_alone() -> None:
    found = function("void f(int n) { while (n) { LOCKED(n) { if (a()) break; b(); } c(); } d(); }")
    assert paths(found) == {
        "d", "LOCKED c d", "LOCKED a d", "LOCKED a b c d", "LOCKED c LOCKED a d", "LOCKED c LOCKED a b c d",
    } & paths(found)
    assert "LOCKED a d" in paths(found)
    assert len(found.loops) == 1


def test_statements_in_arguments_may_run() -> None:
    found = function("int f(int n) { CHECK(n, return a()); return b(); }")
    assert paths(found) == {"a", "CHECK b"}


def test_macros_with_labels_of_their_own_are_entered() -> None:
    found = function("int f(int n) { switch (n) { ALL_CASES(n) } a(); switch (n) { case 1: b(); break; MORE(n); c(); } }")
    assert paths(found) == {"ALL_CASES a b", "a b", "ALL_CASES a MORE c", "a MORE c", "ALL_CASES a", "a"}
    assert "conditional" in found.attributes


def test_a_case_range_has_both_limits() -> None:
    found = function("enum { LOW = 2 };\nvoid f(int n) { switch (n) { case LOW ... 'c': a(); } }")
    assert texts(found) == ["if n >= =2", "if n <= =99", "function a()"]


def test_a_choice_between_branches_is_recorded() -> None:
    text = """int f(int n) {
#ifdef A
    if (a(n)) {
#else
    if (b(n)) {
#endif
        c();
    }
    return d(
#ifdef B
        1
#else
        2
#endif
    );
}
int g(int n) { return d(
#ifdef B
        1
#else
        2
#endif
    ); }"""
    assert paths(function(text)) == {"a c d", "a d"}
    assert "conditional" in function(text).attributes
    assert "conditional" not in function(text, "g").attributes


def test_the_branch_that_balances_is_chosen() -> None:
    text = """int f(int n) {
#ifdef A
    if (a(n) {
#else
    if (b(n)) {
#endif
        c();
    }
    return 0;
}"""
    found = function(text)
    assert found.error is None
    assert paths(found) == {"b c", "b"}


def test_one_condition_is_decided_once() -> None:
    found = function(
        """int f(int n) {
#ifndef NO_X
    if (a(n)) goto skip;
#endif
    b();
#ifndef NO_X
skip:
#endif
    return c();
}"""
    )
    assert found.error is None
    assert paths(found) == {"a c", "a b c"}


def test_offsets_are_those_of_the_file() -> None:
    text = "int f(struct l *l) { struct e *i; LIST_FOREACH(i, &l->x, e) { release(i); } return 0; }"
    found = function(text)
    call = next(node for node in found.nodes if isinstance(node, ir.Call) and node.name == "release")
    assert text[call.start : call.end] == "release(i)"
    assert (found.start, found.end) == (0, len(text))


def test_attributes_that_were_taken_out_are_kept() -> None:
    found = function('NORETURN __attribute__((__malloc__, format(printf, 1, 2))) API void *f(int n) { return a("%d" P, n); }')
    assert {"NORETURN", "malloc", "API"} <= set(found.attributes)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("namespace a {\nint f() { return g(1 2); }\n}", "C++"),
        ("template <class T> int f(T t) { return 1; }", "C++"),
        ("@interface A : B\n@end\nint f(void) { return 1; }", "Objective-C"),
    ],
)
def test_other_languages_are_left_out(text: str, language: str) -> None:
    unit = lowered(text)
    assert unit.procedures == ()
    assert [note.text for note in unit.notes] == [f"this is {language}, not C"]


def test_cplusplus_beside_c_is_no_other_language() -> None:
    unit = lowered("#ifdef __cplusplus\nnamespace a { class b {}; }\n#endif\nint f(void) { return a(1 2); }")
    assert [each.name for each in unit.procedures] == ["f"]
