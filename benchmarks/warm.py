"""Reviews of real commits where the default branch was analysed before, as the App and the Action leave it.

    python -m benchmarks.warm REPOSITORY [--last N | --commits FILE] [--files MOST] [--behind N] [--jobs N] [--cold]

The parent of the first commit is analysed from nothing. Then each commit is reviewed in its turn, over one cache, after its own parent was
analysed as after a push; with --behind N that happens only every N commits, and the branch moves on meanwhile. Per commit: files of C and Java,
seconds of the analysis of its parent, seconds of its review, procedures redone; with --cold also whether a run without a cache prints the same bytes.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import msgspec

from benchmarks.replay import commits_of
from benchmarks.run import Run, git, leakmend


class Row(msgspec.Struct, frozen=True):
    """One review: files that it changes, wall and CPU seconds."""

    files: int
    wall: float
    cpu: float


def learned(repository: pathlib.Path, revision: str, jobs: int, cache: pathlib.Path) -> tuple[float, float]:
    """Analyse a revision into a cache: wall and CPU seconds, children included."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "benchmarks.learn", str(repository), revision, "--jobs", str(jobs)]
    subprocess.run(command, env={**os.environ, "XDG_CACHE_HOME": str(cache)}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, cpu


def reviewed(repository: pathlib.Path, commit: str, cache: pathlib.Path | None) -> Run:
    """Review a commit, in one process."""
    where = ("--repo", str(repository), "--base", f"{commit}^", "--head", commit)
    kept = () if cache is not None else ("--no-cache",)
    return leakmend("review", *where, "--jobs", "1", "--min-confidence", "assumed", *kept, cache=cache)


def files_of(repository: pathlib.Path, commit: str) -> int:
    """How many files of C and Java a commit touches."""
    listed = git(repository, "diff-tree", "-r", "--name-only", "--no-commit-id", commit, "--", "*.java", "*.c", "*.h")
    return len(listed.split())


def told(rows: list[Row], most: int) -> str:
    """The medians of reviews of up to so many files."""
    wall, cpu = [each.wall for each in rows], [each.cpu for each in rows]
    return (f"{len(rows)} reviews of up to {most} files: median {statistics.median(wall):.2f} s wall, {statistics.median(cpu):.2f} s CPU; "
            f"most {max(wall):.2f} and {max(cpu):.2f} s")


def main() -> None:
    """Read the arguments, analyse, review, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--last", type=int, default=20)
    parser.add_argument("--commits", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=8, help="leave out commits with more files")
    parser.add_argument("--behind", type=int, default=1, help="analyse the branch only every so many commits")
    parser.add_argument("--jobs", type=int, default=4, help="processes of the analysis; reviews run in one")
    parser.add_argument("--cold", action="store_true", help="compare each with a run without a cache")
    arguments = parser.parse_args()
    repository = arguments.repository
    commits = commits_of(repository, arguments.last, arguments.commits)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder)
        for number, commit in enumerate(commits):
            files = files_of(repository, commit)
            if not 0 < files <= arguments.files:
                continue
            words = [commit[:12], f"{files} files"]
            if not rows or number % arguments.behind == 0:
                wall, cpu = learned(repository, f"{commit}^", arguments.jobs, cache)
                words.append(f"its parent {wall:.1f} s wall, {cpu:.1f} s CPU")
            run = reviewed(repository, commit, cache)
            rows.append(Row(files, run.wall, run.cpu))
            words.append(f"review {run.wall:.2f} s wall, {run.cpu:.2f} s CPU, {len(run.report['findings'])} findings")
            if arguments.cold:
                is_same = run.text == reviewed(repository, commit, None).text
                words.append("as without a cache" if is_same else "DIFFERENT without a cache")
            print("  ".join(words), flush=True)
    for most in (1, arguments.files):
        if found := [row for row in rows if row.files <= most]:
            print(told(found, most))


if __name__ == "__main__":
    main()
