"""A variable that a library fills, and that the procedure relies on afterwards, is set where it is released."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

GET = "    gtk_tree_model_get(rows, row, 2, &name, -1);\n"
BEFORE = f"""static int is_line(GtkTreeModel *rows, GtkTreeIter *row, int n)
{{
    gchar *name;
{GET}    if (name && n > 3)
        n = strlen(name);
    return n;
}}
"""


def test_what_is_asked_for_null_is_set() -> None:
    assert mended("x.c", BEFORE.encode()) == BEFORE.replace("    return n;", "    g_free(name);\n    return n;").encode()


def test_what_a_library_looks_through_is_set() -> None:
    before = BEFORE.replace("if (name && n > 3)\n        n =", "n +=")
    assert mended("x.c", before.encode()) == before.replace("    return n;", "    g_free(name);\n    return n;").encode()


@pytest.mark.parametrize("uses", ["    n += count(name);\n", "    gchar *other = name;\n    n += other == name;\n", "    show(&name);\n"])
def test_what_is_only_passed_on_may_be_unset(uses: str) -> None:
    before = BEFORE.replace("    if (name && n > 3)\n        n = strlen(name);\n", uses)
    assert mended("x.c", before.encode()) == before.encode()


def test_what_is_relied_on_only_before_it_is_filled_tells_nothing() -> None:
    before = BEFORE.replace(GET, f"    gchar *first = n ? name : NULL;\n{GET}").replace("if (name && n > 3)\n        n = strlen(name);", "n += first != NULL;")
    assert mended("x.c", before.encode()) == before.encode()
