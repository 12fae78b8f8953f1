"""Mutants of Java take out one release, or lead some path past it; nothing else changes."""

from __future__ import annotations

import random

import pytest

from analyzers.syntax import JAVA, parse
from benchmarks.mutants_java import mutants
from benchmarks.mutate import Drawn, answered, draw, shuffled

IN_FINALLY = b"""class A {
    int read() throws E {
        R r = open();
        try {
            if (r.isEmpty()) {
                return 0;
            }
            return r.read();
        } finally {
            if (r != null) {
                try {
                    r.close();
                } catch (E e) {
                    log(e);
                }
            }
        }
    }
}
"""


def made(kind: str, data: bytes) -> list[str]:
    """The statements of the methods that mutants of a kind give, on one line each."""
    found = [each.applied(data) for each in mutants(data) if each.kind == kind]
    assert all(not parse(JAVA, each).errors for each in found)
    return [" ".join(each.decode().split()) for each in found]


def body(text: str) -> bytes:
    return f"class A {{ void run() throws E {{ {text} }} }}".encode()


def test_a_close_in_finally_goes_with_its_test_and_handler_or_to_the_end_of_the_try() -> None:
    (struck,), (moved,) = made("finally", IN_FINALLY), made("moved", IN_FINALLY)
    assert "return r.read(); } finally { } }" in struck
    assert "{ if (r.isEmpty()) { return 0; } if (r != null) { try { r.close(); } catch (E e) { log(e); } } return r.read(); } }" in moved


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("plain", "R r = open(); r.use(); r.close();", "R r = open(); r.use();"),
        ("plain", "R r = open(); closeQuietly(r);", "R r = open();"),
        ("plain", "R r = open(); if (r != null) r.close(); else log();", "R r = open(); if (r != null) ; else log();"),
        ("early", "R r = open(); if (a) { r.close(); return; } r.close();", "R r = open(); if (a) { return; } r.close();"),
        ("catch", "R r = open(); try { r.use(); } catch (E e) { r.close(); throw e; }", "R r = open(); try { r.use(); } catch (E e) { throw e; }"),
        ("header", "try (R r = open()) { r.use(); }", "{ R r = open(); r.use(); }"),
        ("header", "try (R r = open()) { r.use(); } catch (E e) { }", "try { R r = open(); r.use(); } catch (E e) { }"),
    ],
)
def test_one_release_is_taken_out(kind: str, before: str, after: str) -> None:
    assert " ".join(body(after).decode().split()) in made(kind, body(before))


@pytest.mark.parametrize(
    "text", ["r.close();", "R r = other; r.close();", "StringWriter w = new StringWriter(); w.close();", "Runnable run = () -> { R r = open(); r.close(); };"]
)
def test_what_a_method_did_not_make_itself_is_left(text: str) -> None:
    assert mutants(body(text)) == []


def test_the_same_seed_draws_the_same_at_most_one_a_file() -> None:
    sources = [(f"{name}.java", IN_FINALLY) for name in "abcdef"]
    found = shuffled(sources, random.Random("1"))
    drawn = draw(found, 4)
    assert drawn == draw(shuffled(sources, random.Random("1")), 4)
    assert len({each.path for each in drawn}) == 4
    assert {each.mutant.kind for each in drawn} == {"finally", "moved"}


@pytest.mark.parametrize(("finding", "answer"), [
    ({"introduced": True, "confidence": "assumed", "line": 3}, "assumed"),
    ({"introduced": True, "confidence": "witnessed", "line": 3}, "witnessed"),
    ({"introduced": False, "confidence": "witnessed", "line": 3}, "old"),
    ({"introduced": True, "confidence": "witnessed", "line": 30}, "missed"),
])  # fmt: skip
def test_what_is_introduced_in_the_method_is_told(finding: dict[str, object], answer: str) -> None:
    mutant = mutants(IN_FINALLY)[0]
    place = {"path": "a.java", "line": finding["line"]}
    found = [{**finding, "acquired": place, "lost": place}]
    assert answered(Drawn("a.java", mutant, IN_FINALLY, mutant.applied(IN_FINALLY)), found) == answer


def test_takes_sums_of_thousands_of_texts() -> None:
    """They nest as deep as they are long, in a method and in a field."""
    long = b" + ".join([b'"a"'] * 3000)
    data = b"class A { String f = " + long + b"; void m() throws E { R r = open(); use(" + long + b"); r.close(); } }"
    assert [each.kind for each in mutants(data)] == ["plain"]
