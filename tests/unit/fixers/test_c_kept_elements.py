"""Elements of an array of C that a list, a table or the environment keeps: the array does not end with them; nor does what was freed as another kind."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = b"""#include <glib-object.h>
#include <stdlib.h>

GList *words(const char *text, GHashTable *table, GObject *object)
{
    GList *list = NULL;
    char **parts = g_strsplit(text, "\\n", 0);

    for (int k = 0; parts[k] != NULL; k++)
        %s;
    return list;
}
"""


@pytest.mark.parametrize("keeping", [
    b"list = g_list_append(list, parts[k])",
    b"list = g_list_prepend(list, g_strstrip(parts[k]))",
    b"g_hash_table_insert(table, parts[k], object)",
    b'g_object_set_data(object, "part", parts[k])',
    b"putenv(parts[k])",
    b"g_free(parts[k])",
])  # fmt: skip
def test_kept_elements(keeping: bytes) -> None:
    assert b"g_strfreev" not in mended("a.c", TEXT % keeping)


@pytest.mark.parametrize("looking", [b'g_print("%s", g_strstrip(parts[k]))', b"list = g_list_append(list, g_strdup(parts[k]))", b"g_hash_table_lookup(table, parts[k])"])
def test_elements_that_are_looked_at(looking: bytes) -> None:
    assert b"    g_strfreev(parts);\n    return list;" in mended("a.c", TEXT % looking)


HALF = b"""#include <gio/gio.h>

int copied(GFile *source, GFile *to, const char *text)
{
    GError *error = NULL;
    char **parts = g_strsplit(text, ":", 2);
    GFileInputStream *stream = g_file_read(source, NULL, &error);

    if (stream == NULL) {
        g_strfreev(parts);
        %s(error);
        return -1;
    }
    g_object_unref(stream);
    if (!parts[0]) {
        %s(parts);
        return -1;
    }
    g_strfreev(parts);
    return 0;
}
"""


@pytest.mark.parametrize(("error", "parts"), [(b"g_free", b"g_strfreev"), (b"g_error_free", b"g_free")])
def test_freed_as_another_kind(error: bytes, parts: bytes) -> None:
    assert mended("a.c", HALF % (error, parts)) == HALF % (error, parts)


PART = b"""#include <gio/gio.h>
#include <json-c/json.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

GList *names(GList *list, PGconn *conn, GVariant *values, const char *text, GHashTable *table)
{
    %s;

    if (!whole)
        return list;
    %s;
    return list;
}
"""
VARIANT = b"GVariant *whole = g_variant_get_child_value(values, 0)"
ROWS = b'PGresult *whole = PQexec(conn, "select 1")'
JSON = b"struct json_object *whole = json_tokener_parse(text)"
STRING = b"GString *whole = g_string_new(text)"


@pytest.mark.parametrize(("made", "kept"), [
    (VARIANT, b"list = g_list_append(list, (gpointer) g_variant_get_string(whole, NULL))"),
    (VARIANT, b"g_hash_table_insert(table, (gpointer) g_variant_get_string(whole, NULL), NULL)"),
    (ROWS, b"list = g_list_append(list, PQgetvalue(whole, 0, 0))"),
    (JSON, b"const char *name = json_object_get_string(whole);\n    list = g_list_append(list, (gpointer) name)"),
    (STRING, b"list = g_list_append(list, whole->str)"),
])  # fmt: skip
def test_what_is_kept_of_it(made: bytes, kept: bytes) -> None:
    assert mended("a.c", PART % (made, kept)) == PART % (made, kept)


@pytest.mark.parametrize(("made", "looked", "end"), [
    (VARIANT, b"list = g_list_append(list, g_strdup(g_variant_get_string(whole, NULL)))", b"g_variant_unref(whole)"),
    (ROWS, b"list = g_list_append(list, strdup(PQgetvalue(whole, 0, 0)))", b"PQclear(whole)"),
    (STRING, b'g_print("%s", whole->str)', b"g_string_free(whole, TRUE)"),
])  # fmt: skip
def test_what_is_copied_of_it(made: bytes, looked: bytes, end: bytes) -> None:
    assert b"    " + end + b";\n    return list;\n}" in mended("a.c", PART % (made, looked))


POOL = b"""#include <talloc.h>

struct part *following(struct part *);

int texts(void *above, struct part *first, char ***out)
{
    int i = 0, count = 0;
    char **all;
    void *pool = talloc_new(NULL);

    if (!pool)
        return 1;
    for (struct part *each = first; each; each = following(each))
        count++;
    all = talloc_array(above, char *, count + 1);
    if (!all) {
        talloc_free(pool);
        return 1;
    }
    for (struct part *each = first; each; each = following(each), i++) {
        all[i] = talloc_asprintf(%s, "%%p", each);
        if (!all[i]) {
            talloc_free(pool);
            return 1;
        }
    }
    *out = talloc_steal(above, all);
    return 0;
}
"""


def test_what_lies_in_a_pool_goes_on_in_an_array() -> None:
    assert mended("a.c", POOL % b"pool") == POOL % b"pool"
    assert b"talloc_free(pool);\n    return 0;" in mended("a.c", POOL % b"above")
