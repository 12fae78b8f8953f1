"""Measures the models of library calls: time to load them, and which calls of whole trees have none.

    python -m benchmarks.library_models [--top N] [TREE...]

Only calls count that a handle may reach: in Java an operand whose type has to be closed, in C one that is no
literal. Per tree: such calls without a body in the tree, the share that has a model, the commonest that have none.
"""

from __future__ import annotations

import argparse
import collections
import time
from pathlib import Path

from analyzers import ir
from analyzers.incremental.program import Program
from analyzers.queries import Linked
from analyzers.source import language_of
from analyzers.specs import SpecLibrary, load
from analyzers.tree import MemoryTree

COMMON = ("malloc", "printf", "java.io.FileInputStream.<init>", "java.util.List.add", "java.sql.Connection.prepareStatement")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--top", type=int, default=60)
    options = parser.parse_args()
    measure_loading()
    for root in options.trees:
        measure_tree(root, options.top)


def measure_loading() -> None:
    """Time to load the models of each language, for what most programs use and for all."""
    for languages in (("c",), ("java",), ("c", "java")):
        print(f"load {'+'.join(languages)}: {min(_seconds_to_load(languages) for _ in range(5)) * 1000:.1f} ms")
        everything = min(_seconds_to_load(languages, *("*",)) for _ in range(5))
        print(f"  all files: {everything * 1000:.1f} ms")


def _seconds_to_load(languages: tuple[str, ...], *names: str) -> float:
    begin = time.perf_counter()
    library = load(languages)
    if names:
        library.read_all()
    else:
        for name in COMMON:
            library.model((name,), ("",))
    return time.perf_counter() - begin


def measure_tree(root: Path, top: int) -> None:
    """One tree."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and language_of(str(path)) is not None
    }
    library = load(("c", "java"))
    program = Program(MemoryTree(files), library)
    missing: collections.Counter[str] = collections.Counter()
    known = 0
    for key in program.procedures():
        linked = program.linked(key)
        if linked is not None:
            known += count(linked, program, library, missing)
    absent = sum(missing.values())
    print(f"{root.name}: {known + absent} calls of libraries with handles, {known / max(known + absent, 1):.1%} with a model")
    for name, number in missing.most_common(top):
        print(f"  {number:6} {name}")


def may_be_handle(operand: str, linked: Linked, program: Program) -> bool:
    """Whether an operand of a call can be, or hold, something to release."""
    if not operand or ir.is_literal(operand):
        return False
    return linked.language == "c" or bool(program.is_closeable(linked.types.get(operand, "")))


def count(linked: Linked, program: Program, library: SpecLibrary, missing: collections.Counter[str]) -> int:
    """Adds the calls of one procedure that have no model; returns how many have one."""
    known = 0
    for position, target in linked.targets.items():
        call = linked.body.nodes[position]
        assert isinstance(call, ir.Call)
        operands = [each for each in (call.receiver, *call.args) if may_be_handle(each, linked, program)]
        if target.procedures or not operands or call.kind == "pointer":
            continue
        if library.model(target.models, target.parameters) is not None:
            known += 1
        else:
            missing[f"{target.models[0] if target.models else '?.' + call.name}({len(call.args)})"] += 1
    return known


if __name__ == "__main__":
    main()
