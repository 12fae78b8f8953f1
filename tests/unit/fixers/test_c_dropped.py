"""What goes with an element that is taken out of its list is no patch's to say (C)."""

from __future__ import annotations

from fixers import Declined
from tests.unit.fixers.patching import answers

LIST = """#include <stdlib.h>
struct bead { int size; struct bead *next; };
struct string { struct bead *first; };
int string_add(struct string *string, int size)
{
    struct bead *bead = malloc(sizeof *bead);
    if (bead == NULL)
        return -1;
    bead->size = size;
    bead->next = string->first;
    string->first = bead;
    return 0;
}
void string_end(struct string *string)
{
    while (string->first != NULL) {
        struct bead *bead = string->first;
        string->first = bead->next;
        free(bead);
    }
}
void string_pop(struct string *string)
{
    struct bead *bead = string->first;
    if (bead != NULL)
        string->first = bead->next;
}
"""


def test_an_element_that_is_dropped_is_declined_with_the_reason() -> None:
    (answer,) = answers("list.c", LIST.encode())
    assert isinstance(answer, Declined)
    assert answer.finding.procedure == "string_pop"
    assert "element of a list" in answer.reason
