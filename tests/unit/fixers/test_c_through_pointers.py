"""What only a member that points to a function releases is released as the function itself writes it."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

TEXT = """#include <stdio.h>
struct ops { void (*freeReply)(void *reply); };
struct reader { struct ops *ops; };
struct context { struct reader *reader; int error; };
int get_reply(struct context *c, void **reply);
int all(struct context *c)
{
    void *reply = NULL;
    while (get_reply(c, &reply) == 0) {
        if (reply == NULL)
            break;
        if (((char *)reply)[0] == 'e') {
            c->error = 1;
            return -1;
        }
        printf("%s", (char *)reply);
        c->reader->ops->freeReply(reply);
    }
    return 0;
}
"""


def test_a_member_that_points_to_the_release() -> None:
    found = [each for each in answers("x.c", TEXT.encode()) if isinstance(each, Fix)]
    assert [edit.text.strip() for each in found for edit in each.edits] == ["c->reader->ops->freeReply(reply);"]
    assert all(each.applicability is Applicability.UNSAFE for each in found)  # where it points to is not known
