"""C that is seldom seen, or that no fix should touch: each is mended as it has to be, or left alone with a reason."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers, mended

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def after(source: str, path: str = "x.c") -> str:
    """The text after all safe fixes."""
    return mended(path, (HEAD + source).encode()).decode().removeprefix(HEAD)


def reasons(source: str) -> list[str]:
    """Why findings get no safe fix."""
    found = []
    for each in answers("x.c", (HEAD + source).encode()):
        assert isinstance(each, Declined) or each.applicability is not Applicability.SAFE, each
        found.append(each.reason if isinstance(each, Declined) else "unsafe")
    return found


RUN = "int run(int m)\n{\n\tchar *p = malloc(4);\n\n\tif (!p)\n\t\treturn 1;\n\tif (m)\n\t\treturn 2;\n\tfree(p);\n\treturn 0;\n}\n"


def test_a_function_that_a_macro_calls_is_mended() -> None:
    text = after(f"#define RUN(m) run((m) + 1)\n{RUN}int twice(int m)\n{{\n\treturn RUN(m) + RUN(m);\n}}\n")
    assert "\tif (m) {\n\t\tfree(p);\n\t\treturn 2;\n\t}\n" in text
    assert "#define RUN(m) run((m) + 1)\n" in text


def test_the_body_of_a_macro_is_left_alone() -> None:
    source = (
        "#define CHECK(x) if (!(x)) return -1\n"
        "int f(int m)\n{\n\tchar *p = malloc(4);\n\n\tCHECK(p);\n\tCHECK(m);\n\tfree(p);\n\treturn 0;\n}\n"
    )
    assert reasons(source) == ["wherever `p` surely holds it, something may use, keep or release it afterwards"]


def test_an_inline_function_of_a_header_is_left_to_its_author() -> None:
    data = (HEAD + f"static inline {RUN}").encode()
    (found,) = answers("x.h", data)
    assert isinstance(found, Declined)
    assert found.reason == "an inline function of a header is compiled into other files"
    assert "\t\tfree(p);\n" in after(f"static inline {RUN}")


def test_code_that_conditions_of_the_preprocessor_cut_is_declined() -> None:
    source = (
        "int f(int m)\n{\n\tchar *p = malloc(4);\n\n\tif (!p)\n\t\treturn 1;\n#ifdef ONE\n\tif (m == 2) {\n#else\n\tif (m == 3) {\n#endif\n"
        "\t\treturn 4;\n\t}\n#ifdef TWO\n\tif (m) {\n#endif\n\tfree(p);\n#ifdef TWO\n\t}\n#endif\n\treturn 0;\n}\n"
    )
    found = reasons(source)
    assert all(found) and all("syntax error" in each or "preprocessor" in each or "no place" in each for each in found)


def test_an_expression_with_an_effect_is_not_written_again() -> None:
    source = (
        "static int next;\nint f(int m)\n{\n\tchar *all[4] = {0};\n\n\tall[next++] = malloc(4);\n\tif (m)\n\t\treturn 1;\n"
        "\tfree(all[0]);\n\treturn 0;\n}\n"
    )
    assert "next++]);" not in after(source)
    reasons(source)


def test_a_variable_that_is_shadowed_is_not_taken_for_the_other() -> None:
    source = (
        "int f(int m)\n{\n\tchar *p = malloc(4);\n\n\tif (!p)\n\t\treturn 1;\n\tif (m == 3) {\n\t\tint p = 3;\n\n\t\treturn p;\n\t}\n"
        "\tif (m == 4) {\n\t\tchar *p = malloc(8);\n\n\t\tif (!p)\n\t\t\treturn 5;\n\t\tfree(p);\n\t\treturn 6;\n\t}\n\tfree(p);\n\treturn 0;\n}\n"
    )
    text = after(source)
    inner = text.partition("int p = 3;")[2].partition("\t}\n")[0]
    assert "free(p)" not in inner
    assert text.partition("char *p = malloc(8);")[2].partition("\t}\n")[0].count("free(p)") == 1


def test_a_variable_is_released_before_it_goes_out_of_scope() -> None:
    source = "int f(int m)\n{\n\tif (m) {\n\t\tchar *p = malloc(4);\n\n\t\tif (p)\n\t\t\tm = p[0] = 2;\n\t}\n\treturn m;\n}\n"
    assert "\t\tif (p)\n\t\t\tm = p[0] = 2;\n\t\tfree(p);\n\t}\n\treturn m;\n" in after(source)


@pytest.mark.parametrize(
    "storage", ["char hold[m + 1]; char *q = hold;", "char *q = __builtin_alloca(8);", "char *q = alloca(8);"],
    ids=["array of variable length", "builtin", "alloca"],
)
def test_memory_of_the_frame_is_never_released(storage: str) -> None:
    source = (
        f"#include <alloca.h>\nint f(int m)\n{{\n\t{storage}\n\tchar *p = malloc(4);\n\n\tif (!p)\n\t\treturn -1;\n\tq[0] = 1;\n"
        "\tif (m == 1) {\n\t\tp[0] = q[0];\n\t\treturn 2;\n\t}\n\tfree(p);\n\treturn 0;\n}\n"
    )
    text = after(source)
    assert "\t\tp[0] = q[0];\n\t\tfree(p);\n\t\treturn 2;\n" in text
    assert "free(q)" not in text and "free(hold)" not in text


def test_what_may_lie_in_the_frame_is_not_released() -> None:
    source = (
        "#include <alloca.h>\nint f(int m)\n{\n\tchar *p = m & 1 ? alloca(8) : malloc(8);\n\n\tif (!p)\n\t\treturn -1;\n\tp[0] = 1;\n"
        "\tif (m & 2)\n\t\treturn 2;\n\tif (!(m & 1))\n\t\tfree(p);\n\treturn 0;\n}\n"
    )
    reasons(source)


def test_a_function_that_returns_twice_is_declined() -> None:
    source = (
        "#include <setjmp.h>\nstatic jmp_buf env;\nvoid work(int);\nint f(int m)\n{\n\tchar *p = malloc(4);\n\n\tif (!p)\n\t\treturn -1;\n"
        "\tif (setjmp(env) == 0)\n\t\twork(m);\n\tif (m == 1)\n\t\treturn 2;\n\tfree(p);\n\treturn 0;\n}\n"
    )
    found = reasons(source)
    assert found and all("setjmp" in each for each in found)


def test_each_line_of_c_keeps_its_ending() -> None:
    text = after(RUN.replace("\n", "\r\n"))
    assert "\tif (m) {\r\n\t\tfree(p);\r\n\t\treturn 2;\r\n\t}\r\n" in text
    assert text.count("\n") == text.count("\r\n")


def test_a_fix_is_a_fix_whatever_the_layout() -> None:
    source = "int f(int m) { char *p = malloc(4); if (!p) return 1; if (m) return 2; free(p); return 0; }\n"
    found = [each for each in answers("x.c", (HEAD + source).encode()) if isinstance(each, Fix)]
    assert found and apply((HEAD + source).encode(), found[0].edits).count(b"free(p)") == 2


def test_a_brace_closes_where_its_if_stands() -> None:
    source = (
        "int f(int m, int n)\n{\n    char *p = malloc(4);\n    if (!p)\n        return 1;\n    if (m > 3 &&\n        n > 2 &&\n"
        "            m != n) return 2;\n    free(p);\n    return 0;\n}\n"
    )
    assert "            m != n) {\n        free(p);\n        return 2;\n    }\n" in after(source)


def test_a_number_in_parentheses_is_returned_as_it_is() -> None:
    text = after(RUN.replace("return 2;", "return (-2);"))
    assert "\t\tfree(p);\n\t\treturn (-2);\n" in text


def test_only_the_ways_out_that_lose_it_are_touched() -> None:
    source = (
        "int f(int m)\n{\n\tchar *p = NULL;\n\tint locked = 0;\n\n\tif (m > 2) {\n\t\tp = malloc(4);\n\t\tif (!p)\n\t\t\treturn 1;\n"
        "\t\tlocked = 1;\n\t\tif (m > 5)\n\t\t\treturn 2;\n\t}\n\tif (locked)\n\t\tfree(p);\n\treturn 0;\n}\n"
    )
    text = after(source)
    assert text.count("free(p)") == 2 and "\t\tif (m > 5) {\n\t\t\tfree(p);\n\t\t\treturn 2;\n" in text


def test_a_function_without_a_word_in_its_name_is_one_that_nobody_knows() -> None:
    text = "#include <stdlib.h>\nint f(int m)\n{\n    char *p = malloc(4);\n    puts(_(p));\n    if (m)\n        return 1;\n    free(p);\n    return 0;\n}\n"
    assert [type(each) for each in answers("x.c", text.encode())] == [Fix]


def test_a_blank_stands_before_arguments_where_the_function_has_it() -> None:
    text = (
        "#include <stdlib.h>\nint f (int m)\n{\n  char *p = malloc (4);\n  if (p == NULL)\n    return -1;\n  if (look (p) == m)\n"
        "    abort ();\n  p[0] = m;\n  return p[0] + 1;\n}\nint look (const char *p)\n{\n  return *p;\n}\n"
    )
    assert b"  free (p);\n" in mended("x.c", text.encode())


def test_what_strsep_moves_on_is_released_by_its_other_name() -> None:
    text = (
        "#include <stdlib.h>\n#include <string.h>\nint f(const char *text)\n{\n    char *copy, *rest, *word;\n    int n = 0;\n"
        "    if ((rest = copy = strdup(text)) == NULL)\n        return -1;\n    while ((word = strsep(&rest, \",\")) != NULL) {\n"
        "        if (*word == 'x')\n            return -1;\n        n++;\n    }\n    free(copy);\n    return n;\n}\n"
    )
    assert b"            free(copy);\n            return -1;\n" in mended("x.c", text.encode())


def test_a_function_in_a_function_may_release_what_that_names() -> None:
    text = (
        "#include <stdlib.h>\nint f(int m)\n{\n    char *p = malloc(4);\n    int fail(int why) { free(p); return why; }\n    if (!p)\n"
        "        return -1;\n    if (m == 1)\n        return fail(-3);\n    if (m == 2)\n        return -2;\n    free(p);\n    return 0;\n}\n"
    )
    assert [type(each) for each in answers("x.c", text.encode())] == [Declined]


def test_what_an_unknown_allocator_made_is_answered() -> None:
    """Nothing is known to release it but what the procedure calls through a pointer."""
    text = b"""#include <glib.h>
typedef gpointer (*allocator) (gpointer block, gsize size);
gchar *grown(gchar *text, allocator grow, gsize size)
{
    if (grow == NULL)
        grow = g_realloc;
    if (!g_utf8_validate(text, -1, NULL)) {
        (grow)(text, size);
        return NULL;
    }
    return text;
}
"""
    found = answers("x.c", text)
    assert found and all("failed here" not in getattr(each, "reason", "") for each in found)
