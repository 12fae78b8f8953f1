"""Java fixes against javac and a harness: what compiled still compiles, and every step may fail.

Fixtures of files only are run with `java.io`'s streams replaced by ones that count: each that was opened is closed
exactly once, none is used afterwards, and the exception that comes out is the one that went in.
"""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from tests.conftest import require_tool
from tests.unit.fixers.patching import FIXTURES, directive

HARNESS = pathlib.Path(__file__).parent / "harness"
CASES = sorted(path for path in FIXTURES.glob("java/fixes/*.java") if ".fixed" not in path.name)
RUN = ("Declared", "Assigned", "HandedOn", "OldLevel", "Owners")


def release_of(path: pathlib.Path) -> int:
    """The language level of a fixture; javac knows none below 8."""
    words = directive(path.read_bytes(), "release")
    return max(8, int(words[0])) if words else 17


def copy(path: pathlib.Path, folder: pathlib.Path, *, counted: bool) -> pathlib.Path:
    """The fixture or its fixed form under the name that its class wants."""
    text = path.read_text(encoding="utf-8")
    if counted:
        for name in ("FileInputStream", "FileOutputStream"):
            text = text.replace(f"import java.io.{name};", f"import harness.{name};")
    target = folder / f"{path.name.partition('.')[0]}.java"
    target.write_text(text, encoding="utf-8")
    return target


def compile_java(sources: list[pathlib.Path], folder: pathlib.Path, release: int) -> None:
    """Compile, or fail with what javac says."""
    command = [require_tool("javac"), "--release", str(release), "-nowarn", "-d", str(folder), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(folder: pathlib.Path, tmp_path: pathlib.Path, names: tuple[str, ...], *, fixed: bool) -> list[str]:
    """What the harness complains about."""
    sources = []
    for name in names:
        path = FIXTURES / "java/fixes" / (f"{name}.fixed.java" if fixed else f"{name}.java")
        sources.append(copy(path, tmp_path, counted=True))
    compile_java([*sources, *sorted(HARNESS.glob("*.java"))], folder, 17)
    classes = [f"fixes.{name}" for name in names]
    done = subprocess.run([require_tool("java"), "-cp", str(folder), "harness.Run", *classes], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_compiles_before_and_after(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for source in (path, path.with_suffix(".fixed.java")):
        compile_java([copy(source, tmp_path, counted=False)], tmp_path, release_of(path))


def test_every_step_may_fail(tmp_path: pathlib.Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    leaking = run(before, tmp_path, RUN, fixed=False)
    assert any("closed 0 times" in line for line in leaking)
    assert run(after, tmp_path, RUN, fixed=True) == []
