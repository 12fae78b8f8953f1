"""Nothing is released that somebody may release by way of an array of addresses of variables (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = (
    "#include <stdlib.h>\n#include <string.h>\n#include <locale.h>\nstruct row { const char *name; char **slot; }; struct two { char *x; char *y; };"
    "static void all_free(char ***all, int n) { for (int i = 0; i < n; i++) free(*all[i]); }"
)


def _verdict(declared: str, end: str, made: str = "a") -> str:
    return verdict(
        f"{HEAD} int f(int n) {{ {declared} {made} = strdup(\"a\"); if ({made} == NULL) return -1; if (n == 1) return 1; {end} return 0; }}"
    )


@pytest.mark.parametrize(
    ("declared", "end"),
    [
        ("char *a = NULL, *b = NULL, **all[] = {&a, &b};", "for (int i = 0; i < 2; i++) free(*all[i]);"),
        ("char *a = NULL, *b = NULL, **all[] = {&a, &b}; int i = 2;", "while (i-- > 0) free(*all[i]);"),
        ("char *a = NULL, *b = NULL, **all[3] = {&a, &b}, ***at;", "for (at = all; *at; at++) free(**at);"),
        ("char *a = NULL, *b = NULL, **all[] = {&a, &b};", "all_free(all, 2);"),
        ('char *a = NULL, *b = NULL; struct row rows[] = {{"a", &a}, {"b", &b}};', "for (int i = 0; i < 2; i++) free(*rows[i].slot);"),
    ],
    ids=["by an index", "backwards", "by a pointer", "by a callee", "in an array of structs"],
)
def test_an_array_of_addresses(declared: str, end: str) -> None:
    assert "safe" not in _verdict(declared, end).split("; ")


def test_an_array_of_addresses_of_members() -> None:
    end = "for (int i = 0; i < 2; i++) free(*all[i]);"
    assert "safe" not in _verdict("struct two t = {NULL, NULL}; char **all[] = {&t.x, &t.y};", end, made="t.x").split("; ")


def test_an_array_of_addresses_of_others() -> None:
    declared = "char *a, *b = NULL, *c = NULL, **all[] = {&b, &c};"
    assert _verdict(declared, "for (int i = 0; i < 2; i++) free(*all[i]); free(a);") == "safe"


def test_a_locale_that_is_in_use() -> None:
    text = (
        f"{HEAD} int f(int n) {{ locale_t l = newlocale(LC_ALL_MASK, \"C\", (locale_t)0), old; if (l == (locale_t)0) return -1;"
        " old = uselocale(l); if (n == 1) return 1; uselocale(old); freelocale(l); return 0; }"
    )
    assert "safe" not in verdict(text).split("; ")
