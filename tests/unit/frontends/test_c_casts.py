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
