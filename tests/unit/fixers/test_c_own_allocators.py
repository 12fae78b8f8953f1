"""Blocks of allocators without source: released by their own kind, or not at all."""

from __future__ import annotations

import fixers
from analyzers import analyze, load, specs
from analyzers.tree import MemoryTree
from fixers import Applicability, Declined, Fix

LOST = "#include <stddef.h>\nvoid *own_malloc(size_t n);\nvoid own_free(void *p);\nint f(int n)\n{\n    char *p = own_malloc(8);\n    if (p == NULL)\n        return 1;\n    p[0] = n;\n    return 0;\n}\n"
PAIRED = "int g(int n)\n{\n    char *p = own_malloc(n);\n    own_free(p);\n    return n;\n}\n"


def _answer(source: str) -> Fix | Declined:
    program = load(MemoryTree({"a.c": source.encode()}), specs.load(("c",)))
    (leak,) = analyze(program, None).findings
    return fixers.fix(leak, program)


def _text(answer: Fix | Declined) -> str:
    return "".join(edit.text for edit in answer.edits) if isinstance(answer, Fix) else ""


def test_a_block_goes_back_where_the_tree_pairs_its_allocator_with_a_release() -> None:
    answer = _answer(LOST + PAIRED)
    assert isinstance(answer, Fix) and answer.applicability is Applicability.SAFE
    assert "own_free(p);" in _text(answer)


def test_free_is_never_proposed_for_another_allocators_block() -> None:
    assert isinstance(_answer(LOST.replace("void own_free(void *p);\n", "")), Declined)


SHOWN = """void free(void *);
void store(const char *);
int f(int n)
{
    char *p;
    if (take(n, &p) != 0)
        return 1;
    store(p);
    return 0;
}
void g(void)
{
    char *p;
    if (take(1, &p) != 0)
        return;
    store(p);
    xfree(p);
}
"""


def test_what_others_release_is_released_as_they_do_and_never_called_safe() -> None:
    answer = _answer(SHOWN)
    assert isinstance(answer, Fix) and answer.applicability is Applicability.UNSAFE
    assert "xfree(p);" in _text(answer)
