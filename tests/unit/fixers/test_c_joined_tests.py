"""A release that needs a test goes into the block of the statement before that makes the same test (C)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

HEAD = "#include <stdio.h>\n"


def _mended(body: str) -> str:
    before = f"{HEAD}int f(const char *path)\n{{\n    FILE *in = fopen(path, \"r\");\n    char text[9] = \"\";\n{body}    return text[0];\n}}\n"
    after = mended("x.c", before.encode()).decode()
    return after.partition('= "";\n')[2].removesuffix("    return text[0];\n}\n")


def test_a_block_gets_it_as_its_last_statement() -> None:
    body = "    if (in != NULL) {\n        fgets(text, 9, in);\n        puts(text);\n    }\n"
    assert _mended(body) == body.replace("    }\n", "        fclose(in);\n    }\n")


def test_a_single_statement_gets_a_block() -> None:
    assert _mended("    if (in)\n        fgets(text, 9, in);\n") == "    if (in) {\n        fgets(text, 9, in);\n        fclose(in);\n    }\n"


def test_what_has_another_branch_stays_as_it_is() -> None:
    body = "    if (in)\n        fgets(text, 9, in);\n    else\n        text[0] = 'x';\n    puts(text);\n"
    assert _mended(body) == f"{body}    if (in)\n        fclose(in);\n"


def test_another_test_stays_apart() -> None:
    body = "    if (in && path[0])\n        fgets(text, 9, in);\n"
    assert _mended(body) == f"{body}    if (in != NULL)\n        fclose(in);\n"


def test_a_block_with_such_a_name_of_its_own_stays_as_it_is() -> None:
    body = "    if (in != NULL) {\n        FILE *in = stdin;\n        fgets(text, 9, in);\n    }\n"
    assert _mended(body) == f"{body}    if (in != NULL)\n        fclose(in);\n"
