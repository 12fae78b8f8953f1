"""A function that makes something or gives null, as an argument tells, leaves nothing else to release; one that may give
what others have does."""

from __future__ import annotations

import pytest

from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdlib.h>
#include <string.h>
static char *kept;
void keep(const char *name) { free(kept); kept = strdup(name); }
"""

MADE = (
    "static char *room(int n) { if (n == 0) return NULL; return malloc(n); }",
    "static char *room(int n) { char *made = NULL; if (n) made = malloc(n); return made; }",
    "static char *room(int n) { return n ? malloc(n) : NULL; }",
    "static char *room(int n) { if (n > 40) return room(n - 1); return n > 0 ? malloc(n) : NULL; }",
)

KEPT = (
    "static char *room(int n) { if (n <= 0) return kept; return malloc(n); }",
    "static char *least(int n) { if (n <= 0) return kept; return malloc(n); }\nstatic char *room(int n) { char *made = least(n); return made; }",
    "static char *least(int n) { if (n <= 0) return kept; return malloc(n); }\nstatic char *room(int n) { return n < 9 ? least(n) : malloc(n); }",
    "static char *room(int n) { if (n <= 0) return (char *)-1; return malloc(n); }",
    """static char *room(int n);
static char *other(int n) { if (n > 9) return room(n - 1); if (n < 3) return kept; return malloc(4); }
static char *room(int n) { if (n > 20) return other(n - 1); return malloc(4); }""",
)

USES = (
    "int use(int n) { char *made = room(n); return made ? made[0] : 0; }\n",
    "int use(int n) { char *made = room(n); if (!made) return -1; n = made[0]; return n; }\n",
)


def _applicability(text: str) -> list[Applicability]:
    return [each.applicability for each in answers("a.c", text.encode()) if isinstance(each, Fix) and each.finding.procedure == "use"]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("callee", MADE)
def test_what_is_made_or_null_is_released(callee: str, use: str) -> None:
    assert _applicability(f"{HEAD}{callee}\n{use}") == [Applicability.SAFE]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("callee", KEPT)
def test_what_may_be_somebody_elses_is_not(callee: str, use: str) -> None:
    assert Applicability.SAFE not in _applicability(f"{HEAD}{callee}\n{use}")
