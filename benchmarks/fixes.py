"""How long each answer to a finding takes: looking for a fix, with its proof, beyond the analysis.

    python -m benchmarks.fixes [--each] [--output FILE] FOLDER|FILE ...

Scans in this process, without a cache, and prints CPU seconds per answer: the median, the 95th percentile, the longest, all together. Of answers
that are patches the same: who declines may be done at once, or have tried many forms. --output keeps the report as JSON, to be compared.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import msgspec

import fixers
from analyzers import Program
from analyzers.finding import Finding
from bot.cli import status_of
from fixers import Declined, Fix, Options


class Timed(msgspec.Struct, frozen=True):
    """One answer, and the CPU seconds that it took."""

    seconds: float
    is_patch: bool
    place: str


def scan(paths: list[str], output: str) -> tuple[list[Timed], float]:
    """The answers of one scan, each with its time, and the CPU seconds of the whole."""
    from fixers import driver  # What is imported at the first fix is no part of it.

    found: list[Timed] = []

    def fix(finding: Finding, program: Program, options: Options | None = None) -> Fix | Declined:
        start = time.thread_time()
        answer = driver.fix(finding, program, options)
        place = f"{finding.procedure} {finding.text}"
        found.append(Timed(time.thread_time() - start, isinstance(answer, Fix), place))
        return answer

    fixers.fix = fix
    start = time.process_time()
    status = status_of(["scan", "--no-cache", "--jobs", "1", "--min-confidence", "assumed", "--format", "json", "--output", output, *paths])
    if status not in (0, 1):
        sys.exit(status)
    return found, time.process_time() - start


def told(found: list[Timed]) -> str:
    """The distribution of their times."""
    ordered = sorted(each.seconds for each in found)
    if not ordered:
        return "none"
    median, most = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]
    return f"{len(ordered)}: median {median:.3f} s, 95 % below {most:.2f} s, most {ordered[-1]:.2f} s, together {sum(ordered):.1f} s"


def main() -> None:
    """Read the arguments, scan, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--each", action="store_true", help="print every answer, the longest last")
    parser.add_argument("--output", default=os.devnull, help="where the report goes")
    arguments = parser.parse_args()
    found, seconds = scan(arguments.paths, arguments.output)
    if arguments.each:
        for each in sorted(found, key=lambda one: one.seconds):
            print(f"{each.seconds:8.3f}  {'patch   ' if each.is_patch else 'declined'}  {each.place}")
    print(f"all of the scan: {seconds:.1f} s CPU")
    print(f"answers  {told(found)}")
    print(f"patches  {told([each for each in found if each.is_patch])}")


if __name__ == "__main__":
    main()
