"""The Program computes what is asked for, and again only where something that was read has changed."""

from __future__ import annotations

from analyzers import MemoryTree, Program, analyze, load
from analyzers.incremental.program import MAX_BESIDE, MAX_MADE
from analyzers.queries import ProcedureKey
from analyzers.summaries import MemoryStore
from tests.reach import ReachDetector, ReachEngine

A = b"""
int helper(int x);
int top(int x) { return middle(x); }
int middle(int x) { return helper(x) + 1; }
"""
B = b"""
int helper(int x) { leak(x); return x; }
int lonely(void) { return 3; }
"""


def program(files: dict[str, bytes], store: MemoryStore | None = None) -> tuple[Program, ReachEngine]:
    engine = ReachEngine()
    return Program(MemoryTree(files), store=store, engine=engine), engine


def reach(program: Program, path: str, name: str) -> set[str]:
    return {read[0].removeprefix("::") for read in program.effects(ProcedureKey(path, name)).reads}


def test_effects_follow_calls_across_files() -> None:
    subject, _ = program({"a.c": A, "b.c": B})
    assert reach(subject, "a.c", "top") == {"middle", "helper", "leak"}


def test_only_what_is_asked_for_is_lowered() -> None:
    subject, engine = program({"a.c": A, "b.c": B, "c.c": b"int far(void) { return 0; }"})
    subject.effects(ProcedureKey("a.c", "top"))
    assert len(engine.lowered) == 2


def test_a_second_run_over_the_same_store_computes_nothing() -> None:
    store = MemoryStore()
    first, _ = program({"a.c": A, "b.c": B}, store)
    before = analyze(first, detectors=(ReachDetector(),))
    first.save()
    second, engine = program({"a.c": A, "b.c": B}, store)
    detector = ReachDetector()
    after = analyze(second, detectors=(detector,))
    assert after.findings == before.findings and before.findings
    assert (engine.lowered, engine.linked, engine.summarised, detector.asked) == ([], [], [], [])


def test_text_that_moves_changes_spans_and_redoes_nothing() -> None:
    store = MemoryStore()
    first, _ = program({"a.c": A, "b.c": B}, store)
    before = analyze(first, detectors=(ReachDetector(),))
    first.save()
    moved = {"a.c": b"/* a comment */\n" + A, "b.c": b"\n\n" + B}
    second, engine = program(moved, store)
    detector = ReachDetector()
    after = analyze(second, detectors=(detector,))
    cold, _ = program(moved)
    assert after.findings == analyze(cold, detectors=(ReachDetector(),)).findings != before.findings
    assert (engine.linked, engine.summarised, detector.asked) == ([], [], [])


def test_an_equal_value_stops_the_wave() -> None:
    store = MemoryStore()
    first, _ = program({"a.c": A, "b.c": B}, store)
    analyze(first, detectors=(ReachDetector(),))
    first.save()
    second, engine = program({"a.c": A, "b.c": B.replace(b"return x;", b"return x + 1;")}, store)
    detector = ReachDetector()
    analyze(second, detectors=(detector,))
    changed = ProcedureKey("b.c", "helper")
    assert (engine.linked, engine.summarised, detector.asked) == ([changed], [changed], [changed])


def test_a_changed_value_redoes_its_readers_and_nobody_else() -> None:
    store = MemoryStore()
    first, _ = program({"a.c": A, "b.c": B}, store)
    analyze(first, detectors=(ReachDetector(),))
    first.save()
    changed = {"a.c": A, "b.c": B.replace(b"leak(x);", b"other(x);")}
    second, engine = program(changed, store)
    detector = ReachDetector()
    found = analyze(second, detectors=(detector,))
    assert not found.findings
    assert set(engine.summarised) == {
        ProcedureKey("b.c", "helper"), ProcedureKey("a.c", "middle"), ProcedureKey("a.c", "top"),
    }  # fmt: skip
    assert engine.linked == [ProcedureKey("b.c", "helper")] or set(engine.linked) == set(engine.summarised)


def test_a_program_beside_another_shares_what_did_not_change() -> None:
    before, engine = program({"a.c": A, "b.c": B})
    detector = ReachDetector()
    analyze(before, detectors=(detector,))
    engine.lowered.clear(), engine.summarised.clear(), detector.asked.clear()
    after = before.beside_with({"b.c": B.replace(b"return 3", b"return 4")})
    found = analyze(after, detectors=(detector,))
    assert len(engine.lowered) == 1
    assert set(engine.summarised) == {ProcedureKey("b.c", "lonely")} == set(detector.asked)
    cold, _ = program({"a.c": A, "b.c": B.replace(b"return 3", b"return 4")})
    assert found.findings == analyze(cold, detectors=(ReachDetector(),)).findings


def test_mutual_recursion_reaches_everything_from_everywhere() -> None:
    text = b"""
    int even(int n) { if (n == 0) return stop(n); return odd(n - 1); }
    int odd(int n) { if (n == 0) return leak(n); return even(n - 1); }
    int self(int n) { return n ? self(n - 1) : even(n); }
    """
    subject, _ = program({"r.c": text})
    assert reach(subject, "r.c", "even") == reach(subject, "r.c", "odd") == {"even", "odd", "stop", "leak"}
    assert reach(subject, "r.c", "self") == {"self", "even", "odd", "stop", "leak"}


def test_facts_of_trees_laid_over_each_other_are_those_of_a_tree_read_alone() -> None:
    files = {"a.c": b"int f(void) { return LIMIT; }\n", "limit.h": b"#define LIMIT 1\n"}
    base = load(MemoryTree(files))
    including = base.beside_with({"a.c": b'#include "limit.h"\nint f(void) { return LIMIT; }\n'})
    renamed = including.beside_with({"limit.h": b"#define OTHER 1\n"})
    without = renamed.beside_with({"limit.h": None})
    asked = ("#limit.h", "ilimit.h", "ia.c", "!a.c", "?LIMIT", "?OTHER", "wLIMIT", "=limit.h\0mLIMIT")
    for one in (base, including, renamed, without):
        cold = load(one.tree)
        assert [one.fact(name) for name in asked] == [cold.fact(name) for name in asked]
    assert including.fact("ia.c") != base.fact("ia.c")
    assert renamed.fact("?LIMIT") != including.fact("?LIMIT")


def test_the_last_programs_beside_one_are_kept() -> None:
    base, _ = program({"a.c": B})
    texts = [b"int f(void) { return %d; }\n" % number for number in range(2 * MAX_BESIDE)]
    first = base.beside_with({"a.c": texts[0]})
    assert base.beside_with({"a.c": texts[0]}) is first
    assert base.beside_with({"a.c": texts[1]}) is not first
    for text in texts[1:]:
        base.beside_with({"a.c": text})
    assert base.beside_with({"a.c": texts[0]}) is not first


def test_as_many_programs_beside_one_are_kept_as_are_wanted() -> None:
    base, _ = program({"a.c": B})
    texts = [b"int f(void) { return %d; }\n" % number for number in range(2 * MAX_BESIDE)]
    made = [base.beside_with({"a.c": text}, len(texts)) for text in texts]
    assert [base.beside_with({"a.c": text}, len(texts)) for text in texts] == made
    base.beside_with({"a.c": B + b"\n"})
    assert base.beside_with({"a.c": texts[-1]}) is made[-1]
    assert base.beside_with({"a.c": texts[0]}) is not made[0]


def test_what_is_asked_for_again_and_again_is_kept_longest() -> None:
    subject, _ = program({"a.c": A})
    kept: dict[str, int] = subject.once("answers", dict)
    kept["known"] = 1
    for number in range(3 * MAX_MADE):
        subject.once(number, lambda: 0)
        assert subject.once("answers", dict) is kept
    asked = []
    subject.once(0, lambda: asked.append(0))
    assert asked, "of what nobody asks for any more half goes"
