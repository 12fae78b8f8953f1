"""All models in force: built-in files, read when a name of theirs is asked for, and a repository's own.

What several entries of one call say adds up; a repository's entry for a call replaces the built-in
ones. A name without an entry may still be covered by a package's default (`java.**` borrows).
"""

from __future__ import annotations

import fnmatch
import functools
import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from analyzers.specs.entries import CallEntry, ResourceEntry, SpecFile, decode, header
from analyzers.specs.errors import SpecError, unknown
from analyzers.specs.expand import Owner, expand, kept_by_the_first, perhaps_retained, within
from analyzers.specs.families import family_resources, family_retains
from analyzers.specs.names import MAX_VARIABLE_ARGUMENTS, fit, split_names, split_signature
from analyzers.specs.resources import Resource, acquire_entries, build_resource, release_entries
from analyzers.summaries import SCOPED, Effects, Transfer

_ANY = "*"
"""What a key begins with that stands for all names with one ending (`*_RB_INSERT`)."""

_KEEPING = frozenset((
    "adopt", "attach", "cache", "enqueue", "keep", "own", "post", "push", "put", "register", "save", "stash", "steal", "take",
))
"""Words in names of functions of C that have no entry: a program may have such a one under a library's prefix (`event_post(queue, event)`)."""

_FILLING = tuple(f"*{verb}*" for verb in ("push", "add", "insert", "set", "append", "prepend", "assign", "put", "attach", "pack"))
"""Names of functions of C that put their arguments into the first of them, and do not keep that one."""

_ENDING = frozenset(("clear", "close", "delete", "destroy", "dispose", "free", "release", "steal", "take", "unref"))
"""Words in names of functions of C that end what they are passed, whoever has written them in a library's style."""

_CALLED_BACK = ("Callback", "CompletionHandler", "Promise", "Subscriber")
"""How types of Java end that are told when a call is done, perhaps long after it has returned: no package's default speaks of such calls."""

_LATER = (
    "execute*", "submit*", "schedule*", "start*", "enqueue*", "resume*", "async*", "invokelater*", "runlater*", "*Async", "*Later", "defer*",
)
"""Names of methods of Java that have something done with what they get, by somebody else and perhaps when they have returned, whoever wrote them."""

CLOSEABLE = "closeable"
"""The resource that `close()` of AutoCloseable releases."""

ALWAYS, WHEN_NEEDED, OWN = range(3)
"""Ranks of files: ours that are read at once, ours that are read for their prefixes, the repository's own."""


class SpecSource(msgspec.Struct, frozen=True):
    """The text of one file, its rank, and what all names in it begin with."""

    path: str
    text: str
    rank: int
    prefixes: tuple[str, ...] = ()

    @property
    def is_own(self) -> bool:
        """Whether it is the repository's, not one of ours."""
        return self.rank == OWN


class Binding(msgspec.Struct, frozen=True):
    """One entry under one of its names."""

    name: str
    pattern: tuple[str, ...] | None
    entry: CallEntry
    owner: Owner
    source: SpecSource

    def expand(self, library: SpecLibrary) -> Effects:
        """The entry's Effects for this name, or SpecError."""
        try:
            effects = expand(self.entry, self.owner, library.find_resource)
        except ValueError as error:
            raise SpecError(self.source.path, f"`{self.name}`", str(error)) from None
        return effects if self.pattern is None else within(effects, len(self.pattern))


class _Part(msgspec.Struct, frozen=True, order=True):
    """What one table says of a resource; smaller ones speak first."""

    rank: int
    path: str
    ordinal: int
    resource: Resource


def built_in(path: str, text: str) -> SpecSource:
    """A file of ours."""
    prefixes = tuple(split_names(header(path, text).prefixes))
    return SpecSource(path, text, WHEN_NEEDED if prefixes else ALWAYS, prefixes)


def own(path: str, text: str) -> SpecSource:
    """A file of the repository."""
    return SpecSource(path, text, OWN)


class SpecLibrary:
    """Answers what a call does, and what a resource or a type is."""

    def __init__(self, sources: Sequence[SpecSource]) -> None:
        self._sources = tuple(sources)
        self._pending: list[SpecSource] = []
        self._begins: tuple[str, ...] = ()
        self._bindings: dict[str, list[Binding]] = {}
        self._spellings: list[tuple[str, str]] = []
        self._endings: dict[str, list[Binding]] = {}
        self._effects: dict[tuple[str, tuple[str, ...] | None], Effects] = {}
        self._resources: dict[str, list[_Part]] = {}
        self._types: dict[str, str] = {}
        self._exempt: dict[str, tuple[str, str]] = {}
        self._settled: set[str] = set()
        self._above: dict[str, tuple[str, ...]] = {}
        self._owners: set[str] = set()
        self._closing: dict[tuple[str, str], tuple[str, ...]] = {}
        self._constants: dict[str, str] = {}
        self._defaults: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._lengths: tuple[int, ...] = ()
        """How long what stands in `_defaults` is, the longest first."""
        self._models: dict[tuple[tuple[str, ...], tuple[str, ...]], Effects | None] = {}
        for source in self._sources:
            if source.rank == WHEN_NEEDED:
                self._pending.append(source)
            else:
                self._read(source)
        self._count_begins()
        for binding in [b for group in self._bindings.values() for b in group if b.source.is_own]:
            binding.expand(self)

    # --- calls

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """The Effects of the first name with an entry that fits the parameter types («» = not known)."""
        key = (names, parameters)
        if key not in self._models:
            found = self._find_model(names, parameters)
            self._models[key] = found
        return self._models[key]

    def _find_model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        for name in names:
            found = self._entry(name, parameters)
            if found is not None:
                return found
        return next((rule for name in names if (rule := self._default(name, parameters)) is not None), None)

    def model_digest(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> bytes:
        """A digest of what `model` answers; empty where it answers None."""
        effects = self.model(names, parameters)
        return b"" if effects is None else hashlib.blake2b(msgspec.msgpack.encode(effects), digest_size=12).digest()

    @functools.cached_property
    def digest(self) -> str:
        """A digest of the text of all files in force."""
        sums = hashlib.blake2b(digest_size=16)
        for source in self._sources:
            sums.update(f"{source.path}\0{len(source.text)}\0{source.text}".encode())
        return sums.hexdigest()

    def _entry(self, name: str, parameters: tuple[str, ...]) -> Effects | None:
        """What the entries of a name say, of its ending, or of the name that it spells in another way."""
        if self._pending:
            self._read_for(name)
        group = self._bindings.get(name.rstrip(SCOPED))
        if group is not None:
            return self._best(name, group, parameters)
        ending = max(filter(name.endswith, self._endings), key=len, default="")
        if ending:
            return self._best(name, self._endings[ending], parameters)
        for before, after in self._spellings:
            if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
                return self._entry(name[len(before) : len(name) - len(after)], parameters)
        return None

    def _best(self, name: str, group: list[Binding], parameters: tuple[str, ...]) -> Effects | None:
        first = group[0]
        if len(group) == 1 and first.pattern is None:
            return self._expanded(name, None, group)
        scores = {binding.pattern: fit(binding.pattern, parameters) for binding in group}
        pattern = max(scores, key=lambda p: scores[p])
        return self._expanded(name, pattern, group) if scores[pattern] else None

    def _expanded(self, name: str, pattern: tuple[str, ...] | None, group: list[Binding]) -> Effects:
        key = (name, pattern)
        effects = self._effects.get(key)
        if effects is None:
            same = sorted((b for b in group if b.pattern == pattern), key=lambda b: b.source.path)
            parts = [binding.expand(self) for binding in same]
            effects = parts[0] if len(parts) == 1 else _united(parts, same[0])
            effects = self._enabled(effects, name.endswith(SCOPED))
            self._effects[key] = effects = _unfailing(effects) if name.endswith(SCOPED * 2) else effects
        return effects

    def _enabled(self, effects: Effects, with_scoped: bool) -> Effects:
        """Effects without what they acquire of resources that are not looked for."""
        kept = tuple(t for t in effects.transfers if t.entry or self._is_enabled(t.resource, with_scoped))
        return effects if len(kept) == len(effects.transfers) else msgspec.structs.replace(effects, transfers=kept)

    def _is_enabled(self, resource: str, with_scoped: bool) -> bool:
        parts = self._resources[resource]
        last = max(parts)
        speaker = (last if last.rank == OWN else min(parts)).resource
        return speaker.is_enabled and (with_scoped or not speaker.is_scoped)

    def _default(self, name: str, parameters: tuple[str, ...]) -> Effects | None:
        found = self._by_rule(name, parameters)
        return found if found is None or "." in name else msgspec.structs.replace(found, is_rule=True)

    def _by_rule(self, name: str, parameters: tuple[str, ...]) -> Effects | None:
        if name.endswith(".<init>") and name.removesuffix(".<init>") in self._exempt:
            return Effects()
        rule = next((self._defaults[name[:end]] for end in self._lengths if name[:end] in self._defaults), None)
        if rule is None or ("." not in name and not _ENDING.isdisjoint(name.lower().split("_"))):
            return None
        method = name.rpartition(".")[2]
        keeping, silent = rule
        if _is_like(method, silent) or any(each.partition("<")[0].endswith(_CALLED_BACK) for each in parameters):
            return None
        may_keep = "." not in name and not _KEEPING.isdisjoint(name.lower().split("_"))
        is_later = "." in name and _is_like(method, _LATER)
        if not may_keep and not is_later and not _is_like(method, keeping):
            return Effects()
        arity = len(parameters) or _arity(name)
        is_filled = "." not in name and _is_like(method.lower(), _FILLING)
        return kept_by_the_first(arity) if is_filled else perhaps_retained(arity)

    # --- resources and types

    def resource(self, name: str) -> Resource | None:
        """The facts of a resource; None where no file declares it."""
        self._read_pending([each for each in self._pending if name in each.text])
        parts = self._resources.get(name)
        return _whole(parts) if parts else None

    def find_resource(self, name: str) -> Resource:
        """What the file that describes a resource says of it; its lists may go on in others. ValueError names the
        nearest name where no file declares it."""
        if name not in self._resources:
            self.read_all()
        if name not in self._resources:
            raise ValueError(unknown("resource", name, self._resources))
        return min(self._resources[name]).resource

    def is_closeable(self, type_name: str) -> bool | None:
        """Whether objects of a Java type are to be closed: False where it is exempt, None where no file says."""
        resource = self.resource_of_type(type_name)
        if resource:
            return True if resource == CLOSEABLE else None
        return False if type_name in self._exempt else None

    def resource_of_type(self, type_name: str) -> str:
        """The resource that objects of a Java type are; empty where no file says."""
        if self._pending:
            self._read_for(type_name)
        return self._types.get(type_name, "")

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """The direct supertypes of a Java type whose declaration is not there; those that a file tells of."""
        if self._pending:
            self._read_for(type_name)
        return self._above.get(type_name, ())

    def is_known_type(self, type_name: str) -> bool:
        """Whether a file says anything of a Java type."""
        if self._pending:
            self._read_for(type_name)
        return any(type_name in table for table in (self._types, self._exempt, self._above, self._owners))

    def closing_throws(self, type_name: str, method: str) -> tuple[str, ...] | None:
        """What the method that ends an object of a Java type declares, in all versions of its library; None where no file says."""
        if self._pending:
            self._read_for(type_name)
        return self._closing.get((type_name, method))

    def is_wrapper_type(self, type_name: str) -> bool:
        """Whether a constructor of the type wraps an argument: closing the object closes that one."""
        name = f"{type_name}.<init>"
        if self._pending:
            self._read_for(name)
        return any(binding.entry.wrapper != [] for binding in self._bindings.get(name, ()))

    def constant(self, name: str) -> str:
        """The literal operand that a macro of a system header stands for (`MAP_FAILED`); empty where unknown."""
        return self._constants.get(name, "")

    # --- all of it

    @property
    def sources(self) -> tuple[SpecSource, ...]:
        """The files in force."""
        return self._sources

    def read_all(self) -> None:
        """Read the files that were not needed so far."""
        self._read_pending(list(self._pending))

    def bindings(self) -> Iterator[Binding]:
        """Every entry in force under each of its names, sorted by name."""
        self.read_all()
        for name in sorted(self._bindings):
            yield from self._bindings[name]
        for ending in sorted(self._endings):
            yield from self._endings[ending]

    def resources(self) -> tuple[Resource, ...]:
        """All resources, sorted by name."""
        self.read_all()
        return tuple(_whole(self._resources[name]) for name in sorted(self._resources))

    def exempt_types(self) -> tuple[tuple[str, str, str], ...]:
        """(type, reason, file) of the types that need no release, sorted."""
        self.read_all()
        return tuple((name, *self._exempt[name]) for name in sorted(self._exempt))

    def _read_for(self, name: str) -> None:
        if name.startswith(self._begins):
            self._read_pending([each for each in self._pending if name.startswith(each.prefixes)])

    def _read_pending(self, wanted: Sequence[SpecSource]) -> None:
        for source in wanted:
            self._pending.remove(source)
            self._read(source)
        if wanted:
            self._count_begins()

    def _count_begins(self) -> None:
        """With what names begin that some file is still to be read for: most of what is asked begins otherwise."""
        self._begins = tuple(dict.fromkeys(each for source in self._pending for each in source.prefixes))

    def _read(self, source: SpecSource) -> None:
        self._models.clear()
        tables = decode(source.path, source.text)
        self._constants.update({name: f"={value}" for name, value in tables.constants.items()})
        for rule in tables.default:
            end = "." if tables.language == "java" else ""
            keeping, silent = tuple(split_names(rule.may_retain)), tuple(split_names(rule.except_))
            for package in split_names(rule.packages):
                self._defaults[f"{package}{end}"] = (keeping, silent)
        if tables.default:
            self._lengths = tuple(sorted(set(map(len, self._defaults)), reverse=True))
        for spelling in split_names(tables.spellings):
            before, _, after = spelling.partition("%")
            self._spellings.append((before, after))
        for exempt in tables.exempt:
            for type_name in split_names(exempt.types):
                if self._may_settle(type_name, source):
                    self._exempt[type_name] = (exempt.reason, source.path)
                    self._types.pop(type_name, None)
        for table in tables.type:
            above = tuple(split_names(table.extends))
            for type_name in split_names(table.types):
                known = () if source.is_own else self._above.get(type_name, ())
                self._above[type_name] = tuple(dict.fromkeys((*known, *above)))
        for closing in tables.closing:
            thrown = tuple(each for each in split_names(closing.throws) if each != "nothing")
            self._closing.update({(type_name, closing.method): thrown for type_name in split_names(closing.types)})
        self._read_resources(tables, source)
        for entry in tables.call:
            self._bind(entry, Owner("", tables.language), source)
        for family in tables.family:
            self._bind(family_retains(family), Owner("", tables.language, is_conventional=True), source)

    def _read_resources(self, tables: SpecFile, source: SpecSource) -> None:
        for family in tables.family:
            for table in family_resources(family):
                self._read_resource(table, Owner("", tables.language, table.name, is_conventional=True), source)
        for table in tables.resource:
            self._read_resource(table, Owner("", tables.language, table.name), source)

    def _read_resource(self, table: ResourceEntry, owner: Owner, source: SpecSource) -> None:
        try:
            resource = build_resource(table, owner.language, source.path)
        except ValueError as error:
            raise SpecError(source.path, f"resource `{table.name}`", str(error)) from None
        parts = self._resources.setdefault(table.name, [])
        parts.append(_Part(source.rank, source.path, len(parts), resource))
        for type_name in resource.types:
            if self._may_settle(type_name, source):
                self._types[type_name] = table.name
                self._exempt.pop(type_name, None)
        for entry in (*acquire_entries(table), *release_entries(table)):
            self._bind(entry, owner, source)

    def _may_settle(self, type_name: str, source: SpecSource) -> bool:
        """Whether a file may say what a type is: a repository's own always, ours where it is silent."""
        if source.is_own:
            self._settled.add(type_name)
        return source.is_own or type_name not in self._settled

    def _bind(self, entry: CallEntry, owner: Owner, source: SpecSource) -> None:
        for key in split_names(entry.call):
            name, pattern = split_signature(key)
            named = msgspec.structs.replace(owner, name=name)
            self._owners.add(name.rpartition(".")[0])
            binding = Binding(name, pattern, entry, named, source)
            table, place = (self._endings, name[1:]) if name[0] == _ANY else (self._bindings, name)
            group = table.setdefault(place, [])
            same = [other for other in group if other.pattern == pattern]
            if any(other.source.is_own for other in same) and not source.is_own:
                continue
            if source.is_own:
                group[:] = [other for other in group if other.pattern != pattern or other.source.is_own]
            group.append(binding)


def _whole(parts: list[_Part]) -> Resource:
    """A resource of several tables: the first describes it, the others add acquisitions, releases and types."""
    first, *more = (part.resource for part in sorted(parts))
    last = max(parts)
    return msgspec.structs.replace(
        first,
        types=(*first.types, *(name for each in more for name in each.types)),
        acquires=(*first.acquires, *(name for each in more for name in each.acquires)),
        releases=(*first.releases, *(release for each in more for release in each.releases)),
        is_enabled=last.resource.is_enabled if last.rank == OWN else first.is_enabled,
    )


def _unfailing(effects: Effects) -> Effects:
    """Effects whose acquisitions succeed whatever the call returns."""
    transfers = tuple([
        each if each.entry else msgspec.structs.replace(each, outcomes=tuple([msgspec.structs.replace(one, when=()) for one in each.outcomes]))
        for each in effects.transfers
    ])
    return msgspec.structs.replace(effects, transfers=transfers)


def _united(parts: list[Effects], where: Binding) -> Effects:
    """The Effects of several entries of one call."""
    transfers: dict[tuple[object, ...], Transfer] = {}
    for transfer in (t for part in parts for t in part.transfers):
        place = transfer.outcomes[0].paths if not transfer.entry else ()
        key = (transfer.entry, transfer.resource, place)
        if transfers.setdefault(key, transfer) != transfer:
            path = ".".join(transfer.entry)
            raise SpecError(where.source.path, f"`{where.name}`", f"two entries disagree about `{path}`")
    return Effects(
        transfers=tuple(transfers.values()),
        reads=tuple(dict.fromkeys(path for part in parts for path in part.reads)),
        writes=tuple(dict.fromkeys(path for part in parts for path in part.writes)),
        retains=tuple(dict.fromkeys(path for part in parts for path in part.retains)),
        aliases=tuple(dict.fromkeys(root for part in parts for root in part.aliases)),
        invokes=tuple(dict.fromkeys(root for part in parts for root in part.invokes)),
        throws=tuple(dict.fromkeys(name for part in parts for name in part.throws)),
        returns=next((part.returns for part in parts if part.returns != "normal"), "normal"),
        result=tuple(dict.fromkeys(condition for part in parts for condition in part.result)),
        is_known=all(part.is_known for part in parts),
        sizes=tuple(dict.fromkeys(root for part in parts for root in part.sizes)),
        type=next((part.type for part in parts if part.type), ""),
        is_pure=all(part.is_pure for part in parts),
        inner=tuple(dict.fromkeys(root for part in parts for root in part.inner)),
        is_fresh=any(part.is_fresh for part in parts),
        needs=tuple(dict.fromkeys(root for part in parts for root in part.needs)),
        cases=next((part.cases for part in parts if part.cases), ()),
        is_apart=any(part.is_apart for part in parts),
        whole=tuple(dict.fromkeys(root for part in parts for root in part.whole)),
    )


def _is_like(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _arity(name: str) -> int:
    """How many arguments a call may have whose parameters nobody knows: none in Java, where that would be known."""
    return 0 if "." in name else MAX_VARIABLE_ARGUMENTS
