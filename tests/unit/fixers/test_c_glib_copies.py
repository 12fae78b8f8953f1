"""What GLib makes of a text is a copy, but for what a block that it copies leads to (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended


@pytest.mark.parametrize("made", ["g_shell_quote(text)", "g_strdup(text)", 'g_strconcat(text, ".c", NULL)'])
def test_a_text_may_go_before_what_was_made_of_it(made: str) -> None:
    before = f"#include <glib.h>\nchar *f(const char *name)\n{{\n    char *text = g_path_get_basename(name);\n    char *made = {made};\n    return made;\n}}\n"
    assert mended("x.c", before.encode()).decode() == before.replace("    return", "    g_free(text);\n    return")


@pytest.mark.parametrize("copied", ["g_memdup(v, sizeof *v)", "g_slice_copy(sizeof *v, v)"])
def test_what_a_copied_block_leads_to_is_needed(copied: str) -> None:
    before = f"""#include <glib.h>
struct pair {{ char *name; int n; }};
struct pair *f(struct pair *v, const char *name)
{{
    struct pair *made;
    v->name = g_strdup(name);
    made = {copied};
    v->name = NULL;
    return made;
}}
"""
    found = answers("x.c", before.encode())
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)
