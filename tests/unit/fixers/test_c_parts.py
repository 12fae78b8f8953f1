"""What a release hands out is not dropped, and what is a part of something ends before it (C)."""

from __future__ import annotations

import pytest

from analyzers import analyze
from fixers import Fix, fix
from fixers.edits import apply
from tests.unit.fixers.patching import mended, program

GIVEN = """#include <glib.h>
{type} f(int n)
{{
    {made};

    if (n)
        return NULL;
    return {end};
}}
"""


@pytest.mark.parametrize(("type_", "made", "end", "wanted"), [
    ("char *", "GString *s = g_string_new(NULL)", "g_string_free(s, FALSE)", "g_string_free(s, TRUE)"),
    ("void *", "GArray *s = g_array_new(0, 0, 4)", "g_array_free(s, FALSE)", "g_array_unref(s)"),
    ("guint8 *", "GByteArray *s = g_byte_array_new()", "g_byte_array_free(s, FALSE)", "g_byte_array_unref(s)"),
    ("gpointer *", "GPtrArray *s = g_ptr_array_new()", "g_ptr_array_free(s, FALSE)", "g_ptr_array_unref(s)"),
])
def test_no_release_is_copied_that_hands_out_a_part(type_: str, made: str, end: str, wanted: str) -> None:
    after = mended("x.c", GIVEN.format(type=type_, made=made, end=end).encode()).decode()
    assert f"        {wanted};\n        return NULL;\n" in after
    assert after.count("FALSE") == 1


OWN = """#include <stdlib.h>
struct box { char *text; int n; };
static struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b);

    if (b != NULL && (b->text = malloc(9)) == NULL) {
        free(b);
        return NULL;
    }
    return b;
}
static char *box_text(struct box *b)
{
    char *text = b->text;

    free(b);
    return text;
}
char *f(int n)
{
    struct box *b = box_new();

    if (b == NULL)
        return NULL;
    if (n)
        return NULL;
    return box_text(b);
}
"""


def test_nor_is_one_of_the_program_s_own() -> None:
    after = mended("x.c", OWN.encode()).decode()
    assert "        free(b->text);\n        free(b);\n        return NULL;\n" in after


@pytest.mark.parametrize(("made", "part", "end", "whole"), [
    ("zip_t *a = zip_open(p, 0, NULL)", "zip_file_t *b = zip_fopen(a, p, 0)", "zip_fclose(b)", "zip_close(a)"),
    ("xmlDocPtr a = xmlParseFile(p)", "xmlXPathContextPtr b = xmlXPathNewContext(a)", "xmlXPathFreeContext(b)", "xmlFreeDoc(a)"),
])
def test_a_part_ends_before_the_whole(made: str, part: str, end: str, whole: str) -> None:
    before = f"""#include <zip.h>
#include <libxml/xpath.h>
int f(const char *p, int n)
{{
    {made};
    {part};

    if (n) {{
        {whole};
        return -1;
    }}
    {end};
    {whole};
    return 0;
}}
"""
    after = mended("x.c", before.encode()).decode()
    assert after == before or f"        {end};\n        {whole};\n        return -1;\n" in after
    assert f"{whole};\n        {end};" not in after
    guarded = before.replace(f"    {part};\n", f"    {part};\n\n    if (!b) {{\n        {whole};\n        return -1;\n    }}\n", 1)
    assert f"        {end};\n        {whole};\n        return -1;\n    }}\n    {end}" in mended("x.c", guarded.encode()).decode()


def test_what_reads_from_a_block_ends_before_it() -> None:
    before = b"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int f(const char *p)
{
    char *d = strdup(p);
    FILE *f = fmemopen(d, strlen(d), "r");
    int c;

    if (!f)
        return -1;
    c = getc(f);
    fclose(f);
    return c;
}
"""
    after = mended("x.c", before).decode()
    assert "free(d)" not in after or after.rindex("getc(") < after.rindex("free(d)")


TAKEN_ALONG = """#include <stdlib.h>
#include <string.h>
{head}
int f(int n)
{{
    struct thing *t = NULL;
    char *other = NULL;
    int rc = -1;

    t = {new};
    if (!t)
        goto out;
    t->name = {made};
    if (!t->name)
        goto out;
    other = malloc(9);
    if (!other)
        goto out;
    if (n == 3)
        return 1;
    rc = 0;
out:
    free(other);
    if (t)
        {end};
    return rc;
}}
"""


@pytest.mark.parametrize(("head", "new", "made", "end", "part"), [
    ("struct thing { char *name; };\nstruct thing *thing_new(void);\nvoid thing_free(struct thing *);", "thing_new()", 'strdup("a")', "thing_free(t)", "free"),
    ("struct thing { ASN1_OBJECT *name; };", "THING_new()", "OBJ_txt2obj(\"x\", 1)", "THING_free(t)", "ASN1_OBJECT_free"),
    ("struct thing { BIGNUM *name; };", "THING_new()", "BN_new()", "THING_free(t)", "BN_free"),
])
def test_who_releases_an_object_may_release_its_members(head: str, new: str, made: str, end: str, part: str) -> None:
    data = TAKEN_ALONG.format(head=head, new=new, made=made, end=end).encode()
    subject = program("x.c", data)
    fixes = [each for each in (fix(one, subject) for one in analyze(subject).findings) if isinstance(each, Fix)]
    assert fixes
    for each in fixes:
        after = apply(data, each.edits).decode()
        assert f"{part}(t->name);" not in after.partition("rc = 0;")[2]
        assert f"{part}(t->name);" not in after.partition("if (n == 3)")[0]


def test_memory_alone_takes_nothing_along() -> None:
    before = TAKEN_ALONG.format(head="struct thing { char *name; };", new="calloc(1, sizeof *t)", made='strdup("a")', end="free(t)", part="free")
    after = mended("x.c", before.replace("    if (n == 3)\n        return 1;\n", "").encode()).decode()
    assert after.count("free(t->name);") == 1
