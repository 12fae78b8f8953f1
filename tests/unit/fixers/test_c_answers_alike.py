"""Where a callee answers alike whether it could acquire something for its caller or not, no release of that runs untested (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

USER = (
    "int f(int n, const char *path) { FILE *f; if (opened(&f, n, path) < 0) return -1; if (n == 15) return 15; fclose(f); return 0; }"
)


@pytest.mark.parametrize(
    "answer",
    ["return *out && n != 14 ? 0 : -1;", "return *out ? n == 14 ? -1 : 0 : -1;", "return *out == NULL || n == 14 ? -1 : 0;"],
)
def test_one_answer_for_both(answer: str) -> None:
    opened = f"static int opened(FILE **out, int n, const char *path) {{ *out = fopen(path, \"r\"); {answer} }}"
    assert "safe" not in verdict(f"#include <stdio.h>\n{opened} {USER}").split("; ")


def test_an_answer_for_each() -> None:
    opened = "static int opened(FILE **out, int n, const char *path) { *out = fopen(path, n ? \"r\" : \"w\"); return *out ? 0 : -1; }"
    assert verdict(f"#include <stdio.h>\n{opened} {USER}") == "safe"
