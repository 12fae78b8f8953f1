"""A patch calls no function of the file that is defined further down and declared nowhere above (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

MADE = """#include <stdlib.h>
#include <string.h>
struct pair {{ char *first; char *second; }};
{before}
struct pair *pair_new(const char *text)
{{
    struct pair *made = calloc(1, sizeof(*made));

    if (made == NULL)
        return NULL;
    made->first = strdup(text);
    made->second = strdup(text);
    if (made->first == NULL || made->second == NULL)
        return NULL;
    return made;
}}
{kind}void pair_free(struct pair *pair)
{{
    if (pair == NULL)
        return;
    free(pair->first);
    free(pair->second);
    free(pair);
}}
"""


def _after(before: str, kind: str = "") -> str:
    data = MADE.format(before=before, kind=kind).encode()
    assert any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in answers("x.c", data))
    return mended("x.c", data).decode()


@pytest.mark.parametrize(("before", "kind"), [
    ("", ""), ("", "static "), ("/* pair_free(made) ends it */", ""), ('#include "not_there.h"', "static "),
])
def test_what_stands_below_is_not_called(before: str, kind: str) -> None:
    text = _after(before, kind)
    assert "pair_free(made)" not in text.replace("/* pair_free(made) ends it */", "")
    assert "free(made->second);" in text


@pytest.mark.parametrize(("before", "kind"), [
    ("void pair_free(struct pair *pair);", ""), ("static void pair_free(struct pair *pair);", "static "), ('#include "not_there.h"', ""),
])
def test_what_is_declared_or_may_be_is_called(before: str, kind: str) -> None:
    assert "pair_free(made);" in _after(before, kind)


def test_a_member_of_the_name_declares_nothing() -> None:
    assert "pair_free(made)" not in _after("struct ends { void (*pair_free)(struct pair *pair); };")
