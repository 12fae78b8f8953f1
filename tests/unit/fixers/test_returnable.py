"""What a function can return at most, told without a path."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program, load
from analyzers.facts import facts
from analyzers.queries import ProcedureKey
from analyzers.specs import load as load_specs
from fixers.callees import Callees
from fixers.returnable import ANYTHING, returnable
from tests.unit.fixers.test_proofs import verdict

_C = b"""
#include <stdlib.h>
struct row;
int fault(const char *text);
#define FAULT(text) (fault(text) ? NULL : NULL)
char *plain(int n) { char *p = malloc(n); if (!p) abort(); return p; }
char *failing(int n) { char *p; if (n > 9) return FAULT("n"); p = malloc(n); return p; }
char *of_two(int n) { char *p = malloc(n); char *q = p; if (n > 9) { free(q); q = NULL; } return (char *)q; }
char *given(char *p, int n) { if (n) p = malloc(n); return p; }
char *unset(int n) { char *p; if (n) p = malloc(n); return p; }
char *filled(int n) { char *p = malloc(n); fill(&p); return p; }
char *held[2];
char *kept(int n) { char *p = malloc(n); if (n > 9) p = held[1]; return p; }
int opened(int n) { int fd = -1; char *p = malloc(n); free(p); return fd; }
void nothing(int n) { free(malloc(n)); }
"""


@pytest.mark.parametrize(("name", "expected"), [
    ("plain", {"held", "null"}), ("failing", {"held", "null"}), ("of_two", {"held", "null"}), ("given", ANYTHING), ("unset", ANYTHING),
    ("filled", ANYTHING), ("kept", ANYTHING), ("opened", {"other"}), ("nothing", set()),
])
def test_says_what_may_be_returned_at_most(name: str, expected: set[str]) -> None:
    known = facts(_program(), ProcedureKey("a.c", name))
    assert known is not None
    sites = frozenset(node for node, each in known.effects.items() if any(not t.entry for one in each for t in one.transfers))
    assert returnable(known, sites, {}, "heap-memory") == expected


@pytest.mark.parametrize(("name", "other"), [("plain", set()), ("failing", {"null"}), ("of_two", {"null"}), ("given", {"null", "other"})])
def test_walks_only_until_all_of_it_was_returned(name: str, other: set[str]) -> None:
    found = Callees(_program()).results(ProcedureKey("a.c", name), "heap-memory")
    assert found - {"held"} == other


def test_what_somebody_gives_in_the_place_of_a_block_comes_through_who_hands_it_on() -> None:
    made = "char spare[64]; static char *made(int n) { char *p = malloc(n); %s return p; } static char *handed(int n) { char *p = made(n); return p; }"
    use = " int use(int n) { char *p = handed(n); if (!p) return -1; if (n > 7) return -2; puts(p); free(p); return 0; }"
    assert verdict(made % "if (!p) p = spare;" + use).startswith("unsafe")
    assert verdict(made % "" + use) == "safe"


def _program() -> Program:
    return load(MemoryTree({"a.c": _C}), load_specs(("c",), ()))
