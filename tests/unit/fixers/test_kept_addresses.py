"""Variables with another name: a proof does not begin in the middle where one matters."""

from __future__ import annotations

import pytest

from fixers.paths.shape import keeps_address
from tests.unit.fixers.patching import mended, program


@pytest.mark.parametrize(("body", "is_kept"), [
    ("char *p = 0; char **slot = &p; p = make(); return use(*slot);", True),
    ("char *p = 0; struct place s; s.to = &p; p = make(); return use(*s.to);", True),
    ("char *p = 0; fill(&p); return use(p);", False),
    ("char *p = make(); return use(&b->name) + use(p);", False),
])  # fmt: skip
def test_an_address_that_is_kept_is_another_name(body: str, is_kept: bool) -> None:
    subject = program("x.c", f"struct place {{ char **to; }};\nint f(struct box *b)\n{{\n    {body}\n}}\n".encode())
    linked = subject.linked(next(key for key in subject.procedures() if key.name == "f"))
    assert linked is not None
    assert keeps_address(linked, {"p", "b"}) is is_kept


OPTIONS = b"""#include <popt.h>
#include <string.h>

struct user { char *name; };

int parse(int argc, const char **argv, struct user *user)
{
    int result = 1;
    char *name = NULL;
    poptContext context;
    struct poptOption options[] = {{"name", 'n', POPT_ARG_STRING, &name, 0, "a", NULL}, POPT_TABLEEND};

    context = poptGetContext(NULL, argc, argv, options, 0);
    if (argc < 2)
        goto end;
    while (poptGetNextOpt(context) > 0)
        ;
    if (name == NULL)
        goto end;
    user->name = name;
    poptFreeContext(context);
    result = 0;
end:
    return result;
}
"""


def test_what_is_set_by_an_address_in_a_table() -> None:
    assert mended("a.c", OPTIONS) == OPTIONS
