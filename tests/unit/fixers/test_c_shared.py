"""Objects that count who holds them are counted down, never freed."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.fix import Applicability, Declined, Fix

HEAD = """#include <stdlib.h>
struct host { int refs; int port; };
static struct host *known;
"""
MAKER = """struct host *host_new(void) { struct host *h = calloc(1, sizeof *h); if (h != NULL) h->refs = 1; return h; }
struct host *host_share(struct host *h) { h->refs++; return h; }
void remember(struct host *h) { known = host_share(h); }
"""
DROP = "void host_drop(struct host *h) { if (--h->refs == 0) free(h); }\n"
USER = """int use(int port)
{
    struct host *host = host_new();
    if (host == NULL)
        return -1;
    remember(host);
    if (port > 9)
        return 1;
    %s
    return 0;
}
"""


def answer(text: str) -> Fix | Declined:
    program = load(MemoryTree({"host.c": text.encode()}), specs.load(("c",)))
    (leak,) = [each for each in analyze(program).findings if each.procedure.endswith("use")]
    return fix(leak, program)


def test_a_share_is_given_up_by_counting_down() -> None:
    found = answer(HEAD + MAKER + DROP + USER % "host_drop(host);")
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
    assert "host_drop(host);" in "".join(edit.text for edit in found.edits)


@pytest.mark.parametrize("drop", ["", DROP])
def test_what_others_may_hold_is_not_freed(drop: str) -> None:
    found = answer(HEAD + MAKER + drop + USER % "")
    if isinstance(found, Fix):
        assert not any("free(host)" in edit.text for edit in found.edits)
    else:
        assert "counts who holds it" in found.reason


def test_a_wrapper_of_free_is_no_better() -> None:
    wrapper = "void cleanup(void *p) { free(p); }\n"
    use = USER.replace("if (port > 9)", "if (port < 0) {\n        cleanup(host);\n        return 2;\n    }\n    if (port > 9)")
    found = answer(HEAD + MAKER + DROP + wrapper + use % "cleanup(host);")
    assert isinstance(found, Declined) or "cleanup(host)" not in "".join(edit.text for edit in found.edits)
