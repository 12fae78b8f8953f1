"""What a call makes that another one is given at once gets a name, and is released right behind (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>
"""


def _mended(body: str) -> str:
    return mended("x.c", f"{HEAD}{body}".encode()).decode().removeprefix(HEAD)


def test_it_is_released_right_behind() -> None:
    assert _mended('void f(void)\n{\n    puts(strdup("x"));\n    puts("end");\n}\n') == (
        'void f(void)\n{\n    char *result = strdup("x");\n    puts(result);\n    free(result);\n    puts("end");\n}\n'
    )


def test_the_only_statement_of_a_branch_gets_a_block() -> None:
    body = 'void f(int n)\n{\n    if (n)\n        puts(strdup("x"));\n    else\n        puts("y");\n}\n'
    assert _mended(body) == (
        'void f(int n)\n{\n    if (n) {\n        char *result = strdup("x");\n        puts(result);\n        free(result);\n'
        '    } else\n        puts("y");\n}\n'
    )


def test_braces_stand_as_gnu_has_them() -> None:
    body = "void\nf (int n)\n{\n  if (n)\n    {\n      n++;\n    }\n  else\n    g_print (\"%s\", g_get_current_dir ());\n}\n"
    assert _mended(body).endswith(
        "  else\n    {\n      char *dir = g_get_current_dir ();\n      g_print (\"%s\", dir);\n      g_free (dir);\n    }\n}\n"
    )


def test_in_a_case_it_is_declared_outside_of_the_switch() -> None:
    body = 'void f(int n)\n{\n    switch (n) {\n    case 1:\n        puts(strdup("x"));\n        break;\n    }\n}\n'
    assert _mended(body) == (
        "void f(int n)\n{\n    char *result;\n    switch (n) {\n    case 1:\n"
        '        result = strdup("x");\n        puts(result);\n        free(result);\n        break;\n    }\n}\n'
    )


def test_texts_of_glib_are_declared_as_the_file_does() -> None:
    body = 'void f(const gchar *name)\n{\n    gchar *own = NULL;\n    g_print("%s%s", name, g_get_current_dir());\n    g_free(own);\n}\n'
    assert "    gchar *dir = g_get_current_dir();\n" in _mended(body)


@pytest.mark.parametrize("macro", [
    "#define SHOW(x) do { if (is_loud) puts(x); } while (0)\n",
    "#define SHOW(x) (puts(x) + puts(x))\n",
    "",
])  # fmt: skip
def test_what_a_macro_is_given_stays_there(macro: str) -> None:
    found = answers("x.c", f"{HEAD}extern int is_loud;\n{macro}void f(void)\n{{\n    SHOW(strdup(\"x\"));\n}}\n".encode())
    assert not any(isinstance(each, Fix) for each in found)


def test_releases_of_two_kinds_are_proved_together() -> None:
    body = 'int f(GtkWidget *box)\n{\n    char *name = gtk_combo_box_text_get_active_text(box);\n    char *text = malloc(3);\n    g_print("%s", name);\n    return puts(text);\n}\n'
    (one, other) = answers("x.c", f"{HEAD}{body}".encode())
    assert isinstance(one, Fix)
    assert one.applicability is Applicability.SAFE
    assert one == other or isinstance(other, Fix)
    text = _mended(body)
    assert "    g_free(name);\n" in text
    assert "    free(text);\n" in text


@pytest.mark.parametrize("between", ["    free(text);\n", "    kept = text;\n"])
def test_what_is_released_or_kept_already_is_not_met_again(between: str) -> None:
    body = (
        f"char *kept;\nint f(GtkWidget *box, int n)\n{{\n    char *text = strdup(\"x\");\n{between}    if (n)\n"
        "        text = gtk_combo_box_text_get_active_text(box);\n    return n;\n}\n"
    )
    assert not _mended(body).endswith("free(text);\n    return n;\n}\n")


def test_a_name_that_the_file_knows_is_left_alone() -> None:
    body = '#define dir "here"\nvoid f(void)\n{\n    g_print("%s", g_get_current_dir());\n}\n'
    assert "    char *result = g_get_current_dir();\n" in _mended(body)
