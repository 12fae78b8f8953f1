"""Losses on ways on which one question is answered otherwise than it was where the handle was acquired.

`if (list_is_empty(all)) first = make(); … work(all); … if (list_is_empty(all)) insert(all, first);`: who asks the same again means the same, unless
he changes it before the eyes of the reader: by an assignment, a store, or a call that is named for it or for going on. So does who asks what
is settled (`if (broken) return; … work(); if (broken) …`). Such a loss is assumed.
Misses what a callee with a harmless name changes between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.dispatch import dominating
from analyzers.domains import guard
from analyzers.graphs.dominators import dominated
from analyzers.graphs.operands import assigned
from analyzers.handles.asked import MOVING, PASSING, is_repeatable
from analyzers.handles.elements import is_left_behind
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import words_of
from analyzers.summaries import BELOW

_MOST_QUESTIONS = 6
"""Questions whose answers are remembered, those asked last before the acquisition."""

_DEPTH = 6
"""Instructions that one operand of a question is made of, one in another."""

_SETTING = frozenset(("begin", "clear", "close", "eat", "ensure", "expect", "init", "load", "match", "open", "parse", "refresh", "reset", "scan", "set", "skip", "start", "stop", "update"))
"""Words of functions that change what they are given."""


class _Question(msgspec.Struct, frozen=True):
    """What a branch asks: its text, and the variables and fields that the answer depends on."""

    text: str
    roots: frozenset[str]
    fields: frozenset[str]


class Asked(msgspec.Struct, frozen=True):
    """A question with the answer that the way to an acquisition gives: where that comes from, which side it takes, and what the other side
    leads to without asking there again."""

    question: _Question
    start: int
    is_so: bool
    elsewhere: frozenset[int]


_EQUALS = " == "

_ASKING = frozenset(("are", "has", "is"))
"""Words that questions begin with."""


_GETTING = "get"


def _is_question(call: ir.Call, result: str) -> bool:
    """Whether a call asks by its name how things are, whatever it does to find out: passed nothing (`is_mode_hybrid()`), or for a
    number (`get_vendor(device)`, of the type `result`)."""
    words = words_of(call.name)
    if not words or not MOVING.isdisjoint(each for each in words if each != _GETTING) or not PASSING.isdisjoint(words):
        return False
    return (not call.args and words[0] in _ASKING) or (_GETTING in words and bool(result) and "*" not in result)


def _subject_of(words: Sequence[str]) -> Sequence[str]:
    """What a name is about: of one that gets something what it gets."""
    return words[words.index(_GETTING) + 1 :] if _GETTING in words else words


def _excludes(text: str, answered: Iterable[Asked]) -> bool:
    """Whether what is asked is one number of something, which is known to be another one."""
    what, equals, number = text.rpartition(_EQUALS)
    return bool(equals) and any(
        each.is_so and (told := each.question.text.rpartition(_EQUALS))[0] == what and told[1] and told[2] != number and _is_number(told[2]) and _is_number(number)
        for each in answered
    )


def _is_number(written: str) -> bool:
    return written[1:].removeprefix("-").isdigit()


def is_asked_again(scene: Scene, sites: dict[int, CallSite], acquired: int, loss: Loss, known: dict[int, list[Asked]]) -> bool:
    """Whether every way from an acquisition of C to a loss answers a question otherwise than the way to the acquisition does. `known`: what
    was asked on the way to each acquisition, filled here: it is the same for all losses."""
    if scene.is_java:
        return False
    questions = _Questions(scene, sites)
    asked = known.get(acquired)
    if asked is None:
        asked = known[acquired] = [each for each in questions.answered(acquired) if questions.is_kept(each, acquired)]
    return bool(asked) and not questions.leads(acquired, loss.node, asked)


class _Questions:
    def __init__(self, scene: Scene, sites: dict[int, CallSite]) -> None:
        self._scene = scene
        self._sites = sites

    def answered(self, node: int) -> list[Asked]:
        """What the branches ask that a node lies behind one side of, the last ones first."""
        cfg, found, at = self._scene.cfg, list[Asked](), node
        above = dominating(self._scene.dominators, node)
        while at in above and len(found) < _MOST_QUESTIONS:
            above.discard(at)
            before = self._scene.dominators[at]
            if before >= 0 and before != at and list(cfg.predecessors[at]) == [before] and (told := self._asked(before)) is not None:
                question, is_first = told
                other = next(each for each in cfg.normal[before] if each != at)
                found.append(Asked(question, at, is_first == (cfg.normal[before][0] == at), self._reached(other, before)))
            at = before
        return found

    def _reached(self, start: int, without: int) -> frozenset[int]:
        """What a way leads to that does not pass one node."""
        found, waiting = {start}, [start]
        while waiting:
            for successor in self._scene.cfg.successors[waiting.pop()]:
                if successor != without and successor not in found:
                    found.add(successor)
                    waiting.append(successor)
        return frozenset(found)

    def is_kept(self, asked: Asked, node: int) -> bool:
        """Whether nothing between the answer and a node is seen to change it."""
        behind = self._scene.cfg.reachable_from(asked.start) | {asked.start}
        between = behind & (self._scene.cfg.reaching(node) | {node}) - {node}
        return not any(self._changes(each, asked.question) for each in sorted(between & dominated(self._scene.dominators, asked.start)))

    def leads(self, start: int, end: int, asked: list[Asked]) -> bool:
        """Whether a way leads from one node to another that answers no question otherwise while its answer is known."""
        everything = (1 << len(asked)) - 1
        seen, waiting = set[tuple[int, int]](), [(each, everything) for each in self._scene.cfg.successors[start]]
        while waiting:
            node, known = state = waiting.pop()
            if state in seen:
                continue
            if node == end:
                return True
            seen.add(state)
            for number, each in enumerate(asked):
                if known >> number & 1 and self._changes(node, each.question):
                    known &= ~(1 << number)
            closed = self._closed(node, [each for number, each in enumerate(asked) if known >> number & 1])
            waiting += [(each, known) for each in self._scene.cfg.successors[node] if each != closed]
        return False

    def _closed(self, node: int, asked: list[Asked]) -> int:
        """The side of a branch that is not taken."""
        told = self._asked(node) if asked else None
        if told is None:
            return -1
        question, is_first = told
        known = [each for each in asked if node in each.elsewhere]
        answer = next((each.is_so for each in known if each.question.text == question.text), None)
        if answer is None and _excludes(question.text, asked):
            answer = False
        return -1 if answer is None else self._scene.cfg.normal[node][answer == is_first]

    def _asked(self, node: int) -> tuple[_Question, bool] | None:
        """What a branch asks, and whether its first side is the one where that is so."""
        branch = self._scene.nodes[node]
        if not isinstance(branch, ir.Branch) or len(set(self._scene.cfg.normal[node])) != 2:
            return None
        operator, right = ("!=", "=0") if branch.operator == "true" else (branch.operator, branch.right)
        if operator not in guard.NEGATED or not ir.is_literal(right) or right == "=?":
            return None
        written = self._written(branch.left, _DEPTH)
        if written is None or not written.fields:
            return None  # What a variable holds is followed already.
        is_first = operator in ("==", "<", "<=")
        relation = operator if is_first else guard.NEGATED[operator]
        zero = "=0" if right == "=null" else right
        return msgspec.structs.replace(written, text=f"{written.text} {relation} {zero}"), is_first

    def _written(self, operand: str, depth: int) -> _Question | None:
        """What an operand stands for, as text."""
        if ir.is_literal(operand):
            return _Question(operand, frozenset(), frozenset()) if operand != "=?" else None
        if not ir.is_temporary(operand):
            variable = self._scene.variables.get(operand)
            return None if variable is None else _Question(operand, frozenset((operand,)), frozenset())
        nodes = self._scene.definitions.get(operand, ())
        if len(nodes) != 1 or not depth or is_left_behind(self._scene, operand):
            return None
        match self._scene.nodes[nodes[0]]:
            case ir.Load(base="", field=field):
                return _Question(f"::{field}", frozenset(), frozenset((field,)))
            case ir.Load(base=base, field=field):
                return self._joined(field, (base,), depth, {field})
            case ir.LoadElement(base=base, index=index):
                return self._joined("[]", (base, index), depth, {"[]"})
            case ir.Copy(src=src):
                return self._written(src, depth - 1)
            case ir.Op(operator=operator, operands=operands):
                return self._joined(operator, operands, depth, set())
            case ir.Call(kind="function", name=name, args=args) as call if nodes[0] in self._sites and (
                _is_question(call, self._result_of(nodes[0])) or is_repeatable(self._scene, nodes[0], self._sites[nodes[0]])
            ):
                effects = self._sites[nodes[0]].effects
                read = {path[-1] for path in effects.reads if len(path) > 1} if effects is not None else set()
                return self._joined(name, args, depth, {name, *read})
            case _:
                return None

    def _result_of(self, node: int) -> str:
        """The type of what a function of the program answers; empty where nobody knows it."""
        target = self._scene.linked.targets.get(node)
        bodies = [self._scene.queries.procedure(key) for key in target.procedures] if target is not None else []
        return bodies[0].result if len(bodies) == 1 and bodies[0] is not None else ""

    def _joined(self, name: str, operands: tuple[str, ...], depth: int, fields: set[str]) -> _Question | None:
        parts = [self._written(each, depth - 1) for each in operands]
        known = [each for each in parts if each is not None]
        if len(known) != len(parts):
            return None
        text = f"{name}({', '.join(each.text for each in known)})"
        return _Question(text, frozenset().union(*(each.roots for each in known)), frozenset(fields).union(*(each.fields for each in known)))

    def _changes(self, node: int, question: _Question) -> bool:
        """Whether what stands at a node is seen to change an answer."""
        instruction = self._scene.nodes[node]
        if not question.roots.isdisjoint(assigned(instruction)):
            return True
        match instruction:
            case ir.ScopeEnd(variables=variables):
                return not question.roots.isdisjoint(variables)
            case ir.Store(base=base, field=field):
                return field in question.fields and not (base and self._scene.is_fresh(self._root(base)))
            case ir.StoreElement(base=base):
                return "[]" in question.fields and not self._scene.is_fresh(self._root(base))
            case ir.Havoc():
                return True
            case ir.Call() if node in self._sites:
                return self._is_changing_call(self._sites[node], question)
            case _:
                return False

    def _root(self, name: str) -> str:
        return self._scene.loads.get(name, (name,))[0]

    def _is_changing_call(self, site: CallSite, question: _Question) -> bool:
        """Whether a call is passed the address of what a question is about, is named for changing it, or surely does."""
        call = site.call
        places = [self._scene.addresses.get(arg, ()) for arg in call.args]
        if any(place and place[0] in question.roots for place in places):
            return True
        words = frozenset(words_of(call.name))
        about = frozenset(word for field in question.fields for word in _subject_of(words_of(field.rpartition(".")[2])))
        is_given = any(self._root(arg) in question.roots for arg in call.args)
        is_named_for_it = _GETTING not in words and not words.isdisjoint(about)
        if call.name not in question.fields and (is_named_for_it or (is_given and not words.isdisjoint(MOVING | _SETTING))):
            return True
        if site.effects is None or (call.name in question.fields and _GETTING in words):
            return False  # Who asks the same again may find out and keep it.
        return any(
            len(path) > 1 and path[-1] != BELOW and path[-1] in question.fields and self._root(site.actuals.get(path[0], path[0])) in question.roots
            for path in site.effects.writes
        )
