"""The functions that random ones call: makers, keepers, releasers, and those that may be either."""

from __future__ import annotations

import random
from collections.abc import Callable

HELPERS = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char *name;
    struct item *next;
    int count;
};

struct box {
    char *first;
    char *second;
    struct item *items;
    int size;
};

struct item *kept;
char *slot;
char *table[4];

static char *make(int flag)
{
    if (flag == 2)
        return NULL;
    return strdup("made");
}

static int fill(char **into, int flag)
{
    char *text;

    if (flag == 1)
        return -1;
    text = malloc(8);
    if (text == NULL)
        return -1;
    strcpy(text, "fill");
    *into = text;
    return 0;
}

static int fill_null(char **into, int flag)
{
    *into = NULL;
    if (flag == 2)
        return -1;
    *into = strdup("null");
    return *into != NULL ? 0 : -2;
}

static int fill_many(char **into, int count)
{
    int result = -1;

    if (count > 0) {
        *into = calloc(count, 8);
        if (*into == NULL)
            return -2;
        result = 0;
    }
    return result;
}

static int fill_apart(char **into, int flag)
{
    char *text = malloc(8);

    if (text == NULL)
        return -1;
    *into = text;
    if (flag == 0) {
        free(text);
        return -2;
    }
    strcpy(text, "part");
    return 0;
}

static int ask(int flag)
{
    return flag == 1 ? -3 : 0;
}

static struct item *item_new(const char *name)
{
    struct item *item = malloc(sizeof *item);

    if (item == NULL)
        return NULL;
    item->name = strdup(name);
    if (item->name == NULL) {
        free(item);
        return NULL;
    }
    item->next = NULL;
    item->count = 0;
    return item;
}

static void item_free(struct item *item)
{
    if (item == NULL)
        return;
    free(item->name);
    free(item);
}

static void items_free(struct item *item)
{
    while (item != NULL) {
        struct item *next = item->next;

        item_free(item);
        item = next;
    }
}

static int look(const char *text)
{
    return text != NULL ? text[0] % 7 : 1;
}

static void keep_item(struct item *item)
{
    item->next = kept;
    kept = item;
}

static int keep_maybe(struct item *item, int flag)
{
    if (item == NULL || flag == 1)
        return -1;
    keep_item(item);
    return 0;
}

static void put_slot(char *text)
{
    free(slot);
    slot = text;
}

static int put_table(int at, char *text)
{
    if (at < 0 || at >= 4 || table[at] != NULL)
        return 0;
    table[at] = text;
    return 1;
}

static char *same(char *text)
{
    return text;
}

static char *rest(char *text)
{
    return text != NULL && text[0] != 0 ? text + 1 : text;
}

static char *grown(char *text)
{
    char *larger = realloc(text, 32);

    if (larger == NULL) {
        free(text);
        return NULL;
    }
    return larger;
}

static void drop(char **text)
{
    free(*text);
    *text = NULL;
}

static void box_init(struct box *box)
{
    memset(box, 0, sizeof *box);
}

static int box_set(struct box *box, const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL)
        return -1;
    free(box->first);
    box->first = copy;
    return 0;
}

static void box_take(struct box *box, char *text)
{
    free(box->second);
    box->second = text;
}

static int box_add(struct box *box, const char *name)
{
    struct item *item = item_new(name);

    if (item == NULL)
        return -1;
    item->next = box->items;
    box->items = item;
    box->size++;
    return 0;
}

static void box_clear(struct box *box)
{
    free(box->first);
    free(box->second);
    items_free(box->items);
    box_init(box);
}

static void texts_free(char **texts, int count)
{
    int n;

    if (texts == NULL)
        return;
    for (n = 0; n < count; n++)
        free(texts[n]);
    free(texts);
}

static struct box *box_new(void)
{
    struct box *box = malloc(sizeof *box);

    if (box != NULL)
        box_init(box);
    return box;
}

static void box_free(struct box *box)
{
    if (box == NULL)
        return;
    box_clear(box);
    free(box);
}
"""


def split_head(chance: random.Random, asked: str, condition: Callable[[], str]) -> list[str]:
    """The lines of the head of an `if` that conditions of the preprocessor split, or leave alone. `condition`: another one to ask."""
    form = chance.choice(("", "", "heads", "before", "more"))
    word = chance.choice(("WIDE", "WIDE", "DEEP")) if form else ""
    match form:
        case "heads":
            return [f"#ifdef {word}", f"if ({condition()}) {{", "#else", f"if ({asked}) {{", "#endif"]
        case "before":
            return [f"#ifdef {word}", f"if ({condition()})", "    sum++;", "else", "#endif", f"if ({asked}) {{"]
        case "more":
            return [f"if ({asked}", f"#ifndef {word}", f"    && {condition()}", "#endif", "    ) {"]
        case _:
            return [f"if ({asked}) {{"]
