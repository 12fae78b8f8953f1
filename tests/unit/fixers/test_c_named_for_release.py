"""What type a result gets that has no name yet: one that it converts to without a word from the compiler."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers


def _inserted(text: str) -> str:
    (fix,) = answers("case.c", text.encode())
    assert isinstance(fix, Fix)
    return "".join(each.text for each in fix.edits)


@pytest.mark.parametrize("maker", ["g_file_new_for_path(where)", "g_menu_new()"])
def test_an_object_of_glib_has_no_type_that_others_convert_to(maker: str) -> None:
    text = f"""#include <gio/gio.h>
void look_at(gpointer object) {{ g_print("%p", object); }}
void look(const char *where)
{{
    look_at({maker});
}}
"""
    inserted = _inserted(text)
    assert "void *result" in inserted
    assert "GObject" not in inserted


def test_a_type_that_is_one_is_named() -> None:
    text = """#include <stdio.h>
static int count(FILE *lines) { return fgetc(lines) + fgetc(lines); }
int look(const char *where)
{
    return count(fopen(where, "r"));
}
"""
    assert "FILE *result" in _inserted(text)
