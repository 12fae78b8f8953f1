"""An object that a callee puts into what it returns (C): what lies in it is handed out with that, and may not be gone by then."""

from __future__ import annotations

import pytest

from analyzers import ir
from analyzers.facts import facts
from fixers.fix import Verdict
from fixers.paths import Question, check
from tests.unit.fixers.patching import program

TEXT = """#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
struct drive { int fd; };
struct disc { int id; struct drive *drive; };
static struct disc *disc_on(struct drive *drive)
{
    struct disc *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->drive = drive;
    return made;
}
struct disc *f(const char *name)
{
    struct drive *drive = calloc(1, sizeof *drive);
    struct disc *disc;
    if (drive == NULL)
        return NULL;
    disc = disc_on(drive);
    if (disc == NULL) {
        free(drive);
        return NULL;
    }
    drive->fd = open(name, O_RDONLY);
    if (drive->fd < 0)
        return disc;
    close(drive->fd);
    return %s;
}
"""


@pytest.mark.parametrize(("given", "verdict"), [("disc", Verdict.REFUTED), ("NULL", Verdict.PROVED)])
def test_what_is_returned_with_a_closed_descriptor_in_it(given: str, verdict: Verdict) -> None:
    subject = program("a.c", (TEXT % given).encode())
    found = facts(subject, subject.procedures()[-1])
    assert found is not None
    calls = {node: each.name for node, each in enumerate(found.linked.body.nodes) if isinstance(each, ir.Call)}
    sites, ours = (frozenset(node for node, name in calls.items() if name == wanted) for wanted in ("open", "close"))
    assert check(found.linked, found.effects, Question(sites, "descriptor", ours, ours, "c")).after.verdict is verdict
