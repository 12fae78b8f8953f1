"""A destructor that goes through an array may be called where every element is there to be freed, once, and nobody else's (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """\
#include <stdlib.h>
#include <string.h>

struct tab { char **rows; int n; };
struct bag { char *rows[4]; };
static struct tab others;

static void tab_free(struct tab *t)
{
    for (int i = 0; i < t->n; i++)
        free(t->rows[i]);
    free(t->rows);
    free(t);
}

static void bag_free(struct bag *t)
{
    for (int i = 0; i < 4; i++)
        free(t->rows[i]);
    free(t);
}

"""

TAB = """\
int fill(int n, char *name)
{
    struct tab *t = calloc(1, sizeof *t);
    if (!t)
        return -1;
    t->rows = MADE;
    if (!t->rows) {
        free(t);
        return -1;
    }
    t->n = n;
    FILLED
    if (n == 7)
        return -1;
    t->rows[0] = strdup("all");
    tab_free(t);
    return 0;
}
"""

BAG = """\
int fill(int n, char *name)
{
    struct bag *t = MADE;
    if (!t)
        return -1;
    FILLED
    if (n == 7)
        return -1;
    t->rows[0] = strdup("all");
    bag_free(t);
    return 0;
}
"""

ZEROED = {TAB: "calloc(n, sizeof *t->rows)", BAG: "calloc(1, sizeof *t)"}
RAW = {TAB: "malloc(n * sizeof *t->rows)", BAG: "malloc(sizeof *t)"}

ONCE = 't->rows[1] = strdup("x");'
NOT_ITS_OWN = [
    "t->rows[0] = name;",
    't->rows[0] = "x";',
    't->rows[0] = strdup("x"); free(t->rows[0]);',
    't->rows[0] = strdup("x"); others.rows[0] = t->rows[0];',
    't->rows[0] = t->rows[1] = strdup("x");',
]


def _ends(function: str, made: dict[str, str], filled: str) -> bool:
    """Whether the early way out ends the object by its destructor."""
    text = HEAD + function.replace("MADE", made[function]).replace("FILLED", filled)
    after = mended("a.c", text.encode()).decode()
    return "_free(t);\n        return -1;" in after


@pytest.mark.parametrize("function", [TAB, BAG])
@pytest.mark.parametrize("filled", ["", ONCE, "for (int i = 0; i < n; i++) t->rows[i] = strdup(name);"])
def test_elements_that_the_function_has_put_there_go_with_the_object(function: str, filled: str) -> None:
    assert _ends(function, ZEROED, filled)


@pytest.mark.parametrize("function", [TAB, BAG])
@pytest.mark.parametrize("filled", NOT_ITS_OWN)
def test_what_is_not_the_array_s_own_is_not_freed_with_it(function: str, filled: str) -> None:
    assert not _ends(function, ZEROED, filled)


@pytest.mark.parametrize("function", [TAB, BAG])
@pytest.mark.parametrize("filled", ["", ONCE])
def test_elements_that_nobody_has_set_are_not_freed(function: str, filled: str) -> None:
    assert not _ends(function, RAW, filled)


SPLIT = """\
#include <stdlib.h>
#include <string.h>
int show(const char *word);

char **split(const char *text, int *n)
{
    char **v = calloc(3, sizeof *v);
    if (!v)
        return NULL;
    v[0] = strdup(text);
    v[1] = strdup(text + 1);
    *n = 2;
    return v;
}

void split_free(char **v)
{
    if (!v)
        return;
    for (char **p = v; *p; p++)
        free(*p);
    free(v);
}

int each(const char *text, int turns)
{
    int n, i;
    while (turns--) {
        char **v = split(text, &n);
        for (i = 0; v && i < n; i++)
            if (!show(v[i] + 2))
                return 0;
        split_free(v);
    }
    return 1;
}
"""


def test_what_another_function_has_filled_is_freed_as_it_frees_it() -> None:
    assert "                split_free(v);\n                return 0;" in mended("a.c", SPLIT.encode()).decode()


LINES = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int announce(char **words, int count)
{
    char **lines = calloc(count, sizeof *lines);
    int i;
    if (!lines)
        return -1;
    for (i = 0; i < count; i++) {
        lines[i] = malloc(strlen(words[i]) + 2);
        if (!lines[i])
            goto failed;
        strcpy(lines[i], words[i]);
        strcat(lines[i], "!");
    }
    if (strlen(words[0]) > 80) {
failed:
        for (i = 0; i < count; i++)
            free(lines[i]);
        free(lines);
        return -1;
    }
    for (i = 0; i < count; i++)
        puts(lines[i]);
    return 0;
}
"""


def test_elements_that_are_only_looked_at_would_be_lost_with_their_array() -> None:
    before = LINES.encode()
    assert mended("a.c", before) == before


PAGE = """\
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct buffer { char *text; size_t room; };
struct page { int line; struct buffer out; };

static void grow(char **text, size_t *room, size_t wanted)
{
    if (*room >= wanted)
        return;
    *text = realloc(*text, wanted);
    *room = *text ? wanted : 0;
}

int show(int line, const char *word, int count)
{
    struct page *page = malloc(sizeof *page);
    if (!page)
        return -1;
    page->line = line;
    memset(&page->out, 0, sizeof page->out);
    if (count > 80)
        return 1;
    grow(&page->out.text, &page->out.room, count + 1);
    if (!page->out.text)
        goto out;
    memcpy(page->out.text, word, count);
    if (write(page->line, page->out.text, count) != count)
        return 2;
    free(page->out.text);
out:
    free(page);
    return 0;
}
"""


def test_a_member_that_is_ended_elsewhere_would_be_lost_with_its_object() -> None:
    after = mended("a.c", PAGE.encode()).decode()
    assert after == PAGE
