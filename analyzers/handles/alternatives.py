"""The Effects of calls that may run one of several bodies, or bodies where a library has its own word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from analyzers.domains.access_path import WRAPPED
from analyzers.handles.scene import RESULT
from analyzers.queries import Target
from analyzers.summaries import AccessPath, Certainty, Effects, Outcome, Transfer

T = TypeVar("T")

CLOSEABLE = "closeable"
"""The spec resource of all that is closed by `close()`."""


def is_guess(effects: Effects) -> bool:
    """Whether it is not sure that a call acquires what its Effects say."""
    is_told = effects.is_sketched and all(o.certainty is Certainty.MUST for each in effects.transfers if not each.entry for o in each.outcomes)
    return not effects.is_known and not is_told


def combine(parts: list[Effects]) -> Effects:
    """The Effects of a call that runs one of several bodies."""
    if len(parts) == 1:
        return merge_acquisitions(parts[0])
    groups: dict[tuple[AccessPath, str], list[Transfer | None]] = {}
    for index, part in enumerate(parts):
        for transfer in part.transfers:
            key = (transfer.entry, transfer.resource)
            groups.setdefault(key, [None] * len(parts))
            if groups[key][index] is None or transfer.entry:
                groups[key][index] = transfer
    return Effects(
        transfers=tuple(_combined(entry, resource, group) for (entry, resource), group in groups.items()),
        reads=_union(part.reads for part in parts),
        writes=_union(part.writes for part in parts),
        retains=_union(part.retains for part in parts),
        aliases=_union(part.aliases for part in parts),
        invokes=_union(part.invokes for part in parts),
        result=tuple(c for c in parts[0].result if all(c in part.result for part in parts)),
        is_known=all(part.is_known for part in parts),
        is_pure=all(part.is_pure for part in parts),
        sizes=_sizes(parts),
        cases=_union(part.cases for part in parts) if all(part.cases for part in parts) else (),
        whole=tuple(root for root in parts[0].whole if all(root in part.whole for part in parts)),
    )


def _sizes(parts: list[Effects]) -> tuple[str, ...]:
    """The sizes without which none of several bodies acquires anything."""
    makers = [part for part in parts if any(not each.entry for each in part.transfers)]
    return tuple(root for root in makers[0].sizes if all(root in part.sizes for part in makers)) if makers else ()


def as_results(effects: Effects) -> Effects:
    """The Effects of a call whose result is of a library's type, whatever class some body makes: what lies in its fields is closed
    with it, and its users see no fields. What ends in another way is for that class to end."""
    transfers = [_as_result(each) if each.resource == CLOSEABLE and not each.entry else each for each in effects.transfers]
    return msgspec.structs.replace(effects, transfers=tuple(each for each in transfers if not _is_hidden(each)))


def _as_result(transfer: Transfer) -> Transfer:
    """An acquisition with the result in the place of its fields; what it is a wrapper of, and its elements, are seen from outside, too."""
    outcomes = dict.fromkeys(
        msgspec.structs.replace(each, paths=tuple(dict.fromkeys(RESULT if _is_field(path) else path for path in each.paths)))
        for each in transfer.outcomes
    )
    return msgspec.structs.replace(transfer, outcomes=tuple(outcomes))


def _is_field(path: AccessPath) -> bool:
    return path[0] == RESULT[0] and path[1:2] not in ((), (WRAPPED,), ("[]",))


def _is_hidden(transfer: Transfer) -> bool:
    """Whether all that is acquired lies inside of the result, and closing that does not end it."""
    paths = [path for outcome in transfer.outcomes for path in outcome.paths]
    return not transfer.entry and transfer.resource != CLOSEABLE and all(path[0] == RESULT[0] and len(path) > 1 for path in paths)


def beside_model(model: Effects, bodies: list[Effects]) -> Effects:
    """The Effects of a call through a pointer that holds a function of a library, or one of the program's: what that says
    nothing of, it does alike."""
    told = {transfer.entry for transfer in model.transfers}
    transfers = []
    for each in model.transfers:
        own = [t for body in bodies for t in body.transfers if t.entry == each.entry and t.resource in ("", each.resource)]
        outcomes = dict.fromkeys(outcome for transfer in (each, *own) for outcome in transfer.outcomes)
        transfers.append(msgspec.structs.replace(each, outcomes=tuple(outcomes)))
    all_of_them = combine([model, *bodies])
    more = tuple(each for each in all_of_them.transfers if each.entry not in told)
    return msgspec.structs.replace(all_of_them, transfers=(*transfers, *more))


def _union(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(item for part in parts for item in part))


def _combined(entry: AccessPath, resource: str, group: list[Transfer | None]) -> Transfer:
    present = [transfer for transfer in group if transfer is not None]
    outcomes = dict.fromkeys(outcome for transfer in present for outcome in transfer.outcomes)
    if len(present) < len(group):
        if entry:
            outcomes[Outcome("return", (), "held", (entry,), Certainty.MAY)] = None
        else:
            outcomes = dict.fromkeys(msgspec.structs.replace(each, certainty=Certainty.MAY) for each in outcomes)
    return Transfer(entry, resource, present[0].type, tuple(outcomes), present[0].site)


def merge_acquisitions(effects: Effects) -> Effects:
    """Several acquisitions of a callee that hand out the same thing by the same paths are one to its caller."""
    acquired: dict[tuple[str, frozenset[AccessPath]], Transfer] = {}
    for transfer in effects.transfers:
        if transfer.entry:
            continue
        key = (transfer.resource, frozenset(path for outcome in transfer.outcomes for path in outcome.paths))
        first = acquired.get(key)
        if first is not None:
            outcomes = tuple(dict.fromkeys((*first.outcomes, *transfer.outcomes)))
            transfer = msgspec.structs.replace(first, outcomes=outcomes)
        acquired[key] = transfer
    rest = tuple(transfer for transfer in effects.transfers if transfer.entry)
    if len(acquired) + len(rest) == len(effects.transfers):
        return effects
    return msgspec.structs.replace(effects, transfers=(*rest, *acquired.values()))


def with_model(bodies: Effects, model: Effects, target: Target) -> Effects:
    """Bodies of the repository behind a library interface: the interface's contract holds where no body says more.
    Where no other body can run, these say what is acquired."""
    entries = {transfer.entry for transfer in bodies.transfers if transfer.entry}
    is_acquiring = any(not transfer.entry for transfer in model.transfers)
    kept = tuple(t for t in bodies.transfers if t.entry or not is_acquiring or target.is_exact)
    added = tuple(t for t in model.transfers if t.entry not in entries and (t.entry or not target.is_exact))
    return msgspec.structs.replace(
        bodies, transfers=(*kept, *added), aliases=_union((bodies.aliases, model.aliases)),
        reads=_union((bodies.reads, model.reads)), writes=_union((bodies.writes, model.writes)),
        retains=_union((bodies.retains, model.retains)), invokes=_union((bodies.invokes, model.invokes)),
        is_known=bodies.is_known or model.is_known, whole=tuple(root for root in bodies.whole if root in model.whole),
    )


def lent_by_contract(bodies: Effects, target: Target, path: str) -> Effects:
    """What a function of C does that a program replaces in another file, of which the library says that it only borrows and lends
    (`getpass`): on systems without it, its result is as little the caller's, whatever some body makes to have something to show."""
    if all(each.path == path for each in target.procedures):
        return bodies
    kept = tuple(each for each in bodies.transfers if each.entry or any(way[:1] != RESULT for end in each.outcomes for way in end.paths))
    return bodies if len(kept) == len(bodies.transfers) else msgspec.structs.replace(bodies, transfers=kept)


def is_telling(model: Effects, never: Iterable[bool]) -> bool:
    """Whether a model of C says more than «borrows». `never`: per body that may run whether it never returns, asked for only where the
    model says so."""
    return (bool(model.transfers) and not model.is_rule) or any(each.path[0] != "$ret" for each in model.result) or (model.returns == "never" and all(never))
