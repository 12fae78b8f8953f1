"""Runs the command line as a user would, and times it as a whole process."""

from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import sys
import time
from typing import Any

import msgspec


class Run(msgspec.Struct, frozen=True):
    """One finished run: wall and CPU seconds (children included), peak memory in MB, the parsed JSON."""

    wall: float
    cpu: float
    peak: float
    report: dict[str, Any]
    text: bytes


def leakmend(*arguments: str, cache: pathlib.Path | None = None) -> Run:
    """Run `leakmend` with JSON output. RuntimeError with its own words when it did not run as asked."""
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    command = [str(pathlib.Path(sys.executable).with_name("leakmend")), *arguments, "--format", "json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}")
    return Run(
        wall,
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        after.ru_maxrss / 1024,
        json.loads(done.stdout),
        done.stdout,
    )


def git(repository: pathlib.Path, *arguments: str) -> str:
    """The output of one git command in a repository, bare or not."""
    return subprocess.run(
        ["git", "-C", str(repository), *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def check_out(repository: pathlib.Path, commit: str, folder: pathlib.Path) -> None:
    """Lay the files of a commit into a folder, without touching the repository."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.Popen(
        ["git", "-C", str(repository), "archive", commit], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    unpacked = subprocess.run(["tar", "x", "-C", str(folder)], stdin=archive.stdout, stderr=subprocess.DEVNULL, check=False)
    if archive.wait() != 0 or unpacked.returncode != 0:
        raise RuntimeError(f"no commit {commit} in {repository}")


def count_lines(folder: pathlib.Path) -> int:
    """Lines of Java and C below a folder."""
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".java", ".c", ".h") and path.is_file() and not path.is_symlink():
            total += path.read_bytes().count(b"\n")
    return total
