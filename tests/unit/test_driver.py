"""Who does the work, and how much time there is, changes nothing that is said of what was done."""

from __future__ import annotations

import pytest

from analyzers import Means, MemoryTree, Options, Program, analyze
from analyzers.finding import NoteKind
from analyzers.summaries import MemoryStore
from bot.processes import Processes
from tests.reach import ReachDetector, ReachEngine

FILES = {
    f"dir{number % 3}/file{number}.c": "".join(
        f"int f{number}_{each}(int n) {{ return f{(number * 7 + each) % 90}_{(each + 1) % 8}(n) + {each}; }}\n"
        for each in range(8)
    ).encode()
    + (b"int g(int n) { return leak(n); }\n" if number == 5 else b"")
    for number in range(90)
}
FILES["dir0/file1.c"] = FILES["dir1/file1.c"].replace(b"f1_0(int n) {", b"f1_0(int n) { g(n);")


def said(jobs: int, store: MemoryStore | None = None) -> tuple[object, ...]:
    program = Program(MemoryTree(FILES), store=store, engine=ReachEngine(), options=Options())
    means = Means(workers=Processes(jobs) if jobs else None)
    analysis = analyze(program, detectors=(ReachDetector(),), means=means)
    program.save()
    return analysis.findings, analysis.notes, analysis.complete


def test_processes_make_no_difference() -> None:
    alone = said(0)
    assert alone[0]
    assert said(2) == said(4) == alone


def test_what_processes_computed_is_kept() -> None:
    store = MemoryStore()
    cold = said(3, store)
    program = Program(MemoryTree(FILES), store=store, engine=ReachEngine())
    analysis = analyze(program, detectors=(ReachDetector(),))
    assert (analysis.findings, analysis.notes, analysis.complete) == cold
    assert (program.redone, program.units_lowered) == ((), 0)


@pytest.mark.parametrize("done", [0, 5, 40])
def test_when_the_time_is_up_whole_procedures_are_left_each_a_note(done: int) -> None:
    files = {"a.c": b"".join(b"int f%d(int n) { return leak(n); }\n" % number for number in range(50))}
    store = MemoryStore()
    program = Program(MemoryTree(files), store=store, engine=ReachEngine())
    detector = ReachDetector()
    analysis = analyze(
        program, program.procedures(), (detector,), Means(is_over=lambda: len(detector.asked) >= max(done, 1) or not done)
    )
    left = [note for note in analysis.notes if note.kind is NoteKind.BUDGET]
    assert not analysis.complete and analysis.undone == len(left)
    assert len(left) in (50 - len(detector.asked), 51 - len(detector.asked)), "one may be cut in the midst"
    assert {note.span for note in left}.isdisjoint(finding.acquired for finding in analysis.findings)
    program.save()
    again = Program(MemoryTree(files), store=store, engine=ReachEngine())
    second = ReachDetector()
    assert analyze(again, detectors=(second,)).complete
    assert len(second.asked) == 50 - max(done - 1, 0)


def test_a_long_chain_of_calls_is_followed_to_its_end() -> None:
    count = 3000
    text = "".join(f"int f{number}(int n) {{ return f{number + 1}(n); }}\n" for number in range(count))
    program = Program(MemoryTree({"a.c": (text + f"int f{count}(int n) {{ return leak(n); }}\n").encode()}), engine=ReachEngine())
    first = program.procedures()[0]
    assert ("::leak",) in program.effects(first).reads
