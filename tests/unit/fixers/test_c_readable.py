"""Functions that the grammar alone cannot read, patched where that is right for every way to compile them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.fixers.patching import mended

CHAIN = """#include <stdlib.h>
#include <string.h>
int f(const char *option, int n)
{
    char *copy = malloc(8);
    int found = 0;
    if (copy == NULL)
        return -1;
    if (strcmp(option, "a") == 0) {
        found = 1;
%s
    } else if (n > 3) {
        return -1;
    } else {
        found = 3;
    }
    free(copy);
    return found;
}
"""

LABEL = """#include <stdlib.h>
int f(int n)
{
    char *copy = malloc(8);
    if (copy == NULL)
        return -1;
    if (n > 3)
        goto out;
    free(copy);
out:
#ifdef WIDE
    n++;
#endif
    return n;
}
"""


def _is_mended(text: str) -> bool:
    return mended("x.c", text.encode()) != text.encode()


def test_a_label_before_a_directive() -> None:
    assert mended("x.c", LABEL.encode()).decode().count("free(copy);") == 2


@pytest.mark.parametrize(("added", "is_safe"), [
    ('#ifdef WIDE\n    } else if (strcmp(option, "b") == 0) {\n        found = 2;\n#endif', True),
    ('#ifdef WIDE\n    } else if (strcmp(option, "b") == 0) {\n        return -1;\n#endif', True),
    ('#ifdef WIDE\n    } else if (n == 2) {\n        found = 2;\n    } else if (n == 3) {\n        if (found) { n = 4; }\n#endif', True),
    ('#ifdef WIDE\n    } else if (n == 2) {\n        found = 2;\n    }\n    {\n#endif', False),
    ('#ifdef WIDE\n    } else if (ask(option, &copy)) {\n        found = 2;\n#endif', False),
    ('#ifdef WIDE\n    } else if (n++ > 2) {\n        found = 2;\n#endif', True),
    ('#ifdef WIDE\n    } else if (n == 2) {\n#else\n    } else if (n == 1) {\n#endif\n        found = 2;', True),
    ('#ifndef WIDE\n    } else if (n == 2) {\n        found = 2;\n#endif', True),
])  # fmt: skip
def test_one_more_way_that_may_be_left_out(added: str, is_safe: bool) -> None:
    assert _is_mended(CHAIN % added) is is_safe


FIRST = """#include <stdlib.h>
int f(int n, int m)
{
    char *copy = malloc(8);
    if (copy == NULL)
        return -1;
#ifdef WIDE
    if (%s) {
        m = 4;
    } else
#endif
    if (n > 3)
        return -1;
    free(copy);
    return m;
}
"""


@pytest.mark.parametrize(("asked", "is_safe"), [("m == 2", True), ("take(copy)", False)])
def test_one_way_before_that_may_be_left_out(asked: str, is_safe: bool) -> None:
    assert _is_mended(FIRST % asked) is is_safe


@pytest.mark.parametrize("flags", [[], ["-DWIDE"]])
@pytest.mark.parametrize("added", [
    '#ifdef WIDE\n    } else if (strcmp(option, "b") == 0) {\n        return -1;\n#endif',
    '#ifdef WIDE\n    } else if (n == 2) {\n#else\n    } else if (n == 1) {\n#endif\n        found = 2;',
    '#ifndef WIDE\n    } else if (n == 2) {\n        found = 2;\n#endif',
])  # fmt: skip
def test_the_patched_text_compiles_either_way(tmp_path: Path, flags: list[str], added: str) -> None:
    path = tmp_path / "x.c"
    path.write_bytes(mended("x.c", (CHAIN % added).encode()))
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-c", "-o", str(tmp_path / "x.o"), *flags, str(path)], check=True)


LOOK = """#include <stdlib.h>
#include <stdio.h>
int use(const char *p, int n);

int other(int n)
{{
    while (n > 0)
{brace}
        n -= use("", n);
        n--;
    }}
    return n;
}}

void f(int n)
{{
    char *p;

    p = calloc(1, 9);
    if{gap}(use("a", n))
        goto done;
    if{gap}(use("b", n))
        return;
done:
    if{gap}(p)
        puts(p);
}}
"""


@pytest.mark.parametrize("gap", ["", " "])
def test_a_patch_looks_like_its_surroundings(gap: str) -> None:
    after = mended("x.c", LOOK.format(gap=gap, brace="    {").encode()).decode()
    assert f'    if{gap}(use("b", n))\n    {{\n        free(p);\n        return;\n    }}\n' in after
    assert f'done:\n    if{gap}(p)\n        puts(p);\n    free(p);\n}}\n' in after


SPOKEN = """#include <stdlib.h>
#include <stdio.h>
int f(const char *name, int n)
{
    char *copy = malloc(8);
    int found;

    if (copy == NULL)
        return -1;
    found = copy == name;

    /*
     * Now to the other one.
     */

    if (n > found)
        return 3;
    if (n < 0)
        return 4;
    puts(name);
    return n;
}
"""


def test_a_comment_stays_with_what_it_speaks_of() -> None:
    after = mended("x.c", SPOKEN.encode()).decode()
    assert "found = copy == name;\n    free(copy);\n\n    /*" in after
    assert "*/\n\n    if (n > found)\n        return 3;" in after


def test_a_brace_stands_under_what_it_belongs_to() -> None:
    text = "#include <stdlib.h>\nint f(int n)\n{\n    char *p = malloc(8);\n\n    if (n == 3)\n       return 1;\n    free(p);\n    return 0;\n}\n"
    assert "    if (n == 3) {\n       free(p);\n       return 1;\n    }\n" in mended("x.c", text.encode()).decode()


def test_the_number_that_is_closed_does_not_keep_the_answer() -> None:
    source = (
        "#include <errno.h>\n#include <fcntl.h>\n#include <unistd.h>\nint f(const char *n)\n{\n    char head[4];\n    int fd = open(n, O_RDONLY);\n"
        "    if (fd < 0)\n        return -1;\n    if (read(fd, head, 4) < 0) {\n        return -errno;\n    }\n    return fd;\n}\n"
    )
    kept = "        int result = -errno;\n        close(fd);\n        return result;\n"
    assert mended("x.c", source.encode()).decode() == source.replace("        return -errno;\n", kept)


def test_a_text_that_is_given_back_elsewhere_does_not_keep_another_one() -> None:
    source = (
        "#include <stdlib.h>\n#include <string.h>\nchar *f(const char *s)\n{\n    char *text = strdup(s);\n    if (text == NULL)\n        return NULL;\n"
        "    if (text[0] == '+') {\n        return strdup(text + 1);\n    }\n    return text;\n}\n"
    )
    kept = "        char *result = strdup(text + 1);\n        free(text);\n        return result;\n"
    assert mended("x.c", source.encode()).decode() == source.replace("        return strdup(text + 1);\n", kept)


def test_what_a_member_is_given_in_a_test_needs_no_other_name() -> None:
    source = (
        "#include <stdlib.h>\n#include <string.h>\nstruct rule { char *from; char *to; };\nstruct rule *f(const char *a, const char *b)\n{\n"
        "    struct rule *r = calloc(1, sizeof(*r));\n    if (r == NULL)\n        return NULL;\n    if ((r->from = strdup(a)) == NULL)\n        goto fail;\n"
        "    if ((r->to = strdup(b)) == NULL)\n        goto fail;\n    return r;\nfail:\n    free(r);\n    return NULL;\n}\n"
    )
    assert mended("x.c", source.encode()).decode() == source.replace("    free(r);\n", "    free(r->from);\n    free(r);\n")


def test_of_two_names_that_are_released_the_first_is_taken() -> None:
    source = (
        "#include <stdlib.h>\n#include <string.h>\nint ask(int n);\nint f(int n)\n{\n    char *text = strdup(\"a\"), *same;\n    if (text == NULL)\n"
        "        return -1;\n    same = text;\n    if (ask(1)) {\n        free(same);\n        return 0;\n    }\n    if (ask(n))\n        return 1;\n"
        "    free(text);\n    return 0;\n}\n"
    )
    mend = "    if (ask(n)) {\n        free(text);\n        return 1;\n    }\n"
    assert mended("x.c", source.encode()).decode() == source.replace("    if (ask(n))\n        return 1;\n", mend)
