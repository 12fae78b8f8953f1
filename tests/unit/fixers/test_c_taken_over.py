"""No release comes to what somebody else has by then: a place that others see, or a stream that was made of a descriptor."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
struct shelf { char *name; };
char *last;
void tell(void) { if (last) puts(last); }
"""

KEPT = """int keep(int n, struct shelf *shelf)
{
    char *name = strdup("abc");
    if (!name)
        return -1;
    if (n > 2)
        %s = name;
    if (n == 1) {
        free(name);
        return 0;
    }
    return n;
}
"""


@pytest.mark.parametrize("place", ["last", "shelf->name"])
def test_what_was_kept_on_one_way_is_not_released_behind_another_release(place: str) -> None:
    text = mended("a.c", (HEAD + KEPT % place).encode()).decode()
    assert "free(name);\n    return n;" not in text


STREAM = """int read_one(const char *path, int n)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    if (n > 5)
        return 7;
    FILE *file = fdopen(fd, "r");
    if (!file)
        return -2;
    if (n == 3)
        return 3;
    fclose(file);
    return 0;
}
"""


def test_a_descriptor_goes_with_the_stream_that_has_it() -> None:
    text = mended("a.c", (HEAD + STREAM).encode()).decode()
    assert "    if (!file) {\n        close(fd);\n        return -2;" in text
    assert "    if (n == 3) {\n        fclose(file);\n        return 3;" in text
