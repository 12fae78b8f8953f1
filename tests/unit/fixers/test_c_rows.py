"""A loop that releases the elements of an array is written where each element is surely one that a loop before stored, and only
there (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """\
#include <stdlib.h>
#include <string.h>

static char *kept;
void keep(char *s) { kept = s; }
static void forget_first(char **v) { free(v[0]); v[0] = NULL; }
static void set_first(char **v) { v[0] = kept; }
static int total(char **v, int n) { int t = 0; for (int i = 0; i < n; i++) t += (int)strlen(v[i]); return t; }

"""

ROW = """\
int fill(int n, int mode)
{
    char **v = malloc(8 * sizeof *v);
    int i = 0, t = 0;
    if (!v)
        return -1;
    LOOP {
        FILL
        if (!v[i])
            return -2;
        AFTER
    }
    BEHIND
    free(v);
    return t;
}
"""

UP = "for (i = 0; i < n; i++)"
PLAIN = 'v[i] = strdup("row");'


def patched(**parts: str) -> str:
    """The text with all safe fixes."""
    text = HEAD + ROW
    for name, words in {"LOOP": UP, "FILL": PLAIN, "AFTER": "t++;", "BEHIND": "", **parts}.items():
        text = text.replace(name, words)
    return mended("a.c", text.encode()).decode().removeprefix(HEAD)


@pytest.mark.parametrize("parts", [
    {},
    {"BEHIND": "t = total(v, n);"},
    {"LOOP": "while (i < n)", "AFTER": "++i;"},
    {"AFTER": "if (v[i][0] == 'q') return -3;"},
    {"FILL": 'char *s = strdup("row"); v[i] = s;'},
], ids=["plain", "lent", "while", "left behind", "named"])  # fmt: skip
def test_releases_what_a_loop_filled(parts: dict[str, str]) -> None:
    text = patched(**parts)
    assert "while (i > 0)\n                free(v[--i]);\n            free(v);\n            return -2;" in text
    assert "for (i = 0; i < n; i++)\n        free(v[i]);\n    free(v);\n    return t;" in text


@pytest.mark.parametrize("parts", [
    {"AFTER": "if (i == mode) kept = v[i];"},
    {"FILL": f"if (i == mode) continue; {PLAIN}"},
    {"FILL": 'if (i == mode) v[i] = "row"; else v[i] = strdup("row");'},
    {"LOOP": "for (i = 1; i < n; i++)"},
    {"LOOP": "for (i = 0; i < n; i += 2)"},
    {"LOOP": "for (i = n - 1; i >= 0; i--)"},
    {"BEHIND": "if (mode) v[0] = kept;"},
    {"BEHIND": "if (mode) free(v[1]);"},
    {"BEHIND": "forget_first(v);"},
    {"BEHIND": "set_first(v);"},
    {"BEHIND": "char **w = v; t = w[0][0];"},
    {"BEHIND": "kept = *v;"},
    {"BEHIND": "v[mode] = strdup(kept);"},
], ids=["kept", "holes", "literals", "from one", "by two", "downwards", "replaced", "one freed", "callee frees", "callee sets", "alias", "first kept", "second store"])  # fmt: skip
def test_leaves_what_it_does_not_know(parts: dict[str, str]) -> None:
    text = patched(**parts)
    before = HEAD + ROW
    for name, words in {"LOOP": UP, "FILL": PLAIN, "AFTER": "t++;", "BEHIND": "", **parts}.items():
        before = before.replace(name, words)
    assert text.count("free(v[") == before.removeprefix(HEAD).count("free(v[")


def test_an_index_that_is_asked_for_again_stays() -> None:
    text = patched(BEHIND="t = i;")
    assert "for (i = 0; i < n; i++)\n        free(v[i]);\n    free(v);" in text
    text = mended("a.c", (HEAD + ROW.replace("return t;", "return i;").replace("LOOP", UP).replace("FILL", PLAIN).replace("AFTER", "t++;").replace("BEHIND", "")).encode()).decode()
    assert "for (int k = 0; k < n; k++)\n        free(v[k]);\n    free(v);\n    return i;" in text or "for (k = 0; k < n; k++)" in text
