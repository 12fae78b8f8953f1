"""Effects of procedures written by hand: transfers, outcomes with conditions, what is touched."""

from __future__ import annotations

from analyzers.summaries import Certainty, Condition, Effects, Outcome, Transfer
from tests.worlds import World


def effects(*texts: str) -> Effects:
    world = World(*texts)
    return world.effects(next(iter(world.bodies)))


def transfer(found: Effects, *entry: str) -> Transfer:
    return next(each for each in found.transfers if each.entry == entry)


def fates(outcomes: tuple[Outcome, ...]) -> set[tuple[str, str]]:
    return {(each.exit, each.fate) for each in outcomes}


def test_wrapper_of_an_allocator_says_when_it_succeeds() -> None:
    found = effects("function make (n)\n    p = function malloc(n)\n    return p")
    made = transfer(found)
    assert made.resource == "heap-memory" and made.site is not None
    assert made.outcomes[0].paths == (("$ret",),)
    assert Condition(("$ret",), "!=", "=0") in made.outcomes[0].when or Condition(("$ret",), "!=", "=null") in made.outcomes[0].when


def test_allocator_that_gives_up_never_returns_null() -> None:
    found = effects("""
function make (n)
result char *
    p = function malloc(n)
    if p == =null -> bad, good
bad: function exit(=1) -> good
good: return p
""")
    assert Condition(("$ret",), "!=", "=null") in found.result


def test_out_parameter_is_tied_to_the_return_code() -> None:
    found = effects("""
function make (out)
result int
    p = function malloc(=1)
    if p == =null -> bad, good
bad: return =-1
good: store out.* = p
    return =0
""")
    made = transfer(found)
    assert made.outcomes[0].paths == (("$0", "*"),)
    assert made.outcomes[0].when == (Condition(("$ret",), "==", "=0"),)
    assert found.result == (Condition(("$ret",), ">=", "=-1"), Condition(("$ret",), "<=", "=0"))


def test_release_of_a_parameter_that_may_be_null() -> None:
    found = effects("function drop (p)\n    if p == =null -> done, more\nmore: function free(p)\ndone: return")
    released = transfer(found, "$0")
    assert fates(released.outcomes) == {("return", "released")} and released.resource == "heap-memory"


def test_release_of_members_and_owner() -> None:
    found = effects("function drop (s)\n    %1 = load s.buf\n    function free(%1)\n    function free(s)\n    return")
    assert {each.entry for each in found.transfers} == {("$0",), ("$0", "buf")}


def test_release_by_a_parameter_is_told_by_condition() -> None:
    found = effects("function drop (p, b)\n    if b -> yes, no\nyes: function free(p)\nno: return")
    outcomes = transfer(found, "$0").outcomes
    assert {(each.fate, each.when) for each in outcomes} == {
        ("released", (Condition(("$1",), "!=", "=0"),)), ("held", (Condition(("$1",), "==", "=0"),)),
    }
    assert all(each.certainty is Certainty.MUST for each in outcomes)


def test_release_by_something_that_the_caller_cannot_see_counts() -> None:
    found = effects("function drop (p)\n    c = function use()\n    if c -> yes, no\nyes: function free(p)\nno: return")
    assert {(each.fate, each.certainty) for each in transfer(found, "$0").outcomes} == {
        ("released", Certainty.MUST), ("held", Certainty.MAY),
    }


def test_setter_moves_its_parameter_into_the_receiver_of_the_field() -> None:
    found = effects("function set (s, p)\n    store s.f = p\n    return")
    outcome = transfer(found, "$1").outcomes[0]
    assert outcome.fate == "held" and set(outcome.paths) == {("$1",), ("$0", "f")}


def test_global_keeps() -> None:
    found = effects("function set (p)\n    store .cache = p\n    return")
    assert fates(transfer(found, "$0").outcomes) == {("return", "retained")}


def test_mere_borrow_has_no_transfer() -> None:
    assert effects("function look (p)\n    x = load p.f\n    function use(p)\n    return").transfers == ()


def test_identity_returns_what_it_is_passed() -> None:
    found = effects("function same (p)\n    return p")
    assert set(transfer(found, "$0").outcomes[0].paths) == {("$0",), ("$ret",)} and found.aliases == ("$0",)


def test_assigned_formal_still_says_what_happens_to_the_callers() -> None:
    found = effects("function drop (p)\n    function free(p)\n    p = =null\n    return")
    assert fates(transfer(found, "$0").outcomes) == {("return", "released")}


def test_calls_are_followed_through_levels_and_recursion() -> None:
    found = effects(
        "function outer (p)\n    function inner(p)\n    return",
        "function inner (q)\n    if * -> again, last\nagain: function inner(q)\n    return\nlast: function free(q)\n    return",
    )
    assert fates(transfer(found, "$0").outcomes) == {("return", "released")}


def test_procedure_without_end_never_returns() -> None:
    assert effects("function spin ()\nhead: function use() -> head").returns == "never"
    assert effects("function quit ()\n    function exit(=1) -> after\nafter: return").returns == "normal"


def test_touches_are_transitive_and_rooted_at_formals_and_globals() -> None:
    found = effects(
        "function outer (s)\n    %1 = load s.inner\n    function inner(%1, s)\n    return",
        "function inner (t, u)\n    x = load t.count\n    store t.count = =1\n    store .last = u\n    return",
    )
    assert ("$0", "inner", "count") in found.reads and ("$0", "inner", "count") in found.writes
    assert ("::last",) in found.writes and ("$0",) in found.retains


def test_recursive_structures_are_summed_up() -> None:
    found = effects("function walk (n)\n    %1 = load n.next\n    function walk(%1)\n    store n.seen = =1\n    return")
    assert all(len(path) <= 4 for path in (*found.reads, *found.writes))
    assert ("$0", "seen") in found.writes


def test_callee_that_nobody_knows_makes_it_unknown() -> None:
    assert not effects("function f (p)\n    function stranger(p)\n    return").is_known
    assert effects("function f (p)\n    function stranger()\n    return").is_known
