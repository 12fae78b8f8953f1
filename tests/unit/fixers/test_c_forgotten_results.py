"""A function of C that is declared to give a pointer and gives none: what it loses may be what it forgot to return."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = b"""#include <glib.h>

%s quote(const char *text)
{
    GString *buffer = g_string_new(NULL);

    for (; *text; text++)
        g_string_append_c(buffer, *text);
    g_string_free(buffer, FALSE);
}
"""


@pytest.mark.parametrize("result", [b"char *", b"static gchar *"])
def test_a_forgotten_result(result: bytes) -> None:
    assert mended("a.c", TEXT % result) == TEXT % result


def test_no_result() -> None:
    assert b"g_free(g_string_free(buffer, FALSE))" in mended("a.c", TEXT % b"void")
