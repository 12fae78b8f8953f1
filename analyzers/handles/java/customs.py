"""Objects of types of the repository of which nobody knows what they hold, but which the rest of the tree customarily closes.

See `graphs.customs`. Always a doubt: what others close for good reasons may need none here. Believed of what a procedure gets itself only, not
of what it hands on to its callers.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.java.implied import RESOURCE
from analyzers.handles.java.invoked import IN_A_BODY
from analyzers.handles.scene import PLAIN_JAVA, RESULT, Scene
from analyzers.queries import Target
from analyzers.summaries import Certainty, Effects, Outcome, Transfer

_ELEMENTS = ("next", "previous", "poll", "take")
"""What hands out an element, which needs nothing of what it came from."""


def customary(call: ir.Call, target: Target, scene: Scene, effects: Effects | None = None) -> Transfer | None:
    """The obligation that others show what a call makes to have; None where they do not, or it hands out what somebody holds."""
    is_new = call.kind == "new"
    made = target.type if is_new else target.result
    if scene.is_summary or IN_A_BODY.search(scene.type_of(call.receiver) if is_new else made):
        return None
    if not made or not target.procedures or call.kind == "special" or not (is_new or call.dst):
        return None
    if effects is not None and (effects.aliases or any(path == RESULT for each in effects.transfers for way in each.outcomes for path in way.paths)):
        return None
    queries = scene.queries
    if queries.is_closeable(made) is not True or not queries.declaring_file(made) or _lives_on(call.receiver if is_new else call.dst, scene):
        return None
    if not queries.is_customarily_closed(scene.linked.key.path, made, call.name, len(call.args)):
        return None
    return Transfer((), RESOURCE, made, (Outcome("return", (), "held", (("this",) if is_new else RESULT,), Certainty.MAY),))


def _lives_on(made: str, scene: Scene) -> bool:
    """Whether something that the object hands out goes into another object, is kept or returned: it may need the object to stay."""
    names = {made, *(copy.dst for copy in scene.copies.get(made, ()))}
    parts = {node.dst for node in scene.nodes if isinstance(node, ir.Call) and node.receiver in names and node.dst and node.name not in _ELEMENTS}
    parts = {each for each in parts if scene.type_of(each) not in PLAIN_JAVA}
    parts |= {copy.dst for each in sorted(parts) for copy in scene.copies.get(each, ())}
    return bool(parts) and any(_keeps(node, parts) for node in scene.nodes)


def _keeps(node: ir.Instruction, parts: set[str]) -> bool:
    match node:
        case ir.Return(src=src) | ir.Store(src=src):
            return src in parts
        case ir.Call(kind="new", args=args):
            return not parts.isdisjoint(args)
        case _:
            return False
