"""A large circle of calls is gone through once, and what comes of it keeps silent rather than says too much."""

from __future__ import annotations

import itertools

import pytest

from analyzers import MemoryTree, Program, analyze, load
from analyzers.circles import MAX_CIRCLE
from analyzers.detectors import DETECTORS
from analyzers.engine import StandardEngine
from analyzers.finding import Confidence
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.specs import load as load_specs
from analyzers.summaries import Certainty, Effects, MemoryStore

HEAD = "#include <stdlib.h>\nstruct box { char *text; };\nint limit;\n"


class Counting(StandardEngine):
    """Tells which procedures are summarised, and how."""

    def __init__(self) -> None:
        super().__init__()
        self.summarised: list[str] = []
        self.sketched: list[str] = []

    def summarise(self, linked: Linked, queries: Queries) -> Effects:
        self.summarised.append(linked.key.name)
        return super().summarise(linked, queries)

    def sketch(self, linked: Linked, queries: Queries) -> Effects:
        self.sketched.append(linked.key.name)
        return super().sketch(linked, queries)


def circle(count: int, last: str = "free(b->text);", user: bytes = b"") -> dict[str, bytes]:
    """So many procedures, each of which calls the next one, and the last the first."""
    names = [f"f{number:03}" for number in range(count)]
    heads = "".join(f"int {name}(struct box *b, char *p);\n" for name in names)
    bodies = [f"int {name}(struct box *b, char *p) {{ if (!p) return 0; return {following}(b, p); }}\n" for name, following in itertools.pairwise(names)]
    end = f"int {names[-1]}(struct box *b, char *p) {{ if (!p) return 0; {last} return f000(b, p); }}\n"
    return {"a.c": (HEAD + heads + "".join(bodies) + end).encode() + user}


def effects_of(files: dict[str, bytes], engine: StandardEngine, store: MemoryStore | None = None) -> Effects:
    program = Program(MemoryTree(files), load_specs(("c",)), store=store, engine=engine)
    found = program.effects(ProcedureKey("a.c", "f001"))
    program.save()
    return found


def test_each_member_of_a_large_circle_is_gone_through_once() -> None:
    engine = Counting()
    effects_of(circle(MAX_CIRCLE + 1), engine)
    assert sorted(engine.sketched) == sorted(set(engine.sketched)) and len(engine.sketched) == MAX_CIRCLE + 1


def test_members_of_large_circles_are_counted() -> None:
    for size, count in ((MAX_CIRCLE + 1, MAX_CIRCLE + 1), (MAX_CIRCLE, 0)):
        program = Program(MemoryTree(circle(size)), load_specs(("c",)), engine=StandardEngine())
        program.effects(ProcedureKey("a.c", "f001"))
        assert program.encircled == count


def test_a_circle_that_is_not_large_is_gone_round() -> None:
    engine = Counting()
    effects_of(circle(MAX_CIRCLE), engine)
    assert engine.sketched == []


def test_a_large_circle_may_keep_what_it_gets() -> None:
    found = effects_of(circle(MAX_CIRCLE + 1), StandardEngine())
    assert not found.is_known and found.returns == "normal"
    assert {each.entry for each in found.transfers} == {("$0",), ("$0", "text"), ("$1",)}
    kept = [each for each in found.transfers if any(outcome.fate == "retained" for outcome in each.outcomes)]
    assert len(kept) == 3 and all(outcome.certainty is Certainty.MAY for each in kept for outcome in each.outcomes if outcome.fate == "retained")


def test_what_a_member_of_a_large_circle_releases_is_released() -> None:
    """As MAY, other ways of it that its caller cannot tell from these would be believed, too."""
    found = effects_of(circle(MAX_CIRCLE + 1, "free(p); p = 0;"), StandardEngine())
    fates = {(outcome.fate, outcome.certainty) for each in found.transfers if each.entry == ("$1",) for outcome in each.outcomes}
    assert ("released", Certainty.MUST) in fates


def lost(files: dict[str, bytes]) -> list[str]:
    """The procedures that something is told of."""
    program = load(MemoryTree(files), load_specs(("c",)))
    return sorted({each.procedure for each in analyze(program, program.procedures(), DETECTORS).findings})


@pytest.mark.parametrize("given", ["p", "b"])
def test_who_gives_something_to_a_large_circle_is_not_told_of(given: str) -> None:
    """`f000` frees nothing of it: gone round, the circle shows that."""
    user = b"int user(void) { struct box b; char *p = malloc(2); b.text = 0; f000(&b, p); return 0; }\n"
    if given == "b":
        user = b'int user(void) { struct box b; b.text = malloc(2); f000(&b, "x"); return 0; }\n'
    assert lost(circle(4, "", user)) == ["user"]
    assert lost(circle(MAX_CIRCLE + 1, "", user)) == []


def test_what_a_large_circle_surely_makes_is_told_for_sure() -> None:
    user = b"char *made(int n) { char *p = malloc(4); if (n) f000(0, 0); return p; }\nint user(int n) { char *q = made(n); if (q && n) return 1; free(q); return 0; }\n"
    files = {"a.c": b"char *made(int n);\n" + circle(MAX_CIRCLE + 1, "free(made(0));", user)["a.c"]}
    program = load(MemoryTree(files), load_specs(("c",)))
    found = analyze(program, [ProcedureKey("a.c", "user")], DETECTORS).findings
    assert program.encircled == MAX_CIRCLE + 2 and [each.confidence for each in found] == [Confidence.WITNESSED]


@pytest.mark.parametrize(("size", "count"), [(4, 1), (MAX_CIRCLE + 1, 0)])
def test_a_number_of_a_large_circle_is_no_block(size: int, count: int) -> None:
    user = b"size_t left(int n) { char *p = malloc(4); if (n) f000(0, 0); return (size_t)p; }\n"
    files = {"a.c": b"size_t left(int n);\n" + circle(size, "if (left(0)) return 2;", user)["a.c"]}
    found = Program(MemoryTree(files), load_specs(("c",)), engine=StandardEngine()).effects(ProcedureKey("a.c", "left"))
    assert len([each for each in found.transfers if not each.entry]) == count


def test_what_a_member_of_a_large_circle_keeps_to_itself_is_told() -> None:
    assert lost(circle(MAX_CIRCLE + 1, "char *q = malloc(4); if (!q) return 1; q[0] = 0;")) == [f"f{MAX_CIRCLE:03}"]


@pytest.mark.parametrize("last", ["free(b->text);", "return 1;", "b->text = p;"])
def test_a_large_circle_is_the_same_with_what_is_known_of_another_tree(last: str) -> None:
    store = MemoryStore()
    size = MAX_CIRCLE + 1
    effects_of(circle(size, "free(p);"), StandardEngine(), store)
    assert effects_of(circle(size, last), StandardEngine(), store) == effects_of(circle(size, last), StandardEngine())
    assert effects_of(circle(4, last), StandardEngine(), store) == effects_of(circle(4, last), StandardEngine())


def test_a_member_that_says_the_same_leaves_the_others_of_a_large_circle_alone() -> None:
    store = MemoryStore()
    effects_of(circle(MAX_CIRCLE + 1), StandardEngine(), store)
    engine = Counting()
    effects_of({"a.c": circle(MAX_CIRCLE + 1)["a.c"].replace(b"f003(struct box *b, char *p) { if", b"f003(struct box *b, char *p) { ; if")}, engine, store)
    assert engine.sketched == ["f003"]
