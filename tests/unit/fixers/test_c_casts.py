"""What points to constants is freed with the cast that a compiler asks for (C), as the function itself writes it elsewhere."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.test_proofs import answers

HEAD = "#include <stdlib.h>\n#include <string.h>\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('int f(int n) { const char *a = strdup("a"); if (!a) return -1; return n; }', "free((void *)a);"),
        ('int f(int n) { const char *a = strdup("a"); if (!a) return -1; memset((void*)&n, 0, sizeof n); return n; }', "free((void*)a);"),
        ('int f(int n) { char const *a = strdup("a"); if (!a) return -1; if (n) return n; free((char *) a); return 0; }', "free((char *) a);"),
        ('int f(int n) { const char *a = strdup("a"); if (!a) return -1; if (n) return n; free(a); return 0; }', "free(a);"),
        ('int f(int n) { char *const a = strdup("a"); if (!a) return -1; return n; }', "free(a);"),
        ("int f(int n) { const char **a = malloc(8); if (!a) return -1; return n; }", "free(a);"),
    ],
)
def test_a_cast(text: str, written: str) -> None:
    (answer,) = answers("x.c", (HEAD + text).encode())
    assert isinstance(answer, Fix)
    assert answer.applicability.value == "safe"
    assert written in "".join(each.text for each in answer.edits)
