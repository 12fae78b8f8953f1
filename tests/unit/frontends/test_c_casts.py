"""Casts that only a header tells from calls."""

from __future__ import annotations

from analyzers import analyze, load, specs
from analyzers.tree import MemoryTree

HEADER = b"typedef struct parser *Parser;\n"
SOURCE = b"""#include "parser.h"
#include <stdlib.h>
Parser make(size_t size) {
    Parser parser = NULL;
    void *const whole = malloc(size + 16);
    if (whole)
        parser = (Parser)((char *)whole + 16);
    return parser;
}
int lost(const char *text) {
    char *copy = (strdup)(text);
    return copy ? 0 : -1;
}
int copied(const char *text) {
    char *copy = (strdup)(text);
    if (!copy)
        return -1;
    (free)(copy);
    return 0;
}
"""


def test_a_type_in_parentheses_is_a_cast_and_a_function_is_called() -> None:
    program = load(MemoryTree({"parser.h": HEADER, "make.c": SOURCE}), specs.load(("java", "c")))
    assert [each.procedure for each in analyze(program, None).findings] == ["lost"]


ADDRESSES = b"""#include <glib.h>
struct message { char *text; };
typedef gboolean (*callback_t)(const char *name, gpointer data);
extern callback_t called(int number);
extern int mask, known;
extern void watch(gpointer *place);
static gboolean told(const char *name, gpointer data) {
    if (name == NULL)
        return FALSE;
    called(1)(name, data);
    return TRUE;
}
static void ended(gpointer data) {
    struct message *message = data;
    g_free(message->text);
}
void tell(const char *text) {
    struct message message;
    message.text = g_strdup(text);
    ended((gpointer) &message);
}
void tell_somebody(const char *text) {
    struct message message;
    message.text = g_strdup(text);
    called(1)(text, (gpointer) &message);
}
void at(char **place) {
    g_free((gpointer) *place);
}
int masked(int number) {
    char *text = g_strdup("a");
    int bits = (mask) & number;
    return bits * (known) - 1 + (text != NULL);
}
"""


def test_the_address_of_a_variable_may_be_cast_to_a_type_of_some_header() -> None:
    program = load(MemoryTree({"tell.c": ADDRESSES}), specs.load(("java", "c")))
    assert [each.procedure for each in analyze(program, None).findings] == ["masked"]


MASKS = b"""#include <stdlib.h>
#include <string.h>
#include "mask.h"
struct bits { unsigned set; };
int chosen(struct bits *bits, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if ((debug_mask) & bits->set)
        free(copy);
    return 0;
}
"""


def test_a_member_behind_a_mask_is_masked() -> None:
    program = load(MemoryTree({"mask.c": MASKS}), specs.load(("java", "c")))
    assert [each.procedure for each in analyze(program, None).findings] == ["chosen"]
