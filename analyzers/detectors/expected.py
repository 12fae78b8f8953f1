"""Calls of tests that open nothing, in Java: those that are expected to fail, and what test doubles may have answered.

`try { open("none"); fail(); } catch (IOException e) { }`, the same with a flag that the handler sets or with an error that is thrown, what is
asserted to be null by a comparison, and what a method or a lambda that is to throw (`@Test(expected = …)`, `assertThrows`) does at its end.
What a method gives where the test tells doubles what to do, or asks what they were told, is assumed alone. Misses leaks of tests that are
broken.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.graphs.operands import used
from analyzers.handles.scene import Scene
from analyzers.queries import ProcedureKey

_FAILING = frozenset(("fail", "failBecauseExceptionWasNotThrown", "shouldHaveThrown"))
_FAILURE = "AssertionError"
_ASSERTING = "assert"
_TRUE, _FALSE = "assertTrue", "assertFalse"
_NULL = "=null"
_TEST = "Test"
_EXPECTED = "expected"

_LAMBDA = "$lambda"
_THROWN = frozenset((
    "assertThatThrownBy", "assertThrows", "assertThrowsExactly", "catchException", "catchThrowable", "catchThrowableOfType", "expectThrows",
    "isThrownBy", "thenThrownBy", "thrownBy",
))
"""Assertions that what they get throws."""

_OF_DOUBLES = frozenset(("doReturn", "doThrow", "expect", "given", "mock", "replay", "verify", "when"))
"""What tests call to tell a double what to do, or to ask what it was told."""


def is_perhaps_of_double(scene: Scene, acquired: int) -> bool:
    """Whether a method of an object gives something to a procedure that works with doubles."""
    call = scene.nodes[acquired]
    if not scene.is_java or not isinstance(call, ir.Call) or call.kind != "virtual":
        return False
    calls = (node for node in scene.nodes if isinstance(node, ir.Call))
    return any(each.name in _OF_DOUBLES and each.receiver in ("", "this") and each.args for each in calls)


def is_expected_to_fail(scene: Scene, acquired: int) -> bool:
    """Whether a test that goes on behind an acquisition is over, as failed."""
    if not scene.is_java or not isinstance(scene.nodes[acquired], ir.Call):
        return False
    following, end = _behind(scene, acquired)
    if end == ir.EXIT and not any(isinstance(scene.nodes[node], ir.Call) for node in following) and _is_to_throw(scene):
        return True
    calls = [call for node in following if isinstance(call := scene.nodes[node], ir.Call)]
    names = _names(scene, acquired)
    if calls and calls[0].name in _FAILING and calls[0].receiver in ("", "this") and names.isdisjoint(calls[0].args):
        target = scene.linked.targets.get(next(node for node in following if scene.nodes[node] is calls[0]))
        return target is None or not target.procedures
    if not _is_test(scene.body):
        return False
    if any(isinstance(step := scene.nodes[node], ir.Throw) and step.type.endswith(_FAILURE) for node in following[-1:]) and len(calls) == 1:
        return True
    if _is_asserted_null(scene, names):
        return True
    if not _is_dropped(scene, names, calls):
        return False
    if any(each.startswith(_TEST) and _EXPECTED in each for each in scene.body.attributes):
        return end == ir.EXIT
    return _is_told_of_by_handlers(scene, acquired)


def _is_to_throw(scene: Scene) -> bool:
    """Whether a procedure is a lambda that is passed to an assertion that it throws."""
    outer, found, _ = scene.body.name.rpartition(_LAMBDA)
    around = scene.queries.procedure(ProcedureKey(scene.linked.key.path, outer)) if found else None
    if around is None:
        return False
    made = {node.dst for node in around.nodes if isinstance(node, ir.Alloc) and node.type == f"lambda:{scene.body.name}"}
    return any(isinstance(node, ir.Call) and node.name in _THROWN and not made.isdisjoint(node.args) for node in around.nodes)


def _is_test(body: ir.Procedure) -> bool:
    head = body.name.partition("(")[0].rpartition(".")[2]
    is_old = head.startswith(_TEST.lower()) and _TEST in body.owner.rpartition(".")[2]
    return is_old or any(each.partition("(")[0].rpartition(".")[2] == _TEST for each in body.attributes)


def _is_asserted_null(scene: Scene, names: frozenset[str]) -> bool:
    """Whether a test asserts by a comparison that nothing is there (`assertTrue(find(name) == null)`)."""
    told = {
        node.dst: _TRUE if node.operator == "==" else _FALSE
        for node in scene.nodes
        if isinstance(node, ir.Op) and node.operator in ("==", "!=") and _NULL in node.operands and not names.isdisjoint(node.operands)
    }
    return any(isinstance(node, ir.Call) and any(told.get(each) == node.name for each in node.args) for node in scene.nodes)


def _names(scene: Scene, acquired: int) -> frozenset[str]:
    call = scene.nodes[acquired]
    given = (call.receiver if call.kind == "new" else call.dst) if isinstance(call, ir.Call) else ""
    return frozenset((given, *(copy.dst for copy in scene.copies.get(given, ())))) - {""}


def _is_dropped(scene: Scene, names: frozenset[str], following: list[ir.Call]) -> bool:
    """Whether nobody but assertions asks for what a call gives."""
    users = [node for node in scene.nodes if not isinstance(node, ir.Copy) and not _is_made(node, names) and not names.isdisjoint(used(node))]
    return all(isinstance(each, ir.Call) and each.name.startswith(_ASSERTING) for each in (*users, *following))


def _is_made(node: ir.Instruction, names: frozenset[str]) -> bool:
    return isinstance(node, ir.Call) and node.kind == "new" and node.receiver in names


def _behind(scene: Scene, node: int) -> tuple[list[int], int]:
    """The nodes behind one as long as there is one way to go on, and where that ends."""
    found: list[int] = []
    seen = {node}
    while len(ways := scene.cfg.normal[node]) == 1 and ways[0] not in seen and ways[0] not in (ir.EXIT, ir.RAISE):
        node = ways[0]
        seen.add(node)
        found.append(node)
    return found, ways[0] if len(ways) == 1 else -1


def _is_told_of_by_handlers(scene: Scene, acquired: int) -> bool:
    """Whether each handler of the call takes note that it was thrown, by a constant or an assertion, and comes out where the call does."""
    handlers = [each for each in scene.cfg.raised[acquired] if isinstance(scene.nodes[each], ir.Catch)]
    [behind] = scene.cfg.normal[acquired] if len(scene.cfg.normal[acquired]) == 1 else [-1]
    return bool(handlers) and behind >= 0 and all(_takes_note(scene, each, behind) for each in handlers)


def _takes_note(scene: Scene, handler: int, behind: int) -> bool:
    noted = False
    for node in _way(scene, handler):
        if node == behind:
            return noted
        step = scene.nodes[node]
        noted = noted or (isinstance(step, ir.Copy) and step.src in ("=true", "=false")) or (isinstance(step, ir.Call) and step.name.startswith(_ASSERTING))
    return False


def _way(scene: Scene, node: int) -> Iterator[int]:
    seen: set[int] = set()
    while len(ways := scene.cfg.normal[node]) == 1 and node not in seen:
        seen.add(node)
        node = ways[0]
        yield node
