"""The second opinion on paths: each safety condition, met and broken."""

from __future__ import annotations

import pytest

from analyzers import ir
from fixers.fix import Verdict
from fixers.paths import Question, Report, check
from tests.unit.fixers.flow import Flow

PROVED, ASSUMED, REFUTED = Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED


def ask(flow: Flow, *, tolerant: bool = True) -> Report:
    """The report on `malloc` and `free`; all calls of `free` count as written by the fix."""
    ours = flow.where("free") | flow.where("close")
    sites = flow.where("malloc") | flow.where("open")
    question = Question(sites, "", ours, ours if tolerant else frozenset(), flow.language)
    return check(flow.linked(), flow.effects(), question)


def verdicts(report: Report) -> tuple[Verdict, Verdict, Verdict, Verdict]:
    """Once, not used after, only if acquired, gone."""
    return report.once.verdict, report.after.verdict, report.acquired.verdict, report.gone.verdict


def test_straight_line_is_proved() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "use", "p").call("", "free", "p").ret("=0")
    assert verdicts(ask(flow)) == (PROVED, PROVED, PROVED, PROVED)


def test_leak_is_seen() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "use", "p").ret("=0")
    assert ask(flow).gone.verdict is REFUTED


def test_no_leak_where_the_acquisition_failed() -> None:
    flow = Flow().call("p", "malloc", "=10").branch("p", "==", "=null", "out").call("", "free", "p")
    assert verdicts(ask(flow.label("out").ret("=0"))) == (PROVED,) * 4


def test_released_twice() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "free", "p").call("", "free", "p").ret("=0")
    assert ask(flow).once.verdict is REFUTED


def test_released_twice_through_an_alias() -> None:
    flow = Flow().call("p", "malloc", "=1").copy("q", "p").call("", "free", "p").call("", "free", "q").ret("=0")
    assert ask(flow).once.verdict is REFUTED


def test_used_after_release() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "free", "p").call("", "use", "p").ret("=0")
    assert ask(flow).after.verdict is REFUTED


def test_returned_after_release() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "free", "p").ret("p")
    assert ask(flow).after.verdict is REFUTED


def test_inside_of_a_block_is_used_after_release() -> None:
    flow = Flow(q="char *").call("p", "malloc", "=9").call("q", "strchr", "p").call("", "free", "p").call("", "use", "q")
    assert ask(flow.ret("=0")).after.verdict is not PROVED


def test_released_where_nothing_was_acquired() -> None:
    flow = Flow().branch("argc", "==", "=0", "out").call("p", "malloc", "=10").label("out").call("", "free", "p").ret("=0")
    assert ask(flow).acquired.verdict is REFUTED


def test_null_may_be_released_where_the_release_accepts_it() -> None:
    flow = (
        Flow().copy("p", "=null").branch("argc", "==", "=0", "out").call("p", "malloc", "=10")
        .label("out").call("", "free", "p").ret("=0")
    )
    assert verdicts(ask(flow)) == (PROVED,) * 4
    assert ask(flow, tolerant=False).acquired.verdict is REFUTED


def test_stack_memory_is_not_released() -> None:
    flow = Flow().add(ir.AddressOf(30, 35, "p", "buffer", "")).branch("argc", "==", "=0", "out")
    flow.call("p", "malloc", "=10").label("out").call("", "free", "p").ret("=0")
    assert ask(flow).acquired.verdict is REFUTED


def test_release_guarded_by_the_address_of_a_buffer() -> None:
    flow = Flow().add(ir.AddressOf(30, 35, "p", "buffer", "")).branch("argc", "==", "=0", "out")
    flow.call("p", "malloc", "=10").label("out").add(ir.AddressOf(60, 65, "%1", "buffer", ""))
    flow.branch("p", "==", "%1", "end").call("", "free", "p").label("end").ret("=0")
    assert verdicts(ask(flow)) == (PROVED,) * 4


def test_a_flag_correlates_acquisition_and_release() -> None:
    flow = (
        Flow().copy("owned", "=0").branch("argc", "==", "=0", "after").call("p", "malloc", "=10").copy("owned", "=1")
        .label("after").branch("owned", "true", "", "do", "out").label("do").call("", "free", "p").label("out").ret("=0")
    )
    assert verdicts(ask(flow)) == (PROVED,) * 4


def test_the_same_condition_twice() -> None:
    flow = (
        Flow().branch("argn", ">", "=3", "get", "after").label("get").call("p", "malloc", "=10")
        .label("after").branch("argn", "<=", "=3", "out").call("", "free", "p").label("out").ret("=0")
    )
    assert verdicts(ask(flow)) == (PROVED,) * 4


def test_unknown_callee_makes_a_release_assumed() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "stranger", "p").call("", "free", "p").ret("=0")
    report = ask(flow)
    assert (report.once.verdict, report.after.verdict) == (ASSUMED, ASSUMED)
    assert "stranger" in report.once.reason


def test_what_somebody_keeps_is_not_released() -> None:
    flow = Flow().call("p", "malloc", "=10").call("", "keep", "p").call("", "free", "p").ret("=0")
    assert ask(flow).once.verdict is REFUTED


def test_dangling_pointer_left_outside() -> None:
    flow = Flow().call("p", "malloc", "=1").add(ir.Store(40, 45, "argctx", "buf", "p")).call("", "free", "p").ret("=0")
    assert ask(flow).after.verdict is not PROVED


def test_pointer_outside_is_cleared() -> None:
    flow = Flow().call("p", "malloc", "=1").add(ir.Store(40, 45, "argctx", "buf", "p")).call("", "free", "p")
    flow.add(ir.Store(60, 65, "argctx", "buf", "=null")).ret("=0")
    assert verdicts(ask(flow)) == (PROVED,) * 4


def test_stored_outside_is_not_lost() -> None:
    flow = Flow().call("p", "malloc", "=1").add(ir.Store(40, 45, "argout", "*", "p")).ret("=0")
    assert ask(flow).gone.verdict is PROVED


def test_every_turn_of_a_loop_releases_its_own() -> None:
    flow = (
        Flow().loop("head").branch("argn", "*", "", "body", "out").label("body").call("p", "malloc", "=10")
        .call("", "use", "p").call("", "free", "p").goto("head").label("out").ret("=0")
    )
    assert verdicts(ask(flow)) == (PROVED,) * 4


def test_overwritten_in_a_loop() -> None:
    flow = (
        Flow().copy("p", "=null").loop("head").branch("argn", "*", "", "body", "out").label("body")
        .call("p", "malloc", "=10").goto("head").label("out").call("", "free", "p").ret("=0")
    )
    assert ask(flow).gone.verdict is REFUTED


def test_wrapper_releases_what_it_wraps() -> None:
    flow = Flow("java").new("in", "open").add(ir.Alloc(40, 45, "r", "R"))
    flow.call("", "wrap", "in", on="r", throws=("fail",)).call("", "close", on="r", throws=("raise",)).ret()
    flow.label("fail").add(ir.Catch(80, 80, "e", ("*",))).add(ir.Throw(90, 95, "e"), throws=("raise",))
    flow.goes[-1] = ()
    assert ask(flow).gone.verdict is REFUTED, "the constructor of the wrapper may throw"
    flow.throws[6] = ()
    assert verdicts(ask(flow)) == (PROVED,) * 4


def test_returned_with_its_wrapper() -> None:
    flow = Flow("java").new("in", "open").add(ir.Alloc(40, 45, "r", "R"))
    assert ask(flow.call("", "wrap", "in", on="r").ret("r")).gone.verdict is PROVED


def test_exception_loses_the_handle() -> None:
    flow = Flow("java").new("in", "open").call("", "use", "in", throws=("raise",)).call("", "close", on="in").ret()
    assert ask(flow).gone.verdict is REFUTED


@pytest.mark.parametrize("depth", [12, 40])
def test_independent_branches_do_not_multiply(depth: int) -> None:
    flow = Flow().call("p", "malloc", "=10")
    for number in range(depth):
        flow.branch(f"arg{number}", "true", "", "", f"skip{number}").call("", "use", "p").label(f"skip{number}")
    report = ask(flow.call("", "free", "p").ret("=0"))
    assert verdicts(report) == (PROVED,) * 4


def _flagged(count: int, *, is_right: bool) -> Flow:
    """Blocks of which each is released early or late, as a flag of its own says."""
    flow = Flow()
    numbers = range(count)
    for n in numbers:
        flow.call(f"p{n}", "malloc", "=10")
    for n in numbers:
        flow.branch(f"arg{n}", "true", "", "", f"kept{n}").call("", "free", f"p{n}").label(f"kept{n}")
    for n in numbers:
        flow.branch(f"arg{n}", "true", "", f"out{n}" if is_right or n else "", "" if is_right or n else f"out{n}")
        flow.call("", "free", f"p{n}").label(f"out{n}")
    return flow.ret("=0")


def test_too_many_paths_prove_nothing() -> None:
    report = ask(_flagged(14, is_right=True))
    assert set(verdicts(report)) == {ASSUMED}
    assert "steps" in report.acquired.reason


@pytest.mark.parametrize("is_right", [True, False])
def test_few_paths_are_told_apart(is_right: bool) -> None:
    report = ask(_flagged(3, is_right=is_right))
    assert verdicts(report) == (PROVED,) * 4 if is_right else REFUTED in verdicts(report)


def test_a_flag_among_many_is_still_one() -> None:
    flow = Flow().call("p", "malloc", "=10")
    names = [f"flag{number}" for number in range(14)]
    for name in names:
        flow.copy(name, "=0").branch(f"arg{name}", "true", "", "", f"skip{name}").copy(name, "=1").label(f"skip{name}")
    for name in names:
        flow.branch(name, "true", "", "", f"end{name}").call("", "use", "p").label(f"end{name}")
    flow.branch(names[0], "true", "", "", "other").call("", "free", "p").label("other")
    flow.branch(names[0], "true", "", "out", "").call("", "free", "p").label("out")
    assert verdicts(ask(flow.ret("=0"))) == (PROVED,) * 4


def test_flags_that_have_nothing_to_do_with_it_are_forgotten() -> None:
    flow = Flow().call("p", "malloc", "=10")
    for number in range(14):
        name = f"flag{number}"
        flow.copy(name, "=0").branch(f"arg{name}", "true", "", "", f"skip{name}").copy(name, "=1").label(f"skip{name}")
    for number in range(14):
        flow.branch(f"flag{number}", "true", "", "", f"end{number}").call("", "use", "p").label(f"end{number}")
    assert verdicts(ask(flow.call("", "free", "p").ret("=0"))) == (PROVED,) * 4


def test_what_was_made_of_it_outlives_it() -> None:
    flow = Flow("java").new("in", "open").call("admin", "make", on="in").add(ir.Store(50, 55, "this", "admin", "admin"))
    assert ask(flow.call("", "close", on="in").ret()).after.verdict is not PROVED


def test_states_that_differ_outside_are_not_one() -> None:
    flow = Flow("java").new("in", "open").branch("argn", "*", "", "", "join")
    flow.call("admin", "make", on="in").add(ir.Store(60, 65, "argholder", "admin", "admin")).label("join")
    assert ask(flow.call("", "close", on="in").ret()).after.verdict is not PROVED


def test_what_is_made_inside_is_closed_with_it() -> None:
    flow = Flow("java").new("outer", "open").call("inner", "inside", on="outer").call("", "close", on="outer").ret()
    sites = flow.where("open") | flow.where("inside")
    question = Question(sites, "", flow.where("close"), frozenset(), "java")
    assert check(flow.linked(), flow.effects(), question).gone.verdict is PROVED


def test_what_the_result_may_still_hand_out_is_not_surely_unused() -> None:
    flow = Flow("java").new("outer", "open").call("inner", "inside", on="outer").call("", "close", on="inner")
    question = Question(flow.where("inside"), "", flow.where("close"), frozenset(), "java", others=flow.where("open"))
    assert check(flow.ret("outer").linked(), flow.effects(), question).after.verdict is ASSUMED
