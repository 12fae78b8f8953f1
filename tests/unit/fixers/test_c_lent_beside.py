"""What a procedure shows of a function without source by its other calls of it: the same hand wrote both."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

HEAD = "#include <stdlib.h>\n#include <string.h>\nstruct user { struct list *words, *rows; int flags; };\nextern char *names[];\n"

FOUND = """int set(struct user *u, const char *op)
{{
    if (op[0] == '+') {{
        char *word = {maker}(op + 1);
        struct node *node = list_find(u->words, word);
        if (node == NULL)
            list_add(u->words, word);
        u->flags |= 1;
    }} else {{
        char *other = {maker}(op + 1);
        struct node *node = list_find(u->words, other);
        if (node)
            list_del(u->words, node);
        {release};
    }}
    return 0;
}}
"""

OTHERS = "int look(struct user *u, const char *op)\n{\n    char *t = strdup(op);\n    if (list_find(u->rows, t))\n        free(t);\n    return 0;\n}\n"


@pytest.mark.parametrize(("text", "wanted"), [
    (FOUND.format(maker="strdup", release="free(other)"), "\n        else\n            free(word);\n"),
    (FOUND.format(maker="word_new", release="word_free(other)"), "\n        else if (word != NULL)\n            word_free(word);\n"),
    (FOUND.format(maker="strdup", release="keep(other)"), ""),
    (FOUND.format(maker="strdup", release="if (!node)\n            free(other)"), ""),
    (FOUND.format(maker="strdup", release="free(other)") + OTHERS, ""),  # they free it only if it was found
])  # fmt: skip
def test_what_is_released_behind_one_call_was_lent_to_the_other(text: str, wanted: str) -> None:
    found = mended("x.c", (HEAD + text).encode()).decode()
    assert wanted in found and (bool(wanted) or found == HEAD + text)


def test_what_is_not_there_is_not_released() -> None:
    text = (
        f"{HEAD}int f(const char *op, int n)\n{{\n    char *word = NULL, *other = word_new(op);\n    word_free(other);\n    if (n > 1) {{\n        word = word_new(op + 1);\n"
        "        if (word[0] == 'x')\n            n = 7;\n    }\n    return n;\n}\n"
    )
    found = mended("x.c", text.encode()).decode()
    assert "    word_free(word);\n    return" not in found.replace("        word_free(word)", "")


PUT = """int fill(char ***env, char ***more, unsigned *size, int mode, int other)
{{
    char *a = strdup(names[0]), *b, *value;

    if (!a)
        return -1;
    {first}
    b = strdup(names[1]);
    if (!b)
        return -1;
    {second}
    return 0;
}}
void tell(char ***env, unsigned *size)
{{
    env_put(env, size, "HOME", "/", 0);
}}
"""


@pytest.mark.parametrize(("first", "second", "is_safe"), [
    ('env_put(env, size, a, "", 0);\n    free(a);', 'env_put(env, size, b, "", 0);', True),
    ("value = strchr(a, '=');\n    if (value)\n        env_put(env, size, a, value + 1, 0);\n    free(a);",
     "value = strchr(b, '=');\n    if (value)\n        env_put(env, size, b, value, 0);", True),
    ('env_put(env, size, a, "", 0);\n    free(a);', 'env_put(more, size, b, "", 0);', False),  # another object
    ('env_put(env, size, a, "", mode);\n    free(a);', 'env_put(env, size, b, "", other);', False),  # another number
    ('env_put(env, size, a, "", 0);\n    free(a);', 'env_put(env, size, b, "", 1);', False),
    ('env_put(env, size, a, "", 0);\n    env_clear(env);\n    free(a);', 'env_put(env, size, b, "", 0);', False),  # taken back
    ('if (env_put(env, size, a, "", 0) < 0)\n        free(a);', 'env_put(env, size, b, "", 0);', False),
    ('env_put(env, size, "", a, 0);\n    free(a);', 'env_put(env, size, b, "", 0);', False),  # another place
])  # fmt: skip
def test_a_name_that_keeps_needs_the_same_object_and_a_release_at_once(first: str, second: str, is_safe: bool) -> None:
    text = HEAD + PUT.format(first=first, second=second)
    assert ("free(b);" in mended("x.c", text.encode()).decode()) is is_safe


@pytest.mark.parametrize("behind", ["scan_next(&scan)", "scan.n"])
def test_what_was_lent_may_still_be_needed_by_what_it_was_lent_to(behind: str) -> None:
    text = (
        f"{HEAD}int f(const char *text, int n)\n{{\n    struct scan scan;\n    char *first = strdup(text), *copy;\n    if (!first)\n        return -1;\n"
        "    scan_over(&scan, first);\n    free(first);\n    copy = strdup(text);\n    if (!copy)\n        return -1;\n"
        f"    scan_over(&scan, copy);\n    return {behind};\n}}\n"
    )
    found = mended("x.c", text.encode()).decode()
    assert "free(copy);" not in found or found.index(behind) < found.index("free(copy);")


def test_what_is_found_in_a_text_is_gone_with_it() -> None:
    text = (
        f"{HEAD}char *f(const char *text)\n{{\n    char *first = strdup(text), *copy, *part;\n    if (!first)\n        return NULL;\n"
        "    part = part_of(first);\n    show(part[0]);\n    free(first);\n    copy = strdup(text);\n    if (!copy)\n        return NULL;\n    return part_of(copy);\n}\n"
    )
    assert "free(copy);" not in mended("x.c", text.encode()).decode()


READ = """int load(const char *path)
{{
    FILE *f = fopen(path, "r");
    char line[80];
    unsigned long n = 0;

    if (!f)
        return -1;
    while ({asked})
        n += line[0] != '#';
    return (int)n;
}}
"""


@pytest.mark.parametrize(("asked", "is_safe"), [
    ("read_row(f, line, sizeof(line)) == 0", True),
    ("read_next(f, &n) == 0", True),
    ("read_all(f, line) != 0", False),  # tried until it succeeds
    ("read_more(f) == 0", False),  # leaves nothing
    ("close_row(f, line) == 0", False),
    ("add_row(f, line) == 0", False),
])  # fmt: skip
def test_a_stream_that_is_read_turn_by_turn_is_lent(asked: str, is_safe: bool) -> None:
    text = f"#include <stdio.h>\n{READ.format(asked=asked)}"
    assert ("fclose(f);" in mended("x.c", text.encode()).decode()) is is_safe


@pytest.mark.parametrize("given", ["text_new(op, own)", "text_new(op)"])
def test_a_release_that_a_flag_decides_shows_nothing_of_the_maker(given: str) -> None:
    text = f"#include <stdlib.h>\nint made(const char *op, int own)\n{{\n    char *first = {given};\n    int n = first[0];\n\n    if (own)\n        text_free(first);\n    return n;\n}}\n"
    found = answers("x.c", text.encode())
    assert found and not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


def test_bytes_that_are_counted_are_copied() -> None:
    text = (
        "#include <stdlib.h>\nint put(Buffer *buffer, const struct big *value, int size)\n{\n    unsigned char *bytes = malloc(size);\n    int n;\n\n"
        "    if (!bytes)\n        return -1;\n    n = big_bytes(value, size);\n    if (n != size)\n        return -1;\n"
        "    buffer_append(buffer, (char *)bytes, n);\n    free(bytes);\n    return 0;\n}\n"
    )
    assert mended("x.c", text.encode()).count(b"free(bytes);") == 2
