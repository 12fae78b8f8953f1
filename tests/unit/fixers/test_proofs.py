"""What a proof must not take for granted, whatever the detectors say: each case with the answer and its reason."""

from __future__ import annotations

import pytest

from analyzers.finding import Finding
from fixers import Applicability, Declined, Fix
from tests.unit.fixers.patching import answers

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def verdict(text: str) -> str:
    """`safe`, `unsafe: reasons`, `declined: reason`, or nothing where nothing is found."""
    found = [_said(each) for each in answers("x.c", (HEAD + text).encode())]
    return "; ".join(found)


def _said(answer: Fix | Declined) -> str:
    assert isinstance(answer.finding, Finding)
    if isinstance(answer, Declined):
        return f"declined: {answer.reason}"
    if answer.applicability is Applicability.SAFE:
        return "safe"
    return "unsafe: " + ", ".join(check.reason for check in answer.proof if check.verdict.value != "proved")


@pytest.mark.parametrize(
    "body",
    [
        "int keep(int, const char *, void (*)(void *)); void f(void) { char *p = malloc(3); keep(1, p, free); }",
        "struct box; void put(struct box *, const void *); void f(struct box *b) { char *p = malloc(3); put(b, p); }",
        "void put(const void *); struct s { int n; char *p; };"
        "void f(void) { struct s s; s.p = malloc(3); put(&s.n); }",
        "void take(char *); void f(void) { char *p = malloc(3); take(p); }",
    ],
)
def test_what_an_unknown_function_may_take_over_is_not_safely_released(body: str) -> None:
    found = verdict(body)
    assert "safe" not in found.split("; ")
    assert not found or "is not known: it may keep or release it" in found


@pytest.mark.parametrize(
    "body",
    [
        "int look(const char *, int); void f(void) { char *p = malloc(3); look(p, 1); }",
        "int keep(int, const char *, void (*)(void *)); void f(void) { char *p = malloc(3); keep(1, p, 0); }",
    ],
)
def test_a_pointer_to_const_lends_where_nothing_else_can_take_over(body: str) -> None:
    assert verdict(body) == "safe"


@pytest.mark.parametrize(
    "body",
    [
        "void f(void) { char *p = malloc(3); char *q = realloc(p, 0); if (q) free(q); }",
        "void f(void) { char *p = malloc(0); puts(\"\"); }",
        "void f(void) { static char b[3]; char *p = malloc(9); setvbuf(stdout, p, _IOFBF, 9); b[0] = 0; }",
    ],
)
def test_what_asks_for_nothing_or_is_kept_by_a_stream_is_no_leak(body: str) -> None:
    assert verdict(body) == ""


def test_a_size_that_is_zero_on_a_path_makes_realloc_a_release() -> None:
    body = (
        "void f(int b) { size_t n = 0; char *p = malloc(3); if (!p) return; if (b) n = 10;"
        " char *q = realloc(p, n); if (!q) return; free(q); }"
    )
    assert "safe" not in verdict(body).split("; ")


def test_what_nobody_tests_is_taken_never_to_fail() -> None:
    body = "char *f(void)\n{\n  char *p = malloc(3);\n  if (!p)\n    return 0;\n  p = realloc(p, 9);\n  return p;\n}\n"
    assert verdict(body) == "unsafe: nothing here tests whether it fails (`p`)"


LINKED = """
struct link { struct link *next, *previous; };
struct loop { struct link all; };
struct watcher { int kind; struct link inside; };
static void append(struct link *after, struct link *one)
{
    one->next = after;
    one->previous = after->previous;
    one->previous->next = one;
    after->previous = one;
}
#define BEGIN(loop, one) do { (one)->kind = 1; append(&(loop)->all, &(one)->inside); } while (0)
static void begin(struct loop *loop, struct watcher *one) { BEGIN(loop, one); }
static int watch(struct loop *loop, struct watcher *one) { begin(loop, one); return 0; }
static struct loop *around;
void f(int n)
{
    struct watcher *one;

    if (n)
        return;
    one = malloc(sizeof *one);
    if (one == NULL)
        return;
    watch(around, one);
}
"""


def test_what_a_callee_links_into_a_list_far_below_is_not_safely_released() -> None:
    assert "safe" not in verdict(LINKED).split("; ")


def test_a_callee_that_stores_numbers_and_copies_of_members_keeps_nothing() -> None:
    body = """
struct all { int n; char first; };
static void note(struct all *into, const char *text) { into->n = 1; into->first = text[0]; }
void f(struct all *into)
{
    char *p = malloc(3);
    if (p == NULL)
        return;
    p[0] = 'a';
    note(into, p);
}
"""
    assert verdict(body) == "safe"


def test_a_handle_with_a_number_in_its_lowest_bits_is_still_that_handle() -> None:
    body = """
static void *kept;
void f(void)
{
    char *p = malloc(3);
    if (p == NULL)
        return;
    kept = (void *) ((unsigned long) p | 1);
}
"""
    assert "safe" not in verdict(body).split("; ")


def test_what_a_transfer_writes_to_is_not_closed_before_it_ends() -> None:
    body = """
void f(void *handle)
{
    FILE *file = fopen("a", "w");
    if (file == NULL)
        return;
    curl_easy_setopt(handle, 10001, file);
}
"""
    assert "safe" not in verdict(body).split("; ")


def test_what_a_callee_copies_with_its_struct_is_not_released() -> None:
    body = """
struct info { int size; char *map; };
struct slot { struct info info; };
static struct slot slots[9];
static void note(int n, struct info *info)
{
    struct slot *slot = &slots[n];
    slot->info = *info;
}
void f(int n)
{
    struct info info;
    info.size = n;
    info.map = malloc(n + 3);
    if (info.map == NULL)
        return;
    note(n, &info);
}
"""
    assert "safe" not in verdict(body).split("; ")


OWN = "int look(char *); int check_name(char *); void say(char *, ...); int push(char *); char *make_name(int); int read_name(int, char **); struct box *box_new(void);" \
    " void box_free(struct box *); void error(const char *, ...); int box_fill(struct box *); struct into { char *p; };"


@pytest.mark.parametrize(
    "body",
    [
        # a format prints it
        "int f(int n) { char *p = strdup(\"\"); if (!p) return -1; if (n) { error(\"%s %d\", p, n); return -1; }"
        " free(p); return 0; }",
        # whatever the callee does, the procedure releases it afterwards
        "int f(int n) { char *p = strdup(\"\"); if (!p) return -1; look(p); if (n) return -1; free(p); return 0; }",
        # the procedure still owns it when the callee has succeeded
        "int f(struct into *s) { char *p = strdup(\"\"); if (!p) return -1; if (check_name(p) == -1) return -1; s->p = p; return 0; }",
        # what the procedure releases elsewhere was handed to it
        "int f(int n) { char *p; if (read_name(n, &p) != 0) return -1; if (n > 3) return -1; free(p); return 0; }",
        "int f(int n) { struct box *b = box_new(); if (!b) return -1; if (n) return -1; box_free(b); return 0; }",
    ],
)
def test_what_the_procedure_itself_shows_of_unknown_functions_is_enough(body: str) -> None:
    assert verdict(OWN + body) == "safe"


@pytest.mark.parametrize(
    "body",
    [
        # which way is success is not known
        "int f(int n) { char *p = strdup(\"\"); if (!p) return -1; if (look(p)) return 0; free(p); return 1; }",
        # the answer decides later
        "int f(int n) { char *p = strdup(\"\"); if (!p) return -1; int r = look(p); error(\"\"); if (n) return -1;"
        " if (r) free(p); return 0; }",
        # named like one that keeps
        "int f(int n) { char *p = strdup(\"\"); if (!p) return -1; push(p); if (n) return -1; free(p); return 0; }",
        # printed, but by a conversion that takes what it points to
        "int f(int n) { char *p = strdup(\"\"); if (!p) return -1; if (n) { say(\"%n\", p); return -1; } free(p); return 0; }",
    ],
)
def test_what_the_procedure_does_not_show_stays_unknown(body: str) -> None:
    assert "safe" not in verdict(OWN + body).split("; ")


def test_a_struct_that_was_zeroed_holds_what_its_members_got() -> None:
    body = "struct s { char b[4]; char *p; }; void f(void) { struct s s = {{1}, 0}; s.p = strdup(\"\"); memcpy(s.b, \"abc\", 4); }"
    assert verdict(body) == "safe"


def test_a_comparison_hands_nothing_on() -> None:
    assert verdict("void eval(int); void f(void) { char *p = strdup(\"\"); eval(p == 0); }") == "safe"


def test_members_released_in_one_patch_are_known_to_each_proof() -> None:
    body = "typedef struct { int *a; int *b; } two; void f(void) { two t; t.a = malloc(4); t.b = malloc(2); puts(\"\"); }"
    assert verdict(body).split("; ") == ["safe"] * len(verdict(body).split("; "))


def test_the_own_wrapper_needs_no_header() -> None:
    text = (
        b"int f(int n)\n{\n\tchar *p = xmalloc(3);\n\n\tif (n)\n\t\treturn -1;\n\txfree(p);\n\treturn 0;\n}\n"
    )
    [answer] = answers("x.c", text)
    assert isinstance(answer, Fix)
    assert [edit.text for edit in answer.edits if "include" in edit.text] == []
    assert any("xfree(p)" in edit.text for edit in answer.edits)


def test_a_header_that_comes_by_another_is_not_included_again() -> None:
    text = b'#include "all.h"\nvoid f(void)\n{\n\tFILE *f = fopen("a", "r");\n\tint n = 3;\n}\n'
    [answer] = answers("x.c", text)
    assert isinstance(answer, Fix) and answer.applicability is Applicability.SAFE
    assert [edit.text for edit in answer.edits if "include" in edit.text] == []


NODE = """
struct node { char *name; int *more; };
static void node_free(struct node *n) { if (!n) return; free(n->name); free(n->more); free(n); }
static struct node *kept;
"""


def patch(text: str) -> str:
    """What the safe fixes of a text insert, one after the other."""
    found = [each for each in answers("x.c", (HEAD + text).encode()) if isinstance(each, Fix)]
    return " | ".join("".join(edit.text for edit in each.edits) for each in found if each.applicability is Applicability.SAFE)


def test_a_destructor_does_not_meet_members_that_were_never_set() -> None:
    body = """
int f(int bad)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return -1;
    if (bad)
        return -1;
    n->name = strdup("");
    n->more = NULL;
    node_free(n);
    return 0;
}
"""
    assert "node_free(n)" not in patch(NODE + body)
    assert "free(n);" in patch(NODE + body)
    assert "node_free(n);" in patch(NODE + body.replace("malloc(sizeof *n)", "calloc(1, sizeof *n)"))


def test_what_was_filled_goes_by_the_destructor_that_the_function_calls() -> None:
    body = """
int f(int bad)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        return -1;
    n->name = strdup("");
    if (!n->name) {
        free(n);
        return -1;
    }
    if (bad)
        return -1;
    node_free(n);
    return 0;
}
"""
    assert "node_free(n);" in patch(NODE + body)


def test_members_go_before_their_struct() -> None:
    body = """
int f(int bad)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        return -1;
    n->name = strdup("");
    if (bad)
        return -1;
    kept = n;
    return 0;
}
"""
    inserted = patch(NODE.replace("struct node *n) {", "struct node *n, int all) {") + body)
    assert inserted.index("free(n->name);") < inserted.index("free(n);")
    assert "node_free(n);" in patch(NODE + body)


def test_an_array_is_not_safely_released_without_its_elements() -> None:
    body = """
int f(int bad)
{
    char **a = malloc(3 * sizeof *a);
    int i;
    if (!a)
        return 1;
    for (i = 0; i < 3; i++)
        a[i] = malloc(2);
    if (bad)
        return 1;
    for (i = 0; i < 3; i++)
        free(a[i]);
    free(a);
    return 0;
}
"""
    assert "for (i = 0; i < 3; i++)" in patch(body)
    unknown = body.replace("a[i] = malloc(2);", "a[bad] = malloc(2);")
    assert patch(unknown) == ""


def test_what_a_callee_may_take_out_of_its_variable_arguments_is_doubtful() -> None:
    body = """
#include <stdarg.h>
static char *kept;
static void keep(int n, ...) { va_list ap; va_start(ap, n); while (n--) kept = va_arg(ap, char *); va_end(ap); }
int f(int c) { char *p = malloc(3); if (!p) return 1; keep(1, p); return c; }
"""
    assert "safe" not in verdict(body).split("; ")


SIDE = """
void f(int n)
{
    char *p = NULL;
#ifdef WITH
    p = strdup("");
    if (n)
        puts("");
%s#endif
%s}
"""


def test_what_one_side_of_a_preprocessor_condition_acquires_is_released_there() -> None:
    text = "int g(int n)\n{\n#ifdef WITH\n    char *p = strdup(\"\");\n    if (n)\n        return 1;\n    free(p);\n#endif\n    return 0;\n}\n"
    inserted = patch(text)
    assert "free(p);" in inserted


def test_what_a_preprocessor_condition_acquires_for_what_follows_is_left_alone() -> None:
    found = verdict(SIDE % ("", "    if (p)\n        puts(p);\n"))
    assert found == "declined: the acquisition is under a preprocessor condition, and the fix is not"


def test_ways_of_a_callee_that_add_up_leave_nothing_open() -> None:
    body = """
static char *copy(const char *text, const char *head)
{
    if (head == NULL)
        return strdup(text);
    if (strncmp(text, head, strlen(head)) == 0)
        return strdup(text + strlen(head));
    return strdup(text);
}
int f(const char *text, int n)
{
    char *p = copy(text, text + 1);
    if (n)
        return -1;
    free(p);
    return 0;
}
"""
    assert verdict(body) == "safe"


def test_what_a_global_only_passes_on_is_released_when_its_readers_have_run() -> None:
    body = """
static char *passed;
static void look(void)
{
    puts(passed);
}
void f(void)
{
    char *p = calloc(100, 1);
    if (p == NULL)
        return;
    passed = p;
    look();
}
"""
    [answer] = answers("x.c", (HEAD + body).encode())
    assert isinstance(answer, Fix) and answer.applicability is Applicability.SAFE
    [edit] = answer.edits
    assert edit.text == "    free(p);\n"
    assert (HEAD + body).encode()[: edit.span.start].endswith(b"    look();\n")


def test_a_descriptor_that_takes_the_place_of_a_standard_one_stays_open() -> None:
    body = """
#include <fcntl.h>
#include <unistd.h>
int f(void)
{
    int fd = open("/dev/null", O_RDONLY);
    if (fd == -1)
        return -1;
    if (fd != 0)
        puts("no");
    return 0;
}
"""
    assert "safe" not in verdict(body).split("; ")


def test_a_struct_with_members_is_not_safely_released_alone() -> None:
    body = """
char *known_name(void);
int f(int bad)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        return -1;
    n->name = known_name();
    if (bad)
        return -1;
    kept = n;
    return 0;
}
"""
    assert "safe" not in verdict(NODE + body).split("; ")


def test_what_is_lost_on_no_path_is_refuted() -> None:
    text = """
static int fill(char **out, int k) { if (k) { *out = strdup("filled"); return *out ? 0 : -1; } return -1; }
int f(int a, int b)
{
    char *r = NULL, *x = NULL;
    if (b) {
        switch (a) {
        case 1:
            if (x != NULL)
                r = strdup("r");
        default:
            a = 0;
        }
        if (fill(&r, b) < 0)
            goto out;
    }
out:
    free(r);
    return 0;
}
"""
    found = answers("x.c", (HEAD + text).encode())
    assert all(isinstance(each, Declined) and each.is_refuted for each in found)


def test_a_look_that_stops_at_another_fault_refutes_nothing() -> None:
    text = """
int f(int n, int k)
{
    char *p = malloc(n);
    if (p == NULL)
        return -1;
    if (k) {
        free(p);
        free(p);
        return 0;
    }
    return p[0];
}
"""
    (found,) = answers("x.c", (HEAD + text).encode())
    assert not isinstance(found, Declined) or not found.is_refuted
