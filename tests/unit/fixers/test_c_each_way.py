"""Functions whose statements conditions of the preprocessor split: one patch, proved for every way to compile them, or none."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from analyzers.facts import ways_of_c
from fixers import Applicability, Declined
from tests.unit.fixers.patching import answers, mended

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int ask(const char *name, char **more);
int work(const char *name, int n, int v)
{
    char *copy = strdup(name);
    if (copy == NULL)
        return -1;
"""

MAIN = """int ask(const char *name, char **more) { return more == 0 && name[0] == 'x'; }
int main(int argc, char **argv)
{
    for (int n = 0; n < 9; n++)
        for (int v = 0; v < 3; v++)
            printf("%d\\n", work(argv[argc > 1], n, v));
    return 0;
}
"""

ELSE = """    if (n > 7)
        return -2;
#ifdef WIDE
    if (v)
        n++;
    else
#endif
    puts(name);
    free(copy);
    return n;
}
"""

HEADS = """    if (n > 3
#ifdef WIDE
        && v
#endif
        ) {
        if (v == 2)
            return -2;
        n++;
    }
#ifdef DEEP
    while (n > 5) {
#else
    if (n > 6) {
#endif
        n--;
    }
    free(copy);
    return n;
}
"""

ONE_SIDE = """    free(copy);
#ifdef WIDE
    if (v) {
        copy = strdup(name);
        if (n > 3)
            return 1;
        free(copy);
    } else
#endif
    n++;
    return n;
}
"""

NEVER = ELSE.replace("#ifdef WIDE", "#if 0")

RELEASED_ON_ONE = """    if (n > 7) {
#ifdef WIDE
        free(copy);
        if (v)
#else
        if (v == 0)
#endif
            n++;
        return -2;
    }
    free(copy);
    return n;
}
"""

KEPT_ON_ONE = """#ifdef WIDE
    if (ask(name, &copy))
        n++;
    else
#endif
    puts(name);
    if (n > 7)
        return -2;
    free(copy);
    return n;
}
"""

LEFT_ON_ONE = """    if (n > 3) {
#ifdef WIDE
        if (v)
#endif
        return 1;
    }
    free(copy);
    return n;
}
"""

MADE_ON_ONE = """    free(copy);
#if WIDE
    if (n > 3) {
        copy = strdup(name);
#else
    if (n > 2) {
        copy = NULL;
#endif
        n++;
    }
    if (v)
        return -2;
    free(n > 4 ? copy : NULL);
    return n;
}
"""

DEFINED_OR_TRUE = """#ifdef WIDE
    if (n > 3)
#else
    if (n > 4)
#endif
        free(copy);
    else {
#if WIDE
        if (v)
#endif
            free(copy);
    }
    if (n > 3)
        return -2;
    return n;
}
"""

ANOTHERS_ON_ONE = """    static const char *const words[] = {
#ifdef WIDE
        "a",
#else
        "b",
#endif
    };
    free(copy);
#ifndef WIDE
    copy = strdup(words[0]);
    if (v) {
#else
    copy = (char *)name;
    if (v > 1) {
#endif
        n++;
    }
    puts(words[0]);
    return n;
}
"""

TWO = """    char *more = strdup(name);
    if (more == NULL) {
        free(copy);
        return -1;
    }
#ifdef WIDE
    if (v)
        n++;
    else
#endif
    puts(name);
    if (v > 1)
        return 3;
    free(copy);
    free(more);
    return n;
}
"""

CONTENT_OF_ONE = """#ifdef WIDE
    if (copy[0] == 'x')
        n++;
    else
#endif
    if (n > 7)
        return 1;
    n++;
#ifdef WIDE
    puts(copy);
#endif
    if (n == 5)
        return 2;
    free(copy);
    return n;
}
"""


def _answer(body: str) -> Applicability | None:
    found = [each for each in answers("x.c", (HEAD + body).encode()) if each.finding.procedure == "work"]
    return None if not found or isinstance(found[0], Declined) else found[0].applicability


@pytest.mark.parametrize("body", [ELSE, HEADS, ONE_SIDE, NEVER, TWO, CONTENT_OF_ONE], ids=["else", "heads", "one side", "never", "two", "content"])
def test_a_patch_that_is_right_every_way(tmp_path: Path, body: str) -> None:
    assert _answer(body) is Applicability.SAFE
    path = tmp_path / "x.c"
    once = mended("x.c", (HEAD + body + MAIN).encode())
    path.write_bytes(mended("x.c", once))  # Two leaks of such a function are mended one after the other.
    program = tmp_path / "x"
    for count in range(3):
        for flags in itertools.combinations(("-DWIDE", "-DDEEP"), count):
            subprocess.run(["gcc", "-Wall", "-g", "-fsanitize=address", "-o", program, *flags, path], check=True)
            run = subprocess.run([program, "text"], capture_output=True, env={"ASAN_OPTIONS": "detect_leaks=1"}, check=False)
            assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize(
    "body", [RELEASED_ON_ONE, KEPT_ON_ONE, LEFT_ON_ONE, MADE_ON_ONE, ANOTHERS_ON_ONE, DEFINED_OR_TRUE],
    ids=["released", "kept", "left", "made", "another's", "defined"],
)
def test_no_safe_patch_where_one_way_is_another(body: str) -> None:
    assert _answer(body) is not Applicability.SAFE


def test_too_many_conditions_are_not_tried() -> None:
    split = "#ifdef {0}\n    if (v)\n        n++;\n    else\n#endif\n    puts(name);\n"
    body = "    if (n > 7)\n        return -2;\n" + "".join(split.format(each) for each in "ABCD") + "    free(copy);\n    return n;\n}\n"
    assert _answer(body) is None


def test_the_ways_are_told_apart_by_their_conditions() -> None:
    text = (
        b"int f(int a)\n{\n#ifdef X\n    if (a)\n#elif Y\n    if (a > 1)\n#else\n    if (a > 2)\n#endif\n        return 1;\n"
        b"#ifndef X\n    a++;\n#endif\n    return a;\n}\n"
    )
    found = ways_of_c(text, 0, len(text))
    assert found is not None
    shown = [" ".join(way.text.decode().split()) for way in found.all]
    assert shown[0] == "int f(int a) { if (a) return 1; return a; }"
    assert sorted(set(shown)) == sorted({
        shown[0],
        "int f(int a) { if (a > 1) return 1; a++; return a; }",
        "int f(int a) { if (a > 2) return 1; a++; return a; }",
    })
    assert all(len(way.text) == len(text) and way.text.count(b"\n") == text.count(b"\n") for way in found.all)


def test_a_macro_that_is_defined_may_be_false() -> None:
    text = b"int f(int a)\n{\n#ifdef X\n    if (a)\n#endif\n    a++;\n#if X\n    if (a > 1)\n#endif\n    a--;\n    return a;\n}\n"
    found = ways_of_c(text, 0, len(text))
    assert found is not None
    assert "int f(int a) { if (a) a++; a--; return a; }" in [" ".join(way.text.decode().split()) for way in found.all]


def test_a_function_that_no_condition_splits_has_no_ways() -> None:
    text = b"int f(int a)\n{\n#ifdef X\n    a++;\n#endif\n    return a;\n}\n"
    assert ways_of_c(text, 0, len(text)) is None


def test_no_ways_where_a_directive_has_no_partner() -> None:
    text = b"int f(int a)\n{\n    if (a)\n#else\n    if (a > 1)\n#endif\n        return 1;\n    return a;\n}\n"
    assert ways_of_c(text, 0, len(text)) is None
