"""Objects whose references are counted: what the program released before is its own business, the patch answers for its own (C)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

COUNTED = """\
#include <stdlib.h>
#include <string.h>
struct obj { int refs; char *name; };
struct holder { struct obj *o; };
static struct obj *obj_new(const char *name)
{
    struct obj *o = malloc(sizeof *o);
    if (!o)
        return NULL;
    o->refs = 1;
    o->name = strdup(name);
    return o;
}
static struct obj *obj_ref(struct obj *o) { o->refs++; return o; }
static void obj_unref(struct obj *o)
{
    if (--o->refs == 0) {
        free(o->name);
        free(o);
    }
}
int keep(struct holder *h, int mode)
{
    struct obj *o = obj_new("x");
    if (!o)
        return -1;
    if (mode < 0)
        return -1;
    h->o = obj_ref(o);
    obj_unref(o);
    return o->refs;
}
"""


def test_a_reference_is_given_back_where_it_is_lost() -> None:
    assert "    if (mode < 0) {\n        obj_unref(o);\n        return -1;\n    }" in mended("a.c", COUNTED.encode()).decode()


def test_uses_after_the_patch_s_own_release_refuse_it() -> None:
    kept = COUNTED.replace("    if (mode < 0)\n        return -1;\n    h->o = obj_ref(o);\n    obj_unref(o);\n", "    if (mode < 0)\n        h->o = o;\n")
    assert "obj_unref(o);\n    return o->refs" not in mended("a.c", kept.encode()).decode()


KEPT = """\
#include <stdlib.h>
struct res {{ char *data; int keep; }};
static struct res *res_new(void)
{{
    struct res *r = calloc(1, sizeof *r);
    if (r)
        r->data = malloc(3);
    return r;
}}
static void res_free(struct res *r)
{{
    if (r->keep)
        return;
    free(r->data);
    free(r);
}}
int use(int n)
{{
    struct res *r = res_new();
    if (!r)
        return 1;
    {before}
    if (n)
        return 2;
    res_free(r);
    return 0;
}}
"""


def test_a_destructor_that_the_procedure_told_to_leave_the_object_mends_nothing() -> None:
    plain, kept = (KEPT.format(before=before).encode() for before in ("n = n + 1;", "r->keep = 1;"))
    assert mended("a.c", plain).count(b"res_free(r);") == 2
    assert mended("a.c", kept) == kept
