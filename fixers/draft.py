"""Collects the edits of one fix, in the look of the file around them."""

from __future__ import annotations

import re

from analyzers.source import Span
from analyzers.syntax import Node
from fixers import text
from fixers.braces import braces_of, placed
from fixers.edits import apply, compose, inserted, is_disjoint, minimal
from fixers.fix import Edit
from fixers.padding import is_padded, padded


class Draft:
    """Edits of one file under construction. Texts are written with `\\n`; `edits` adapts their line endings."""

    def __init__(self, path: str, data: bytes, at: int = -1) -> None:
        """`at`: a byte of the line whose indentation the edits go by, where the file mixes tabs and blanks."""
        self.path = path
        self.data = data
        self.unit = text.indentation_unit(data)
        self._mixed = text.mixed_step(data, at) if at >= 0 and path.endswith(".java") else 0
        if at >= 0:
            self.step_as(at)
        self._at = at
        self._edits: list[Edit] = []
        self._inserted: dict[int, int] = {}
        self._removed: list[tuple[int, int]] = []
        self._indents: dict[int, str] = {}

    def step_as(self, at: int) -> None:
        """Go by the line of another byte from here on."""
        near = text.indentation(self.data, at)
        if self._mixed:
            self.unit = " " * self._mixed
            return
        self.unit = text.unit_at(self.data, at)
        if near and not near.strip("\t"):
            self.unit = "\t"
        elif near and not near.strip(" ") and self.unit == "\t":
            self.unit = "  " if len(near) % 4 else "    "

    def insert(self, offset: int, words: str) -> None:
        """Put text in before the byte at `offset`."""
        self.replace(offset, offset, words)

    def replace(self, start: int, end: int, words: str) -> None:
        """Put text in the place of some bytes; what goes in at one offset goes in one after the other."""
        span = Span(self.path, start, end)
        known = self._inserted.get(start) if start == end else None
        if known is None:
            if start == end:
                self._inserted[start] = len(self._edits)
            self._edits.append(Edit(span, words))
        else:
            self._edits[known] = Edit(span, self._edits[known].text + words)
        if end > start:
            self._removed.append((start, end))

    def insert_in_order(self, offset: int, words: str) -> None:
        """Put a line in before an offset, among the lines that go in there already, in their order; blank lines stay before or behind them."""
        span = Span(self.path, offset, offset)
        for n, edit in enumerate(self._edits):
            if edit.span == span and edit.text.endswith("\n") and "\n\n" not in edit.text.strip("\n"):
                lines = sorted(f"{each}\n" for each in (*edit.text.strip("\n").splitlines(), words.strip("\n")))
                behind = len(edit.text) - len(edit.text.rstrip("\n")) - 1
                before = len(edit.text) - len(edit.text.lstrip("\n"))
                self._edits[n] = Edit(span, "\n" * before + "".join(lines) + "\n" * behind)
                return
        self.insert(offset, words)

    def insert_lines(self, offset: int, lines: str, indent: str) -> None:
        """Put whole lines, which end in `\\n`, before the line of `offset`."""
        self.insert(text.line_start(self.data, offset), text.reindented(self._as_there(lines, indent), indent))

    def insert_lines_after(self, offset: int, lines: str, indent: str) -> None:
        """Put whole lines behind the line of `offset`."""
        at = text.next_line(self.data, offset)
        words = text.reindented(self._as_there(lines, indent), indent)
        if at == len(self.data) and self.data[-1:] != b"\n":
            words = "\n" + words.removesuffix("\n")
        self.insert(at, words)

    def _as_there(self, lines: str, indent: str) -> str:
        """The steps of lines as tabs, where they go in behind tabs and the file has blanks elsewhere, and the other way round: none gets both."""
        if self.path.endswith(".java") and not self._mixed and indent and not indent.strip(" ") and self.unit == "\t":
            return re.sub(r"^\t+", lambda found: len(found[0]) * ("  " if len(indent) % 4 else "    "), lines, flags=re.MULTILINE)
        if not self.path.endswith(".java") or self._mixed or not indent or indent.strip("\t") or not self.unit or self.unit.strip(" "):
            return lines
        steps = re.compile(rf"^(?:{self.unit})+", re.MULTILINE)
        return steps.sub(lambda found: "\t" * (len(found[0]) // len(self.unit)), lines)

    def remove(self, start: int, end: int) -> None:
        """Take bytes out; with their lines, where nothing else stands on these. A comment behind them stays."""
        if text.starts_line(self.data, start) and text.ends_line(self.data, end):
            start, end = text.line_start(self.data, start), text.next_line(self.data, end)
            above = text.line_start(self.data, start - 1) if start else 0
            below = self.data[end : text.next_line(self.data, end)].strip()
            is_between = not self.data[above:start].strip() and (not below or below.startswith(b"}"))
            if is_between and not self.is_removed(above):
                start = above
        elif text.starts_line(self.data, start) and (comment := text.trailing_comment(self.data, end)) is not None:
            end = comment
        elif text.ends_line(self.data, end):
            start = text.line_start(self.data, start) + len(self.data[text.line_start(self.data, start) : start].rstrip())
        elif self.data[end : end + 1] == b" " and (text.starts_line(self.data, start) or self.data[start - 1 : start] == b" "):
            end += 1
        self.replace(start, end, "")

    def remove_line(self, at: int) -> None:
        """Take the whole line that begins at an offset out, unless that is done."""
        if not self.is_removed(at):
            self.replace(at, text.next_line(self.data, at), "")

    def is_removed(self, offset: int) -> bool:
        """Whether a byte goes."""
        return any(edit.span.start <= offset < edit.span.end and not edit.text for edit in self._edits)

    def indent(self, start: int, end: int, fixed: list[Node]) -> None:
        """Move the lines that begin in [start, end) in by one step, but not inside the `fixed` nodes."""
        at = text.line_start(self.data, start)
        if at < start and not text.starts_line(self.data, start):
            at = text.next_line(self.data, start)
        lines = []
        while at < end:
            following = text.next_line(self.data, at)
            is_blank = not self.data[at:following].strip()
            is_directive = self.data[at : at + 1] == b"#" or self.data[at : at + 2] == b"//"  # So is what an editor has taken out.
            inside = any(node.start < at < node.end for node in fixed)
            if not (is_blank or is_directive or inside):
                lines.append(at)
            if following <= at:
                break
            at = following
        blanks = [text.indentation(self.data, each) for each in lines]
        if not self._mixed and all(each.startswith("\t") for each in blanks) and len({bool(each.strip("\t")) for each in blanks}) == 2:
            self._indents.update(dict.fromkeys(lines, "\t"))  # Some stand at places of their own behind tabs: all keep theirs.
            return
        first = next((len(each) for each in blanks if each and not each.strip(" ")), 0)
        self._indents.update((self._behind_tabs(each), self._step_of(each, first)) for each in lines)

    def _step_of(self, at: int, first: int) -> str:
        """How a line that begins at an offset is moved in: by a tab where it is indented by tabs alone, by blanks where by blanks alone
        (as the first such line, of so many, tells), whatever others are."""
        blanks = text.indentation(self.data, at)
        if self.unit == "\t" and not self._mixed and blanks and not blanks.strip(" "):
            return "  " if first % 4 else "    "
        return "\t" if not self._mixed and blanks and not blanks.strip("\t") else self.unit

    def _behind_tabs(self, at: int) -> int:
        """Where a line that begins at an offset is moved in: blanks before a tab would not show."""
        blanks = text.indentation(self.data, at)
        if self._mixed or (" " in blanks and blanks.endswith("\t")):  # As what is written beside it.
            return at + len(blanks)
        tabs = blanks.rfind("\t") + 1
        return at + tabs if "\t" not in self.unit and tabs < len(blanks) else at

    def has_braces_below(self) -> bool:
        """Whether what is written gets its braces on lines of their own."""
        return braces_of(self.data, max(self._at, 0)).below

    def texts(self) -> list[str]:
        """What is written so far."""
        return [edit.text for edit in self._edits]

    def edits(self) -> tuple[Edit, ...] | None:
        """The edits, sorted; None where two of them overlap."""
        found = list(self._edits)
        for at, unit in self._indents.items():
            if not any(start <= at < end for start, end in self._removed):
                self._merge_indent(found, at, unit)
        found = [Edit(edit.span, text.with_ending(self._styled(edit), self._ending(edit.span))) for edit in found]
        found = sorted(edit for edit in found if edit.text or edit.span.end > edit.span.start)
        if not is_disjoint(found):
            return None
        return self._tabbed(found) if self._mixed else tuple(found)

    def _tabbed(self, edits: list[Edit]) -> tuple[Edit, ...]:
        """The same edits, with the indentation of the lines that they begin, or move, written with tabs."""
        after = apply(self.data, edits)
        written: dict[int, Edit] = {}
        for start, end in inserted(edits):
            at = text.line_start(after, start)
            while at < end:
                blanks = text.indentation(after, at)
                if start <= at + len(blanks) and after[at + len(blanks) : at + len(blanks) + 1] not in (b"\n", b"\r"):
                    written[at] = Edit(Span(self.path, at, at + len(blanks)), text.tabbed(blanks))
                at = text.next_line(after, at)
                if at >= len(after):
                    break
        return minimal(self.data, compose(self.data, self.path, edits, tuple(written.values())))

    def _styled(self, edit: Edit) -> str:
        """The text of an edit with the braces of the file, and with blanks inside of parentheses where it has them; those of C are written as
        they are."""
        words = padded(edit.text) if self.path.endswith(".java") and is_padded(self.data) else edit.text
        if not self.path.endswith(".java") or "{" not in words:
            return words
        return placed(words, self.data, edit.span.start, braces_of(self.data, self._at if self._at >= 0 else edit.span.start))

    def _ending(self, span: Span) -> str:
        """The line ending around an edit; lines that go in between two end as the one before."""
        is_between = span.start == span.end and span.start > 0 and self.data[span.start - 1 : span.start] == b"\n"
        return text.line_ending(self.data, span.start - 1 if is_between else span.start)

    def _merge_indent(self, found: list[Edit], at: int, unit: str) -> None:
        """An indentation where other text goes in comes after that text; before it, where that is no line of its own."""
        for index, edit in enumerate(found):
            if edit.span.start == edit.span.end == at:
                found[index] = Edit(edit.span, unit + edit.text if at > text.line_start(self.data, at) else edit.text + unit)
                return
        found.append(Edit(Span(self.path, at, at), unit))
