"""Whether a patch closes something later than the code did: who reads a file by its name would miss the rest of what is written, who
deletes it could not where it is open still, and who asks whether something is closed would be told otherwise.

Compares what runs behind each `close()` that a patch takes out with what runs before the ones that it writes. Behind an output and a
connection everything counts but what is known to be harmless, behind an input only what its name gives away. Behind `shutdownNow()`
everything counts, too: it interrupts what still runs, and what follows may rest on that.
"""

from __future__ import annotations

import re
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

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

INTERRUPTING = "shutdownNow"
"""What interrupts the tasks of a pool."""


def needs_all(name: str) -> bool:
    """Whether a call, by its name, may read or move what was written: then it must come behind the close."""
    return name.startswith(_READING)


_STRICT = (*_OUTPUTS, "Connection", "Socket", "Session", "DataSource", "Exchange")
"""Types whose closing others see: a pool has one more of them, say, or a client its answer."""

_CHANGING = frozenset(("delete", "rename", "move", "replace", "unlink", "save", "store", "overwrite", "truncate"))
"""Words in the names of calls that change files, which not all systems let them while these are open."""

_STATES = frozenset(
    ("isClosed", "isOpen", "isConnected", "isShutdown", "isTerminated", "isTerminating", "awaitTermination", "assertThrows", "assertThatThrownBy")
)
"""Calls that tell whether something is closed, or fail if it is not."""


def changes_files(name: str) -> bool:
    """Whether a call, by its name, changes files, which may be the ones that are open."""
    return not _CHANGING.isdisjoint(each.lower() for each in _WORDS.findall(name))


def tells_of_closing(name: str) -> bool:
    """Whether a call answers otherwise before a close than behind it."""
    return name in _STATES


def is_output(resource: str) -> bool:
    """Whether a type, by its name, is written to."""
    return resource.endswith(_OUTPUTS)


def _matters(resource: str, name: str, is_interrupting: bool) -> bool:
    """Whether a call, by its name, has to stay behind the close of a type."""
    if name in _HARMLESS:
        return False
    if is_interrupting:
        return True
    return resource.endswith(_STRICT) or name in _STATES or changes_files(name)


def delayed(resource: str, before: Facts, removed: Iterable[int], after: Facts, written: Iterable[int], place: dict[int, int]) -> str:
    """A call that ran behind the release of a type and would run before it, the worst that there is; empty where there is none. `place`:
    per call of the patched procedure the node that it was."""
    gone, ours = set(removed), frozenset(written)
    found: list[str] = []
    for node in sorted(gone):
        kind = _closed_there(resource, before, node)
        again = gone if kind == resource else {each for each in gone if _receiver(before, each) == _receiver(before, node)}
        for call in sorted(_following(kind, before, node, gone)):
            if not again.isdisjoint(reverse_post_order(before.linked.next, call)):
                continue
            # A `finally` has nodes for each way into it: `place` leads to one of them.
            now = [new for new, old in place.items() if _is_same_text(before, old, call) and not _is_closed_by_then(before, node, after, ours, place, new)]
            ways = _with_failures(after) if _interrupts(before, node) else after.linked.next
            if any(not ours.isdisjoint(reverse_post_order(ways, new)) for new in now):
                instruction = before.linked.body.nodes[call]
                found.append(instruction.name if isinstance(instruction, ir.Call) else "")
    return next((each for each in found if needs_all(each) or tells_of_closing(each)), found[0] if found else "")


def _is_same_text(facts: Facts, node: int, other: int) -> bool:
    """Whether two nodes come from the same text."""
    one, two = facts.linked.body.nodes[node], facts.linked.body.nodes[other]
    return (one.start, one.end) == (two.start, two.end)


def _closed_there(resource: str, facts: Facts, node: int) -> str:
    """The type that a release closes: that of its variable, where others see that end (the writer of a pipe, whose reader waits for it)."""
    written = facts.linked.types.get(_receiver(facts, node), "").partition("<")[0]
    return written if written.endswith(_STRICT) and not resource.endswith(_STRICT) else resource


def _receiver(facts: Facts, node: int) -> str:
    release = facts.linked.body.nodes[node]
    return release.receiver if isinstance(release, ir.Call) else ""


def _is_closed_by_then(before: Facts, node: int, after: Facts, ours: frozenset[int], place: dict[int, int], call: int) -> bool:
    """Whether every way from what ran right before a close to a call of the patched procedure meets a close of the same variable that the
    patch writes: what comes behind that is another value of the variable."""
    release = before.linked.body.nodes[node]
    name = ir.source_name(release.receiver) if isinstance(release, ir.Call) else ""
    closing = {each for each in ours if isinstance(one := after.linked.body.nodes[each], ir.Call) and name and ir.source_name(one.receiver) == name}
    starts = set(_right_before(before, node, place.values()))
    if not starts or not closing:
        return False
    seen = {now for now, old in place.items() if old in starts}
    work = sorted(seen)
    while work:
        for each in after.linked.next[work.pop()]:
            if each not in seen and each not in closing:
                seen.add(each)
                work.append(each)
    return call not in seen


def _right_before(facts: Facts, node: int, wanted: Iterable[int]) -> list[int]:
    """The last nodes among some that run before another, one on each way; none where a way has none."""
    among, found, seen, work = frozenset(wanted), [], {node}, [node]
    before: dict[int, list[int]] = {}
    for each, following in enumerate(facts.linked.next):
        for other in following:
            before.setdefault(other, []).append(each)
    while work:
        earlier = before.get(work.pop(), [])
        if not earlier:
            return []
        for each in earlier:
            if each in among:
                found.append(each)
            elif each not in seen:
                seen.add(each)
                work.append(each)
    return found


def _interrupts(facts: Facts, node: int) -> bool:
    release = facts.linked.body.nodes[node]
    return isinstance(release, ir.Call) and release.name == INTERRUPTING


def _with_failures(facts: Facts) -> tuple[tuple[int, ...], ...]:
    """The successors of all nodes, with those that are met where a node throws: a `finally` runs behind that, too."""
    return tuple((*following, *thrown) for following, thrown in zip(facts.linked.next, facts.linked.raises, strict=True))


def _only_releases(facts: Facts, node: int) -> bool:
    """Whether a call releases the object that it is called on: two that are closed may be so in any order, but for what comes from elsewhere
    (`server.close()`), which may take along what it has handed out."""
    call = facts.linked.body.nodes[node]
    if isinstance(call, ir.Call) and _is_from_elsewhere(facts, call.receiver):
        return False
    return any(
        transfer.entry == ("this",) and any(outcome.fate == "released" for outcome in transfer.outcomes)
        for effects in facts.effects.get(node, ()) for transfer in effects.transfers
    )


def _is_from_elsewhere(facts: Facts, name: str) -> bool:
    """Whether a variable is no local one, or holds what a field has."""
    declared = next((each for each in facts.linked.body.variables if each.name == name), None)
    if declared is not None and declared.kind != "local" and not ir.is_temporary(name):
        return True
    return any(isinstance(node, ir.Load) and node.dst == name for node in facts.linked.body.nodes)


def _following(resource: str, facts: Facts, start: int, releases: set[int]) -> set[int]:
    """The calls behind a node that matter, but for releases, and for closing something else."""
    found: set[int] = set()
    seen = {start}
    work = [start]
    is_interrupting = _interrupts(facts, start)
    while work:
        for each in facts.linked.next[work.pop()]:
            if each in seen:
                continue
            seen.add(each)
            call = facts.linked.body.nodes[each]
            if isinstance(call, ir.Call) and each not in releases and _matters(resource, call.name, is_interrupting) and (
                call.name in _STATES or not _only_releases(facts, each)
            ):
                found.add(each)
            work.append(each)
    return found
