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

COUNTED = b"""#include "sds.h"
int command(struct door *door, const char *line, int is_open)
{
    int count, at;
    sds *words = sdssplitargs(line, &count);
    if (words == NULL)
        return -1;
    if (!is_open) {
        %s;
        return -2;
    }
    for (at = 0; at < count; at++)
        show(door, words[at]);
    sdsfreesplitres(words, count);
    return 0;
}
"""
ELSEWHERE = b"""#include "sds.h"
int parts(const char *line)
{
    int count, found;
    sds *words = sdssplitlen(line, strlen(line), ",", 1, &count);
    if (words == NULL)
        return -1;
    found = sdslen(words[0]);
    %s;
    return found;
}
"""


def test_what_a_library_has_filled_goes_by_its_release() -> None:
    assert b"g_strfreev(parts);\n    return found;" in mended("a.c", SPLIT)


def test_what_is_only_reserved_does_not() -> None:
    assert b"g_strfreev" not in mended("a.c", RESERVED).partition(b"return -1;")[0]


def test_what_a_library_counts_in_a_variable_goes_with_that_number() -> None:
    assert b"sdsfreesplitres(words, count);\n        return -2;" in mended("a.c", COUNTED % b"complain(line)")
    assert b"sdsfreesplitres(words, count);\n    return found;" in mended("a.c", ELSEWHERE % b"note(found)")


def test_a_number_that_may_be_another_by_then_does_not_count() -> None:
    for change in (b"count = 0", b"ask(&count)"):
        assert b"sdsfreesplitres(words, count);\n    return found;" not in mended("a.c", ELSEWHERE % change)
