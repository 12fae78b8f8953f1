"""The diff of a pull request as GitHub sees it: which lines may bear a comment.

Written apart from the bot's own reader of diffs, so that the two check each other.
"""

from __future__ import annotations

import re

import msgspec

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Hunk(msgspec.Struct, frozen=True):
    """One hunk: its text, and per line (mark, line on the left or 0, line on the right or 0, text)."""

    header: str
    rows: tuple[tuple[str, int, int, str], ...]

    @property
    def left_start(self) -> int:
        """Its first line on the left."""
        found = _HEADER.match(self.header)
        assert found
        return int(found[1])

    def has(self, side: str, line: int) -> bool:
        """Whether a line of a side may bear a comment: added or context on the right, removed or context on the left."""
        return self._row(side, line) is not None

    def _row(self, side: str, line: int) -> int | None:
        for number, (mark, left, right, _) in enumerate(self.rows):
            if (side == "RIGHT" and mark in " +" and right == line) or (side == "LEFT" and mark in " -" and left == line):
                return number
        return None

    def text_to(self, side: str, line: int) -> str:
        """The hunk down to a line, as `diff_hunk` shows it."""
        last = self._row(side, line)
        kept = self.rows if last is None else self.rows[: last + 1]
        return "\n".join([self.header, *(mark + text for mark, _, _, text in kept)])

    def removes_between(self, first: int, last: int) -> bool:
        """Whether removed lines lie between two lines of the right: a suggestion over them cannot be applied."""
        start, end = self._row("RIGHT", first), self._row("RIGHT", last)
        return start is None or end is None or any(mark == "-" for mark, *_ in self.rows[start : end + 1])


class FileDiff(msgspec.Struct, frozen=True):
    """What a pull request does to one file."""

    path: str
    previous: str
    status: str
    patch: str
    hunks: tuple[Hunk, ...]

    @property
    def additions(self) -> int:
        """Lines added."""
        return sum(mark == "+" for hunk in self.hunks for mark, *_ in hunk.rows)

    @property
    def deletions(self) -> int:
        """Lines removed."""
        return sum(mark == "-" for hunk in self.hunks for mark, *_ in hunk.rows)

    def hunk(self, side: str, line: int) -> Hunk | None:
        """The hunk that a line lies in."""
        return next((hunk for hunk in self.hunks if hunk.has(side, line)), None)


def parse(diff: str) -> tuple[FileDiff, ...]:
    """The files of `git diff`, in order. Only a line feed ends a line."""
    sections: list[list[str]] = []
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            sections.append([])
        if sections:
            sections[-1].append(line)
    return tuple(_file(section) for section in sections)


def _file(section: list[str]) -> FileDiff:
    start = next((number for number, line in enumerate(section) if line.startswith("@@ ")), len(section))
    status, old, new = "modified", "", ""
    for line in section[1:start]:
        key, _, rest = line.partition(" ")
        match key:
            case "new":
                status = "added"
            case "deleted":
                status = "removed"
            case "rename":
                status = "renamed"
                way, _, name = rest.partition(" ")
                old, new = (name, new) if way == "from" else (old, name)
            case "---" | "+++" if rest != "/dev/null":
                name = _unquoted(rest.removesuffix("\t"))[2:]  # git ends names with blanks by a tab
                old, new = (name, new) if key == "---" else (old, name)
    if not old and not new:
        old = new = section[0].split(" b/", 1)[1]
    hunks = _hunks(section[start:])
    patch = "\n".join(section[start:]).rstrip("\n")
    path = old if status == "removed" else new
    return FileDiff(path, old if status == "renamed" else "", status, patch, hunks)


def _unquoted(name: str) -> str:
    """A name as it is: git quotes those that hold quotes, backslashes or control characters."""
    return name[1:-1].encode().decode("unicode_escape") if name.startswith('"') else name


def _hunks(lines: list[str]) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    header, rows, left, right = "", [], 0, 0
    for line in [*lines, "@@ -0 +0 @@"]:
        found = _HEADER.match(line)
        if found:
            if header:
                hunks.append(Hunk(header, tuple(rows)))
            header, rows, left, right = line, [], int(found[1]), int(found[3])
            continue
        mark = line[:1]
        if mark == "+":
            rows.append((mark, 0, right, line[1:]))
            right += 1
        elif mark == "-":
            rows.append((mark, left, 0, line[1:]))
            left += 1
        elif mark == " ":
            rows.append((mark, left, right, line[1:]))
            left, right = left + 1, right + 1
    return tuple(hunks)
