"""Whether a patch closes what is written to later than the code did: who reads the file by its name would miss the rest.

Compares what runs behind each `close()` that a patch takes out with what runs before the ones that it writes. Misses
inputs, for which only some systems care.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.cfg import reverse_post_order

_OUTPUTS = ("Writer", "OutputStream", "Channel", "RandomAccessFile", "PrintStream", "ZipFile", "FileSystem")


_HARMLESS = frozenset(
    (
        "toString", "append", "valueOf", "format", "equals", "isEmpty", "currentTimeMillis", "nanoTime", "closeQuietly", "log", "trace", "debug",
        "info", "warn", "error", "print", "println", "printf", "printStackTrace",
    )
)
"""What reads no file."""

_READING = ("exists", "length", "size", "lastModified", "rename", "move", "copy", "delete", "concat", "read", "load", "parse", "exec", "open")
"""How calls begin that find by its name what was written."""


def needs_all(name: str) -> bool:
    """Whether a call, by its name, may read or move what was written: then it must come behind the close."""
    return name.startswith(_READING)


def is_output(resource: str) -> bool:
    """Whether a type, by its name, is written to."""
    return resource.endswith(_OUTPUTS)


def delayed(before: Facts, removed: Iterable[int], after: Facts, written: Iterable[int], place: dict[int, int]) -> str:
    """A call that ran behind a release and would run before it; empty where there is none. `place`: per call of the
    patched procedure the node that it was."""
    gone, ours = set(removed), frozenset(written)
    for node in sorted(gone):
        for call in sorted(_following(before, node, gone)):
            if not gone.isdisjoint(reverse_post_order(before.linked.next, call)):
                continue
            now = [new for new, old in place.items() if old == call]
            if any(not ours.isdisjoint(reverse_post_order(after.linked.next, new)) for new in now):
                instruction = before.linked.body.nodes[call]
                return instruction.name if isinstance(instruction, ir.Call) else ""
    return ""


def _only_releases(facts: Facts, node: int) -> bool:
    """Whether a call releases the object that it is called on: two that are closed may be so in any order."""
    return any(
        transfer.entry == ("this",) and any(outcome.fate == "released" for outcome in transfer.outcomes)
        for effects in facts.effects.get(node, ()) for transfer in effects.transfers
    )


def _following(facts: Facts, start: int, releases: set[int]) -> set[int]:
    """The first calls behind a node, but for releases, for closing something else, and what reads no file."""
    found: set[int] = set()
    seen = {start}
    work = [start]
    while work:
        for each in facts.linked.next[work.pop()]:
            if each in seen:
                continue
            seen.add(each)
            call = facts.linked.body.nodes[each]
            is_call = isinstance(call, ir.Call) and each not in releases and call.name not in _HARMLESS
            if is_call and not _only_releases(facts, each):
                found.add(each)
            else:
                work.append(each)
    return found
