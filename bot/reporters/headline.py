"""The one line that says what came of a run; the same words in every report."""

from __future__ import annotations

from analyzers.finding import Confidence
from bot.report import Outcome, Report
from bot.reporters.view import is_safe, plural


def headline(report: Report) -> str:
    """«This change introduces 2 leaks and 1 possible leak, and fixes 1 (2 safe patches)»."""
    found = _count(report.introduced)
    patches = sum(is_safe(outcome) for outcome in report.introduced)
    patched = f" ({plural(patches, 'safe patch', 'safe patches')})" if patches else ""
    if not report.is_review:
        return f"{found} in {report.repository}{patched}" if found else f"No leaks found in {report.repository}"
    mended = f"{len(report.fixed)}" if report.fixed else ""
    if found and mended:
        return f"This change introduces {found}{patched}, and fixes {mended}"
    if found:
        return f"This change introduces {found}{patched}"
    return f"This change fixes {plural(len(report.fixed), 'leak')} and introduces none" if mended else (
        "This change introduces no leaks"
    )


def _count(outcomes: tuple[Outcome, ...]) -> str:
    witnessed = sum(outcome.finding.confidence is Confidence.WITNESSED for outcome in outcomes)
    assumed = len(outcomes) - witnessed
    parts = [plural(witnessed, "leak")] if witnessed else []
    parts += [plural(assumed, "possible leak")] if assumed else []
    return " and ".join(parts)
