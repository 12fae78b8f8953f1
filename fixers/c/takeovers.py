"""Calls that take a handle over only when they succeed, and the branches that tell: `fdopen`, `realloc`, wrappers of them.

Until its result is tested such a call is taken to have released what it was given; where the test says that it
failed, the handle is the caller's again.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.summaries import Condition, Outcome, Transfer
from fixers.c.links import implies, known_range
from fixers.c.pointers import Edge
from fixers.paths.state import ANY, Range, compare, narrow, number


class Takeover(msgspec.Struct, frozen=True):
    """One call.

    entries  where it takes something over when it succeeds
    told     per edge behind a test of its result whether it failed
    lost     the nodes that overwrite the result
    """

    node: int
    entries: frozenset[tuple[str, ...]]
    told: dict[Edge, bool]
    lost: frozenset[int]


def takeovers(facts: Facts) -> dict[int, Takeover]:
    """The calls of a procedure that take something over only when they succeed, by node."""
    found = {}
    results = _Results(facts)
    for node in facts.cfg.order:
        call = facts.linked.body.nodes[node]
        if not isinstance(call, ir.Call) or not call.dst:
            continue
        transfers = [t for effects in facts.effects.get(node, ()) for t in effects.transfers if t.entry]
        failures = {t.entry: failure for t in transfers if (failure := failure_of(t.outcomes) or _growth_failure(t)) is not None}
        if failures and len(set(failures.values())) == 1:
            told, lost = _told(facts, node, call.dst, next(iter(failures.values())), results.tested(call.dst))
            if told:
                found[node] = Takeover(node, frozenset(failures), told, lost)
    return found


class _Results:
    """The variables of a procedure that hold what a call has answered, and are tested: laid out once for all its calls."""

    def __init__(self, facts: Facts) -> None:
        self._copies: dict[str, list[str]] = {}
        self._times: Counter[str] = Counter()
        self._tested: set[str] = set()
        for node, each in enumerate(facts.linked.body.nodes):
            self._times.update(set(assigned(each)))
            if isinstance(each, ir.Copy):
                self._copies.setdefault(each.src, []).append(each.dst)
            elif isinstance(each, ir.Branch) and len(facts.linked.next[node]) == 2:
                self._tested.add(each.left)

    def tested(self, result: str) -> frozenset[str]:
        """The result and its copies that nothing else is assigned to, as far as a branch tests them."""
        copies = [each for each in self._copies.get(result, ()) if self._times[each] == 1]
        return frozenset((result, *copies)) & self._tested


def failure_of(outcomes: tuple[Outcome, ...]) -> Condition | None:
    """What the result is where the handle stays with the caller, if the call takes it over otherwise."""
    known = [each for each in outcomes if each.exit == "return"]
    kept = [each for each in known if each.fate == "held" and all(len(path) == 1 and path[0] != "$ret" for path in each.paths)]
    taken = [each for each in known if each not in kept]
    told = {tuple(one for one in each.when if one.path == ("$ret",)) for each in kept}
    if taken and len(told) > 1:
        return _none_of(kept, taken)
    if not taken or len(told) != 1 or len(answers := next(iter(told))) != 1 or number(answers[0].value) is None:
        return None
    is_plain = len(kept) == 1 and len(kept[0].when) == 1
    return answers[0] if is_plain or all(_is_other(each, answers[0]) for each in taken) else None


def _none_of(kept: list[Outcome], taken: list[Outcome]) -> Condition | None:
    """What the result is not where the call takes the handle over: it answers all kinds of numbers where it does not."""
    told = {tuple(one for one in each.when if one.path == ("$ret",)) for each in taken}
    if len(told) != 1 or len(answers := next(iter(told))) != 1 or number(answers[0].value) is None or answers[0].operator != "==":
        return None
    return Condition(("$ret",), "!=", answers[0].value) if all(_is_other(each, answers[0]) for each in kept) else None


def _is_other(outcome: Outcome, failure: Condition) -> bool:
    """Whether the result tells an outcome from what a call answers where it leaves the handle to the caller."""
    told = [each for each in outcome.when if each.path == ("$ret",) and number(each.value) is not None]
    return any(compare("==", _range(each), _range(failure)) is False for each in told)


def _range(condition: Condition) -> Range:
    """The numbers for which a condition holds."""
    value = number(condition.value)
    assert value is not None
    return narrow(condition.operator, ANY, Range(value.number, value.number, value.number == 0))


def _growth_failure(transfer: Transfer) -> Condition | None:
    """What the result is where a call leaves in a member what lies there (`buffer_put(&b, text)`), if it may give another block for it
    otherwise."""
    known = [each for each in transfer.outcomes if each.exit == "return"]
    stays = [each for each in known if each.fate == "held" and each.paths == (transfer.entry,)]
    gone = [each for each in known if each.fate == "released"]
    if len(transfer.entry) != 2 or not gone or len(stays) + len(gone) != len(known):
        return None
    whole = [each for each in stays if len(each.when) == 1 and each.when not in {one.when for one in gone}]
    if len(whole) != 1 or whole[0].when[0].path != ("$ret",) or any(len(each.when) != 1 for each in gone):
        return None
    return whole[0].when[0] if number(whole[0].when[0].value) is not None else None


def is_conditional(transfer: Transfer, takeover: Takeover | None) -> bool:
    """Whether what a transfer says of a call is decided by the tests of its result."""
    return takeover is not None and transfer.entry in takeover.entries


def _told(facts: Facts, node: int, result: str, failure: Condition, holders: frozenset[str]) -> tuple[dict[Edge, bool], frozenset[int]]:
    """Walk on from a call as long as its result is there, under its own name or as a copy (`holders`)."""
    nodes, told, lost = facts.linked.body.nodes, {}, set()
    if not holders:
        return {}, frozenset()
    known = known_range(one for effects in facts.effects.get(node, ()) for one in effects.result)
    seen, work = {node}, list(facts.cfg.successors[node])
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        each = nodes[at]
        if result in assigned(each):
            lost.add(at)
            continue
        successors = facts.linked.next[at]
        if isinstance(each, ir.Branch) and each.left in holders and len(successors) == 2:
            for successor, holds in zip(successors, (True, False), strict=True):
                answer = implies(known, each.operator, each.right, failure, holds=holds)
                if answer is not None:
                    told[at, successor] = answer
        work += facts.cfg.successors[at]
    return told, frozenset(lost)
