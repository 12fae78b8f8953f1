"""A macro of a header that is called like a maker of a library: where it is known, it is what it says, and makes nothing."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs

HEADER = """#include <stddef.h>
struct node { int kind; };
typedef struct { struct node node; char *value; size_t length; } text_t;
#define around(pointer, type, member) ((type *) ((char *) pointer - offsetof(type, member)))
#define json_to_string(node) around(node, text_t, node)
#define g_strdup(text) copy_of(text)
#define g_strconcat(...) unseen_concat(__VA_ARGS__)
char *copy_of(const char *text);
"""
SOURCE = """#include "private.h"
size_t all(const struct node *node, const char *name)
{
    %s
}
"""


def found(line: str) -> list[str]:
    tree = MemoryTree({"private.h": HEADER.encode(), "value.c": (SOURCE % line).encode()})
    return [each.message for each in analyze(load(tree, specs.load(("c",)))).findings]


def test_a_macro_that_only_computes() -> None:
    assert found("text_t *text = json_to_string(node);\n    return text->length;") == []


@pytest.mark.parametrize("line", [
    "char *text = g_strconcat(name, \"a\", NULL);\n    return text[0];",
    "char *text = g_strdup(name);\n    return text[0];",
])  # fmt: skip
def test_a_macro_in_front_of_a_function_without_source(line: str) -> None:
    (message,) = found(line)
    assert "`text`" in message
