"""A destructor that the function calls elsewhere with the same variable takes what a maker may have put into the object (C)."""

from __future__ import annotations

from analyzers import ir
from analyzers.facts import facts
from analyzers.queries import ProcedureKey
from fixers.familiar import familiar
from tests.unit.fixers.patching import mended, program

HEAD = """\
#include <stdlib.h>
#include <string.h>

struct view { char *name; int own; };

static void view_drop(struct view *v)
{
    if (v->own)
        free(v->name);
    free(v);
}

static struct view *view_of(char *name, int copy)
{
    struct view *v = malloc(sizeof *v);
    if (!v)
        return NULL;
    v->own = copy;
    v->name = copy ? strdup(name) : name;
    return v;
}

"""

USE = """\
int use(char *name, int copy, int mode)
{
    struct view *v = view_of(name, copy);
    if (!v)
        return -1;
    if (mode == 1)
        return -2;
    END
    return 0;
}
"""


def test_what_the_function_ends_itself_is_ended_alike() -> None:
    text = mended("a.c", (HEAD + USE.replace("END", "view_drop(v);")).encode()).decode()
    assert "if (mode == 1) {\n        view_drop(v);\n        return -2;\n    }" in text


def test_a_release_that_something_else_decides_shows_nothing() -> None:
    for end, is_shown in (("view_drop(v);", True), ("if (mode > 1)\n        view_drop(v);", False)):
        text = HEAD + USE.replace("END", end).replace("return -2;", "{ view_drop(v); return -2; }")
        known = facts(program("a.c", text.encode()), ProcedureKey("a.c", "use"))
        assert known is not None
        calls = [node for node, each in enumerate(known.linked.body.nodes) if isinstance(each, ir.Call) and each.name == "view_drop"]
        assert familiar(known, {calls[0]}) == (frozenset(calls) if is_shown else frozenset())
