"""What a procedure of C answers that returns whether one of its formals passes a test: `#define IS_NULL(p) ((p) == NULL)`.

The answer is a comparison of a formal with a constant, one of two constants by a branch on such a comparison (`!p`, `fd < 0 ? 0 : 1`), one of several that
were chosen before, or the formal itself, where it is a number.
Misses tests of several formals, and of what a formal points to.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzers import ir
from analyzers.domains import guard
from analyzers.graphs.cfg import reaching_definitions
from analyzers.handles.scene import RESULT, Scene
from analyzers.summaries import Condition

Case = tuple[Condition, ...]
"""What holds of the result and of a formal."""

MAX_CHOICES = 32
"""Constants that one return may return."""


def cases_of(scene: Scene, node: int) -> tuple[Case, ...]:
    """The two ways in which a return answers a test; none where it does something else."""
    instruction = scene.nodes[node]
    if scene.is_java or not isinstance(instruction, ir.Return):
        return ()
    if instruction.src in scene.formals:
        return _passed_back(scene, instruction.src)
    nodes = scene.definitions.get(instruction.src, [])
    if len(nodes) == 1 and isinstance(test := scene.nodes[nodes[0]], ir.Op) and test.operator in guard.NEGATED and len(test.operands) == 2:
        return _cases(scene, test.operands[0], test.operator, test.operands[1], ("=1", "=0"))
    return _chosen(scene, nodes) or _chained(scene, nodes)


def chosen_cases(scene: Scene, node: int, known: Callable[[int], Case]) -> tuple[Case, ...]:
    """The ways in which one return answers what was chosen before (`switch (code) { case 3: status = 1; break; … } return status;`), by
    what is known of formals where it was chosen; none where no constant may be returned."""
    instruction = scene.nodes[node]
    if scene.is_java or not isinstance(instruction, ir.Return):
        return ()
    name, nodes = instruction.src, scene.definitions.get(instruction.src, [])
    while len(nodes) == 1 and isinstance(copy := scene.nodes[nodes[0]], ir.Copy) and not ir.is_literal(copy.src):
        node, name = nodes[0], copy.src
        nodes = scene.definitions.get(name, [])
    variable = scene.variables.get(name)
    if not 1 < len(nodes) <= MAX_CHOICES or variable is None or variable.is_address_taken or "*" in scene.type_of(name):
        return ()
    cases: list[Case] = []
    for each in sorted(reaching_definitions(scene.cfg, frozenset(nodes), node)):
        copy = scene.nodes[each]
        source = copy.src if isinstance(copy, ir.Copy) and ir.is_literal(copy.src) and guard.literal(copy.src) != guard.TOP else ""
        cases.append((*((Condition(RESULT, "==", source),) if source else ()), *known(each)))
    return tuple(cases) if any(condition.path == RESULT for case in cases for condition in case) else ()


def _passed_back(scene: Scene, formal: str) -> tuple[Case, ...]:
    """The same of a number that is handed back (`int checked(int holds, const char *claim)`): it holds, or not."""
    if formal in scene.assigned_formals or "*" in scene.body.result or "*" in scene.type_of(formal):
        return ()
    passed = scene.exported((formal,))
    return tuple((Condition(RESULT, operator, "=0"), Condition(passed, operator, "=0")) for operator in ("==", "!="))


def _chosen(scene: Scene, nodes: list[int]) -> tuple[Case, ...]:
    """The same of a choice between two constants right behind a branch."""
    copies = {node: copy.src for node in nodes if isinstance(copy := scene.nodes[node], ir.Copy) and ir.is_literal(copy.src)}
    before = {each for node in nodes for each in scene.cfg.predecessors[node]}
    if len(nodes) != 2 or len(copies) != 2 or "=?" in copies.values() or len(before) != 1:
        return ()
    branch = scene.nodes[next(iter(before))]
    sides = scene.cfg.normal[next(iter(before))]
    if not isinstance(branch, ir.Branch) or set(sides) != set(nodes):
        return ()
    results = (copies[sides[0]], copies[sides[1]])
    if branch.operator == "true":
        return _cases(scene, branch.left, "!=", "=0", results)
    return _cases(scene, branch.left, branch.operator, branch.right, results) if branch.operator in guard.NEGATED else ()


def _chained(scene: Scene, nodes: list[int]) -> tuple[Case, ...]:
    """The same of a choice of constants behind several tests of formals (`!p || (unsigned long)p >= (unsigned long)-MAX_ERRNO`)."""
    copies = {node: copy.src for node in nodes if isinstance(copy := scene.nodes[node], ir.Copy) and ir.is_literal(copy.src)}
    if not 1 < len(nodes) == len(copies) <= MAX_CHOICES or any(guard.literal(each) == guard.TOP for each in copies.values()):
        return ()
    before: set[int] = set()
    waiting = list(nodes)
    first: set[int] = set()
    while waiting:
        node = waiting.pop()
        found = [each for each in scene.cfg.predecessors[node] if _is_test(scene, each) or _is_quiet(scene, each)]
        if len(found) < len(scene.cfg.predecessors[node]) or not found:
            first.add(node)
            found = []
        waiting += [each for each in found if each not in before]
        before.update(found)
    cases: list[Case] = []
    ways: list[tuple[int, Case]] = [(node, ()) for node in first]
    while ways and len(first) == 1 and len(cases) <= MAX_CHOICES:
        node, told = ways.pop()
        if node in copies:
            cases.append((Condition(RESULT, "==", copies[node]), *told))
            continue
        tested = _test(scene, node)
        for side, following in enumerate(scene.cfg.normal[node]):
            if following not in before and following not in copies:
                return ()
            ways.append((following, (*told, tested[side]) if tested is not None else told))
    return tuple(cases) if len(first) == 1 and 1 < len(cases) <= MAX_CHOICES and all(len(each) > 1 for each in cases) else ()


def _is_quiet(scene: Scene, node: int) -> bool:
    """Whether an instruction does nothing but give a temporary its value."""
    instruction = scene.nodes[node]
    return isinstance(instruction, ir.Copy | ir.Op) and ir.is_temporary(instruction.dst) and len(scene.cfg.normal[node]) == 1


def _is_test(scene: Scene, node: int) -> bool:
    return _test(scene, node) is not None


def _test(scene: Scene, node: int) -> Case | None:
    """What holds of a formal on either side of a branch that compares it with a constant."""
    branch = scene.nodes[node]
    if not isinstance(branch, ir.Branch) or len(scene.cfg.normal[node]) != 2:
        return None
    operator, right = ("!=", "=0") if branch.operator == "true" else (branch.operator, branch.right)
    found = _cases(scene, branch.left, operator, right, ("=1", "=0")) if operator in guard.NEGATED else ()
    return (found[0][1], found[1][1]) if found else None


def _cases(scene: Scene, left: str, operator: str, right: str, results: tuple[str, str]) -> tuple[Case, ...]:
    if ir.is_literal(left):
        left, operator, right = right, guard.MIRRORED[operator], left
    path = scene.loaded_from((left,))
    is_formal = path[0] in scene.formals and path[0] not in scene.assigned_formals and (len(path) == 1 or _is_by_value(scene, path))
    if not is_formal or not ir.is_literal(right) or guard.literal(right) == guard.TOP or guard.literal(results[0]) == guard.literal(results[1]):
        return ()
    formal = scene.exported(path)
    if len(path) > 1 and "*" in scene.c_types.member(scene.type_of(path[0]), path[1]):
        right = "=null" if right == "=0" else right
    return (
        (Condition(RESULT, "==", results[0]), Condition(formal, operator, right)),
        (Condition(RESULT, "==", results[1]), Condition(formal, guard.NEGATED[operator], right)),
    )


def _is_by_value(scene: Scene, path: tuple[str, ...]) -> bool:
    """Whether a path is that of a member of a struct that is passed by value, and stays as it is."""
    written = scene.type_of(path[0])
    is_whole = len(path) == 2 and "*" not in path and "[]" not in path and "*" not in written and scene.c_types.is_aggregate(written)
    return is_whole and not any(isinstance(node, ir.Store | ir.AddressOf) and node.base == path[0] for node in scene.nodes)
