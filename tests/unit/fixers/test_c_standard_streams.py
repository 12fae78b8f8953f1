"""A stream that was opened is none of the standard ones: what the function itself asks before it closes one is asked by a patch, too."""

from __future__ import annotations

import pytest

from fixers.fix import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

USE = """#include <stdio.h>
int tell(const char *name)
{
    %s
    if (file == NULL)
        return 1;
    if (fputs("text", file) < 0)
        return 2;
    %s
    return 0;
}
"""
PERHAPS = "FILE *file = name ? fopen(name, \"w\") : stdout;"


@pytest.mark.parametrize("opening", [PERHAPS, "FILE *file = stdout;\n    if (name)\n        file = fopen(name, \"w\");"])
@pytest.mark.parametrize("test", ["file != stdout", "file != stdout && file != stderr"])
def test_the_function_asks_whether_it_is_a_standard_stream(opening: str, test: str) -> None:
    text = mended("a.c", (USE % (opening, f"if ({test})\n        fclose(file);")).encode()).decode()
    assert f"    if (fputs(\"text\", file) < 0) {{\n        if ({test})\n            fclose(file);\n        return 2;\n    }}\n" in text


@pytest.mark.parametrize("ending", ["fclose(file);", "if (file != stderr)\n        fclose(file);"])
def test_what_may_be_another_standard_stream_is_not_closed_as_safe(ending: str) -> None:
    found = answers("a.c", (USE % (PERHAPS, ending)).encode())
    assert found
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


def test_a_stream_that_was_made_standard_is_left_alone() -> None:
    text = USE % ("FILE *file = fopen(name, \"w\");\n    if (file && name[0] == 'x')\n        stdout = file;", "if (file != stdout)\n        fclose(file);")
    found = mended("a.c", text.encode()).decode()
    assert "    if (fputs(\"text\", file) < 0) {\n        if (file != stdout)\n            fclose(file);\n" in found or found == text
