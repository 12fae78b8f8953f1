"""Comparisons in C of one text with several constants: `if (strcmp(mode, "r") == 0) … if (strcmp(mode, "w") == 0) …`.

A text that equals one constant equals no other, and none of another name where they are known by their names only. What a test says lasts as long as the text is not changed, as with questions that are
asked again (`asked.py`). Constants with escapes and elements of arrays tell nothing. Misses what stores through another name change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import Environment, Environments
from analyzers.handles.asked import Question
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

MAX_CONSTANTS = 24
"""Constants that one text is compared with; of more nothing is told."""

ORDERING = frozenset(("strcmp", "strcasecmp", "g_strcmp0", "g_ascii_strcasecmp"))
"""Functions that answer 0 where two texts are equal."""

_BEGINNING = frozenset(("strncmp", "strncasecmp", "g_ascii_strncasecmp"))
"""The same of the first so many characters."""

EQUALITY = frozenset(("g_str_equal", "streq", "strcaseeq", "str_eq", "str_equal", "strequal", "strings_equal", "string_equal"))
"""Functions that answer 0 where two texts differ."""


class Comparison(msgspec.Struct, frozen=True):
    """A question whether a text is a constant, or begins with it.

    text        where the text is
    constant    what it is compared with
    is_whole    whether the whole text is compared
    is_caseless whether upper case and lower case are the same
    is_ordering whether the answer is 0 where it is equal
    """

    text: AccessPath
    constant: str
    is_whole: bool
    is_caseless: bool
    is_ordering: bool


_GLOBAL = "::"

Others = Mapping[int, tuple[bool, Sequence[tuple[int, bool]]]]
"""Per subject that is a comparison whether its answer is 0 for equal texts, and the subjects that are not equal then, each likewise."""


def comparison(question: Question) -> Comparison | None:
    """What a question compares; None where it is about something else."""
    name, operands = question.name.lower(), question.operands
    is_beginning = name in _BEGINNING
    if (name not in ORDERING and name not in EQUALITY and not is_beginning) or len(operands) != 2 + is_beginning:
        return None
    pairs = [(text, written[0]) for text, written in (operands[:2], operands[1::-1]) if _is_text(written) and not _is_text(text)]
    if not pairs and not is_beginning:
        named = [(text, written[0]) for text, written in (operands[:2], operands[1::-1]) if _is_named(written) and not _is_named(text) and not _is_text(text)]
        if named and "[]" not in named[0][0]:
            return Comparison(tuple(named[0][0]), named[0][1], True, False, name not in EQUALITY)
    if not pairs or "[]" in pairs[0][0]:
        return None
    text, constant = tuple(pairs[0][0]), pairs[0][1][2:-1]
    is_whole = True
    if is_beginning:
        count = guard.literal(operands[2][0]) if len(operands[2]) == 1 and operands[2][0][:1] == "=" else guard.TOP
        if guard.is_symbol(count) or count[0] != count[1] or count[0] < 0:
            return None
        is_whole = count[0] > len(constant)
        constant = constant[: count[0]]
    return Comparison(text, constant, is_whole, "case" in name, name not in EQUALITY)


def of_kept_texts(scene: Scene, questions: Mapping[AccessPath, Question]) -> dict[AccessPath, Question]:
    """The questions about texts in which the procedure itself stores no characters (`line[0] = 'q'`)."""
    written = set()
    for node in (scene.nodes[index] for index in scene.cfg.order):
        if isinstance(node, ir.StoreElement) or (isinstance(node, ir.Store) and node.field == "*"):
            written.add(tuple(scene.loaded_from((node.base,))))
    return {subject: asked for subject, asked in questions.items() if written.isdisjoint(asked.operands)}


def compared_together(tests: Mapping[AccessPath, int], questions: Mapping[AccessPath, Question]) -> dict[AccessPath, int]:
    """How often comparisons are made, those included that exclude them."""
    known = _comparisons(tests, questions)
    return {subject: tests[subject] + sum(tests[other] for other, _ in others) for subject, others in known.items() if others}


def excluded(numbers: Mapping[AccessPath, int], questions: Mapping[AccessPath, Question]) -> Others:
    """What each comparison says of others where the text is equal."""
    known = _comparisons(numbers, questions)
    return {
        numbers[subject]: (told.is_ordering, tuple((numbers[other], each.is_ordering) for other, each in others))
        for subject, others in known.items() if others and (told := comparison(questions[subject])) is not None
    }


def differing(environments: Environments, environment: Environment, told: tuple[int, guard.Value], others: Others) -> Environment:
    """The environment after the answer to a comparison: a text that equals a constant equals none of the others."""
    number, known = told
    is_ordering, numbers = others.get(number, (False, ()))
    is_equal = known == guard.ZERO if is_ordering else guard.meet(known, guard.ZERO) is None
    for other, is_zero_equal in numbers if is_equal else ():
        met = guard.meet(environments.value(environment, other), guard.NON_ZERO if is_zero_equal else guard.ZERO)
        environment = environment if met is None else environments.assign(environment, other, met)
    return environment


def _comparisons(subjects: Iterable[AccessPath], questions: Mapping[AccessPath, Question]) -> dict[AccessPath, list[tuple[AccessPath, Comparison]]]:
    """Per subject that is a comparison those of the same text that cannot be equal as well."""
    texts: dict[AccessPath, list[tuple[AccessPath, Comparison]]] = {}
    for subject in subjects:
        if subject in questions and (told := comparison(questions[subject])) is not None:
            texts.setdefault(told.text, []).append((subject, told))
    return {
        subject: [(other, each) for other, each in group if _is_excluding(told, each)]
        for group in texts.values() if 1 < len(group) <= MAX_CONSTANTS for subject, told in group
    }


def _is_excluding(one: Comparison, other: Comparison) -> bool:
    """Whether no text is what both ask for."""
    first, second = one.constant, other.constant
    if first.startswith(_GLOBAL) is not second.startswith(_GLOBAL):
        return False  # What the constant with a name is nobody knows.
    if one.is_caseless or other.is_caseless:
        first, second = first.lower(), second.lower()
    if one.is_whole and other.is_whole:
        return first != second
    if one.is_whole:
        return not first.startswith(second)
    if other.is_whole:
        return not second.startswith(first)
    return not first.startswith(second) and not second.startswith(first)


def _is_named(operand: Sequence[str]) -> bool:
    """Whether an operand is a constant that only has a name here (`KIND_LABEL`): two names are taken to stand for two texts."""
    written = operand[0] if len(operand) == 1 else ""
    return written.startswith(_GLOBAL) and len(written) > 4 and written[2:].isupper() and written[2:].isidentifier()


def _is_text(operand: Sequence[str]) -> bool:
    """Whether an operand is a constant text that says what is in it."""
    written = operand[0] if len(operand) == 1 else ""
    return len(written) > 2 and written[:2] == '="' and written[-1] == '"' and "\\" not in written and '"' not in written[2:-1]
