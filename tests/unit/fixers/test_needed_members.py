"""A destructor is called for an object that is not finished where it takes what is not there yet, and only there (C)."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.queries import ProcedureKey
from fixers.needed_members import needed_members, read_members, unset_members
from tests.unit.fixers.patching import mended

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conf {
    char *name;
    char *path;
    FILE *log;
    struct conf *next;
};

struct conf *conf_new(const char *name)
{
    struct conf *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->name = strdup(name);
    if (!c->name) {
        free(c);
        return NULL;
    }
    return c;
}

"""

END = "void conf_free(struct conf *c)\n{{\n    if (!c)\n        return;\n{}    free(c->name);\n    free(c);\n}}\n\n"

READ = """\
struct conf *conf_read(const char *line)
{
    struct conf *c = conf_new(line);
    if (!c)
        return NULL;
    c->path = strdup(line);
    if (!c->path)
        return NULL;
    return c;
}
"""


def _needed(ending: str, function: str = "conf_free") -> frozenset[str]:
    program = load(MemoryTree({"a.c": (HEAD + ending).encode()}), specs.load(("c",)))
    key = ProcedureKey("a.c", function)
    return frozenset(one for each in read_members(program, key, 0) for one in needed_members(program, key, 0, frozenset({each})))


def _is_called(ending: str) -> bool:
    """Whether the destructor goes where the second half of the object could not be made."""
    return "conf_free(c);" in mended("a.c", (HEAD + END.format(ending) + READ).encode()).decode().partition("*conf_read(")[2]


@pytest.mark.parametrize("ending", [
    "    free(c->path);\n",
    "    free(c->path);\n    if (c->log)\n        fclose(c->log);\n",
    "    if (c->log != NULL) {\n        fclose(c->log);\n        c->log = NULL;\n    }\n    free(c->path);\n",
    "    if (c->path)\n        memset(c->path, 0, strlen(c->path));\n    free(c->path);\n",
    "    if (!c->log)\n        puts(\"none\");\n    else\n        fclose(c->log);\n    free(c->path);\n",
], ids=["plain", "guarded", "emptied", "wiped", "told"])  # fmt: skip
def test_a_destructor_that_takes_null_ends_an_unfinished_object(ending: str) -> None:
    assert not _needed(END.format(ending))
    assert _is_called(ending)


@pytest.mark.parametrize(("ending", "member"), [
    ("    fclose(c->log);\n    free(c->path);\n", "log"),
    ("    memset(c->path, 0, strlen(c->path));\n    free(c->path);\n", "path"),
    ("    free(c->path);\n    free(c->next->name);\n", "next"),
    ("    struct conf *same = c;\n    fclose(same->log);\n    free(c->path);\n", "log"),
    ("    free(c->path);\n    if (c->path)\n        puts(\"was there\");\n    fclose(c->log);\n", "log"),
], ids=["file", "wiped", "followed", "copied", "behind another"])  # fmt: skip
def test_a_destructor_that_needs_a_member_is_not_called_without_it(ending: str, member: str) -> None:
    assert _needed(END.format(ending)) == {member}
    assert not _is_called(ending)


def test_what_a_callee_does_with_the_object_or_the_member_counts() -> None:
    other = "static void quiet(FILE *f)\n{\n    if (f)\n        fclose(f);\n}\nstatic void rest(struct conf *c)\n{\n    fclose(c->log);\n}\n"
    assert not _needed(other + END.format("    quiet(c->log);\n"))
    assert _needed(other + END.format("    rest(c);\n")) == {"log"}


def test_a_list_that_ends_itself_by_its_next_needs_no_next() -> None:
    assert not _needed(END.format("    if (c->next)\n        conf_free(c->next);\n"))
    assert not _needed(END.format("    conf_free(c->next);\n")), "it begins with the question whether there is one"


def test_elements_that_a_count_of_zero_keeps_from_being_read_need_not_be_there() -> None:
    struct = "struct many { int count; char **all; };\n"
    body = "void many_free(struct many *m)\n{\n    int i;\n    for (i = 0; i < m->count; i++)\n        free(m->all[i]);\n    free(m->all);\n    free(m);\n}\n"
    program = load(MemoryTree({"a.c": f"#include <stdlib.h>\n{struct}{body}".encode()}), specs.load(("c",)))
    key = ProcedureKey("a.c", "many_free")
    assert not needed_members(program, key, 0, frozenset(("count", "all")))
    assert needed_members(program, key, 0, frozenset(("all",))) == {"all"}


def test_what_makers_store_is_set() -> None:
    program = load(MemoryTree({"a.c": HEAD.encode()}), specs.load(("c",)))
    assert unset_members(program, [ProcedureKey("a.c", "conf_new")], ["name", "log"]) == {"log"}


def test_a_destructor_beside_a_stream_is_no_release_of_the_stream() -> None:
    """Two leaks of one function, mended together: each proof asks for its own releases."""
    body = (
        "struct conf *conf_load(const char *file)\n{\n    char line[64];\n    struct conf *c;\n    FILE *f = fopen(file, \"r\");\n    if (!f)\n        return NULL;\n"
        "    if (!fgets(line, sizeof line, f))\n        return NULL;\n    c = conf_new(line);\n    if (!c) {\n        fclose(f);\n        return NULL;\n    }\n"
        "    c->path = strdup(line);\n    if (!c->path) {\n        fclose(f);\n        return NULL;\n    }\n    fclose(f);\n    return c;\n}\n"
    )
    after = mended("a.c", (HEAD + END.format("    free(c->path);\n") + body).encode()).decode().partition("*conf_load(")[2]
    assert after.count("fclose(f);") == 4 and after.count("conf_free(c);") == 1


TABLE = """\
#include <stdlib.h>
struct node { struct node *next; char *key; };
struct table { struct node *buckets[16]; char *names[4]; };

void chained(struct table *t)
{
    for (int i = 0; i < 16; i++) {
        struct node *n = t->buckets[i];
        while (n) {
            struct node *gone = n;
            n = n->next;
            free(gone);
        }
    }
    free(t);
}

void hasty(struct table *t)
{
    for (int i = 0; i < 16; i++)
        free(t->buckets[i]->key);
    free(t);
}

int fill(int n)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return -1;
    for (int i = 0; i < n; i++) {
        struct node *new = malloc(sizeof *new);
        if (!new)
            return -1;
        new->next = NULL;
        t->buckets[i % 16] = new;
    }
    ENDING(t);
    return 0;
}
"""


@pytest.mark.parametrize(("function", "members"), [("chained", set()), ("hasty", {"buckets"})])
def test_an_array_in_the_object_is_there_though_its_elements_are_not(function: str, members: set[str]) -> None:
    program = load(MemoryTree({"a.c": TABLE.encode()}), specs.load(("c",)))
    assert needed_members(program, ProcedureKey("a.c", function), 0, frozenset({"buckets"})) == members


def test_a_table_is_ended_by_the_destructor_that_goes_through_its_buckets() -> None:
    assert "            chained(t);\n            return -1;" in mended("a.c", TABLE.replace("ENDING", "chained").encode()).decode()
    assert "hasty(t);\n            return -1;" not in mended("a.c", TABLE.replace("ENDING", "hasty").encode()).decode()
