"""C as it comes: what is reported, and what is noted, where the text is no plain C."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs

BESIDE = """
int beside(int size) {
    char *text = malloc(size);
    if (size > 9) return -1;
    free(text);
    return 0;
}
"""
"""A function with a leak: whatever stands before it, it is found."""

BRACES = """
int open_it(int size) {
    char *text = malloc(size);
#ifdef STRICT
    if (text == NULL) {
#else
    if (!text) {
#endif
        return -1;
    }
    free(text);
    return 0;
}
"""
OLD = """
int old(size, name)
    int size;
    char *name;
{
    char *text = malloc(size);
    if (*name) return -1;
    free(text);
    return 0;
}
"""
HIDDEN = """
#define CHECK(cond) if (!(cond)) goto fail
#define BAIL_OUT(value) do { return value; } while (0)
int hidden_good(int size) {
    char *text = malloc(size);
    CHECK(text != NULL);
    CHECK(size < 9);
    free(text);
    return 0;
fail:
    free(text);
    return -1;
}
int hidden_bad(int size) {
    char *text = malloc(size);
    if (size > 9) BAIL_OUT(-1);
    free(text);
    return 0;
}
"""
COMPUTED = """
int computed(int *code, int size) {
    static void *labels[] = { &&done, &&again };
    char *text = malloc(size);
again:
    goto *labels[*code++];
done:
    free(text);
    return 0;
}
"""
ASSEMBLER = """
int assembler(int size) {
    char *text = malloc(size);
    unsigned long flags;
    __asm__ __volatile__("pushf; pop %0" : "=r"(flags) : : "memory");
    asm("nop");
    if (flags) return -1;
    free(text);
    return 0;
}
"""
GNU = """
#define LARGER(a, b) ({ int _a = (a), _b = (b); _a > _b ? _a : _b; })
int gnu(int size) {
    int twice(int n) { return n * 2; }
    char *text = malloc(LARGER(twice(size), 4));
    int last = ({ char *copy = strdup("x"); int n = copy ? copy[0] : 0; free(copy); n; });
    if (last) return -1;
    free(text);
    return 0;
}
"""
HEADER = """
#ifdef __cplusplus
extern "C" {
#endif
int in_header(int size) {
    char *text = malloc(size);
    if (size > 9) return -1;
    free(text);
    return 0;
}
#ifdef __cplusplus
}
class Box {
public:
    Box() : text(nullptr) {}
private:
    char *text;
};
#endif
"""
MISSING = """
#include "generated/config.h"
#include <no/such/header.h>
WIDGET_EXPORT my_status_t WIDGET_API missing(widget_t *widget, my_size_t size) {
    char *text = malloc(size);
    if (widget_is_bad(widget)) return MY_BAD;
    free(text);
    return MY_FINE;
}
"""
BROKEN = """
int broken(int size) {
    char *text = malloc(size);
    if (size > 9 { return -1; )
    free(text);
    return 0;
}
"""

CASES: dict[str, tuple[str, dict[str, int], set[str]]] = {
    "braces across #if": (BRACES, {}, set()),
    "K&R": (OLD, {"old": 6}, set()),
    "hidden control flow": (HIDDEN, {"hidden_bad": 15}, set()),
    "computed goto": (COMPUTED, {}, set()),
    "assembler": (ASSEMBLER, {"assembler": 3}, {"not-modelled"}),
    "GNU": (GNU, {"gnu": 5}, set()),
    "C++ in a header": (HEADER, {"in_header": 6}, set()),
    "headers missing": (MISSING, {"missing": 5}, set()),
    "broken": (BROKEN, {"broken": 3}, {"not-modelled", "syntax-error"}),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_told_of_odd_c(name: str) -> None:
    text, leaks, kinds = CASES[name]
    data = (text + BESIDE).encode()
    path = "odd.h" if text is HEADER else "odd.c"
    analysis = analyze(load(MemoryTree({path: data}), specs.load(("c",))), None)
    told = {each.procedure: data.count(b"\n", 0, each.acquired.start) + 1 for each in analysis.findings}
    assert told == {**leaks, "beside": text.count("\n") + 3}
    assert {note.kind.value for note in analysis.notes} == kinds


def test_a_generated_table_of_many_lines_costs_nothing_and_is_told_of() -> None:
    table = "static const unsigned char table[] = {\n" + "    0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,\n" * 100_000 + "};\n"
    data = (table + BESIDE).encode()
    analysis = analyze(load(MemoryTree({"table.c": data}), specs.load(("c",))), None)
    assert [each.procedure for each in analysis.findings] == ["beside"]
    assert [note.kind.value for note in analysis.notes] == ["too-large"]
