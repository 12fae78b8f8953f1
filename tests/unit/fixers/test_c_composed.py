"""What is released with an object, or with an array, and is made of more than a block (C)."""

from __future__ import annotations

from tests.unit.fixers.test_proofs import verdict

PARTS = """#include <stdlib.h>
struct pipe { char *in, *out; };
struct line { struct pipe *pipe; char *rest; };
struct pipe *pipe_new(void) {
    struct pipe *made = malloc(sizeof *made);
    if (!made) return NULL;
    made->in = malloc(9);
    made->out = malloc(9);
    return made;
}
struct line *line_new(void) {
    struct line *line = malloc(sizeof *line);
    if (!line) return NULL;
    line->pipe = MAKER;
    if (!line->pipe) { free(line); return NULL; }
    line->rest = malloc(50);
    if (!line->rest) return NULL;
    return line;
}
"""


def test_a_member_that_is_made_of_more_than_a_block() -> None:
    assert not verdict(PARTS.replace("MAKER", "pipe_new()")).startswith("safe")
    assert set(verdict(PARTS.replace("MAKER", "malloc(sizeof *line->pipe)")).split("; ")) == {"safe"}


ELEMENTS = """#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int f(FILE *in, int n, char ***out) {
    char text[100], **all = calloc(n + 1, sizeof *all);
    int i, set = 0;
    if (!all) return -1;
    for (i = 0; i < n; i++) {
        if (!fgets(text, 100, in)) return -1;
        all[set] = strdup(text);
        if (strlen(all[set]) > 3) set++;
        else { free(all[set]); all[set] = NULL; }
    }
    *out = all;
    return set;
}
"""


def test_an_array_some_of_whose_elements_are_let_go_in_the_turn_that_set_them() -> None:
    assert "the elements of `all` are lost with it" in verdict(ELEMENTS)
