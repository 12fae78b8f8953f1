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
