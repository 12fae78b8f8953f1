"""The header that declares a release goes where all ways to compile the file have it (C)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

BODY = 'int f(int n)\n{\n    char *text = strdup("x");\n    return n;\n}\n'


def _head(head: str, behind: str = "") -> str:
    after = mended("x.c", f"{head}{BODY}{behind}".encode()).decode()
    assert "    free(text);\n" in after
    return after.partition("int f")[0]


@pytest.mark.parametrize(("head", "expected"), [
    ("#include <string.h>\n", "#include <string.h>\n#include <stdlib.h>\n"),
    ("#include <stdio.h>\n#include <string.h>\n", "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"),
    ("#include <string.h>\n#include <stdio.h>\n", "#include <string.h>\n#include <stdio.h>\n#include <stdlib.h>\n"),
    (
        "#include <stdio.h>\n#include <string.h>\n#ifdef FAST\n#include <time.h>\n#endif\n",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#ifdef FAST\n#include <time.h>\n#endif\n",
    ),
])  # fmt: skip
def test_it_goes_among_the_headers(head: str, expected: str) -> None:
    assert _head(head) == expected


def test_it_goes_above_the_function() -> None:
    assert _head("#include <string.h>\n", '#include "end.inc"\n') == "#include <string.h>\n#include <stdlib.h>\n"


@pytest.mark.parametrize("head", [
    "#ifdef FAST\n#include <string.h>\n#endif\n",
    "#include <string.h>\nvoid *malloc(unsigned long size);\n",
    "#include <string.h>\ntypedef unsigned size_t;\n",
    "/*\n#include <stdio.h>\n*/\nchar *strdup(const char *text);\n",
])  # fmt: skip
def test_where_it_may_be_away_or_say_something_else_the_patch_is_not_safe(head: str) -> None:
    (fix,) = answers("x.c", f"{head}{BODY}".encode())
    assert isinstance(fix, Fix)
    assert fix.applicability is not Applicability.SAFE


def test_in_a_comment_no_header_is_included() -> None:
    head = '#include <string.h>\n/*\n#include <stdlib.h>\n*/\n'
    assert _head(head) == '#include <string.h>\n#include <stdlib.h>\n/*\n#include <stdlib.h>\n*/\n'
