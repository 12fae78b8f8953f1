"""A release does not come between a failure and the question what failed, nor into an `else` that nobody needs."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.edits import apply
from fixers.fix import Applicability, Fix

SOURCE = b"""#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
int look_at(int number);
void explain(int error, const char *what);
int units(void)
{
    int fd, count, i;
    if ((fd = open("/dev/units", O_RDWR)) < 0)
        return 0;
    if (ioctl(fd, 3, &count) < 0) {
        explain(errno, "units");
        return -1;
    }
    for (i = 0; i < count; i++) {
        if (look_at(i) == 0)
            return -1;
    }
    return 0;
}
"""


def test_what_failed_is_asked_first() -> None:
    program = load(MemoryTree({"units.c": SOURCE}), specs.load(("c",)))
    (leak,) = analyze(program).findings
    found = fix(leak, program)
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
    text = apply(SOURCE, found.edits).decode()
    assert 'explain(errno, "units");\n        close(fd);\n        return -1;\n    }\n    close(fd);\n    for' in text
