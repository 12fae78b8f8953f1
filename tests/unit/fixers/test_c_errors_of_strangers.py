"""Errors that unknown callees leave are freed safely where the result says that they are there, and the procedure looks into them (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

LOOKED_INTO = "    if (!disk_format(disk, &error)) {\n        g_printerr(\"%s\\n\", error->message);\n        return -1;\n    }\n    return 0;\n"


def freed(body: str) -> int:
    """How many releases the safe fixes of a function put into it."""
    text = f"int f(struct disk *disk)\n{{\n    GError *error = NULL;\n{body}}}\n"
    return mended("x.c", text.encode()).count(b"g_error_free(error);")


def test_an_error_that_is_looked_into_is_freed() -> None:
    assert freed(LOOKED_INTO) == 1


@pytest.mark.parametrize(
    "body",
    [
        "    if (!disk_format(disk, &error))\n        return -1;\n    return 0;\n",
        "    return disk_format(disk, &error);\n",
        LOOKED_INTO.replace("error->message", 'error ? error->message : ""'),
        "    disk_format(disk, &error);\n    if (error)\n        puts(error->message);\n    puts(\"done\");\n    return 0;\n",
    ],
    ids=["answers 0 perhaps", "never asked", "perhaps none", "asked by itself"],
)
def test_an_error_that_may_not_be_there_is_not(body: str) -> None:
    assert freed(body) == 0
