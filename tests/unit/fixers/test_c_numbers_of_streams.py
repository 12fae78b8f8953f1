"""A stream whose descriptor the function closes by its number is not closed behind that for sure: both would close one number (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

HEAD = "#include <stdio.h>\n#include <unistd.h>\nstruct q { int in; };\n"
BODY = "FILE *s = fdopen(WHAT, \"r\"); if (!s) { close(WHAT); return -1; } if (fgetc(s) == 7) { close(WHAT); return -1; } fclose(s); return 0; }"
OTHER = "FILE *s = fdopen(WHAT, \"r\"); if (!s) { close(WHAT); return -1; } if (fgetc(s) == 7) { return -1; } fclose(s); return 0; }"


@pytest.mark.parametrize(
    ("start", "what"),
    [("int f(int in) { ", "in"), ("int f(int *in) { ", "in[0]"), ("int f(struct q *q) { ", "q->in"), ("int f(void) { int in[2]; if (pipe(in)) return -1; close(in[1]); ", "in[0]")],
    ids=["variable", "element", "member", "pipe"],
)
def test_the_number_is_closed(start: str, what: str) -> None:
    assert verdict(HEAD + start + BODY.replace("WHAT", what)) != "safe"
    assert set(verdict(HEAD + start + OTHER.replace("WHAT", what)).split("; ")) == {"safe"}
