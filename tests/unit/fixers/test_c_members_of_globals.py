"""What pointers of C may hold: the globals are no members of what a call answers."""

from __future__ import annotations

import textwrap

from analyzers.facts import facts
from fixers.c.pointers import Pointers
from tests.unit.fixers.patching import program

TWO = textwrap.dedent("""\
    #include <stdlib.h>
    #include <string.h>
    struct item { char *title; struct item *next; };
    static char *title;
    void told(const char *text, struct item **out)
    {
        struct item *one;
        struct item *two;
        title = strdup(text);
        one = malloc(sizeof(struct item));
        one->next = NULL;
        two = one;
        *out = two;
    }
    """)


def test_members_go_with_a_pointer_and_globals_do_not() -> None:
    subject = program("x.c", TWO.encode())
    known = facts(subject, subject.procedures_of("x.c")[0])
    assert known is not None
    places = {place for state in Pointers(known, "NULL").before.values() for place in state}
    assert ("", "title") in places
    assert ("two", "next") in places
    assert not {place for place in places if place[0] and place[1:] == ("title",)}
