"""What memory of C holds on a path: zeroes, until something may have been stored to it."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended
from tests.unit.fixers.test_proofs import verdict


def answer(filling: str, more: str = "") -> str:
    """The answer where memory that was zeroed is released only if its second byte is zero."""
    return verdict(
        f"{more}\nint f(int m, const char *s) {{\n  char *b = calloc(2, 20);\n  if (!b)\n    return 0;\n"
        f"  {filling}\n  if (b[1] == 0) {{\n    free(b);\n  }}\n  return m;\n}}\n"
    )


def test_zeroed_memory_holds_zeroes() -> None:
    assert answer("m = b[2];") == ""


@pytest.mark.parametrize(
    ("filling", "more"),
    [
        ("b[m] = 1;", ""),
        ("*b = m;", ""),
        ("strcpy(b, s);", ""),
        ("put(b, m);", "static void put(char *b, int m) { b[1] = m; }"),
        ("char *c = b + 1; c[0] = m;", ""),
    ],
    ids=["an element", "the first", "by the library", "by a callee", "by a pointer inside"],
)
def test_what_is_stored_to_it_ends_that(filling: str, more: str) -> None:
    assert answer(filling, more) == "safe"


def test_no_member_is_released_of_what_may_be_null() -> None:
    text = """#include <stdlib.h>
#include <string.h>
struct named { char *name; };
struct named *named_new(const char *name)
{
    struct named *n = calloc(1, sizeof *n);
    if (n == NULL)
        return NULL;
    n->name = strdup(name);
    if (n->name == NULL) {
        free(n);
        return NULL;
    }
    return n;
}
int lost(int wanted)
{
    struct named *n = NULL;
    switch (wanted) {
    case 0:
        break;
    default:
        n = named_new("n");
    }
out:
    return 0;
}
"""
    after = mended("x.c", text.encode()).decode()
    tested = [line for line in after[after.index("int lost") :].split("\n") if "if (n)" in line or "free(n->name)" in line]
    assert [line.strip().rstrip(" {") for line in tested] == ["if (n)", "free(n->name);"]
