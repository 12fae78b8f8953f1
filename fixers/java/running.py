"""Whether a resource goes on with work of its own behind the method that makes it: a server, a service, a client with threads.

What `main` starts and never ends lives as long as the program, and what the code stops by another method than `close` has come to its end
there. Takes a type of the program to run by itself where it, or what it extends, is started by its name. What plays a sound, or serves, does so
behind the method that only starts it: a close there would cut it off at once.
"""

from __future__ import annotations

from analyzers import Program, ir
from fixers.java.feared import is_lost_on_the_way_out, is_test_file
from fixers.java.region import derived
from fixers.java.scope import Scope, procedure_node
from fixers.java.shape import classify
from fixers.java.statements import call_parts, uses
from fixers.leak import Leak
from fixers.tree import child, find

_STARTED = ("start", "startUp", "startAsync", "startAndWait", "launch", "serve", "listen")
_BEGUN = frozenset(("start", "startAsync", "startUp", "startRecording", "startPlayback", "play", "loop", "serve", "listen", "launch"))
"""Methods that have an object go on by itself and come back at once."""

_RUNNING = ("Thread", "Service", "Server", "Daemon")
_STOPPED = ("stop", "shutdown", "shutDown", "terminate", "destroy")


def runs_on(leak: Leak, program: Program) -> str:
    """Why nobody closes it here; empty for no reason."""
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or leak.finding.methods:
        return ""
    scope = Scope(leak, shape)
    kinds = sorted({each.partition("<")[0] for name, each in leak.linked.types.items() if ir.source_name(name) == shape.variable})
    called = [
        name for receiver, name, _ in (call_parts(leak.tree, each) for each in find(scope.root, "method_invocation"))
        if receiver is not None and leak.tree.text(receiver) == shape.variable
    ]
    is_started = any(name.startswith(_STARTED) for name in called) or any(_runs_by_itself(each, program) for each in kinds)
    stopped = next((name for name in called if name.startswith(_STOPPED)), "")
    if not is_started or scope.closes() or any(each.startswith(("java.", "javax.")) for each in kinds):
        return ""
    if stopped:
        return f"`{stopped}` ends it here"
    return "it runs as long as the program" if _is_main(leak) else ""


def goes_on(leak: Leak) -> str:
    """The call that has the resource go on by itself, with which the method is done with it; empty for none.

    Whoever uses it, or what is made of it, behind that call is done only then; a test ends what it has started.
    """
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or not shape.variable or is_test_file(leak.path) or is_lost_on_the_way_out(leak):
        return ""
    scope = Scope(leak, shape)
    calls = [(each, *call_parts(leak.tree, each)) for each in find(scope.root, "method_invocation")]
    begun = [(each, name) for each, receiver, name, given in calls if name in _BEGUN and not given and receiver is not None and leak.tree.text(receiver) == shape.variable]
    if not begun or any(close.start > begun[-1][0].end for close in scope.closes()):
        return ""
    last, name = begun[-1]
    names = derived(leak.tree, [scope.root], shape.variable)
    is_used = any(each.start >= last.end and leak.tree.text(each) in names and uses(leak.tree, each, names) for each in find(scope.root, "identifier"))
    return "" if is_used else name


def _runs_by_itself(kind: str, program: Program) -> bool:
    if not program.declaring_file(kind):
        return False
    above = [each for each in program.supertypes(kind) if each.partition("<")[0].rpartition(".")[2].endswith(_RUNNING)]
    return bool(above) or any(program.methods(kind, name) for name in _STARTED)


def _is_main(leak: Leak) -> bool:
    """Whether the program begins in the procedure."""
    method = procedure_node(leak)
    name, modifiers = child(method, "identifier"), child(method, "modifiers")
    is_static = modifiers is not None and "static" in leak.tree.text(modifiers).split()
    return name is not None and leak.tree.text(name) == "main" and is_static
