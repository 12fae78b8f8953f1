"""From an entry to Effects: every key of the vocabulary is a few moves of handles between paths.

A move takes the handle that lies at a path and says, per ending of the call, whether it is released,
retained, or held and where. `wrapper`, `container`, `result` and `returns_receiver` are moves too, so that
there is one semantics. A path that no move names is borrowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeVar

import msgspec

from analyzers.specs.entries import Acquire, AcquireEntry, CallEntry, Move, Moves, On, ReleaseEntry, Where
from analyzers.specs.names import MAX_VARIABLE_ARGUMENTS, parse_path, parse_paths
from analyzers.specs.outcomes import Ending, Fate, endings, is_meant, negate, parse_condition, parse_result
from analyzers.specs.resources import Resource
from analyzers.summaries import AccessPath, Certainty, Condition, Effects, Outcome, Transfer

_T = TypeVar("_T")
_EXITS: tuple[Literal["return", "throw"], ...] = ("return", "throw")

FindResource = Callable[[str], Resource]
"""The resource of a name; raises ValueError with the nearest name where there is none."""


class _Step(msgspec.Struct, frozen=True):
    """One thing that happens to the handle at `source`. `is_kept`: it lies there afterwards, too."""

    source: AccessPath
    resource: str
    fate: Fate
    targets: tuple[AccessPath, ...]
    on: On
    when: str
    is_kept: bool = True


class Owner(msgspec.Struct, frozen=True):
    """What an entry is expanded for: the call's name, its language, the resource whose list it stands in, and
    whether a naming convention made the name."""

    name: str
    language: str
    resource: str = ""
    is_conventional: bool = False

    @property
    def is_constructor(self) -> bool:
        """Whether the call makes its receiver."""
        return self.name.endswith(".<init>")

    @property
    def product(self) -> str:
        """Where what the call makes lies afterwards."""
        return "this" if self.is_constructor else "$ret"


def expand(entry: CallEntry, owner: Owner, find: FindResource) -> Effects:
    """The Effects of one call of an entry; ValueError says what is wrong with it."""
    if type(entry) is CallEntry and entry == CallEntry(entry.call, failure=entry.failure):
        raise ValueError('says nothing: `borrows = "all"` if it only uses what it gets')
    acquired = [_resolve(item, owner, find) for item in _acquires(entry, owner)]
    failure = entry.failure or next((r.failure for _, r in acquired if r.failure), "")
    ends = endings(failure, owner.language)
    steps = [*_steps(entry, owner), *_container_steps(entry), *_result_steps(entry)]
    transfers = [transfer for item, resource in acquired for transfer in _acquisitions(item, resource, owner, ends)]
    transfers += _moves(steps, ends)
    stored = [t for s in steps for t in s.targets] + [p for t in transfers if not t.entry for p in t.outcomes[0].paths]
    return Effects(
        transfers=tuple(transfers),
        reads=_unique(step.source for step in steps if step.source[-1] in ("[]", "key", "value")),
        writes=_unique([*_paths(entry.writes), *(path for path in stored if _is_outer_write(path))]),
        retains=_unique(step.source for step in steps if _is_stored(step)),
        aliases=_aliases(entry),
        invokes=_unique(path[0] for path in _paths(entry.invokes)),
        throws=tuple(_words(entry.throws)),
        returns=_returns(entry),
        result=_result(entry, failure, ends, acquired),
        is_known=not entry.assumed,
        sizes=_unique(path[0] for path in _paths(entry.size)),
        type=entry.returns or _made_type(transfers),
        is_pure=entry.pure,
        inner=_inner(entry),
        is_fresh=entry.fresh,
        needs=_unique(path[0] for text in _texts(entry.result) if text.startswith("of ") for path in parse_paths(text[3:])),
        cases=_null_cases(entry),
        is_apart=entry.apart or (bool(acquired) and all(resource.is_apart for _, resource in acquired)),
        whole=tuple(_whole(entry, transfers)) if owner.language == "c" else (),
    )


def _null_cases(entry: CallEntry) -> tuple[tuple[Condition, ...], ...]:
    """The ways to return of a call that fails for a null argument only (`g_strdup`): null for null; of one that is true of nothing that
    is not there (`g_error_matches`)."""
    told = ((Condition(("$ret",), "!=", "=0"), Condition(path, "!=", "=null")) for path in _paths(entry.true_of))
    found = tuple(told)
    return (*found, (Condition(("$ret",), "==", "=0"),)) if found else tuple(
        (Condition(("$ret",), operator, "=null"), Condition(path, operator, "=null")) for path in _paths(entry.null_of) for operator in ("==", "!=")
    )


def _made_type(transfers: Iterable[Transfer]) -> str:
    """The Java type of a result that the call acquires."""
    for transfer in transfers:
        if not transfer.entry and "." in transfer.type and any(("$ret",) in each.paths for each in transfer.outcomes):
            return transfer.type
    return ""


def within(effects: Effects, arity: int) -> Effects:
    """Effects without what they say of formals that a call of this many parameters lacks (`$0+`)."""
    lacking = {f"${i}" for i in range(arity, arity + MAX_VARIABLE_ARGUMENTS)}
    if not any(transfer.entry and transfer.entry[0] in lacking for transfer in effects.transfers):
        return effects
    return msgspec.structs.replace(
        effects,
        transfers=tuple(each for each in effects.transfers if not each.entry or each.entry[0] not in lacking),
        retains=tuple(path for path in effects.retains if path[0] not in lacking),
    )


def kept_by_the_first(arity: int) -> Effects:
    """The Effects of a call of C that puts its arguments into the first of them (`sk_X509_REVOKED_push`)."""
    formals = tuple((f"${i}",) for i in range(1, arity))
    kept = tuple(Transfer(formal, "", "", (Outcome("return", (), "retained"),)) for formal in formals)
    return msgspec.structs.replace(perhaps_retained(1), transfers=(*perhaps_retained(1).transfers, *kept), retains=formals)


def perhaps_retained(arity: int) -> Effects:
    """The Effects of a call that borrows its receiver and may keep its arguments, or not."""
    formals = tuple((f"${i}",) for i in range(arity))
    return Effects(
        transfers=tuple(
            Transfer(formal, "", "", tuple(Outcome(end, (), "held", (formal,), Certainty.MAY) for end in _EXITS))
            for formal in formals
        ),
        retains=formals,
    )


# --- acquiring


def _acquires(entry: CallEntry, owner: Owner) -> Iterator[Acquire]:
    if isinstance(entry, AcquireEntry):
        yield Acquire(owner.resource, entry.into, entry.inside, entry.type, entry.on, entry.when, entry.leaves)
    items = entry.acquire if isinstance(entry.acquire, list) else [entry.acquire]
    for item in items:
        match item:
            case "":
                pass
            case str():
                yield Acquire(item)
            case _:
                yield item
    if entry.returns_owned:
        if owner.language == "java" and "." in entry.returns_owned:
            yield Acquire("closeable", type=entry.returns_owned)
        else:
            yield Acquire(entry.returns_owned)


def _resolve(item: Acquire, owner: Owner, find: FindResource) -> tuple[Acquire, Resource]:
    if not item.resource:
        raise ValueError("`acquire` names no `resource`")
    return item, find(item.resource)


def _acquisitions(item: Acquire, resource: Resource, owner: Owner, ends: Iterable[Ending]) -> Iterator[Transfer]:
    made = owner.name.removesuffix(".<init>") if owner.is_constructor else ""
    also = _paths(item.inside)
    extra = (parse_condition(item.when),) if item.when else ()
    left = (parse_condition(item.leaves),) if item.leaves else ()
    for into in _paths(item.into) if item.into != "" else (parse_path(owner.product),):
        outcomes = tuple(
            Outcome(end.exit, (*end.when, *extra), "held", (into, *also), left=left)
            for end in ends
            if is_meant(item.on, end)
        )
        yield Transfer((), resource.name, item.type or made or resource.type, _joined(outcomes))


# --- moving


def _steps(entry: CallEntry, owner: Owner) -> Iterator[_Step]:
    if isinstance(entry, ReleaseEntry):
        source = entry.argument if entry.argument != "" else _released_by_default(owner)
        yield from _move_steps(Move(source, owner.resource, "", entry.on, entry.when), "released", "any")
    yield from _step_list(entry.release, "released", "any")
    yield from _step_list(entry.consumes, "released", "success")
    for move in _as_moves(entry.wrapper):
        into = move.into if move.into != "" else f"{owner.product}.~"
        yield from _move_steps(msgspec.structs.replace(move, into=into), "held", "success")
    yield from _step_list(entry.owns, "retained", "success")
    yield from _step_list(entry.retains, "retained", "normal")
    for path in _paths(entry.borrows) if entry.borrows != "all" else ():
        yield _Step(path, "", "held", (), "any", "")


def _released_by_default(owner: Owner) -> int | str:
    return 0 if owner.language == "c" else "this"


def _step_list(moves: Moves, fate: Fate, on: On) -> Iterator[_Step]:
    for move in _as_moves(moves):
        yield from _move_steps(move, "held" if move.into != "" else fate, on)


def _as_moves(moves: Moves) -> Iterator[Move]:
    for move in moves if isinstance(moves, list) else [moves]:
        yield move if isinstance(move, Move) else Move(move)


def _move_steps(move: Move, fate: Fate, on: On) -> Iterator[_Step]:
    targets = _paths(move.into)
    for source in _paths(move.argument):
        yield _Step(source, move.resource, fate, targets, move.on or on, move.when)


def _container_steps(entry: CallEntry) -> Iterator[_Step]:
    """`$0 => this.[]` (lies there too), `this.[] -> $ret` (lies there now), `this.[] ->` (lies there no more); `… when $ret == null`."""
    for full in [entry.container] if isinstance(entry.container, str) else entry.container:
        text, _, when = full.partition(" when ")
        left, arrow, right = text.partition("=>") if "=>" in text else text.partition("->")
        if not arrow or not left.strip():
            raise ValueError(f"`{text}` is no movement (`$0 => this.[]` is)")
        targets = parse_paths(right.strip()) if right.strip() else ()
        for source in parse_paths(left.strip()):
            yield _Step(source, "", "held", targets, "success", when.strip(), is_kept=arrow == "=>")


def _result_steps(entry: CallEntry) -> Iterator[_Step]:
    for path in _same_as(entry):
        yield _Step(path, "", "held", (("$ret",),), "success", "")


def _same_as(entry: CallEntry) -> Iterator[AccessPath]:
    """The formals that the result is."""
    if entry.returns_receiver:
        yield ("this",)
    for text in _texts(entry.result):
        if text == "this" or (text.startswith("$") and " " not in text):
            yield parse_path(text)


def _whole(entry: CallEntry, transfers: list[Transfer]) -> Iterator[str]:
    """The formals that the result is, however the call ends."""
    for root in (text for text in _texts(entry.result) if text.startswith("$") and " " not in text):
        ways = [each for transfer in transfers if transfer.entry == (root,) for each in transfer.outcomes]
        if ways and all(each.fate == "held" and ("$ret",) in each.paths for each in ways):
            yield root


def _moves(steps: list[_Step], ends: tuple[Ending, ...]) -> Iterator[Transfer]:
    for (source, resource), group in _grouped(steps).items():
        conditions = _unique(parse_condition(step.when) for step in group if step.when)
        if len(conditions) > 1:
            raise ValueError(f"two conditions `when` for `{'.'.join(source)}`")
        outcomes: list[Outcome] = []
        for end in ends:
            if not conditions:
                outcomes.append(_outcome(source, group, end, ()))
                continue
            unconditional = [step for step in group if not step.when]
            outcomes.append(_outcome(source, group, end, conditions))
            outcomes.append(_outcome(source, unconditional, end, (negate(conditions[0]),)))
        yield Transfer(source, resource, "", _joined(tuple(outcomes)))


def _grouped(steps: list[_Step]) -> dict[tuple[AccessPath, str], list[_Step]]:
    """Steps by path and resource; those of any resource join each that is named for their path."""
    groups: dict[tuple[AccessPath, str], list[_Step]] = {}
    for step in steps:
        groups.setdefault((step.source, step.resource), [])
    for source, resource in list(groups):
        if not resource and any(other == source and named for other, named in groups):
            del groups[source, resource]
    for (source, resource), group in groups.items():
        group.extend(step for step in steps if step.source == source and step.resource in ("", resource))
    return groups


def _outcome(source: AccessPath, group: list[_Step], end: Ending, extra: tuple[Condition, ...]) -> Outcome:
    steps = [step for step in group if is_meant(step.on, end)]
    fates = {step.fate for step in steps}
    when = (*end.when, *extra)
    if "released" in fates:
        return Outcome(end.exit, when, "released")
    targets = _unique(target for step in steps for target in step.targets)
    if "retained" in fates:
        return Outcome(end.exit, when, "retained", targets)
    kept = (source,) if all(step.is_kept for step in steps) else ()
    return Outcome(end.exit, when, "held", (*kept, *targets))


def _joined(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Without conditions where all endings of an exit do the same."""
    joined: list[Outcome] = []
    for exit_ in ("return", "throw"):
        same = [outcome for outcome in outcomes if outcome.exit == exit_]
        differing = {(outcome.fate, outcome.paths) for outcome in same}
        if len(same) > 1 and len(differing) == 1:
            joined.append(msgspec.structs.replace(same[0], when=_in_all(same)))
        else:
            joined.extend(same)
    return tuple(joined)


def _in_all(outcomes: list[Outcome]) -> tuple[Condition, ...]:
    return tuple(c for c in outcomes[0].when if all(c in other.when for other in outcomes))


# --- the rest


def _paths(value: Where) -> tuple[AccessPath, ...]:
    if value == "":
        return ()
    items = value if isinstance(value, list) else value.split() if isinstance(value, str) else [value]
    return tuple(path for item in items for path in parse_paths(item))


def _is_outer_write(path: AccessPath) -> bool:
    return len(path) > 1 and path[0] != "$ret" and path[-1] not in ("~", "^")


def _is_stored(step: _Step) -> bool:
    """Whether what the caller passes lies in something else of the caller afterwards, or out of its reach."""
    if not step.source[0].startswith("$"):
        return False
    if step.fate == "retained":
        return True
    return any(len(t) > 1 and t[0] not in ("$ret", step.source[0]) for t in step.targets)


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) and value else list(value)


def _words(value: str | list[str]) -> Iterator[str]:
    for text in _texts(value):
        yield from text.split()


def _aliases(entry: CallEntry) -> tuple[str, ...]:
    return _unique([*(path[0] for path in _same_as(entry)), *_inner(entry)])


def _inner(entry: CallEntry) -> tuple[str, ...]:
    """The formals into whose own object the result points. Of `strsep`, whose result lies behind a pointer to a pointer,
    nothing is said: no formal is what it points into."""
    within = [text.split()[1] for text in _texts(entry.result) if text.startswith("in ")]
    return _unique(path[0] for text in within for path in parse_paths(text) if len(path) == 1)


def _returns(entry: CallEntry) -> Literal["normal", "never", "sometimes"]:
    match entry.noreturn:
        case False:
            return "normal"
        case True:
            return "never"
        case stop:
            return "never" if stop.on == "any" and not stop.when else "sometimes"


def _result(
    entry: CallEntry, failure: str, ends: tuple[Ending, ...], acquired: list[tuple[Acquire, Resource]]
) -> tuple[Condition, ...]:
    found = [
        parse_result(text)
        for text in _texts(entry.result)
        if text != "this" and not text.startswith(("in ", "of ")) and not (text.startswith("$") and " " not in text)
    ]
    if failure == "never" and any(resource.failure in ("", "null") and a.into == "" for a, resource in acquired):
        found.append(parse_result("non-null"))
    if not isinstance(entry.noreturn, bool) and entry.noreturn.on == "success":
        found.extend(condition for end in ends if not end.is_success for condition in end.when)
    if not isinstance(entry.noreturn, bool) and entry.noreturn.on == "any" and entry.noreturn.when:
        found.append(negate(parse_condition(entry.noreturn.when)))
    # No other number below 0 either: `!= -1` says as much as `>= 0`, and who asks a pointer for `< 0` asks for the -1.
    if failure in ("-1", "minus-one-pointer") and not any(each.operator == "==" for each in found):
        found.append(parse_result("$ret >= -1"))
    return _unique(found)


def _unique(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
