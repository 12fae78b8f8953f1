"""What is asked before the long walk of all paths: the detectors on the patched text, and one path on which a finding is lost (C)."""

from __future__ import annotations

import pytest

from analyzers import Program, analyze
from analyzers.finding import Finding
from analyzers.source import Span
from fixers.driver import second_look
from fixers.fix import Edit, Verdict
from fixers.leak import Candidate, Leak
from fixers.options import Options
from fixers.paths import LEAKING
from fixers.paths.explore import Walk
from fixers.setting import setting
from fixers.verify import is_left_by
from tests.unit.fixers.patching import program

TEXT = b"""#include <stdlib.h>
#include <string.h>
int f(const char *name, int n) {
    char *line = strdup(name);
    if (line == NULL)
        return -1;
    if (n < 0)
        return -2;  /* EARLY */
    if (n > 9)
        return -3;  /* LATE */
    free(line);
    return 0;
}
"""


def _leak(text: bytes = TEXT) -> tuple[Program, Finding, Leak]:
    subject = program("a.c", text)
    (finding,) = analyze(subject).findings
    leak = setting(finding, subject, Options())
    assert isinstance(leak, Leak)
    return subject, finding, leak


def _released_before(*marks: bytes) -> Candidate:
    """A release behind the braces that a return gets."""
    edits = []
    for mark in marks:
        start = TEXT[: TEXT.index(mark)].rindex(b"return")
        end = TEXT.index(b";", start) + 1
        edits += [Edit(Span("a.c", start, start), "{ free(line); "), Edit(Span("a.c", end, end), " }")]
    return Candidate("", tuple(edits))


def test_a_form_that_mends_one_of_two_ways_leaves_it() -> None:
    subject, _, leak = _leak()
    assert is_left_by(subject, leak, _released_before(b"EARLY"), None)
    assert is_left_by(subject, leak, _released_before(b"LATE"), None)


def test_a_form_that_mends_all_ways_does_not() -> None:
    subject, _, leak = _leak()
    assert not is_left_by(subject, leak, _released_before(b"EARLY", b"LATE"), None)


def test_a_comment_mends_nothing() -> None:
    subject, _, leak = _leak()
    at = TEXT.index(b"    free(line)")
    assert is_left_by(subject, leak, Candidate("", (Edit(Span("a.c", at, at), "    /* free(line); */\n"),)), None)


def test_one_path_on_which_it_is_lost_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """No walk of all paths begins where the nearest one shows it."""

    def unexpected(self: Walk, starts: object = (), **others: object) -> None:
        raise AssertionError("all paths are walked")

    monkeypatch.setattr(Walk, "run", unexpected)
    subject, _, leak = _leak()
    answer = second_look(subject, leak)
    assert answer is not None
    assert (answer.verdict, answer.reason) == (Verdict.REFUTED, LEAKING)


def test_a_way_that_cannot_be_is_none() -> None:
    """The nearest way to the end that the finding names is tried first, and is none: all others are walked then."""
    _, finding, _ = _leak()
    text = TEXT.replace(b"if (n < 0)\n", b"if (line == NULL)\n").replace(b"if (n > 9)\n", b"if (line == NULL)\n")
    other = program("a.c", text)
    leak = setting(finding, other, Options())
    assert isinstance(leak, Leak)
    answer = second_look(other, leak)
    assert answer is not None
    assert answer.verdict is Verdict.PROVED
