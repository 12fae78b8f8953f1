"""Handles of C that leave a procedure as bytes: `write(tube, &job, sizeof(job))` gives the other end what the pointer, or the struct's members, hold.

A pipe between threads is a queue; whoever reads the bytes has the pointers and descriptors in them. Followed through the functions of
the program that pass on what they are given (`post(office, &order)`). The bytes of a text, or of any other block, carry
nothing. Errs towards taking: a struct that is written to another machine with a pointer in it is taken to give that away, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.moves import handed_on
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy
from analyzers.queries import ProcedureKey, Target
from analyzers.summaries import AccessPath

_SENDING = {
    "write": 1, "pwrite": 1, "send": 1, "sendto": 1, "mq_send": 1, "mq_timedsend": 1, "msgsnd": 1,
    "evbuffer_add": 1, "bufferevent_write": 1, "zmq_send": 1, "nn_send": 1, "g_io_channel_write_chars": 1,
}
"""Calls that copy bytes to somebody else, and where they are given them. Files (`fwrite`) have no reader in the program."""

_GATHERING = frozenset(("writev", "pwritev", "pwritev2", "sendmsg", "sendmmsg", "vmsplice"))
"""Calls that copy the bytes to which the `iov_base` of a vector leads."""

_BYTES = frozenset(("char*", "unsignedchar*", "uint8_t*", "u_char*", "uchar*", "guchar*", "guint8*", "u8*"))
"""Types of what is read byte by byte; the address of a struct, or of a pointer, is cast for it."""

_DEPTH = 3
"""Functions of the program through which bytes are followed."""


def sent_along(scene: Scene, call: ir.Call, target: Target) -> Iterator[Exposure]:
    """What is in the bytes that a call sends, by the places of the procedure."""
    if scene.is_java or call.kind != "function":
        return
    if call.name in _GATHERING:
        given = (node.src for node in scene.nodes if isinstance(node, ir.Store) and node.field.rpartition(".")[2] == "iov_base")
        yield from (Exposure(path, Policy.ESCAPE) for each in given for path in _inside(scene, each))
    for position, argument in enumerate(call.args):
        paths = tuple(_inside(scene, argument)) if argument and not ir.is_literal(argument) else ()
        place = scene.addresses.get(argument, ()) if argument else ()
        is_taken = paths and (_is_by_bytes(place, target, position) or _is_sent(scene, call.name, target.procedures, position, _DEPTH))
        if is_taken:
            yield from (Exposure(path, Policy.ESCAPE) for path in paths)
        if len(place) == 1 and scene.is_aggregate(place[0]):
            yield from (Exposure((name,), Policy.ESCAPE) for name in _numbered(scene, place[0]))


def _is_by_bytes(place: AccessPath, target: Target, position: int) -> bool:
    """Whether a function of the program takes what an address leads to byte by byte, and may put the bytes anywhere."""
    written = target.parameters[position] if position < len(target.parameters) else ""
    return bool(place and target.procedures) and "".join(written.removeprefix("const ").split()) in _BYTES


def _numbered(scene: Scene, name: str) -> dict[str, None]:
    """The pointers that are stored in a struct as numbers (`job.cookie = (uint64_t)(uintptr_t)work`): who gets that makes pointers of them again."""
    stores = [node for node in scene.nodes if isinstance(node, ir.Store) and node.base == name and "*" in scene.type_of(node.src)]
    declared = scene.c_types.declared(scene.type_of(name)) if stores else None
    numbers = {each.name for each in declared.fields if each.type and not scene.c_types.may_point(each.type)} if declared is not None else set()
    return {node.src: None for node in stores if node.field in numbers}


def _inside(scene: Scene, argument: str) -> Iterator[AccessPath]:
    """The places of handles among the bytes that an operand points to."""
    place = scene.addresses.get(argument, ())
    if place:
        if scene.is_aggregate(place[0]) or place[0] in scene.holders:
            yield place
        return
    written = scene.type_of(argument)
    if written.endswith("]") or written.count("*") > 1:
        yield (argument, "[]")
    elif scene.c_types.is_aggregate(written.replace("*", "", 1)):
        yield from scene.readers.members(argument, scene.normalise)


def _is_sent(scene: Scene, name: str, bodies: tuple[ProcedureKey, ...], position: int, depth: int) -> bool:
    """Whether a function sends the bytes that it is given a pointer to."""
    if _SENDING.get(name) == position:  # Also where some file of the tree has another function of that name.
        return True
    return depth > 0 and any(_passes_to_sender(scene, key, position, depth) for key in bodies)


def _passes_to_sender(scene: Scene, key: ProcedureKey, position: int, depth: int) -> bool:
    """The same of one body, found once for all calls of the procedure: their callees call the same few functions again and again."""
    found = scene.senders.get((key, position, depth))
    if found is None:
        found = scene.senders[key, position, depth] = _find_passing(scene, key, position, depth)
    return found


def _find_passing(scene: Scene, key: ProcedureKey, position: int, depth: int) -> bool:
    body = scene.queries.procedure(key)
    if body is None or position >= len(body.parameters):
        return False
    names = handed_on(body.nodes, body.parameters[position])
    given = [
        (node.name, index) for node in body.nodes if isinstance(node, ir.Call) and node.kind == "function"
        for index, argument in enumerate(node.args) if argument in names
    ]
    if depth == 1:  # What else is called is not looked into.
        return any(_SENDING.get(name) == index for name, index in given)
    return any(_is_sent(scene, name, scene.queries.functions(key.path, name), index, depth - 1) for name, index in dict.fromkeys(given))
