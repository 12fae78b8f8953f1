"""The second opinion of a proof: an own checker of paths that shares nothing with the detectors."""

from __future__ import annotations

from fixers.paths.checking import check
from fixers.paths.inside import pointed
from fixers.paths.outcomes import is_lent
from fixers.paths.question import Question
from fixers.paths.relevance import holding, reached
from fixers.paths.relied import set_by_strangers
from fixers.paths.report import HELD, LEAKING, OUT_OF_SIGHT, Answer, Report, is_in_doubt

__all__ = [
    "HELD", "LEAKING", "OUT_OF_SIGHT", "Answer", "Question", "Report", "check", "holding", "is_in_doubt", "is_lent", "pointed", "reached",
    "set_by_strangers",
]
