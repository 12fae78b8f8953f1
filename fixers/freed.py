"""Whether what a patch writes looks into memory that the function has released before (C).

The path checker follows the resource of the finding only; this asks for every block that a call may have released:
`free(c); fclose(c->in)`. May-analysis over all paths, names by copies: errs towards refusing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzers import Program, ir
from analyzers.facts import Facts, members_with
from analyzers.graphs.operands import assigned
from analyzers.solvers.dataflow import solve_forward
from analyzers.summaries import BELOW, AccessPath
from fixers.edits import inserted
from fixers.fix import Edit
from fixers.paths.looks import followed

Names = frozenset[str]


def freed_before(after: Facts, edits: Sequence[Edit], program: Program) -> str:
    """A variable through which new text reads or writes though what it points to may be gone, or that holds what a release of the new text
    takes with it; empty where there is none."""
    body = after.linked.body
    ranges = inserted(edits)
    written = [
        node for node, each in enumerate(body.nodes)
        if any(low <= body.start + each.start and body.start + each.end <= high for low, high in ranges)
    ]
    parents, akin = _parents(after), copied_names(body.nodes)
    loaded = _loaded_again(body.nodes, {name for names in parents.values() for name in names})
    if gone := _gone_with(after, written, akin, program):
        return gone
    pointed = {node: _pointed_to(after, node, akin) for node in written}
    if not any(_base(body.nodes[node]) or pointed[node] or not parents.keys().isdisjoint(_given(body.nodes[node])) for node in written):
        return ""

    def step(node: int, freed: Names) -> dict[int, Names]:
        instruction = body.nodes[node]
        left = freed.difference(assigned(instruction))
        if isinstance(instruction, ir.Call):
            released = [again for name in released_by(after, node, instruction) for again in (name, *loaded.get(name, ()))]
            left = left.union(*(akin.get(name, frozenset((name,))) for name in released)).difference(assigned(instruction))
        return dict.fromkeys(after.linked.next[node], left)

    nothing: Names = frozenset()
    before = solve_forward(after.cfg, {ir.ENTRY: nothing}, step, lambda one, other: one | other)
    found = (base for node in written if (base := _base(body.nodes[node])) and base in before.get(node, ()))
    whole = (
        each for node in written for one in _given(body.nodes[node]) for each in parents.get(one, ())
        if each in before.get(node, ()) and not _is_own_order(body.nodes, node, one, (at for at in before if each in before[at] and at not in written))
    )
    below = (each for node in written for each in pointed[node] if each in before.get(node, ()))
    return next(itertools.chain(found, whole, below), "")


def _gone_with(after: Facts, written: Sequence[int], akin: Mapping[str, Names], program: Program) -> str:
    """A variable that is used where it may hold a member that a release of the new text has ended, as all releases of such a struct of a
    library do: `text = string->str; g_string_free(string, TRUE); return text`."""
    body, nothing = after.linked.body, frozenset[tuple[str, str, str]]()
    ends = {
        node: [(name, field) for name in released_by(after, node, call) for t in _released(after, node) for field in members_with(program, t)]
        for node in written if isinstance(call := body.nodes[node], ir.Call) and not call.dst
    }
    fields = {field for each in ends.values() for _, field in each}
    if not fields:
        return ""

    def step(node: int, held: frozenset[tuple[str, str, str]]) -> dict[int, frozenset[tuple[str, str, str]]]:
        instruction = body.nodes[node]
        for name, field in ends.get(node, ()):
            held |= {(each, "", "") for each, base, read in held if read == field and base in akin.get(name, (name,))}
        changed = assigned(instruction)
        left = {each for each in held if each[0] not in changed and each[1] not in changed}
        match instruction:
            case ir.Load(dst=dst, base=base, field=field) if field in fields:
                left.add((dst, base, field))
            case ir.Store(base=base, field=field):
                left = {each for each in left if not (each[2] == field and each[1] in akin.get(base, (base,)))}
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)):
                left |= {(dst, *each[1:]) for each in held if each[0] == src and each[1] != dst}
            case _:
                pass
        return dict.fromkeys(after.linked.next[node], frozenset(left))

    before = solve_forward(after.cfg, {ir.ENTRY: nothing}, step, lambda one, other: one | other)
    return next((ir.source_name(name) for node in sorted(before) for name in _looked_at(body.nodes[node]) if (name, "", "") in before[node]), "")


def _released(after: Facts, node: int) -> list[str]:
    """The kinds of resources that a call may release whole."""
    transfers = (each for effects in after.effects.get(node, ()) for each in effects.transfers if len(each.entry) == 1)
    return sorted({each.resource for each in transfers if any(one.fate == "released" for one in each.outcomes)})


def _looked_at(instruction: ir.Instruction) -> tuple[str, ...]:
    """The variables that an instruction follows, hands on or keeps; a test is no use."""
    match instruction:
        case ir.Return(src=src):
            return (src,)
        case ir.Store(src=src) | ir.StoreElement(src=src):
            return (_base(instruction), src)
        case _:
            return (_base(instruction), *_given(instruction))


def _is_own_order(nodes: Sequence[ir.Instruction], node: int, name: str, gone: Iterable[int]) -> bool:
    """Whether the code itself calls the same for the same variable where what it came from is gone: `gone` are its nodes there."""
    ours = nodes[node]
    theirs = (each for at in gone if isinstance(each := nodes[at], ir.Call))
    return isinstance(ours, ir.Call) and any(each.name == ours.name and name in each.args for each in theirs)


def _pointed_to(after: Facts, node: int, akin: Mapping[str, Names]) -> list[str]:
    """The variables whose blocks a call looks into by way of an argument's members: `table_release(table)` counts in the pool that
    `table_new(pool)` was given."""
    call = after.linked.body.nodes[node]
    target = after.linked.targets.get(node)
    if not isinstance(call, ir.Call) or target is None or not target.procedures:
        return []
    found = []
    for position, given in enumerate(call.args):
        paths = [path[1:] for effects in after.effects.get(node, ()) for path in followed(effects, f"${position}")]
        for fields, name in _members(after, akin.get(given, frozenset((given,)))) if paths else ():
            if any((path[: len(fields)] == fields and len(path) > len(fields)) or path == (*fields[: len(path) - 1], BELOW) for path in paths):
                found.append(name)
    return found


def _members(after: Facts, holders: Names) -> Iterator[tuple[AccessPath, str]]:
    """What members of an object hold that one of some variables points to: the fields that lead there, and the variable it was."""
    nodes = after.linked.body.nodes
    places = _places(nodes)
    for node, each in enumerate(nodes):
        match each:
            case ir.Store(base=base, field=field, src=src) if base in holders:
                yield (field,), src
            case ir.Call():
                for transfer in (transfer for effects in after.effects.get(node, ()) for transfer in effects.transfers if len(transfer.entry) == 1):
                    for path in sorted({path for one in transfer.outcomes if one.fate == "held" for path in one.paths if len(path) > 1}):
                        name = each.dst if path[0] == "$ret" else _argument(each, path[0])
                        is_inside = path[1] == "*" and len(path) > 2
                        if (places.get(name, "") if is_inside else name) in holders:
                            yield path[2 if is_inside else 1:], _argument(each, transfer.entry[0])
            case _:
                pass


def _places(nodes: Sequence[ir.Instruction]) -> dict[str, str]:
    """The variables whose addresses others have."""
    return {each.dst: each.base for each in nodes if isinstance(each, ir.AddressOf) and each.base and not each.field}


def _given(instruction: ir.Instruction) -> tuple[str, ...]:
    return instruction.args if isinstance(instruction, ir.Call) else ()


def _parents(after: Facts) -> dict[str, list[str]]:
    """What the objects that library calls make are parts of (`zip_fopen(archive, name, 0)`), or what calls may keep in them (`setvbuf(file, buffer, …)`):
    with that they are gone."""
    found: dict[str, list[str]] = {}
    nodes = after.linked.body.nodes
    places = _places(nodes)
    for node, call in ((node, each) for node, each in enumerate(nodes) if isinstance(each, ir.Call)):
        for effects in after.effects.get(node, ()):
            wholes = [name for root in effects.needs if (name := _argument(call, root))]
            left = {path[0] for t in effects.transfers if not t.entry for one in t.outcomes for path in one.paths if path[1:] == ("*",)}
            for name in (call.dst, *(places.get(_argument(call, root), "") for root in sorted(left))):
                if name and wholes:
                    found.setdefault(name, []).extend(wholes)
            for kept in [name for path in effects.retains if len(path) == 1 and (name := _argument(call, path[0])) and not ir.is_literal(name)]:
                for name in (each for each in call.args if each != kept and not ir.is_literal(each)):
                    found.setdefault(name, []).append(kept)
        if (others := _perhaps_kept(after, node, call)) and call.dst:
            found.setdefault(call.dst, []).extend(others)
    return found


def _perhaps_kept(after: Facts, node: int, call: ir.Call) -> list[str]:
    """The objects that what a function without text makes may work with to its end: `query_new(context, text)`."""
    target, effects = after.linked.targets.get(node), after.effects.get(node, ())
    if (target is not None and target.procedures) or any(each.is_known for each in effects):
        return []
    return [
        name for name in call.args
        if not ir.is_literal(name) and "*" in (written := after.linked.types.get(name, "")) and "char" not in written.split()
    ]


def _argument(call: ir.Call, root: str) -> str:
    """The variable of an argument."""
    position = root[1:]
    return call.args[int(position)] if position.isdigit() and int(position) < len(call.args) else ""


def _base(instruction: ir.Instruction) -> str:
    """The pointer that an instruction follows."""
    match instruction:
        case ir.Load(base=base) | ir.Store(base=base) | ir.LoadElement(base=base) | ir.StoreElement(base=base):
            return base
        case ir.AddressOf(base=base, field=field) if field:
            return base
        case _:
            return ""


def released_by(after: Facts, node: int, call: ir.Call) -> list[str]:
    """The variables whose blocks a call may release."""
    found = []
    for transfer in (each for effects in after.effects.get(node, ()) for each in effects.transfers):
        position = transfer.entry[0][1:] if len(transfer.entry) == 1 else ""
        is_released = any(outcome.fate == "released" for outcome in transfer.outcomes)
        if is_released and position.isdigit() and int(position) < len(call.args):
            found.append(call.args[int(position)])
    return [name for name in found if name and not ir.is_literal(name)]


def _loaded_again(nodes: Sequence[ir.Instruction], wholes: set[str]) -> dict[str, Names]:
    """Per variable that is read from a global or a member those of `wholes` that are read from there, too."""
    places: dict[tuple[str, str], set[str]] = {}
    for each in nodes:
        if isinstance(each, ir.Load) and each.field != "*":
            places.setdefault((each.base, each.field), set()).add(each.dst)
    return {name: frozenset(group & wholes) for group in places.values() if group & wholes for name in sorted(group)}


def copied_names(nodes: Sequence[ir.Instruction]) -> dict[str, Names]:
    """Per variable those that may hold the same pointer, by copies and casts."""
    groups: dict[str, set[str]] = {}
    for node in nodes:
        match node:
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if src and not ir.is_literal(src):
                group = groups.setdefault(dst, {dst}) | groups.setdefault(src, {src})
                for name in group:
                    groups[name] = group
            case _:
                pass
    return {name: frozenset(group) for name, group in groups.items()}


def renewed_formal(before: Facts, after: Facts, sites: Iterable[int]) -> str:
    """What the caller passed, where an acquisition gave another block for it (`realloc(text, n)`), and which the code itself never ends: the
    caller may have it still, and release it, where it is told that nothing was done. Empty where there is none."""
    nodes = before.linked.body.nodes
    ended = {name for n, each in enumerate(nodes) if isinstance(each, ir.Call) and not each.dst for name in released_by(before, n, each)}
    body = after.linked.body
    changed = {name for node in body.nodes for name in assigned(node)}
    for site in sorted(sites):
        call = body.nodes[site]
        if isinstance(call, ir.Call) and call.dst and site in after.effects:
            for name in released_by(after, site, call):
                if name in body.parameters and name not in ended and (name not in changed or name == call.dst):
                    return name
    return ""


def ended_otherwise(after: Facts, ours: Iterable[int], resource: str) -> str:
    """A variable that a release of a fix ends though a call may have freed its block before as a resource of another kind
    (`g_free(error); g_error_free(error)`): the path checker does not follow such a call. Empty where there is none."""
    body = after.linked.body
    akin = copied_names(body.nodes)
    ended = {node: released_by(after, node, call) for node in sorted(ours) if isinstance(call := body.nodes[node], ir.Call)}
    names = frozenset(other for given in ended.values() for name in given for other in akin.get(name, (name,)))

    def step(node: int, freed: Names) -> dict[int, Names]:
        instruction = body.nodes[node]
        left = freed.difference(assigned(instruction))
        if isinstance(instruction, ir.Call) and node not in ended and not names.isdisjoint(instruction.args):
            left = left.union(*(akin.get(name, frozenset((name,))) for name in _of_others(after, node, instruction, resource))).difference(assigned(instruction))
        return dict.fromkeys(after.linked.next[node], left)

    nothing: Names = frozenset()
    before = solve_forward(after.cfg, {ir.ENTRY: nothing}, step, lambda one, other: one | other)
    return next((ir.source_name(name) for node, given in ended.items() for name in given if name in before.get(node, ())), "")


def _of_others(after: Facts, node: int, call: ir.Call, resource: str) -> list[str]:
    """The variables whose blocks a call releases as resources of other kinds only."""
    kinds: dict[str, set[str]] = {}
    for each in (each for effects in after.effects.get(node, ()) for each in effects.transfers):
        if len(each.entry) == 1 and any(outcome.fate == "released" for outcome in each.outcomes):
            kinds.setdefault(each.entry[0], set()).add(each.resource)
    found = (_argument(call, root) for root, known in sorted(kinds.items()) if known.isdisjoint(("", resource)))
    return [name for name in found if name and not ir.is_literal(name)]
