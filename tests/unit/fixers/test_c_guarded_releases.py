"""Releases of libraries that find fault with null: a patch tests before it calls them, where there may be none."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

BOTH = """#include <glib.h>
int between(const char *from, const char *to, int *out)
{
    GDateTime *first = g_date_time_new_from_iso8601(from, NULL);
    GDateTime *last = g_date_time_new_from_iso8601(to, NULL);

    if (first && last) {
        *out = g_date_time_to_unix(last) - g_date_time_to_unix(first);
        g_date_time_unref(first);
        g_date_time_unref(last);
        return 1;
    }
    return 0;
}
"""

SURE = """#include <glib.h>
int run(int count)
{
    %s

    if (count > 3)
        return -1;
    %s(made);
    return 0;
}
"""


def _text(source: str) -> str:
    data = source.encode()
    found = answers("x.c", data)
    assert found and all(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)
    return mended("x.c", data).decode()


def test_what_may_be_null_is_tested_first() -> None:
    text = _text(BOTH)
    assert "if (first)" in text or "if (first != NULL)" in text
    assert "if (last)" in text or "if (last != NULL)" in text


@pytest.mark.parametrize(("made", "release"), [
    ("GMainLoop *made = g_main_loop_new(NULL, FALSE);", "g_main_loop_unref"),
    ("GHashTable *made = g_hash_table_new(NULL, NULL);", "g_hash_table_unref"),
    ("GTask *made = g_task_new(NULL, NULL, NULL, NULL);", "g_object_unref"),
])
def test_what_is_never_null_needs_no_test(made: str, release: str) -> None:
    text = _text(SURE % (made, release))
    assert text.count(f"{release}(made);") == 2
    assert "if (made" not in text


UNNAMED = """#include <glib.h>
static int use(GVariant *value, int n)
{
    return g_variant_n_children(value) + n;
}
int reply(int n)
{
    int result;
    result = use(g_variant_new_string("a"), n);
    return result;
}
"""

SPOKEN_OF = """#include <gio/gio.h>
int mount(GFile *file)
{
    GFileInfo *info;
    g_debug("mount %s", g_file_get_uri(file));

    info = g_file_query_info(file, "*", 0, NULL, NULL);
    if (info == NULL)
        return -1;
    g_object_unref(info);
    return 0;
}
"""


def test_what_gets_a_name_has_the_type_of_the_library() -> None:
    assert "GVariant *" in _text(UNNAMED)


def test_a_release_stands_with_the_last_use_above_an_empty_line() -> None:
    text = _text(SPOKEN_OF)
    assert '    g_debug("mount %s", uri);\n    g_free(uri);\n\n    info = ' in text
    assert "    char *uri = g_file_get_uri(file);\n" in text
