"""Names in specs: lists in one string, braces, parameter patterns, access paths.

`java.io.{Reader,Writer}.close` stands for two names, `java.io.PrintStream.<init>(java.io.File)` for one
overload, `(*)` for any one parameter, no parentheses for any overload. Paths: `0` and `$0` are the
first formal, `$1.*` what the second points to, `this.[]` the elements of the receiver, `$0+` the
first formal and all after it (a variable argument list, of which eight are kept).
"""

from __future__ import annotations

import re

from analyzers.summaries import AccessPath

MAX_VARIABLE_ARGUMENTS = 8
"""How many actuals of a variable argument list a path such as `$0+` stands for."""

_BRACES = re.compile(r"\{([^{}]*)\}")
_ROOT = re.compile(r"this|\$ret|\$thrown|\$\d+\+?|::[\w.]+")
_FIELD = re.compile(r"\*|\[\]|~|\^|\?|\w+(/\w+)*")


def split_names(value: str | list[str]) -> list[str]:
    """The names in a string (separated by blanks) or a list of such strings, braces expanded."""
    words = value.split() if isinstance(value, str) else [word for text in value for word in text.split()]
    if not any("{" in word for word in words):
        return words
    return [name for word in words for name in expand_braces(word)]


def expand_braces(word: str) -> list[str]:
    """`a{b,c}d` to `abd`, `acd`; several groups give all combinations, left to right."""
    match = _BRACES.search(word)
    if match is None:
        return [word]
    head, tail = word[: match.start()], word[match.end() :]
    return [name for choice in match.group(1).split(",") for name in expand_braces(head + choice + tail)]


def split_signature(name: str) -> tuple[str, tuple[str, ...] | None]:
    """The qualified name and the parameter pattern of a key; None for any overload."""
    if not name.endswith(")"):
        return name, None
    base, _, inside = name[:-1].partition("(")
    return base, tuple(inside.split(",")) if inside else ()


def parse_paths(value: int | str) -> tuple[AccessPath, ...]:
    """The access paths that a position in a spec stands for; ValueError where it is none."""
    if isinstance(value, int):
        if value < 0:
            raise ValueError(f"`{value}` is no argument (they count from 0)")
        return ((f"${value}",),)
    root, *names = value.split(".")
    if not _ROOT.fullmatch(root) or not all(_FIELD.fullmatch(name) for name in names):
        raise ValueError(f"`{value}` is no access path (`$0`, `this`, `$ret`, `$1.*`, `this.[]` are)")
    fields = [name.replace("/", ".") for name in names]
    if not root.endswith("+"):
        return ((root, *fields),)
    first = int(root[1:-1])
    return tuple((f"${i}", *fields) for i in range(first, first + MAX_VARIABLE_ARGUMENTS))


def parse_path(value: int | str) -> AccessPath:
    """The one access path that a position stands for; ValueError for none or several."""
    paths = parse_paths(value)
    if len(paths) != 1:
        raise ValueError(f"`{value}` stands for several paths, one is needed")
    return paths[0]


def fit(pattern: tuple[str, ...] | None, parameters: tuple[str, ...]) -> int:
    """How well a call with these parameter types («» = not known) fits a pattern: 0 not at all, more is better."""
    if pattern is None:
        return 3
    if len(pattern) != len(parameters):
        return 0
    score = 5
    for wanted, given in zip(pattern, parameters, strict=True):
        if wanted == "*":
            score = min(score, 4)
        elif not given:
            score = min(score, 2)
        elif wanted != given:
            return 0
    return score
