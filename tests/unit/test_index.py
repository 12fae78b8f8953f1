"""What the name index of a blob lists."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.index import FUNCTION, PROTOTYPE, index_beside, index_blob


def test_a_function_right_behind_macros_with_parentheses_is_listed() -> None:
    text = b"#define SMALL (512)\n#define LARGE (128 * 1024)\nlong line (int file, char **into)\n{\n}\nint other(void);\n"
    items = index_blob("c", text).items
    assert FUNCTION + "line" in items
    assert PROTOTYPE + "other" in items


def test_a_function_whose_type_a_macro_wraps_is_listed() -> None:
    text = b"API(void *) make(size_t n);\nAPI(void *) make(size_t n)\n{\n    return 0;\n}\nstatic API(int) count(void) {\n}\n"
    items = index_blob("c", text).items
    assert {FUNCTION + "make", FUNCTION + "count", PROTOTYPE + "make"} <= set(items)


def test_a_macro_of_the_only_header_that_has_it_is_seen_though_no_include_leads_there() -> None:
    files = {
        "src/shared.h": b"#define drop(x) free(x)\n#define close(x) other(x)\n",
        "src/list/list.c": b"#include <program/src/shared.h>\nvoid f(char *p) { drop(p); close(1); }\n",
    }
    program = load(MemoryTree(files), specs.load(("c",)))
    assert [key.path for key in program.functions("src/list/list.c", "drop")] == ["src/shared.h"]
    assert program.functions("src/list/list.c", "close") == ()  # The library's: here the name means something else.


def test_only_whole_words_are_keywords_and_what_begins_with_a_digit_is_no_word() -> None:
    text = b"mystruct one { int a; }\nint my_typedef other;\nxenum { A };\nint f(void) { return 0x1f + 7u + $d + n2; }\nstruct two { int b; };\n"
    index = index_blob("c", text)
    assert {"ttwo", "bb"} <= set(index.items)
    assert {"tone", "eA", "ba"}.isdisjoint(index.items)
    words = set(index.words.split())
    assert {"$d", "n2", "mystruct"} <= words
    assert {"0x1f", "x1f", "7u", "u"}.isdisjoint(words)


OLD = b"""#include <stdlib.h>
struct box { char *name; };
static int make(struct box *b)
{
    char *text = strdup("it's");
    if (text == NULL) return -1;
    return other(b); /* free it */
}
int other(struct box *b) { return b->name != NULL; }
"""


@pytest.mark.parametrize(
    ("was", "now", "is_told"),
    [
        (b"    return other", b"    if (b) free(text);\n    drop = text;\n    return other", True),
        (b"text = strdup", b"text = NULL; text = strdup", True),
        (b"NULL) return -1;", b"NULL) { fail(b); return -1; }", True),
        (b"strdup(\"it's\")", b"NULL", False),
        (b"    char *text = strdup(\"it's\");\n", b"    char *text = b;\n    text = strdup(\"it's\");\n#include \"more.h\"\n", False),
    ],
)
def test_a_patched_function_tells_the_index_of_its_file(was: bytes, now: bytes, *, is_told: bool) -> None:
    new = OLD.replace(was, now)
    assert new != OLD
    start, end = OLD.index(b"static"), OLD.index(b"int other")
    known, whole = index_blob("c", OLD), index_blob("c", new)
    before = index_blob("c", OLD[start:end])
    found = index_beside(known, frozenset(known.words.split()), before, new[start : end + len(new) - len(OLD)])
    assert (found is not None) == is_told
    if found is not None:
        assert (found.items, found.includes) == (whole.items, whole.includes)
        assert set(found.words.split()) == set(whole.words.split())


def test_what_a_function_seems_to_declare_stays_listed() -> None:
    """`if (text == NULL) other(b);` looks like a declaration: marks behind a brace take that away, and whoever asks for one looks into the file."""
    old = OLD.replace(b"return -1;", b"other(b);")
    start, end = old.index(b"static"), old.index(b"int other")
    new = old.replace(b"NULL) other(b);", b"NULL) { mark(1); other(b); }")
    before, known = index_blob("c", old[start:end]), index_blob("c", old)
    found = index_beside(known, frozenset(known.words.split()), before, new[start : end + len(new) - len(old)])
    assert found is not None
    assert {*index_blob("c", new).items} <= {*found.items} <= {*index_blob("c", new).items, PROTOTYPE + "other"}
    assert "mark" in found.words.split()
