"""What calls of C do to a handle of which not all is known: what is borrowed, and what may be kept."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended
from tests.unit.fixers.test_proofs import verdict

UNKNOWN = (
    "int unk(void *); void strange(void); int other(int); void logit(const char *, ...); static void *g;"
    "struct s { char *p; struct s *next; int fd; };"
)


def answer(callee: str, call: str) -> str:
    """The answer to a leak of `p` that a callee was given."""
    text = f"{UNKNOWN} {callee} int f(int m, struct s *s) {{ char *p = malloc(4); if (!p) return 1; {call}; return m; }}"
    return verdict(text)


@pytest.mark.parametrize(
    ("callee", "call"),
    [
        ("static void a(char *p, int m) { logit(\"%d\", other(m)); p[0] = 1; }", "a(p, m)"),
        ("static void a(char *p, void *q) { unk(q); p[0] = 1; }", "a(p, s)"),
        ("static void b(char *p, int m) { if (m) logit(\"%d\", m); p[0] = 1; } static void a(char *p, int m) { b(p, m); }", "a(p, m)"),
    ],
    ids=["numbers", "another argument", "below"],
)
def test_a_callee_borrows_what_it_hands_to_nobody_unknown(callee: str, call: str) -> None:
    assert verdict(f"{UNKNOWN} {callee} int f(int m, struct s *s) {{ char *p = malloc(4); if (!p) return 1; {call}; return m; }}") == "safe"


@pytest.mark.parametrize(
    ("callee", "call"),
    [
        ("static void a(char *p) { unk(p); }", "a(p)"),
        ("static void a(char *p) { struct s t; t.p = p; unk(&t); }", "a(p)"),
        ("static void a(char *p) { g = p; strange(); g = NULL; }", "a(p)"),
        ("static void a(struct s *s, char *p) { s->p = p; unk(s); s->p = NULL; }", "a(s, p)"),
        ("static char *same(char *p) { return p; } static void a(char *p) { char *q = same(p); unk(q); }", "a(p)"),
        ("static void a(char *p) { void (*f)(void *) = (void (*)(void *))g; f(p); }", "a(p)"),
        ("static void b(char *p); static void a(char *p, int n) { if (n) b(p); else logit(\"%d\", n); }"
         "static void b(char *p) { a(p, 0); unk(p); }", "a(p, m)"),
        ("static void a(char **pp) { unk(*pp); }", "a(&p)"),
        ("static void a(char *p) { unk(p + 1); }", "a(p)"),
        ("static void a(char *p) { unk((void *)((unsigned long)p | 1)); }", "a(p)"),
        ("static void a(int n, ...) { unk(&n); }", "a(m, p)"),
    ],
    ids=["itself", "in a struct", "by a global", "in another's struct", "by a copy", "by a pointer", "in a circle",
         "by its address", "inside", "with a number in its bits", "among more"],
)
def test_a_callee_may_keep_what_it_hands_to_somebody_unknown(callee: str, call: str) -> None:
    assert "safe" not in answer(callee, call).split("; ")


@pytest.mark.parametrize(
    ("callee", "call"),
    [
        ("", "unk(\"text\"); unk(p)"),
        ("static void a(char *p) { unk(\"text\"); unk(p); }", "a(p)"),
        ("static void a(char *p) { struct s t; t.p = p; unk(&t); } static void b(void) { unk(\"text\"); }", "a(p)"),
        ("static void b(struct s *s) { unk(s->p); }", "unk(p)"),
    ],
    ids=["here", "in a callee", "in a struct", "where a member stays"],
)
def test_that_others_pass_a_text_is_a_belief_and_no_proof(callee: str, call: str) -> None:
    assert "safe" not in answer(callee, call).split("; ")


def test_what_a_range_of_results_tells_of_an_argument_is_enough() -> None:
    text = (
        "static int make(char **out, int m) { *out = NULL; if (m == 3) return -1; *out = malloc(8); if (!*out) return -1;"
        " return m == 2 ? 1 : 0; } int f(int m) { char *p; if (make(&p, m) < 0) return -1; if (m == 1) return 5; free(p); return 0; }"
    )
    assert verdict(text) == "safe"


def test_nothing_is_lost_where_the_process_ends() -> None:
    text = (
        "extern volatile int stop; void serve(int); void f(int m) { char *p = malloc(8); int n = 0; if (!p) return;"
        " for (;;) { if (stop) { n = stop; exit(n == 1 ? 0 : 2); } p[0] = 1; if (p[0] + m > 5) return; } }"
    )
    assert verdict(text) == "safe"


def test_a_long_function_is_followed_by_what_may_hold_the_resource() -> None:
    steps = "".join(
        f" if (table[{n}].size > limit[{n}]) {{ table[{n}].size = {n}; count += other(table[{n}].size); }} else if (flag{n}) limit[{n}]--;"
        for n in range(9)
    )
    flags = "".join(f"extern int flag{n};" for n in range(9))
    text = (
        f"{UNKNOWN} {flags} struct t {{ int size; }}; extern struct t table[9]; extern int limit[9]; extern int count;"
        f" int f(int m) {{ char *p = malloc(8); int i; if (!p) return 1;"
        f" for (i = 0; i < m; i++) {{ {steps} if (count > 99) return 2; }} free(p); return 0; }}"
    )
    assert verdict(text) == "safe"


READERS = """
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
struct named { char *name; };
void tell(const struct named *n);
static int length(const struct named *n) { return n->name[0]; }
"""


@pytest.mark.parametrize(
    ("body", "reader"),
    [
        ("struct iovec v; char *p = malloc(9); if (!p) return -1; v.iov_base = p; v.iov_len = 9; if (m) return (int)writev(m, &v, 1);", "writev"),
        ("char *p = strdup(t), *q; if (!p) return -1; q = p; while ((t = strsep(&q, \",\"))) m++;", "strsep"),
        ("struct named n; n.name = strdup(t); if (!n.name) return -1; m = length(&n);", "length"),
        ("struct named n; n.name = strdup(t); if (!n.name) return -1; tell(&n);", "tell"),
    ],
    ids=["a library", "through a pointer to a pointer", "a body", "somebody unknown"],
)
def test_nothing_is_released_before_a_callee_that_reads_it_through_something_else(body: str, reader: str) -> None:
    text = f"{READERS}int f(int m, char *t)\n{{\n    {body}\n    return m;\n}}\n"
    fixed = mended("x.c", text.encode()).decode()
    assert "free(" not in fixed[: fixed.index(f"{reader}(", len(READERS))]


@pytest.mark.parametrize(
    "use",
    ["uv_buf_t b = uv_buf_init(p, 4); hold(&b)", "uv_write(p, s, 0, 0, 0)", "uv_queue_work(s, p, 0, 0)", "uv_timer_start(p, 0, 1, 2)"],
)
def test_what_a_library_may_keep_is_not_safely_released(use: str) -> None:
    assert "safe" not in verdict(f"void hold(void *); int f(void *s) {{ void *p = malloc(64); if (!p) return 1; {use}; return 0; }}").split("; ")


def test_what_a_library_fills_it_does_not_read_before() -> None:
    text = (
        "int f(char **all, int n) {\n  char *p;\n  int i, k = 0;\n  for (i = 0; i < n; i++) {\n    if (asprintf(&p, \"%s\", all[i]) < 0)\n"
        "      return -1;\n    if (p[0] == '#') {\n      k++;\n      continue;\n    }\n    free(p);\n  }\n  return k;\n}\n"
    )
    assert verdict(f"#define _GNU_SOURCE\n{text}") == "safe"


def test_no_member_is_released_before_its_object_is_left_with_somebody() -> None:
    """A callback frees both later: what the object points to has to be there."""
    text = READERS + """
struct call { struct call *next; void (*then)(void *); void *with; };
static struct call *calls;
static struct call *later(void (*then)(void *), struct named *with, int m)
{
    struct call *c = malloc(sizeof *c);
    if (c == NULL)
        return NULL;
    c->then = then;
    c->with = with;
    if (m)
        calls = c;
    return c;
}
void done(void *with);
int f(int m, char *t)
{
    struct named *n = calloc(1, sizeof *n);
    if (n == NULL)
        return -1;
    if (t != NULL)
        n->name = strdup(t);
    if (later(done, n, m) == NULL)
        return -1;
    return 0;
}
"""
    fixed = mended("x.c", text.encode()).decode()
    assert "free(" not in fixed[fixed.index("int f(int m") : fixed.index("later(done")]


def test_no_member_is_released_before_its_object_is_left_in_an_event() -> None:
    text = READERS + """
#include <sys/epoll.h>
int f(int m, char *t)
{
    struct epoll_event event;
    struct named *n = calloc(1, sizeof *n);
    if (n == NULL)
        return -1;
    n->name = strdup(t);
    event.events = EPOLLIN;
    event.data.ptr = n;
    if (epoll_ctl(m, EPOLL_CTL_ADD, m, &event) < 0) { free(n); return -1; }
    return 0;
}
"""
    fixed = mended("x.c", text.encode()).decode()
    assert "free(" not in fixed[fixed.index("int f(int m") : fixed.index("epoll_ctl(")]


def test_a_variable_that_a_call_fills_with_something_else_is_null_no_more() -> None:
    text = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void last(FILE *f)
{
    char *line = NULL;
    size_t size = 0;
    char *last = NULL;
    while (getline(&line, &size, f) != -1)
        if (*line == 'x')
            last = strdup(line);
    free(line);
    free(last);
}
"""
    expected = text.replace(
        "== 'x')\n            last = strdup(line);", "== 'x') {\n            free(last);\n            last = strdup(line);\n        }"
    )
    assert mended("x.c", text.encode()).decode() == expected
