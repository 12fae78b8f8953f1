"""The scope of a change: the procedures that both sides of it are analysed over.

Procedures whose text differs; those with an answer that differs (users of a changed type, macro, field, method, constant:
candidates come from the name index, the answers decide); and callers, as long as the Effects that they see differ.
The same with and without stored results. Misses users of a changed word past `MAX_CANDIDATES` of them
whose linking stays the same.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.beside import sharing
from analyzers.changed_names import ChangedName, changed_names
from analyzers.driver import lower
from analyzers.incremental.blobs import without_position
from analyzers.incremental.cells import LINKED
from analyzers.incremental.evaluation import Detector
from analyzers.incremental.program import Program
from analyzers.index import TYPE, simple_name
from analyzers.means import Means, TimeUp
from analyzers.queries import Linked, ProcedureKey
from analyzers.recording import Question
from analyzers.schedule import called_name
from analyzers.source import language_of
from analyzers.summaries import Effects

MAX_WAVES = 6
"""Levels of callers that a change is followed up."""

MAX_CANDIDATES = 300
"""Procedures that mention changed names whose every answer is compared; of more only what linking made of them."""


MAX_SHARERS = 40
"""Procedures that mention a field which a change reads no more; with more of them it is some common word."""


_IN_WORD = re.compile(rb"[\w$\x80-\xff]")
_OPENS = re.compile(rb"\s*\(")
_TYPED = re.compile(rb"(?<![\w$\x80-\xff])([\w$\x80-\xff]+)(?:[ \t]*\[[ \t]*\])*[ \t]+$")
_BEFORE_CALLS = frozenset((b"assert", b"case", b"do", b"else", b"instanceof", b"new", b"return", b"throw", b"yield"))
"""Words that a call may follow at once."""

_CONSTRUCTOR = ".<init>("

_BEFORE = 200
"""Bytes of a line before a name that are looked at."""


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
        asked = self._candidates(changed_names(self._before, self._after, self._files))
        wave += self._add(asked)
        left = MAX_CANDIDATES
        for name in self._no_longer_read():
            mentioned = [key for key in self._mentioning(self._after, (ChangedName(name.rpartition(".")[2]),)) if _shares(self._after, key, name)]
            if len(mentioned) <= min(MAX_SHARERS, left):
                left -= len(mentioned)
                wave += self._add(self._differing(mentioned, mentioned))
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
        """The Java fields that the changed texts read before and read no more, static ones with their type: who stores into
        them may keep for nobody."""
        names: set[str] = set()
        for key in (*self._found, *self._only_before):
            old = key if key in self._only_before else self._old(key)
            if self._before.language(old) == "java":
                names |= _loaded(self._before, old) - (_loaded(self._after, key) if key in self._found else set())
        return sorted(names)

    # --- answers

    def _candidates(self, names: Sequence[ChangedName]) -> list[ProcedureKey]:
        """Procedures of which an answer differs, among those that mention a changed name and those of changed files."""
        beside = {key for _, new in self._files if new for key in self._after.procedures_of(new)}
        calling = self._mentioning(self._after, [each for each in names if each.is_override])
        using = set(self._mentioning(self._after, [each for each in names if not each.is_override]))
        words = {each.name for each in names}
        for old, new in self._files:
            if new:
                using |= self._sharing(old, new, words)
        return self._differing({*beside, *calling, *using}, using)

    def _sharing(self, old: str, new: str, names: set[str]) -> set[ProcedureKey]:
        sides = ((self._after, new),) if not old else ((self._before, old), (self._after, new))
        changed = [(self._after, key) for key in self._found if key.path == new]
        changed += [(self._before, self._old(key)) for key in self._found if key.path == new]
        changed += [(self._before, key) for key in self._only_before if key.path == old]
        return sharing(sides, changed, names)

    def _differing(self, keys: Iterable[ProcedureKey], asking: Collection[ProcedureKey]) -> list[ProcedureKey]:
        """Those of some unchanged procedures that link otherwise, or that are `asking` and get another answer."""
        known = sorted(key for key in set(keys) if key not in self._found and self._before.text_digest(self._old(key)))
        is_asked = sum(key in asking for key in known) <= MAX_CANDIDATES
        return [key for key in known if self._links_differently(key) or (is_asked and key in asking and self._reads_differently(key))]

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
        found: dict[ProcedureKey, None] = {}
        for program in (self._after, self._before):
            names = {word for key in moved for word in self._called(key, program)}
            keys = [*self._mentioning(program, names), *self._constructors(program, moved)]
            found.update((self._new(key) if program is self._before else key, None) for key in keys)
        return [
            key for key in found
            if key not in self._found
            and (_runs(self._after, key, after) or _runs(self._before, self._old(key), before))
        ]  # fmt: skip

    def _called(self, key: ProcedureKey, side: Program) -> set[ChangedName]:
        """The words that a call of a procedure may be written with on one side: its name, and fields that hold it."""
        program = self._before if key in self._only_before else self._after
        name = called_name(key.name)
        if program.language(key) == "c":
            return {ChangedName(each) for each in (name, *program.places_of(name))}
        is_private = _is_private(program, key)
        path = key.path if program is side else self._old(key).path
        return {ChangedName(name, path=path if is_private else "", is_method=True)}

    def _constructors(self, program: Program, moved: Iterable[ProcedureKey]) -> list[ProcedureKey]:
        """The constructors of the types of some constructors, and of those below: they call them without their name."""
        types = {key.name.partition(_CONSTRUCTOR)[0] for key in moved if _CONSTRUCTOR in key.name}
        types |= {below for each in types for below in program.subtypes(each)}
        paths = sorted({path for each in types for path in program.sources.files(TYPE, simple_name(each))})
        lower(program, paths, self._means)
        declared = ((path, each) for path in paths if (unit := program.sources.outline(path)) is not None for each in unit.types if each.name in types)
        return [ProcedureKey(path, method.procedure) for path, each in declared for method in each.methods if _CONSTRUCTOR in method.procedure]

    def _add(self, keys: Iterable[ProcedureKey]) -> list[ProcedureKey]:
        new = [key for key in keys if key not in self._found and self._after.text_digest(key)]
        self._found.update(dict.fromkeys(new))
        return new

    def _mentioning(self, program: Program, names: Iterable[ChangedName]) -> list[ProcedureKey]:
        """The procedures whose text holds one of some words, and may mean what is changed."""
        places: dict[str, list[int]] = {}
        for each in sorted(names):
            if self._is_over():
                raise TimeUp
            for path in self._files_with(program, each):
                starts = words_in(program.source(path), each.name)
                if each.is_method and language_of(path) == "java":
                    starts = [start for start in starts if not is_declared(program.source(path), start, len(each.name.encode("utf-8", "surrogatepass")))]
                if starts:
                    places.setdefault(path, []).extend(starts)
        lower(program, sorted(places), self._means)
        return [key for path in sorted(places) for key in _holding(program, path, sorted(places[path]))]

    def _files_with(self, program: Program, each: ChangedName) -> Iterable[str]:
        paths = program.sources.mentioning_all(each.name)
        if each.path:
            return (path for path in paths if path == each.path)
        if not each.beside:
            return paths
        beside = {path for word in each.beside for path in program.sources.mentioning_all(word)}
        return (path for path in paths if path in beside)

    # --- sides

    def _old(self, key: ProcedureKey) -> ProcedureKey:
        return _moved(key, self._to_before)

    def _new(self, key: ProcedureKey) -> ProcedureKey:
        return _moved(key, self._to_after)


def _loaded(program: Program, key: ProcedureKey) -> set[str]:
    """The fields that a procedure reads: `Type.field` of static ones whose type is known."""
    body = program.procedure(key)
    return {_named(node) for node in (body.nodes if body is not None else ()) if isinstance(node, ir.Load)}


def _shares(program: Program, key: ProcedureKey, name: str) -> bool:
    """Whether a procedure reads or stores a field: of the same type where both say so."""
    body = program.procedure(key)
    nodes = body.nodes if body is not None else ()
    return any(_is_one(_named(node), name) for node in nodes if isinstance(node, ir.Load | ir.Store))


def _named(node: ir.Load | ir.Store) -> str:
    owner, _, field = node.field.rpartition(".")
    return f"{simple_name(owner)}.{field}" if owner else field


def _is_one(name: str, other: str) -> bool:
    return name == other or (not ("." in name and "." in other) and name.rpartition(".")[2] == other.rpartition(".")[2])


def _is_private(program: Program, key: ProcedureKey) -> bool:
    """Whether a method of Java can only be called in its own file."""
    unit = program.sources.outline(key.path)
    declared = (method for each in (unit.types if unit is not None else ()) for method in each.methods)
    return any("private" in method.attributes for method in declared if method.procedure == key.name)


def _moved(key: ProcedureKey, paths: Mapping[str, str]) -> ProcedureKey:
    path = paths.get(key.path)
    return ProcedureKey(path, key.name) if path is not None else key


def _paths(question: Question) -> Iterable[str]:
    """The texts in a question that may be paths."""
    return (each.path if isinstance(each, ProcedureKey) else each for each in question if not isinstance(each, int | tuple))


def _holding(program: Program, path: str, places: list[int]) -> list[ProcedureKey]:
    """The procedures of a file that one of some places, which are sorted, lies in."""
    unit = program.sources.outline(path)
    holding = (each.name for each in (unit.procedures if unit is not None else ()) if _holds(each, places))
    return [ProcedureKey(path, name) for name in dict.fromkeys(holding)]


def words_in(text: bytes, word: str) -> list[int]:
    """Where a word begins in a file, not as part of a longer one."""
    written = re.escape(word.encode("utf-8", "surrogatepass"))
    starts = (found.start() for found in re.finditer(written + rb"(?![\w$\x80-\xff])", text))
    return [start for start in starts if not _IN_WORD.match(text, start - 1) or start == 0]


def is_declared(text: bytes, start: int, size: int) -> bool:
    """Whether a method of this name is declared here rather than called: a type, or a modifier, stands before it in its line. Errs towards a call."""
    if not _OPENS.match(text, start + size):
        return False
    line = text[max(text.rfind(b"\n", 0, start) + 1, start - _BEFORE) : start]
    found = _TYPED.search(line)
    return found is not None and found[1] not in _BEFORE_CALLS


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
