"""A block is released by its beginning, and an object is kept by whoever has a place inside of it (C)."""

from __future__ import annotations

import pytest

from analyzers import analyze
from analyzers.queries import ProcedureKey
from fixers import Fix
from fixers.c.interior import MAX_DEPTH, Insides
from fixers.fix import Declined
from tests.unit.fixers.patching import answers, mended, program

HEAD = """#include <stdlib.h>
#include <string.h>
struct block { size_t size; char text[]; };
extern char *names[];
static char *align(char *p) { return (char *)(((size_t)p + 63) & ~(size_t)63); }
"""
USER = "int f(int n)\n{\n    char *p = make(9);\n    if (p == NULL)\n        return -1;\n    if (n == 1)\n        return 1;\n    p[0] = 1;\n    %s\n    return 0;\n}\n"


@pytest.mark.parametrize(
    ("maker", "is_inside"),
    [
        ("char *make(int n) { char *b = malloc(n + 4); if (!b) return NULL; return b + 4; }", True),
        ("char *make(int n) { char *b = malloc(n + 4); if (!b) return NULL; b += 4; return b; }", True),
        ("char *make(int n) { size_t *b = malloc(n + 8); if (!b) return NULL; *b++ = n; return (char *)b; }", True),
        ("char *make(int n) { struct block *b = malloc(sizeof *b + n); if (!b) return NULL; b->size = n; return b->text; }", True),
        ("char *make(int n) { struct block *b = malloc(sizeof *b + n); if (!b) return NULL; return (char *)(b + 1); }", True),
        ("char *make(int n) { char *b = malloc(n + 64); if (!b) return NULL; return align(b); }", True),
        ("char *one(int n) { char *b = malloc(n + 4); if (!b) return NULL; return &b[4]; } char *make(int n) { return one(n); }", True),
        ("char *make(int n) { char *b = malloc(n + 4); if (!b) return NULL; memset(b, 0, n + 4); return strchr(b + n, 0); }", True),
        ("char *make(int n) { char *b = malloc(n), *p = b; if (!b) return NULL; while (n--) *p++ = 'a'; return b; }", False),
        ("char *make(int n) { size_t size = n * 2 + 1; char *b = malloc(size); if (!b) return NULL; b[size - 1] = 0; return b; }", False),
        ("char *make(int n) { struct block *b = malloc(sizeof *b); if (!b) return NULL; b->size = n; return (char *)b; }", False),
        ("char *make(int n) { char *p = names[n]; while (*p == '/') p++; p = strdup(p); return p; }", False),
        ("char *make(int n) { char *p = names[n], *q; p = p + 1; q = strdup(p); if (n) q = q + 1; p = q; return p; }", True),
        ("char *make(int n) { char *p = strdup(names[n]), *q = p + n; p = q; return p; }", True),
    ],
)  # fmt: skip
def test_a_block_is_not_freed_by_a_place_inside_of_it(maker: str, is_inside: bool) -> None:
    text = mended("x.c", f"{HEAD}{maker}\n{USER % ''}".encode()).decode()
    assert ("free(p);" not in text) is is_inside


def test_what_a_callee_leaves_behind_an_argument_may_be_such_a_place() -> None:
    text = (
        f"{HEAD}static int make(char **out) {{ char *b = malloc(9); if (!b) return -1; *out = b + 4; return 0; }}\n"
        "int f(int n)\n{\n    char *p;\n    if (make(&p) < 0)\n        return -1;\n    if (n == 1)\n        return 1;\n    p[0] = 1;\n    return 0;\n}\n"
    )
    (answer,) = answers("x.c", text.encode())
    assert isinstance(answer, Declined) and "beginning" in answer.reason


def test_it_goes_back_by_the_function_that_steps_back() -> None:
    maker = "char *make(int n) { char *b = malloc(n + 4); if (!b) return NULL; return b + 4; }\n"
    text = f"{HEAD}{maker}void drop(char *p) {{ if (p) free(p - 4); }}\n{USER % 'drop(p);'}"
    (answer,) = answers("x.c", text.encode())
    written = "".join(edit.text for edit in answer.edits) if isinstance(answer, Fix) else ""
    assert "drop(p);" in written and "free(" not in written


def test_the_array_of_a_struct_is_not_used_behind_the_release_of_the_struct() -> None:
    text = (
        "#include <stdlib.h>\nstruct item { int n; char text[8]; };\nint f(int n)\n{\n    struct item *it = malloc(sizeof *it);\n    char *p;\n"
        "    if (!it)\n        return -1;\n    p = it->text;\n    it = NULL;\n    if (n == 1)\n        return 1;\n    p[0] = 1;\n    return p[0];\n}\n"
    )
    assert b"free(" not in mended("x.c", text.encode())


LISTED = """#include <stdlib.h>
#include <string.h>
struct link { struct link *next; };
struct item { char *name; struct link link; };
static struct link all;
static void push(struct link *one) { one->next = all.next; all.next = one; }
int f(const char *name)
{
    struct item *it = malloc(sizeof *it);
    if (!it)
        return -1;
    %s
    it->name = strdup(name);
    return it->name ? 0 : -2;
}
"""


@pytest.mark.parametrize(
    ("put", "is_lost"),
    [
        ("push(&it->link);", False),
        ("struct link *l = &it->link; push(l);", False),
        ("all.next = &it->link;", False),
        ("it->link.next = NULL;", True),
    ],
)
def test_who_has_a_member_of_an_object_has_the_object(put: str, is_lost: bool) -> None:
    found = analyze(program("x.c", (LISTED % put).encode())).findings
    assert any("strdup" in each.text for each in found) is is_lost


@pytest.mark.parametrize(
    ("hook", "is_lost"),
    [("all.next = &it->link;", False), ("one = &it->name;", False), ("it->link.next = &it->link;", True), ("it->name = NULL;", True)],
)
def test_a_callee_that_keeps_a_member_of_an_object_keeps_the_object(hook: str, is_lost: bool) -> None:
    text = (LISTED % "hook(it);").replace("int f(", f"static char **one;\nstatic void hook(struct item *it) {{ {hook} }}\nint f(")
    found = {each.text.partition("(")[0] for each in analyze(program("x.c", text.encode())).findings}
    assert found == ({"malloc", "strdup"} if is_lost else set())
REST = """#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
int f(sqlite3 *db, const char *text)
{
    char *copy = strdup(text);
    const char *rest;
    sqlite3_stmt *made;

    if (copy == NULL)
        return -1;
    if (sqlite3_prepare_v2(db, copy, -1, &made, &rest) != SQLITE_OK) {
        free(copy);
        return -1;
    }
    sqlite3_finalize(made);
    return %s;
}
"""


@pytest.mark.parametrize(("end", "after"), [("*rest == 0", "    result = *rest == 0;\n    free(copy);\n"), ("0", "    free(copy);\n    return 0;\n")])
def test_the_rest_of_a_text_lies_in_it(end: str, after: str) -> None:
    assert after in mended("x.c", (REST % end).encode()).decode()


class _Counted(Insides):
    """Counts what is not known yet."""

    count = 0

    def _is_inside(self, key: ProcedureKey, depth: int) -> bool:
        self.count += 1
        return super()._is_inside(key, depth)


def test_functions_that_call_each_other_are_asked_once_each() -> None:
    """Who follows each call anew follows a million chains here."""
    names = [f"part{n}" for n in range(16)]
    others = "".join(f"    if (n == {n})\n        return {each}(n - 1);\n" for n, each in enumerate(names))
    text = "".join(f"char *{each}(int n);\n" for each in names)
    text += "".join(f"char *{each}(int n)\n{{\n    char *b = malloc(n);\n{others}    return b;\n}}\n" for each in names)
    subject = program("x.c", f"#include <stdlib.h>\n{text}".encode())
    (first,) = subject.functions("x.c", names[0])
    asked = _Counted(subject)
    assert not asked.is_inside(first, MAX_DEPTH)
    assert asked.count <= (MAX_DEPTH + 1) * len(names)
