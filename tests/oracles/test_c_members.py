"""Patches of destructors against the sanitizers: what leaked does so no more, and nothing else happens."""

from __future__ import annotations

import pathlib

from fixers import Fix
from fixers.edits import apply, merge
from tests.oracles.test_c_fixes import build, complaints
from tests.unit.fixers.patching import answers

SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ring { char *name; struct ring *next; };
struct tape { FILE *file; int place; };

static struct ring *push(struct ring *list, const char *name)
{
\tstruct ring *ring = calloc(1, sizeof(*ring));

\tif (ring == NULL)
\t\treturn list;
\tring->name = strdup(name);
\tring->next = list;
\treturn ring;
}

static void ring_clear(struct ring *ring)
{
\tstruct ring *next;

\tfor (; ring != NULL; ring = next) {
\t\tnext = ring->next;
\t\tfree(ring);
\t}
}

static struct tape *tape_open(const char *path)
{
\tstruct tape *tape = malloc(sizeof(*tape));

\tif (tape == NULL)
\t\treturn NULL;
\ttape->file = fopen(path, "r");
\ttape->place = 0;
\treturn tape;
}

static void tape_free(struct tape *tape)
{
\tfree(tape);
}

int main(int argc, char **argv)
{
\tstruct ring *list = NULL;
\tint i;

\tfor (i = 0; i < argc; i++)
\t\tlist = push(list, argv[i]);
\tring_clear(list);
\ttape_free(tape_open(argc > 1 && argv[1][0] == '1' ? "/no/such/file" : argv[0]));
\ttape_free(NULL);
\treturn 0;
}
"""


def test_members_leak_before_and_not_after(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "members.c"
    source.write_text(SOURCE)
    fixes = [each for each in answers("members.c", SOURCE.encode()) if isinstance(each, Fix)]
    assert sorted(each.finding.variable for each in fixes) == ["ring->name", "tape->file"]
    before = complaints(build(source, tmp_path, "gnu89"), ["0", "1"])
    assert len(before) == 2 and all("LeakSanitizer" in each for each in before)
    edits = merge(each.edits for each in fixes)
    assert edits is not None
    mended = tmp_path / "mended.c"
    mended.write_bytes(apply(SOURCE.encode(), edits))
    for standard in ("gnu89", "gnu17"):
        assert complaints(build(mended, tmp_path, standard), ["0", "1"]) == []
