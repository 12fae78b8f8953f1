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
    known = {(each.path, each.procedure, each.variable) for each in found} | {(each.path, each.procedure, each.acquired) for each in found}
    return tuple(
        each for each in told
        if known.isdisjoint({(each.path, each.procedure, each.variable), (each.path, each.procedure, each.acquired)})
    )
