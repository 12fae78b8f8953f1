"""What single instructions, branches and calls do to a handle; lost nodes are numbered from 3, one per line."""

from __future__ import annotations

import pytest

from analyzers.domains.obligation import DOUBTED, RETAINED
from tests.worlds import World


def lost(text: str, **world: object) -> list[list[int]]:
    return World(f"function f {text}").lost("f")


def test_dropped_result_is_lost_at_once() -> None:
    assert lost("()\n    %1 = function acquire()\n    return") == [[3]]


def test_overwritten_handle_is_lost_there() -> None:
    assert lost("()\n    p = function acquire()\n    p = =null\n    return") == [[4]]


def test_handle_of_an_inner_scope_is_lost_where_it_ends() -> None:
    assert lost("()\n    p = function acquire()\n    end p\n    return") == [[4]]


def test_returned_stored_and_kept_handles_are_not_lost() -> None:
    assert lost("()\n    p = function acquire()\n    return p") == [[]]
    assert lost("(s)\n    p = function acquire()\n    store s.f = p\n    return") == [[]]
    assert lost("()\n    p = function acquire()\n    store .g = p\n    return") == [[]]
    assert lost("()\n    p = function acquire()\n    function keep(p)\n    return") == [[]]


def test_handle_in_an_object_of_the_procedure_goes_with_it() -> None:
    assert lost("()\n    s = alloc Holder\n    p = function acquire()\n    store s.f = p\n    return") == [[6]]


def test_handle_in_an_object_that_is_shared_already_is_out_of_sight() -> None:
    assert lost("(list)\n    s = alloc Holder\n    store list.first = s\n    p = function acquire()\n    store s.f = p\n    return") == [[]]


def test_handle_in_an_object_of_unknown_origin_is_out_of_sight() -> None:
    assert lost("()\n    s = function use()\n    p = function acquire()\n    store s.f = p\n    return") == [[]]


def test_element_is_overwritten_weakly() -> None:
    text = "(a)\nhead: p = function acquire()\n    store a[=0] = p\n    if * -> head, done\ndone: return"
    assert lost(text) == [[]]


def test_null_test_of_the_handle_decides() -> None:
    text = "()\n    p = function malloc(=1)\n    if p == =null -> gone, use\ngone: return =1\nuse: function free(p)\n    return =0"
    assert lost(text) == [[]]


def test_unchecked_handle_on_the_failure_path_of_another_is_lost() -> None:
    text = """()
    p = function malloc(=1)
    q = function malloc(=1)
    if q == =null -> gone, use
gone: return =1
use: function free(p)
    function free(q)
    return =0"""
    assert lost(text) == [[6], []]


@pytest.mark.parametrize("test", ["fd >= =0", "fd != =-1", "fd > =-1"])
def test_descriptor_tests_in_any_style(test: str) -> None:
    text = f"()\n    fd = function open()\n    if {test} -> yes, no\nyes: function close(fd)\nno: return"
    assert lost(text) == [[]]


def test_flag_that_is_set_with_the_acquisition() -> None:
    text = """(c)
    ok = =0
    if c -> take, test
take: p = function acquire()
    ok = =1 -> test
test: if ok -> drop, done
drop: function release(p)
done: return"""
    assert lost(text) == [[]]


def test_same_condition_twice() -> None:
    text = """(c)
    if c != =0 -> take, test
take: p = function acquire() -> test
test: if c != =0 -> drop, done
drop: function release(p)
done: return"""
    assert lost(text) == [[]]
    assert lost(text.replace("test: if c", "test: if d")) == [[7]]


def test_condition_that_changes_between_the_tests() -> None:
    text = """(c)
    if c != =0 -> take, test
take: p = function acquire()
    c = function use() -> test
test: if c != =0 -> drop, done
drop: function release(p)
done: return"""
    assert lost(text) == [[8]]


def test_boolean_of_a_null_test() -> None:
    text = "()\n    p = function malloc(=1)\n    has = op != p, =null\n    if has -> drop, done\ndrop: function free(p)\ndone: return"
    assert lost(text) == [[]]


def test_loop_that_runs_at_least_once() -> None:
    text = """()
    p = function acquire()
    i = =0
head: if i < =2 -> body, done
body: function release(p)
    i = op + i, =1 -> head
done: return"""
    assert lost(text) == [[]]


def test_field_flag_survives_calls_that_cannot_write_it() -> None:
    text = """(s)
    %1 = load s.owned
    if %1 -> take, test
take: p = function acquire()
    function use() -> test
test: %2 = load s.owned
    if %2 -> drop, done
drop: function release(p)
done: return"""
    assert lost(text) == [[]]


def test_comparison_with_what_the_caller_passed() -> None:
    text = """(buffer)
    p = function malloc(=9)
    if p != buffer -> drop, done
drop: function free(p)
done: return"""
    assert lost(text) == [[]]


def test_copies_and_address_of_name_the_same_handle() -> None:
    assert lost("()\n    p = function acquire()\n    q = p\n    p = =null\n    function release(q)\n    return") == [[]]
    assert lost("()\n    p = function acquire()\n    %1 = & p\n    %2 = load %1.*\n    function release(%2)\n    return") == [[]]


def test_realloc_that_fails_loses_the_old_block_when_assigned_to_itself() -> None:
    text = """()
    p = function malloc(=1)
    p = function realloc(p, =9)
    if p == =null -> done, drop
drop: function free(p)
done: return"""
    assert lost(text) == [[4], []]
    unchecked = "()\n    p = function malloc(=1)\n    p = function realloc(p, =9)\n    function free(p)\n    return"
    assert lost(unchecked) == [[4], []]  # to free null ends nothing
    used = "()\n    p = function malloc(=1)\n    p = function realloc(p, =9)\n    function show(p)\n    function free(p)\n    return"
    assert lost(used) == [[], []]
    other = "()\n    p = function malloc(=1)\n    q = function realloc(p, =9)\n    if q == =null -> bad, good\nbad: function free(p)\n    return\ngood: function free(q)\n    return"
    assert lost(other) == [[], []]


def test_replaced_block_moves_what_it_holds() -> None:
    text = """(n)
    a = function malloc(=1)
    p = function malloc(=1)
    store a[=0] = p
    p = =null
    b = function realloc(a, n)
    if b == =null -> bad, good
bad: function exit(=1) -> good
good: %1 = load b[=0]
    function free(%1)
    function free(b)
    return"""
    assert lost(text)[1] == []


def test_freed_struct_loses_its_member() -> None:
    text = "()\n    s = function malloc(=1)\n    p = function malloc(=1)\n    store s.f = p\n    p = =null\n    function free(s)\n    return"
    assert lost(text) == [[], [7]]


def test_statement_goes_with_its_connection_but_is_not_kept_by_it() -> None:
    assert lost("()\n    c = function acquire()\n    s = function statement(c)\n    function release(c)\n    return") == [[], []]
    assert lost("(c)\n    s = function statement(c)\n    return") == [[4]]


def test_pointer_into_a_block_keeps_it_in_reach() -> None:
    assert lost("()\n    p = function malloc(=1)\n    %1 = & p.node\n    return %1") == [[]]


def test_path_that_does_not_return_is_no_leak() -> None:
    assert lost("()\n    p = function acquire()\n    function exit(=1) -> after\nafter: return") == [[]]


def test_throw_that_leaves_and_one_that_is_caught() -> None:
    text = "()\n    p = function acquire()\n    function use() -> ok !> raise\nok: function release(p)\n    return"
    assert lost(text) == [[4]]
    caught = "()\n    p = function acquire()\n    function use() -> ok !> handler\nok: function release(p)\n    return\nhandler: e = catch *\n    function release(p)\n    return"
    assert lost(caught) == [[]]


def test_unknown_callee_borrows_with_a_doubt_or_keeps_by_its_name() -> None:
    world = World("function f ()\n    p = function acquire()\n    function inspect(p)\n    return")
    assert world.runs("f")[0].losses[0].fact[2] & DOUBTED
    assert lost("()\n    p = function acquire()\n    function list_append(p)\n    return") == [[]]
    assert lost("()\n    p = function acquire()\n    function thing_unref(p)\n    return") == [[]]


def test_unmodelled_instruction_hides_what_it_touches() -> None:
    world = World("function f ()\n    p = function acquire()\n    havoc p : asm\n    return")
    assert world.lost("f") == [[]]
    assert all(departure.fact[2] & RETAINED for departure in world.runs("f")[0].departures)


def test_constructor_that_throws_loses_what_it_stored_in_its_object() -> None:
    text = "constructor T.<init>() ()\n    p = function acquire()\n    store this.f = p\n    function use() -> ok !> raise\nok: return"
    assert World(text, language="java").lost("T.<init>()") == [[5]]
    assert World(text.replace("constructor", "method"), language="java").lost("T.<init>()") == [[]]


def test_budget_is_told() -> None:
    from analyzers.domains.obligation import Limits

    run = World("function f ()\n    p = function acquire()\n    q = p\n    r = q\n    if * -> a, b\na: return\nb: return").runs("f", Limits(steps=1))[0]
    assert not run.is_complete
