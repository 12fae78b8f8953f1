"""Which findings of the base are those of the head: what is introduced is what has no partner.

One to one, in passes, each over what the one before left: same place (acquisition line through the diff) and
procedure; same rule, procedure, resource and acquisition text; same place and text, another kind; same place, moved from one procedure to another; those
in lines that were rewritten in place, with most of their words, or lost by the same variable (another kind only at the same old line); then the
same acquisition in a procedure that similarity calls renamed or moved; then the same acquisition of the same variable that has left one
procedure of a file for another.
Reports too much as introduced when an acquisition is rewritten and moved at once. New ways on which a leak that was there
before is lost are the affair of `widening`.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence

import msgspec

from analyzers.finding import Finding
from analyzers.source import LineIndex, Span
from bot.hunks import FileDiff

MIN_SIMILARITY = 0.5
"""Share of lines in common from which a procedure counts as renamed or moved: what git asks of files."""


class Side(msgspec.Struct, frozen=True):
    """One tree as alignment sees it: bytes of a file, and of a procedure (None where there is no such)."""

    read: Callable[[str], bytes]
    procedure: Callable[[str, str], bytes | None]


class Alignment(msgspec.Struct, frozen=True):
    """`partner[i]` is the index of the baseline finding that finding i of the head is, or None.

    `gone` are the indices of baseline findings without a partner.
    """

    partner: tuple[int | None, ...]
    gone: tuple[int, ...]


def align(
    known: Sequence[Finding], found: Sequence[Finding], files: Sequence[FileDiff], base: Side, head: Side
) -> Alignment:
    """Match the findings of the base (`known`) and of the head (`found`)."""
    return _Matcher(known, found, files, base, head).run()


class _Matcher:
    def __init__(
        self, known: Sequence[Finding], found: Sequence[Finding], files: Sequence[FileDiff], base: Side, head: Side
    ) -> None:
        self._known, self._found = known, found
        self._diffs = {file.before: file for file in files if file.before and file.after}
        self._unmapped = {diff.after: before for before, diff in self._diffs.items()}
        self._gone_files = {file.before for file in files if not file.after}
        self._base, self._head = base, head
        self._lines: dict[tuple[int, str], LineIndex] = {}
        self._partner: dict[int, int] = {}
        self._taken: set[int] = set()
        self._places = [self._line(base, finding) for finding in known]
        self._found_lines = [self._line(head, finding) for finding in found]

    def run(self) -> Alignment:
        self._match_places(self._is_same_procedure)
        self._match_keys()
        self._match_places(self._is_same_procedure, kinds=False)
        self._match_places(self._is_moved)
        self._match_rewritten()
        self._match_moved()
        self._match_extracted()
        partner = tuple(self._partner.get(index) for index in range(len(self._found)))
        gone = tuple(index for index in range(len(self._known)) if index not in self._taken)
        return Alignment(partner, gone)

    # --- the passes

    def _match_places(self, may_match: Callable[[Finding, Finding], bool], *, kinds: bool = True) -> None:
        """An untouched acquisition line names its finding. Several on one line go by text, then by their order.

        Without `kinds`, only equal texts match: a call that gives several things (a file and its mapping) is told of once,
        by the thing that is lost most surely, and a change in its error handling may make that another one.
        """
        there: dict[tuple[str, str, str, int], list[int]] = collections.defaultdict(list)
        for index, finding in self._open_found():
            kind = finding.resource if kinds else ""
            there[finding.rule, kind, finding.acquired.path, self._found_lines[index]].append(index)
        for index, finding in sorted(self._open_known(), key=lambda pair: (pair[1].acquired, pair[1].text)):
            line = self._mapped_line(index)
            if line is None:
                continue
            kind = finding.resource if kinds else ""
            on_line = there[finding.rule, kind, self._mapped(finding.acquired.path), line]
            candidates = [other for other in on_line if may_match(finding, self._found[other])]
            same = [other for other in candidates if self._found[other].text == finding.text]
            for other in (same or candidates if kinds else same)[:1]:
                self._pair(index, other)
                on_line.remove(other)

    def _is_same_procedure(self, old: Finding, new: Finding) -> bool:
        return self._mapped(old.path) == new.path and self._renamed(old) == new.procedure

    def _is_moved(self, old: Finding, new: Finding) -> bool:
        """The acquisition left a procedure (or that went) for one that had none like it (or is new).

        A diff may align equal lines of two procedures that each keep theirs: those are not each other's.
        """
        left = self._head.procedure(self._mapped(old.path), self._renamed(old))
        entered = self._in_base(new)
        return not _contains(left, old.text) and not _contains(entered, new.text)

    def _match_keys(self) -> None:
        """Equal keys, nearest lines first, never crossing: acquisitions rarely change places."""
        left: dict[tuple[str, ...], list[int]] = collections.defaultdict(list)
        right: dict[tuple[str, ...], list[int]] = collections.defaultdict(list)
        for index, finding in self._open_known():
            left[_key(self._mapped(finding.path), self._renamed(finding), finding)].append(index)
        for index, finding in self._open_found():
            right[_key(finding.path, finding.procedure, finding)].append(index)
        for key, indices in left.items():
            olds = sorted((self._near_line(index), index) for index in indices)
            news = sorted((self._found_lines[index], index) for index in right.get(key, ()))
            for old, new in _in_order(olds, news):
                self._pair(old, new)

    def _match_rewritten(self) -> None:
        """`super.open(name)` that has become `open(name)` is no new leak; several in their order.

        Nor is what another acquisition puts into a variable that was lost before, at a line that the change left alone.
        """
        olds: dict[tuple[object, ...], list[int]] = collections.defaultdict(list)
        news: dict[tuple[object, ...], list[int]] = collections.defaultdict(list)
        for index, finding in self._open_known():
            diff = self._diffs.get(finding.acquired.path)
            block = diff.block_of_base(self._places[index]) if diff else None
            if block is not None:
                olds[self._mapped(finding.path), self._renamed(finding), finding.rule, block].append(index)
        for index, finding in self._open_found():
            diff = self._diffs.get(self._unmapped.get(finding.acquired.path, ""))
            block = diff.block_of_head(self._found_lines[index]) if diff else None
            if block is not None:
                news[finding.path, finding.procedure, finding.rule, block].append(index)
        for key, old in olds.items():
            fresh = news.get(key, [])
            for left in old:
                for right in [each for each in fresh if self._is_rewritten(left, each)][:1]:
                    self._pair(left, right)
                    fresh.remove(right)

    def _is_rewritten(self, old: int, new: int) -> bool:
        known, found = self._known[old], self._found[new]
        if known.resource == found.resource and _similarity(_words(known), _words(found)) > MIN_SIMILARITY:
            return True
        return self._is_lost_alike(old, new)

    def _is_lost_alike(self, old: int, new: int) -> bool:
        """Whether one variable loses both: things of one kind, or at an exit whose line is the same in base and head."""
        known, found = self._known[old], self._found[new]
        if not known.variable or known.variable != found.variable:
            return False
        if known.resource == found.resource:
            return True
        lost = {self._head_line(exit_) for exit_ in (known.lost, *known.exits)} - {None}
        return any((exit_.path, self._line_of(self._head, exit_)) in lost for exit_ in (found.lost, *found.exits))

    def _match_moved(self) -> None:
        """Procedures that only one side has, most similar first, with the same acquisitions in both."""
        olds: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
        news: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
        for index, finding in self._open_known():
            if self._head.procedure(self._mapped(finding.path), self._renamed(finding)) is None:
                olds[finding.path, finding.procedure].append(index)
        for index, finding in self._open_found():
            if self._in_base(finding) is None:
                news[finding.path, finding.procedure].append(index)
        for old, new in self._similar(sorted(olds), sorted(news)):
            wanted = {index: _key("", "", self._known[index]) for index in olds[old]}
            offered = {index: _key("", "", self._found[index]) for index in news[new]}
            for key in sorted(set(wanted.values()) & set(offered.values())):
                mine = sorted((self._places[i], i) for i, k in wanted.items() if k == key and i not in self._taken)
                theirs = sorted((self._found_lines[i], i) for i, k in offered.items() if k == key and self._is_open(i))
                for left, right in _in_order(mine, theirs):
                    self._pair(left, right)

    def _match_extracted(self) -> None:
        """What one variable lost in a procedure that is still there, and in another one of the same file now: the lines have moved, though not
        as they stood."""
        news: dict[tuple[str, ...], list[int]] = collections.defaultdict(list)
        for index, finding in self._open_found():
            news[(*_key(finding.path, "", finding), finding.variable)].append(index)
        for index, finding in self._open_known():
            is_there = self._head.procedure(self._mapped(finding.path), self._renamed(finding)) is not None
            fresh = news[(*_key(self._mapped(finding.path), "", finding), finding.variable)] if finding.variable and is_there else []
            for other in [each for each in fresh if self._is_moved(finding, self._found[each])][:1]:
                self._pair(index, other)
                fresh.remove(other)

    def _similar(
        self, olds: Iterable[tuple[str, str]], news: Sequence[tuple[str, str]]
    ) -> list[tuple[tuple[str, str], tuple[str, str]]]:
        """Pairs of procedures that are alike enough, one to one, the most alike first."""
        bodies = {new: _bag(self._head.procedure(*new) or b"") for new in news}
        scored = []
        for old in olds:
            body = _bag(self._base.procedure(*old) or b"")
            for new in news:
                likeness = _similarity(body, bodies[new])
                if likeness >= MIN_SIMILARITY:
                    scored.append((-likeness, old, new))
        pairs: list[tuple[tuple[str, str], tuple[str, str]]] = []
        for _, old, new in sorted(scored):
            if all(old != left and new != right for left, right in pairs):
                pairs.append((old, new))
        return pairs

    # --- from the base to the head

    def _mapped(self, path: str) -> str:
        diff = self._diffs.get(path)
        return diff.after if diff else path

    def _renamed(self, finding: Finding) -> str:
        return _renamed_procedure(finding.procedure, finding.path, self._mapped(finding.path))

    def _in_base(self, finding: Finding) -> bytes | None:
        path = self._unmapped.get(finding.path, finding.path)
        return self._base.procedure(path, _renamed_procedure(finding.procedure, finding.path, path))

    def _mapped_line(self, index: int) -> int | None:
        path = self._known[index].acquired.path
        if path in self._gone_files:
            return None
        diff = self._diffs.get(path)
        return diff.head_line(self._places[index]) if diff else self._places[index]

    def _head_line(self, span: Span) -> tuple[str, int] | None:
        """Where a line of the base is in the head; None where the change touched it."""
        diff = self._diffs.get(span.path)
        line = self._line_of(self._base, span)
        kept = diff.head_line(line) if diff else line
        return (self._mapped(span.path), kept) if kept is not None else None

    def _near_line(self, index: int) -> int:
        diff = self._diffs.get(self._known[index].acquired.path)
        return diff.near_line(self._places[index]) if diff else self._places[index]

    def _line(self, side: Side, finding: Finding) -> int:
        return self._line_of(side, finding.acquired)

    def _line_of(self, side: Side, span: Span) -> int:
        key = (id(side), span.path)
        if key not in self._lines:
            self._lines[key] = LineIndex(side.read(span.path))
        return self._lines[key].line(span.start)

    # --- what is still to be matched

    def _open_known(self) -> list[tuple[int, Finding]]:
        return [(index, finding) for index, finding in enumerate(self._known) if index not in self._taken]

    def _open_found(self) -> list[tuple[int, Finding]]:
        return [(index, finding) for index, finding in enumerate(self._found) if self._is_open(index)]

    def _is_open(self, index: int) -> bool:
        return index not in self._partner

    def _pair(self, old: int, new: int) -> None:
        self._partner[new] = old
        self._taken.add(old)


def _key(path: str, procedure: str, finding: Finding) -> tuple[str, ...]:
    return path, procedure, finding.rule, finding.resource, finding.text


def _renamed_procedure(procedure: str, before: str, after: str) -> str:
    """A name of the form `path:function` follows the file."""
    return after + procedure.removeprefix(before) if procedure.startswith(before + ":") else procedure


def _in_order(olds: Sequence[tuple[int, int]], news: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pair (line, index) lists so that all of the shorter one is used, nothing crosses, and the distances
    are least in sum. Small inputs: equal acquisitions of one procedure."""
    if len(olds) > len(news):
        return [(old, new) for new, old in _in_order(news, olds)]
    # best[j]: least cost of pairing the first i of olds with some of the first j of news, and those pairs
    best: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())] * (len(news) + 1)
    for row, (line, old) in enumerate(olds, start=1):
        fresh: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        for column in range(row, len(news) + 1):
            place, new = news[column - 1]
            cost, pairs = best[column - 1]
            taken = (cost + abs(line - place), (*pairs, (old, new)))
            fresh.append(min(fresh[-1], taken, key=lambda option: option[0]) if fresh else taken)
        best = [(0, ())] * row + fresh
    return list(best[len(news)][1])


def _contains(body: bytes | None, text: str) -> bool:
    """Whether a procedure holds an acquisition of this text, blanks aside."""
    return body is not None and b"".join(text.encode("utf-8", "surrogateescape").split()) in b"".join(body.split())


def _bag(body: bytes) -> collections.Counter[bytes]:
    return collections.Counter(line.strip() for line in body.split(b"\n") if line.strip())


def _words(finding: Finding) -> collections.Counter[bytes]:
    """The names and numbers in an acquisition."""
    text = "".join(each if each.isalnum() or each == "_" else " " for each in finding.text)
    return collections.Counter(text.encode("utf-8", "surrogateescape").split())


def _similarity(left: collections.Counter[bytes], right: collections.Counter[bytes]) -> float:
    """Share of lines or words in common (Dice)."""
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0
