"""Ends of pipes and terminals (C) that stay open for the sake of the other end: where the last end to write goes, who reads is told that it is all over.

Where a function makes a pair, hands one end on and does nothing at all with the other, nobody else can have that one, and the one that
is handed on is of use only while both are open: a queue that the kernel fills, a pipe that only marks that the process is there, a terminal that
others open by its name, and whose other side tells of an error wherever nobody has it open.
Misses such a leak where its author meant to do something with the other end.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.facts import Facts
from fixers.leak import Leak
from fixers.obliged import sites_of

_TERMINAL = "openpty"
"""What makes both sides of a terminal."""

_SETTING_UP = frozenset(("fchmod", "fchown", "fcntl", "ioctl", "isatty", "tcflush", "tcgetattr", "tcsetattr", "ttyname", "ttyname_r"))
"""What sets up a terminal, or asks what it is."""

_SPLITTING = frozenset(("clone", "clone3", "fork", "forkpty", "posix_spawn", "posix_spawnp", "vfork"))
"""What gives both ends to another process, too."""


def keeps_its_peer_open(leak: Leak) -> str:
    """The end of a pair that is handed on, where nothing is done with the one that is lost; empty for none."""
    nodes = leak.linked.body.nodes
    sites = frozenset(sites_of(Facts(leak.linked, leak.effects), leak.finding))
    pairs = [each for node in sites if isinstance(each := nodes[node], ir.Call) and (each.name.endswith(".pair") or each.name == _TERMINAL)]
    addresses = {each.dst: each.base for each in nodes if isinstance(each, ir.AddressOf)}
    ends = [addresses.get(name, "") for each in pairs for name in each.args[:2]]
    mine = next((each for each in ends if ir.source_name(each) == leak.finding.variable), "")
    others = [each for each in ends if each and each != mine]
    calls = [each for node, each in enumerate(nodes) if isinstance(each, ir.Call) and node not in sites]
    if any(each.name == _TERMINAL for each in pairs):
        calls = [each for each in calls if each.name not in _SETTING_UP]
    if not mine or not others or any(each.name in _SPLITTING for each in calls):
        return ""
    own, peer = _names(nodes, mine), _names(nodes, others[0])
    if any(not own.isdisjoint(each.args) or _is_reached(addresses, each.args, mine) for each in calls) or _is_handed_on(leak, own):
        return ""
    return ir.source_name(others[0]) if _is_handed_on(leak, peer) else ""


def _names(nodes: Iterable[ir.Instruction], name: str) -> set[str]:
    """A variable and its copies."""
    found, copies = {name}, [each for each in nodes if isinstance(each, ir.Copy)]
    while grown := {each.dst for each in copies if each.src in found} - found:
        found |= grown
    return found


def _is_reached(addresses: dict[str, str], arguments: Iterable[str], name: str) -> bool:
    return any(addresses.get(each) == name for each in arguments)


def _is_handed_on(leak: Leak, names: set[str]) -> bool:
    """Whether something outlives the procedure with what some variables hold: its result, or what lies behind pointers and in globals."""
    body = leak.linked.body
    structs = {each.name for each in body.variables if each.kind == "local" and "*" not in each.type}
    for each in body.nodes:
        match each:
            case ir.Return(src=src) if src in names:
                return True
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if src in names and base not in structs:
                return True
            case _:
                pass
    return False
