"""Pools of threads and class loaders that hold nothing yet when they are lost: no thread without a task, no file without a question.
And locks of files that are meant to last as long as the file is open.

Misses pools that a method of their object gave a task under another name, when that object is lost: such reports are assumed. What an
exception loses before the first task is not told of. What wraps a pool of threads, by what is known of its library, is another name for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers import ir
from analyzers.domains.access_path import WRAPPED
from analyzers.graphs.operands import used
from analyzers.handles.java.stops import ends_process
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import words_of

_TASKS = frozenset((
    "execute", "submit", "schedule", "scheduleAtFixedRate", "scheduleWithFixedDelay", "invokeAll", "invokeAny", "prestartCoreThread",
    "prestartAllCoreThreads", "start", "run",
))
"""Methods by which an executor, or what holds one, begins to work."""

_NOTING = ("builder", "executor", "set", "with")

_SETTING = ("set", "add")

_REPEATING = frozenset(("scheduleAtFixedRate", "scheduleWithFixedDelay"))
"""Methods by which an executor repeats a task until it is shut down."""

CLIENTS = (
    "org.apache.http.impl.client.CloseableHttpClient", "org.apache.hc.client5.http.impl.classic.CloseableHttpClient",
    "javax.ws.rs.client.Client", "jakarta.ws.rs.client.Client",
)
"""What opens connections when it is asked for something."""

SOURCES = ("com.zaxxer.hikari.HikariDataSource", "org.apache.commons.dbcp.BasicDataSource", "org.apache.commons.dbcp2.BasicDataSource")
"""Pools of connections that begin, where their constructor is told nothing, when they are asked for the first one."""

LOCK = "java.nio.channels.FileLock"
"""What ends with the channel of its file."""

_ASKING = ("isShared", "isValid", "position", "size", "toString")
"""What a lock is asked without being ended."""

_EXECUTOR = "java.util.concurrent.Executor"
_LIBRARY = ("java.", "javax.")

_RAISED = ("throw", "raised")


def is_idle_executor(scene: Scene, sites: Mapping[int, CallSite], acquired: int, loss: Loss, is_inside: bool) -> bool:
    """Whether an executor is lost by an exception before it was given a task, or inside of an object that was not begun to be used, or
    as a field that is filled anew at once. One that repeats a task is meant to stay, and so is one whose task ends the process."""
    names, calls = _used(scene, acquired, loss)
    names, dressing = _dressed(scene, sites, names)
    calls = [each for each in calls if each not in dressing]
    if loss.exit in _RAISED:
        is_begun = any(each.name in _TASKS and _may_hold(scene, each) for each in calls)
    elif is_inside:
        is_begun = any(each.name in _TASKS and each.receiver in names for each in calls)
    elif not loss.exit and _is_in_field(scene, names):
        taken = names | _taken_from_field(scene, names)
        is_begun = any(each.receiver in taken for each in calls)
    elif _is_filled_anew(scene, names, acquired, loss):
        is_begun = any(each.name in _TASKS and _may_hold(scene, each) for each in calls)
    else:
        begun = [each for each in calls if each.receiver in names and each.name in _TASKS]
        return any(each.name in _REPEATING or any(ends_process(scene, task) for task in each.args[:1]) for each in begun)
    return not is_begun and all(names.isdisjoint(each.args) or _is_building(each) for each in calls)


def _is_in_field(scene: Scene, names: frozenset[str]) -> bool:
    return any(isinstance(node, ir.Store) and node.base == "this" and node.src in names for node in scene.nodes)


def _taken_from_field(scene: Scene, names: frozenset[str]) -> frozenset[str]:
    """The variables that get what lies in a field that one of these is stored to."""
    fields = {node.field for node in scene.nodes if isinstance(node, ir.Store) and node.base == "this" and node.src in names}
    return frozenset(node.dst for node in scene.nodes if isinstance(node, ir.Load) and node.base == "this" and node.field in fields)


def _is_filled_anew(scene: Scene, names: frozenset[str], acquired: int, loss: Loss) -> bool:
    """Whether the field that an executor is stored in gets something else on the way to where it is lost, which another name put off."""
    fields = {node.field for node in scene.nodes if isinstance(node, ir.Store) and node.base == "this" and node.src in names}
    between = scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)
    stores = [node for each in between if isinstance(node := scene.nodes[each], ir.Store)]
    return any(node.base == "this" and node.field in fields and node.src not in names for node in stores)


def _is_building(call: ir.Call) -> bool:
    """Whether a method only notes what it gets, by its name: that of a builder, or of a setter; so does the constructor above."""
    words = words_of(call.name)
    return call.kind == "special" or (call.kind != "new" and (words[:1] in [(word,) for word in _NOTING] or words[-1:] == ("builder",)))


def is_idle_loader(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether a class loader is lost by an exception before it was asked, or lives on in a class that it gave: what is made of that."""
    names, calls = _used(scene, acquired, loss)
    if loss.exit in _RAISED and not any(each.receiver in names or not names.isdisjoint(each.args) for each in calls):
        return True
    return _is_class_used(scene, names)


_GIVING_CLASSES = frozenset(("loadClass", "forName", "defineClass"))

_MAKING = ("newInstance", "getConstructor", "getDeclaredConstructor", "getMethod", "getDeclaredMethod", "getMethods", "asSubclass")
"""What a class is asked for in order to make objects of it, or to call it."""


def _is_class_used(scene: Scene, loaders: frozenset[str]) -> bool:
    """Whether objects may be made of a class that one of some loaders gave: by a method of the class, or by who gets it."""
    classes = {
        node.dst for node in scene.nodes
        if isinstance(node, ir.Call) and node.name in _GIVING_CLASSES and (node.receiver in loaders or not loaders.isdisjoint(node.args))
    } - {""}
    grown = True
    while grown:
        more = {
            node.dst for node in scene.nodes
            if (isinstance(node, ir.Copy) and node.src in classes)
            or (isinstance(node, ir.Op) and node.operator == "cast" and not classes.isdisjoint(node.operands))
        } - classes
        grown = bool(more)
        classes |= more
    calls = [node for node in scene.nodes if isinstance(node, ir.Call)]
    return any(not classes.isdisjoint(each.args) or (each.receiver in classes and each.name in _MAKING) for each in calls)


def is_idle_client(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether a client of HTTP is lost by an exception before anybody could ask it for anything: it opens connections then."""
    names, calls = _used(scene, acquired, loss)
    is_own = _is_in_field(scene, names) and any(each.receiver == "this" for each in calls)
    return loss.exit in _RAISED and not is_own and not any(each.receiver in names or not names.isdisjoint(each.args) for each in calls)


def is_idle_source(scene: Scene, acquired: int, loss: Loss) -> bool:
    """Whether a pool of connections that its constructor was told nothing is lost by an exception while it is told: it has none yet."""
    made, (names, calls) = scene.nodes[acquired], _used(scene, acquired, loss)
    if loss.exit not in _RAISED or not isinstance(made, ir.Call) or made.kind != "new" or made.args:
        return False
    told = [each for each in calls if each.receiver in names and not (each.kind == "special" and not each.args)]
    return all(words_of(each.name)[:1] in [(word,) for word in _SETTING] for each in told) and all(names.isdisjoint(each.args) for each in calls)


def is_lasting_lock(scene: Scene, acquired: int, closers: Sequence[str]) -> bool:
    """Whether nobody ends the lock of a file by itself: its result is dropped, or the channel that ends it is somebody else's and the
    procedure never releases it, whether or not it gives it to who has the channel."""
    call = scene.nodes[acquired]
    if not isinstance(call, ir.Call):
        return False
    names = {call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))} - {""}
    users = [each for each in scene.nodes if not names.isdisjoint(used(each)) and not isinstance(each, ir.Copy | ir.ScopeEnd)]
    if all(map(_is_question, users)):
        is_named = any(isinstance(each, ir.Store) for each in users) or any(not ir.is_temporary(each) for each in names)
        return not is_named or any(scene.outlives(scene.loads.get(each, (each,))[0]) for each in closers)
    return False


def _is_question(node: ir.Instruction) -> bool:
    """Whether a lock is only asked whether it is there, and holds, or noted in the object, or returned."""
    match node:
        case ir.Return():
            return True
        case ir.Branch(left=left, right=right):
            return "=null" in (left, right)
        case ir.Call(name=name, args=args):
            return name in _ASKING and not args
        case _:
            return isinstance(node, ir.Store) and node.base == "this"


def _dressed(scene: Scene, sites: Mapping[int, CallSite], names: frozenset[str]) -> tuple[frozenset[str], list[ir.Call]]:
    """Some names and those of what a library wraps their object in, with the calls that wrap it: closing these closes it."""
    known, dressing = set(names), list[ir.Call]()
    for node in sorted(sites):
        site = sites[node]
        moves = (each for each in site.moves if len(each.entry) == 1 and each.entry[0] in known) if site.is_library and site.call.dst else ()
        if any(path[-1] == WRAPPED for each in moves for outcome in each.outcomes for path in outcome.paths):
            dressing.append(site.call)
            known.update((site.call.dst, *(copy.dst for copy in scene.copies.get(site.call.dst, ()))))
    return frozenset(known), dressing


def _used(scene: Scene, acquired: int, loss: Loss) -> tuple[frozenset[str], list[ir.Call]]:
    """The names of what a call made, and the calls between it and the loss."""
    call = scene.nodes[acquired]
    made = call.receiver or call.dst if isinstance(call, ir.Call) else ""
    names = frozenset((made, *(copy.dst for copy in scene.copies.get(made, ())))) if made else frozenset()
    between = (scene.cfg.reachable_from(acquired) & scene.cfg.reaching(loss.node)) - {acquired}
    return names, [each for node in sorted(between) if isinstance(each := scene.nodes[node], ir.Call)]


def _may_hold(scene: Scene, call: ir.Call) -> bool:
    """Whether the object that a method is called on may be an executor, or hold one: others of the library do not."""
    known = scene.type_of(call.receiver)
    return not known.startswith(_LIBRARY) or scene.queries.is_subtype(known, _EXECUTOR) is not False
