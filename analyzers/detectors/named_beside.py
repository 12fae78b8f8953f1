"""Handles of C beside whose acquisition a text is filled, where that is asked afterwards whether it is empty.

`if ((file = fopen(path, "r")) != NULL) strcpy(settings.path, path); if (settings.path[0] == '\\0') file = fopen(other, "r");`: the text says whether
there is a file already, and nobody opens one without a name. The same where the name itself is asked (`file = fopen(path, "r"); if (*path == 0)
return;`). Such a loss is assumed. Misses what is lost where the text is empty all the same, or has become so.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.detectors.flagged import passes_by
from analyzers.detectors.linked import behind_success
from analyzers.domains import guard
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_BESIDE = 8
"""Instructions between an acquisition and what is filled beside it."""

_OPENING = {"creat": 0, "fopen": 0, "freopen": 0, "gzopen": 0, "open": 0, "openat": 1, "opendir": 0}
"""Calls that open what has a name, each with the place of that among its arguments."""

_COPYING = ("cpy", "copy", "printf")
"""Parts of the names of functions that fill a text."""


def is_named_beside(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether all ways from an acquisition to a loss find such a text empty that was filled beside it, or that named what was opened."""
    call = scene.nodes[acquired]
    if scene.is_java or not isinstance(call, ir.Call) or not call.dst:
        return False
    named = call.args[_OPENING[call.name]] if call.name in _OPENING and len(call.args) > _OPENING[call.name] else ""
    own = [(acquired, place)] if named and (place := _place(scene, named)) else []
    for filled, place in (*own, *_filled(scene, behind_success(scene, acquired, call.dst))):
        for test, empty in _tests(scene, place):
            is_between = test in scene.cfg.reachable_from(filled)
            if is_between and list(scene.cfg.predecessors[empty]) == [test] and (loss.node == empty or not passes_by(scene, filled, loss.node, empty)):
                return True
    return False


def _filled(scene: Scene, node: int) -> Iterator[tuple[int, AccessPath]]:
    """The texts that are filled on the one way on from a node."""
    for _ in range(_BESIDE):
        call = scene.nodes[node]
        if isinstance(call, ir.Call) and call.args and any(part in call.name.lower() for part in _COPYING) and (place := _place(scene, call.args[0])):
            yield node, place
        if len(scene.cfg.normal[node]) != 1:
            return
        node = scene.cfg.normal[node][0]


def _tests(scene: Scene, text: AccessPath) -> Iterator[tuple[int, int]]:
    """Where it is asked whether a text is empty, with where that leads if it is."""
    for node in scene.cfg.order:
        branch = scene.nodes[node]
        if not isinstance(branch, ir.Branch) or len(set(scene.cfg.normal[node])) != 2 or not ir.is_temporary(branch.left):
            continue
        first = [scene.nodes[at] for at in scene.definitions.get(branch.left, ())]
        if len(first) != 1 or not _is_first_of(scene, first[0], text):
            continue
        if branch.operator == "true":
            yield node, scene.cfg.normal[node][1]
        elif branch.operator in ("==", "!=") and guard.literal(branch.right) == guard.ZERO:
            yield node, scene.cfg.normal[node][int(branch.operator == "!=")]


def _is_first_of(scene: Scene, load: ir.Instruction, text: AccessPath) -> bool:
    """Whether an instruction takes the first character of a text."""
    match load:
        case ir.LoadElement(base=base, index="=0") | ir.Load(base=base, field="*"):
            return _place(scene, base) == text
        case _:
            return False


def _place(scene: Scene, operand: str) -> AccessPath:
    """Where a text lies; nothing for literals."""
    if ir.is_literal(operand):
        return ()
    return scene.loads.get(operand) or scene.addresses.get(operand) or (operand,)
