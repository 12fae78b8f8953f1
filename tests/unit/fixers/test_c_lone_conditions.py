"""A condition that nobody can judge leaves no doubt of a leak where it is asked once, after the acquisition, and about something else."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.fix import Applicability
from tests.unit.fixers.patching import answers

HEAD = (
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstruct modes { int again; int debug; };\nextern struct modes modes;\n"
    "int shown(void);\nstatic int count;\n"
)

LOOP = (
    "void f(FILE *in)\n{{\n    char line[80];\n    while (fgets(line, sizeof line, in)) {{\n        char *words = strdup(line);\n"
    "        if (words == NULL)\n            continue;\n        {}\n        free(words);\n    }}\n}}\n"
)


def safety(text: str) -> list[bool]:
    """Per answer to a leak whether it is a safe fix."""
    found = answers("x.c", f"{HEAD}{text}".encode())
    return [isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found]


@pytest.mark.parametrize(
    "asked",
    [
        "if (modes.debug) {\n            count = 1;\n            return;\n        } else\n            puts(words);",
        'if (shown()) {\n            puts("that was all");\n            return;\n        }\n        puts(words);',
    ],
    ids=["a global", "a function"],
)
def test_what_decides_about_something_else_leaves_no_doubt(asked: str) -> None:
    assert safety(LOOP.format(asked)) == [True]


@pytest.mark.parametrize(
    "asked",
    [
        "if (modes.debug)\n            return;",
        "if (modes.debug) {\n            count = 1;\n            return;\n        }",
        "if (modes.debug)\n            return;\n        puts(words);",
        "if (modes.debug)\n            puts(line);\n        if (modes.debug) {\n            count = 1;\n            return;\n        }\n        puts(words);",
        'if (shown()) {\n            puts("that was all");\n            break;\n        }\n        puts(words);\n        if (shown())\n            puts("more");',
    ],
    ids=["only whether", "nothing else there", "nothing else here", "asked twice", "a function asked twice"],
)
def test_what_may_go_together_with_it_does(asked: str) -> None:
    assert safety(LOOP.format(asked)) == [False]


def test_what_was_asked_before_the_acquisition_may_have_decided_about_it() -> None:
    text = (
        "void f(FILE *in)\n{\n    char line[80];\n    while (fgets(line, sizeof line, in)) {\n        char *words = NULL;\n"
        "        if (modes.debug)\n            words = strdup(line);\n        count++;\n        if (modes.debug) {\n            puts(line);\n"
        "            free(words);\n        } else {\n            count--;\n            return;\n        }\n    }\n}\n"
    )
    assert True not in safety(text)


def test_sides_that_meet_again_leave_it_open() -> None:
    text = (
        "int f(const char *line)\n{\n    char *words = strdup(line);\n    if (words == NULL)\n        return 0;\n    if (modes.debug)\n"
        "        count = 1;\n    else {\n        puts(words);\n        free(words);\n    }\n    return count;\n}\n"
    )
    assert safety(text) == [False]


@pytest.mark.parametrize("made", ["if (modes.debug)\n        return NULL;\n    return strdup(from);", "return shown() ? NULL : strdup(from);"], ids=["a global", "a function"])
def test_what_the_maker_asks_itself_decides_about_it(made: str) -> None:
    asked = "modes.debug" if "modes" in made else "shown()"
    text = (
        f"static char *copied(const char *from)\n{{\n    {made}\n}}\n\nvoid f(const char *line)\n{{\n    char *words = copied(line);\n"
        f"    if ({asked}) {{\n        count = 1;\n        return;\n    }}\n    puts(line);\n    free(words);\n}}\n"
    )
    assert True not in safety(text)
