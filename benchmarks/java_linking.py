"""Measures linking of Java on whole trees: resolved calls, causes of unresolved ones, speed.

    python -m benchmarks.java_linking TREE...

Per tree: share of calls whose receiver type and whose method is known, lines per second of processor time for
lowering and for linking, and the commonest unresolved calls with their cause.
"""

from __future__ import annotations

import argparse
import collections
import gc
import time
from pathlib import Path

from analyzers import ir
from analyzers.frontends.java.link import link
from analyzers.frontends.java.type_text import OBJECT
from analyzers.incremental.program import Program
from analyzers.queries import Linked
from analyzers.tree import MemoryTree


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--top", type=int, default=12)
    options = parser.parse_args()
    gc.disable()
    for root in options.trees:
        measure(root, options.top)


def measure(root: Path, top: int) -> None:
    """One tree."""
    files = {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.java"))}
    lines = sum(data.count(b"\n") for data in files.values())
    program = Program(MemoryTree(files))
    begin = time.process_time()
    units = {path: program.sources.whole(path) for path in files}
    lowered = time.process_time()
    index = program.sources.index
    indexed = time.process_time()
    assert index is not None
    counts: collections.Counter[str] = collections.Counter()
    causes: collections.Counter[str] = collections.Counter()
    for key in program.procedures():
        unit = units[key.path]
        procedure = program.procedure(key)
        if unit is not None and procedure is not None:
            count(link(key, unit, procedure, program), counts, causes, program)
    linked = time.process_time()
    calls = counts["calls"]
    print(f"{root.name}: {lines} lines, {len(files)} files, {calls} calls")
    for name in ("typed", "resolved", "bodies", "jdk", "outside", "exact", "throwing", "believing"):
        print(f"  {name:10} {counts[name]:8} {counts[name] / max(calls, 1):7.1%}")
    for name, seconds in (("lower", lowered - begin), ("index", indexed - lowered), ("link", linked - indexed)):
        print(f"  {name:10} {seconds:8.1f} s {lines / max(seconds, 0.001) / 1000:8.1f} kLOC/s")
    print(f"  {'together':10} {linked - begin:8.1f} s {lines / (linked - begin) / 1000:8.1f} kLOC/s")
    for cause, number in causes.most_common(top):
        print(f"  {number:6} {cause}")


def count(linked: Linked, counts: collections.Counter[str], causes: collections.Counter[str], program: Program) -> None:
    """Adds one procedure."""
    for position, target in linked.targets.items():
        call = linked.body.nodes[position]
        assert isinstance(call, ir.Call)
        counts["calls"] += 1
        counts["typed"] += bool(target.type)
        is_resolved = bool(target.procedures) or bool(target.result) or target.is_exact
        counts["resolved"] += is_resolved
        counts["bodies"] += bool(target.procedures)
        counts["jdk"] += target.type.startswith(("java.", "javax.")) and is_resolved
        counts["exact"] += target.is_exact
        counts["throwing"] += bool(linked.raises[position])
        counts["believing"] += position in linked.believed
        if not is_resolved:
            outside = is_outside(program, target.type)
            counts["outside"] += outside
            if not outside:
                causes[cause_of(call, linked, target.type)] += 1


def is_outside(program: Program, type_name: str) -> bool:
    """Whether a type, or one above it, belongs to a library that is not there."""
    types = (type_name, *program.supertypes(type_name)) if type_name else ()
    return any(not program.supertypes(each) or program.is_subtype(each, "?") is None for each in types if each != OBJECT)


def cause_of(call: ir.Call, linked: Linked, type_name: str) -> str:
    """Why a call has no method."""
    if type_name:
        return f"method not found: {type_name}.{call.name}({len(call.args)})"
    receiver = call.receiver
    if not receiver:
        return f"static on unknown type {call.qualifier}"
    for node in linked.body.nodes:
        if getattr(node, "dst", None) == receiver:
            shown = getattr(node, "field", "") or getattr(node, "name", "") or getattr(node, "type", "")
            return f"receiver from {type(node).__name__} {shown}"
    return "receiver is a variable of unknown type"


if __name__ == "__main__":
    main()
