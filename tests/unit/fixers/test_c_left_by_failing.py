"""A variable that a callee filled, where the callee may have failed: what it leaves there must be known before it is released."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct buf {{ int n; }};
char *cached;
int skip(struct buf *b);

static int make(struct buf *b, char **v)
{{
{body}
}}

int use(struct buf *b)
{{
    char *name = NULL;
    int r;

    if ((r = make(b, &name)) != 0 || (r = skip(b)) != 0)
        return -1;
    free(name);
    return 0;
}}
"""

NULL_FIRST = "    *v = NULL;\n"


def applicability(body: str) -> list[Applicability | None]:
    found = answers("left.c", SOURCE.format(body=body).encode())
    return [each.applicability if isinstance(each, Fix) else None for each in found if each.finding.procedure.endswith("use")]


@pytest.mark.parametrize("body", [
    "    *v = NULL;\n    if (b->n == 1)\n        return -1;\n    *v = malloc(3);\n    return *v ? 0 : -1;",
    "    if (b->n == 1)\n        return -1;\n    *v = malloc(3);\n    return *v ? 0 : -1;",
    "    char *p = NULL;\n    if (b->n != 1)\n        p = strdup(\"x\");\n    *v = p;\n    return p ? 0 : -1;",
])  # fmt: skip
def test_null_or_what_was_there_may_be_released(body: str) -> None:
    assert applicability(body) == [Applicability.SAFE]


@pytest.mark.parametrize("body", [
    # What failed was released, and the variable still points there.
    "    if ((*v = malloc(5)) == NULL)\n        return -1;\n    if (b->n == 1) {\n        free(*v);\n        return -2;\n    }\n    return 0;",
    "    char *p = malloc(5), *q = p;\n    if (p == NULL)\n        return -1;\n    *v = p;\n    if (b->n == 1) {\n        free(q);\n        return -2;\n    }\n    return 0;",
    # Something of somebody else is left.
    "    char *p = cached;\n    if (b->n != 1) {\n        p = strdup(\"x\");\n        if (p == NULL)\n            return -1;\n    }\n    *v = p;\n    return b->n == 1 ? -2 : 0;",
    "    static char area[10];\n    *v = area;\n    if (b->n == 1)\n        return -1;\n    *v = malloc(3);\n    return *v ? 0 : -1;",
    # Nobody knows what the library leaves.
    "    return asprintf(v, \"%d\", b->n) < 0 ? -1 : 0;",
])  # fmt: skip
def test_anything_else_may_not(body: str) -> None:
    assert Applicability.SAFE not in applicability(body)
    assert Applicability.SAFE not in applicability(NULL_FIRST + body if "char" not in body else body.replace(";\n", ";\n" + NULL_FIRST, 1))


ANSWERED = """
#include <stdlib.h>
#include <string.h>
static int spell(int n, char **out)
{{
{body}
}}

int shown(char *to, int n)
{{
    char *text;
    int left = spell(n, &text);

    if (left < 0)
        left = 0;
    else
        strcpy(to, text);
    return left;
}}
"""


@pytest.mark.parametrize("body", [
    "    char *made = malloc(n + 1);\n    if (made == NULL)\n        return -1;\n    made[0] = 0;\n    *out = made;\n    return strlen(made);",
    "    char *made;\n    if (n > 3) {\n        if (!(made = calloc(1, n)))\n            return -1;\n        *out = made;\n        return strlen(made);\n    }\n    return 0;",
])  # fmt: skip
def test_an_answer_that_says_nothing_may_come_without_it(body: str) -> None:
    found = answers("left.c", ANSWERED.format(body=body).encode())
    assert found
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


def test_what_is_stored_on_every_way_may_be_released_whatever_is_answered() -> None:
    body = "    *out = malloc(n + 1);\n    if (*out == NULL)\n        return -1;\n    **out = 0;\n    return strlen(*out);"
    found = answers("left.c", ANSWERED.format(body=body).encode())
    assert [each.applicability for each in found if isinstance(each, Fix)] == [Applicability.SAFE]
