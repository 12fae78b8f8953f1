"""A type with a name of its own that a header nobody has makes a pointer: members behind it are reached by an arrow."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load
from fixers import Applicability, Fix, fix
from fixers.edits import apply
from tests.unit.fixers.patching import models

BOX = """#include <stdlib.h>
#include <string.h>
#include <public.h>

struct box { char *name; char *dir; int count; };

Box box_open(const char *name)
{
    Box b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->name = strdup(name);
    if (!b->name) {
        free(b);
        return NULL;
    }
    b->dir = malloc(3);
    return b;
}
"""

SHOW = """#include <stdio.h>
#include <stdlib.h>
#include <public.h>

void show(const char *name)
{
    Box b;
    b = box_open(name);
    if (b)
        printf("%d\\n", b->count);
    puts("end");
}
"""


def test_members_behind_a_pointer_of_a_strange_type_are_reached_by_an_arrow() -> None:
    tree = {"box.c": BOX.encode(), "show.c": SHOW.encode()}
    program = load(MemoryTree(tree), models("c"))
    answers = [fix(each, program) for each in analyze(program).findings if each.path == "show.c"]
    safe = [each for each in answers if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    assert len(safe) == 1
    after = apply(tree["show.c"], safe[0].edits).decode()
    assert "free(b->dir);" in after and "free(b->name);" in after and "(b." not in after
