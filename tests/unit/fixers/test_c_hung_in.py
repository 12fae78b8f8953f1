"""What callees hang into a list of an object is lost with it, where only the object is freed."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct part { char *name; struct part *next; };
struct book { struct part *parts; };
void book_free(struct book *book)
{
    struct part *part, *next;
    if (book == NULL)
        return;
    for (part = book->parts; part != NULL; part = next) {
        next = part->next;
        free(part->name);
        free(part);
    }
    free(book);
}
static struct part *part_add(struct book *book, const char *name)
{
    struct part *part = calloc(1, sizeof *part);
    if (part == NULL)
        return NULL;
    part->name = strdup(name);
    if (part->name == NULL) {
        free(part);
        return NULL;
    }
    part->next = book->parts;
    book->parts = part;
    return part;
}
"""

READ = """struct book *book_read(FILE *in)
{
    struct book *book = calloc(1, sizeof *book);
    char line[100];
    if (book == NULL)
        return NULL;
    while (fgets(line, sizeof line, in) != NULL)
        if (part_add(book, line) == NULL)
            return NULL;
    return book;
}
"""


def _safe(text: str) -> list[str]:
    """The texts of safe fixes of the book."""
    found = [each for each in answers("book.c", (HEAD + text).encode()) if isinstance(each, Fix) and each.finding.variable == "book"]
    return ["".join(edit.text for edit in each.edits) for each in found if each.applicability is Applicability.SAFE]


def test_an_object_is_not_freed_alone_where_a_turn_before_has_hung_something_in() -> None:
    assert not any("free(book)" in each and "book_free" not in each for each in _safe(READ))


def test_an_object_is_freed_alone_where_nothing_has_been_hung_in() -> None:
    assert any("free(book)" in each or "book_free(book)" in each for each in _safe(READ.replace("while", "if")))
