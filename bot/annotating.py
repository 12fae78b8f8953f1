"""`scan --annotate`: the ownership annotations that Java code implies, as one diff."""

from __future__ import annotations

import analyzers
from analyzers.deep import deeply
from analyzers.detectors.resource_leak_checker.annotate import insertions
from analyzers.source import Span
from bot import pipeline
from bot.changes import ChangeSet
from bot.config import Config
from fixers.diff import unified_diff
from fixers.edits import apply
from fixers.fix import Edit


def annotated(change: ChangeSet, config: Config) -> str:
    """The diff that adds to each file what is inferred for its declarations; what they bear already stays."""
    program = analyzers.load(change.after, pipeline.library(change.settings, config))
    wanted = [path for path in program.paths() if path.endswith(".java") and config.at(change.prefix + path).has(change.prefix + path)]
    return deeply(lambda: "".join(_annotated(program, path) for path in wanted))


def _annotated(program: analyzers.Program, path: str) -> str:
    data = program.source(path)
    found = insertions(program, path, data)
    after = apply(data, [Edit(Span(path, each.offset, each.offset), each.text) for each in found])
    return unified_diff(path, data, after) if found else ""
