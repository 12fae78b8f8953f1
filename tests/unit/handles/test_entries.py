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


def test_a_destructor_of_eighty_members_releases_all_of_them() -> None:
    """What a session was given is its own, the last member of eighty as much as the first."""
    names = [f"part_{number:02}" for number in range(80)]
    members = "".join(f"    char *{name};\n" for name in names)
    ends = "".join(f"    free(s->{name});\n" for name in names)
    text = f"struct session {{\n{members}}};\nvoid session_end(struct session *s) {{\n{ends}    free(s);\n}}\n"
    program = load(MemoryTree({"a.c": b"#include <stdlib.h>\n" + text.encode()}), specs.load(("c",)))
    released = {
        each.entry for each in program.effects(ProcedureKey("a.c", "session_end")).transfers
        if all(outcome.fate == "released" for outcome in each.outcomes)
    }
    assert released >= {("$0", name) for name in names}
