"""Loops that count and are asked behind whether they ran to their end: what only a `break` comes to."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs

ADD = """#include <stdlib.h>
struct desk { int count; char **pens; };
int add(struct desk *desk, int wanted)
{
    int i;
    char *pen = malloc(8);
    if (pen == NULL)
        return -1;
    for (i = 0; i < desk->count; i++) {
        if (desk->pens[i] == NULL) {
            desk->pens[i] = pen;
            break;
        }
    }
    if (i == desk->count) {
        free(pen);
        return -1;
    }
    return 0;
}
"""


def lost(text: str) -> list[str]:
    return [each.message for each in analyze(load(MemoryTree({"a.c": text.encode()}), specs.load(("c",)))).findings]


@pytest.mark.parametrize(("old", "new"), [
    ("i == desk->count", "i >= desk->count"),
    ("desk->count", "wanted"),
    ("i < desk->count", "i != desk->count"),
    ("if (i == desk->count) {\n        free(pen);\n        return -1;\n    }\n    return 0;", "if (i < desk->count)\n        return 0;\n    free(pen);\n    return -1;"),
])
def test_who_leaves_by_the_test_of_the_loop_has_counted_to_the_end(old: str, new: str) -> None:
    assert lost(ADD) == []
    assert lost(ADD.replace(old, new)) == []


@pytest.mark.parametrize(("old", "new"), [
    ("i = 0", "i = wanted"),  # it may begin behind the end
    ("i++)", "i += 2)"),
    ("i == desk->count", "i == wanted"),
    ("    if (i == desk->count)", "    desk->count = wanted;\n    if (i == desk->count)"),
    ("    if (i == desk->count)", "    i++;\n    if (i == desk->count)"),
])
def test_nothing_is_known_of_other_loops_and_other_questions(old: str, new: str) -> None:
    assert len(lost(ADD.replace(old, new, 1))) == 1


def test_what_the_loop_does_not_store_is_still_lost() -> None:
    assert len(lost(ADD.replace("        free(pen);\n", ""))) == 1
