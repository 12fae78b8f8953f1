"""Which releases a change takes out without anything in their place: asked of both versions of each procedure that it changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from analyzers import Finding, Program
from analyzers.queries import ProcedureKey
from analyzers.withdrawn import Text, withdrawn
from bot.hunks import FileDiff
from bot.scope import counterpart

_LOG = logging.getLogger(__name__)

Wanted = Callable[[Iterable[ProcedureKey]], Sequence[ProcedureKey]]

_STATEMENT = 300
"""Bytes before an expression in which its statement begins."""

_SUFFIXES = (".c", ".h", ".java")


def taken_out(
    before: Program, after: Program, files: Sequence[FileDiff], found: Sequence[Finding], wanted: Wanted
) -> tuple[Finding, ...]:
    """The findings that only both versions together tell of: none about what is `found` in the new one, and only in
    procedures that are wanted."""
    pairs: list[tuple[ProcedureKey, ProcedureKey]] = []
    texts: dict[str, Text] = {}
    for file in files:
        if not file.after or not file.after.endswith(_SUFFIXES):
            continue
        texts[file.after] = Text(before.source(file.before) if file.before else b"", after.source(file.after))
        old = set(before.procedures_of(file.before)) if file.before else set()
        for key in wanted(after.procedures_of(file.after) if old else ()):
            partner = counterpart(key, {file.after: file.before})
            if partner in old:
                pairs.append((partner, key))
    try:
        told = withdrawn(before, after, pairs, texts)
    except Exception:  # What both versions tell together comes on top: without it the review is still right.
        _LOG.exception("comparing both versions of what changed failed")
        return ()
    return tuple(each for each in told if not any(_is_same(each, other, after) for other in found))


def _is_same(told: Finding, found: Finding, after: Program) -> bool:
    """Whether a finding is about what a release taken out was for: by its variable, by where it is made, or by what that is put into
    at once (`page->name = strdup(text);`). Errs towards two findings of one leak."""
    if (told.path, told.procedure) != (found.path, found.procedure):
        return False
    if told.variable == found.variable:
        return True
    one, other = told.acquired, found.acquired
    if one.path != other.path:
        return False
    if max(one.start, other.start) < min(one.end, other.end):
        return True
    return bool(told.variable) and _put_into(after.source(other.path), other.start) == _plain(told.variable)


def _put_into(text: bytes, start: int) -> str:
    """What the expression that begins somewhere in a text of C or Java is assigned to by its statement; empty where it is not."""
    before = text[max(0, start - _STATEMENT) : start]
    target, sign, _ = before[max(before.rfind(mark) for mark in (b";", b"{", b"}")) + 1 :].partition(b"=")
    return _plain(target.decode("utf-8", "replace")) if sign else ""


def _plain(expression: str) -> str:
    """An expression without blanks, and with one sign for both ways to name a member."""
    return "".join(expression.split()).replace("->", ".")
