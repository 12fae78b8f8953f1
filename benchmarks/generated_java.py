"""Mends random Java methods and runs each as it was and as it is then, with every step failing in turn.

    python -m benchmarks.generated_java [--seed N] [--methods N] [--files N] [--keep FOLDER]

Files, sockets, readers of files and what a database gives are replaced by ones that count. Each method is called with every value of three
small arguments; each opening, reading and writing fails in turn, with closes that work and with closes that throw. What
a method returns or keeps is used and closed afterwards. Printed: how many methods lose something and are reported, are
reported without losing anything, lose something and are not reported, how many safe patches there are, and each method
that a patch makes wrong: text that javac refuses, another result or exception, something used after its close,
something lost that was not. Exit status 1 for such a one.
"""

from __future__ import annotations

import collections
import pathlib
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from benchmarks.generated import Answered, answers, patched, play
from benchmarks.random_java import source
from benchmarks.random_java_harness import CALLER, FAULTS, REPLACED, RUNS, STANDING
from benchmarks.random_java_helpers import HELPERS

CLASS = "Functions"


class Run(msgspec.Struct):
    """One call: what is lost, what is closed more than once, what the harness complains about, whether the step that was to fail was reached, and
    what came out."""

    lost: int
    twice: int
    complaint: str
    is_reached: bool
    outcome: str


Ran = dict[tuple[str, str], Run]
"""By method and input."""


def run(place: pathlib.Path, code: str, names: Sequence[str]) -> Ran:
    """Compile and run. RuntimeError for what does not compile."""
    place.mkdir(parents=True)
    for name in REPLACED:
        code = code.replace(f"import {name};", f"import harness.{name.rpartition('.')[2]};")
    texts = {f"{CLASS}.java": code.replace("/* step */", 'harness.Faults.step("check");'), "Calls.java": CALLER.replace("NAME", CLASS)}
    texts |= {"Faults.java": FAULTS, "Runs.java": RUNS, **{f"{name}.java": text for name, text in STANDING.items()}}
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    _checked(["javac", "-nowarn", "-d", str(place / "classes"), *(str(place / name) for name in texts)])
    said = _checked(["java", "-XX:TieredStopAtLevel=1", "-cp", str(place / "classes"), "generated.Calls", *names])
    found: Ran = {}
    for line in said.splitlines():
        name, step, lost, twice, complaint, reached, outcome = line.split("\t")
        found[name, step] = Run(int(lost), int(twice), complaint, reached == "true", outcome)
    return found


def _checked(words: Sequence[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:4000])
    return done.stdout


def is_worse(before: Run, now: Run, *, are_closes_failing: bool) -> str:
    """In words what a patch makes wrong in one call; nothing for a good one.

    A call that meets null or uses what is closed counts only for what it loses. Where closes throw, the new ones do too: what happens then may
    differ in all but uses after a close.
    """
    if before.complaint == "-" != now.complaint:
        return now.complaint
    if are_closes_failing:
        return ""
    if now.lost > before.lost:
        return f"loses {now.lost} instead of {before.lost}"
    if now.outcome == before.outcome or "NullPointer" in before.outcome or before.complaint != "-":
        return ""
    where = " where something was lost" if before.lost else ""
    return f"«{now.outcome}» instead of «{before.outcome}»{where}"


def is_closing(step: str) -> bool:
    """Whether a close fails: all do, or what a buffer still holds is written then."""
    return step.endswith("/closes") or "/write " in step


def is_masked(before: Run, now: Run) -> bool:
    """Whether a failing close hides the exception that came out before, as in a `finally` that closes."""
    return "Exception fault" in before.outcome and now.is_reached and " fault" not in now.outcome


def judge(folder: pathlib.Path, seeds: Sequence[int], totals: collections.Counter[str]) -> list[str]:
    """One class of methods: counts into `totals`, and what is wrong in words."""
    names = [f"f{seed}" for seed in seeds]
    code = source(names, seeds, CLASS, HELPERS)
    folder.mkdir(parents=True)
    path = folder / f"{CLASS}.java"
    path.write_text(code, encoding="utf-8")
    before = run(folder / "before", code, names)
    found = {each.partition("(")[0].rpartition(".")[2]: said for each, said in answers(path).items()}
    mended = patched(code.encode(), found).decode()
    (folder / f"{CLASS}.mended").write_text(mended, encoding="utf-8")
    after = run(folder / "after", mended, names)
    problems = []
    for name in names:
        known = {step: each for (where, step), each in before.items() if where == name}
        answered = found.get(name, Answered(collections.Counter(), {}))
        is_leaking = any(each.lost for step, each in known.items() if not step.endswith("/closes"))
        said = "witnessed" if answered.reports["witnessed"] else "assumed" if answered.reports else "silent"
        totals["methods"] += 1
        totals["safe patches"] += len(answered.edits)
        totals[f"{'leaking' if is_leaking else 'clean'}, {said}"] += 1
        if (is_leaking and said == "silent") or (not is_leaking and said != "silent"):
            problems.append(f"{name}: {'missed' if is_leaking else f'false alarm ({said})'}")
        if not answered.edits:
            continue
        if is_leaking:
            left = any(after[name, step].lost for step in known if not step.endswith("/closes") and (name, step) in after)
            totals["mended in part" if left else "mended whole"] += 1
        for step, was in known.items():
            now = after.get((name, step))
            words = is_worse(was, now, are_closes_failing=is_closing(step)) if now else ""
            if words:
                totals["unsafe"] += 1
                problems.append(f"{name}: UNSAFE: {words}, input {step}")
                break
        else:
            both = [(was, now) for step, was in known.items() if (now := after.get((name, step))) is not None]
            totals["closes again what is closed"] += any(now.twice > was.twice for was, now in both)
            totals["hides an exception where closing fails too"] += any(is_masked(was, now) for was, now in both)
    return problems


if __name__ == "__main__":
    sys.exit(play("random Java methods, mended and run", "methods", judge))
