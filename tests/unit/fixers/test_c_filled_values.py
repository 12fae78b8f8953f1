"""A struct that one callee fills and another ends, of which nobody knows more than the names: patched as the function ends it itself."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = "int use_text(const char *text);\nint is_busy(void);\n"
BEFORE = """int f(const char *name)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%s/index", name);
    if (use_text(text.buf) < 0)
        return -1;
    strbuf_release(&text);
    return 0;
}
"""
AFTER = BEFORE.replace("< 0)\n        return -1;\n", "< 0) {\n        strbuf_release(&text);\n        return -1;\n    }\n")


def test_it_is_ended_as_elsewhere_in_the_function() -> None:
    assert mended("x.c", f"{HEAD}{BEFORE}".encode()) == f"{HEAD}{AFTER}".encode()


@pytest.mark.parametrize(("old", "new"), [
    ("    if (use_text", "    if (is_busy()) {\n        *out = text.buf;\n        return 0;\n    }\n    if (use_text"),
    ("        return -1;", "        return store(strbuf_detach(&text, 0));"),
    ("    strbuf_release(&text);", "    if (text.len)\n        strbuf_release(&text);"),
    ("strbuf_addf(&text", "keep_strbuf(&text"),
    ("< 0)\n        return -1;", "< 0) {\n        drop_text(text.buf);\n        return -1;\n    }"),
    ("< 0)\n        return -1;", "< 0) {\n        hand(out, text.buf);\n        return -1;\n    }"),
    ("    strbuf_release(&text);", "    strbuf_release_cache(&text);\n    strbuf_release(&text);"),
])  # fmt: skip
def test_it_is_left_alone_where_something_else_may_have_it(old: str, new: str) -> None:
    before = f"{HEAD}{BEFORE.replace(old, new).replace('*name)', '*name, char **out)')}".encode()
    assert mended("x.c", before) == before
