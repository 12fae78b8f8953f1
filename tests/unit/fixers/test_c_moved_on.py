"""What a release of a patch is given points to the beginning of its block, and nothing of a list is touched behind it (C)."""

from __future__ import annotations

import pytest

from analyzers import ir
from analyzers.facts import facts
from analyzers.queries import ProcedureKey
from fixers.c.lists_again import touched_again
from fixers.c.moved_on import moved_on
from fixers.c.other_kinds import takes_another
from tests.unit.fixers.patching import mended, program

HEAD = """#include <stdlib.h>
#include <string.h>
struct row { struct row *next; int n; };
struct box { char *text; struct row *rows; };
typedef struct box box_t, *box_ref;
void drop(struct row *r) { while (r) { struct row *next = r->next; free(r); r = next; } }
void shut(box_t *b) { free(b); }
struct row *find(struct row *r, int n) { while (r && r->n != n) r = r->next; return r; }
"""


def _facts(body: str):  # type: ignore[no-untyped-def]
    text = f"{HEAD}int f(struct box *b, struct row *r, char *p, char *q, int n) {{ {body} }}\n"
    tree = program("f.c", text.encode())
    found = facts(tree, ProcedureKey("f.c", "f"))
    assert found is not None
    ours = [node for node, each in enumerate(found.linked.body.nodes) if isinstance(each, ir.Call) and each.name in ("free", "drop", "shut")]
    return tree, found, ours[-1:]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("free(p);", ""),
        ("p++; free(p);", "p"),
        ("p += 4; p[0] = 1; free(p);", "p"),
        ("p += 4; p -= 4; free(p);", ""),
        ("p += 4; p = p - 4; free(p);", ""),
        ("p += n; p -= n; free(p);", "p"),
        ("while (*p) p++; free(p);", "p"),
        ("q = p; while (*q) q++; free(p);", ""),
        ("q = p + 2; free(q);", "q"),
        ("q = p + 2; q = p; free(q);", ""),
        ("if (n) p++; free(p);", "p"),
        ("p++; p = malloc(3); free(p);", ""),
        ("b->text += 2; free(b->text);", "%"),
        ("b->text += 2; b->text = strdup(p); free(b->text);", ""),
        ("b->text = p + 1; q = b->text; free(q);", "q"),
    ],
)
def test_what_is_released_may_point_into_its_block(body: str, expected: str) -> None:
    _, found, ours = _facts(f"{body} return 0;")
    assert moved_on(found, ours).startswith(expected or "\0") is bool(expected)


@pytest.mark.parametrize(
    ("body", "is_wrong"),
    [
        ("drop(r); return 0;", False),
        ("drop(r); return r->n;", True),
        ("n = r->n; drop(r); return n;", False),
        ("struct row *m = find(r, 2); drop(r); return m->n;", True),
        ("struct row *m = r->next; drop(r); return m ? m->n : 0;", True),
        ("b->rows = r; drop(r); return b->rows->n;", True),
        ("if (n) drop(r); drop(r); return 0;", True),
        ("if (n) { drop(r); r = NULL; } drop(r); return 0;", False),
        ("drop(r); r = find(b->rows, 1); return r->n;", False),
        ("drop(r); if (n) return 1; return find(r, 2) != NULL;", True),
    ],
)
def test_a_list_is_not_touched_behind_its_release(body: str, is_wrong: bool) -> None:
    _, found, ours = _facts(body)
    assert bool(touched_again(found, ours)) is is_wrong


@pytest.mark.parametrize(
    ("body", "is_wrong"),
    [
        ("shut(b);", False),
        ("box_ref c = b; shut(c);", False),
        ("shut((void *)b);", False),
        ("void *c = b; shut(c);", False),
        ("shut(r);", True),
        ("drop(b->rows);", False),
        ("drop(b);", True),
        ("free(b);", False),
    ],
)
def test_a_release_takes_the_kind_that_it_is_given(body: str, is_wrong: bool) -> None:
    tree, found, ours = _facts(f"{body} return 0;")
    assert bool(takes_another(tree, found, ours)) is is_wrong


def test_no_patch_releases_what_has_been_moved_on() -> None:
    text = f"{HEAD}int f(int n)\n{{\n    int *v = malloc(40);\n    if (!v)\n        return -1;\n    v += 4;\n    if (n == 2)\n        return 2;\n    v -= 4;\n    free(v);\n    return 0;\n}}\n"
    assert mended("f.c", text.encode()) == text.encode()


def test_a_name_of_a_type_that_nobody_declares_may_be_the_one() -> None:
    text = "#include <stdlib.h>\nstruct bag { int n; };\nvoid bag_free(bag_t *b) { free(b); }\nint f(void) { struct bag *b = malloc(4); bag_free(b); return 0; }\n"
    tree = program("f.c", text.encode())
    found = facts(tree, ProcedureKey("f.c", "f"))
    assert found is not None
    ours = [node for node, each in enumerate(found.linked.body.nodes) if isinstance(each, ir.Call) and each.name == "bag_free"]
    assert ours and takes_another(tree, found, ours) == ""
    declared = program("f.c", text.replace("struct bag {", "typedef struct pot { int m; } bag_t;\nstruct bag {").encode())
    found = facts(declared, ProcedureKey("f.c", "f"))
    assert found is not None and takes_another(declared, found, ours)
