"""What becomes of what lies in a task, an object of a class of the repository, when a thread runs it once (`new Thread(new Answer(peer)).start()`).

A closeable field that no method of the class ends, hands out or leaves elsewhere goes with the task, unless somebody else has what lies
there. Only where all above the class is of the JDK and whatever runs ends and is known; errs towards silence.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.graphs.operands import used
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Move
from analyzers.queries import ProcedureKey
from analyzers.summaries import Certainty, Effects, Outcome, Transfer

USED = (Outcome("return", (), "held", (), Certainty.MAY), Outcome("throw", (), "held", (), Certainty.MAY))
"""The fate of what is lost with a task, which its caller may still have."""

STARTING = frozenset(("execute", "submit", "schedule", "runAsync", "supplyAsync", "startVirtualThread"))
"""Methods that have a thread run a task once."""

_TASKS = ("java.lang.Runnable", "java.util.concurrent.Callable", "java.util.function.Supplier")
_RUNNING = ("run", "call", "get")
_THREAD = "java.lang.Thread"
_BUILDER = "java.lang.Thread$Builder"
_SETTING = frozenset(("setDaemon", "setName", "setPriority", "setUncaughtExceptionHandler", "setContextClassLoader"))
"""What is said of a thread before it is started."""

_SERVERS = frozenset(("java.net.ServerSocket", "javax.net.ssl.SSLServerSocket", "java.nio.channels.ServerSocketChannel", "java.net.DatagramSocket"))
"""What a task listens to in a loop: for as long as the program serves."""

_PARTS = ("java.", "javax.")


def is_started(call: ir.Call, of_receiver: str) -> bool:
    """Whether a call has a thread run what it is given, once. `of_receiver` is the type of its receiver, empty where that is not known."""
    if call.kind == "new":
        return call.qualifier.rpartition(".")[2] == "Thread"
    is_built = call.name in ("start", "unstarted") and len(call.args) == 1 and of_receiver.startswith(_BUILDER)
    return call.name in STARTING or is_built


def used_by_tasks(scene: Scene, call: ir.Call) -> Iterator[Move]:
    """What a call loses with the objects that it has a thread run, or that it starts as threads."""
    is_thread = call.kind != "new" and call.name == "start" and not call.args
    for operand in (call.receiver,) if is_thread else call.args if is_started(call, scene.type_of(call.receiver)) else ():
        name = made_here(scene, operand)
        if not name or not any(scene.queries.is_subtype(name, each) is True for each in ((_THREAD,) if is_thread else _TASKS)):
            continue
        for field in _only_used(scene, name) if _is_only_started(scene, operand, call) else ():
            yield Move((operand, field), "", USED)


def made_here(scene: Scene, operand: str) -> str:
    """The class of the object that a variable names, where the procedure makes it; else empty."""
    nodes = scene.definitions.get(operand, ())
    made = scene.nodes[nodes[0]] if len(nodes) == 1 else None
    if isinstance(made, ir.Copy):
        return made_here(scene, made.src)
    return scene.type_of(operand) if isinstance(made, ir.Alloc) else ""


def _only_used(scene: Scene, name: str) -> Iterator[str]:
    """The closeable fields of a class that none of its methods does more with than to use them."""
    queries = scene.queries
    path = queries.declaring_file(name)
    unit = queries.unit(path) if path else None
    declared = next((each for each in unit.types if each.name == name), None) if unit is not None else None
    if declared is None or not all(each.startswith(_PARTS) for each in queries.supertypes(name)):
        return
    methods = [(each.name, queries.effects(ProcedureKey(path, each.procedure))) for each in declared.methods if each.procedure and each.name[:1] != "<"]
    running = [effects for name, effects in methods if name in _RUNNING]
    if not running or not all(each.is_known and each.returns == "normal" for each in running):
        return
    touched = {each for _, effects in methods for each in _touched(effects)}
    bodies = [queries.procedure(ProcedureKey(path, each.procedure)) for each in declared.methods if each.procedure and each.name in _RUNNING]
    is_serving = any(each is not None and each.loops for each in bodies)
    for field in declared.fields if ("this",) not in touched else ():
        held = queries.field_type(name, field.name) if "static" not in field.attributes and ("this", field.name) not in touched else ""
        if held and queries.is_closeable(held) and not (is_serving and held in _SERVERS):
            yield field.name


def _touched(effects: Effects) -> Iterator[tuple[str, ...]]:
    for path in (*effects.retains, *effects.writes, *(each.entry for each in effects.transfers if not _is_left(each))):
        yield path[:2]


def _is_left(transfer: Transfer) -> bool:
    """Whether a method leaves something where it was, and gives it to nobody unknown."""
    return all(
        each.fate == "held" and each.certainty is Certainty.MUST and all(path == transfer.entry for path in each.paths) for each in transfer.outcomes
    )


def _is_only_started(scene: Scene, operand: str, call: ir.Call) -> bool:
    """Whether nobody has a task of this procedure but the thread that runs it: it is made, set up and started, and that is all."""
    names, waiting = set(), [operand]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += [node.src for at in scene.definitions.get(name, ()) if isinstance(node := scene.nodes[at], ir.Copy)]
            waiting += [copy.dst for copy in scene.copies.get(name, ())]
    for node in scene.nodes:
        is_named = not names.isdisjoint(used(node))
        is_setting = isinstance(node, ir.Call) and node.receiver in names and (node.kind == "new" or node.name in _SETTING) and names.isdisjoint(node.args)
        is_filled = isinstance(node, ir.Store) and node.base in names and node.src not in names
        if is_named and not (node is call or is_setting or is_filled or isinstance(node, ir.Copy)):
            return False
    return True
