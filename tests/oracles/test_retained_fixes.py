"""Fixes of what is kept for nobody, against javac and a small heap: it compiles, is silent, and memory stays flat."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from analyzers import MemoryTree, Program, analyze, load, specs
from analyzers.rules import RETAINED_BY_LOOP
from fixers import Applicability, Fix, fix
from fixers.edits import apply
from tests.conftest import require_tool

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "java"
HEAPS = sorted((FIXTURES / "heap").glob("*.java"))
KEPT = sorted(path for path in (FIXTURES / "leakchecker").glob("*.java") if not path.read_text().startswith("// not compiled"))
FLAT = 3_500_000
"""Bytes that are in use after 10,000 turns that keep nothing; those that keep 1,000 bytes each have 10 million more."""


def program(name: str, data: bytes) -> Program:
    return load(MemoryTree({name: data}), specs.load(("java",)))


def fixes(name: str, data: bytes) -> list[Fix]:
    """All fixes for the findings in a file, safe or not."""
    subject = program(name, data)
    found = [fix(each, subject) for each in analyze(subject).findings if each.rule == RETAINED_BY_LOOP.id]
    return [each for each in found if isinstance(each, Fix)]


def compiled(name: str, data: bytes, folder: pathlib.Path) -> None:
    folder.mkdir(exist_ok=True)
    source = folder / name
    source.write_bytes(data)
    command = [require_tool("javac"), "-nowarn", "-Xlint:-removal", "-d", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def used(name: str, folder: pathlib.Path) -> tuple[int, str]:
    """The bytes in use at the end of a run with a small heap, and what the program answers."""
    command = [require_tool("java"), "-Xmx48m", "-cp", str(folder), f"heap.{name}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    size, answer = done.stdout.split()
    return int(size), answer


@pytest.mark.parametrize("path", HEAPS, ids=lambda path: path.stem)
def test_the_heap_grows_before_and_is_flat_after(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = path.read_bytes()
    [mended] = fixes(path.name, data)
    after = apply(data, mended.edits)
    assert not analyze(program(path.name, after)).findings
    compiled(path.name, data, tmp_path / "before")
    compiled(path.name, after, tmp_path / "after")
    grown, answer = used(path.stem, tmp_path / "before")
    flat, same = used(path.stem, tmp_path / "after")
    assert answer == same
    assert flat < FLAT < grown - 4_000_000


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_every_fix_compiles_and_mends(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = path.read_bytes()
    before = len(analyze(program(path.name, data)).findings)
    found = fixes(path.name, data)
    for number, each in enumerate(found):
        after = apply(data, each.edits)
        assert len(analyze(program(path.name, after)).findings) == before - 1
        compiled(path.name, after, tmp_path / str(number))


def test_only_taking_out_what_nobody_reads_is_safe() -> None:
    titles = {
        each.title.split("`")[0]
        for path in (*HEAPS, *KEPT) for each in fixes(path.name, path.read_bytes())
        if each.applicability is Applicability.SAFE
    }
    assert titles == {"Remove "}
