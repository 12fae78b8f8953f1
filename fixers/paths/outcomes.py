"""Outcomes of a call whose conditions add up (what holds whether or not a condition does, holds without it), and what
else transfers and parameters say by their form."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from analyzers.summaries import AccessPath, Certainty, Condition, Effects, Outcome, Transfer
from fixers.paths.question import Question, Site
from fixers.paths.report import UNCERTAIN, UNCERTAIN_PART
from fixers.paths.state import NEGATED, NULL, number
from fixers.paths.values import is_number


def resolved(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The same outcomes, two that differ in nothing but a condition and its opposite as one without it."""
    found = list(outcomes)
    while (pair := _pair(found)) is not None:
        first, second, kept = pair
        certainty = min(found[first].certainty, found[second].certainty)
        one, other = found[first], found[second]
        told = [[each for each in outcome.when if each.path == ("$ret",)] for outcome in (one, other)]
        implied = tuple(each for each in one.implied if each in other.implied and each in kept) if told[0] == told[1] else ()
        found[first] = msgspec.structs.replace(one, when=kept, certainty=certainty, implied=implied)
        del found[second]
    return found


def _pair(outcomes: list[Outcome]) -> tuple[int, int, tuple[Condition, ...]] | None:
    for first, one in enumerate(outcomes):
        for second in range(first + 1, len(outcomes)):
            other = outcomes[second]
            if (one.exit, one.fate, one.paths) != (other.exit, other.fate, other.paths):
                continue
            left = [each for each in one.when if each not in other.when]
            right = [each for each in other.when if each not in one.when]
            if len(left) == len(right) == 1 and _is_opposite(left[0], right[0]):
                return first, second, tuple(each for each in one.when if each in other.when)
    return None


def _is_opposite(left: Condition, right: Condition) -> bool:
    return (left.path, left.value) == (right.path, right.value) and NEGATED.get(left.operator) == right.operator


def is_unsure(transfer: Transfer, question: Question) -> bool:
    """Whether a transfer says no more of some way than that the handle may still be where it was; in Java one that releases it on others,
    too: there the callee may have kept it."""
    is_half_told = question.language == "java" and any(
        each.fate == "held" and each.paths == (transfer.entry,) and each.certainty is Certainty.MAY for each in transfer.outcomes
    )
    return is_half_told or (all(each.fate == "held" for each in transfer.outcomes) and any(each.certainty is Certainty.MAY for each in transfer.outcomes))


def may_be_missing(outcome: Outcome, site: Site, question: Question) -> bool:
    """Whether a function of C may answer alike where what it leaves for its caller could not be acquired (`*out = fopen(name, "r");
    return *out != NULL && n ? 0 : -1;`): the answers with which it does are not told one by one, but for the status of a library. Where nothing is told of its answer
    (`*out = text; return strlen(text);`), it may leave by a way on which it stores nothing there (`return -1;`)."""
    is_asked = question.language == "c" and bool(question.ours) and site.target is not None and bool(site.target.procedures)
    told = [each.operator for each in outcome.when if each.path == ("$ret",)]
    left = [path for path in outcome.paths if len(path) == 2 and path[0][1:].isdigit()]
    if not is_asked or not left:
        return False
    if told and all(question.is_status(site.node, path[0]) for path in left):
        return False
    return "==" not in told if told else all(path[1] not in question.stored(site.node, path[0]) for path in left)


def gives_nothing_else(held: Sequence[Outcome], site: Site, question: Question) -> bool:
    """Whether a function of C of the repository returns what it acquires or null, and nothing else: where its arguments say that it
    acquires nothing (`return n ? malloc(n) : NULL;`), the result is null."""
    kinds = question.partial.get(site.node)
    is_own = question.language == "c" and site.target is not None and bool(site.target.procedures)
    return is_own and kinds is not None and "other" not in kinds and all(each.paths == (("$ret",),) for each in held)


def grown(effects: Effects) -> frozenset[AccessPath]:
    """The members in which a call leaves what lies there, or another block for it (`buffer_put(&b, text)`): one of both. What it releases
    only where it leaves none is no such."""
    made: dict[AccessPath, set[tuple[Condition, ...]]] = {}
    for outcome in (o for t in effects.transfers if not t.entry for o in t.outcomes if o.certainty is Certainty.MAY):
        for path in outcome.paths:
            made.setdefault(path, set()).add(outcome.when)
    return frozenset(
        t.entry for t in effects.transfers
        if len(t.entry) == 2 and t.entry in made and t.entry[1] != "*"
        and all(o.when in made[t.entry] if o.fate == "released" else o.fate == "held" and o.paths == (t.entry,) for o in t.outcomes)
        and {o.fate for o in t.outcomes} == {"held", "released"}
    )


def doubt_of(outcome: Outcome) -> str:
    """Why it is not certain that a call has left a handle where an outcome says; empty where it is."""
    if outcome.certainty is Certainty.MUST:
        return ""
    return UNCERTAIN_PART if len(outcome.paths[0]) > 1 else UNCERTAIN


def doubts(effects: Effects) -> set[str]:
    """The doubts with which a call may make handles: one without any among them where it is certain that it does, somewhere."""
    made = [one for t in effects.transfers if not t.entry for one in t.outcomes if one.fate == "held" and one.paths]
    return {"" if grown(effects) else doubt_of(one) for one in made} or {""}


def is_lent(parameters: Sequence[str], actuals: Sequence[str], position: int) -> bool:
    """Whether a function that nobody knows only borrows an argument, by the types of its parameters: a pointer to
    const, where no other argument can take it over."""
    if position >= len(parameters) or parameters[position].split()[:1] != ["const"]:
        return False
    others = [each for n, each in enumerate(zip(parameters, actuals, strict=False)) if n != position]
    return not any(_may_take_over(each, actual, parameters[position]) for each, actual in others)


def _may_take_over(written: str, actual: str, lent: str) -> bool:
    """Whether another argument of a function that nobody knows may be what a pointer to const is kept in or released
    by: a function, or for what has no type of its own (`const void *`) any object that can be written to."""
    if number(actual) == NULL:
        return False
    if "(" in written or actual[:2] == "=&":
        return True
    is_object = "*" in written and "const" not in written.split() and not is_number(written.replace("*", " "))
    return is_object and "void" in lent.replace("*", " ").split()
