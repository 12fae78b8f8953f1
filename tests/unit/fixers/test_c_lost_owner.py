"""A member that is lost with the object around it is released with that object, or not by a safe patch."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.fix import Verdict
from tests.unit.fixers.patching import answers

HEAD = """#include <stdlib.h>
#include <string.h>
struct order { char *name; char *kind; };
int ask(int n);
void tell(struct order *order);
static void order_drop(struct order *order)
{
    if (order == NULL)
        return;
    free(order->name);
    free(order->kind);
    tell(order);
    free(order);
}
"""


def _patches(text: str) -> list[tuple[str, Applicability, str]]:
    """Of each fix its text, whether it is safe, and the first reason for doubt."""
    found = []
    for each in answers("order.c", (HEAD + text).encode()):
        if isinstance(each, Fix):
            doubt = next((check.reason for check in each.proof if check.verdict is not Verdict.PROVED), "")
            found.append(("".join(edit.text for edit in each.edits).strip(), each.applicability, doubt))
    return found


def test_a_member_is_not_released_alone_where_its_object_is_lost_too() -> None:
    found = _patches("""int run(int n)
{
    struct order *order = calloc(1, sizeof *order);
    if (order == NULL)
        return -1;
    order->name = strdup("name");
    if (ask(n))
        return 0;
    order_drop(order);
    return 1;
}
""")
    lost = [each for each in found if "free(order->name);" in each[0]]
    assert lost
    assert all(safe is Applicability.UNSAFE for _, safe, _ in lost)
    assert lost[0][2] == "`order` is lost with it, and `order_drop` releases both"


def test_a_member_of_what_lives_on_is_released_alone() -> None:
    found = _patches("""int run(int n)
{
    struct order *order = calloc(1, sizeof *order);
    if (order == NULL)
        return -1;
    order->name = strdup("name");
    if (ask(n)) {
        order->name = NULL;
    }
    order_drop(order);
    return 1;
}
""")
    assert [(text, safe) for text, safe, _ in found] == [("free(order->name);", Applicability.SAFE)]
