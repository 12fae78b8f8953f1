"""Descriptors of C that are left open on purpose: those that hold a lock of POSIX, which lasts as long as they are open, or do to a
device what lasts as long, and those that are opened for their number alone (`close(0); dup(fd);`, `while (fd < 3) fd = dup(fd);`), or to keep a file that is unlinked;
and the other side of the terminal that a process gives itself. A socket that listens, and of which nobody takes a connection, may be there for its number.

`fcntl(fd, F_SETLK, &lock)` is known by its third argument, an address. A library stays open whose functions
somebody keeps (`draw = dlsym(lib, "draw")`), which is told to register itself (`start = dlsym(lib, "start"); start();`, `start(&interface)`),
or of which nobody wants a function. Misses descriptors that are lost behind a lock.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.c.locked_streams import is_locked
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite, Exposure, Move
from analyzers.handles.unknown import Policy, is_formatted, words_of
from analyzers.summaries import AccessPath, Transfer

DESCRIPTOR = "descriptor"
"""The spec resource of open files by number."""

_FAILURE = frozenset(
    (operator, right) for operators, right in ((("<", ">="), "=0"), (("==", "!=", ">", "<="), "=-1")) for operator in operators
)
"""What asks whether there is a descriptor at all."""


def locked(scene: Scene, call: ir.Call) -> tuple[Exposure, ...]:
    """What a call locks or sets up for as long as it is open, or a library of which it keeps a function beyond the procedure."""
    if scene.is_java or not call.args or ir.is_literal(call.args[0]):
        return ()
    if call.name == "listen":
        return (Exposure((call.args[0],), Policy.DOUBT),) if is_only_listening(scene.nodes, call.args[0]) else ()
    if call.name == "login_tty":
        return tuple(Exposure(other, Policy.ESCAPE) for other in _other_sides(scene, call.args[0]))
    if call.name in _SYMBOLS:
        return (Exposure((call.args[0],), Policy.ESCAPE),) if _is_kept(scene, call.dst) else ()
    if call.name == "ioctl" and len(call.args) > 1 and scene.loads.get(call.args[1], ("",))[0] in _LASTING:
        return (Exposure((call.args[0],), Policy.ESCAPE),)
    if call.name not in ("fcntl", "fcntl64") or len(call.args) != 3:
        return ()
    is_lock = call.args[2] in scene.addresses or "*" in scene.type_of(call.args[2])
    return (Exposure((call.args[0],), Policy.ESCAPE),) if is_lock else ()


def is_only_listening(nodes: Sequence[ir.Instruction], name: str) -> bool:
    """Whether nobody in a procedure takes connections from a socket that listens, or gets it to do so: it waits for who knows its number
    (`LISTEN_FDS`), if not for nobody."""
    if ir.is_temporary(name):
        return False
    users = {node.name for node in nodes if isinstance(node, ir.Call) and name in node.args}
    return "listen" in users and users <= _SETTING_UP and not any(name in operands(node) for node in nodes if not isinstance(node, ir.Call | ir.Branch))


_SETTING_UP = frozenset(("bind", "close", "fcntl", "ioctl", "listen", "setsockopt", "getsockname", "getsockopt", "shutdown"))
"""Calls that take no connection from a socket."""


def _other_sides(scene: Scene, terminal: str) -> list[AccessPath]:
    """The other side of what becomes the terminal of the process: that lasts as long as it is open."""
    place = scene.loads.get(terminal, (terminal,))
    pairs = [
        (scene.addresses.get(call.args[0], ()), scene.addresses.get(call.args[1], ()))
        for call in scene.nodes if isinstance(call, ir.Call) and call.name == "openpty" and len(call.args) > 1
    ]
    return [other for other, own in pairs if own == place and other]


def _is_set(scene: Scene, names: set[str]) -> bool:
    """Whether something is stored where one of some variables leads."""
    behind = set(names)
    for index in scene.cfg.order:
        match scene.nodes[index]:
            case ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base) | ir.Copy(dst=dst, src=base) if base in behind:
                behind.add(dst)
            case ir.Op(dst=dst, operator="cast" | "[]+", operands=(base, *_)) if base in behind:
                behind.add(dst)
            case ir.AddressOf(dst=dst, base=base) if base in behind:
                behind.add(dst)
            case ir.Store(base=base) | ir.StoreElement(base=base) if base in behind:
                return True
            case _:
                pass
    return False


_LASTING = frozenset((
    "::DRM_IOCTL_SET_MASTER", "::EVIOCGRAB", "::LOOP_CONFIGURE", "::LOOP_SET_FD", "::NBD_SET_SOCK", "::PERF_EVENT_IOC_ENABLE",
    "::TUNSETIFF", "::UI_DEV_CREATE", "::USBDEVFS_CLAIMINTERFACE", "::WDIOC_SETOPTIONS", "::WDIOC_SETTIMEOUT",
))
"""Requests whose effect ends when the descriptor is closed: a network interface that a program makes, a device that it grabs."""

_LASTING_DEVICES = ('="/dev/cpu_dma_latency"', '="/dev/watchdog"', '="/dev/watchdog0"', '="/dev/misc/watchdog"')
"""Devices that do something as long as they are open, or as soon as they are not."""

_REFERENCE = "=&"
"""What the name of a function begins with that is passed."""

_SYMBOLS = frozenset(("dlsym", "dlvsym", "GetProcAddress"))


def _is_kept(scene: Scene, name: str) -> bool:
    """Whether a function goes to a variable of the program, or into an object of somebody else's, or is called for nothing but
    what it does to the program, or a variable of the library is set (`*level = 2`)."""
    names = {name, *(copy.dst for copy in scene.copies.get(name, ()))} - {""}
    parts = {node.base for node in scene.nodes if isinstance(node, ir.Store) and node.src in names and node.base}
    # `u.address = dlsym(lib, "draw"); draw = u.function;`: a union is how a pointer becomes a function without a cast.
    names |= {node.dst for node in scene.nodes if isinstance(node, ir.Load) and node.base in parts}
    return _is_set(scene, names) or any(
        (isinstance(node, ir.Store) and node.src in names and (not node.base or scene.outlives(node.base)))
        or (isinstance(node, ir.Call) and node.kind == "pointer" and node.receiver in names and _is_told_to_begin(scene, node))
        for node in scene.nodes
    )


def _is_told_to_begin(scene: Scene, call: ir.Call) -> bool:
    """Whether a function of a library is called for nothing but what it does to the program, or is given what the program has for
    all its libraries, where it may leave its own functions: the address of a global (`begin(&interface)`), or a function."""
    if not call.dst and not call.args:
        return True
    return any(scene.addresses.get(each, ("",))[0].startswith("::") or each.startswith(_REFERENCE) for each in call.args)


BY_NUMBER = frozenset(("dup", "fcntl", "fcntl64", "open", "open64", "openat", "openat64"))
"""Who opens a descriptor for its number alone (0, 1, 2) does it with one of these: a new file or a socket is for something else."""

_NUMBERED = frozenset(("fcntl", "fcntl64"))
"""Who makes a copy with the lowest number from one on that is asked for: that number itself, where it has just been closed
(`close(to); fcntl(from, F_DUPFD, to);`)."""

_STANDARD = ("=0", "=1", "=2")

_STEPS = 8
"""Instructions between the closing of a standard descriptor and the opening of another in its place."""


def refills(scene: Scene, node: int, call: ir.Call) -> bool:
    """Whether a descriptor that gets no name takes the place of a standard one that has just been closed, or is wanted for its number."""
    if is_only_compared(scene, call) or _is_copied_for_numbers(scene, node, call):
        return True
    wanted = call.args[2:3] if call.name in _NUMBERED else ()
    if call.dst and not ir.is_temporary(call.dst) and not wanted:
        return False
    for _ in range(_STEPS):
        before = scene.cfg.predecessors[node]
        if not before:
            return False
        node = before[0]
        match scene.nodes[node]:
            case ir.Call(name=name, args=(number,)) if "close" in name.lower():
                if number in wanted or (number in _STANDARD and not (wanted and call.dst and not ir.is_temporary(call.dst))):
                    return True
    return False


def takes_a_place(site: CallSite, transfer: Transfer) -> bool:
    """Whether who does not want the result wants the place that it takes (`close(0); dup(fd);`, or a stream of it)."""
    if any(path[0] != RESULT[0] for outcome in transfer.outcomes for path in outcome.paths):
        return False
    return (transfer.resource == DESCRIPTOR and site.call.name in BY_NUMBER) or any(move.resource == DESCRIPTOR for move in site.moves)


def is_placed(site: CallSite, move: Move) -> bool:
    """Whether a stream is wanted only for the place that it takes, and has the descriptor then."""
    return move.resource == DESCRIPTOR and bool(site.acquired)


def is_for_itself(scene: Scene, call: ir.Call) -> bool:
    """Whether a library is loaded for what it does by itself (`if (!dlopen(path, RTLD_NOW)) complain();`): of its functions none
    is asked for, and nobody else gets the library. Or whether a mapping takes the place of what is there, and has its owner, or
    something is found by its name ever after; or whether a stream is to keep a lock."""
    if call.name in ("mmap", "mmap64") and len(call.args) > _FLAGS and not scene.is_java:
        return _says_fixed(scene, call.args[_FLAGS])
    if call.name == "VirtualAlloc" and call.args and not scene.is_java:
        return call.args[0] not in ("=null", "=0")  # pages of what is reserved already
    if scene.is_java:
        return _is_found_by_its_name(scene, call)
    if call.name in ("open", "open64"):
        return call.args[:1] in [(each,) for each in _LASTING_DEVICES]
    if call.name not in ("dlopen", "dlmopen") or not call.dst:
        return is_locked(scene, call)
    names = {call.dst, *(copy.dst for copy in scene.copies.get(call.dst, ()))}
    readers = [node for node in scene.nodes if names & set(operands(node)) and not isinstance(node, ir.Copy)]
    return bool(readers) and all(isinstance(node, ir.Branch) for node in readers)


def _is_found_by_its_name(scene: Scene, call: ir.Call) -> bool:
    """Whether a file system of Java is made for all who ask for its URI: nobody takes the result, or the procedure asks, too."""
    if call.name != "newFileSystem" or not call.args or scene.type_of(call.args[0]) != "java.net.URI":
        return False
    return not call.dst or any(isinstance(node, ir.Call) and node.name == "getFileSystem" and node.args == call.args[:1] for node in scene.nodes)


def is_awaited(scene: Scene, call: ir.Call) -> bool:
    """Whether a procedure of Java only waits until somebody connects, and does not take the connection."""
    return scene.is_java and call.name == "accept" and not call.args and not call.dst


_FLAGS = 3
"""The argument of `mmap` that says how."""


def _says_fixed(scene: Scene, operand: str) -> bool:
    """Whether `MAP_FIXED` is among the flags."""
    if scene.loads.get(operand, ("",))[0] == "::MAP_FIXED":
        return True
    nodes = [scene.nodes[node] for node in scene.definitions.get(operand, ())] if ir.is_temporary(operand) else []
    return any(isinstance(node, ir.Op) and node.operator == "|" and any(_says_fixed(scene, each) for each in node.operands) for node in nodes)


_UNLINKING = frozenset(("unlink", "remove"))


def is_only_compared(scene: Scene, call: ir.Call) -> bool:
    """Whether a descriptor is asked for nothing but its number: a copy, or what is opened, if not just for a failure."""
    if call.name not in ("dup", "open") or not call.dst:
        return False
    names = {call.dst}
    for copy in (each for copies in scene.copies.values() for each in copies):
        if copy.src in names:
            names.add(copy.dst)
    readers = [node for node in scene.nodes if names & set(operands(node)) and not isinstance(node, ir.Copy)]
    if all(isinstance(node, ir.Call) and node.name == "dup2" for node in readers) and _closes_by_number(scene):
        return True
    is_idle = all(map(_is_idle, readers))
    if is_idle and readers and call.name == "dup":
        return True
    if is_idle and any(isinstance(node, ir.Call) and node.name in _UNLINKING and node.args[:1] == call.args[:1] for node in scene.nodes):
        return True  # Nothing is read: the file is to go with the process, and not while somebody waits.
    if not all(isinstance(node, ir.Branch) or _is_of_number(node, names) for node in readers):
        return False
    return call.name == "dup" or any(isinstance(node, ir.Branch) and (node.operator, node.right) not in _FAILURE for node in readers)


def _is_copied_for_numbers(scene: Scene, node: int, call: ir.Call) -> bool:
    """Whether what is opened is only copied, and nobody uses a copy: all descriptors were closed (`for (fd = 255; fd >= 0; fd--) close(fd);
    fd = open("/dev/null", O_RDWR); dup(fd); dup(fd);`), and the lowest numbers are to be taken."""
    if call.name not in BY_NUMBER or not call.dst:
        return False
    readers = [scene.nodes[each] for each in sorted(scene.cfg.reachable_from(node)) if call.dst in operands(scene.nodes[each])]
    read = {name for each in scene.nodes if not isinstance(each, ir.Branch) for name in operands(each)}
    copying = [each for each in readers if isinstance(each, ir.Call) and each.name == "dup" and (not each.dst or each.dst not in read)]
    return bool(copying) and all(isinstance(each, ir.Branch) or each in copying for each in readers)


def _closes_by_number(scene: Scene) -> bool:
    """Whether a procedure closes descriptors by a number that it counts up: all that are open."""
    closed = {node.args[0] for node in scene.nodes if isinstance(node, ir.Call) and node.name == "close" and node.args}
    return any(isinstance(node, ir.Op) and node.dst in closed and node.operator in ("+", "-") and node.dst in node.operands for node in scene.nodes)


def _is_idle(node: ir.Instruction) -> bool:
    """Whether an instruction only says that a value is not wanted: `UNUSED(fd)`, `ignore_result(fd)`."""
    if not isinstance(node, ir.Call) or len(node.args) != 1 or node.dst:
        return False
    return node.name.isupper() or not _IGNORING.isdisjoint(words_of(node.name))


_IGNORING = frozenset(("discard", "ignore", "unused"))


def _is_of_number(node: ir.Instruction, names: set[str]) -> bool:
    """Whether a descriptor is duplicated into the variable that had it, or its number is printed."""
    if not isinstance(node, ir.Call):
        return False
    return (node.name == "dup" and node.dst in names) or all(
        is_formatted(node, position) for position, each in enumerate(node.args) if each in names
    )
