"""What a library may do in place of the program's own function, and what it only perhaps hands out, is not safely released (C)."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

OWN = """#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef HAVE_VASPRINTF
int vasprintf(char **text, const char *format, va_list rest)
{
    char buffer[128];
    int n = vsnprintf(buffer, sizeof(buffer), format, rest);
    *text = strdup(buffer);
    return n;
}
#endif
int f(const char *format, va_list rest)
{
    char *text;
    int n = vasprintf(&text, format, rest);
    if (n >= 0) {
        puts(text);
        free(text);
    }
    return n;
}
"""


def test_what_a_library_leaves_unset_is_not_freed() -> None:
    """Where the library has it the program's is left out, and a text that could not be made is not there."""
    assert mended("x.c", OWN.encode()) == OWN.encode()


def test_a_handle_of_another_process_is_not_closed() -> None:
    text = (
        "#include <windows.h>\nint f(HANDLE own, HANDLE it, HANDLE child, HANDLE pipe)\n{\n    HANDLE copy;\n"
        "    if (!DuplicateHandle(own, it, child, &copy, 0, FALSE, 0))\n        return -1;\n"
        "    return WriteFile(pipe, &copy, sizeof copy, NULL, NULL) ? 0 : -1;\n}\n"
    )
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in answers("x.c", text.encode()))


def test_no_else_follows_what_a_macro_heads() -> None:
    """`STEP("free") { … }` looks like a test, and need not be one."""
    text = (
        "#include <stdio.h>\n#include <stdlib.h>\n#define STEP(name) printf(\"%s\\n\", name);\nint f(void)\n{\n    char *p;\n"
        "    STEP(\"take\") {\n        p = malloc(4);\n        printf(\"%p\\n\", (void *)p);\n    }\n"
        "    STEP(\"free\") {\n        free(p);\n        puts(\"freed\");\n    }\n    return 0;\n}\n"
    )
    assert b"else" not in mended("x.c", text.encode())
