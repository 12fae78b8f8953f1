"""A block of the code's own allocator goes back to the code's own `free`, where the file calls that already (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

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
