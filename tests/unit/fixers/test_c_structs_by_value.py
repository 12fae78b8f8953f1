"""A struct that is passed itself takes along what its members hold: who puts it somewhere keeps that."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdlib.h>
#include <string.h>
struct parcel { char *text; size_t length; };
struct letter { struct parcel parcel; int readers; struct letter *next; };
struct box { struct letter *first; };
static void letter_done(struct letter *letter)
{
    if (--letter->readers == 0) {
        free(letter->parcel.text);
        free(letter);
    }
}
"""

USER = """
int post(struct box *box, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return 0;
    struct parcel parcel = { .text = copy, .length = strlen(text) };
    return put(box, parcel);
}
"""

KEEPING = (
    """
static int put(struct box *box, const struct parcel parcel)
{
    struct letter *letter = malloc(sizeof *letter);
    if (letter == NULL)
        return 0;
    letter->parcel = parcel;
    letter->next = box->first;
    box->first = letter;
    return 1;
}
""",
    """
static int put(struct box *box, struct parcel parcel)
{
    struct letter *letter = malloc(sizeof *letter);
    if (letter == NULL)
        return 0;
    letter->parcel = parcel;
    letter->readers = 2;
    letter->next = box->first;
    box->first = letter;
    letter_done(letter);
    return 1;
}
""",
    """
int enqueue(struct box *box, struct letter *letter);
static int put(struct box *box, const struct parcel parcel)
{
    struct letter *letter = malloc(sizeof *letter);
    if (letter == NULL)
        return 0;
    letter->readers = 1;
    letter->parcel = parcel;
    if (!enqueue(box, letter))
        letter->readers--;
    letter_done(letter);
    return 1;
}
""",
    """
static int put(struct box *box, struct parcel parcel)
{
    struct letter *letter = malloc(sizeof *letter);
    struct parcel copy = parcel;
    if (letter == NULL)
        return 0;
    letter->readers = 1;
    letter->parcel = copy;
    letter_done(letter);
    return 1;
}
""",
)

LOOKING = """
static int put(struct box *box, struct parcel parcel)
{
    struct parcel copy = parcel;
    return copy.length > 3 && copy.text[0] == 'x';
}
"""


@pytest.mark.parametrize("callee", KEEPING)
def test_what_a_struct_holds_is_not_surely_released_where_it_is_kept(callee: str) -> None:
    found = answers("post.c", (HEAD + callee + USER).encode())
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


def test_who_only_looks_into_it_keeps_nothing() -> None:
    (found,) = answers("post.c", (HEAD + LOOKING + USER).encode())
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
