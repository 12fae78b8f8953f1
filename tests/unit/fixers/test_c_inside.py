"""What points into a resource, or is a part of it, keeps a patch from releasing it too early (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """\
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pwd.h>
"""


def fixed(body: str, more: str = "") -> list[str]:
    """The lines of a function after its safe fixes."""
    text = f"{HEAD}{more}\nint f(int m, const char *text)\n{{\n{body}}}\n"
    after = mended("x.c", text.encode()).decode()
    return [line.strip() for line in after[after.index("int f(int m") :].splitlines()]


def test_the_rest_of_a_number_lies_in_its_text() -> None:
    lines = fixed(
        "    char *copy = strdup(text), *end;\n    long value;\n    if (!copy)\n        return -1;\n"
        "    value = strtol(copy, &end, 10);\n    if (m == 1)\n        return *end;\n    free(copy);\n    return (int)value;\n"
    )
    at = lines.index("free(copy);")
    assert "*end" in lines[at - 1] and "*end" not in lines[at + 1]


def test_what_an_entry_names_lies_in_the_buffer() -> None:
    lines = fixed(
        "    char *buffer = malloc(1024);\n    struct passwd entry, *found = NULL;\n    if (!buffer)\n        return -1;\n"
        "    getpwuid_r(0, &entry, buffer, 1024, &found);\n    if (m == 1)\n        return entry.pw_name[0];\n"
        "    free(buffer);\n    return 0;\n"
    )
    at = lines.index("free(buffer);")
    assert "pw_name" in lines[at - 1] and "pw_name" not in lines[at + 1]


@pytest.mark.parametrize(
    ("acquire", "number", "release"),
    [
        ("FILE *it = fopen(text, \"r\");", "fileno(it)", "fclose(it);"),
        ("DIR *it = opendir(text);", "dirfd(it)", "closedir(it);"),
    ],
    ids=["stream", "directory"],
)
def test_the_number_of_a_stream_is_closed_with_it(acquire: str, number: str, release: str) -> None:
    lines = fixed(
        f"    {acquire}\n    int number;\n    char byte;\n    if (!it)\n        return -1;\n    number = {number};\n"
        f"    if (m == 1)\n        return (int)read(number, &byte, 1);\n    {release}\n    return 0;\n"
    )
    at = lines.index(release)
    assert "read(" in lines[at - 1] and "read(" not in lines[at + 1]


def test_a_member_that_is_closed_with_its_object_is_not_used_behind_that() -> None:
    lines = fixed(
        "    struct link *it = link_new();\n    int number;\n    char byte;\n    if (!it)\n        return -1;\n"
        "    number = it->number;\n    if (m == 1) {\n        link_end(it);\n        return 1;\n    }\n    if (m == 2)\n"
        "        return (int)read(number, &byte, 1);\n    link_end(it);\n    return 0;\n",
        "struct link { int number; };\n"
        "static struct link *link_new(void)\n{\n    struct link *it = malloc(sizeof *it);\n    if (!it)\n        return NULL;\n"
        "    it->number = open(\"/dev/null\", O_RDONLY);\n    if (it->number < 0) {\n        free(it);\n        return NULL;\n    }\n"
        "    return it;\n}\nstatic void link_end(struct link *it)\n{\n    close(it->number);\n    free(it);\n}\n",
    )
    at = next(n for n, line in enumerate(lines) if "read(number" in line)
    assert not any(word in line for line in lines[at - 3 : at] for word in ("link_end(it);", "close("))


def test_members_of_elements_are_told_apart() -> None:
    """What one element holds is freed by the code itself; the patch frees the other, or nothing."""
    lines = fixed(
        "    struct slot all[2];\n    char *one = malloc(4), *two = malloc(4);\n    if (!one || !two) {\n        free(one);\n"
        "        free(two);\n        return -1;\n    }\n    all[0].text = one;\n    all[1].text = two;\n    if (m == 1) {\n"
        "        free(all[0].text);\n        return 1;\n    }\n    free(one);\n    free(two);\n    return 0;\n",
        "struct slot { int n; char *text; };\n",
    )
    at = lines.index("free(all[0].text);")
    assert "free(one);" not in lines[at : at + 3]


def test_a_pointer_is_not_compared_behind_its_release() -> None:
    lines = fixed(
        "    char *it = malloc(4);\n    if (!it)\n        return -1;\n    it[0] = text[0];\n    if (m == 1)\n"
        "        return it != text;\n    free(it);\n    return 0;\n"
    )
    at = lines.index("free(it);")
    assert lines[at - 1] == "int result = it != text;"


@pytest.mark.parametrize(
    ("keep", "after"),
    [("initstate(1, it, 64)", "random()"), ("setbuf(stdin, it)", "getchar()")],
    ids=["random numbers", "buffer"],
)
def test_what_the_library_works_with_is_not_released(keep: str, after: str) -> None:
    lines = fixed(
        f"    char *it = malloc(64);\n    if (!it)\n        return -1;\n    {keep};\n    if (m == 1)\n        return (int){after};\n"
        "    free(it);\n    return 0;\n"
    )
    assert lines.count("free(it);") == 1


def test_a_stream_is_closed_before_the_memory_that_it_writes_to() -> None:
    lines = fixed(
        "    char *it = malloc(64);\n    FILE *stream;\n    if (!it)\n        return -1;\n    stream = fmemopen(it, 64, \"w\");\n"
        "    if (!stream) {\n        free(it);\n        return -1;\n    }\n    fputs(text, stream);\n    if (m == 1) {\n"
        "        free(it);\n        return 1;\n    }\n    fclose(stream);\n    free(it);\n    return 0;\n"
    )
    at = lines.index("return 1;")
    assert lines[at - 1] == "free(it);"


STRUCT = "struct named { char *name; int n; };\n"


@pytest.mark.parametrize(
    "copy", ["*copy = *it;", "memcpy(copy, it, sizeof *copy);"], ids=["assigned", "by the library"]
)
def test_a_copy_of_a_struct_leads_to_what_its_members_hold(copy: str) -> None:
    lines = fixed(
        "    struct named *it = calloc(1, sizeof *it), *copy = calloc(1, sizeof *copy);\n    if (!it || !copy) {\n        free(it);\n"
        f"        free(copy);\n        return -1;\n    }}\n    it->name = strdup(text);\n    {copy}\n    if (m == 1) {{\n"
        "        free(it);\n        m = copy->name[0];\n        free(copy);\n        return m;\n    }\n    free(it->name);\n"
        "    free(it);\n    free(copy);\n    return m;\n",
        STRUCT,
    )
    at = lines.index("m = copy->name[0];")
    assert "free(it->name);" not in lines[at - 3 : at]


@pytest.mark.parametrize(
    ("body", "is_new"),
    [
        ("    char *made = malloc(strlen(old) + 2);\n    return made ? strcat(strcpy(made, old), \"x\") : NULL;\n", True),
        ("    while (*old == ' ')\n        old++;\n    return *old ? old : strdup(\"\");\n", False),
        ("    char *made = malloc(4), *rest;\n    strtol(old, &rest, 10);\n    free(made);\n    return rest;\n", False),
        ("    char *both[2] = { old, strdup(old) };\n    free(both[1]);\n    return both[old[0] & 0];\n", False),
        ("    size_t number = (size_t)old;\n    return (char *)(number + 1);\n", False),
        ("    char *same;\n    memcpy(&same, &old, sizeof same);\n    return same;\n", False),
    ],
    ids=["a new text", "a part", "the rest", "an element", "a number", "copied bytes"],
)
def test_what_a_function_makes_anew_needs_nothing_of_its_arguments(body: str, is_new: bool) -> None:
    lines = fixed(
        "    char *it = strdup(text), *other;\n    if (!it)\n        return -1;\n    other = made_of(it);\n    if (!other) {\n"
        "        free(it);\n        return -2;\n    }\n    if (m == 1)\n        return puts(other);\n    m = other[0];\n    free(it);\n"
        "    return m;\n",
        f"static char *made_of(char *old)\n{{\n{body}}}\n",
    )
    at = next(n for n, line in enumerate(lines) if "puts(other)" in line)
    assert ("free(it);" in lines[at - 2 : at]) is False or is_new
    assert ("free(it);" in lines[at - 2 : at + 2]) or not is_new


RECORD = (
    "struct record { char *name; int number; };\nstatic struct record *record_new(const char *name)\n{\n"
    "    struct record *it = malloc(sizeof *it);\n    if (!it)\n        return NULL;\n    it->name = strdup(name);\n"
    "    it->number = open(name, O_RDONLY);\n    if (!it->name || it->number < 0) {\n        if (it->number >= 0)\n"
    "            close(it->number);\n        free(it->name);\n        free(it);\n        return NULL;\n    }\n    return it;\n}\n"
    "static void record_free(struct record *it)\n{\n    close(it->number);\n    free(it->name);\n    free(it);\n}\n"
)


def test_what_a_function_made_goes_by_the_destructor_of_its_type_though_nobody_calls_it_here() -> None:
    lines = fixed(
        "    struct record *it = record_new(text);\n    if (!it)\n        return -1;\n    if (m == 1)\n        return 1;\n    return it->name[0];\n",
        RECORD,
    )
    assert lines.count("record_free(it);") == 2
    assert "free(it);" not in lines and "close(it->number);" not in lines


def test_no_part_of_what_has_a_destructor_is_safely_released_alone() -> None:
    lines = fixed(
        "    struct record *it = record_new(text);\n    int number;\n    if (!it)\n        return -1;\n    number = it->number;\n"
        "    if (m == 1)\n        return 1;\n    if (m == 2) {\n        close(number);\n        return 2;\n    }\n    record_free(it);\n    return 0;\n",
        RECORD,
    )
    assert lines.count("close(number);") == 1 and "free(it);" not in lines


STREAM = """
static FILE *over(int fd) { FILE *it = fdopen(fd, "r"); if (!it) close(fd); return it; }
"""


@pytest.mark.parametrize("made", ["fdopen(fd, \"r\")", "over(fd)"])
@pytest.mark.parametrize("use", ["return (int)read(fd, &byte, 1);", "close(fd);\n        return 3;"])
def test_the_descriptor_of_a_stream_goes_with_it(made: str, use: str) -> None:
    """A descriptor that a stream took over is neither used behind its release nor closed a second time."""
    lines = fixed(
        f"    int fd = open(text, O_RDONLY);\n    char byte;\n    FILE *it;\n    if (fd < 0)\n        return -1;\n    it = {made};\n"
        f"    if (!it)\n        return -2;\n    if (m == 1) {{\n        {use}\n    }}\n    fclose(it);\n    return 0;\n",
        STREAM,
    )
    if use.startswith("return"):
        assert "int result = (int)read(fd, &byte, 1);" in lines and lines.count("fclose(it);") == 2
    else:
        assert lines.count("fclose(it);") == 1


@pytest.mark.parametrize(("others", "is_safe"), [("char *more(void) { return strtok(NULL, \",\"); }\n", False), ("", True)])
def test_a_text_that_others_go_on_with_stays(others: str, is_safe: bool) -> None:
    lines = fixed(
        "    char *copy = strdup(text), *word;\n    if (!copy)\n        return -1;\n    word = strtok(copy, \",\");\n"
        "    if (m == 1)\n        return 1;\n    free(copy);\n    return word != NULL;\n",
        others,
    )
    assert lines.count("free(copy);") == 1 + is_safe
