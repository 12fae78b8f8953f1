"""Where a walk of paths grows long (C): one from what is asked about alone may prove it; and what has gone twice is forgotten once."""

from __future__ import annotations

import pytest

from fixers.paths import checking
from fixers.paths.inside import let_go
from fixers.paths.state import WAS, State
from tests.unit.fixers.patching import mended

KEYS = 14


def _reader(end: str = "return 1;") -> bytes:
    """A reader of settings with many keys, whose values another object keeps."""
    keys = "\n".join(
        f'        }} else if (strcmp(key, "k{n}") == 0) {{\n            door->k{n} = malloc(strlen(at) + 1);\n            if (door->k{n} == NULL)\n'
        f"                exit(1);\n            strcpy(door->k{n}, at);\n            if (door->n{n} == 0)\n                note(\"k{n}\");"
        for n in range(KEYS)
    )
    members = " ".join(f"char *k{n}; int n{n};" for n in range(KEYS))
    return f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct door {{ FILE *once; {members} }};
void note(const char *text);
int settings(struct door *door, const char *path)
{{
    FILE *in = NULL;
    char line[200], *at, *key;
    if ((in = fopen(path, "r")) == NULL)
        return 1;
    while (fgets(line, sizeof(line), in)) {{
        if (line[0] == '#')
            continue;
        at = line;
        key = strsep(&at, "=");
        if (at == NULL) {{
            note("syntax");
            {end}
        }} else if (strcmp(key, "once") == 0) {{
            if ((door->once = fopen(at, "r")) == NULL)
                {end}
{keys}
        }} else {{
            note(key);
            {end}
        }}
    }}
    fclose(in);
    return 0;
}}
""".encode()


def test_a_long_reader_is_mended() -> None:
    assert mended("a.c", _reader()).count(b"fclose(in);") == 4


def test_only_by_a_walk_from_what_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has other files, which walks from all of them meet first."""
    monkeypatch.setattr(checking.shape, "starting_alone", lambda linked, question: ())
    assert mended("a.c", _reader()).count(b"fclose(in);") == 1


def test_what_took_the_place_of_the_same_is_kept_once() -> None:
    state = State(0)
    first, named = state.unknown(), state.unknown()
    later = [state.unknown() for _ in range(5)]
    for each in (*later, named):
        state.cells[each, WAS] = first
    let_go(state)
    assert [base for base, field in state.cells if field == WAS] == later[:1]
    for each in (*later, named):
        state.cells[each, WAS] = first
    state.variables["p"] = named
    let_go(state)
    assert [base for base, field in state.cells if field == WAS] == [named]


def test_what_leads_to_something_stays() -> None:
    state = State(0)
    first, one, two, part = state.unknown(), state.unknown(), state.unknown(), state.unknown()
    state.cells[one, WAS] = state.cells[two, WAS] = first
    state.cells[two, "next"] = part
    let_go(state)
    assert (two, WAS) in state.cells
    assert (one, WAS) not in state.cells
