"""Functions without source that say by attributes, or by name and arguments, what they allocate."""

from __future__ import annotations

import pytest

from analyzers import analyze, load, specs
from analyzers.finding import Confidence
from analyzers.tree import MemoryTree

HEAD = """#include <stdlib.h>
#include <stddef.h>
typedef size_t amount;
typedef void *block;
struct pool;
block own_malloc(amount n);
void *own_calloc(size_t n, size_t size);
char *own_strdup(const char *text);
void *own_realloc(void *old, amount n);
void *scratch_malloc(size_t n);
void *side_malloc(struct pool *pool, size_t n);
char *pstrdup(const char *text);
void paint_drop(void *);
struct paint *mix(int n) __attribute__((malloc(paint_drop, 1)));
void *gain(size_t n) __attribute__((malloc));
void *carve(struct pool *pool, size_t n) __attribute__((malloc));
void *give(int n) __attribute__((ownership_returns(malloc)));
void swallow(void *p) __attribute__((ownership_takes(malloc, 1)));
void hoard(int n, void *p) __attribute__((ownership_holds(malloc, 2)));
"""


def _reported(body: str) -> list[str]:
    source = f"{HEAD}int f(struct pool *pool, const char *text, int n)\n{{\n    {body}\n    return 0;\n}}\n"
    program = load(MemoryTree({"a.c": source.encode()}), specs.load(("c",)))
    findings = analyze(program, None).findings
    assert all(each.confidence is Confidence.ASSUMED for each in findings if "malloc(8)" not in body)
    return [each.variable for each in findings]


@pytest.mark.parametrize("call", [
    "own_malloc(n)", "own_calloc(n, 4)", "own_strdup(text)", "unseen_malloc(n * 2)", "unseen_strdup(text)", "mix(n)", "gain(n)", "give(n)",
])  # fmt: skip
def test_what_declares_itself_an_allocator_gives_a_block(call: str) -> None:
    assert _reported(f"char *p = {call};\n    if (!p)\n        return 1;\n    p[0] = 1;") == ["p"]


@pytest.mark.parametrize("call", [
    "scratch_malloc(n)", "side_malloc(pool, n)", "pstrdup(text)", "unseen_strdup(pool, text)", "carve(pool, n)", "OWN_MALLOC(n)", "remalloced(n)",
])  # fmt: skip
def test_what_comes_of_a_pool_is_nobodys_to_free(call: str) -> None:
    assert _reported(f"char *p = {call};\n    if (!p)\n        return 1;\n    p[0] = 1;") == []


def test_a_reallocation_ends_the_old_block_and_gives_another() -> None:
    body = "char *p = malloc(8);\n    char *q;\n    if (!p)\n        return 1;\n    q = own_realloc(p, n);\n    "
    assert _reported(f"{body}if (q)\n        q[0] = 1;") == ["q"]
    assert _reported(f"{body}free(q);") == []


def test_what_is_taken_or_held_by_attribute_is_no_longer_the_callers() -> None:
    body = "char *p = malloc(8);\n    if (!p)\n        return 1;\n    "
    assert _reported(f"{body}p[0] = 1;") == ["p"]
    assert _reported(f"{body}swallow(p);") == []
    assert _reported(f"{body}hoard(n, p);") == []


FILL = """#include <stdlib.h>
#include <string.h>
static int fill(char **out, int k) { if (k) { *out = strdup("filled"); return *out ? 0 : -1; } return -1; }
"""


@pytest.mark.parametrize(("body", "count"), [
    ("if (k == 0) fill(&q, k);", 0), ("switch (k) { case 0: fill(&q, k); break; default: break; }", 0), ("if (k) fill(&q, k);", 1),
])  # fmt: skip
def test_what_a_number_rules_out_is_not_acquired_though_the_status_is_not_looked_at(body: str, count: int) -> None:
    source = f"{FILL}int f(int k)\n{{\n    char *q = NULL;\n    {body}\n    return 0;\n}}\n"
    program = load(MemoryTree({"a.c": source.encode()}), specs.load(("c",)))
    assert len(analyze(program, None).findings) == count


def test_a_number_is_no_object_of_a_library() -> None:
    """`g_file_read` of GLib hands out a stream; a program's own function of that name, whose result is a number, does not."""
    library = b"#include <unistd.h>\nint g_file_read(int file, char *to, int n) { return read(file, to, n); }\n"
    header = b"int g_file_read(int file, char *to, int n);\n"
    user = b'#include "own.h"\nint f(int file)\n{\n    char text[8];\n    int n = g_file_read(file, text, 8);\n    if (n < 1)\n        return 1;\n    return text[0];\n}\n'
    own = load(MemoryTree({"lib/own.c": library, "own.h": header, "a.c": user}), specs.load(("c",)))
    assert not analyze(own, None).findings
    stream = b"GFileInputStream *g_file_read(void *file, void *cancel, void **error);\nint f(void *file)\n{\n    GFileInputStream *n = g_file_read(file, 0, 0);\n    if (!n)\n        return 1;\n    return 0;\n}\n"
    assert [each.variable for each in analyze(load(MemoryTree({"a.c": stream}), specs.load(("c",))), None).findings] == ["n"]
