"""What somebody unknown was given of an object may be kept: a release that takes it along is no sure one."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct thing { char *name; struct thing *next; int size; };
void look(char *word);
void show(const char *word);
void count(int size);
"""

MAKER = """static char **words_of(const char *text, int *count) {
    char **made = calloc(2, sizeof *made);
    if (made == NULL)
        return NULL;
    made[0] = strdup(text);
    made[1] = strdup(text);
    *count = 2;
    return made;
}
static void words_free(char **words, int count) {
    for (int i = 0; i < count; i++)
        free(words[i]);
    free(words);
}
"""

THING = """int use(const char *text)
{{
    struct thing *t = thing_new(text);
    if (t == NULL)
        return 0;
    {before}
    if (text[0] == 'x') {{
        {inside};
        return 1;
    }}
    thing_free(t);
    return 2;
}}
"""

WORDS = """int use(const char *text)
{{
    int n;
    char **words = words_of(text, &n);
    if (words == NULL)
        return 0;
    if (text[0] == 'x') {{
        {inside};
        return 1;
    }}
    {release};
    return 2;
}}
"""


def is_safe(text: str) -> bool:
    found = [each for each in answers("x.c", (HEAD + text).encode()) if isinstance(each, Fix)]
    return bool(found) and all(each.applicability is Applicability.SAFE for each in found)


@pytest.mark.parametrize(("before", "inside", "wanted"), [
    (";", "look(t->name)", False),
    (";", "look(t->next->name)", False),
    (";", "char *p = t->name; look(p)", False),
    (";", "look(t->name + 1)", False),
    (";", "show(t->name)", True),  # a pointer to const is lent
    (";", "count(t->size)", True),
    (";", "printf(\"%s\", t->name)", True),
    ("look(t->name);", "count(1)", True),  # the procedure itself releases it behind that
    ("look(t->name);", "look(t->name)", True),
])  # fmt: skip
def test_members_of_what_the_release_takes_along(before: str, inside: str, wanted: bool) -> None:
    assert is_safe(THING.format(before=before, inside=inside)) is wanted


@pytest.mark.parametrize(("inside", "release", "wanted"), [
    ("look(words[1])", "words_free(words, n)", False),
    ("show(words[1])", "words_free(words, n)", True),
    ("puts(words[1])", "words_free(words, n)", True),
])  # fmt: skip
def test_elements_of_what_the_release_takes_along(inside: str, release: str, wanted: bool) -> None:
    assert is_safe(MAKER + WORDS.format(inside=inside, release=release)) is wanted
