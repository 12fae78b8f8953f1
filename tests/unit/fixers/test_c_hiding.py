"""A patch is not called safe where its variable hides another one that may have been meant (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = "struct key { int bits; };\n"
HIDES = "unsafe: `key` hides another `key`, which may be the one that was meant"


@pytest.mark.parametrize("outer", ["static struct key *key;", "struct key *key = NULL;"])
def test_a_variable_that_hides_the_one_that_is_returned(outer: str) -> None:
    inner = "if (key == NULL) { struct key *key = malloc(sizeof *key); if (key == NULL || key->bits == 3) { free(key); key = NULL; } }"
    assert verdict(HEAD + f"struct key *shared(void) {{ {outer} {inner} return key; }}").endswith(HIDES)


def test_a_variable_that_hides_a_parameter() -> None:
    body = "if (key == NULL) { struct key *key = malloc(sizeof *key); if (key) key->bits = 3; }"
    assert verdict(HEAD + f"int weight(struct key *key) {{ {body} return key ? key->bits : 0; }}") == HIDES


@pytest.mark.parametrize(
    "text",
    [
        "int f(int n) { { struct key *key = malloc(sizeof *key); if (key) key->bits = n; } { struct key *key = malloc(sizeof *key); if (key == NULL) return 1; n = key->bits; free(key); } return n; }",
        "int f(int n) { char *key; if (n == 2) { char *key = getenv(\"A\"); if (key) puts(key); } key = strdup(\"a\"); if (n > 3) return n; free(key); return 0; }",
        "int f(int n) { char *key = strdup(\"a\"); if (n == 2) { char *key = getenv(\"A\"); if (key) puts(key); } if (key && key[0] == n) return n; free(key); return 0; }",
        "int f(char *key) { int n = key[0]; if (n) { struct key *key = malloc(sizeof *key); if (key) key->bits = n; } return n; }",
    ],
)
def test_a_name_that_is_used_twice_for_different_things(text: str) -> None:
    assert verdict(HEAD + text) == "safe"
