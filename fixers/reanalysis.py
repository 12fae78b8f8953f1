"""Asks the detectors again, on the patched text: the changed procedures and whoever reads their Effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from analyzers import Detector, Program, analyze
from analyzers.finding import LEFT_TO_POOL, Finding
from analyzers.queries import ProcedureKey
from fixers.edits import moved
from fixers.fix import Edit

MAX_READERS = 60
"""Procedures that are analysed again because the Effects of a changed one differ."""

Key = tuple[str, str, str, str]


class Reanalysis(msgspec.Struct, frozen=True):
    """What the detectors say now. `is_cut`: not every reader of the changed Effects was asked."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    is_cut: bool
    edits: tuple[Edit, ...] = ()

    def gone(self, finding: Finding) -> bool:
        """Whether the finding is reported less often than before: as such, and at its place where that is kept."""
        if self.keeps(finding):
            return False
        place = finding.acquired
        if any(edit.span.start < place.end and place.start < edit.span.end for edit in self.edits):
            return True
        start = moved(self.edits, place.start)
        before = sum((each.rule, each.acquired.start) == (finding.rule, place.start) for each in self.before)
        after = sum((each.rule, each.acquired.start) == (finding.rule, start) for each in self.after)
        return after < max(1, before)

    def keeps(self, finding: Finding) -> bool:
        """Whether it is reported as often as before as what it is, wherever its place is by now."""
        key = key_of(finding)
        return _counts(self.after)[key] >= max(1, _counts(self.before)[key])

    def added(self) -> Finding | None:
        """A finding that was not there before, the first by its place."""
        known = _counts(self.before)
        for each in self.after:
            known[key_of(each)] -= 1
            if known[key_of(each)] < 0 and each.detail != LEFT_TO_POOL:
                return each
        return None


def key_of(finding: Finding) -> Key:
    """What a finding keeps when text around it moves: rule, place, acquiring expression."""
    return finding.rule, finding.path, finding.procedure, finding.text


def _counts(findings: Sequence[Finding]) -> Counter[Key]:
    return Counter(key_of(each) for each in findings)


def reanalyse(
    program: Program, patched: Program, path: str, edits: Sequence[Edit], detectors: Sequence[Detector] | None, finding: Finding
) -> Reanalysis:
    """Both analyses over the same procedures. Where the changed ones themselves tell that a patch leaves what it is for, no reader is
    asked: no other procedure reports under their names."""
    def told(keys: Sequence[ProcedureKey], *, is_cut: bool = False) -> Reanalysis:
        now = [key for key in keys if key.path != path or key in there]
        return Reanalysis(analyze(program, keys, detectors).findings, analyze(patched, now, detectors).findings, is_cut, tuple(edits))

    changed, there = changed_procedures(program, path, edits), set(patched.procedures_of(path))
    alone = told(changed)
    if alone.keeps(finding):
        return alone
    scope, is_cut = _with_readers(program, patched, changed)
    return told(scope, is_cut=is_cut)


def changed_procedures(program: Program, path: str, edits: Sequence[Edit]) -> tuple[ProcedureKey, ...]:
    """The procedures whose bytes an edit touches; those inside them, too."""
    found = []
    for key in program.procedures_of(path):
        span = program.span(key)
        if any(edit.span.start <= span.end and span.start <= edit.span.end for edit in edits):
            found.append(key)
    return tuple(found)


def _with_readers(
    program: Program, patched: Program, changed: Sequence[ProcedureKey]
) -> tuple[tuple[ProcedureKey, ...], bool]:
    """The procedures and, while Effects differ, their callers: of those that call something of the name the ones that may mean it."""
    scope = dict.fromkeys(changed)
    asked = set(changed)
    work = list(changed)
    while work:
        key = work.pop(0)
        callers = [each for each in program.callers(simple_name(key.name)) if each not in scope]
        if not callers or _same_effects(program, patched, key):
            continue
        for caller in callers:
            if len(asked) >= MAX_READERS:
                return tuple(scope), True
            asked.add(caller)
            if _may_call(program, caller, key):
                scope[caller] = None
                work.append(caller)
    return tuple(scope), False


def _may_call(program: Program, caller: ProcedureKey, key: ProcedureKey) -> bool:
    """Whether a procedure calls another, for all that names and types tell."""
    linked = program.linked(caller)
    return linked is None or any(key in target.procedures for target in linked.targets.values())


def _same_effects(program: Program, patched: Program, key: ProcedureKey) -> bool:
    """Equal but for the places that they name."""
    before, after = program.effects(key), patched.effects(key)
    return before == after or _placeless(before) == _placeless(after)


def _placeless(effects: object) -> object:
    match effects:
        case msgspec.Struct():
            fields = msgspec.structs.asdict(effects)
            return tuple(_placeless(value) for name, value in fields.items() if name not in ("span", "site"))
        case tuple():
            return tuple(_placeless(each) for each in effects)
        case _:
            return effects


def simple_name(procedure: str) -> str:
    """What calls of a procedure are written with: `load` of `com.acme.Dao.load(String)`."""
    name = procedure.partition("(")[0]
    if "<init>" in name:
        name = name.rpartition(".<init>")[0]
    return name.rpartition(":")[2].rpartition(".")[2].rpartition("$")[2]

