"""Errors that functions of C leave behind a pointer: `file = open_file(name, &error)`.

By the convention of GLib, XCB, and of who follows it, a call says through its last argument, of type `SomeError **` (or its only
`GError **`, wherever that stands), that it has failed, and then hands out nothing: what it hands out is told together with no error. Misses a leak of what a
function hands out although it reports an error.
"""

from __future__ import annotations

import fnmatch

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.queries import Target
from analyzers.summaries import Certainty, Condition, Effects, Outcome, Transfer

_SUFFIX = "error"
"""How the names of types of errors end: `GError`, `xcb_generic_error_t`."""


GERROR = "glib-error"
_TYPE = "GError"
GERROR_SLOT = f"{_TYPE}*"
"""The type of a variable that an error is left in, without blanks."""
_GLIB = ("g_", "gdk_", "gtk_", "pango_")

_COUNTING = ("*_read", "*_write", "*_skip", "*_splice", "*_peek*", "*_fill", "*_send*", "*_receive*", "*_nonblocking")
"""Functions of GLib that say -1 where they fail, or may."""

_FINDING = (
    "*_next*", "*_get_*", "*_has_*", "*_is_*", "*_lookup*", "*_match*", "*_read_*line*", "*_read_up*", "*_read_until*", "*_read_byte*", "*_read_int*", "*_read_uint*",
    "*_iterate*", "*_try_*", "*_find*", "*_query_default*", "*_list*", "*_poll*", "*_wait", "*_ascii_string_to*", "*_io_channel_*",
)
"""Functions of GLib that also find nothing, without an error."""


def with_error(effects: Effects | None, call: ir.Call, scene: Scene, result: str) -> Effects | None:
    """Effects of a call of GLib with the error that it makes where it fails: what its last argument is the address of is the caller's
    then, who sees it by the result (`result` is its type, empty where nobody declares it), and asks. None stays None."""
    if effects is None or scene.is_java or not call.name.startswith(_GLIB):
        return effects
    error = error_of(call, scene, result, effects.transfers)
    return effects if error is None else msgspec.structs.replace(effects, transfers=(*effects.transfers, error))


def error_of(call: ir.Call, scene: Scene, result: str, known: tuple[Transfer, ...] = (), *, is_declared: bool = True) -> Transfer | None:
    """The error that a call makes where it fails: its last argument is the address of a `GError *`, which only ever means this, whoever
    declares the function. Beside what is `known` to be given. Of a function that nobody knows (not `is_declared`) it is certain only
    where the result tells it, and the procedure looks into it: others may answer 0 where they succeed."""
    last = len(call.args) - 1
    slot = scene.addresses.get(call.args[last], ()) if last >= 0 else ()
    place = (f"${last}", "*")
    if len(slot) != 1 or "".join(scene.type_of(slot[0]).split()) != GERROR_SLOT:
        return None
    if call.name.rpartition("_")[2] in ("error", "literal") or any(place in (each.entry, *(path for way in each.outcomes for path in way.paths)) for each in known):
        return None
    told = told_where_it_is_read(scene, call, slot[0])
    if told:
        return Transfer((), GERROR, _TYPE, (Outcome("return", told, "held", (place,)),))
    if any(fnmatch.fnmatchcase(call.name, each) for each in _FINDING):
        return None
    is_pointer = "*" in (result or scene.type_of(call.dst)) or any(RESULT in outcome.paths for each in known for outcome in each.outcomes)
    branches = [node for node in scene.nodes if isinstance(node, ir.Branch)]
    is_counting = _is_counting(call, branches)
    failed: tuple[Condition, ...] = ()
    if any(_asks(each, name, is_counting=is_counting and not is_pointer) for each in branches for name in _kept(scene, call.dst)):
        failed = (Condition(RESULT, "==", "=null" if is_pointer else "=-1" if is_counting else "=0"),)
    elif not is_declared and _is_never_read(scene, slot[0]):
        return Transfer((), GERROR, _TYPE, (Outcome("return", (), "held", (place,), Certainty.MAY),))
    elif last == 0 or _is_tested(scene, call.dst, branches) or not _is_asked_behind(scene, call, slot[0]):
        return None  # Where the result is asked in another way, too, that may say that there is no error.
    is_sure = is_declared or (bool(failed) and (call.name.startswith(_GLIB) or _is_looked_into(scene, slot[0])))
    certainty = Certainty.MUST if is_sure else Certainty.MAY
    return Transfer((), GERROR, _TYPE, (Outcome("return", failed, "held", (place,), certainty),))


def told_where_it_is_read(scene: Scene, call: ir.Call, slot: str) -> tuple[Condition, ...]:
    """What the result of a call is where the procedure reads the error that it left, and only looks there for what the result says
    (`if (seek(channel, &error) != G_IO_STATUS_NORMAL) warn(error->message);`): there is one, or that would be a crash. Of several tests on
    the way all (the cases of a `switch`): what one of them turns away may have left none. Empty where nothing says so."""
    told: list[Condition] = []
    names = _kept(scene, call.dst)
    read = [at for at in scene.cfg.order if isinstance(load := scene.nodes[at], ir.Load) and load.base == slot and load.field not in ("", "*")]
    for node in scene.cfg.order if names and read else ():
        branch = scene.nodes[node]
        if not isinstance(branch, ir.Branch) or branch.left not in names or (branch.operator != "true" and branch.operator not in guard.NEGATED) or len(sides := scene.cfg.normal[node]) != 2:
            continue
        if not _is_answered_by(scene, node, branch.left, call):
            continue
        operator, value = ("!=", "=0") if branch.operator == "true" else (branch.operator, branch.right)
        behind = [_follows(scene, at, side) for side in sides for at in read]
        first, second = any(behind[: len(read)]), any(behind[len(read) :])
        if first == second or not ir.is_literal(value) or any(_is_between(scene, sides[second], at, call, slot) for at in read):
            continue
        told.append(Condition(RESULT, guard.NEGATED[operator] if second else operator, value))
    return tuple([each for each in told if each.operator == "=="][-1:] or told)


def _follows(scene: Scene, node: int, side: int) -> bool:
    """Whether only a side of a branch, to which nothing else leads, leads to a node."""
    if len(scene.cfg.predecessors[side]) != 1:
        return False
    while node != side and scene.dominators[node] not in (node, -1):
        node = scene.dominators[node]
    return node == side


def _is_answered_by(scene: Scene, node: int, name: str, call: ir.Call) -> bool:
    """Whether the last thing before a node that surely sets a name, or reads it from where a result lies, is a call, or stands behind it."""
    while scene.nodes[node] is not call and scene.dominators[node] not in (node, -1):
        node = scene.dominators[node]
        if scene.nodes[node] is not call and isinstance(scene.nodes[node], ir.Call) and getattr(scene.nodes[node], "dst", "") == name:
            return False
    return scene.nodes[node] is call


def _is_between(scene: Scene, side: int, node: int, call: ir.Call, slot: str) -> bool:
    """Whether another call is given the place of an error, or a branch looks at it, between a side of a branch and where the error is read."""
    if not _follows(scene, node, side):
        return False
    while node != side:
        node = scene.dominators[node]
        match scene.nodes[node]:
            case ir.Call(args=args) as other if other is not call and any(scene.addresses.get(each) == (slot,) for each in args):
                return True
            case ir.Branch(left=left) if left == slot or scene.loads.get(left) == (slot,):
                return True
    return False


def told_by_result(effects: Effects, target: Target) -> Effects:
    """Effects of a function of the program that leaves an error where the caller wants it: by the convention its result is null or false
    then, whatever is known of it."""
    last = len(target.parameters) - 1
    is_named = last >= 0 and "".join(target.parameters[last].split()).startswith(f"{GERROR_SLOT}*")
    nothing = "=null" if "*" in target.result else "=0" if target.result == "gboolean" else ""
    place = ((f"${last}", "*"),)
    errors = [each for each in effects.transfers if each.resource == GERROR and not each.entry and all(way.paths == place for way in each.outcomes)]
    if not is_named or not nothing or all(way.when for each in errors for way in each.outcomes):
        return effects
    failed = (Condition(RESULT, "==", nothing),)
    told = tuple(
        msgspec.structs.replace(each, outcomes=tuple(msgspec.structs.replace(way, when=way.when or failed) for way in each.outcomes)) if each in errors else each
        for each in effects.transfers
    )
    return msgspec.structs.replace(effects, transfers=told)


def _kept(scene: Scene, result: str) -> set[str]:
    """A result, and what is read from the place that it is stored in right behind that (`self->file = open_it(&error); if (!self->file)`)."""
    names = {result} if result else set[str]()
    for at in scene.cfg.order:
        load = scene.nodes[at]
        if isinstance(load, ir.Load) and load.base and (store := _before(scene, at)) is not None and store.src == result:
            names |= {load.dst} if (store.base, store.field) == (load.base, load.field) else set()
    return names


def _before(scene: Scene, node: int) -> ir.Store | None:
    """The store right before a node, loads and branches aside."""
    seen: set[int] = set()
    while len(before := scene.cfg.predecessors[node]) == 1 and before[0] not in seen:
        node = before[0]
        seen.add(node)
        match scene.nodes[node]:
            case ir.Store() as store:
                return store
            case ir.Load() | ir.Branch():
                continue
            case _:
                return None
    return None


def _is_asked_behind(scene: Scene, call: ir.Call, slot: str) -> bool:
    """Whether a branch asks for an error after a call that may leave one: who asks only before it does not know whether there is any."""
    asked = {at for at in scene.cfg.order if isinstance(branch := scene.nodes[at], ir.Branch) and branch.left == slot}
    made = [at for at in scene.cfg.order if scene.nodes[at] is call]
    return bool(asked) and (not made or any(not asked.isdisjoint(scene.cfg.reachable_from(at)) for at in made))


def _is_counting(call: ir.Call, branches: list[ir.Branch]) -> bool:
    """Whether a call says -1 where it fails, by its name or by what its result is compared with."""
    name = call.name.removesuffix("_finish")
    if any(fnmatch.fnmatchcase(name, each) for each in _COUNTING) or any(_is_signed(each, call.dst) for each in branches):
        return True
    return name != call.name and any(_asks(each, call.dst, is_counting=True) for each in branches)


def _is_signed(branch: ir.Branch, name: str) -> bool:
    """Whether a branch asks whether a result lies below zero."""
    return branch.left == name and branch.operator in ("<", ">=") and branch.right == "=0"


def _is_looked_into(scene: Scene, slot: str) -> bool:
    """Whether a procedure reads a member of what a variable points to, and never asks whether that is there."""
    names = {slot, *(name for name, place in scene.loads.items() if place == (slot,))}
    if any(isinstance(node, ir.Branch) and not names.isdisjoint((node.left, node.right)) for node in scene.nodes):
        return False
    return any(isinstance(node, ir.Load) and node.base in names and node.field not in ("", "*") for node in scene.nodes)


def _is_never_read(scene: Scene, slot: str) -> bool:
    """Whether a procedure gives the address of a variable of its own to callees, one at the most, and never looks at what it holds."""
    variable = scene.variables.get(slot)
    if variable is None or variable.kind != "local" or not all(isinstance(each, ir.AddressOf) for each in scene.readers.of(slot)):
        return False
    taken = [name for name, place in scene.addresses.items() if place == (slot,)]
    users = [each for name in taken for each in scene.readers.of(name)]
    return len(users) == 1 and isinstance(users[0], ir.Call)


def _is_tested(scene: Scene, name: str, branches: list[ir.Branch]) -> bool:
    """Whether a branch looks at a result, or at a copy of it, or may do so where it is stored."""
    names = {name, *(each.dst for each in scene.copies.get(name, ()))} if name else set()
    is_stored = any(isinstance(node, ir.Store | ir.StoreElement) and node.src in names for node in scene.nodes)
    return is_stored or any(not names.isdisjoint((each.left, each.right)) for each in branches)


def _asks(branch: ir.Branch, name: str, *, is_counting: bool) -> bool:
    """Whether a branch asks whether a call has failed, by its result."""
    if branch.left != name:
        return False
    if is_counting:
        return branch.right == "=-1" or _is_signed(branch, name)
    return branch.right == "=null" or branch.operator == "true" or (branch.right == "=0" and not _is_signed(branch, name))


def told(scene: Scene, site: CallSite, outcome: Outcome) -> tuple[Condition, ...]:
    """What a call that acquires something leaves in places of the caller's: what is known of it, or no error. What a library leaves in other
    places only where its result says so, it leaves without an error, too."""
    at = _slot_of(scene, site.call.args)
    is_returned = any(path[0] == RESULT[0] for path in outcome.paths)
    is_left = site.is_library and (f"${at}", "*") not in outcome.paths and any(each.path == RESULT for each in outcome.when)
    if outcome.left or scene.is_java or not site.call.args or not (is_returned or is_left):
        return outcome.left
    slot = scene.addresses.get(site.call.args[at], ())
    given = scene.type_of(site.call.args[at])
    is_handed_on = not slot and given.count("*") == 2 and _is_error(given.replace("*", "", 1))  # The place that the caller's caller wants it in.
    if not is_handed_on and (len(slot) != 1 or not _is_error(scene.type_of(slot[0]))):
        return ()
    return (Condition((f"${at}", "*"), "==", "=null"),)


def _slot_of(scene: Scene, arguments: tuple[str, ...]) -> int:
    """Which argument is the place of an error: the one that is the address of a `GError *`, wherever it stands, or the last one."""
    found = [
        position for position, each in enumerate(arguments)
        if len(slot := scene.addresses.get(each, ())) == 1 and "".join(scene.type_of(slot[0]).split()) == GERROR_SLOT
    ]
    return found[0] if len(found) == 1 else len(arguments) - 1


def _is_error(written: str) -> bool:
    """Whether a type is a pointer to an error."""
    words = written.replace("*", " ").split()
    return written.count("*") == 1 and bool(words) and words[-1].lower().removesuffix("_t").endswith(_SUFFIX)
