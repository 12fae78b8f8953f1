"""What a fixer answers: a Fix with a computed proof, or Declined with a reason."""

from __future__ import annotations

import enum

import msgspec

from analyzers.finding import Finding
from analyzers.source import Span


class Verdict(enum.StrEnum):
    """PROVED on the patched text, ASSUMED where something unknown takes part, REFUTED."""

    PROVED = "proved"
    ASSUMED = "assumed"
    REFUTED = "refuted"


class Applicability(enum.StrEnum):
    """SAFE: every check proved. UNSAFE: some assumed. Computed, never declared."""

    SAFE = "safe"
    UNSAFE = "unsafe"


STILL_REPORTED = "a release that was tried leaves ways on which it is lost all the same"
"""Why a fix is none: a detector finds the leak in the patched text, too."""

CHECKS = (
    "parses",
    "finding is gone",
    "no new finding",
    "released once",
    "no use after release",
    "released only if acquired",
    "name in scope",
    "nothing else changes",
    "no new unhandled exception",
    "comments kept",
    "idempotent",
)
"""The names of all checks, in the order in which they are shown."""


class Edit(msgspec.Struct, frozen=True, order=True):
    """Replace the bytes of `span` by `text`: an empty span inserts, an empty text deletes."""

    span: Span
    text: str


class Check(msgspec.Struct, frozen=True):
    """One safety condition and what came of it."""

    name: str
    verdict: Verdict
    reason: str


class Fix(msgspec.Struct, frozen=True):
    """Edits that mend `finding`, sorted by span and disjoint, with their proof.

    is_doubted   a second check, of all paths one by one, cannot tell either who has it in the end
    """

    finding: Finding
    title: str
    edits: tuple[Edit, ...]
    proof: tuple[Check, ...]
    is_doubted: bool = False

    @property
    def applicability(self) -> Applicability:
        """SAFE only where there is a proof and all of it is PROVED."""
        if self.proof and all(check.verdict is Verdict.PROVED for check in self.proof):
            return Applicability.SAFE
        return Applicability.UNSAFE


class Declined(msgspec.Struct, frozen=True):
    """No patch for `finding`, and why («`conn` escapes into field `pool`»).

    is_refuted   a second check, of all paths one by one, found none on which it is lost
    is_doubted   that check cannot tell either who has it in the end
    is_unchecked there was no time for that check
    """

    finding: Finding
    reason: str
    is_refuted: bool = False
    is_doubted: bool = False
    is_unchecked: bool = False
