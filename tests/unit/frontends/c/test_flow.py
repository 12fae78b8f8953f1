"""Control flow of C against paths written out by hand."""

from __future__ import annotations

import pytest

from analyzers import ir
from tests.unit.frontends.c.paths import function, paths, texts

CASES = {
    "goto into cleanup labels": (
        """if (!(p = a())) goto out; if (b()) goto free_p; c(); free_p: d(); out: e();""",
        {"a e", "a b d e", "a b c d e"},
    ),
    "backward goto": ("""again: a(); if (b()) goto again; c();""", {"a b c", "a b a b c"}),
    "goto out of nested loops": (
        """while (a()) { while (b()) { if (c()) goto done; } } done: d();""",
        {"a d", "a b c d", "a b a d", "a b c b a d"},
    ),
    "goto into a block": ("""if (a()) goto in; if (b()) { in: c(); } d();""", {"a c d", "a b c d", "a b d"}),
    "switch falls through": (
        """switch (a()) { case 1: b(); case 2: c(); break; case 3: d(); default: e(); } g();""",
        {"a b c g", "a c g", "a d e g", "a e g"},
    ),
    "switch without default": ("""switch (a()) { case 1: b(); } c();""", {"a b c", "a c"}),
    "default first": ("""switch (a()) { default: b(); case 1: c(); } d();""", {"a b c d", "a c d"}),
    "break in a switch, continue in its loop": (
        """while (a()) { switch (b()) { case 1: continue; case 2: break; default: c(); } d(); } e();""",
        {"a e", "a b a e", "a b d a e", "a b c d a e"},
    ),
    "labels in a nested block": (
        """switch (a()) { case 1: if (b()) { case 2: c(); } } d();""",
        {"a b c d", "a b d", "a c d", "a d"},
    ),
    "nested conditional expressions": (
        """x = a() ? b() ? c() : d() : e(); g();""",
        {"a b c g", "a b d g", "a e g"},
    ),
    "and, or, not": (
        """if (!(a() && (b() || !c())) || d()) e(); g();""",
        {"a e g", "a b d e g", "a b d g", "a b c e g", "a b c d e g", "a b c d g"},
    ),
    "comma in a condition": ("""while (a(), b()) c(); d();""", {"a b d", "a b c a b d"}),
    "do once": ("""do { if (a()) break; b(); } while (0); c();""", {"a c", "a b c"}),
    "do with continue": ("""do { if (a()) continue; b(); } while (c()); d();""", {
        "a c d", "a b c d", "a b c a c d", "a c a b c d",
    }),
    "for with continue": ("""for (a(); b(); c()) { if (d()) continue; e(); } g();""", {
        "a b g", "a b d c b g", "a b d e c b g",
    }),
    "for ever": ("""for (;;) { if (a()) break; b(); } c();""", {"a c", "a b a c"}),
    "after a return": ("""if (a()) return; b(); return; c();""", {"a", "a b"}),
    "label after a return": ("""if (a()) goto l; return; l: b();""", {"a", "a b"}),
    "else if chain": (
        """if (a()) b(); else if (c()) d(); else if (e()) g(); else h(); i();""",
        {"a b i", "a c d i", "a c e g i", "a c e h i"},
    ),
    "statement expression": ("""x = ({ if (a()) b(); c(); }) + d();""", {"a b c d", "a c d"}),
    "first or second": ("""x = a() ?: b(); c();""", {"a c", "a b c"}),
    "likely": ("""if (__builtin_expect(!!(a() || b()), 0)) c();""", {"a c", "a b", "a b c"}),
    "computed goto": (
        """static void *t[] = { &&one, &&two }; goto *t[a()]; one: b(); return; two: c();""",
        {"a b", "a c"},
    ),
    "constant conditions": ("""if (0) a(); while (1) { if (b()) break; } if (1) c(); else d();""", {"b c", "b b c"}),
    "sizeof is not evaluated": ("""x = sizeof(a()) + b();""", {"b"}),
    "duff": (
        """switch (a()) { case 0: do { b(); case 1: c(); } while (d()); }""",
        {"a b c d", "a c d", "a", "a b c d b c d", "a c d b c d"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_paths_are_those_of_c(name: str) -> None:
    body, expected = CASES[name]
    found = function(f"void f(void) {{ int x; void *p; {body} }}")
    assert paths(found) == expected


def test_jumps_say_which_variables_end() -> None:
    found = function(
        """void f(int n) { while (n) { int a = n; if (a) { int b = a; if (b) break; if (n) continue; goto out; } }
           out: ; }"""
    )
    assert [text for text in texts(found) if text.startswith("end")] == ["end b, a", "end b, a", "end b, a", "end a"]


def test_a_return_ends_no_variable_by_itself() -> None:
    found = function("int f(int n) { { int a = n; return a; } }")
    assert not [node for node in found.nodes if isinstance(node, ir.ScopeEnd)]


def test_cleanups_run_at_every_way_out() -> None:
    found = function(
        """int f(int n) { __attribute__((cleanup(drop))) char *p = take();
           while (n) { __attribute__((__cleanup__(undo))) int q = n; if (a()) return n; if (b()) break; } return 1; }"""
    )
    assert paths(found) == {"take drop", "take a undo drop", "take a b undo drop"}
    addresses = [node for node in found.nodes if isinstance(node, ir.AddressOf)]
    assert {node.base for node in addresses} == {"p", "q"}


def test_known_cleanup_macros_release_the_value() -> None:
    found = function("void f(void) { g_autofree char *p = g_strdup(s); g_autoptr(GError) e = NULL; use(p, &e); }")
    calls = [node for node in found.nodes if isinstance(node, ir.Call)]
    assert [(call.name, call.args) for call in calls][-2:] == [("g_error_free", ("e",)), ("g_free", ("p",))]
    assert next(each for each in found.variables if each.name == "p").attributes == ("g_autofree",)


def test_equal_conditions_of_the_preprocessor_agree() -> None:
    found = function(
        """void f(void) {
#ifdef HAVE_X
    a();
#endif
    b();
#if !defined(HAVE_X)
    c();
#else
    d();
#endif
#if 0
    never();
#endif
}"""
    )
    branches = [node for node in found.nodes if isinstance(node, ir.Branch)]
    assert {branch.left for branch in branches} == {"if%HAVE_X"}
    assert paths(found) == {"a b c", "a b d", "b c", "b d"}
    assert "configured(HAVE_X)" in found.attributes
    assert "conditional" not in found.attributes


def test_loops_name_their_header() -> None:
    found = function("void f(int n) { while (n) n--; do n++; while (n < 3); for (;;) { if (n) break; } }")
    assert [type(found.nodes[loop.header]).__name__ for loop in found.loops] == ["Branch", "Op", "Branch"]
