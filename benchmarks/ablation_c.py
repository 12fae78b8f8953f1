"""What the parts of the C analysis are worth: the command line with one of them left out.

    python -m benchmarks.ablation_c --without PART[,PART] scan --no-cache --jobs 1 --format json FOLDER

It behaves like `leakmend` otherwise, so that whatever scores `leakmend` scores this. No patches are computed.

heapcheck     the second stage
summaries     Heapcheck solves a callee at each call anew, not once per precondition (the paper's comparison)
distance      Heapcheck keeps one distance more apart than the paper (an addition, not an omission)
paths         handle flow takes both sides of each branch
inference     only what specs list acquires: no wrappers, no families by name, no beliefs
calls         what a function of the repository does to a handle is not known
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import msgspec

import bot.pipeline
import fixers
from analyzers import ir
from analyzers.detectors import DETECTORS
from analyzers.detectors.heapcheck import Heapcheck
from analyzers.detectors.heapcheck.points import Bounds
from analyzers.domains.obligation import Fact
from analyzers.finding import Finding
from analyzers.handles import callees, runs
from analyzers.handles.flows import After, Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.queries import Target
from analyzers.summaries import Effects
from bot.cli import status_of
from fixers.fix import Declined


def without_heapcheck() -> None:
    """Leave the second stage out."""
    bot.pipeline.DETECTORS = tuple(each for each in DETECTORS if not isinstance(each, Heapcheck))


def with_bounds(bounds: Bounds) -> None:
    """Run Heapcheck with other bounds."""
    bot.pipeline.DETECTORS = tuple(Heapcheck(bounds) if isinstance(each, Heapcheck) else each for each in DETECTORS)


def without_paths() -> None:
    """Take both sides of each branch."""

    def either(flows: Flows, node: int, branch: ir.Branch) -> Flow:
        def flow(fact: Fact) -> After:
            after: After = []
            for successor in flows.scene.linked.next[node]:
                flows.branch_to(node, successor, fact, after)
            return after

        return flow

    runs.branch_flow = either


def without_inference() -> None:
    """Let only specs say what acquires."""

    def nothing(scene: Scene, sites: dict[int, CallSite]) -> dict[int, CallSite]:
        return {}

    before = callees.CallSites.effects_of

    def listed(self: callees.CallSites, call: ir.Call, target: Target) -> Effects | None:
        effects = before(self, call, target)
        if effects is None or not target.procedures:
            return effects
        return msgspec.structs.replace(effects, transfers=tuple(each for each in effects.transfers if each.entry))

    callees.believed = nothing
    callees.CallSites.effects_of = listed


def without_calls() -> None:
    """Let functions of the repository be strangers."""
    before = callees.CallSites.effects_of

    def strange(self: callees.CallSites, call: ir.Call, target: Target) -> Effects | None:
        return before(self, call, msgspec.structs.replace(target, procedures=()))

    callees.CallSites.effects_of = strange


PARTS: dict[str, Callable[[], None]] = {
    "heapcheck": without_heapcheck,
    "summaries": lambda: with_bounds(Bounds(steps=100_000, is_summarising=False)),
    "distance": lambda: with_bounds(Bounds(distance=3)),
    "paths": without_paths,
    "inference": without_inference,
    "calls": without_calls,
}


def _undecided(finding: Finding, program: object, options: object = None) -> Declined:
    return Declined(finding, "not asked for")


def main(arguments: Sequence[str]) -> int:
    """Leave parts out, then run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", default="", metavar="PART[,PART]")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    asked = parser.parse_args(arguments)
    for part in filter(None, asked.without.split(",")):
        if part not in PARTS:
            parser.error(f"no such part: {part}; there are {', '.join(PARTS)}")
        PARTS[part]()
    fixers.fix = _undecided
    return status_of(asked.rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
