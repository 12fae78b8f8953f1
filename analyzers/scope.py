"""The scope of a change: the procedures that both sides of it are analysed over.

Procedures whose text differs; those with an answer that differs (users of a changed type, macro, field, method, constant:
candidates come from the name index, the answers decide); and callers, as long as the Effects that they see differ.
The same with and without stored results. Misses users of a changed word past `MAX_CANDIDATES` of them
whose linking stays the same.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.changed_names import changed_names
from analyzers.driver import lower
from analyzers.incremental.blobs import without_position
from analyzers.incremental.cells import LINKED
from analyzers.incremental.evaluation import Detector
from analyzers.incremental.program import Program
from analyzers.means import Means, TimeUp
from analyzers.queries import Linked, ProcedureKey
from analyzers.recording import Question
from analyzers.schedule import called_name
from analyzers.summaries import Effects

MAX_WAVES = 6
"""Levels of callers that a change is followed up."""

MAX_CANDIDATES = 300
"""Procedures that mention changed names whose every answer is compared; of more only what linking made of them."""


MAX_SHARERS = 40
"""Procedures that mention a field which a change reads no more; with more of them it is some common word."""


_IN_WORD = re.compile(rb"[\w$\x80-\xff]")


class Scope(msgspec.Struct, frozen=True):
    """The procedures, on each side in the order of its source. Not complete where the time was up before all were found."""

    before: tuple[ProcedureKey, ...]
    after: tuple[ProcedureKey, ...]
    is_complete: bool = True


def scope_of_change(
    before: Program, after: Program, files: Sequence[tuple[str, str]], detectors: Sequence[Detector],
    means: Means | None = None,
) -> Scope:
    """What a change of these files can affect: (path before, path after), empty where there is none. When the time is
    up, what is known to be affected by then."""
    return _Search(before, after, files, detectors, means or Means()).run()


class _Search:
    """The search for the scope. Procedures are known by their key after; `_old` gives the one before."""

    def __init__(
        self, before: Program, after: Program, files: Sequence[tuple[str, str]], detectors: Sequence[Detector],
        means: Means,
    ) -> None:
        self._means = means
        self._is_over = means.is_over
        self._before = before
        self._after = after
        self._files = files
        self._detectors = detectors
        self._to_after = {old: new for old, new in files if old and new}
        self._to_before = {new: old for old, new in self._to_after.items()}
        self._renamed = {path for old, new in self._to_after.items() if old != new for path in (old, new)}
        self._found: dict[ProcedureKey, None] = {}
        self._only_before: dict[ProcedureKey, None] = {}

    def run(self) -> Scope:
        """See `scope_of_change`."""
        self._add_changed_texts()
        is_complete = True
        try:
            with self._before.until(self._is_over), self._after.until(self._is_over):
                self._follow()
        except TimeUp:
            is_complete = False
        old = [self._old(key) for key in self._found] + list(self._only_before)
        return Scope(_in_order(self._before, old), _in_order(self._after, self._found), is_complete)

    def _follow(self) -> None:
        """Add what depends on the changed texts."""
        wave = [*self._found, *self._only_before]
        asked = self._candidates(changed_names(self._before, self._after, self._files), self._unchanged_beside())
        wave += self._add(asked)
        left = MAX_CANDIDATES
        for name in self._no_longer_read():
            mentioned = self._mentioning(self._after, name)
            if len(mentioned) <= min(MAX_SHARERS, left):
                left -= len(mentioned)
                wave += self._add(self._candidates((), mentioned))
        for _ in range(MAX_WAVES):
            moved = sorted(key for key in wave if self._looks_different(key))
            callers = self._resolving(moved)
            wave = self._add(callers)
            if not wave:
                break

    # --- texts

    def _add_changed_texts(self) -> None:
        for old, new in self._files:
            olds = dict.fromkeys(key.name for key in self._before.procedures_of(old)) if old else {}
            news = dict.fromkeys(key.name for key in self._after.procedures_of(new)) if new else {}
            for name in news:
                key = ProcedureKey(new, name)
                if self._after.text_digest(key) != self._before.text_digest(self._old(key)):
                    self._found[key] = None
            for name in olds:
                key = ProcedureKey(old, name)
                if self._new(key).name not in news:
                    self._only_before[key] = None

    def _no_longer_read(self) -> list[str]:
        """The Java fields that the changed texts read before and read no more: who stores into them may keep for nobody."""
        names: set[str] = set()
        for key in (*self._found, *self._only_before):
            old = key if key in self._only_before else self._old(key)
            if self._before.language(old) == "java":
                names |= _loaded(self._before, old) - (_loaded(self._after, key) if key in self._found else set())
        return sorted(names)

    def _unchanged_beside(self) -> Iterable[ProcedureKey]:
        """The procedures of changed files whose own text is the same."""
        return (key for _, new in self._files if new for key in self._after.procedures_of(new))

    # --- answers

    def _candidates(self, names: Sequence[str], beside: Iterable[ProcedureKey]) -> list[ProcedureKey]:
        """Procedures of which an answer differs, among those that mention a changed name."""
        found = dict.fromkeys(beside)
        self._lower(self._after, names)
        for name in names:
            found.update(dict.fromkeys(self._mentioning(self._after, name)))
        known = sorted(key for key in found if key not in self._found and self._before.text_digest(self._old(key)))
        if len(known) > MAX_CANDIDATES:
            return [key for key in known if self._links_differently(key)]
        return [key for key in known if self._links_differently(key) or self._reads_differently(key)]

    def _links_differently(self, key: ProcedureKey) -> bool:
        old = self._old(key)
        if self._before.answer((LINKED, old)) == self._after.answer((LINKED, key)):
            return False
        return not self._renamed or self._put(self._before.linked(old)) != self._put(self._after.linked(key))

    def _put(self, linked: Linked | None) -> Linked | None:
        """A linked procedure as if its file, and those of its callees, had their new names and began with it."""
        if linked is None:
            return None
        targets = {
            node: msgspec.structs.replace(target, procedures=tuple(sorted(self._new(key) for key in target.procedures)))
            for node, target in linked.targets.items()
        }
        body = without_position(linked.body)
        return msgspec.structs.replace(linked, key=self._new(linked.key), body=body, targets=targets)

    def _reads_differently(self, key: ProcedureKey) -> bool:
        """Whether an answer that its analysis read before is another one after. Effects are followed apart."""
        old = self._old(key)
        reads = self._before.reads(old, [each for each in self._detectors if self._before.language(old) in each.languages])
        if self._renamed:
            reads = tuple(
                read for read in reads
                if self._renamed.isdisjoint(_paths(read.question)) and not self._has_same_callers(read.question)
            )
        return not self._after.has_same_answers(reads)

    def _has_same_callers(self, question: Question) -> bool:
        """Whether a question is who calls a function, and the same procedures do but for the names of their files."""
        match question:
            case ("callers", str(name)):
                return {self._new(key) for key in self._before.callers(name)} == set(self._after.callers(name))
            case _:
                return False

    # --- callers

    def _looks_different(self, key: ProcedureKey) -> bool:
        """Whether callers see another procedure than before."""
        if key in self._only_before:
            return True
        old = self._old(key)
        if not self._before.text_digest(old):
            return True
        is_c = self._after.language(key) == "c"
        if is_c and self._before.never_returns(old) != self._after.never_returns(key):
            return True
        return seen_by_callers(self._before.effects(old)) != seen_by_callers(self._after.effects(key))

    def _resolving(self, moved: Sequence[ProcedureKey]) -> list[ProcedureKey]:
        """The procedures whose calls run one of those on either side."""
        after = {key for key in moved if key not in self._only_before}
        before = {self._old(key) for key in after} | {key for key in moved if key in self._only_before}
        names = sorted({word for key in moved for word in self._called(key)})
        found: dict[ProcedureKey, None] = {}
        self._lower(self._after, names)
        self._lower(self._before, names)
        for name in names:
            found.update(dict.fromkeys(self._mentioning(self._after, name)))
            found.update((self._new(key), None) for key in self._mentioning(self._before, name))
        return [
            key for key in found
            if key not in self._found
            and (_runs(self._after, key, after) or _runs(self._before, self._old(key), before))
        ]  # fmt: skip

    def _called(self, key: ProcedureKey) -> set[str]:
        """The words that a call of a procedure may be written with: its name, and fields that hold it."""
        program = self._before if key in self._only_before else self._after
        name = called_name(key.name)
        return {name, *program.places_of(name)} if program.language(key) == "c" else {name}

    def _add(self, keys: Iterable[ProcedureKey]) -> list[ProcedureKey]:
        new = [key for key in keys if key not in self._found and self._after.text_digest(key)]
        self._found.update(dict.fromkeys(new))
        return new

    def _lower(self, program: Program, names: Iterable[str]) -> None:
        """Lower the files that mention one of some names."""
        lower(program, sorted({path for name in names for path in program.sources.mentioning_all(name)}), self._means)

    def _mentioning(self, program: Program, name: str) -> list[ProcedureKey]:
        if self._is_over():
            raise TimeUp
        return mentioning(program, name)

    # --- sides

    def _old(self, key: ProcedureKey) -> ProcedureKey:
        return _moved(key, self._to_before)

    def _new(self, key: ProcedureKey) -> ProcedureKey:
        return _moved(key, self._to_after)


def _loaded(program: Program, key: ProcedureKey) -> set[str]:
    body = program.procedure(key)
    return {node.field.rpartition(".")[2] for node in (body.nodes if body is not None else ()) if isinstance(node, ir.Load)}


def _moved(key: ProcedureKey, paths: Mapping[str, str]) -> ProcedureKey:
    path = paths.get(key.path)
    return ProcedureKey(path, key.name) if path is not None else key


def _paths(question: Question) -> Iterable[str]:
    """The texts in a question that may be paths."""
    return (each.path if isinstance(each, ProcedureKey) else each for each in question if not isinstance(each, int | tuple))


def mentioning(program: Program, word: str) -> list[ProcedureKey]:
    """The procedures whose text holds a word, anywhere in it."""
    found: list[ProcedureKey] = []
    for path in program.sources.mentioning_all(word):
        places = words_in(program.source(path), word)
        if places:
            unit = program.sources.outline(path)
            holding = (each.name for each in (unit.procedures if unit is not None else ()) if _holds(each, places))
            found += [ProcedureKey(path, name) for name in dict.fromkeys(holding)]
    return found


def words_in(text: bytes, word: str) -> list[int]:
    """Where a word begins in a file, not as part of a longer one."""
    written = re.escape(word.encode("utf-8", "surrogatepass"))
    starts = (found.start() for found in re.finditer(written + rb"(?![\w$\x80-\xff])", text))
    return [start for start in starts if not _IN_WORD.match(text, start - 1) or start == 0]


def _holds(procedure: ir.Procedure, places: list[int]) -> bool:
    """Whether one of some places, which are sorted, lies in a procedure."""
    at = bisect.bisect_left(places, procedure.start)
    return at < len(places) and places[at] < procedure.end


def _runs(program: Program, key: ProcedureKey, wanted: set[ProcedureKey]) -> bool:
    called, lambdas = program.called(key)
    names = {each.name for each in wanted if each.path == key.path}
    return not wanted.isdisjoint(called) or not names.isdisjoint(lambdas)


def seen_by_callers(effects: Effects) -> tuple[object, ...]:
    """What of Effects decides the findings of callers: not the places in a file, nor what only proofs ask for."""
    transfers = tuple(
        (each.entry, each.resource, each.type, tuple((o.exit, o.when, o.fate, o.paths, o.certainty) for o in each.outcomes))
        for each in effects.transfers
    )
    known = (effects.aliases, effects.invokes, effects.throws, effects.returns, effects.result, effects.is_known)
    return (transfers, *known)


def _in_order(program: Program, keys: Iterable[ProcedureKey]) -> tuple[ProcedureKey, ...]:
    wanted = set(keys)
    paths = sorted({key.path for key in wanted})
    return tuple(key for path in paths for key in program.procedures_of(path) if key in wanted)
