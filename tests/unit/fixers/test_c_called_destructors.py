"""What a procedure calls for an object elsewhere ends it, also where that does not surely end its members."""

from __future__ import annotations

import pytest

from analyzers import analyze
from analyzers.facts import facts
from fixers.c.destructor import enders
from tests.unit.fixers.patching import program

TEXT = """#include <stdlib.h>
struct page {{ int users; int dirty; struct page *next; }};
struct walk {{ int at; int kept; struct page *page; }};
struct page *page_at(int at);
int page_write(struct page *page);
static struct page *idle;

static int page_done(struct page *page)
{{
    if (page->dirty && page_write(page) < 0)
        return -1;
    page->next = idle;
    idle = page;
    return 0;
}}

struct walk *begin(int at)
{{
    struct walk *w = calloc(1, sizeof *w);
    if (w)
        w->at = at;
    return w;
}}

void leave(struct walk *w)
{{
    if (!w)
        return;
{kept}    if (w->page)
        page_done(w->page);
    free(w);
}}

void show(struct walk *w)
{{
    w->at++;
}}

int each(int at, int (*visit)(struct page *))
{{
    struct walk *w = begin(at);
    if (!w)
        return -1;
    {setting}
    while ((w->page = page_at(w->at++))) {{
        show(w);
        if (visit(w->page))
            return 1;
    }}
    leave(w);
    return 0;
}}
"""


@pytest.mark.parametrize(("kept", "setting", "found"), [
    ("", "w->at++;", ("leave",)),
    ("    if (w->kept)\n        return;\n", "w->kept = 1;", ()),  # it is told to stay
])  # fmt: skip
def test_what_the_procedure_calls_for_it_ends_it(kept: str, setting: str, found: tuple[str, ...]) -> None:
    loaded = program("a.c", TEXT.format(kept=kept, setting=setting).encode())
    finding = next(each for each in analyze(loaded).findings if each.procedure == "each")
    key = next(each for each in loaded.procedures() if each.name == "each")
    known = facts(loaded, key)
    assert known is not None
    assert enders(loaded, finding, known) == found
