"""What Tracker says of C: where an acquisition is told to lie."""

from __future__ import annotations

from analyzers import analyze, load, specs
from analyzers.finding import Role
from analyzers.source import LineIndex
from analyzers.tree import MemoryTree

RECURSIVE = b"""#include <stdlib.h>
static char *deep(int n)
{
    if (n > 0)
        return deep(n - 1);
    return malloc(8);
}
void f(void)
{
    char *text = deep(3);
}
"""


def test_acquisition_in_a_recursive_callee_is_told_where_it_happens() -> None:
    program = load(MemoryTree({"a.c": RECURSIVE}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    lines = [LineIndex(RECURSIVE).line(step.span.start) for step in finding.witness if step.role is Role.ACQUIRE]
    assert lines == [6, 10]


CHOSEN = b"""#include <stdlib.h>
#include <string.h>
struct box { char *name; };
int f(struct box *box, const char *name, int k)
{
    struct box own;
    own.name = k ? strdup(name) : NULL;
    if (k == 2)
        return 1;
    free(own.name);
    return 0;
}
"""


def test_no_text_names_a_variable_that_the_source_lacks() -> None:
    program = load(MemoryTree({"a.c": CHOSEN}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    texts = [finding.message, finding.variable, *(step.note for step in finding.witness)]
    assert not [text for text in texts if "%" in text]
