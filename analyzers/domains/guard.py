"""Predicates over scalars: what branches have said of a value, as an interval with holes.

null and false are 0, true is 1, a text or a function's address is something else than 0. Named constants of
unknown value (`State.OPEN`, `EAGAIN`) are symbols: equal to themselves, different from each other, and not
comparable with numbers. A relation between two variables is not kept.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

MINUS_INFINITY = -(1 << 70)
INFINITY = 1 << 70
_SYMBOLS = 1 << 80
"""Symbols are the points from here on."""

_STREAMS = _SYMBOLS - 16
"""Symbols before the names are the streams that every program begins with."""

GIVEN = (_SYMBOLS, _SYMBOLS, ())
"""What was there when the procedure began, whatever that is: no constant has this symbol."""

MAX_HOLES = 6

_VALUES = 1 << 14
"""Answers about literals and values that are remembered: the few that a procedure has are asked for at each call, per handle."""

Value = tuple[int, int, tuple[int, ...]]
"""(least, greatest, holes): a set of integers, never empty. Holes lie strictly between the ends, sorted, or are symbols that it is not."""

TOP: Value = (MINUS_INFINITY, INFINITY, ())
ZERO: Value = (0, 0, ())
ONE: Value = (1, 1, ())
NON_ZERO: Value = (MINUS_INFINITY, INFINITY, (0,))
POSITIVE: Value = (1, INFINITY, ())
ADDRESS: Value = (1, (1 << 63) - 1, ())
"""Where objects of C lie: the numbers beyond are errors for those who return them as pointers."""
MADE: Value = (0, INFINITY, ())
"""What a call that makes an object returns: null, or something new."""
BOOLEAN: Value = (0, 1, ())

NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">=": "<=", ">": "<", "<=": ">="}

_WORDS = {"=null": ZERO, "=NULL": ZERO, "=false": ZERO, "=true": ONE}


def constant(number: int) -> Value:
    """The value that is one number."""
    return (number, number, ())


def symbol(index: int) -> Value:
    """The value that is the named constant number `index`."""
    return (_SYMBOLS + index, _SYMBOLS + index, ())


def stream(index: int) -> Value:
    """The value that is a stream which every program begins with: nothing that a call has just made."""
    return (_STREAMS + index, _STREAMS + index, ())


def is_stream(value: Value) -> bool:
    """Whether a value is one of the standard streams."""
    return _STREAMS <= value[0] < _SYMBOLS


def is_symbol(value: Value) -> bool:
    """Whether a value is a named constant."""
    return value[0] >= _STREAMS


@functools.lru_cache(_VALUES)
def literal(operand: str) -> Value:
    """What is known of a literal operand; TOP where nothing is."""
    word = _WORDS.get(operand)
    if word is not None:
        return word
    text = operand[1:]
    if text[:1] in ('"', "&") or text[:2] in ('L"', 'u"'):
        return NON_ZERO
    number = parse_integer(text)
    return TOP if number is None else (number, number, ())


def parse_integer(text: str) -> int | None:
    """The number that an integer or character literal of Java or C stands for."""
    if len(text) == 3 and text[0] == text[2] == "'":
        return ord(text[1])
    digits = text.rstrip("uUlL").replace("_", "").replace("'", "")
    sign = -1 if digits[:1] == "-" else 1
    digits = digits.lstrip("+-")
    if not digits[:1].isdigit():
        return None
    try:
        if len(digits) > 1 and digits[0] == "0" and digits[1] in "01234567":
            return sign * int(digits, 8)
        return sign * int(digits, 0)
    except ValueError:
        return None


def normalise(low: int, high: int, holes: tuple[int, ...]) -> Value | None:
    """The value of these ends and holes; None where nothing is left."""
    if holes:
        marked = set(holes)
        while low in marked:
            low += 1
        while high in marked:
            high -= 1
        holes = _kept(hole for hole in marked if low < hole < high or hole >= _STREAMS)
    return (low, high, holes) if low <= high else None


def meet(one: Value, other: Value) -> Value | None:
    """What satisfies both; None where they contradict each other."""
    if one is other:
        return one
    return normalise(max(one[0], other[0]), min(one[1], other[1]), one[2] + other[2])


def opposite(value: Value) -> Value:
    """What holds of a truth value where this holds of its opposite."""
    if value == ZERO:
        return NON_ZERO
    return TOP if contains(value, 0) else ZERO


def join(one: Value, other: Value) -> Value:
    """The least value that holds both."""
    if one == other:
        return one
    if is_symbol(one) or is_symbol(other):
        return TOP
    low, high = min(one[0], other[0]), max(one[1], other[1])
    holes = {hole for hole in (*one[2], *other[2], *_between(one, other)) if not (contains(one, hole) or contains(other, hole))}
    return (low, high, _kept(holes))


def _kept(holes: Iterable[int]) -> tuple[int, ...]:
    """Of too many holes those nearest to zero: what a status is asked for is whether it is zero."""
    found = sorted(holes)
    return tuple(found if len(found) <= MAX_HOLES else sorted(sorted(found, key=abs)[:MAX_HOLES]))


def _between(one: Value, other: Value) -> tuple[int, ...]:
    """0, where the two lie on either side of it: «negative or positive» is «not zero»."""
    return (0,) if (one[1] < 0 < other[0]) or (other[1] < 0 < one[0]) else ()


def contains(value: Value, number: int) -> bool:
    """Whether the value may be that number, or the constant of that symbol."""
    if number >= _STREAMS > value[1]:
        return number not in value[2]
    return value[0] <= number <= value[1] and number not in value[2]


def is_within(one: Value, other: Value) -> bool:
    """Whether every number of the first is one of the second."""
    return other[0] <= one[0] and one[1] <= other[1] and not any(contains(one, hole) for hole in other[2])


@functools.lru_cache(_VALUES)
def refine(value: Value, operator: str, other: Value) -> Value | None:
    """The value, given that it stands in this relation to something of `other`; None: it cannot."""
    if is_symbol(value) or is_symbol(other):
        return _refine_symbol(value, operator, other)
    return _refine_number(value, operator, other)


def _refine_number(value: Value, operator: str, other: Value) -> Value | None:
    match operator:
        case "==":
            return meet(value, other)
        case "!=":
            if other[0] == other[1]:
                return normalise(value[0], value[1], (*value[2], other[0]))
            return value
        case "<":
            return normalise(value[0], min(value[1], other[1] - 1), value[2])
        case "<=":
            return normalise(value[0], min(value[1], other[1]), value[2])
        case ">":
            return normalise(max(value[0], other[0] + 1), value[1], value[2])
        case ">=":
            return normalise(max(value[0], other[0]), value[1], value[2])
        case _:
            return value


def _refine_symbol(value: Value, operator: str, other: Value) -> Value | None:
    if GIVEN in (value, other):
        return value
    if operator == "==":
        if (value == ZERO and _is_error(other)) or (other == ZERO and _is_error(value)):
            return None
        if is_symbol(value) and is_symbol(other):
            return value if value == other else None
        if (is_stream(other) and value[0] >= 0) or (is_stream(value) and other[0] >= 0):
            return None
        if other[0] in value[2] or value[0] in other[2]:
            return None
        return other if value == TOP else value
    if operator == "!=" and value == other:
        return None
    if operator in _ASKING_FOR_FAILURE and other == ZERO and _is_success(value):
        return None
    if operator == "!=" and not is_symbol(value) and other[0] not in value[2]:
        return (value[0], value[1], (*value[2], other[0])[:MAX_HOLES])
    return value


def is_guess(value: Value, operator: str, other: Value) -> bool:
    """Whether it takes more than the name of a constant to say that it stands in this relation to numbers: what says success is
    taken for 0, and what says an error for another number, where they are tested for that."""
    if not is_symbol(value) or is_symbol(other) or value == GIVEN or is_stream(value):
        return False
    if other != ZERO:
        return True
    return operator not in _ASKING_FOR_SUCCESS if _is_success(value) else not _is_error(value) or _refine_number(ZERO, operator, other) is not None


def _is_success(value: Value) -> bool:
    """Whether a value is a constant that is named like success."""
    return is_named_like_success(_name(value))


def is_named_like_success(name: str) -> bool:
    """Whether a name ends with what says success, and does not deny it (`MAIL_NOT_OK`)."""
    words = name.split("_")
    return (words[-1] in _SUCCESS or words[-2:] == ["NO", "ERROR"]) and _DENYING.isdisjoint(words[:-2] if words[-1] == "ERROR" else words)


def _is_error(value: Value) -> bool:
    """Whether a value is a constant that is named like an error: zero is how success is told."""
    words, last = _words(value), _name(value).rpartition("_")[2]
    is_denied = last in _SUCCESS and not is_named_like_success(_name(value))
    return is_denied or (not words.isdisjoint(_ERRORS) and words.isdisjoint(_NO_ERRORS))


def _words(value: Value) -> frozenset[str]:
    """The words of the name of a constant; none of anything else."""
    return frozenset(_name(value).replace("NOT_FOUND", "NOTFOUND").split("_"))


def _name(value: Value) -> str:
    """The name of a constant; empty for anything else."""
    number = value[0] - _SYMBOLS
    if number <= 0 or value[0] != value[1]:
        return ""
    return number.to_bytes((number.bit_length() + 7) // 8, "big").decode("utf-8", "replace")


_ERRORS = frozenset((
    "ABORTED", "AGAIN", "BAD", "BUSY", "CORRUPT", "DENIED", "DOWN", "EAI", "ERR", "ERROR", "FAIL", "FAILED", "FAILURE", "ILLEGAL", "INVALID", "LOCKED", "MEMORY",
    "MISUSE", "NOMEM", "NOTFOUND", "REFUSED", "TIMEOUT", "UNAVAILABLE", "UNSUPPORTED",
))
_NO_ERRORS = frozenset(("NO", "NONE", "NOT", "OK", "SUCCESS"))
_SUCCESS = frozenset(("NOERROR", "OK", "SUCCESS"))
_DENYING = frozenset(("NO", "NON", "NOT", "UN"))
"""Words in names of constants."""
_ASKING_FOR_FAILURE = ("!=", "<")
_ASKING_FOR_SUCCESS = ("==", ">=")
"""Comparisons with 0 that tell success from failure."""


def add(value: Value, number: int) -> Value:
    """The value after adding a constant. Far ends become infinite, so that counting in a loop ends."""
    if is_symbol(value):
        return TOP
    low, high = value[0], value[1]
    low = low + number if low > MINUS_INFINITY else low
    high = high + number if high < INFINITY else high
    if low > FAR or high > FAR:
        low, high = min(low, FAR), INFINITY
    if low < -FAR or high < -FAR:
        low, high = MINUS_INFINITY, max(high, -FAR)
    return normalise(low, high, tuple(hole + number for hole in value[2])) or TOP


def negative(value: Value) -> Value:
    """The value with its sign turned round."""
    if is_symbol(value) or any(is_symbol((hole, hole, ())) for hole in value[2]):
        return TOP
    return (-value[1], -value[0], tuple(-hole for hole in reversed(value[2])))


FAR = 3
"""How far `add` counts exactly."""


def bounds(value: Value) -> tuple[tuple[str, int], ...]:
    """The value as (operator, number) comparisons that hold all together; none for TOP."""
    low, high, holes = value
    if low == high:
        return (("==", low),)
    found: list[tuple[str, int]] = []
    if low > MINUS_INFINITY:
        found.append((">=", low))
    if high < INFINITY:
        found.append(("<=", high))
    return (*found, *(("!=", hole) for hole in holes))
