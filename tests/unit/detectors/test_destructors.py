"""Destructors of C that forget members, or the struct itself."""

from __future__ import annotations

from analyzers import load, specs
from analyzers.detectors.destructors import Destructors
from analyzers.finding import Finding
from analyzers.tree import MemoryTree

HEAD = """#include <stdlib.h>
#include <string.h>
struct ring { char *name; char **slots; };
"""
WRAPPER = """void drop(void *p)
{
    if (p != NULL)
        free(p);
}
"""
MAKER = """struct ring *ring_new(const char *name)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL)
        return NULL;
    ring->name = strdup(name);
    return ring;
}
"""


def _told(*parts: str) -> list[str]:
    source = HEAD + "".join(parts)
    program = load(MemoryTree({"ring.c": source.encode()}), specs.load(("c",)))
    found = Destructors().detect(program, program.procedures())
    return [each.variable for each in found if isinstance(each, Finding)]


def test_a_member_is_forgotten_also_where_the_program_frees_by_a_function_of_its_own() -> None:
    assert _told(WRAPPER, MAKER, "void ring_free(struct ring *ring)\n{\n    drop(ring);\n}\n") == ["ring->name"]
    assert _told(WRAPPER, MAKER, "void ring_free(struct ring *ring)\n{\n    drop(ring->name);\n    drop(ring);\n}\n") == []


SETTER = """void ring_rename(struct ring *ring, const char **names, int n)
{
    int i;
    free(ring->name);
    ring->name = NULL;
    for (i = 0; i < n; i++)
        if (names[i] != NULL)
            ring->name = strdup(names[i]);
}
"""
CLEARER = """void ring_clear(struct ring *ring)
{
    free(ring->name);
    ring->name = NULL;
}
"""


def test_a_setter_that_makes_room_takes_nothing_out_for_good() -> None:
    destructor = "void ring_free(struct ring *ring)\n{\n    free(ring);\n}\n"
    assert _told(MAKER, SETTER, destructor) == ["ring->name"]
    assert _told(MAKER, CLEARER, destructor) == []


def test_who_fills_an_object_and_gives_it_up_on_failure_is_no_destructor() -> None:
    filler = (
        "int ready(void);\nstruct ring *ring_fill(struct ring *ring)\n{\n    if (!ready()) {\n        free(ring);\n"
        "        return NULL;\n    }\n    return ring;\n}\n"
    )
    assert _told(MAKER, filler) == []


PARTS = "void ring_free(struct ring *ring)\n{\n    if (ring == NULL)\n        return;\n    free(ring->name);\n}\n"


def test_a_struct_that_is_taken_apart_goes_too() -> None:
    assert _told(MAKER, PARTS) == ["ring"]
    assert _told(MAKER, PARTS, "void end(struct ring *ring)\n{\n    ring_free(ring);\n    free(ring);\n}\n") == []
    assert _told(MAKER, PARTS, "void end(void)\n{\n    struct ring ring;\n    ring.name = NULL;\n    ring_free(&ring);\n}\n") == []
    assert _told(MAKER, PARTS, "struct box { struct ring ring; };\nvoid end(struct box *box)\n{\n    ring_free(&box->ring);\n}\n") == []
    assert _told(PARTS) == []
    kept = "static struct ring *spare;\n" + PARTS.replace("    free(ring->name);", "    free(ring->name);\n    spare = ring;")
    assert _told(MAKER, kept) == []
