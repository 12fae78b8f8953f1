"""Destructors of C end what is finished enough for them: several kinds of resources at once, members that a callee has set."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.queries import ProcedureKey
from fixers.left_members import is_tidy
from fixers.needed_members import needed_members, stored_members
from tests.unit.fixers.patching import mended

HEAD = """\
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct conf { FILE *log; char *name; int fd; int level; };
static void conf_free(struct conf *c)
{
    if (!c)
        return;
    if (c->log)
        fclose(c->log);
    free(c->name);
    free(c);
}
"""

TIDY = """\
static int conf_init(struct conf *c, const char *name)
{
    c->log = NULL;
    c->name = NULL;
    c->log = fopen(name, "r");
    if (!c->log)
        return -1;
    c->name = strdup(name);
    if (!c->name) {
        fclose(c->log);
        c->log = NULL;
        return -1;
    }
    return 0;
}
"""

DANGLING = TIDY.replace("        c->log = NULL;\n", "")
UNSET = TIDY.replace("    c->log = NULL;\n    c->name = NULL;\n", "")

MAKER = """\
struct conf *conf_read(const char *name, int level)
{{
    struct conf *c = {alloc};
    if (!c)
        return NULL;
    if (conf_init(c, name) < 0)
        return NULL;
    if (level > 9)
        return NULL;
    return c;
}}
"""


def _inserted(text: str) -> list[str]:
    """The lines that safe fixes insert, in their order."""
    before = (HEAD + text).splitlines()
    after = mended("a.c", (HEAD + text).encode()).decode().splitlines()
    found = []
    for line in after:
        if before and line.removesuffix(" {") == before[0].removesuffix(" {"):
            before.pop(0)
        elif line.strip() != "}":
            found.append(line.strip())
    return found


@pytest.mark.parametrize("alloc", ["malloc(sizeof(*c))", "calloc(1, sizeof(*c))"])
def test_a_destructor_takes_what_a_tidy_maker_leaves_where_it_fails(alloc: str) -> None:
    assert _inserted(TIDY + MAKER.format(alloc=alloc)) == ["conf_free(c);", "conf_free(c);"]


@pytest.mark.parametrize("maker", [DANGLING, UNSET, UNSET.replace("        c->log = NULL;\n", "")])
@pytest.mark.parametrize("alloc", ["malloc(sizeof(*c))", "calloc(1, sizeof(*c))"])
def test_no_destructor_meets_what_a_maker_has_released_or_never_set(maker: str, alloc: str) -> None:
    inserted = _inserted(maker + MAKER.format(alloc=alloc))
    is_zeroed = maker == UNSET and alloc.startswith("calloc")
    assert inserted[:1] == (["conf_free(c);"] if is_zeroed else ["free(c);"])


def test_members_that_a_loop_of_the_destructor_counts_have_to_be_set() -> None:
    text = """\
struct many { char **all; int count; };
static void many_free(struct many *m)
{
    for (int i = 0; i < m->count; i++)
        free(m->all[i]);
    free(m->all);
    free(m);
}
int f(int bad)
{
    struct many *m = malloc(sizeof(*m));
    if (!m)
        return -1;
    m->all = NULL;
    if (bad)
        return -1;
    m->count = 0;
    many_free(m);
    return 0;
}
"""
    assert _inserted(text) == ["free(m);"]


def test_a_descriptor_that_is_minus_one_is_not_closed() -> None:
    guarded = "void end(struct conf *c)\n{\n    if (c->fd >= 0)\n        close(c->fd);\n    free(c);\n}\n"
    program = load(MemoryTree({"a.c": (HEAD + guarded + guarded.replace(">= 0", "> -2").replace("end", "all")).encode()}), specs.load(("c",)))
    fd = frozenset(("fd",))
    assert not needed_members(program, ProcedureKey("a.c", "end"), 0, fd, number=-1)
    assert needed_members(program, ProcedureKey("a.c", "end"), 0, fd) == fd
    assert needed_members(program, ProcedureKey("a.c", "all"), 0, fd, number=-1) == fd


def test_what_is_stored_on_every_way_and_what_is_left_where_it_fails() -> None:
    for text, stored, log in ((TIDY, {"log", "name"}, True), (DANGLING, {"log", "name"}, False), (UNSET, {"log"}, True)):
        program = load(MemoryTree({"a.c": (HEAD + text).encode()}), specs.load(("c",)))
        key = ProcedureKey("a.c", "conf_init")
        assert stored_members(program, key, 0) == stored
        assert is_tidy(program, key, 0, "log") is log
        assert is_tidy(program, key, 0, "name")


def test_each_point_gets_the_release_that_fits_it() -> None:
    text = """\
int f(const char *name, int bad)
{
    struct conf *c = malloc(sizeof(*c));
    if (!c)
        return -1;
    c->log = NULL;
    c->name = strdup(name);
    if (bad)
        return -2;
    conf_free(c);
    return 0;
}
int g(const char *name, int bad)
{
    struct conf *c = malloc(sizeof(*c));
    if (!c)
        return -1;
    if (bad > 1)
        return -3;
    c->log = NULL;
    c->name = strdup(name);
    if (bad)
        return -2;
    conf_free(c);
    return 0;
}
"""
    assert _inserted(text) == ["conf_free(c);", "free(c);", "conf_free(c);"]


def test_a_stream_in_an_object_goes_with_the_object() -> None:
    text = TIDY + """\
static struct conf *conf_new(const char *name)
{
    struct conf *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    if (conf_init(c, name) < 0) {
        free(c);
        return NULL;
    }
    return c;
}
int f(const char *name)
{
    struct conf *c = conf_new(name);
    if (!c)
        return -1;
    if (fgetc(c->log) < 0)
        return -2;
    conf_free(c);
    return 0;
}
"""
    assert _inserted(text) == ["conf_free(c);"]


def test_a_borrowed_stream_is_not_closed_by_a_destructor() -> None:
    text = """\
int f(FILE *log, int bad)
{
    struct conf *c = calloc(1, sizeof(*c));
    if (!c)
        return -1;
    c->log = log;
    c->name = strdup("");
    if (bad)
        return -2;
    free(c->name);
    free(c);
    return 0;
}
"""
    assert "conf_free(c);" not in _inserted(text)
