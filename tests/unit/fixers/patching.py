"""Applies to a fixture every safe fix, as `leakmend fix` does."""

from __future__ import annotations

import functools
import pathlib

from analyzers import MemoryTree, Options, Program, analyze, load, specs
from analyzers.source import language_of
from bot.merging import merged, without_halves, without_leftovers
from bot.report import Outcome
from fixers import Applicability, Declined, Fix, belong_together, fix, fix_behind, fix_together, left_over
from fixers import Options as FixOptions
from fixers.edits import apply, merge

FIXTURES = pathlib.Path(__file__).parents[2] / "fixtures"


@functools.cache
def models(language: str) -> specs.SpecLibrary:
    """The built-in specs of a language."""
    return specs.load([language])


def program(path: str, data: bytes, release: int = 17) -> Program:
    """A Program over one file."""
    language = language_of(path) or "c"
    return load(MemoryTree({path: data}), models(language), options=Options(java_release=release))


def answers(path: str, data: bytes) -> list[Fix | Declined]:
    """The answer to every finding in one file."""
    wanted = directive(data, "release")
    release = int(wanted[0]) if wanted else 17
    options = FixOptions(java_release=release, c_standard="".join(directive(data, "std")))
    subject = program(path, data, max(release, 8))
    outcomes = [
        Outcome(finding=each, answer=fix(each, subject, options), fingerprint=each.fingerprint)
        for each in analyze(subject).findings
    ]
    joined = merged(outcomes, lambda fixes: fix_together(fixes, subject, options), lambda fixes, half: fix_behind(fixes, half, subject, options))
    joined = without_halves(joined, lambda one, other: belong_together(one, other, subject))
    return [outcome.answer for outcome in without_leftovers(joined, lambda answer: left_over(answer, subject))]


def mended(path: str, data: bytes) -> bytes:
    """The file with all safe fixes applied."""
    safe = [each.edits for each in answers(path, data) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    edits = merge(safe)
    assert edits is not None, "safe fixes overlap"
    return apply(data, edits)


def directive(data: bytes, name: str) -> list[str]:
    """The words of `// name: …` in the head of a fixture."""
    for line in data.decode("utf-8", "replace").splitlines()[:12]:
        words = line.strip().lstrip("/*").split()
        if words[:1] == [f"{name}:"]:
            return [word for word in words[1:] if word != "*/"]
    return []
