"""A finding in a text that some edits have changed."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import Program, analyze
from analyzers.finding import Finding
from fixers.edits import moved
from fixers.fix import Edit
from fixers.options import Options
from fixers.setting import key_of


def found_again(finding: Finding, edits: Sequence[Edit], patched: Program, options: Options) -> Finding | None:
    """The finding in the patched text; None where the edits mended it by the way."""
    key = key_of(finding, patched)
    if key is None:
        return None
    start = moved(edits, finding.acquired.start)
    same = [
        each
        for each in analyze(patched, (key,), options.detectors).findings
        if (each.rule, each.text, each.acquired.path) == (finding.rule, finding.text, finding.acquired.path)
    ]
    return min(same, key=lambda each: (abs(each.acquired.start - start), each.acquired), default=None)
