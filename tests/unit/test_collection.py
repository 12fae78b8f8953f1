"""What an analysis leaves behind goes when nobody holds it any more: hardly anything has to be collected."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from analyzers import MemoryTree, analyze, load
from analyzers.collection import young_only
from analyzers.queries import ProcedureKey

JAVA = b"""
import java.io.*;
class Copier {
    class Part { }
    void copy(String from, String to) throws IOException {
        InputStream in = new FileInputStream(from);
        try (OutputStream out = new FileOutputStream(to)) {
            Runnable done = () -> { System.out.println(to); };
            in.transferTo(out);
        } finally { System.out.println(from); }
    }
}
"""
C = b"""
#include <stdlib.h>
struct pair { char *left; char *right; };
struct pair *make(void) { struct pair *p = malloc(sizeof *p); p->left = malloc(3); p->right = p->left; return p; }
void drop(struct pair *p) { struct pair *q = p; free(q->left); free(q); }
int use(int n) { struct pair *p = make(); if (n) return 1; drop(p); return 0; }
"""


@pytest.fixture
def left_behind() -> Iterator[list[object]]:
    """What only the collector finds, of all that comes to be in a test."""
    gc.collect()
    gc.disable()
    before = gc.get_debug()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(before)
        gc.garbage.clear()
        gc.enable()


def test_an_analysis_leaves_no_cycles(left_behind: list[object]) -> None:
    program = load(MemoryTree({"a/Copier.java": JAVA, "b.c": C}))
    assert analyze(program).findings
    gc.collect()
    kinds = Counter(type(each).__module__ for each in left_behind if type(each).__module__.startswith("analyzers."))
    assert not kinds


def test_inside_of_another_nothing_is_kept_for_good() -> None:
    with young_only():
        frozen = gc.get_freeze_count()
        with young_only():
            assert gc.get_freeze_count() == frozen
        assert not gc.isenabled()
    assert gc.isenabled() and gc.get_freeze_count() == 0


def test_a_program_beside_takes_over_answers_that_the_change_does_not_touch() -> None:
    files = {"a/Copier.java": JAVA, "b/Other.java": b"package b; class Other { java.io.InputStream in; }"}
    program = load(MemoryTree(files))
    assert program.field_type("b.Other", "in") == "java.io.InputStream"
    beside = program.beside_with({"a/Copier.java": JAVA.replace(b"copy", b"move")})
    known = dict(beside._answers)
    assert beside.field_type("b.Other", "in") == "java.io.InputStream" and not known
    assert beside._answers["field_type", "b.Other", "in"] is program._answers["field_type", "b.Other", "in"]
    changed = program.beside_with({"b/Other.java": b"package b; class Other { String in; }"})
    assert changed.field_type("b.Other", "in") == "java.lang.String"
    assert changed.linked(ProcedureKey("a/Copier.java", "nobody")) is None


def test_what_others_ask_once_is_computed_once() -> None:
    program = load(MemoryTree({"b.c": C}))
    asked: list[str] = []
    for name in ("make", "drop", "make"):
        program.once(("asked", name), lambda name=name: asked.append(name))
    assert asked == ["make", "drop"]


def test_callers_are_looked_for_where_the_name_occurs() -> None:
    program = load(MemoryTree({"b.c": C, "c.c": b"struct pair *make(void); int other(void) { return make() != 0; } int no(void) { return 0; }"}))
    assert [each.name for each in program.callers("make")] == ["use", "other"]


def test_to_the_end_of_a_process_nothing_is_collected_by_itself() -> None:
    code = "import gc; from analyzers.collection import young_only, young_to_the_end\nyoung_to_the_end()\nwith young_only(): pass\nprint(gc.isenabled())"
    assert subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True).stdout == "False\n"
