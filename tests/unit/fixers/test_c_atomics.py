"""What an atomic operation stores lies there afterwards: other threads may have it (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = "#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\nstatic char *shared;\nstatic _Atomic(char *) other;\n"


@pytest.mark.parametrize(
    "put",
    [
        "free(atomic_exchange(&other, p));",
        "free(__atomic_exchange_n(&shared, p, __ATOMIC_SEQ_CST));",
        "__atomic_store(&shared, &p, __ATOMIC_SEQ_CST);",
        "while (!__sync_bool_compare_and_swap(&shared, shared, p)) ;",
        "if (!__atomic_compare_exchange_n(&shared, &old, p, 0, 0, 0)) { free(p); return 2; }",
    ],
)
def test_what_is_stored_stays(put: str) -> None:
    text = f"{HEAD}int f(int n)\n{{\n    char *p = strdup(\"a\"), *old = NULL;\n    if (!p)\n        return -1;\n    {put}\n    if (n)\n        return -2;\n    return 0;\n}}\n"
    assert mended("x.c", text.encode()) == text.encode()


def test_what_was_not_stored_is_lost() -> None:
    text = (
        f"{HEAD}int f(int n)\n{{\n    char *p = strdup(\"a\");\n    if (!p)\n        return -1;\n"
        "    if (!__sync_bool_compare_and_swap(&shared, NULL, p))\n        return -2;\n    return 0;\n}\n"
    )
    assert b"    {\n        free(p);\n        return -2;\n" in mended("x.c", text.encode()).replace(b"p)) {", b"p))\n    {")
