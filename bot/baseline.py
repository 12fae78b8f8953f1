"""`.leakmend/baseline.json`: findings that somebody decided to live with, one a line, sorted."""

from __future__ import annotations

import msgspec

from analyzers.tree import Tree
from bot.errors import CannotRun
from bot.trees import BASELINE_FILE

SCHEMA = "leakmend-baseline/1"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One ignored finding. Only the fingerprint decides; the rest is for people who read the file."""

    fingerprint: str
    rule: str = ""
    path: str = ""
    procedure: str = ""
    reason: str
    date: str


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    schema: str = SCHEMA
    findings: tuple[Entry, ...] = ()

    def entry(self, fingerprint: str) -> Entry | None:
        """The entry of a finding."""
        return next((entry for entry in self.findings if entry.fingerprint == fingerprint), None)

    def with_entry(self, added: Entry) -> Baseline:
        """This baseline and one more finding; an earlier entry of the same finding is replaced."""
        kept = [entry for entry in self.findings if entry.fingerprint != added.fingerprint]
        return Baseline(findings=tuple(sorted([*kept, added], key=_order)))

    def text(self) -> bytes:
        """The file: one finding a line, so that merges and diffs are easy to read."""
        rows = [b" " + msgspec.json.encode(entry) for entry in sorted(self.findings, key=_order)]
        head = b'{"schema": ' + msgspec.json.encode(SCHEMA) + b', "findings": ['
        return head + b"".join((b"\n" if index == 0 else b",\n") + row for index, row in enumerate(rows)) + b"\n]}\n"


def _order(entry: Entry) -> tuple[str, str, str, str]:
    return entry.path, entry.procedure, entry.rule, entry.fingerprint


def from_tree(settings: Tree) -> Baseline:
    """The baseline that a tree holds; an empty one where it holds none."""
    if all(path != BASELINE_FILE for path, _ in settings.paths()):
        return Baseline()
    return parse(settings.read(BASELINE_FILE), BASELINE_FILE)


def parse(content: bytes, name: str) -> Baseline:
    """Read the text of a baseline file. CannotRun with one line where it is wrong."""
    try:
        baseline = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CannotRun(f"{name}: not a baseline: {str(error)[:1].lower()}{str(error)[1:]}") from None
    if baseline.schema != SCHEMA:
        raise CannotRun(f"{name}: schema {baseline.schema!r} is not {SCHEMA!r}: written by another version of leakmend")
    return baseline
