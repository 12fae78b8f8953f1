"""What proofs learn of callees does not depend on what was asked before."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from analyzers import MemoryTree, Program, ir, load
from analyzers.facts import facts
from analyzers.queries import ProcedureKey
from analyzers.specs import load as load_specs
from fixers.later import Later
from fixers.lenders import Lenders
from fixers.results import MAX_DEPTH, Results

CHAIN = b"""\
#include <stdlib.h>
void stranger(char *text);
char *fifth(char *text) { return strdup(text); }
char *fourth(char *text) { return fifth(text); }
char *third(char *text) { return fourth(text); }
char *second(char *text) { return third(text); }
char *first(char *text) { return second(text); }
char *loop(char *text, int depth) { return depth > 0 ? loop(text, depth - 1) : strdup(text); }
int outer(char *text) { stranger(text); return 0; }
int use(char *text)
{
\tchar *one = first(text), *two = third(text), *more = loop(text, 3);
\treturn one != two && two != more && outer(text);
}
"""


def program() -> Program:
    return load(MemoryTree({"a.c": CHAIN}), load_specs(("c",), ()))


def answers(order: list[str]) -> dict[str, frozenset[str]]:
    subject = program()
    known = facts(subject, ProcedureKey("a.c", "use"))
    assert known is not None
    calls = {call.name: node for node, call in enumerate(known.linked.body.nodes) if isinstance(call, ir.Call)}
    results = Results(subject)
    return {name: results.apart(known.linked, calls[name]) for name in order}


@pytest.mark.parametrize("order", [["first", "third", "loop"], ["loop", "third", "first"], ["third", "first", "loop"]])
def test_what_a_result_needs_is_the_same_in_any_order(order: list[str]) -> None:
    assert answers(order) == answers(["first", "third", "loop"])


def test_a_chain_of_calls_is_followed_as_deep_as_from_its_beginning() -> None:
    assert MAX_DEPTH == 4
    found = answers(["first", "third"])
    assert found == {"first": frozenset(), "third": frozenset(("$0",))}
    assert answers(["third", "first"]) == found


def test_who_is_lent_something_is_the_same_in_any_order() -> None:
    def borrowed(names: tuple[set[str], ...]) -> list[Mapping[int, frozenset[str]]]:
        subject = program()
        known = facts(subject, ProcedureKey("a.c", "use"))
        assert known is not None
        lenders = Lenders(subject, "NULL")
        return [lenders.borrowed(known, each) for each in names]

    first, second = borrowed(({"text"}, {"one"})), borrowed(({"one"}, {"text"}))
    assert first == second[::-1]


def test_a_call_is_looked_into_when_somebody_asks_and_once() -> None:
    asked: list[int] = []

    def ask(node: int) -> frozenset[str]:
        asked.append(node)
        return frozenset((f"${node}",))

    told = Later((1, 2), ask)
    assert asked == []
    assert (told.get(2), told.get(2), told.get(3)) == (frozenset(("$2",)), frozenset(("$2",)), None)
    assert asked == [2]
    assert dict(told) == {1: frozenset(("$1",)), 2: frozenset(("$2",))}
