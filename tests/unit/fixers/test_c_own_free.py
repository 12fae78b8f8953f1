"""A block of the code's own allocator goes back to the code's own `free`, where the file calls that already (C)."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers, mended

HEAD = """\
#include <stdlib.h>
#include <string.h>

void give_up(void) __attribute__((noreturn));

void *store_alloc(size_t n)
{
    void *block = malloc(n);
    if (!block)
        give_up();
    return block;
}

char *store_strdup(const char *text)
{
    return strcpy(store_alloc(strlen(text) + 1), text);
}

static int count;

"""

FREE = """\
void store_free(void *block)
{
    if (block)
        free(block);
}

"""

COUNTING = """\
void store_free(void *block)
{
    count--;
    free(block);
}

"""

USE = """\
void drop(char **all)
{
    store_free(*all);
}

int use(const char *text, int limit)
{
    char *copy = store_strdup(text);
    if (strlen(copy) > limit)
        return -1;
    free(copy);
    return 0;
}
"""


def test_the_own_free_is_called() -> None:
    text = HEAD + FREE + USE.replace("    free(copy);\n", "    puts(copy);\n")
    assert mended("a.c", text.encode()).count(b"store_free(copy);") == 2


@pytest.mark.parametrize("head", [HEAD + FREE.replace("store_free", "store_let_go"), HEAD + FREE], ids=["none", "own way"])
def test_what_the_procedure_calls_itself_is_called(head: str) -> None:
    text = mended("a.c", (head + USE).encode()).decode()
    assert "        free(copy);\n        return -1;" in text


def test_one_that_does_more_is_not_called() -> None:
    text = mended("a.c", (HEAD + COUNTING + USE.replace("    free(copy);\n", "    puts(copy);\n")).encode()).decode()
    assert "store_free(copy);" not in text


NAMES = """\
#include <stdlib.h>
#include <string.h>

#ifdef BLOCK_TRACE
#define block_malloc traced_malloc
#define block_free traced_free
static long blocks;
static void *traced_malloc(size_t size)
{
    void *block = malloc(size);
    if (block)
        blocks++;
    return block;
}
static void traced_free(void *block)
{
    blocks--;
    free(block);
}
#else
#define block_malloc malloc
#define block_free free
#endif

static void *block_zeroed(size_t size)
{
    void *block = block_malloc(size);
    if (block)
        memset(block, 0, size);
    return block;
}

struct room { int number; char *name; };

void room_end(struct room *room, int number)
{
    block_free(room->name);
    block_free(room);
}

struct room *room_begin(int number)
{
    struct room *room = block_zeroed(sizeof *room);
    if (!room)
        return NULL;
    room->number = number * 2;
    if (room->number == 26)
        return NULL;
    room->name = block_zeroed(20);
    return room;
}
"""


@pytest.mark.parametrize(("name", "expected"), [("block_free", "block_free(room);"), ("let_go", "free(room);")])
def test_what_is_free_on_one_side_only_keeps_its_name(name: str, expected: str) -> None:
    found = [each for each in answers("a.c", NAMES.replace("block_free", name).encode()) if isinstance(each, Fix)]
    assert [edit.text.strip() for each in found for edit in each.edits if "free" in edit.text] == [expected]
