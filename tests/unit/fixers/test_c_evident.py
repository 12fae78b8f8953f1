"""What others do with what a function without source gives, and when that makes a patch safe."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Options, analyze, load
from fixers import Applicability, Fix, fix
from fixers import Options as FixOptions
from tests.unit.fixers.patching import mended, models

HEAD = "struct box; struct item;\nint known(int n) { return n; }\n"

USER = "int u{n}(struct box *b)\n{{\n    char *t;\n    if (fetch(b, &t{more}) != 0)\n        return -1;\n{body}    return 0;\n}}\n"

LEAKING = "int f(struct box *b)\n{\n    char *name;\n    if (fetch(b, &name, 0) != 0)\n        return -1;\n    return name[0] == 'x';\n}\n"


def _users(*bodies: str, more: str = ", 0") -> str:
    return "".join(USER.format(n=n, body=body, more=more) for n, body in enumerate(bodies))


FREE = "    free(t);\n"


@pytest.mark.parametrize(("others", "is_safe"), [
    (_users(FREE, FREE), True),
    (_users(FREE), False),
    (_users(FREE, FREE, more=", 1"), False),  # told something else, it may give something else
    (_users(FREE, FREE, FREE, "    if (t != keep(b))\n        free(t);\n"), False),
    (_users(FREE, "    if (known(3))\n        return -1;\n    free(t);\n"), True),
    (_users(FREE, FREE, "    known(2);\n"), False),
    (_users(*[FREE] * 5, "    known(2);\n"), True),
])  # fmt: skip
def test_what_others_release_without_exception_is_ours(others: str, is_safe: bool) -> None:
    before = f"#include <stdlib.h>\n{HEAD}{others}{LEAKING}".encode()
    assert (b"free(name)" in mended("x.c", before)) is is_safe


OWN = """#include <stdlib.h>
#include <string.h>
int mode;
int known(int n) {{ return n + mode; }}
int f(int key, const char *way)
{{
    int given = 1;
    char *p = derive({arguments});
    if (p == NULL)
        return -1;
{between}    free(p);
    return 0;
}}
"""


@pytest.mark.parametrize(("arguments", "between", "is_safe"), [
    ("key", "    if (known(7) < 0)\n        return -1;\n", True),
    ("key", "    if (strcmp(p, way) == 0)\n        return -1;\n", True),
    ("key", "    if (key > 9)\n        return -1;\n", False),
    ("key, &given", "    if (!given)\n        return -1;\n", False),
    ("key", "    if (p[0] == 0)\n        return -1;\n", False),
    ("key", "    if (known(key) < 0)\n        return -1;\n", True),
])  # fmt: skip
def test_a_release_that_only_failures_avoid_shows_whose_it_is(arguments: str, between: str, is_safe: bool) -> None:
    before = OWN.format(arguments=arguments, between=between).encode()
    assert (mended("x.c", before) != before) is is_safe


COUNTED = """#include <string.h>
int f(const char *line)
{
    int count;
    char **words = split_words(line, &count);
    if (words == NULL)
        return -1;
    if (count == 0) {
        free_words(words, count);
        return 0;
    }
    if (strcmp(words[0], "user") != 0)
        return -1;
    CHANGE
    free_words(words, count);
    return 0;
}
"""


def test_a_release_is_told_the_count_that_the_maker_stored() -> None:
    fixed = mended("x.c", COUNTED.replace("    CHANGE\n", "").encode())
    assert fixed.count(b"free_words(words, count);") == 3
    changed = COUNTED.replace("CHANGE", "count--;").encode()
    assert mended("x.c", changed).count(b"free_words(words, count);") == 2


ELEMENTS = """#include <stdlib.h>
#include <string.h>
int f(struct box *b, const char *line)
{
    int count, n;
    char **words = split_words(line, &count);
    if (words == NULL)
        return -1;
    if (strlen(line) > 80)
        return -1;
    for (n = 0; n < count; n++)
        box_add(b, words[n]);
    free(words);
    return 0;
}
"""


def test_an_array_whose_elements_are_taken_out_first_is_not_mended_by_its_release() -> None:
    program = load(MemoryTree({"x.c": ELEMENTS.encode()}), models("c"), options=Options())
    found = [fix(each, program, FixOptions()) for each in analyze(program).findings]
    assert [each.applicability for each in found if isinstance(each, Fix)] in ([], [Applicability.UNSAFE])
    assert found


FOCUSED = """#include <stdlib.h>
#include <string.h>
char *odd(int *state, const char *text);
int f(const char *text, int way)
{
    char *copy;
    int state;
    switch (way) {
    case 1:
        copy = strdup(text);
        if (copy == NULL)
            return -1;
        if (strlen(text) > 9)
            goto out;
        free(copy);
        return 0;
    case 2:
        copy = odd(&state, text);
        if (copy == NULL || state)
            goto out;
        free(copy);
        return 0;
    }
out:
    return -1;
}
"""


def test_a_release_of_one_acquisition_does_not_wait_for_another() -> None:
    fixed = mended("x.c", FOCUSED.encode()).decode()
    assert fixed.count("free(copy);") == 3
    assert "free(copy);\n            goto out;" in fixed.replace("if (strlen(text) > 9) {\n            ", "")


GUARDED = """#include <stdlib.h>
struct conf {{ int keep; }};
int known(int n);
int owning;
int f(struct conf *c, int own, int n, int k)
{{
    char *t = derive(n);
    if (t == NULL)
        return -1;
    if (k > 9)
        return -1;
    known(t[0]);
{release}    return 0;
}}
"""


@pytest.mark.parametrize(("release", "is_safe"), [
    ("    free(t);\n", True),
    ("    if (t)\n        free(t);\n", True),
    ("    if (own)\n        free(t);\n", False),
    ("    if (owning)\n        free(t);\n", False),
    ("    if (!c->keep) {\n        known(t[1]);\n        free(t);\n    }\n", False),
    ("    if (c->keep)\n        known(t[0]);\n    else\n        free(t);\n", False),
    ("    if (known(n))\n        free(t);\n", False),
    ("    if (own && !c->keep)\n        free(t);\n", False),
    ("    if (k < 3)\n        return -1;\n    free(t);\n", True),
])  # fmt: skip
def test_a_release_that_something_else_decides_tells_whose_it_is(release: str, is_safe: bool) -> None:
    before = GUARDED.format(release=release).encode()
    after = mended("x.c", before)
    assert (after.count(b"free(t)") > before.count(b"free(t)")) is is_safe
    assert is_safe or after == before


def test_one_that_decides_by_a_flag_outweighs_two_that_do_not() -> None:
    """Where the procedure itself shows nothing, and somebody else asks a flag first."""
    plain, asking = _users(FREE, FREE), _users(FREE, FREE, "    if (b == 0)\n        free(t);\n")
    for others, is_safe in ((plain, True), (asking, False)):
        before = f"#include <stdlib.h>\n{HEAD}{others}{LEAKING}".encode()
        assert (b"free(name)" in mended("x.c", before)) is is_safe
