"""Whose a member of a struct is that its destructor forgets: a file that keeps the struct for itself may show it."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load
from fixers import Applicability, Fix, fix
from tests.unit.fixers.patching import mended, models

TYPE = "struct ring { char *name; int n; char *tail; struct ring *next; };\n"
HEAD = f"#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n{TYPE}"

MAKER = """struct ring *ring_new(const char *name)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL)
        return NULL;
    ring->name = strdup(name);
    ring->n = 1;
    return ring;
}
"""

END = """void ring_end(struct ring *ring)
{
    if (ring == NULL)
        return;
    free(ring);
}
"""

LATE = """struct ring *ring_new(const char *name)
{{
    struct ring *ring = malloc(sizeof(struct ring));
    if (ring == NULL)
        return NULL;
    {first}
    ring->name = strdup(name);
    {then}
    return ring;
}}
"""


def _is_mended(text: str) -> bool:
    return "free(ring->name);" in mended("ring.c", text.encode()).decode()


@pytest.mark.parametrize("more", [
    "",
    "int ring_length(struct ring *ring)\n{\n    return ring->name ? (int)strlen(ring->name) : 0;\n}\n",
    "void ring_show(struct ring *ring)\n{\n    printf(\"%s %c\", ring->name, ring->name[0]);\n}\n",
    "void ring_cut(struct ring *ring)\n{\n    ring->name[1] = 0;\n}\n",
    "int ring_grow(struct ring *ring)\n{\n    ring->name = realloc(ring->name, 100);\n    return ring->name != NULL;\n}\n",
    "void ring_drop(struct ring *ring)\n{\n    if (!ring->name)\n        ring->name = NULL;\n}\n",
    "struct ring *ring_next(struct ring *ring)\n{\n    return ring->next;\n}\n",
    "void ring_clear(struct ring *ring)\n{\n    memset(ring, 0, sizeof(*ring));\n}\n",
])  # fmt: skip
def test_what_only_the_file_names_is_shown_by_it(more: str) -> None:
    assert _is_mended(HEAD + MAKER + END + more)


def test_an_object_begins_with_its_member() -> None:
    assert _is_mended(HEAD + LATE.format(first="ring->n = 2;", then="") + END)
    assert _is_mended(HEAD + LATE.format(first="ring->name = NULL;\n    ring_fill(ring);", then="") + END)


@pytest.mark.parametrize("maker", [
    LATE.format(first="if (name == NULL) {\n        ring_end(ring);\n        return NULL;\n    }", then=""),
    LATE.format(first="if (fill(ring))\n        return NULL;", then=""),
    LATE.format(first="all = ring;", then=""),
    LATE.format(first="if (name == NULL)\n        return ring;", then=""),
    LATE.format(first="", then="last = ring->name;"),
    MAKER.replace("strdup(name)", "(char *)name"),
    MAKER.replace("strdup(name)", 'name ? strdup(name) : "none"'),
    MAKER.replace("strdup(name)", "name_of(name)"),
    MAKER.replace("    ring->name = strdup(name);\n", "    char *own = strdup(name);\n    ring->name = own;\n    keep(own);\n"),
    MAKER.replace("    ring->name = strdup(name);\n", "    char *own = strdup(name);\n    ring->name = own;\n    last = own;\n"),
    MAKER.replace("    ring->name = strdup(name);\n", "    char *own = strdup(name);\n    ring->name = own;\n    ring->tail = own;\n"),
    MAKER.replace("calloc(1, sizeof(*ring))", "pool_get(sizeof(*ring))"),
    MAKER.replace("calloc(1, sizeof(*ring))", "malloc(4 * sizeof(*ring))"),
    MAKER.replace("    ring->n = 1;\n", "    *ring = all[0];\n"),
])  # fmt: skip
def test_objects_that_may_begin_otherwise_show_nothing(maker: str) -> None:
    text = HEAD + "static struct ring *all;\nstatic char *last;\nvoid ring_end(struct ring *ring);\n" + maker + END
    assert not _is_mended(text)


@pytest.mark.parametrize("more", [
    "char *ring_name(struct ring *ring)\n{\n    return ring->name;\n}\n",
    "char *ring_rest(struct ring *ring)\n{\n    return strchr(ring->name, ':');\n}\n",
    "void ring_tell(struct ring *ring)\n{\n    tell(ring->name);\n}\n",
    "void ring_split(struct ring *ring)\n{\n    ring->tail = strchr(ring->name, ':');\n}\n",
    "void ring_mark(struct ring *ring)\n{\n    ring->tail = ring->name + 1;\n}\n",
    "void ring_part(struct ring *ring)\n{\n    ring->tail = &ring->name[2];\n}\n",
    "void ring_set(struct ring *ring, char *name)\n{\n    ring->name = name;\n}\n",
    "void ring_none(struct ring *ring)\n{\n    ring->name = \"none\";\n}\n",
    "void ring_swap(struct ring *a, struct ring *b)\n{\n    char *t = a->name;\n    a->name = b->name;\n    b->name = t;\n}\n",
    "void ring_share(struct ring *a, struct ring *b)\n{\n    b->name = a->name;\n}\n",
    "void ring_copy(struct ring *a, struct ring *b)\n{\n    *b = *a;\n}\n",
    "void ring_copy(struct ring *a, struct ring *b)\n{\n    memcpy(b, a, sizeof(*a));\n}\n",
    "struct ring *ring_dup(struct ring *a)\n{\n    struct ring *b = malloc(sizeof(struct ring));\n    if (b)\n        memcpy(b, a, sizeof(struct ring));\n    return b;\n}\n",
    "void ring_read(struct ring *a, FILE *f)\n{\n    fread(a, sizeof(*a), 1, f);\n}\n",
    "int ring_ask(struct ring *ring)\n{\n    return asprintf(&ring->name, \"%d\", ring->n);\n}\n",
    "void ring_last(struct ring *ring)\n{\n    char *t = ring->name;\n    ring_end(ring);\n    puts(t);\n}\n",
    "static struct ring first = { \"first\", 1, NULL, NULL };\nstruct ring *ring_first(void)\n{\n    return &first;\n}\n",
    "void ring_use(void)\n{\n    struct ring ring = { 0 };\n    ring.name = \"here\";\n    show(&ring);\n}\n",
    "#define NAME(r) ((r)->name)\nvoid ring_free_name(struct ring *ring)\n{\n    free(NAME(ring));\n}\n",
    "int ring_grow(struct ring *ring)\n{\n    char *more = realloc(ring->name, 100);\n    if (!more)\n        return -1;\n    keep(more);\n    ring->name = more;\n    return 0;\n}\n",
    "void ring_macro(struct ring *ring)\n{\n    FREE_PART(ring, name);\n}\n",
    "RING_FUNCTIONS(ring, name)\n",
    "void ring_reset(struct ring *ring)\n{\n    memset(ring, 0xdd, sizeof(*ring));\n}\n",
    "struct box { struct ring ring; };\nvoid box_set(struct box *box, char *name)\n{\n    box->ring.name = name;\n}\n",
])  # fmt: skip
def test_whoever_else_may_have_it_decides(more: str) -> None:
    assert not _is_mended(HEAD + MAKER + END + more)


@pytest.mark.parametrize("value", ["0", "0xdd"])
def test_what_is_overwritten_before_the_end_is_not_released(value: str) -> None:
    assert not _is_mended(HEAD + MAKER + END.replace("    free(ring);", f"    memset(ring, {value}, sizeof(*ring));\n    free(ring);"))


def test_a_macro_of_a_header_may_name_it() -> None:
    source = f'#include <stdlib.h>\n#include <string.h>\n#include "own.h"\n{TYPE}{MAKER}{END}'.encode()
    for macro, is_safe in (("#define CLEAR(x) free((x)->name)\n", False), ("#define OTHER(x) free((x)->title)\n", True)):
        program = load(MemoryTree({"own.h": macro.encode(), "ring.c": source}), models("c"))
        found = [fix(each, program) for each in analyze(program).findings]
        assert any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found) is is_safe


def test_others_may_know_what_a_header_declares() -> None:
    tree = {"ring.h": TYPE.encode(), "ring.c": f'#include <stdlib.h>\n#include <string.h>\n#include "ring.h"\n{MAKER}{END}'.encode()}
    program = load(MemoryTree(tree), models("c"))
    found = [fix(each, program) for each in analyze(program).findings]
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)
