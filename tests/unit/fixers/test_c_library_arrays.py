"""What a library makes as a whole, its release may look into; memory that is only reserved it may not."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

SPLIT = b"""#include <glib.h>
int count(const char *words)
{
    char **parts = g_strsplit(words, ",", 0);
    int found = 0;
    while (parts[found] != NULL)
        found++;
    return found;
}
"""
RESERVED = b"""#include <glib.h>
int fill(int n, const char *word)
{
    char **parts = g_new(char *, 3);
    if (n > 3)
        return -1;
    parts[0] = g_strdup(word);
    parts[1] = NULL;
    n = use(parts[0][0]);
    g_strfreev(parts);
    return n;
}
"""


def test_what_a_library_has_filled_goes_by_its_release() -> None:
    assert b"g_strfreev(parts);\n    return found;" in mended("a.c", SPLIT)


def test_what_is_only_reserved_does_not() -> None:
    assert b"g_strfreev" not in mended("a.c", RESERVED).partition(b"return -1;")[0]
