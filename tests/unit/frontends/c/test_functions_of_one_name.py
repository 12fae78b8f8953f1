"""Several programs of one tree have functions of the same name: a call runs those that take as many arguments as it has."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs

THREE = b"""
#include <stdlib.h>
int text_make(int kind, char **text, long *size) { *text = malloc(kind); *size = kind; return 0; }
"""
TWO = b"""
#include <stdlib.h>
int text_make(char **text, long *size) { *text = malloc(4); *size = 4; return 0; }
"""
ANY = b"""
#include <stdlib.h>
int text_make(char **text, ...) { *text = NULL; return 0; }
"""
CALLER = b"""
#include <stdlib.h>
int text_make(char **, long *);
int first(void) {
    char *text = NULL;
    long size = 0;
    text_make(&text, &size);
    if (text != NULL)
        return (int) size;
    return 0;
}
"""


def _makers(tree: dict[str, bytes]) -> list[str]:
    program = load(MemoryTree({"main.c": CALLER, **tree}), specs.load(("c",)))
    return [step.span.path for each in analyze(program).findings for step in each.witness if step.role == "acquire" and step.span.path != "main.c"]


def test_a_call_runs_the_function_that_takes_its_arguments() -> None:
    assert _makers({"a/text.c": THREE, "b/text.c": TWO}) == ["b/text.c"]


def test_what_takes_any_number_of_arguments_may_be_meant_too() -> None:
    assert _makers({"a/text.c": THREE, "b/text.c": ANY}) == []


def test_where_none_takes_as_many_all_may_be_meant() -> None:
    assert _makers({"a/text.c": THREE, "b/text.c": THREE}) != []
