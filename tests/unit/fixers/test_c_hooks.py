"""Blocks that a pointer to a function gave: released by its counterpart, or not at all."""

from __future__ import annotations

import fixers
from analyzers import analyze, load, specs
from analyzers.finding import Confidence
from analyzers.tree import MemoryTree
from bot.outcomes import believed
from fixers import Applicability, Declined, Fix

TABLE = "#include <stdlib.h>\nstruct table { void *(*take)(size_t); void (*give)(void *); };\nstruct table table = { malloc, free };\n"
LOST = "int f(int n)\n{\n    char *p = table.take(8);\n    if (p == NULL)\n        return 1;\n    p[0] = n;\n    return 0;\n}\n"
WRAPPED = "static void *own(size_t n)\n{\n    return table.take(n);\n}\n" + LOST.replace("table.take", "own")


def _answer(source: str) -> Fix | Declined:
    program = load(MemoryTree({"a.c": source.encode()}), specs.load(("c",)))
    (leak,) = analyze(program, None).findings
    return fixers.fix(leak, program)


def _text(answer: Fix | Declined) -> str:
    return "".join(edit.text for edit in answer.edits) if isinstance(answer, Fix) else ""


def test_the_pointer_beside_the_allocators_releases() -> None:
    answer = _answer(TABLE + LOST)
    assert isinstance(answer, Fix) and answer.applicability is Applicability.SAFE
    assert "table.give(p);" in _text(answer)


def test_nothing_is_offered_where_no_counterpart_is_known() -> None:
    alone = TABLE.replace(" void (*give)(void *);", "").replace(", free", "")
    assert isinstance(_answer(alone + LOST), Declined)
    assert isinstance(_answer(alone + WRAPPED), Declined)


def test_a_wrapper_is_followed_to_the_pointer() -> None:
    pair = "static void own_free(void *p)\n{\n    table.give(p);\n}\n"
    assert "own_free(p);" in _text(_answer(TABLE + pair + WRAPPED.replace("own(", "own_malloc(")))


def test_a_pointer_that_nobody_can_set_is_no_hook() -> None:
    alone = "#include <stdlib.h>\nstatic void *(*const take)(size_t) = malloc;\n"
    assert "free(p);" in _text(_answer(alone + LOST.replace("table.take", "take")))


def test_what_goes_back_by_pointers_that_nobody_can_name_is_assumed_to_leak() -> None:
    alone = TABLE.replace(" void (*give)(void *);", "").replace(", free", "")
    program = load(MemoryTree({"a.c": (alone + LOST).encode()}), specs.load(("c",)))
    (leak,) = analyze(program, None).findings
    assert believed(leak, fixers.fix(leak, program)).confidence is Confidence.ASSUMED
    program = load(MemoryTree({"a.c": (TABLE + LOST).encode()}), specs.load(("c",)))
    (leak,) = analyze(program, None).findings
    assert believed(leak, fixers.fix(leak, program)).confidence is Confidence.WITNESSED
