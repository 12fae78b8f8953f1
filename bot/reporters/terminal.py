"""`--format text`: each leak as a careful colleague would show it, for eyes at a terminal."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable
from urllib.parse import quote

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from analyzers.finding import Note, Role
from bot.report import Outcome, Report
from bot.reporters.cards import Card, cards
from bot.reporters.excerpts import Excerpt, Row, excerpts
from bot.reporters.headline import headline
from bot.reporters.page import Page
from bot.reporters.view import Sources, by_weight, is_shown_first, plural

MAX_CARDS = 40
"""Findings shown whole; of the others each gets two lines."""

_MAX_BRIEF = 40
_MAX_NOTES = 5
_WIDEST = 120
_NARROW = 60

_ROLES = {
    Role.ACQUIRE: "cyan",
    Role.ALIAS: "blue",
    Role.CALL: "blue",
    Role.BRANCH: "yellow",
    Role.THROW: "magenta",
    Role.EXIT: "red",
}


def render(report: Report, page: Page) -> str:
    """The report as text for a terminal of the page's width."""
    writer = _Writer(report, page)
    writer.write()
    return writer.text()


def explained(outcome: Outcome, report: Report, page: Page) -> str:
    """One finding whole: its path with the code, its patch, and every check of the proof with its reason."""
    writer = _Writer(report, page)
    writer.explain(outcome)
    return writer.text()


def styled_diff(patch: str, page: Page) -> str:
    """A unified diff, coloured where the page has colours; otherwise the very text, so that it can be applied."""
    if not page.has_color:
        return patch
    console = _console(page)
    for line in patch.split("\n")[:-1]:
        console.print(_diff_line(line), soft_wrap=True)
    return _written(console)


def _console(page: Page) -> Console:
    return Console(
        file=io.StringIO(),
        width=max(min(page.width, _WIDEST), 30),
        force_terminal=page.has_color,
        color_system="standard" if page.has_color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )


def _written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))


class _Writer:
    def __init__(self, report: Report, page: Page) -> None:
        self._report, self._page = report, page
        self._console = _console(page)
        self._sources = Sources(report.sources)
        self._before = Sources(report.baseline_sources)
        self._is_narrow = page.width < _NARROW

    def text(self) -> str:
        return _written(self._console)

    def write(self) -> None:
        report = self._report
        introduced = by_weight(report.introduced)
        open_ones = [outcome for outcome in introduced if is_shown_first(outcome)]
        for card in cards(open_ones[:MAX_CARDS], report, self._sources):
            self._card(card)
        quiet = open_ones[MAX_CARDS:] + [outcome for outcome in introduced if not is_shown_first(outcome)]
        title = "Assumed, or in test code" if len(open_ones) <= MAX_CARDS else "More"
        self._brief(title, quiet, self._sources)
        known = [outcome for outcome in report.outcomes if outcome.introduced is False]
        self._brief("Here before this change", known, self._sources)
        self._brief("Fixed by this change", report.fixed, self._before)
        self._silenced()
        self._notes()
        self._stats()
        self._last_lines()

    def explain(self, outcome: Outcome) -> None:
        (card,) = cards([outcome], self._report, self._sources)
        self._head(card)
        self._path(card)
        self._answer(card)
        for check in card.checks:
            self._line(Text(f"  {check.verdict.value:8}", "green" if check.verdict == "proved" else "yellow"),
                       Text(f" {check.name}: {check.reason}"))

    # --- one finding

    def _card(self, card: Card) -> None:
        self._head(card)
        self._path(card)
        self._answer(card)
        done = Text(f"  leakmend explain {card.id}", "dim")
        if not self._is_narrow:
            done.append(f" · leakmend ignore {card.id} --reason …")
        self._line(done)
        self._line()

    def _head(self, card: Card) -> None:
        finding = card.outcome.finding
        place = Text(f"{card.place.path}:{card.place.line}:{card.place.column}", self._link(card.place.path, "bold"))
        kind = Text(f"{finding.rule}", "red" if card.is_witnessed else "yellow")
        kind.append("" if card.is_witnessed else " (assumed)")
        self._line(place, Text("  "), kind, Text(f"  {card.id}", "dim"))
        self._line(self._prose(f"  {finding.message}", "bold"))
        self._line()

    def _path(self, card: Card) -> None:
        found = excerpts(card.steps, self._sources)
        width = len(str(max((row.line for excerpt in found for row in excerpt.rows if row), default=0)))
        for number, excerpt in enumerate(found):
            if number or excerpt.path != card.place.path:
                self._line(Text("  " + " " * width + " ╭ ", "dim"), Text(excerpt.path, self._link(excerpt.path, "")))
            self._excerpt(excerpt, width)
        self._line()

    def _excerpt(self, excerpt: Excerpt, width: int) -> None:
        room = self._console.width - width - 5
        for row in excerpt.rows:
            if row is None:
                self._code(Text("  " + "·" * width + " ┊", "dim"))
                continue
            source = Text(row.text if len(row.text) <= room else row.text[: room - 1] + "…")
            for mark in row.marks:
                source.stylize("bold", min(mark.start, room), min(mark.end, room))
            self._code(Text(f"  {row.line:{width}} │ ", "dim"), source)
            self._marks(row, width, room)

    def _marks(self, row: Row, width: int, room: int) -> None:
        gutter = "  " + " " * width + " │ "
        for mark in row.marks:
            step = mark.step
            style = _ROLES[step.role]
            label = f"{step.number}. {step.note or step.role.value}"
            start = min(mark.start, room - 1)
            drawn = "─" * max(min(mark.end, room) - start, 1)
            if self._is_narrow or start + len(drawn) + len(label) + 1 > room:
                indent = 0 if self._is_narrow else min(start, max(room - 40, 0))
                self._code(Text(gutter, "dim"), Text(" " * start + drawn, style))
                for part in textwrap.wrap(label, max(room - indent, 20), subsequent_indent="   "):
                    self._code(Text(gutter, "dim"), Text(" " * indent), self._prose(part, style))
            else:
                self._code(Text(gutter, "dim"), Text(" " * start + drawn + " ", style), self._prose(label, style))

    def _answer(self, card: Card) -> None:
        if card.fix is None:
            self._line(self._prose(f"  No patch: {card.declined}", ""))
            return
        if card.under:
            self._line(self._prose(f"  The patch under {card.under} mends this, too.", "green"))
            return
        kind = Text("  Safe patch: " if card.is_safe else "  Patch, not proved safe: ", "green" if card.is_safe else "yellow")
        self._line(kind, self._prose(card.fix.title, ""))
        if card.together:
            self._line(self._prose(f"  It also mends {', '.join(card.together)}.", ""))
        several = len({edit.span.path for edit in card.fix.edits}) > 1
        for line in card.patch.split("\n")[:-1]:
            if several or not line.startswith(("--- ", "+++ ")):
                self._code(Text("    "), _diff_line(line))
        if card.is_safe:
            self._line(self._prose(f"  Proved on the patched text: all {len(card.checks)} checks.", "green"))
        for check in card.assumptions:
            self._line(self._prose(f"  Assumed: {check.name}: {check.reason}", "yellow"))

    # --- lists

    def _brief(self, title: str, outcomes: Iterable[Outcome], sources: Sources) -> None:
        found = list(outcomes)
        if not found:
            return
        self._line(Text(f"{title}: {len(found)}", "bold"))
        for card in cards(found[:_MAX_BRIEF], self._report, sources):
            place = Text(f"  {card.place.path}:{card.place.line}", self._link(card.place.path, ""))
            self._line(place, Text(f"  {card.id}", "dim"))
            self._line(self._prose(f"    {card.outcome.finding.message}", ""))
        self._more(len(found) - _MAX_BRIEF)
        self._line()

    def _silenced(self) -> None:
        if not self._report.suppressed:
            return
        self._line(Text(f"Silenced: {len(self._report.suppressed)}", "bold"))
        for each in self._report.suppressed[:_MAX_BRIEF]:
            place = self._sources.place(each.outcome.finding.acquired)
            added = " (added by this change)" if each.is_added else ""
            self._line(Text(f"  {place.path}:{place.line}"), self._prose(f"  by {each.by}{added}: {each.reason}", "dim"))
        self._more(len(self._report.suppressed) - _MAX_BRIEF)
        self._line()

    def _notes(self) -> None:
        kinds: dict[str, list[Note]] = {}
        for note in self._report.notes:
            kinds.setdefault(note.kind.value, []).append(note)
        if not kinds:
            return
        self._line(Text(f"Left out, or not as asked: {len(self._report.notes)}", "bold"))
        for kind, notes in sorted(kinds.items()):
            self._line(Text(f"  {kind}: {len(notes)}"))
            for note in notes[:_MAX_NOTES]:
                line = f":{self._sources.place(note.span).line}" if note.span.end else ""
                place = f"{note.span.path}{line}  " if note.span.path else ""
                self._line(self._prose(f"    {place}{note.text}", "dim"))
            self._more(len(notes) - _MAX_NOTES)
        self._line()

    def _stats(self) -> None:
        if self._page.has_stats:
            for name, value in sorted(self._report.stats.items()):
                self._line(Text(f"{name:32} {value:10.3f}".rstrip("0").rstrip("."), "dim"))
            self._line()

    def _last_lines(self) -> None:
        report = self._report
        for remark in report.remarks:
            self._line(self._prose(f"{remark}.", "dim"))
        if report.changed_settings:
            self._line(self._prose(f"{', '.join(report.changed_settings)}: takes effect when merged.", "yellow"))
        if not report.complete:
            self._line(Text("The time budget ran out: what was not looked at is listed above.", "yellow"))
        self._line(self._prose(headline(report) + ".", "bold red" if report.introduced else "bold green"))

    # --- writing

    def _more(self, number: int) -> None:
        if number > 0:
            self._line(Text(f"  … and {plural(number, 'more', 'more')}: --format json lists all of them", "dim"))

    def _line(self, *parts: Text) -> None:
        """One line; what is too long for it goes on below, under its own beginning."""
        whole = Text.assemble(*parts)
        indent = len(whole.plain) - len(whole.plain.lstrip(" "))
        self._console.print(Padding(whole[indent:], (0, 0, 0, indent)) if indent else whole)

    def _code(self, *parts: Text) -> None:
        """One line that stays one, whatever its length."""
        self._console.print(Text.assemble(*parts), soft_wrap=True)

    def _prose(self, text: str, style: str) -> Text:
        """A sentence. Its code stands out by weight; where there is none to see, it keeps its backticks."""
        shown = "".join(character if character.isprintable() else " " for character in text)
        if not self._page.has_color:
            return Text(shown)
        result = Text(style=style)
        for number, part in enumerate(shown.split("`")):
            result.append(part, "bold" if number % 2 else "")
        return result

    def _link(self, path: str, style: str) -> str:
        """The style, with a link to the file where the page has links and the file has a place."""
        if not self._page.has_links or not (self._page.permalink or self._page.folder):
            return style
        target = self._page.permalink or f"file://{quote(self._page.folder)}/"
        return f"{style} link {target}{quote(path)}".strip()


def _diff_line(line: str) -> Text:
    if line.startswith(("+++ ", "--- ")):
        return Text(line, "bold")
    return Text(line, {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], ""))
