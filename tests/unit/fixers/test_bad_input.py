"""Code that no patch should touch, or only with care: each is declined with its reason, or mended in the right place."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

HEAD = "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def asked(text: str, path: str = "x.c") -> list[Fix | Declined]:
    return answers(path, (HEAD + text).encode())


def is_safe(answer: Fix | Declined) -> bool:
    return isinstance(answer, Fix) and answer.applicability is Applicability.SAFE


MACRO = """
#define MAKE(p, n) do { (p) = malloc(n); if ((n) > 3) return; } while (0)
void f(int n)
{
    char *p;

    MAKE(p, n);
    free(p);
}
"""

INLINE = """
static inline int f(int n)
{
    char *p = malloc(3);

    if (p == NULL)
        return -1;
    if (n)
        return 1;
    free(p);
    return 0;
}
"""

CONDITIONS = """
int f(int n)
{
    char *p = NULL;

#ifdef ONE
    p = malloc(1);
#else
#ifdef TWO
    p = malloc(2);
#endif
#endif
    if (p == NULL || n)
        return 1;
    free(p);
    return 0;
}
"""

JUMP = """
static jmp_buf back;
int f(int n)
{
    char *p = malloc(3);

    if (p == NULL)
        return -1;
    if (setjmp(back))
        return 1;
    if (n)
        longjmp(back, 1);
    free(p);
    return 0;
}
"""


@pytest.mark.parametrize(("text", "path"), [(MACRO, "x.c"), (INLINE, "x.h"), (CONDITIONS, "x.c"), (JUMP, "x.c")])
def test_it_is_not_safely_mended(text: str, path: str) -> None:
    for answer in asked(text, path):
        assert not is_safe(answer)
        assert not isinstance(answer, Declined) or answer.reason


def test_the_head_of_a_macro_is_left_alone() -> None:
    for answer in asked(MACRO):
        if isinstance(answer, Fix):
            start = HEAD.encode().__len__() + MACRO.index("#define")
            end = start + MACRO[MACRO.index("#define") :].index("\n")
            assert all(not start <= edit.span.start <= end for edit in answer.edits)


def test_an_inline_function_of_a_header_is_declined_with_its_reason() -> None:
    reasons = [each.reason for each in asked(INLINE, "x.h") if isinstance(each, Declined)]
    assert reasons == ["an inline function of a header is compiled into other files"]


def test_a_function_that_is_jumped_back_into_is_declined_with_its_reason() -> None:
    reasons = [each.reason for each in asked(JUMP) if isinstance(each, Declined)]
    assert reasons == ["`setjmp` returns twice: what the variables hold then is not known"]


def test_an_acquisition_under_conditions_of_the_preprocessor_is_declined_with_its_reason() -> None:
    reasons = {each.reason for each in asked(CONDITIONS) if isinstance(each, Declined)}
    assert reasons <= {"the acquisition is under a preprocessor condition"}


def test_a_shadowing_variable_is_not_released_for_the_one_outside() -> None:
    text = """
int f(int n)
{
    char *p = malloc(3);

    if (p == NULL)
        return -1;
    if (n) {
        char *p = "inner";

        puts(p);
        return 1;
    }
    free(p);
    return 0;
}
"""
    for answer in asked(text):
        if isinstance(answer, Fix):
            patched = apply((HEAD + text).encode(), answer.edits).decode()
            inner = patched[patched.index('"inner"') : patched.index("return 1")]
            assert "free(p)" not in inner


def test_an_expression_with_side_effects_is_evaluated_once() -> None:
    text = """
int f(char **names, int n)
{
    int i = 0;

    names[i++] = malloc(3);
    if (n)
        return 1;
    free(names[0]);
    return 0;
}
"""
    for answer in asked(text):
        if isinstance(answer, Fix):
            assert apply((HEAD + text).encode(), answer.edits).decode().count("i++") == 1


def test_what_lies_on_the_stack_is_not_released() -> None:
    text = """
void f(int n)
{
    char *p, *q;
    char small[16];

    p = n > 16 ? malloc(n) : small;
    if (p == NULL)
        return;
    q = alloca(n);
    q[0] = 0;
    memset(p, 0, n);
    puts(p);
    puts(q);
}
"""
    for answer in asked(text):
        if isinstance(answer, Fix):
            patched = apply((HEAD + text).encode(), answer.edits).decode()
            assert "free(q)" not in patched
            assert "free(p)" not in patched or "if (p != small)" in patched
