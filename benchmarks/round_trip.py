"""Sends patched Java files through javac: where it took a file alone, it has to take it after each fix, too.

    python -m benchmarks.round_trip FOLDER [--release N] [--class-path PATH] [--only safe|unsafe] [--report FILE]

Scans the folder (or reads the JSON of an earlier scan), tries every fix for itself on a copy of its file, and prints those
that javac takes no longer. Of a file that it does not take as it is (its dependencies are not there) it may not complain
more than before, exceptions and unassigned variables included. Exit status 1 where a patch broke a file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter
from typing import Any

from analyzers.source import Span
from benchmarks.run import leakmend
from fixers.edits import apply
from fixers.fix import Edit

_OPTIONS = ("-nowarn", "-proc:none", "-Xmaxerrs", "1000", "-XDshould-stop.ifError=FLOW")
"""How javac is to look at all of a file, even where it does not know some names."""


_COMPILE_EACH = pathlib.Path(__file__).with_name("CompileEach.java")

_UNKNOWN = "cannot find symbol"
"""What does not matter twice: a name that javac does not know may be written more often."""

_OTHER_NAME = re.compile(r"class \w+ is public, should be declared in a file named (\w+\.java)")
"""What javac says of a public type in a file of another name."""


def main() -> None:
    """Read the arguments, scan, compile, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--release", type=int, default=0, help="language level for javac; its own where not given")
    parser.add_argument("--class-path", default="", help="what the files need besides themselves")
    parser.add_argument("--only", choices=("safe", "unsafe"))
    parser.add_argument("--report", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.report is not None:
        findings = json.loads(arguments.report.read_bytes())["findings"]
    else:
        findings = leakmend("scan", str(arguments.folder), "--no-cache").report["findings"]
    counts = {"fixes": 0, "of files that javac takes alone": 0, "broken": 0}
    before: dict[str, Counter[str]] = {}
    with Compiler(arguments.release, arguments.class_path) as compiler:
        for path, edits in fixes(findings, arguments.only):
            counts["fixes"] += 1
            data = (arguments.folder / path).read_bytes()
            if path not in before:
                before[path] = compiler.problems(path, data)
            counts["of files that javac takes alone"] += not before[path]
            found = compiler.problems(path, apply(data, edits)) - before[path]
            if found:
                counts["broken"] += 1
                print(path, *sorted(found), sep="\n  ", flush=True)
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


class Compiler:
    """One javac that is asked about file after file."""

    def __init__(self, release: int, class_path: str) -> None:
        level = ("--release", str(release)) if release else ()
        known = ("-cp", class_path) if class_path else ()
        command = ["java", str(_COMPILE_EACH), *level, *known, *_OPTIONS]
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace")

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._folder.cleanup()

    def problems(self, path: str, data: bytes) -> Counter[str]:
        """What javac says against one file, alone, without the places; empty where it takes it."""
        found = self._errors(pathlib.PurePosixPath(path).name, data)
        wanted = next((match[1] for each in found if (match := _OTHER_NAME.fullmatch(each))), None)
        return self._errors(wanted, data) if wanted is not None else found

    def _errors(self, name: str, data: bytes) -> Counter[str]:
        source = pathlib.Path(self._folder.name) / name
        source.write_bytes(data)
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None and answered is not None
        asked.write(f"{source}\n")
        asked.flush()
        lines = iter(answered.readline, "")
        found = Counter(itertools.takewhile(lambda line: line != ".", (line.rstrip("\n") for line in lines)))
        source.unlink()
        return Counter({each: 1 if each.startswith(_UNKNOWN) else count for each, count in found.items()})


if __name__ == "__main__":
    main()
