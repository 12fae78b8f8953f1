"""A variable that a library fills, and that the procedure relies on afterwards, is set where it is released."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from tests.unit.fixers.patching import answers, mended

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


STRANGE = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "own.h"
struct pair { char *first; };
char *lent(void);
int f(int n)
{
    char *text;
    if (n)
        SET;
    else if (asprintf(&text, "%d", n) < 0)
        return -1;
    puts(text);
    return 0;
}
"""


@pytest.mark.parametrize("call", ["FETCH(text, n)", "fetch_text(n, text)"])
def test_what_a_macro_may_set_to_what_is_lent_is_left_alone(call: str) -> None:
    (answer,) = answers("x.c", STRANGE.replace("SET", call).encode())
    assert isinstance(answer, Declined)
    assert "may be a macro that sets `text`" in answer.reason


def test_what_is_passed_a_macro_as_null_may_be_set_there() -> None:
    (answer,) = answers("x.c", STRANGE.replace("*text;", "*text = NULL;").replace("SET", "FETCH(text, n)").encode())
    assert isinstance(answer, Declined)
    assert "may be a macro that sets `text`" in answer.reason


def test_what_may_be_null_is_passed_macros_all_the_same() -> None:
    before = """#include <stdlib.h>
#include "own.h"
int f(int n)
{
    char *text = NULL;
    if (n)
        text = malloc(n);
    NOTE(text);
    if (n > 3)
        return 1;
    free(text);
    return 0;
}
"""
    (answer,) = answers("x.c", before.encode())
    assert "may be a macro" not in getattr(answer, "reason", "")


def test_what_is_set_as_part_of_a_struct_is_not_released() -> None:
    found = answers("x.c", STRANGE.replace("SET", "((struct pair *)&text)->first = lent()").encode())
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)
