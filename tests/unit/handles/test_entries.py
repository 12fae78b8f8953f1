"""Which handles of its caller a procedure of C may do something to, and that looking for them ends."""

from __future__ import annotations

from analyzers import MemoryTree, load, specs
from analyzers.queries import ProcedureKey

SOURCE = b"""
#include <stdlib.h>
#include <string.h>
struct part { char *name; struct part *next; };
struct whole { char *name; struct part first; };
void clear(struct whole *at)
{
    struct whole *each = at;
    while (each->name) {
        free(each->name);
        each = (struct whole *)memset(&each->first, 0, sizeof(struct part));
    }
}
"""


def test_a_pointer_that_moves_to_a_part_of_what_it_points_to_is_followed_to_an_end() -> None:
    program = load(MemoryTree({"a.c": SOURCE}), specs.load(("c",)))
    entries = [each.entry for each in program.effects(ProcedureKey("a.c", "clear")).transfers]
    assert entries == [("$0", "name")]
