"""What the screen rules out acquires nothing, and it rules out what it can."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzers import load
from analyzers.detectors.tracker import Tracker
from analyzers.domains.obligation import Limits
from analyzers.handles.runs import Handles
from analyzers.incremental.program import Program
from analyzers.screen import Screen
from analyzers.specs import load as load_specs
from analyzers.tree import MemoryTree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "java"

OPENS = b"""
import java.io.*;
class Opens {
    static InputStream open(String name) throws IOException { return new FileInputStream(name); }
    static int first(String name) throws IOException { return open(name).read(); }
    static int length(String name) { return name.length(); }
    static int both(String name) { return length(name) + length(name); }
    static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    static void handed(InputStream in) throws IOException { use(in); }
    static void use(InputStream in) throws IOException { in.close(); }
    static void read(String name) throws IOException { InputStream in = new FileInputStream(name); in.read(); }
    static void calls(String name) throws IOException { read(name); }
}
"""


def program_of(files: dict[str, bytes]) -> Program:
    return load(MemoryTree(files), load_specs(("java",)))


def test_only_what_may_acquire_passes() -> None:
    program = program_of({"Opens.java": OPENS})
    screen = Screen(program)
    passed = {key.name.partition("(")[0].rpartition(".")[2] for key in program.procedures() if screen.may_acquire(key)}
    assert {"open", "first", "read"} <= passed
    assert passed.isdisjoint({"length", "both", "handed", "calls", "<init>"})


@pytest.mark.parametrize("path", sorted(FIXTURES.rglob("*.java")), ids=lambda path: str(path.relative_to(FIXTURES)))
def test_what_acquires_passes(path: Path) -> None:
    program = program_of({path.name: path.read_bytes()})
    screen = Screen(program)
    for key in program.procedures():
        linked = program.linked(key)
        if linked is not None and not screen.may_acquire(key):
            assert not Handles(linked, program, Limits(), is_summary=False).is_acquiring
            assert not program.findings(Tracker(), key)
