"""What is stored as a number needs nothing any more of what it was computed from, whoever computed it (C)."""

from __future__ import annotations

import pytest

from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import answers

TEXT = """\
#include <stdlib.h>
#include <string.h>

struct limits {{ unsigned long size; char *name; }};
static struct {{ int port; struct limits inner; }} settings;
static long total;
static char *kept;
{declared}

int of(const char *text, struct limits *limits, int is_odd)
{{
    char *copy = strdup(text);

    if (copy == NULL)
        return -1;
    {stored};
    if (is_odd)
        return 1;
    free(copy);
    return 0;
}}
"""


def _is_safe(stored: str, declared: str = "") -> bool:
    found = answers("a.c", TEXT.format(stored=stored, declared=declared).encode())
    return any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


@pytest.mark.parametrize("stored", [
    "total = atol(copy)", "settings.port = atoi(copy + 1)", "settings.inner.size = strtoul(copy, NULL, 10)",
    "limits->size = strlen(copy)", "total = strcmp(copy, text)",
])
def test_numbers(stored: str) -> None:
    assert _is_safe(stored)


@pytest.mark.parametrize("stored", [
    "kept = strchr(copy, 'a')", "settings.inner.name = strchr(copy, 'a')", "limits->name = strchr(copy, 'a')",
    "undeclared = strchr(copy, 'a')", "total = (long)strchr(copy, 'a'); kept = (char *)total",
])
def test_what_points_there(stored: str) -> None:
    assert not _is_safe(stored)
