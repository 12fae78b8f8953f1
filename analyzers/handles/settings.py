"""Fields and globals that a procedure only asks: settings, which a callee that nobody can look into is not thought to change.

`if (server.backlog == 2) path = copy(name); … work(); … if (server.backlog == 2) free(path);` asks the same thing twice, and means the
same both times. Who asks again what the first question has settled (`if (failed) return; work(); if (failed) …`), stores there himself, or calls
what is named for it (`set_failed(it)`), expects it to have changed. Errs towards silence: what a strange callee does change behind two such questions is missed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.handles.c.bits import MASK
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of
from analyzers.summaries import AccessPath

_LIBRARY = frozenset(("::errno", "::h_errno", "::optarg", "::optind", "::optopt"))
"""What the C library leaves there for whoever called it."""

_EMPTY_WORDS = frozenset(("is", "has", "can", "of", "to", "in", "on", "for", "the", "a"))
"""Words that say nothing of what a function or a field is about."""

_FIRST = re.compile(r"_*([A-Za-z][a-z0-9]*)(?:_|(?=[A-Z]))")
"""The first of several words of a name, with what ends it."""

Question = tuple[int, str, str]
"""A branch, how it compares, and with what."""


def settings(scene: Scene, subjects: Iterable[AccessPath], tested: Mapping[tuple[int, str], AccessPath], strangers: Iterable[int]) -> set[AccessPath]:
    """Those of some subjects, given what stands for them at the tests, that the calls of `strangers` are thought to leave alone."""
    candidates = {subject for subject in subjects if subject[0] not in _LIBRARY and (len(subject) > 1 or subject[0][:2] == "::")}
    candidates -= _stored(scene, candidates)
    calls = sorted(strangers)
    names = {call.name for call in (scene.nodes[node] for node in calls) if isinstance(call, ir.Call)}
    candidates = {
        subject for subject in candidates if not any(_speaks_of(name, _place(subject)[-1].removeprefix("::")) for name in names)
    }
    questions: dict[AccessPath, list[Question]] = {}
    for (node, operand), subject in sorted(tested.items()):
        branch = scene.nodes[node]
        if subject in candidates and isinstance(branch, ir.Branch) and operand == branch.left and len(scene.linked.next[node]) == 2:
            operator, right = ("!=", "=0") if branch.operator == "true" else (branch.operator, branch.right)
            if operator in guard.NEGATED:
                questions.setdefault(subject, []).append((node, operator, right))
    asked_again = {subject: asked for subject, asked in questions.items() if len(asked) > 1}
    ways = _Ways(scene.cfg.successors, calls) if asked_again else None
    return {subject for subject, asked in asked_again.items() if ways is not None and not _is_settled(scene, asked, ways)}


def _place(subject: AccessPath) -> AccessPath:
    """The place of which a subject may be some bits."""
    return subject[:-1] if subject[-1][:1] == MASK else subject


def _speaks_of(function: str, setting: str) -> bool:
    """Whether a strange function's name speaks of a setting: `set_fixed` may well change what is `is_fixed`. A word that both begin with
    says no more than whose they are (`bar_draw` and `bar_is_plain`)."""
    one, other = set(words_of(function)) - _EMPTY_WORDS, words_of(setting)
    first, second = _FIRST.match(function), _FIRST.match(setting)
    if first and second and first[0] == second[0]:
        one.discard(first[1].lower())
    return not one.isdisjoint(other)


def _stored(scene: Scene, candidates: set[AccessPath]) -> set[AccessPath]:
    """The candidates that the procedure itself may assign, by the names of their fields."""
    stores = [node for node in (scene.nodes[index] for index in scene.cfg.order) if isinstance(node, ir.Store | ir.StoreElement)]
    names = {node.field if isinstance(node, ir.Store) else "[]" for node in stores}
    return {subject for subject in candidates if any(not names.isdisjoint(ir.beginnings(step.removeprefix("::"))) for step in subject)}


def _is_settled(scene: Scene, asked: list[Question], ways: _Ways) -> bool:
    """Whether one question, behind a call, has its answer from the one before, since the other arm of that never comes there."""
    return any(
        _is_behind(scene, one[0], arm, ways, [other[0] for other in asked if other is not one and _decides(one, arm, other)])
        for one in asked for arm in (0, 1)
    )


def _decides(one: Question, arm: int, other: Question) -> bool:
    """Whether an arm of one question leaves one answer alone to the other."""
    relation = one[1] if arm == 0 else guard.NEGATED[one[1]]
    if one[2] == other[2] and relation in ("==", "!=") and other[1] in ("==", "!="):
        return True
    if not ir.is_literal(one[2]) or not ir.is_literal(other[2]):
        return False
    known = guard.refine(guard.TOP, relation, guard.literal(one[2]))
    second = guard.literal(other[2])
    return known is not None and None in (guard.refine(known, other[1], second), guard.refine(known, guard.NEGATED[other[1]], second))


def _is_behind(scene: Scene, node: int, arm: int, ways: _Ways, goals: list[int]) -> bool:
    """Whether only one arm of a branch leads to one of the goals, by way of one of the calls."""
    if not goals:
        return False
    sides = scene.linked.next[node]
    mine, others = ways.behind(sides[arm], node), ways.behind(sides[1 - arm], node)
    goals = [goal for goal in goals if goal in mine and goal not in others]
    calls = ways.calls & mine if goals else frozenset()
    return bool(calls) and not calls.isdisjoint(ways.before(goals, node))


class _Ways:
    """Which nodes lead where in one procedure: asked of each arm of a test for all other tests."""

    def __init__(self, successors: Sequence[Sequence[int]], calls: Iterable[int]) -> None:
        self.calls = frozenset(calls)
        self._successors = successors
        self._behind: dict[tuple[int, int], frozenset[int]] = {}

    @functools.cached_property
    def _predecessors(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self._successors]
        for node, successors in enumerate(self._successors):
            for each in successors:
                found[each].append(node)
        return found

    def behind(self, start: int, without: int) -> frozenset[int]:
        """The nodes that a path leads to which does not pass one node."""
        known = self._behind.get((start, without))
        if known is None:
            known = self._behind[start, without] = _walked(self._successors, (start,), without)
        return known

    def before(self, goals: Iterable[int], without: int) -> frozenset[int]:
        """The nodes from which a path that does not pass one node leads to one of the goals."""
        return _walked(self._predecessors, goals, without)


def _walked(following: Sequence[Sequence[int]], starts: Iterable[int], without: int) -> frozenset[int]:
    """What is come to from some nodes, also one node itself, but nothing by way of that."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        node = waiting.pop()
        if node == without:
            continue
        for each in following[node]:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return frozenset(found)
