"""Where paths come together, one on which an object got something in a member is not one on which nobody knows of that member."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdlib.h>
struct jar { char *lid; int size; };
static struct jar *jar_new(void) { return calloc(1, sizeof(struct jar)); }
static void jar_free(struct jar *jar)
{
    if (jar == NULL)
        return;
    free(jar->lid);
    free(jar);
}
static void jar_cover(struct jar *jar, char *lid)
{
    free(jar->lid);
    jar->lid = lid;
}
"""

TAKEN = """int fill(char *lid, int count)
{
    struct jar *jar = jar_new();
    int i;
    if (jar == NULL)
        return -1;
    %s
    return count;
}
"""


def _safe(body: str) -> bool:
    found = [each for each in answers("jar.c", (HEAD + TAKEN % body).encode()) if isinstance(each, Fix) and each.finding.variable == "jar"]
    assert found
    return any(each.applicability is Applicability.SAFE for each in found)


@pytest.mark.parametrize(
    "body",
    [
        "jar_cover(jar, lid);",
        "if (count > 0)\n        jar_cover(jar, lid);",
        "for (i = 0; i < count; i++) {\n        jar_cover(jar, lid);\n    }",
        "if (count > 0) {\n        for (i = 0; i < count; i++)\n            jar_cover(jar, lid);\n    }",
    ],
)
def test_what_came_from_somewhere_else_is_not_freed_with_the_object_on_any_path(body: str) -> None:
    assert not _safe(body)


def test_an_object_that_got_nothing_is_freed() -> None:
    assert _safe("if (count > 0)\n        jar->size = count;")
