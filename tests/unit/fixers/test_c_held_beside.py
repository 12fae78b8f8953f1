"""What an object holds by then goes with the object, where both are lost and the function ends them together elsewhere (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """#include <stdlib.h>
#include <string.h>
struct order { char *name; int count; };
static struct order *order_new(void) { return calloc(1, sizeof(struct order)); }
static void order_free(struct order *o) { if (o) { free(o->name); free(o); } }
static int order_take(struct order *o, char *name) { if (!name[0]) return 0; free(o->name); o->name = name; return 1; }
"""
BODY = """int f(int n)
{
    struct order *o = order_new();
    char *name = strdup("name");
    if (!o || !name || !order_take(o, name)) {
        free(name);
        order_free(o);
        return -1;
    }
    %s
    order_free(o);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("forgets", "is_released"),
    [
        ("if (n == 1)\n        return 1;", False),
        ("if (n == 1) {\n        free(o);\n        return 1;\n    }", True),
    ],
)
def test_what_lies_in_a_lost_object_is_not_released_by_itself(forgets: str, is_released: bool) -> None:
    text = mended("f.c", f"{HEAD}{BODY % forgets}".encode()).decode().partition("return -1;")[2]
    assert ("free(name);" in text or "free(o->name);" in text) is is_released


def test_what_the_object_has_not_got_is_released() -> None:
    body = BODY.replace(" || !order_take(o, name)", "").replace("%s", "if (n == 1) {\n        order_free(o);\n        return 1;\n    }\n    if (!order_take(o, name))\n        free(name);")
    assert "order_free(o);\n        free(name);\n        return 1;" in mended("f.c", f"{HEAD}{body}".encode()).decode()


def test_what_is_released_behind_the_object_elsewhere_is_no_word_on_where_it_is_not() -> None:
    """One patch for two ways out: on one the object is gone, on the other it has the text and is lost, too."""
    head = HEAD.replace("if (!name[0]) return 0; free(o->name); o->name = name; return 1;", "free(o->name); o->name = name; return 1;")
    body = """int f(int n)
{
    struct order *o = order_new();
    char *name = strdup("name");
    if (!o || !name) {
        free(name);
        order_free(o);
        return -1;
    }
    if (n == 1) {
        order_free(o);
        return 1;
    }
    order_take(o, name);
    if (n == 2)
        return 2;
    order_free(o);
    return 0;
}
"""
    after = mended("f.c", f"{head}{body}".encode()).decode()
    assert "if (n == 2) {\n        free(name);" not in after
