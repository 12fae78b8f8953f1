"""Mends the small programs of a corpus and runs each under AddressSanitizer, before and after.

    python -m benchmarks.sanitized CORPUS [--report JSON] [--program REGEX] [--support FOLDER] [-D NAME ...]
                                   [--every N] [--runs N]

A program is the files of one folder whose names agree in the first group of REGEX (default: the name without a
letter behind its last digit); FOLDER holds sources that are linked to each. All safe fixes of its files are applied.
Printed: programs mended and run, those that leaked before, and every one of which a sanitizer says anything after.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
from typing import Any

import msgspec

from analyzers.source import Span
from benchmarks.run import leakmend
from fixers.edits import apply, merge
from fixers.fix import Edit

FLAGS = ("-g", "-O0", "-w", "-fsanitize=address", "-fno-omit-frame-pointer")

Finding = dict[str, Any]


class Program(msgspec.Struct, frozen=True):
    """The sources of one program, and the edits of its safe fixes by file."""

    name: str
    files: tuple[pathlib.Path, ...]
    edits: dict[pathlib.Path, tuple[Edit, ...]]


class Outcome(msgspec.Struct, frozen=True):
    """What came of one program. `before` and `after`: what the sanitizer says, empty for nothing."""

    name: str
    problem: str
    before: str = ""
    after: str = ""


def programs(corpus: pathlib.Path, findings: list[Finding], pattern: re.Pattern[str]) -> list[Program]:
    """The programs that have safe fixes, sorted by name."""
    members: dict[str, list[pathlib.Path]] = collections.defaultdict(list)
    for path in sorted(corpus.rglob("*.c")):
        members[_program_of(path, pattern)].append(path)
    edits: dict[pathlib.Path, dict[tuple[Edit, ...], None]] = collections.defaultdict(dict)
    for finding in findings:
        answer = finding["answer"]
        if answer.get("applicability") == "safe":
            own = tuple(Edit(Span(e["path"], e["start"], e["end"]), e["text"]) for e in answer["edits"])
            edits[corpus / finding["path"]][own] = None
    found = []
    for name, files in sorted(members.items()):
        changes = {path: merged for path in files if path in edits and (merged := merge(edits[path])) is not None}
        if changes:
            found.append(Program(name, tuple(files), changes))
    return found


def _program_of(path: pathlib.Path, pattern: re.Pattern[str]) -> str:
    match = pattern.match(path.stem)
    return str(path.parent / (match[1] if match else path.stem))


def judge(program: Program, support: pathlib.Path | None, defines: list[str], runs: int) -> Outcome:
    """Build and run a program as it is, and mended."""
    with tempfile.TemporaryDirectory() as folder:
        said = []
        for is_mended in (False, True):
            place = pathlib.Path(folder) / ("after" if is_mended else "before")
            place.mkdir()
            for path in program.files:
                data = path.read_bytes()
                (place / path.name).write_bytes(apply(data, program.edits.get(path, ())) if is_mended else data)
            problem = _build(place, program.files[0].parent, support, defines)
            if problem:
                return Outcome(program.name, f"does not compile {place.name}: {problem}")
            said.append(_run(place / "program", runs))
        return Outcome(program.name, "", *said)


def _build(place: pathlib.Path, beside: pathlib.Path, support: pathlib.Path | None, defines: list[str]) -> str:
    sources = sorted(place.glob("*.c")) + (sorted(support.glob("*.c")) if support is not None else [])
    includes = [f"-I{beside}", *([f"-I{support}"] if support is not None else [])]
    words = [*FLAGS, *includes, *(f"-D{each}" for each in defines), *map(str, sources)]
    done = subprocess.run(
        ["gcc", *words, "-lm", "-lpthread", "-o", str(place / "program")], capture_output=True, text=True, check=False
    )
    return done.stderr.strip()[:300] if done.returncode else ""


def _run(program: pathlib.Path, runs: int) -> str:
    """What the sanitizer says first in some runs. Programs may choose their ways by the clock: a second apart."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:exitcode=99"}
    for number in range(runs):
        if number:
            time.sleep(1)
        try:
            done = subprocess.run(
                [str(program)], capture_output=True, env=environment, timeout=60, check=False, cwd=program.parent,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return ""
        text = done.stderr.decode("utf-8", "replace")
        summary = next((line for line in text.splitlines() if line.startswith("SUMMARY:")), "")
        if summary:
            return re.sub(r"\S*/|:\d+", "", summary.removeprefix("SUMMARY: "))
    return ""


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="safe fixes of small programs under AddressSanitizer")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path, help="JSON of an earlier scan of the corpus")
    parser.add_argument("--program", default=r"(.*?\d)[a-z]?$")
    parser.add_argument("--support", type=pathlib.Path)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--every", type=int, default=1, help="judge only each N-th program")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    report = json.loads(given.report.read_bytes()) if given.report else leakmend("scan", str(given.corpus)).report
    chosen = programs(given.corpus, report["findings"], re.compile(given.program))[:: given.every]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        outcomes = list(pool.map(lambda each: judge(each, given.support, given.defines, given.runs), chosen))
    ran = [each for each in outcomes if not each.problem]
    leaked = [each for each in ran if each.before]
    print(f"{len(chosen)} programs mended, {len(ran)} compiled and run; {len(leaked)} leaked before")
    for each in outcomes:
        if each.problem or each.after:
            known = " (as before)" if each.after and each.after == each.before else ""
            print(f"{each.name}: {each.problem or each.after}{known}")
    print(f"{sum(bool(each.after) for each in ran)} with a report after, {sum(each.after not in ('', each.before) for each in ran)} of them new")


if __name__ == "__main__":
    main()
