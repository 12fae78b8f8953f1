"""Linking C: which bodies calls run, macros, constants, pointers, what never returns, types."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program, ir
from analyzers.queries import Linked, ProcedureKey


def link(files: dict[str, str], name: str = "f", path: str = "a.c") -> Linked:
    program = Program(MemoryTree({each: text.encode() for each, text in files.items()}))
    linked = program.linked(ProcedureKey(path, name))
    assert linked is not None and program.notes == ()
    return linked


def targets(linked: Linked, name: str) -> list[str]:
    """`path:name` of the bodies that calls written `name` may run."""
    found = [linked.targets[n] for n, node in enumerate(linked.body.nodes) if isinstance(node, ir.Call) and node.name == name]
    assert len(found) == 1
    return [f"{key.path}:{key.name}" for key in found[0].procedures]


def reachable(linked: Linked) -> list[ir.Instruction]:
    seen, work = {ir.ENTRY}, [ir.ENTRY]
    while work:
        for following in linked.next[work.pop()]:
            if following not in seen:
                seen.add(following)
                work.append(following)
    return [linked.body.nodes[node] for node in sorted(seen)]


def called(linked: Linked) -> list[str]:
    return [node.name for node in reachable(linked) if isinstance(node, ir.Call)]


CALL = "int f(int n) { return g(n); }\n"


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, []),
        ({"x/b.c": "int g(int n) { return 1; }"}, ["x/b.c:g"]),
        ({"x/b.c": "static int g(int n) { return 1; }"}, []),
        ({"b.c": "int g(int n) { return 1; }", "x/b.c": "int g(int n) { return 2; }"}, ["b.c:g"]),
        ({"x/b.c": "int g(int n) { return 1; }", "y/b.c": "int g(int n) { return 2; }"}, ["x/b.c:g", "y/b.c:g"]),
        ({"b.h": "static inline int g(int n) { return n; }"}, ["b.h:g"]),
    ],
)
def test_calls_go_by_name(others: dict[str, str], expected: list[str]) -> None:
    linked = link({"a.c": CALL, **others})
    assert targets(linked, "g") == expected
    assert [target.is_exact for target in linked.targets.values()] == [len(expected) == 1]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"t.c": "int main(void) { return 0; } int g(int n) { return 0; }", "x/b.c": "int g(int n) { return n; }"}, ["x/b.c:g"]),
        ({"t.c": "int g(int n) { return 0; }", "x/b.c": "int g(int n) { return n; }"}, ["t.c:g"]),
        ({"t.c": "int main(void) { return 0; } int g(int n) { return 0; }"}, ["t.c:g"]),
    ],
)
def test_the_stubs_of_another_program_are_not_meant_where_there_is_a_choice(others: dict[str, str], expected: list[str]) -> None:
    linked = link({"a.c": CALL + "int main(void) { return f(1); }", **others})
    assert targets(linked, "g") == expected


def test_its_own_static_function_comes_first() -> None:
    files = {"a.c": "static int g(int n) { return n; }\n" + CALL, "b.c": "int g(int n) { return 2; }"}
    assert targets(link(files), "g") == ["a.c:g"]


def test_an_included_header_hides_others() -> None:
    user = '#include "one/h.h"\nint f(int n) { return LIMIT; }\n'
    files = {"a.c": user, "one/h.h": "#define LIMIT 3\n", "two/h.h": "#define LIMIT 4\n"}
    assert [node.src for node in reachable(link(files)) if isinstance(node, ir.Return)] == ["=3"]


MACROS = """\
#define CHECK(x) do { if (!(x)) return -1; } while (0)
#define LEAVE(label) goto label
#define SET(variable, value) ((variable) = (value))
#define CALLED(x) helper(x)
#define EACH(i, n) for (i = 0; i < (n); i++)
"""


def test_a_macro_that_returns_is_spliced_at_its_use() -> None:
    text = "int f(char *p) { CHECK(p); return work(p); }\n"
    linked = link({"a.c": '#include "m.h"\n' + text, "m.h": MACROS})
    assert {node.src for node in reachable(linked) if isinstance(node, ir.Return)} >= {"=-1"}
    left = next(node for node in linked.body.nodes if isinstance(node, ir.Return) and node.src == "=-1")
    assert text[left.start : left.end] == "CHECK(p)"
    assert "CHECK" not in called(linked)


def test_a_macro_that_assigns_assigns_the_users_variable() -> None:
    text = "char *f(void) { char *p; SET(p, malloc(3)); return p; }\n"
    linked = link({"a.c": '#include "m.h"\n' + text, "m.h": MACROS})
    (call,) = [node for node in linked.body.nodes if isinstance(node, ir.Call)]
    assert (call.name, call.dst) == ("malloc", "p")
    assert text[call.start : call.end] == "malloc(3)"


def test_jumps_and_loops_of_macros_belong_to_the_user() -> None:
    text = "int f(int n) { int i; EACH(i, n) { if (stop(i)) LEAVE(out); } last(n);\nout:\n return 0; }\n"
    linked = link({"a.c": '#include "m.h"\n' + text, "m.h": MACROS})
    assert called(linked) == ["stop", "last"]
    assert len(linked.body.loops) == 1


def test_other_macros_are_called() -> None:
    linked = link({"a.c": '#include "m.h"\nint f(int n) { return CALLED(n); }\n', "m.h": MACROS})
    assert targets(linked, "CALLED") == ["m.h:CALLED"]


def test_an_alias_is_the_function_that_it_names() -> None:
    files = {"a.c": "#define g other\n" + CALL, "b.c": "int other(int n) { return 1; }"}
    assert targets(link(files), "g") == ["b.c:other"]


@pytest.mark.parametrize(
    ("before", "condition", "expected"),
    [
        ("static int debug = 0;", "debug", ["off"]),
        ("static int debug;", "debug", ["off"]),
        ("static int debug = 1;", "debug", ["on"]),
        ("static int debug; void set(void) { debug = 1; }", "debug", ["on", "off"]),
        ("static int debug; int *at(void) { return &debug; }", "debug", ["on", "off"]),
        ("int debug = 0;", "debug", ["on", "off"]),
        ("#define DEBUG 0", "DEBUG", ["off"]),
        ("#define A 4\n#define B (A << 1)", "B == 8", ["on"]),
        ("enum { RED, GREEN };", "GREEN > RED", ["on"]),
        ("static int always(void) { return 1; }", "always()", ["always", "on"]),
        ("static int maybe(int n) { return n; }", "maybe(1)", ["maybe", "on", "off"]),
    ],
)
def test_constants_decide_branches(before: str, condition: str, expected: list[str]) -> None:
    assert called(link({"a.c": f"{before}\nvoid f(void) {{ if ({condition}) on(); else off(); }}\n"})) == expected


POINTERS = "struct ops { int (*open)(int); int (*close)(int); };\nextern struct ops *table;\n"
USE = '#include "ops.h"\nint f(struct ops *o) { return o->close(1); }\n'


@pytest.mark.parametrize(
    "stored",
    [
        "void set(struct ops *o) { o->close = shut; }",
        "struct ops t = { .open = 0, .close = shut };",
        "struct ops t = { 0, shut };",
        "static struct ops t[] = { { 0, 0 }, { 0, shut } };",
    ],
)
def test_a_pointer_runs_what_is_stored_to_its_field(stored: str) -> None:
    file = f'#include "ops.h"\nstatic int shut(int n) {{ return n; }}\nstatic int no(int n) {{ return n; }}\n{stored}\n'
    linked = link({"a.c": USE, "ops.h": POINTERS, "lib/b.c": file})
    assert targets(linked, "close") == ["lib/b.c:shut"]
    assert not any(target.is_exact for target in linked.targets.values())


def test_a_local_pointer_runs_what_it_was_given() -> None:
    text = "static int one(int n) { return n; }\nint f(int n) { int (*p)(int) = one; return p(n); }\n"
    (target,) = link({"a.c": text}).targets.values()
    assert [key.name for key in target.procedures] == ["one"]


@pytest.mark.parametrize(
    ("others", "is_cut"),
    [
        ({"x.h": "void die(int) __attribute__((noreturn));"}, True),
        ({"x.h": "_Noreturn void die(int);"}, True),
        ({"x.h": "void die(int);\nvoid quit(void) __attribute__((noreturn));", "b.c": '#include "x.h"\nvoid die(int n) { if (n) say(n); quit(); }'}, True),
        ({"x.h": "void die(int);\nvoid quit(void) __attribute__((noreturn));", "b.c": '#include "x.h"\nvoid die(int n) { if (n) quit(); }'}, False),
        ({"x.h": "void die(int);", "b.c": "void die(int n) { die(n); }"}, False),
    ],
)  # fmt: skip
def test_nothing_follows_what_never_returns(others: dict[str, str], is_cut: bool) -> None:
    linked = link({"a.c": '#include "x.h"\nvoid f(int n) { die(n); after(n); }\n', **others})
    assert called(linked) == (["die"] if is_cut else ["die", "after"])


def test_types_are_canonical() -> None:
    header = "typedef struct node node_t;\nstruct node { node_t *next; char *name; };\ntypedef char *text;\nnode_t *make(void);\n"
    source = '#include "t.h"\nint f(node_t *n, text t) { char *s = n->next->name; node_t *m = make(); return *s + *t; }\n'
    linked = link({"a.c": source, "t.h": header})
    types = {name: text for name, text in linked.types.items() if name[0] != "%"}
    assert types == {"n": "struct node *", "t": "char *", "s": "char *", "m": "struct node *"}
    loaded = [linked.types[node.dst] for node in linked.body.nodes if isinstance(node, ir.Load) and node.field == "next"]
    assert loaded == ["struct node *"]
    assert [target.result for target in linked.targets.values()] == ["node_t *"]


def test_macros_without_end_do_no_harm() -> None:
    text = "#define A(x) B(x) B(x)\n#define B(x) C(x) C(x)\n#define C(x) A(x) return x;\n#define D D D\nint f(int n) { A(n) return D; }\n"
    assert link({"a.c": text}).body.name == "f"


@pytest.mark.parametrize(
    ("expression", "operator", "operands"),
    [
        ("s + n", "[]+", ("s", "n")),
        ("n + s", "[]+", ("s", "n")),
        ("(char *)s - n", "[]+", ("s", "n")),
        ("s - t", "-", ("s", "t")),
        ("n - n", "-", ("n", "n")),
    ],
)
def test_pointer_arithmetic_is_seen_through_the_typedef_of_another_file(expression: str, operator: str, operands: tuple[str, str]) -> None:
    source = f'#include "t.h"\nlong f(text s, text t, int n) {{ use({expression}); return 0; }}\n'
    linked = link({"a.c": source, "t.h": "typedef char *text;\n"})
    found = [(node.operator, node.operands) for node in linked.body.nodes if isinstance(node, ir.Op)]
    assert found == [(operator, operands)]


@pytest.mark.parametrize("unfinished", ["", "int g(int n) { if (n) { CLOSE(n);"])
def test_macros_of_another_platform_are_left_out(unfinished: str) -> None:
    """Also where a function does not end, and no directive stands in the tree."""
    text = f"""
#if defined(_WIN32) || defined(__CYGWIN32__)
#endif
#ifdef _WIN32
#define OPEN _open
#else
#define OPEN open
#endif
#ifndef _WIN32
#define CLOSE close
#else
#define CLOSE closesocket
#endif
#if defined(_WIN32)
#define ONLY_THERE _dup
#endif
int f(int n) {{ CLOSE(n); ONLY_THERE(n); return OPEN("x", n); }}
{unfinished}
"""
    targets = link({"a.c": text}).targets
    assert [targets[node].models for node in sorted(targets)] == [("close",), ("_dup",), ("open",)]


@pytest.mark.parametrize(
    ("elsewhere", "is_constant"),
    [
        ("", True),
        ("void set(int n) { limit = n; }", False),
        ("void set(void) { limit++; }", False),
        ("int *where(void) { return &limit; }", False),
        ("int is_both(int n) { return n && limit == 3; }", True),
    ],
)
def test_variable_of_another_file_that_nobody_assigns_is_a_constant(elsewhere: str, is_constant: bool) -> None:
    files = {"l.h": "extern int limit;\n", "b.c": '#include "l.h"\nint limit = 3;\n', "c.c": f'#include "l.h"\n{elsewhere}\n'}
    linked = link({"a.c": '#include "l.h"\nint f(void) { if (limit == 3) return 1; return 2; }\n', **files})
    branches = [node for node in linked.body.nodes if isinstance(node, ir.Branch)]
    assert (not branches) == is_constant
