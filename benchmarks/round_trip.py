"""Sends patched Java files through javac: where it took a file alone, it has to take it after each fix, too.

    python -m benchmarks.round_trip FOLDER [--release N] [--only safe|unsafe]

Scans the folder, tries every fix for itself on a copy of its file, and prints those that javac takes no longer. Files that
it does not take as they are (their dependencies are not there) say nothing. Exit status 1 where a patch broke a file.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from analyzers.source import Span
from benchmarks.run import leakmend
from fixers.edits import apply
from fixers.fix import Edit


def main() -> None:
    """Read the arguments, scan, compile, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--release", type=int, default=0, help="language level for javac; its own where not given")
    parser.add_argument("--only", choices=("safe", "unsafe"))
    arguments = parser.parse_args()
    findings = leakmend("scan", str(arguments.folder), "--no-cache").report["findings"]
    counts = {"fixes": 0, "judged": 0, "broken": 0}
    taken: dict[str, bool] = {}
    for path, edits in fixes(findings, arguments.only):
        counts["fixes"] += 1
        data = (arguments.folder / path).read_bytes()
        if path not in taken:
            taken[path] = not problems(path, data, arguments.release)
        if not taken[path]:
            continue
        counts["judged"] += 1
        found = problems(path, apply(data, edits), arguments.release)
        if found:
            counts["broken"] += 1
            print(f"{path}\n{found}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(1 if counts["broken"] else 0)


def fixes(findings: list[dict[str, Any]], only: str | None) -> list[tuple[str, tuple[Edit, ...]]]:
    """Each fix of Java once: the file, and its edits."""
    found: dict[tuple[Edit, ...], str] = {}
    for finding in findings:
        answer = finding["answer"]
        if finding["language"] != "java" or answer["kind"] != "fix" or only not in (None, answer["applicability"]):
            continue
        edits = tuple(Edit(Span(e["path"], e["start"], e["end"]), e["text"]) for e in answer["edits"])
        if all(edit.span.path == finding["path"] for edit in edits):
            found.setdefault(edits, finding["path"])
    return [(path, edits) for edits, path in found.items()]


def problems(path: str, data: bytes, release: int) -> str:
    """What javac says against one file, alone; empty where it takes it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / pathlib.PurePosixPath(path).name
        source.write_bytes(data)
        level = ("--release", str(release)) if release else ()
        command = ["javac", *level, "-nowarn", "-proc:none", "-d", folder, str(source)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stderr.replace(f"{folder}/", "") if done.returncode else ""


if __name__ == "__main__":
    main()
