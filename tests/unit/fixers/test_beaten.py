"""What is not asked of a form that can no longer change the answer, and where one path says enough of a long method."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from analyzers import Program, analyze
from analyzers.source import Span
from fixers import driver, paths, verify
from fixers.edits import apply
from fixers.fix import Check, Declined, Edit, Fix, Verdict
from fixers.leak import Candidate, Leak
from fixers.options import Options
from fixers.paths import explore
from fixers.setting import setting
from fixers.verify import Tried
from tests.unit.fixers.patching import program

TEXT = b"""#include <stdlib.h>
#include <string.h>
int f(const char *name, int n) {
    char *line = strdup(name);
    if (line == NULL)
        return -1;
    if (n < 0)
        return -2;
    free(line);
    return 0;
}
"""

GONE = Check("finding is gone", Verdict.PROVED, "")


def _leak(path: str = "a.c", text: bytes = TEXT) -> tuple[Program, Leak]:
    subject = program(path, text)
    (finding,) = analyze(subject).findings
    leak = setting(finding, subject, Options())
    assert isinstance(leak, Leak)
    return subject, leak


def _form(title: str, assumption: str = "") -> Candidate:
    return Candidate(title, (), assumption=assumption)


def _tried(monkeypatch: pytest.MonkeyPatch, forms: list[Candidate], doubts: dict[str, str]) -> tuple[list[str], Fix | Declined]:
    """The forms that were verified, and the answer; `doubts`: per title what is assumed of it."""
    asked: list[str] = []

    def proof(_: object, __: object, form: Candidate, *others: object) -> tuple[Check, ...]:
        asked.append(form.title)
        words = doubts.get(form.title, "")
        return (GONE, Check("released once", Verdict.ASSUMED if words else Verdict.PROVED, words))

    subject, leak = _leak()
    monkeypatch.setattr(driver, "_proposals", lambda _: iter(forms))
    monkeypatch.setattr(driver, "verify", proof)
    return asked, driver._mended(leak, subject, Options(), None)


def test_what_bears_an_assumption_is_no_better_than_what_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answer = _tried(monkeypatch, [_form("first"), _form("second", "so"), _form("third", "so")], {"first": "perhaps"})
    assert asked == ["first"]
    assert isinstance(answer, Fix) and answer.title == "first"


def test_it_is_tried_before_what_may_be_better(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = [_form("first"), _form("second", "so"), _form("third")]
    asked, answer = _tried(monkeypatch, forms, {"first": "perhaps", "second": "so"})
    assert asked == ["first", "second", "third"]
    assert isinstance(answer, Fix) and answer.title == "third"


def test_it_may_still_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = [_form("first"), _form("second", "so"), _form("third")]
    asked, answer = _tried(monkeypatch, forms, {"first": "perhaps", "second": "more than 9000 steps"})
    assert asked == ["first", "second"]
    assert isinstance(answer, Fix) and answer.title == "first"


def test_it_is_tried_where_more_is_assumed_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = _tried(monkeypatch, [_form("first", "so"), _form("second", "so")], {"first": ""})
    assert asked == ["first"]  # nothing is assumed: it is the answer
    asked, _ = _tried(monkeypatch, [_form("second", "so"), _form("third", "so")], {"second": "so", "third": "so"})
    assert asked == ["second"]


def _released() -> Candidate:
    at = TEXT.index(b"return -2;")
    edits = (Edit(Span("a.c", at, at), "{ free(line); "), Edit(Span("a.c", at + 10, at + 10), " }"))
    assert b"{ free(line); return -2; }" in apply(TEXT, edits)
    return Candidate("", edits)


def _unexpected(*_: object, **__: object) -> None:
    raise AssertionError("it is asked all the same")


def test_detectors_are_not_asked_of_what_is_beaten(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, leak = _leak()
    whole = verify.verify(subject, leak, _released(), None, None, Tried(most=1))
    assert all(each.verdict is Verdict.PROVED for each in whole) and GONE.name in {each.name for each in whole}
    monkeypatch.setattr(verify, "reanalyse", _unexpected)
    beaten = verify.verify(subject, leak, _released(), None, None, Tried(most=0))
    assert beaten and GONE.name not in {each.name for each in beaten}


def test_a_path_that_still_loses_it_is_a_doubt_whatever_detectors_say(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, leak = _leak(text=TEXT.replace(b"    free(line);", b"    if (n > 9)\n        return -3;\n    free(line);"))
    monkeypatch.setattr(verify, "reanalyse", _unexpected)
    with pytest.raises(AssertionError):
        verify.verify(subject, leak, _released(), None, None, Tried(most=2))
    beaten = verify.verify(subject, leak, _released(), None, None, Tried(most=1))
    assert beaten and GONE.name not in {each.name for each in beaten}
    assert not any(each.verdict is Verdict.REFUTED for each in beaten)


def test_what_is_harmful_anyway_is_walked_only_for_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, leak = _leak()
    monkeypatch.setattr(verify, "freed_before", lambda *_: "line")
    first = verify.verify(subject, leak, _released(), None, None)
    monkeypatch.setattr(paths, "check", _unexpected)
    again = verify.verify(subject, leak, _released(), None, None, Tried(is_told=True))
    for proof in (first, again):
        assert [each.reason for each in proof if each.verdict is Verdict.REFUTED] == ["what `line` points to may have been released before"]


def _long(flags: int) -> bytes:
    """A method that decides on many things before it opens a file, and uses them behind it."""

    def lines() -> Iterator[str]:
        yield "class A { void f(Some s) throws java.io.IOException {"
        yield from (f"int n{each} = s.is{each}() ? {each} + 3 : {each} + 4;" for each in range(flags))
        yield 'java.io.FileInputStream in = new java.io.FileInputStream("x"); in.read();'
        yield from (f"if (n{each} == {each} + 3) s.use{each}();" for each in range(flags))
        yield "} }"

    return "\n".join(lines()).encode()


def test_a_loss_in_a_long_method_is_seen_on_one_path(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, leak = _leak("A.java", _long(14))
    monkeypatch.setattr(explore, "LIMIT", 30)
    monkeypatch.setattr(explore, "FINE", 10)
    answer = driver.second_look(subject, leak)
    assert answer is not None and answer.verdict is Verdict.REFUTED


def test_detectors_are_asked_first_where_the_form_before_left_it(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, leak = _leak()
    at = TEXT.index(b"    if (n < 0)")
    form = Candidate("", (Edit(Span("a.c", at, at), "    /* nothing */\n"),))
    monkeypatch.setattr(paths, "check", _unexpected)
    proof = verify.verify(subject, leak, form, None, None, Tried(is_left=True))
    assert [each.name for each in proof if each.verdict is Verdict.REFUTED] == ["finding is gone"]
