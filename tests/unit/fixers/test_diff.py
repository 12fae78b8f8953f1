"""Diffs of long files show what was changed, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fixers.diff import unified_diff

LONG = "".join(f"int f{n}(void)\n{{\n    return {n};\n}}\n" for n in range(100))
"""More lines than `difflib` looks for a brace among."""


def test_a_line_before_a_common_one_is_one_line() -> None:
    before = LONG + "int last(void)\n{\n}\n"
    after = LONG + "int last(void)\n{\n    end();\n}\n"
    assert unified_diff("x.c", before.encode(), after.encode()).splitlines()[3:] == [" }", " int last(void)", " {", "+    end();", " }"]


def test_nothing_differs() -> None:
    assert unified_diff("x.c", LONG.encode(), LONG.encode()) == ""


@pytest.mark.parametrize(("before", "after"), [
    (LONG, LONG.replace("{\n    return 50;\n}\n", "{\n    begin();\n    return 50;\n}\n}\n")),
    (LONG, LONG.replace("}\n", "}\n\n", 3)),
    (LONG.rstrip("\n"), LONG + "}\n"),
    ("", LONG),
    (LONG, LONG.replace("    return 7;\n}\n", "").rstrip("\n")),
])  # fmt: skip
def test_git_applies_it(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "x.c").write_text(before, encoding="utf-8")
    change = unified_diff("x.c", before.encode(), after.encode())
    subprocess.run(["git", "apply", "-"], input=change.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "x.c").read_text(encoding="utf-8") == after
