"""The worked examples of Tracker's section 2.2, with the paper's own facts.

Variables of ours are mutable, so that a φ is a copy; a temporary's path goes when nobody reads it any more.
"""

from __future__ import annotations

from tests.worlds import World, facts_after

EXAMPLE_1 = """
function example (q)
    p = function acquire()
    store q.f = p
    r = load q.f
    if r == =null -> done, more
more: function release(r)
done: return
"""


def test_example_1_facts_and_infeasible_branch() -> None:
    facts = facts_after(World(EXAMPLE_1).handles("example"), [4, 5, 6, 7, 8])
    assert facts[4] == [("p",)]
    assert facts[5] == [("p", "q.f")]
    assert facts[6] == [("p", "q.f", "r")]
    assert facts[7] == [("p", "q.f", "r")]
    assert facts[8] == [], "a must-alias of a resource is not null: nothing reaches L1 but the released"


def test_example_1_has_no_leak() -> None:
    assert World(EXAMPLE_1).lost("example") == [[]]


EXAMPLE_2 = """
function example ()
    p1 = =null
    p2 = p1
head: if * -> leave, again
again: p3 = function acquire()
    p2 = p3 -> head
leave: function release(p2)
    return
"""


def test_example_2_only_the_last_of_a_loop_is_released() -> None:
    world = World(EXAMPLE_2)
    facts = facts_after(world.handles("example"), [5, 7])
    assert ("p2", "p3") in facts[5], "the fact that goes to L1 and on to the release"
    assert ("p3",) in facts[7]
    assert world.lost("example") == [[7]], "the second turn's φ overwrites the only path left"


def test_without_the_loop_the_release_is_enough() -> None:
    straight = EXAMPLE_2.replace("p2 = p3 -> head", "p2 = p3 -> leave")
    assert World(straight).lost("example") == [[]]


def test_breadth_limit_makes_the_report_assumed_not_witnessed() -> None:
    from analyzers.domains.obligation import CUT, Limits

    wide = """
function wide (a, b)
    p = function acquire()
    store a.f = p
    store b.g = p
    p = =null
    return
"""
    runs = World(wide).runs("wide", Limits(breadth=2))
    assert all(departure.fact[2] & CUT for departure in runs[0].departures)
    assert not any(departure.fact[2] & CUT for departure in World(wide).runs("wide")[0].departures)


NESTED = """
function nested ()
    %1 = function acquire()
    %2 = function wrap(%1) -> two !> handler
two: out = function wrap(%2) -> use !> handler
use: function release(out) -> done
handler: e = catch *
    return
done: return
"""


def test_figure_1_constructor_that_throws_loses_what_it_was_to_wrap() -> None:
    run = World(NESTED).runs("nested")[0]
    assert [(loss.node, loss.exit) for loss in run.losses][:1] == [(4, "raised")]


def test_figure_1_release_of_the_outermost_releases_the_innermost() -> None:
    quiet = NESTED.replace(" !> handler", "")
    assert World(quiet).lost("nested") == [[]]
