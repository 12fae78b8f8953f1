"""What each part of the Java analysis is worth: the same tree with one part taken out at a time.

    python -m benchmarks.ablation TREE...                   # a table per tree
    python -m benchmarks.ablation --without aliasing --json TREE    # the findings, for a scoreboard

Parts: `exceptions` (which exceptions count: every call throws all that some handler or caller could get),
`clustering` (a wrapper is a resource of its own), `ownership` (no handle changes hands in a call of the repository),
`aliasing` (one name per handle), `inference` (Tracker alone on code without annotations).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

import msgspec

from analyzers import Program, analyze, ir, specs
from analyzers.deep import deeply
from analyzers.detectors import DETECTORS
from analyzers.detectors.tracker import Tracker
from analyzers.domains.access_path import WRAPPED
from analyzers.domains.obligation import Limits
from analyzers.effects import summarise
from analyzers.engine import Specs, StandardEngine
from analyzers.finding import Finding
from analyzers.incremental.evaluation import Detector
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.source import LineIndex
from analyzers.summaries import Effects, Outcome, Transfer
from bot.trees import FolderTree

Part = Literal["nothing", "exceptions", "clustering", "ownership", "aliasing", "inference"]
PARTS: tuple[Part, ...] = get_args(Part)

ONE_NAME = Limits(breadth=1)


class Engine(StandardEngine):
    """The engine without a part."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self._part = part

    def link(self, key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> Linked:
        """See `Engine`."""
        linked = super().link(key, unit, procedure, queries)
        if self._part != "exceptions" or unit.language != "java":
            return linked
        return msgspec.structs.replace(linked, raises=procedure.raises, believed={})

    def summarise(self, linked: Linked, queries: Queries) -> Effects:
        """See `Engine`."""
        if self._part == "ownership":
            return Effects()
        return summarise(linked, queries, ONE_NAME) if self._part == "aliasing" else super().summarise(linked, queries)


class Unwrapped:
    """Specs in which nothing wraps: what holds an argument is a resource of its own."""

    def __init__(self, library: Specs) -> None:
        self._library = library
        self.digest = library.digest + " unwrapped"

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Specs`."""
        found = self._library.model(names, parameters)
        kept = tuple(each for each in found.transfers if not _is_wrapping(each)) if found is not None else ()
        if found is None or len(kept) == len(found.transfers):
            return found
        is_new = any(name.endswith(".<init>") for name in names)
        held = Outcome("return", (), "held", (("this",) if is_new else ("$ret",),))
        made = Transfer((), "closeable", names[0].removesuffix(".<init>") if is_new else found.type, (held,))
        return msgspec.structs.replace(found, transfers=(*kept, made))

    def constant(self, name: str) -> str:
        """See `Specs`."""
        return self._library.constant(name)

    def is_closeable(self, type_name: str) -> bool | None:
        """See `Specs`."""
        return self._library.is_closeable(type_name)

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Specs`."""
        return self._library.supertypes(type_name)

    def is_known_type(self, type_name: str) -> bool:
        """See `Specs`."""
        return self._library.is_known_type(type_name)


def _is_wrapping(transfer: Transfer) -> bool:
    return bool(transfer.entry) and any(path[-1] == WRAPPED for each in transfer.outcomes for path in each.paths)


def detectors(part: Part) -> tuple[Detector, ...]:
    """Those that run without a part."""
    match part:
        case "inference":
            return (Tracker(),)
        case "aliasing":
            return (Tracker(ONE_NAME), *DETECTORS[1:])
        case _:
            return DETECTORS


def findings(root: Path, part: Part) -> tuple[Finding, ...]:
    """What is found below a folder without a part."""
    library = specs.load(("java", "c"))
    program = Program(
        FolderTree(root), Unwrapped(library) if part == "clustering" else library, engine=Engine(part)
    )
    keys = [key for key in program.procedures() if key.path.endswith(".java")]
    return deeply(lambda: analyze(program, keys, detectors(part)).findings)


def table(root: Path) -> Iterator[str]:
    """The rows for one tree."""
    whole: set[tuple[str, int]] = set()
    for part in PARTS:
        found = findings(root, part)
        here = {(each.path, each.acquired.start) for each in found}
        whole = whole or here
        witnessed = sum(each.confidence.value == "witnessed" for each in found)
        yield f"| {part} | {len(found)} | {witnessed} | {len(whole - here)} | {len(here - whole)} |"


def as_json(root: Path, part: Part) -> str:
    """The findings as a scoreboard reads them: places by line, without answers."""
    lines: dict[str, LineIndex] = {}

    def place(path: str, start: int) -> dict[str, object]:
        if path not in lines:
            lines[path] = LineIndex((root / path).read_bytes())
        return {"path": path, "line": lines[path].line(start)}

    rows = [
        {
            "path": each.path, "procedure": each.procedure, "confidence": each.confidence.value, "answer": None,
            "acquired": place(each.acquired.path, each.acquired.start), "lost": place(each.lost.path, each.lost.start),
            "witness": [{"role": step.role.value, **place(step.span.path, step.span.start)} for step in each.witness],
        }
        for each in findings(root, part)
    ]  # fmt: skip
    return json.dumps({"findings": rows})


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--without", choices=PARTS, default="nothing")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for root in options.trees:
        if options.json:
            print(as_json(root, options.without))
            continue
        print(f"{root.name}\n\n| without | reports | witnessed | gone | new |\n|---|---|---|---|---|")
        for row in table(root):
            print(row, flush=True)


if __name__ == "__main__":
    main()
