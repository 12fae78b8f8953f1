"""What a callee writes into a note of its own is not only lent where it hands the note on: who gets that may end both."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import answers

TEXT = """#include <stdlib.h>
struct note { char *text; int kind; };
struct note *made_elsewhere(void);
int pass_on(struct note *note);
void look(const char *text);

static void tell(char *text)
{
    struct note *note = %s;

    if (!note)
        return;
    note->text = text;
    %s;
}

void changed(void)
{
    char *text = malloc(16);

    if (text)
        tell(text);
}
"""


def _is_safe(made: str, then: str) -> bool:
    found = answers("x.c", (TEXT % (made, then)).encode())
    return any(getattr(each, "applicability", None) == "safe" and any("free(text)" in edit.text for edit in each.edits) for each in found)  # type: ignore[union-attr]


@pytest.mark.parametrize("made", ["malloc(sizeof *note)", "made_elsewhere()"])
@pytest.mark.parametrize("then", ["pass_on(note)", "g_main_context_invoke(NULL, (GSourceFunc)look, note)", "(void)pass_on((struct note *)note)"])
def test_it_may_be_ended_with_the_note(made: str, then: str) -> None:
    assert not _is_safe(made, then)


def test_it_is_lent_where_the_note_ends_at_once() -> None:
    assert _is_safe("malloc(sizeof *note)", "free(note)")
