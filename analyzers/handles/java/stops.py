"""Methods of Java that end the process: `static void fail(Exception e) { log(e); System.exit(1); }`.

What is lost where nothing but such an end follows is assumed only: the system takes it back. Believed of methods of the same file that pass a
`System.exit` on every way, and throw nothing themselves. Reports too much where the end is behind a second method, or in
another file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.graphs.cfg import reverse_post_order
from analyzers.handles.java.invoked import lambda_body, methods_of
from analyzers.handles.scene import Scene
from analyzers.queries import ProcedureKey

if TYPE_CHECKING:
    from analyzers.handles.callees import CallSites


def stops(scene: Scene, sites: CallSites) -> frozenset[int]:
    """The calls of a procedure that the process does not survive, beside those that linking knows. None in C: there they are linked so."""
    if not scene.is_java:
        return frozenset()
    return frozenset(node for node, site in sites.sites.items() if not site.call.dst and not site.is_library and _ends(node, scene))


def _ends(node: int, scene: Scene) -> bool:
    target = scene.linked.targets.get(node)
    keys = target.procedures if target is not None else ()
    if len(keys) != 1 or keys[0].path != scene.linked.key.path:
        return False
    return _is_last(scene, keys[0])


def ends_process(scene: Scene, task: str) -> bool:
    """Whether a task that the procedure makes, a lambda or an object of a class without a name, ends the process when it is run."""
    body = lambda_body(scene, task)
    keys = [body] if body is not None else list(methods_of(scene, task))
    return len(keys) == 1 and _is_last(scene, keys[0])


def _is_last(scene: Scene, key: ProcedureKey) -> bool:
    body = scene.queries.procedure(key)
    if body is None or any(isinstance(each, ir.Throw) for each in body.nodes):
        return False
    following = [() if _is_exit(each) else nodes for each, nodes in zip(body.nodes, body.next, strict=True)]
    return any(_is_exit(each) for each in body.nodes) and ir.EXIT not in reverse_post_order(following, ir.ENTRY)


def _is_exit(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Call) and (node.qualifier, node.name) == ("System", "exit")
