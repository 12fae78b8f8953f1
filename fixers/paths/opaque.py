"""Conditions that nobody can judge from here: globals that the procedure only reads, functions without a body.

A leak whose path differs from one that releases only in such a condition may be none, unless the procedure shows that the condition
has nothing to do with it (`Lone`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers import ir
from analyzers.graphs.cfg import reached
from analyzers.queries import Linked
from analyzers.summaries import Effects

_ERROR = "errno"
"""What the last call of the library left behind: nobody remembers by it who owns what."""


def opaque_branches(linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> dict[int, str]:
    """Per branch that tests nothing but such a thing, its name."""
    nodes = linked.body.nodes
    assigned = {node.field for node in nodes if isinstance(node, ir.Store) and not node.base}
    named: dict[str, str] = {}
    for node, instruction in enumerate(nodes):
        match instruction:
            case ir.Load(dst=dst, base="", field=field) if field not in assigned and field != _ERROR:
                named[dst] = field
            case ir.Call(dst=dst, name=name, args=(), receiver="") if dst and _is_unknown(linked, effects, node):
                named[dst] = name
            case ir.Copy(dst=dst, src=src) if src in named:
                named[dst] = named[src]
            case _:
                pass
    found = {}
    for node, instruction in enumerate(nodes):
        if isinstance(instruction, ir.Branch):
            left = instruction.left
            if left.startswith("if%"):
                found[node] = left.removeprefix("if%")
            elif left in named and (not instruction.right or ir.is_literal(instruction.right)):
                found[node] = named[left]
    for node, name in _shifted(nodes).items():
        if not any(_is_inside(linked, node)):
            found.setdefault(node, name)
    return found


def _is_inside(linked: Linked, node: int) -> Iterator[bool]:
    """Whether a branch controls a loop: counters are changed and tested all the time."""
    at = linked.body.nodes[node]
    return (loop.start <= at.start and at.end <= loop.end for loop in linked.body.loops)


def _is_unknown(linked: Linked, effects: Mapping[int, tuple[Effects, ...]], node: int) -> bool:
    target = linked.targets.get(node)
    has_body = target is not None and bool(target.procedures)
    return not has_body and all(not each.is_known for each in effects.get(node, ()))


class Lone:
    """The opaque branches that say nothing of whether a handle is there, and is this procedure's to release: what they test is read nowhere
    else, the handle is acquired whatever it says, and its sides do different things and leave apart."""

    def __init__(self, linked: Linked, effects: Mapping[int, tuple[Effects, ...]], opaque: Mapping[int, str]) -> None:
        self._linked = linked
        self._effects = effects
        self._opaque = opaque
        self._onward = [(*normal, *raised) for normal, raised in zip(linked.next, linked.raises, strict=True)]
        self._told: dict[tuple[int, int], bool] = {}

    def tells_nothing(self, site: int, node: int, releasing: frozenset[int], releases: frozenset[int]) -> bool:
        """Whether a branch at `node` leaves it certain that what a call at `site` acquired is lost on the side that leads to none of the
        `releases` of what holds it; `releasing` are the nodes from which a path does."""
        if (site, node) not in self._told:
            self._told[site, node] = self._is_read_once(node) and self._is_made_anyway(site, node) and self._is_first(site, node)
        return self._told[site, node] and self._is_apart(node, releasing, releases)

    def _is_read_once(self, node: int) -> bool:
        nodes, name = self._linked.body.nodes, self._opaque[node]
        reads = [
            n for n, each in enumerate(nodes)
            if (isinstance(each, ir.Load) and not each.base and each.field == name) or (isinstance(each, ir.Call) and each.name == name)
        ]
        return len(reads) == 1 and list(self._opaque.values()).count(name) == 1

    def _is_made_anyway(self, site: int, node: int) -> bool:
        """Whether what is acquired cannot depend on what the branch asks: the callee reads no such global, and of a function without a body
        no callee of the tree may ask."""
        name, target = self._opaque[node], self._linked.targets.get(site)
        is_asked = any(isinstance(each, ir.Call) and each.name == name for each in self._linked.body.nodes)
        if is_asked:
            return target is None or not target.procedures
        read = [path[0] for each in self._effects.get(site, ()) for path in each.reads if path]
        return not any(f"::{name}" == each or f"::{name}".startswith(f"{each}.") for each in read)

    def _is_first(self, site: int, node: int) -> bool:
        """Whether a path comes from the entry by the site to a branch that it has not met before: no turn of a loop has asked the same."""
        before = self._without(node)
        return site in reached(before, ir.ENTRY) and node in reached(before, site)

    def _is_apart(self, node: int, releasing: frozenset[int], releases: frozenset[int]) -> bool:
        """Whether its sides never come together again, and each does something else than to release: then it decides about that."""
        sides, onward = self._linked.next[node], self._without(node)
        for lost in (each for each in sides if each not in releasing):
            for other in (each for each in sides if each in releasing):
                is_joined = not {ir.EXIT, ir.RAISE}.issuperset(reached(onward, lost) & reached(onward, other))
                if is_joined or not self._is_busy(lost, releases) or not self._is_busy(other, releases):
                    return False
        return True

    def _without(self, node: int) -> list[tuple[int, ...]]:
        return [() if n == node else each for n, each in enumerate(self._onward)]

    def _is_busy(self, node: int, releases: frozenset[int]) -> bool:
        """Whether something is called, stored or asked on the way from a node, before the release that the way may lead to."""
        while len(after := self._linked.next[node]) == 1 and node not in releases:
            if isinstance(self._linked.body.nodes[node], ir.Call | ir.Store | ir.StoreElement):
                return True
            node = after[0]
        return len(after) > 1


class Reach:
    """Per variable the nodes from which a path leads to a call that releases what it holds."""

    def __init__(self, linked: Linked, effects: Mapping[int, tuple[Effects, ...]]) -> None:
        self._linked = linked
        self._effects = effects
        self._found: dict[str, frozenset[int]] = {}
        self._at: dict[str, frozenset[int]] = {}

    def of(self, variable: str) -> frozenset[int]:
        """The nodes for one variable."""
        found = self._found.get(variable)
        if found is None:
            found = self._found[variable] = self._solve(variable)
        return found

    def at(self, variable: str) -> frozenset[int]:
        """The calls themselves."""
        found = self._at.get(variable)
        if found is None:
            nodes = self._linked.body.nodes
            found = self._at[variable] = frozenset(
                node for node, each in self._effects.items()
                if isinstance(call := nodes[node], ir.Call) and variable in (call.receiver, *call.args)
                and any(_releases(one) for one in each)
            )
        return found

    def _solve(self, variable: str) -> frozenset[int]:
        nodes = self._linked.body.nodes
        before: list[list[int]] = [[] for _ in nodes]
        for node in range(len(nodes)):
            for successor in (*self._linked.next[node], *self._linked.raises[node]):
                before[successor].append(node)
        work = list(self.at(variable))
        found = set(work)
        while work:
            for node in before[work.pop()]:
                if node not in found:
                    found.add(node)
                    work.append(node)
        return frozenset(found)


def _shifted(nodes: tuple[ir.Instruction, ...]) -> dict[int, str]:
    """Branches on a variable that was tested before and then changed by arithmetic: how they go together is not
    known."""
    tested: dict[str, int] = {}
    changed: dict[str, int] = {}
    found: dict[int, str] = {}
    for node, instruction in enumerate(nodes):
        match instruction:
            case ir.Branch(left=left) if left in changed:
                found[node] = left
            case ir.Branch(left=left) if left and left[0] not in "=%":
                tested.setdefault(left, node)
            case ir.Op(dst=dst, operands=operands) if dst in tested and dst in operands:
                changed[dst] = node
            case _:
                pass
    return found


def _releases(effects: Effects) -> bool:
    return any(o.fate == "released" for t in effects.transfers if t.entry for o in t.outcomes)
