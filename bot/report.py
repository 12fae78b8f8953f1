"""The Report: everything that a run has to say, and the nouns that reporters read.

A reporter takes the whole Report; nothing is dropped on the way to it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from analyzers.finding import Finding, Note
from fixers.fix import Declined, Fix


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A finding and what came of it.

    fingerprint   the finding's name; where it was matched with one of the baseline, that one's name is kept
    was           the fingerprint that it would have had, where `fingerprint` was kept from the baseline
    introduced    True or False in a review, None in a scan
    together      fingerprints of the other findings that the same patch mends: overlapping fixes are merged
    is_test       it lies in test code
    """

    finding: Finding
    answer: Fix | Declined
    fingerprint: str
    introduced: bool | None = None
    was: str | None = None
    together: tuple[str, ...] = ()
    is_test: bool = False


class Suppressed(msgspec.Struct, frozen=True):
    """A finding that somebody silenced: `by` is "comment", "annotation", "baseline" or "ignore".

    `is_added` tells that the change under review itself adds the comment.
    """

    outcome: Outcome
    by: str
    reason: str
    is_added: bool = False


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `pipeline.run` returns.

    outcomes   sorted by the finding's acquisition span
    fixed      findings of the baseline without a match in the head (review only)
    sources    path -> bytes of every file that a span above points into (the head's), for lines and excerpts
    baseline_sources   the same for `fixed` (the base's)
    complete   False when the time budget cut the run
    stats      seconds, cache and stages; shown on demand only
    base, head   commit ids of a review, None in a scan (and `head` for a working tree); `repository` a title for people
    hunks        head path -> ranges of lines that one comment may span (`FileDiff.ranges`)
    remarks      lines for people about how the question was understood
    changed_settings   config, specs and baseline that the change touches: they take effect when it is merged
    """

    outcomes: tuple[Outcome, ...]
    fixed: tuple[Outcome, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    notes: tuple[Note, ...] = ()
    sources: Mapping[str, bytes] = {}
    baseline_sources: Mapping[str, bytes] = {}
    complete: bool = True
    stats: Mapping[str, float] = {}
    base: str | None = None
    head: str | None = None
    repository: str = ""
    hunks: Mapping[str, tuple[tuple[int, int], ...]] = {}
    remarks: tuple[str, ...] = ()
    changed_settings: tuple[str, ...] = ()

    @property
    def introduced(self) -> tuple[Outcome, ...]:
        """The outcomes that the change introduces (all of them in a scan)."""
        return tuple(outcome for outcome in self.outcomes if outcome.introduced is not False)

    @property
    def is_review(self) -> bool:
        """Whether this is about a change, and not about all that stands in a tree."""
        return self.base is not None
