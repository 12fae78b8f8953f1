"""What others find again by number is not closed by a patch: a set of descriptors, an event loop, a library."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = """
#include <glib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
int f(int k, int poll, fd_set *set)
{
    struct epoll_event event = {0};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return 1;
    if (k == 1)
        return 2;
"""


@pytest.mark.parametrize(
    "tail",
    [
        "event.data.fd = fd; return epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);",
        "g_unix_fd_add(fd, G_IO_IN, 0, 0); return 0;",
    ],
)
def test_a_registered_descriptor_gets_no_safe_patch(tail: str) -> None:
    assert "safe" not in verdict(f"{HEAD}    {tail}\n}}\n").split("; ")


def test_a_set_of_the_callers_keeps_the_descriptor() -> None:
    assert verdict(f"{HEAD}    FD_SET(fd, set); return 0;\n}}\n").split("; ") == ["safe"]


@pytest.mark.parametrize(
    ("helper", "opened"),
    [
        ("static const char *text(DIR *d) { struct dirent *e = readdir(d); return e ? e->d_name : 0; }", "DIR *d = opendir(p);"),
        ("static const char *text(DIR *d) { return readdir(d)->d_name; }", "DIR *d = opendir(p);"),
    ],
)
def test_a_wrapper_of_what_looks_inside_gives_what_lies_inside(helper: str, opened: str) -> None:
    source = f"#include <dirent.h>\n{helper}\nconst char *f(const char *p)\n{{\n    {opened}\n    if (d == 0)\n        return 0;\n    return text(d);\n}}\n"
    assert "safe" not in verdict(source).split("; ")


LEFT = """#include <dirent.h>
#include <stdlib.h>
struct pair { const char *name; int n; };
static int get(DIR *d, const char **out) { struct dirent *e = readdir(d); if (!e) return -1; *out = e->d_name; return 0; }
static void fill(DIR *d, struct pair *out) { struct dirent *e = readdir(d); out->name = e->d_name; out->n = 1; }
static void count(DIR *d, struct pair *out) { out->name = 0; out->n = readdir(d) != 0; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "const char *f(DIR *d) { const char *name; DIR *e = opendir(\"/\"); if (!e) return 0; if (get(e, &name) < 0) return 0; return name; }",
        "int f(struct pair *out) { DIR *e = opendir(\"/\"); if (!e) return 0; fill(e, out); return 1; }",
        "const char *f(void) { struct pair q; DIR *e = opendir(\"/\"); if (!e) return 0; fill(e, &q); return q.name; }",
        "struct pair f(void) { struct pair q = {0}; DIR *e = opendir(\"/\"); if (!e) return q; fill(e, &q); return q; }",
    ],
)
def test_what_a_callee_leaves_behind_may_lie_inside(body: str) -> None:
    assert "safe" not in verdict(LEFT + body).split("; ")


def test_a_callee_that_leaves_numbers_leaves_nothing_that_lies_inside() -> None:
    body = "int f(struct pair *out) { DIR *e = opendir(\"/\"); if (!e) return 0; count(e, out); return 1; }"
    assert verdict(LEFT + body).split("; ") == ["safe"]
