"""What a library may set by an address that it is given is not taken for what it was before (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

HEAD = """\
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct choice { int flag; GMainLoop *loop; struct { int deep; } inner; };
void done(void);

static int stopped;
static volatile int asked;
static void on_stop(int sig)
{
    stopped = sig;
}

static int by_size(const void *one, const void *other)
{
    stopped = 1;
    return 0;
}

int f(GVariant *value, const char *name, struct choice *given)
{
    BEGIN
    char *p = malloc(10);
    if (!p)
        return -1;
    if (TEST) {
        puts(p);
        free(p);
    }
    done();
    return 0;
}
"""

CASES = {
    "variable behind a format": ('const char *text = NULL;\n    g_variant_get(value, "(&s)", &text);', "text"),
    "number behind a format": ('int n = 0;\n    sscanf(name, "%d", &n);', "n"),
    "member of a struct": ("struct stat st;\n    st.st_size = 0;\n    stat(name, &st);", "st.st_size"),
    "member of a struct that is given": ('given->flag = 0;\n    sscanf(name, "%d", &given->flag);', "given->flag"),
    "struct behind a pointer": ("given->flag = 0;\n    fread(given, sizeof *given, 1, stdin);", "given->flag"),
    "global behind a loop of events": ("stopped = 0;\n    g_main_loop_run(given->loop);", "stopped"),
    "global behind a wait": ("stopped = 0;\n    signal(SIGINT, on_stop);\n    poll(NULL, 0, 1000);", "stopped"),
    "global behind a function that is passed": ("stopped = 0;\n    qsort(given, 1, sizeof *given, by_size);", "stopped"),
    "volatile": ("asked = 0;\n    puts(name);", "asked"),
    "member of a member": ("given->inner.deep = 0;\n    fread(&given->inner, 1, 4, stdin);", "given->inner.deep"),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_released_twice(case: str) -> None:
    begin, test = CASES[case]
    text = mended("a.c", HEAD.replace("BEGIN", begin).replace("TEST", test).encode()).decode()
    assert text.count("free(p);") == 1 or " else {\n        free(p);\n    }" in text


def test_the_other_way_is_mended() -> None:
    begin, test = CASES["member of a struct"]
    text = mended("a.c", HEAD.replace("BEGIN", begin).replace("TEST", test).encode()).decode()
    assert "    }\n    free(p);\n    done();" in text


def test_what_is_only_read_stays_known() -> None:
    begin = "int n = 0;\n    printf(\"%d\", n);"
    found = answers("a.c", HEAD.replace("BEGIN", begin).replace("TEST", "n").encode())
    assert all(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)
