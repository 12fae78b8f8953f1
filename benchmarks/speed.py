"""Whole-process speed on real trees: start-up, cold scan, warm scan, memory.

    python -m benchmarks.speed [FOLDER ...]

Thousands of lines per CPU second (all processes), wall seconds, peak memory of the largest process.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.run import count_lines, leakmend


def startup(times: int) -> float:
    """Median seconds of `leakmend --version`."""
    command = [str(pathlib.Path(sys.executable).with_name("leakmend")), "--version"]
    seconds = []
    for _ in range(times):
        start = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.monotonic() - start)
    return statistics.median(seconds)


def main() -> None:
    """Read the arguments, measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--jobs", default="4")
    arguments = parser.parse_args()
    print(f"start-up (--version): {startup(9):.3f} s")
    for folder in arguments.folders:
        lines = count_lines(folder)
        with tempfile.TemporaryDirectory() as cache:
            for label in ("cold", "warm"):
                run = leakmend("scan", str(folder), "--jobs", arguments.jobs, "--fail-on", "never", "--stats",
                               cache=pathlib.Path(cache))
                kinds = [finding["confidence"] for finding in run.report["findings"]]
                stages = ", ".join(f"{name} {value:.2f}" for name, value in sorted(run.report["stats"].items()))
                print(f"{folder.name:12} {label}: {lines / 1000:.0f} kLOC, {run.wall:.1f} s wall, {run.cpu:.1f} s CPU, "
                      f"{lines / 1000 / max(run.cpu, 0.01):.1f} kLOC per CPU s, {run.peak:.0f} MB; "
                      f"{kinds.count('witnessed')} witnessed, {kinds.count('assumed')} assumed; {stages}", flush=True)


if __name__ == "__main__":
    main()
