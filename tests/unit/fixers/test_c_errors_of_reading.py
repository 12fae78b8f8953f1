"""Where reading a line fails is asked by `errno`, which was set to 0 before: a stream that is lost there has to be closed there, too (C)."""

from __future__ import annotations

from tests.unit.fixers.test_proofs import verdict

TEXT = """#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
int f(FILE *in, const char *path) {
    char *line = NULL;
    size_t size = 0;
    FILE *copy = fopen(path, "w");
    if (!copy) return -1;
    for (;;) {
        errno = 0;
        if (getline(&line, &size, in) == -1) {
            if (errno != 0) goto failed;
            break;
        }
        if (fputs(line, copy) == EOF) { fclose(copy); goto failed; }
    }
    free(line);
    return fclose(copy);
failed:
    free(line);
    return -1;
}
"""


def test_the_way_on_which_reading_fails() -> None:
    assert verdict(TEXT) == "safe"


def test_it_is_all_released() -> None:
    assert verdict(TEXT.replace("if (errno != 0) goto", "if (errno != 0) { fclose(copy); goto").replace("goto failed;\n", "goto failed; }\n", 1)) == ""
