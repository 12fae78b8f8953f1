"""Handles of C whose release is tested by a number that is set beside their acquisition, and is zero wherever there is none.

`if (...) { len = rest - 2; part = copy(at, len); } else len = 0; … if (len) release(part);`: whoever writes this knows that the number
is not zero where the handle was acquired, whatever arithmetic can tell. A number that is set to zero while the handle is held is no such. Misses
losses where it is zero all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from analyzers import ir
from analyzers.domains import guard
from analyzers.handles.per_scene import per_scene
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_releaser

_BESIDE = 12
"""Instructions between an acquisition and what is set beside it, and between a test and the release that it guards."""


def is_flagged(scene: Scene, sites: dict[int, CallSite], acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition to a loss go by a test of such a number."""
    call = scene.nodes[acquired]
    if scene.is_java or not isinstance(call, ir.Call) or not call.dst:
        return False
    names = {call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))}
    tests = [
        node for name, number in _numbers(scene).items()
        if name not in names and all(_leads(scene, each, acquired) or _leads(scene, acquired, each) for each in number.values)
        and not _is_met(scene, sites, acquired, frozenset(number.zeros), frozenset(number.tests), names)
        for node in number.tests if leads_to_release(scene, sites, scene.cfg.normal[node][0], names)
    ]
    if not tests:
        return False
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)
    return any(test in between and not passes_by(scene, acquired, loss.node, test) for test in tests)


class _Number(NamedTuple):
    """A local that is a number at times, and zero at others: where it is assigned what is not zero and what is, and where it is tested."""

    values: tuple[int, ...]
    zeros: tuple[int, ...]
    tests: tuple[int, ...]


@per_scene
def _numbers(scene: Scene) -> dict[str, _Number]:
    """By name. One of a pointer that a call gives, which may be null, is another matter."""
    tests: dict[str, list[int]] = {}
    for node in sorted(scene.cfg.order):
        branch = scene.nodes[node]
        if isinstance(branch, ir.Branch) and _is_of_number(branch):
            tests.setdefault(branch.left, []).append(node)
    numbers = {}
    for name, nodes in tests.items():
        definitions = scene.definitions.get(name, ())
        values = tuple(node for node in definitions if not _is_zero(scene.nodes[node]))
        is_pointer = "*" in scene.type_of(name) and any(isinstance(scene.nodes[node], ir.Call) for node in definitions)
        if 0 < len(values) < len(definitions) and name not in scene.formals and not is_pointer:
            numbers[name] = _Number(values, tuple(node for node in definitions if node not in values), tuple(nodes))
    return numbers


def _is_of_number(branch: ir.Branch) -> bool:
    """Whether a test asks whether a variable is not zero."""
    if not branch.left or ir.is_literal(branch.left) or ir.is_temporary(branch.left):
        return False
    return branch.operator == "true" or (branch.operator in ("!=", ">") and guard.literal(branch.right) == guard.ZERO)


def _is_met(scene: Scene, sites: Mapping[int, CallSite], acquired: int, zeros: frozenset[int], tests: frozenset[int], names: set[str]) -> bool:
    """Whether a way from an acquisition comes to what sets the number to zero before it is tested and while the handle is held: then the number
    is something else, such as what the procedure returns."""
    seen, waiting = {acquired, *tests}, list(scene.cfg.normal[acquired])
    while waiting:
        node = waiting.pop()
        if node in zeros:
            return True
        if node not in seen and not _releases(scene, sites, node, names):
            seen.add(node)
            waiting += scene.cfg.normal[node]
    return False


def leads_to_release(scene: Scene, sites: Mapping[int, CallSite], node: int, names: set[str]) -> bool:
    """Whether a way leads straight to a release of one of some variables."""
    for _ in range(_BESIDE):
        call, following = scene.nodes[node], scene.cfg.normal[node]
        if isinstance(call, ir.Call) and not names.isdisjoint(call.args):
            return _releases(scene, sites, node, names)
        if len(following) != 1:
            return False
        node = following[0]
    return False


def _releases(scene: Scene, sites: Mapping[int, CallSite], node: int, names: set[str]) -> bool:
    """Whether a call releases one of some variables."""
    call = scene.nodes[node]
    if not isinstance(call, ir.Call) or names.isdisjoint(call.args):
        return False
    ended = any(move.entry[0] in names and any(end.fate == "released" for end in move.outcomes) for move in sites[node].moves)
    return ended or is_releaser(call.name)


def _is_zero(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Copy) and ir.is_literal(instruction.src) and guard.literal(instruction.src) == guard.ZERO


def _leads(scene: Scene, node: int, other: int) -> bool:
    """Whether the one way on from a node comes to another."""
    for _ in range(_BESIDE):
        if node == other:
            return True
        following = scene.cfg.normal[node]
        if len(following) != 1:
            return False
        node = following[0]
    return False


def passes_by(scene: Scene, start: int, end: int, avoided: int) -> bool:
    """Whether a way leads from one node to another without a third."""
    seen, waiting = {avoided}, list(scene.cfg.normal[start])
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            waiting += scene.cfg.normal[node]
    return False
