"""What a callee writes to a member may still be what lay there, or lead to it: `realloc` copies."""

from __future__ import annotations

import pytest

from analyzers import ir
from analyzers.facts import facts
from fixers.fix import Verdict
from fixers.paths import Question, Report, check
from tests.unit.fixers.patching import program

STRUCTS = """
struct inner { char *text; int flag; };
struct one { struct inner *inner; int flag; };
struct all { struct one **ones; int count; };

static void grow(struct all *all)
{
    struct one **more = realloc(all->ones, (all->count + 1) * sizeof(struct one *));
    if (!more)
        return;
    all->ones = more;
    all->ones[all->count++] = NULL;
}
static void look(struct all *all)
{
    if (all->count > 3)
        puts("many");
}
"""


def ask(text: str) -> Report:
    """The report on what `strdup` makes in the last function of a text; its last `free` of that is the fix's."""
    data = ("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" + text).encode()
    subject = program("a.c", data)
    found = facts(subject, subject.procedures()[-1])
    assert found is not None
    body = found.linked.body
    calls = {node: each.name for node, each in enumerate(body.nodes) if isinstance(each, ir.Call)}
    ours = frozenset(n for n in calls if b"OURS" in data[body.start + body.nodes[n].start :].partition(b"\n")[0])
    sites = frozenset(n for n, name in calls.items() if name == "strdup")
    return check(found.linked, found.effects, Question(sites, "", ours, ours, "c"))


@pytest.mark.parametrize("between", ["grow(all);", "grow(all); grow(all);", "while (n-- > 0) grow(all);", "look(all);", ""])
def test_what_the_result_leads_to_is_not_released(between: str) -> None:
    text = f"""{STRUCTS}
struct all *f(const char *name, int n)
{{
    struct all *all = calloc(1, sizeof *all);
    struct one *one = calloc(1, sizeof *one);
    struct inner *inner = calloc(1, sizeof *inner);
    if (!all || !one || !inner)
        abort();
    all->ones = malloc(sizeof(struct one *));
    if (!all->ones)
        abort();
    all->count = 1;
    all->ones[0] = one;
    one->inner = inner;
    {between}
    inner->text = strdup(name);
    free(inner->text); /* OURS */
    return all;
}}"""
    assert ask(text).after.verdict is Verdict.REFUTED


def test_what_is_taken_out_before_may_be_released() -> None:
    text = f"""{STRUCTS}
int f(const char *name, int n)
{{
    struct all all;
    char *text;
    memset(&all, 0, sizeof all);
    grow(&all);
    text = strdup(name);
    n = text && text[0] == 'a';
    free(text); /* OURS */
    free(all.ones);
    return n;
}}"""
    assert ask(text).after.verdict is Verdict.PROVED
