"""What other procedures of a file show of functions without source."""

from __future__ import annotations

from analyzers import analyze, load, specs
from analyzers.tree import MemoryTree

RESULT = """
struct parcel;
void parcel_free(struct parcel *);
void show(const struct parcel *);
int f(int n) { struct parcel *p = wrap(n); if (!p) return 1; show(p); return 0; }
"""
FREED = "void g(void) { struct parcel *p = wrap(1); show(p); parcel_free(p); }\n"
LOOKED = "void h(void) { struct parcel *p = wrap(2); show(p); }\n"
FETCHED = RESULT.replace("wrap", "get_wrapped")


def _reported(*parts: str) -> list[str]:
    program = load(MemoryTree({"a.c": "".join(parts).encode()}), specs.load(("c",)))
    found = {each.procedure for each in analyze(program, None).findings}
    return sorted(each for each in found if each.startswith("f"))


def test_what_others_release_is_given_away() -> None:
    assert _reported(RESULT) == []
    assert _reported(RESULT, FREED) == ["f"]
    assert _reported(RESULT, FREED, LOOKED) == []


def test_what_is_named_like_a_look_takes_two_that_release_it() -> None:
    freed = FREED.replace("wrap", "get_wrapped")
    assert _reported(FETCHED, freed) == []
    assert _reported(FETCHED, freed, freed.replace("g(", "k(")) == ["f"]


STORED = """
void use(const char *);
void free(void *);
int f(int n) { char *p; if (take(n, &p) != 0) return 1; use(p); return 0; }
void g(void) { char *p; if (take(1, &p) != 0) return; use(p); free(p); }
"""


def test_what_is_stored_for_the_caller_depends_on_a_result_that_is_compared() -> None:
    assert _reported(STORED) == ["f"]
    assert _reported(STORED.replace("if (take(n, &p) != 0) return 1;", "if (take(n, &p)) return 1;")) == []


def test_a_function_that_nobody_knows_and_that_is_named_as_fatal_does_not_return() -> None:
    source = "#include <stdlib.h>\nint f(int n) { char *p = malloc(8); if (n) { die_now(n); return 1; } free(p); return 0; }\n"
    assert _reported(source) == []
    assert _reported(source.replace("die_now", "tell_now")) == ["f"]


def test_what_becomes_of_copies_counts_in_the_order_of_the_body() -> None:
    copied = "void g(void) { struct parcel *q, *p = wrap(1); q = p; show(q); parcel_free(q); }\n"
    kept = "void g(void) { struct parcel *q, *p = wrap(1); q = p; show(p); last = q; }\n"
    other = "void g(void) { struct parcel *q = 0, *p = wrap(1); show(p); parcel_free(q); }\n"
    assert _reported(RESULT, copied) == ["f"]
    assert _reported(RESULT, f"struct parcel *last;\n{kept}", FREED) == ["f"]
    assert _reported(RESULT, other) == []
