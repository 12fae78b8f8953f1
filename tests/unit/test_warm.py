"""The benchmark of reviews beside an analysed branch: it analyses, reviews, and compares with a run without a cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOAD = """#include <stdio.h>
int load(const char *path) {
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    int c = fgetc(f);
    fclose(f);
    return c;
}
"""
LEAK = LOAD.replace("    fclose(f);\n", "    if (c < 0)\n        return -1;\n    fclose(f);\n")


def commit(folder: Path, text: str) -> None:
    (folder / "load.c").write_text(text)
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run([*git, "add", "load.c"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)


def test_a_review_beside_the_analysed_branch_is_told(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for text in (LOAD, LEAK):
        commit(tmp_path, text)
    command = [sys.executable, "-m", "benchmarks.warm", str(tmp_path), "--last", "1", "--jobs", "1", "--cold"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    first, *medians = done.stdout.splitlines()
    assert "1 files" in first and "1 findings" in first and first.endswith("as without a cache")
    assert [line.partition(":")[0] for line in medians] == ["1 reviews of up to 1 files", "1 reviews of up to 8 files"]
