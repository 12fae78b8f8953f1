"""What a library's function lends stays lent where the program has a function of that name for systems without it."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs

REPLACED = b"""#include <stdlib.h>
#include <string.h>
static char typed[80];
char *NAME(const char *prompt)
{
    typed[0] = prompt[0];
    return strdup(typed);
}
"""

USED = b"""#include <string.h>
#include <unistd.h>
char *NAME(const char *prompt);
int ask(const char *wanted)
{
    char *typed = NAME("Password: ");
    return typed != NULL && strcmp(typed, wanted) == 0;
}
"""


def _lost(name: bytes) -> list[str]:
    files = {"lib/asked.c": REPLACED.replace(b"NAME", name), "src/main.c": USED.replace(b"NAME", name)}
    return [each.procedure for each in analyze(load(MemoryTree(files), specs.load(("c",)))).findings]


def test_what_a_replacement_of_the_system_makes_is_not_its_callers() -> None:
    assert _lost(b"getpass") == []


def test_what_a_function_of_the_program_makes_is_its_callers() -> None:
    assert _lost(b"typed_text") == ["ask"]
