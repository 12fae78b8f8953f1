"""Structs of C whose address is handed over together with the function that ends what they hold: `publish(bus, &event, event_free)`.

What is passed last to who calls back later is the callback's, and so is what it is called for, if it releases that.

Who gets both copies the struct, and calls the function when it is done with it; so does who finds both in another struct. Only a
function that releases what lies at the very place counts. Misses what leaks where the struct is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.domains.obligation import RETAINED, Fact
from analyzers.handles.flows import Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_REFERENCE = "=&"

_LATER = "_async"
_LATER_TOO = frozenset((
    "g_bus_get", "g_dbus_proxy_new", "g_dbus_proxy_new_for_bus", "g_dbus_connection_new", "g_dbus_connection_new_for_address",
    "g_dbus_object_manager_client_new", "g_dbus_object_manager_client_new_for_bus",
))
"""How functions are called that end with a callback, and what it is to be passed: that has it from there on (`g_file_read_async`)."""


def handed_over(flows: Flows, node: int, flow: Flow | None) -> Flow | None:
    """The flow function of a call or a store by which such a struct comes to somebody else."""
    if flows.scene.is_java:
        return flow
    places = tuple(dict.fromkeys(_given(flows.scene, flows.scene.nodes[node])))
    if not places:
        return flow
    table, successors = flows.table, flows.scene.cfg.successors[node]
    flows.notice(node, places)

    def given(fact: Fact) -> Sequence[tuple[int, Fact]]:
        paths, environment, marks = fact
        if paths and any(paths & table.starting_with(place) for place in places):
            fact = (0, environment, marks | RETAINED)
        return flow(fact) if flow is not None else [(successor, fact) for successor in successors]

    return given


def _given(scene: Scene, instruction: ir.Instruction) -> Iterator[AccessPath]:
    """The places that a function which goes along will release."""
    match instruction:
        case ir.Call(args=args, name=name):
            yield from _released(scene, args)
            if (name.endswith(_LATER) or name in _LATER_TOO) and len(args) > 1 and not ir.is_literal(args[-1]):
                yield (args[-1],)
                if not ir.is_literal(args[0]) and _is_ended_later(scene, args[1:]):
                    yield (args[0],)
        case ir.Store(base=base, src=src) if base and (src.startswith(_REFERENCE) or src in scene.addresses):
            beside = [each.src for each in scene.readers.of(base) if isinstance(each, ir.Store) and each.base == base and each is not instruction]
            is_function = src.startswith(_REFERENCE)
            yield from _released(scene, [src, *(each for each in beside if each.startswith(_REFERENCE) is not is_function)])


def _is_ended_later(scene: Scene, operands: Sequence[str]) -> bool:
    """Whether a callback releases what it is called for, its first argument: the caller's share of it (`g_file_read_async(file, …, done,
    window)`, where `done` ends with `g_object_unref(source)`)."""
    return any(
        transfer.entry == ("$0",) and any(outcome.fate == "released" for outcome in transfer.outcomes)
        for name in (each.removeprefix(_REFERENCE) for each in operands if each.startswith(_REFERENCE))
        for key in scene.queries.functions(scene.linked.key.path, name)
        for transfer in scene.queries.effects(key).transfers
    )


def _released(scene: Scene, operands: Sequence[str]) -> Iterator[AccessPath]:
    functions = [each.removeprefix(_REFERENCE) for each in operands if each.startswith(_REFERENCE)]
    structs = [each for each in operands if len(place := scene.addresses.get(each, ())) == 1 and scene.is_aggregate(place[0])]
    for name in functions if structs else ():
        for key in scene.queries.functions(scene.linked.key.path, name):
            for transfer in scene.queries.effects(key).transfers:
                if transfer.entry[:1] == ("$0",) and any(outcome.fate == "released" for outcome in transfer.outcomes):
                    yield from (scene.normalise((struct, *transfer.entry[1:])) for struct in structs)
