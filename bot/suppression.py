"""Who silenced a finding: a comment, an annotation, or the baseline. Never silently: each is counted.

`// leakmend: ignore[rule] reason` holds for the statement on its line, or below it when it stands alone.
Reports too much when a statement goes on past `_STATEMENT_LINES` lines below the comment.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.finding import Finding, Note, NoteKind
from analyzers.source import LineIndex, Span, language_of
from bot.baseline import Baseline
from bot.comments import Comment, comments, without_comments
from bot.hunks import FileDiff
from bot.report import Outcome, Suppressed

_MARK = "leakmend:"
_STATEMENT_LINES = 6

_WARNINGS = ("all", "resource", "resourceleak", "required.method.not.called", "java:S2095", "squid:S2095")
"""Words in `@SuppressWarnings` by which people silence warnings about resources left open."""

_UNREAD = ("MismatchedQueryAndUpdateOfCollection",)
"""Such words for collections that nobody reads."""

_CHECKS = (
    "clang-analyzer-unix.Malloc",
    "clang-analyzer-unix.Stream",
    "clang-analyzer-alpha.unix.Stream",
    "clang-analyzer-cplusplus.NewDeleteLeaks",
    "cppcoreguidelines-owning-memory",
    "leakmend",
)
"""Checks about leaks that a NOLINT may name."""


class Directive(msgspec.Struct, frozen=True):
    """A comment that silences: where it stands, the lines it holds for, and the rules (none: all)."""

    by: str
    span: Span
    line: int
    first: int
    last: int
    rules: tuple[str, ...]
    reason: str

    def covers(self, rule: str, lines: Iterable[int]) -> bool:
        """Whether it silences a finding of this rule on one of the lines."""
        return (not self.rules or rule in self.rules) and any(self.first <= line <= self.last for line in lines)


class Silenced(msgspec.Struct, frozen=True):
    """The outcomes that stay, those that somebody silenced, and Notes on silencers that are of no use."""

    kept: tuple[Outcome, ...]
    suppressed: tuple[Suppressed, ...]
    notes: tuple[Note, ...]


def silence(
    outcomes: Sequence[Outcome],
    paths: Iterable[str],
    read: Callable[[str], bytes],
    unit: Callable[[str], ir.Unit | None],
    baseline: Baseline,
    files: Sequence[FileDiff] | None,
    body: Callable[[Finding], ir.Procedure | None] = lambda finding: None,
) -> Silenced:
    """Sort outcomes into kept and silenced.

    `paths` are the files whose comments are looked at; `files` the diff of a review, None for a scan: a comment
    is only called unused where all that it could silence was looked for. `body` gives what a finding is in, with its variables.
    """
    directives = {path: directives_in(path, read(path)) for path in sorted(set(paths))}
    added = {file.after: file for file in files or ()}
    used: set[Span] = set()
    kept: list[Outcome] = []
    suppressed: list[Suppressed] = []
    for outcome in outcomes:
        finding = outcome.finding
        directive = _directive(finding, directives, read)
        entry = baseline.entry(outcome.fingerprint)
        if directive is not None:
            used.add(directive.span)
            diff = added.get(directive.span.path)
            is_added = diff is not None and diff.is_added(directive.line)
            suppressed.append(Suppressed(outcome, "comment", directive.reason, is_added))
        elif (warning := _annotation(finding, unit, body, read)) is not None:
            suppressed.append(Suppressed(outcome, "annotation", warning))
        elif entry is not None:
            suppressed.append(Suppressed(outcome, "baseline", entry.reason))
        else:
            kept.append(outcome)
    notes = [
        note
        for path, found in directives.items()
        for directive in found
        if directive.by == "comment"
        and directive.span not in used
        and (files is None or (path in added and added[path].is_added(directive.line)))
        for note in _useless(directive)
    ]
    return Silenced(tuple(kept), tuple(suppressed), tuple(notes))


def _useless(directive: Directive) -> Iterable[Note]:
    if not directive.reason:
        text = "not honoured: an ignore needs a reason after the bracket"
    else:
        text = "unused: nothing is reported here that this comment names"
    yield Note(NoteKind.SUPPRESSION, directive.span, text)


def _directive(
    finding: Finding, directives: dict[str, tuple[Directive, ...]], read: Callable[[str], bytes]
) -> Directive | None:
    for place in (finding.acquired, finding.lost):
        candidates = directives.get(place.path, ())
        if candidates:
            line = LineIndex(read(place.path)).line(place.start)
            for directive in candidates:
                if (directive.reason or directive.by != "comment") and directive.covers(finding.rule, (line,)):
                    return directive
    return None


# --- comments


def directives_in(path: str, source: bytes) -> tuple[Directive, ...]:
    """The comments of a file that silence something."""
    language = language_of(path)
    if language is None or (_MARK.encode() not in source and b"NOLINT" not in source):
        return ()
    index = LineIndex(source)
    found = list(comments(source, language))
    bare = without_comments(source, language).split(b"\n")
    result: list[Directive] = []
    blocks: list[tuple[Comment, tuple[str, ...]]] = []
    for comment in found:
        result += _ignores(path, comment, index, bare)
        if language == "c":
            result += _nolints(path, comment, index, blocks)
    return tuple(sorted(result, key=lambda directive: directive.span))


def _ignores(path: str, comment: Comment, index: LineIndex, bare: Sequence[bytes]) -> Iterable[Directive]:
    first_line = index.line(comment.start)
    for offset, text in enumerate(comment.text.split("\n")):
        _, mark, rest = text.partition(_MARK)
        words = rest.strip().removesuffix("*/").rstrip()
        if not mark or not words.startswith("ignore"):
            continue
        words = words.removeprefix("ignore").lstrip()
        rules: tuple[str, ...] = ()
        if words.startswith("["):
            inside, _, words = words[1:].partition("]")
            rules = tuple(sorted(rule.strip() for rule in inside.split(",") if rule.strip()))
        line = first_line + offset
        first, last = _statement(line, bare)
        span = Span(path, comment.start, comment.end)
        yield Directive("comment", span, line, first, last, rules, words.strip(" \t-–—:"))


def _statement(line: int, bare: Sequence[bytes]) -> tuple[int, int]:
    """The lines that a comment on `line` speaks of: its own, or the statement below where it stands alone."""
    first = line
    while first <= len(bare) and not bare[first - 1].strip() and first - line < _STATEMENT_LINES:
        first += 1
    last = first
    while last < min(len(bare), first + _STATEMENT_LINES - 1) and not any(mark in bare[last - 1] for mark in b";{}"):
        last += 1
    return first, last


def _nolints(
    path: str, comment: Comment, index: LineIndex, blocks: list[tuple[Comment, tuple[str, ...]]]
) -> Iterable[Directive]:
    """`NOLINT(checks)`, `NOLINTNEXTLINE(checks)`, and `NOLINTBEGIN(checks)` to its `NOLINTEND`."""
    _, mark, rest = comment.text.partition("NOLINT")
    if not mark:
        return
    kind, bracket, rest = rest.partition("(")
    names, _, reason = rest.partition(")")
    checks = tuple(name.strip() for name in names.split(",") if name.strip())
    if not bracket or kind not in ("", "NEXTLINE", "BEGIN", "END") or not _names_a_leak(checks):
        return
    line = index.line(comment.start)
    span = Span(path, comment.start, comment.end)
    because = reason.removesuffix("*/").strip(" \t-–—:") or f"NOLINT({', '.join(checks)})"
    if kind == "BEGIN":
        blocks.append((comment, checks))
    elif kind == "END":
        while blocks:
            start, named = blocks.pop()
            if named == checks:
                yield Directive("NOLINT", span, line, index.line(start.start), line, (), because)
                return
    else:
        held = line + (kind == "NEXTLINE")
        yield Directive("NOLINT", span, line, held, held, (), because)


def _names_a_leak(checks: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(known, check) for check in checks for known in _CHECKS if check != "*")


# --- annotations


def _holders(finding: Finding, body: ir.Procedure) -> set[str]:
    """The variables that take what a finding's own procedure acquires."""
    names: set[str] = set()
    for node in body.nodes:
        if isinstance(node, ir.Call) and body.start + node.start == finding.acquired.start:
            names.add(node.receiver if node.kind == "new" else node.dst)
        elif isinstance(node, ir.Copy) and node.src in names:
            names.add(node.dst)
    return names - {""}


def _annotation(
    finding: Finding,
    unit: Callable[[str], ir.Unit | None],
    body: Callable[[Finding], ir.Procedure | None],
    read: Callable[[str], bytes],
) -> str | None:
    """The `@SuppressWarnings` on the variable, method or class of a finding that names resources."""
    if finding.language != "java" or b"SuppressWarnings" not in read(finding.path):
        return None
    lowered = unit(finding.path)
    if lowered is None:
        return None
    attributes: list[str] = []
    for procedure in lowered.procedures:
        if procedure.name == finding.procedure:
            attributes += procedure.attributes
    inside = body(finding)
    if inside is not None:
        names = _holders(finding, inside)
        for variable in inside.variables:
            if variable.name in names or ir.source_name(variable.name) == finding.variable:
                attributes += variable.attributes
    for declared in lowered.types:
        if declared.start <= finding.acquired.start < declared.end and finding.acquired.path == finding.path:
            attributes += declared.attributes
    words = (*_WARNINGS, *_UNREAD) if finding.rule == "retained-by-loop" else _WARNINGS
    for attribute in attributes:
        if attribute.startswith("SuppressWarnings(") and any(f'"{word}"' in attribute for word in words):
            return f"@{attribute}"
    return None
