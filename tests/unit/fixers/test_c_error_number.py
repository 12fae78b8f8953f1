"""A release does not come between a failure and the question what failed, nor into an `else` that nobody needs."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.edits import apply
from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import mended

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


ASKED = """#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
static int told(const char *what)
{
    int number = errno;
    fprintf(stderr, "%s: %s\\n", what, strerror(number));
    return -1;
}
int reset(const char *name, int way)
{
    int fd = open(name, O_RDWR);
    if (fd < 0)
        return told(name);
    if (ioctl(fd, way) < 0) {
        WHERE
    }
    close(fd);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("lines", "mended_lines"),
    [
        ('perror("reset"); return errno;', 'int result; perror("reset"); result = errno; close(fd); return result;'),
        ("return -errno;", "int result = -errno; close(fd); return result;"),
        ('return told("reset");', 'int result = told("reset"); close(fd); return result;'),
    ],
)
def test_no_close_comes_before_the_number_is_read(lines: str, mended_lines: str) -> None:
    parts = [f"{each};" for each in lines.split("; ")]
    before = ASKED.replace("WHERE", "\n        ".join(each.replace(";;", ";") for each in parts))
    after = mended("reset.c", before.encode()).decode()
    assert mended_lines in " ".join(after.partition("way) < 0) {")[2].split())


@pytest.mark.parametrize("asking", ['explain("open: %s", strerror(errno));', 'perror("open");'])
def test_what_a_call_leaves_open_where_it_fails_is_closed_behind_the_question(asking: str) -> None:
    before = (
        "#include <errno.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\nvoid explain(const char *, ...);\n"
        "int join(FILE **to)\n{\n    int ends[2];\n    if (pipe(ends) < 0)\n        return -1;\n    close(ends[1]);\n"
        f'    *to = fdopen(ends[0], "r");\n    if (!*to)\n        {asking}\n    return 0;\n}}\n'
    )
    after = mended("join.c", before.encode()).decode()
    assert f"if (!*to) {{ {asking} close(ends[0]); }}" in " ".join(after.split())
