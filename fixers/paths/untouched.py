"""Where a fix of C has nothing more to do with what its variable holds: whatever comes, the procedure itself releases it there, before a
release of the fix and before the variable gets anything else.

Only of a variable that nothing but its acquisitions and null are ever assigned to, that nobody else can reach, and that gets something
new between each release of the procedure's own and one of the fix. Says nothing where any of that is in doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import msgspec

from analyzers import ir
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked
from analyzers.summaries import Certainty, Effects, Transfer
from fixers.paths.question import Question
from fixers.paths.state import Fate, State

_NOTHING = frozenset(("=null", "=0"))


class Untouched(msgspec.Struct, frozen=True):
    """A variable, and the nodes at which a fix has nothing more to do with what it holds."""

    variable: str
    nodes: frozenset[int]

    def leave(self, state: State) -> None:
        """Follow what the variable holds no further, if the fix has not touched it."""
        value = state.variables.get(self.variable)
        instance = state.handles.get(value) if value is not None else None
        if value is not None and instance is not None and instance.fate is not Fate.RELEASED and not instance.is_ours:
            del state.handles[value]


def untouched(linked: Linked, effects: Mapping[int, tuple[Effects, ...]], question: Question, ending: Set[int]) -> Untouched | None:
    """The variable that all releases of a fix release, if what is asked can be said of it."""
    nodes = linked.body.nodes
    name = _released(linked, effects, question)
    local = next((each for each in linked.body.variables if each.name == name), None)
    if question.is_rerouted or local is None or local.kind != "local" or local.is_address_taken:
        return None
    if not _has_its_own(linked, name, question.sites | question.others):
        return None
    ends = frozenset(n for n in effects if n not in question.ours and _surely_releases(nodes[n], name, effects[n]))
    renewed = frozenset(n for n, each in enumerate(nodes) if name in assigned(each))
    if not ends or not question.ours.isdisjoint(_behind(linked, ends, renewed)):
        return None
    return Untouched(name, _surely_before(linked, ends | ending, renewed | question.ours))


def _released(linked: Linked, effects: Mapping[int, tuple[Effects, ...]], question: Question) -> str:
    """The one variable that all releases of a fix are of; empty where they are not."""
    names = set[str]()
    for node in question.ours:
        call = linked.body.nodes[node]
        moves = [each for one in effects.get(node, ()) for each in one.transfers]
        if not isinstance(call, ir.Call) or not moves:
            return ""
        names.update(_argument(call, each) for each in moves)
    return names.pop() if len(names) == 1 else ""


def _argument(call: ir.Call, transfer: Transfer) -> str:
    """The variable whose handle a transfer of a call is about; empty for any other place."""
    root = transfer.entry[0][1:] if len(transfer.entry) == 1 and transfer.entry[0][0] == "$" else ""
    return call.args[int(root)] if root.isdigit() and int(root) < len(call.args) else ""


def _has_its_own(linked: Linked, name: str, sites: frozenset[int]) -> bool:
    """Whether nothing but what some calls give, and null, is assigned to a variable."""
    nodes = linked.body.nodes
    makers: dict[str, list[int]] = {}
    for node, each in enumerate(nodes):
        for made in assigned(each):
            makers.setdefault(made, []).append(node)
    for node in makers.get(name, ()):
        match nodes[node]:
            case ir.Call() if node in sites:
                pass
            case ir.Copy(src=src) | ir.Op(operator="cast", operands=(src,)) if src in _NOTHING:
                pass
            case ir.Copy(src=src) | ir.Op(operator="cast", operands=(src,)) if ir.is_temporary(src) and sites.issuperset(makers.get(src, (-1,))):
                pass
            case _:
                return False
    return True


def _surely_releases(call: ir.Instruction, name: str, effects: tuple[Effects, ...]) -> bool:
    """Whether a call releases what a variable holds, whatever it answers."""
    return isinstance(call, ir.Call) and bool(effects) and all(
        any(
            _argument(call, each) == name
            and all(one.fate == "released" and not one.when and one.certainty is Certainty.MUST for one in each.outcomes)
            for each in known.transfers
        )
        for known in effects
    )


def _behind(linked: Linked, starts: Set[int], stops: Set[int]) -> set[int]:
    """The nodes to which a path leads from behind some nodes, up to others."""
    found, work = set[int](), sorted(starts)
    while work:
        node = work.pop()
        for after in (*linked.next[node], *linked.raises[node]):
            if after not in found:
                found.add(after)
                if after not in stops:
                    work.append(after)
    return found


def _surely_before(linked: Linked, wanted: Set[int], barred: Set[int]) -> frozenset[int]:
    """The nodes from which every path that does not go round for ever comes to what is wanted before it comes to what is barred, or ends."""
    count = len(linked.body.nodes)
    before: list[list[int]] = [[] for _ in range(count)]
    bad = []
    for node in range(count):
        onward = (*linked.next[node], *linked.raises[node])
        for successor in onward:
            before[successor].append(node)
        if node not in wanted and (node in barred or node in (ir.EXIT, ir.RAISE) or not onward):
            bad.append(node)
    left = set(bad)
    while bad:
        for node in before[bad.pop()]:
            if node not in left and node not in wanted:
                left.add(node)
                bad.append(node)
    return frozenset(range(count)) - left
