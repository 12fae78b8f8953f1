"""What a procedure hands out is what its variable holds there, not what it held before."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, load, specs

HEAD = "#include <stdlib.h>\n#include <string.h>\nchar *next_of(char *s);\n"


def aliases(path: str, text: str, name: str) -> tuple[str, ...]:
    program = load(MemoryTree({path: text.encode()}), specs.load(("java" if path.endswith(".java") else "c",)))
    (key,) = [key for key in program.procedures() if key.name.split("(")[0].endswith(name)]
    return program.effects(key).aliases


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("char *p = s; p = strdup(p); return p;", ()),
        ("char *p = s, *q; while ((q = strchr(p, '/'))) p = q + 1; p = strdup(p); return p;", ()),
        ("s = strdup(s); return s;", ()),
        ("char *p = s; if (n) p = strdup(p); return p;", ("$0",)),
        ("if (n) s = strdup(s); return s;", ("$0",)),
        ("char *p = s; while (n--) p++; return p;", ("$0",)),
        ("char *p = strdup(s); if (n) return p; free(p); p = s; return p + 1;", ("$0",)),
        ("char *p = s; char **at = &p; *at = strdup(s); return p;", ("$0",)),
    ],
)
def test_what_a_variable_held_before_is_not_handed_out(body: str, expected: tuple[str, ...]) -> None:
    assert aliases("x.c", f"{HEAD}char *made(char *s, int n) {{ {body} }}\n", "made") == expected


def test_a_call_that_throws_has_assigned_nothing() -> None:
    text = """
    class Opener {
        java.io.InputStream open(java.io.InputStream given, String name) {
            java.io.InputStream found = given;
            try {
                found = new java.io.FileInputStream(name);
            } catch (java.io.IOException e) {
                System.err.println(name);
            }
            return found;
        }
        java.io.InputStream other(java.io.InputStream given, String name) throws java.io.IOException {
            java.io.InputStream found = given;
            found = new java.io.FileInputStream(name);
            return found;
        }
    }
    """
    assert aliases("Opener.java", text, "open") == ("$0",)
    assert aliases("Opener.java", text, "other") == ()
