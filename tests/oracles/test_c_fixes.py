"""C fixes against the sanitizers: each fixture leaks before, and neither leaks nor does anything else after.

Both texts are compiled without a warning, as C17 and as C89 where they say so.
"""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

from tests.conftest import require_tool
from tests.unit.fixers.patching import FIXTURES, directive

CASES = sorted(path for path in FIXTURES.glob("c/fixes/*.c") if ".fixed" not in path.name)
FLAGS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-Wall", "-Wextra", "-Werror"]
WAIVED = ["-Wno-unused-result", "-Wno-unused-parameter"]


def build(source: pathlib.Path, folder: pathlib.Path, standard: str) -> pathlib.Path:
    """The program of a source; fails on a warning."""
    program = folder / source.stem
    command = [require_tool("gcc"), f"-std={standard}", "-D_GNU_SOURCE", *FLAGS, *WAIVED, str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def complaints(program: pathlib.Path, words: list[str]) -> list[str]:
    """What the sanitizers say, per run."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}
    found = []
    for word in words or [""]:
        done = subprocess.run([str(program), word], capture_output=True, text=True, env=environment, timeout=60)
        if done.returncode == 99 or "Sanitizer" in done.stderr:
            found.append(f"{word}: {done.stderr}")
    return found


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_leaks_before_and_not_after(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = path.read_bytes()
    standards = directive(data, "std")
    words = directive(data, "run")
    for standard in ("gnu89" if standards == ["c89"] else "gnu17", "gnu17"):
        before = build(path, tmp_path, standard)
        leaking = complaints(before, words)
        assert leaking and all("LeakSanitizer" in each for each in leaking)
        after = build(path.with_suffix(".fixed.c"), tmp_path, standard)
        assert not complaints(after, words)
