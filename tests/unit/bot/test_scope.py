"""What a change reaches beyond the procedures that it touches, in the head and in the base alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import analyzers
from analyzers.detectors import DETECTORS
from analyzers.specs import load
from analyzers.tree import MemoryTree
from bot.hunks import FileDiff
from bot.scope import affected

OPENER = "FILE *opened(const char *p)\n{\n    return fopen(p, \"r\");\n}\n"
USER = """\
#include <stdio.h>
FILE *opened(const char *p);

int size(const char *p)
{
    FILE *f = opened(p);
    return f ? 1 : 0;
}

int other(void)
{
    return 1;
}
"""


def scope(before: Mapping[str, str], after: Mapping[str, str], renames: Iterable[tuple[str, str]] = ()) -> tuple[list[str], list[str]]:
    """Names of the procedures in scope, head then base."""
    head = analyzers.load(MemoryTree({path: text.encode() for path, text in after.items()}), load(("c", "java")))
    base = head.beside(MemoryTree({path: text.encode() for path, text in before.items()}))
    moved = dict(renames)
    files = [FileDiff(old, new) for old, new in moved.items()] + [
        FileDiff(path if path in before else "", path if path in after else "")
        for path in sorted({*before, *after} - {*moved, *moved.values()})
        if before.get(path) != after.get(path)
    ]
    found = affected(head, base, files, DETECTORS, analyzers.Means())
    return [key.name for key in found.after], [key.name for key in found.before]


def test_only_what_differs() -> None:
    before = {"a.c": USER, "b.c": OPENER}
    after = {"a.c": USER.replace("return 1;", "return 2;"), "b.c": OPENER}
    assert scope(before, after) == (["other"], ["other"])


def test_nothing_for_a_comment_between_functions() -> None:
    before = {"a.c": USER}
    assert scope(before, {"a.c": "/* new */\n" + USER}) == ([], [])


def test_callers_follow_where_effects_differ() -> None:
    """The callee begins to close what it opens: its caller's leak is gone, though nobody touched the caller."""
    closing = OPENER.replace("return fopen(p, \"r\");", "FILE *f = fopen(p, \"r\");\n    if (f) fclose(f);\n    return 0;")
    head, base = scope({"a.c": USER, "b.c": OPENER}, {"a.c": USER, "b.c": closing})
    assert head == base == ["size", "opened"]


def test_callers_stay_out_where_they_see_the_same() -> None:
    same = OPENER.replace("return fopen(p, \"r\");", "return fopen(p, \"rb\");")
    assert scope({"a.c": USER, "b.c": OPENER}, {"a.c": USER, "b.c": same}) == (["opened"], ["opened"])


def test_procedures_that_come_and_go() -> None:
    new = USER + "int fresh(void)\n{\n    return 3;\n}\n"
    assert scope({"a.c": USER}, {"a.c": new}) == (["fresh"], [])
    assert scope({"a.c": new}, {"a.c": USER}) == ([], ["fresh"])


def test_a_renamed_file_is_the_same_file() -> None:
    assert scope({"a.c": USER}, {"lib/b.c": USER}, [("a.c", "lib/b.c")]) == ([], [])


def test_a_changed_macro_reaches_those_who_use_it() -> None:
    header = "#define CLOSE(f) fclose(f)\n"
    user = '#include "m.h"\n#include <stdio.h>\nvoid g(FILE *f)\n{\n    CLOSE(f);\n}\nvoid h(void)\n{\n}\n'
    head, _ = scope({"m.h": header, "a.c": user}, {"m.h": header.replace("fclose(f)", "(void)(f)"), "a.c": user})
    assert "g" in head
    assert "h" not in head
