"""What a change can affect: the procedures that base and head are both analysed over.

Procedures whose text differs, then callers upward as long as Effects differ. Without a store that knows what each
result read, misses users of a changed type or macro outside the changed files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analyzers import Program
from analyzers.queries import ProcedureKey
from analyzers.summaries import Effects
from bot.hunks import FileDiff

MAX_ROUNDS = 6
"""Levels of callers that a change is followed up."""


def affected(
    after: Program, before: Program, files: Sequence[FileDiff]
) -> tuple[tuple[ProcedureKey, ...], tuple[ProcedureKey, ...]]:
    """The scope in the head and in the base, each in the order of its source."""
    to_head = renames(files)
    to_base = {new: old for old, new in to_head.items()}
    head: dict[ProcedureKey, None] = {}
    base: dict[ProcedureKey, None] = {}
    for file in files:
        _add_changed(after, before, file, head, base)
    wave = sorted({*head, *(counterpart(key, to_head) for key in base)})
    for _ in range(MAX_ROUNDS):
        moved = [key for key in wave if _differs(after, before, key, to_base)]
        found = {caller for key in moved for caller in after.callers(simple_name(key.name))}
        found |= {counterpart(c, to_head) for key in moved for c in before.callers(simple_name(key.name))}
        wave = sorted(key for key in found if key not in head)
        for key in wave:
            head[key] = None
            base[counterpart(key, to_base)] = None
        if not wave:
            break
    return _existing(after, head), _existing(before, base)


def _add_changed(
    after: Program,
    before: Program,
    file: FileDiff,
    head: dict[ProcedureKey, None],
    base: dict[ProcedureKey, None],
) -> None:
    news = {key.name: key for key in after.procedures_of(file.after)} if file.after else {}
    olds = {key.name: key for key in before.procedures_of(file.before)} if file.before else {}
    for name in sorted({*news, *olds}):
        new, old = news.get(name), olds.get(name)
        if new is not None and old is not None and after.text_digest(new) == before.text_digest(old):
            continue
        if new is not None:
            head[new] = None
        if old is not None:
            base[old] = None


def _differs(after: Program, before: Program, key: ProcedureKey, to_base: Mapping[str, str]) -> bool:
    return _seen_by_callers(after.effects(key)) != _seen_by_callers(before.effects(counterpart(key, to_base)))


def _seen_by_callers(effects: Effects) -> tuple[object, ...]:
    """What of the Effects decides a caller's findings. What it reads, writes and retains decides proofs only, and
    those are computed in one tree; the places of acquisitions move with every edit above them."""
    transfers = tuple(
        (each.entry, each.resource, each.type, tuple((o.exit, o.when, o.fate, o.paths, o.certainty) for o in each.outcomes))
        for each in effects.transfers
    )
    return transfers, effects.aliases, effects.invokes, effects.throws, effects.returns, effects.result


def counterpart(key: ProcedureKey, paths: Mapping[str, str]) -> ProcedureKey:
    """The same procedure on the other side of the change."""
    path = paths.get(key.path, key.path)
    name = path + key.name.removeprefix(key.path) if key.name.startswith(f"{key.path}:") else key.name
    return ProcedureKey(path, name)


def renames(files: Sequence[FileDiff]) -> dict[str, str]:
    """Path in the base to path in the head, of the changed files that both have."""
    return {file.before: file.after for file in files if file.before and file.after}


def _existing(program: Program, keys: Iterable[ProcedureKey]) -> tuple[ProcedureKey, ...]:
    paths = sorted({key.path for key in keys})
    wanted = set(keys)
    return tuple(key for path in paths for key in program.procedures_of(path) if key in wanted)


def simple_name(procedure: str) -> str:
    """What a call of the procedure is written as: `com.acme.Dao.load(String)` is `load`."""
    head = procedure.partition("(")[0].partition("$lambda")[0].rpartition(":")[2]
    name = head.rpartition(".")[2]
    return head.rpartition(".")[0].rpartition(".")[2].rpartition("$")[2] if name == "<init>" else name
