"""What a callee leaves in a struct of the caller's is released as what it is, member by member."""

from __future__ import annotations

import textwrap

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers, mended

SOURCE = textwrap.dedent("""\
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    struct source { FILE *file; char *path; };
    int source_open(struct source *s, const char *path)
    {
        s->path = strdup(path);
        if (s->path == NULL)
            return -1;
        s->file = fopen(path, "r");
        if (s->file == NULL) {
            free(s->path);
            s->path = NULL;
            return -1;
        }
        return 0;
    }
    int first(const char *path)
    {
        struct source s = { 0 };
        if (source_open(&s, path) < 0)
            return -1;
        int answer = fgetc(s.file);
        if (answer == EOF) {
            return -2;
        }
        fclose(s.file);
        free(s.path);
        return answer;
    }
    """)


def test_a_stream_and_memory_of_one_call_are_told_apart() -> None:
    expected = SOURCE.replace(
        "        return -2;\n", "        fclose(s.file);\n        free(s.path);\n        return -2;\n"
    )
    after = mended("x.c", SOURCE.encode()).decode()
    assert after in (expected, expected.replace("        fclose(s.file);\n        free(s.path);\n        return -2", "        free(s.path);\n        fclose(s.file);\n        return -2"))
    assert "free(s.file)" not in after


COPIES = textwrap.dedent("""\
    #include <stdlib.h>
    #include <string.h>
    struct buf { char *p; size_t n; };
    struct hold { struct buf in; int z; };
    static struct buf make(size_t n) { struct buf b; b.p = malloc(n); b.n = n; return b; }
    static void drop(struct buf b) { free(b.p); }
    """)


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("int f(int k, struct buf *o) { struct buf b; b.p = malloc(10); if (!b.p) return 1; b.n = 10;", "memcpy(o, &b, sizeof b); return 0; }"),
        ("int f(int k, struct buf *o) { struct buf b; b.p = malloc(10); if (!b.p) return 1;", "memmove(&o[k], &b, sizeof b); return 0; }"),
        ("int f(int k, struct buf *o) { struct buf b; b.p = malloc(10); if (!b.p) return 1;", "*o = b; return 0; }"),
        ("int f(int k, struct buf *o) { struct buf b; b.p = malloc(10); if (!b.p) return 1;", "o[k] = b; return 0; }"),
        ("int f(int k, struct hold *o) { struct buf b; b.p = malloc(10); if (!b.p) return 1;", "o->in = b; return 0; }"),
        ("int f(int k) { struct buf b; b.p = malloc(10); if (!b.p) return 1;", "drop(b); return 0; }"),
        ("int f(int k) { struct buf b = make(9);", "drop(b); return 0; }"),
        ("int f(int k) { struct buf b = make(9); struct buf *c = &b;", "free(c->p); return 0; }"),
    ],
)
def test_a_struct_that_goes_elsewhere_is_released_on_the_other_path_alone(head: str, tail: str) -> None:
    source = f"{COPIES}{head}\n    if (k == 1)\n        return 2;\n    {tail}\n"
    fixed = source.replace("    if (k == 1)\n        return 2;", "    if (k == 1) {\n        free(b.p);\n        return 2;\n    }")
    after = mended("x.c", source.encode()).decode()
    assert after in (fixed, fixed.replace("free(b.p);\n        return 2", "drop(b);\n        return 2"))


def test_a_member_that_another_struct_takes_over_is_not_released_before() -> None:
    source = COPIES + (
        "int f(int k, struct hold *o)\n{\n    struct hold h;\n    struct buf b;\n    h.in.p = malloc(10);\n    if (!h.in.p)\n        return 1;\n"
        "    b = h.in;\n    if (k == 1)\n        return 2;\n    o->in = b;\n    return 0;\n}\n"
    )
    after = mended("x.c", source.encode()).decode()
    assert "free(h.in.p);\n    b = h.in" not in after


def test_what_a_struct_by_value_holds_is_there_unless_its_maker_failed() -> None:
    source = COPIES + "int f(void)\n{\n    struct buf b = make(9);\n    if (!b.p)\n        return 1;\n    b.p[0] = 0;\n    return 0;\n}\n"
    assert mended("x.c", source.encode()).decode() == source.replace("    return 0;\n}\n", "    free(b.p);\n    return 0;\n}\n")


def test_a_type_of_which_there_is_but_the_name_may_be_a_number_or_a_pointer() -> None:
    flagged = (
        "#include <stdlib.h>\nextern volatile sig_atomic_t stopped;\nint f(int n)\n{\n    char *p = malloc(8);\n    if (p == NULL)\n        return 1;\n"
        "    if (!stopped)\n        return n;\n    free(p);\n    return 0;\n}\n"
    )
    assert any(isinstance(each, Fix) for each in answers("x.c", flagged.encode()))
    kept = (
        "#include <stdlib.h>\nstruct box { text name; };\nint show(text);\nint f(struct box *b, int n)\n{\n    char *p = malloc(8);\n    if (p == NULL)\n        return 1;\n"
        "    struct box own;\n    own.name = p;\n    text t = own.name;\n    if (n == 1)\n        return 2;\n    return t[0];\n}\n"
    )
    assert "free(p);\n    return t[0]" not in mended("x.c", kept.encode()).decode()


def test_a_struct_that_only_a_typedef_names_is_copied_too() -> None:
    source = (
        "#include <stdlib.h>\ntypedef struct { char *p; size_t n; } buf_t;\nint f(buf_t *o, int k)\n{\n    buf_t *b = malloc(sizeof *b), c;\n    if (!b)\n"
        "        return 1;\n    b->p = malloc(10);\n    if (!b->p) {\n        free(b);\n        return 1;\n    }\n    if (k) {\n        free(b);\n        return 2;\n    }\n"
        "    c = *b;\n    free(b);\n    *o = c;\n    return 0;\n}\n"
    )
    assert "free(b->p);\n    if (k)" not in mended("x.c", source.encode()).decode()


def test_structs_that_a_callee_assigns_whole_are_not_released_by_their_old_names() -> None:
    source = COPIES + (
        "static void swap(struct buf *x, struct buf *y) { struct buf t = *x; *x = *y; *y = t; }\nint f(struct buf *o, int k)\n{\n    struct buf a, b;\n"
        "    a.p = malloc(8);\n    b.p = 0;\n    if (!a.p)\n        return 1;\n    swap(&a, &b);\n    if (k)\n        return 2;\n    *o = b;\n    return 0;\n}\n"
    )
    assert mended("x.c", source.encode()).decode() == source
