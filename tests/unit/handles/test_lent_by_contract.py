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


def test_what_a_rule_for_all_calls_into_a_library_says_is_not_for_the_library_itself() -> None:
    """Its body says more than the beginning of its name, in the library's own tree and in copies of it."""
    assert _lost(b"mosquitto_typed_text") == ["ask"]


KEPT = b"""#include <stdlib.h>
static char *shown;
void mosquitto_set_shown(char *text)
{
    shown = text;
}
"""

GIVEN = b"""#include <stdlib.h>
void mosquitto_set_shown(char *text);
int note(int size)
{
    char *text = calloc(size, 1);
    if (text == NULL)
        return -1;
    mosquitto_set_shown(text);
    return 0;
}
"""


def test_what_the_body_of_a_library_keeps_is_not_lost() -> None:
    """A rule only believes that it might be kept."""
    files = {"lib/set.c": KEPT, "src/main.c": GIVEN}
    assert [each.procedure for each in analyze(load(MemoryTree(files), specs.load(("c",)))).findings] == []
