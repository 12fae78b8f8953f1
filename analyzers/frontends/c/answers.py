"""What the headers and other files of a tree say about a name of C, as seen from one file.

«Seen from» means: in the file itself, else in headers that it includes, else in its folder, else everywhere (include
paths are not known); of files that are no headers only what has external linkage, and where there is a choice nothing of
another program (two files with a `main`). Says too much where two
libraries of one tree use one name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from typing import Protocol, TypeVar

import msgspec

from analyzers import ir
from analyzers.c_bodies import Facts
from analyzers.frontends.c.constants import constant_of
from analyzers.frontends.c.endless import is_endless
from analyzers.index import (
    CONSTANT,
    ENUMERATOR,
    FUNCTION,
    GLOBAL,
    INITIAL,
    INITIALISED,
    MACRO,
    MEMBER,
    PROTOTYPE,
    RESULT,
    RETURNING,
    STORED,
    TYPE,
    WORD,
    simple_name,
)
from analyzers.queries import ProcedureKey
from analyzers.summaries import Effects

_MOST_USERS = 250
"""Files that use a variable before it is taken to vary."""

_NUMBERS = frozenset(("int", "bool", "_Bool", "unsigned", "unsigned int", "long", "short", "char"))

_PLACES = ("__FILE__", "__LINE__")
"""Macros that say where a call stands."""

_LENT = "get0"
"""What libraries call a function by whose result stays with the object that is asked."""

_DEEPEST = 4
"""Calls that are followed to see whether a function returns, macros to see whether they are constants."""

MAIN = "main"

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Source(Protocol):
    """The files of the tree."""

    def files(self, kind: str, name: str) -> Sequence[str]:
        """The files, sorted, that may declare a name."""

    def declarations(self, path: str, kind: str, name: str) -> ir.Unit | None:
        """The declarations of a file that does declare a name; only those of that name may be read."""

    def own(self, path: str, kind: str, name: str) -> ir.Unit | None:
        """The same for the file that is looked from."""

    def bodies(self, path: str, kind: str, name: str) -> Facts | None:
        """What the bodies of a file say of a name, where they say something."""

    def content(self, path: str) -> str:
        """The text of a file, one character a byte."""

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """A procedure with its body."""

    def visible(self, path: str) -> Set[str]:
        """The headers of the tree that a file includes, and those that they include."""

    def memo(self) -> dict[K, V]:
        """A dictionary for answers that are made of others: asked with `in`, then set."""


class Looks(Protocol):
    """Other answers."""

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`."""

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Queries`."""


class _Names:
    """The declarations of a file by name."""

    __slots__ = ("enumerators", "functions", "globals", "macros", "prototypes", "types")

    def __init__(self, unit: ir.Unit) -> None:
        self.functions: dict[str, list[ir.Procedure]] = {}
        self.prototypes: dict[str, list[ir.MethodDeclaration]] = {}
        self.macros: dict[str, list[ir.Macro]] = {}
        self.types: dict[str, list[ir.TypeDeclaration]] = {}
        self.globals: dict[str, list[ir.FieldDeclaration]] = {}
        self.enumerators: dict[str, list[str]] = {}
        for procedure in unit.procedures:
            if procedure.kind == "function":
                self.functions.setdefault(ir.source_name(procedure.name), []).append(procedure)
        for prototype in unit.prototypes:
            self.prototypes.setdefault(prototype.name, []).append(prototype)
        for macro in unit.macros:
            self.macros.setdefault(macro.name, []).append(macro)
        for variable in unit.globals:
            self.globals.setdefault(variable.name, []).append(variable)
        for declared in unit.types:
            self.types.setdefault(declared.name, []).append(declared)
            for each in declared.fields if declared.kind == "enum" else ():
                self.enumerators.setdefault(each.name, []).append(each.type)


Found = list[tuple[str, _Names]]


class Declarations:
    """Answers the queries about C. `system` gives the constants of system headers."""

    def __init__(self, source: Source, looks: Looks, system: Callable[[str], str]) -> None:
        self._source = source
        self._looks = looks
        self._system = system
        self._constants: dict[tuple[str, str, int], str] = source.memo()
        self._names: dict[str, _Names] = {}
        self._endless: dict[tuple[ProcedureKey, int], bool] = source.memo()
        self._unchanging: dict[str, str] = source.memo()

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`. A macro with a body of its own is called like a function, and hides one, but where it only adds the place of the
        call, for builds that look for bugs, on one of two sides of a condition (`#define grow(p, n) grow_debug(p, n, __FILE__, __LINE__)`).
        One that is named as a function that only lends (`X_get0_y`) stands for that in other builds of its library, whatever it does there."""
        if _LENT in name.split("_"):
            return self._defined(path, name)
        found = self._macro_procedures(path, name)
        hiding = tuple(key for key, macro in found if not (macro.side and any(word in macro.body for word in _PLACES)))
        return hiding or self._defined(path, name) or tuple(key for key, _ in found)

    def _macro_procedures(self, path: str, name: str) -> list[tuple[ProcedureKey, ir.Macro]]:
        for tier in self._tiers(path, MACRO, name):
            found = {
                ProcedureKey(other, each.procedure): each
                for other, names in tier
                if _is_seen(other, path)
                for each in names.macros.get(name, ())
                if each.procedure
            }
            if found:
                return sorted(found.items(), key=lambda item: item[0])
        return []

    def _defined(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        found: list[ProcedureKey] = []
        for tier in self._tiers(path, FUNCTION, name):
            at_hand = [ProcedureKey(other, each.name) for other, each in _definitions(tier, path, name)]
            linked = [each for each in at_hand if each.path not in self._other_programs(path, name)]
            if linked:
                return tuple(sorted(linked))
            found = found or at_hand
        return tuple(sorted(found))

    def _other_programs(self, path: str, name: str) -> Set[str]:
        """The files that no program has together with this one: both define `main`. The stubs of one test are not those of the next."""
        if len(self._source.files(FUNCTION, name)) < 2 or name == MAIN:
            return frozenset()
        programs = [each for each in self._source.files(FUNCTION, MAIN) if not each.endswith(".h")]
        return frozenset(each for each in programs if each != path) if path in programs else frozenset()

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`. A definition declares too; attributes of both count."""
        found: list[ir.MethodDeclaration] = []
        for kind in (PROTOTYPE, FUNCTION):
            for tier in self._tiers(path, kind, name):
                declared = [each for _, names in tier for each in names.prototypes.get(name, ())]
                defined = [_declaration(each) for _, each in _definitions(tier, path, name)]
                nearest = declared if kind == PROTOTYPE else defined
                if nearest:
                    found.append(max(nearest, key=lambda each: len(each.attributes)))
                    break
        if not found:
            return None
        attributes = tuple(dict.fromkeys(word for each in found for word in each.attributes if word != "static"))
        return msgspec.structs.replace(found[-1], attributes=attributes)

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""
        for tier in self._tiers(path, MACRO, name):
            found = [each for other, names in tier if _is_seen(other, path) for each in names.macros.get(name, ())]
            if found:
                return tuple(found)
        return self._returning(path, name)

    def _returning(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """The macro that a file uses as one that returns, where nothing else is known by its name."""
        unit = self._source.own(path, RETURNING, name)
        if unit is None or not self._is_nothing_else(name) or self.prototype(path, name) is not None:
            return ()
        return (ir.Macro(name, ("...",), "return __VA_ARGS__", 0, 0) if f"{name}()" in unit.returning else ir.Macro(name, None, "return", 0, 0),)

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        for tier in self._tiers(path, TYPE, name.rpartition(" ")[2]):
            found = [each for other, names in tier if _is_seen(other, path) for each in names.types.get(name, ())]
            if found:
                return max(found, key=lambda each: (len(each.fields), len(each.supertypes)))
        return None

    def variable_type(self, path: str, name: str) -> str:
        """See `Queries`."""
        for tier in self._tiers(path, GLOBAL, name):
            for other, names in tier:
                for each in names.globals.get(name, ()):
                    if other == path or "static" not in each.attributes:
                        return each.type
        return ""

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        found: set[ProcedureKey] = set()
        wanted = [(path, field) for path in self._source.files(STORED, field)]
        for place in self._places(field):
            of_type = simple_name(place.partition("#")[0])
            # Where the struct is declared in the same file, the position is known there as a name.
            wanted += [(path, each) for path in self._source.files(INITIALISED, of_type) for each in (place, field)]
        for path, place in dict.fromkeys(wanted):
            facts = self._source.bodies(path, STORED, place)
            for name in facts.stored.get(place, ()) if facts is not None else ():
                found.update(self._looks.functions(path, name) or (ProcedureKey("", name),))
        return tuple(sorted(found))

    def _places(self, member: str) -> list[str]:
        """`struct s#2` for every struct whose third member has this name, under its typedefs too."""
        found: set[str] = set()
        for path in self._source.files(MEMBER, member):
            unit = self._source.declarations(path, MEMBER, member)
            for declared in unit.types if unit is not None else ():
                names = [each.name for each in declared.fields if "." not in each.name]
                if declared.kind == "struct" and member in names:
                    aliases = [each.name for each in unit.types if each.supertypes == (declared.name,)] if unit else []
                    found.update(f"{name}#{names.index(member)}" for name in (declared.name, *aliases))
        return sorted(found)

    # --- constants

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""
        return self._constant(path, name, _DEEPEST)

    def _constant(self, path: str, name: str, depth: int) -> str:
        key = (path, name, depth)
        if key not in self._constants:
            self._constants[key] = self._find_constant(path, name, depth) if depth else ""
        return self._constants[key]

    def _find_constant(self, path: str, name: str, depth: int) -> str:
        own = self._source.bodies(path, CONSTANT, name)
        if own is not None:
            return own.constants[name]
        known = self._enumerator(path, name) or self._defined_as(path, name, depth) or self._always(path, name)
        return known or (self._external(name) if self._is_number(path, name) else "")

    def _is_number(self, path: str, name: str) -> bool:
        """Whether a header declares a variable, and as a number."""
        if not any(other.endswith(".h") for other in self._source.files(GLOBAL, name)):
            return False
        words = [word for word in self.variable_type(path, name).split() if word not in ("const", "volatile")]
        return " ".join(words) in _NUMBERS

    def _external(self, name: str) -> str:
        """What a variable that a header declares always is: one file gives it its first value, and none another."""
        if name not in self._unchanging:
            self._unchanging[name] = self._find_external(name)
        return self._unchanging[name]

    def _find_external(self, name: str) -> str:
        paths = self._source.files(WORD, name)
        if len(paths) > _MOST_USERS:
            return ""
        may_write = re.compile(
            rf"(?:\+\+|--|(?<!&)&)[\s(]*{name}\b|\b{name}[\s)]*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
        )
        writers: list[str] = []
        for path in paths:
            found = len(may_write.findall(self._source.content(path)))
            writers += [path] * found
            if len(writers) > 1:
                return ""
        facts = self._source.bodies(writers[0], INITIAL, name) if writers else None
        return facts.initial[name] if facts is not None else ""

    def _enumerator(self, path: str, name: str) -> str:
        for tier in self._tiers(path, ENUMERATOR, name):
            seen = (names for other, names in tier if _is_seen(other, path))
            found = {value for names in seen for value in names.enumerators.get(name, ())}
            if found:
                return found.pop() if len(found) == 1 and "=?" not in found else ""
        return ""

    def _defined_as(self, path: str, name: str, depth: int) -> str:
        macros = self.macro(path, name)
        if not macros:
            return self._system(name) if self._looks.prototype(path, name) is None else ""
        if any(each.parameters is not None for each in macros):
            return ""
        found = {constant_of(each.body, lambda word: self._constant(path, word, depth - 1)) for each in macros}
        if found == {""}:
            return self._system(name)  # Where the system lacks it, it is made up for.
        return found.pop() if len(found) == 1 else ""

    def _always(self, path: str, name: str) -> str:
        """What every definition of a function returns."""
        found: set[str] = set()
        for key in self._looks.functions(path, name):
            facts = self._source.bodies(key.path, RESULT, key.name)
            found.add(facts.results[key.name] if facts is not None else "")
        return found.pop() if len(found) == 1 else ""

    # --- what never returns

    def never_returns(self, key: ProcedureKey) -> bool:
        """See `Queries`."""
        return self._never(key, _DEEPEST)

    def _never(self, key: ProcedureKey, depth: int) -> bool:
        at = (key, depth)
        if at not in self._endless:
            procedure = self._source.procedure(key) if depth else None
            self._endless[at] = procedure is not None and (
                self._is_cut_off(key.path, procedure, depth) or self._is_switched_off(key, procedure, depth)
            )
        return self._endless[at]

    def _is_switched_off(self, key: ProcedureKey, procedure: ir.Procedure, depth: int) -> bool:
        """Whether a macro does nothing, and the same of another build ends the program (`#define fatal(...) ((void)0)` where that is not to
        be counted): what follows its uses was not written to be reached."""
        if procedure.kind != "macro" or any(isinstance(node, ir.Call | ir.Store | ir.Branch) for node in procedure.nodes):
            return False
        others = (each for each in self._looks.functions(key.path, ir.source_name(key.name)) if each.path == key.path and each != key)
        bodies = [body for each in others if (body := self._source.procedure(each)) is not None]
        return any(body.kind == "macro" and self._is_cut_off(key.path, body, depth) for body in bodies)

    def _is_cut_off(self, path: str, procedure: ir.Procedure, depth: int) -> bool:
        """Whether no way leads to the exit past calls that do not return."""
        seen = {ir.ENTRY}
        stack = [ir.ENTRY]
        ends = 0
        while stack:
            place = stack.pop()
            node = procedure.nodes[place]
            if isinstance(node, ir.Call) and node.kind == "function" and self._ends(path, node.name, depth - 1):
                ends += 1
                continue
            for following in procedure.next[place]:
                if following == ir.EXIT:
                    return False
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
        return ends > 0

    def _ends(self, path: str, name: str, depth: int) -> bool:
        """Whether a call of this name never returns."""
        prototype = self._looks.prototype(path, name)
        if prototype is not None and is_endless(prototype, lambda word: self.macro(path, word)):
            return True
        found = self._looks.functions(path, name)
        if found:
            return all(self._never(key, depth) for key in found)
        model = self._looks.model((name,), ())
        return model is not None and model.returns == "never"

    def _tiers(self, path: str, kind: str, name: str) -> Iterator[Found]:
        """The declaring files in four steps: the file itself, the headers that it includes, its folder, all.

        Of a macro only the first two, and headers of its folder: elsewhere its name means something else, unless it is the
        only one of that name, which nothing else has: then the way to its header could not be followed. And none where the file
        itself defines a function of that name: a macro would have garbled that."""
        own = self._source.own(path, kind, name)
        if own is not None:
            yield [(path, self._named(path, own))]
        elif kind == MACRO and self._is_defined_in(path, name):
            return
        paths = [other for other in self._source.files(kind, name) if other != path]
        if not paths:
            return
        visible = self._source.visible(path)
        yield self._opened([other for other in paths if other in visible], kind, name)
        folder = _folder(path)
        yield self._opened([other for other in paths if _folder(other) == folder], kind, name)
        if kind != MACRO or (len(paths) == 1 and paths[0].endswith(".h") and own is None and self._is_nothing_else(name)):
            yield self._opened(paths, kind, name)

    def _is_defined_in(self, path: str, name: str) -> bool:
        unit = self._source.own(path, FUNCTION, name)
        return unit is not None and name in self._named(path, unit).functions

    def _is_nothing_else(self, name: str) -> bool:
        """Whether a name is that of no function of the repository or of a library."""
        return not self._source.files(FUNCTION, name) and self._looks.model((name,), ()) in (None, Effects(), Effects(is_rule=True))

    def _opened(self, paths: list[str], kind: str, name: str) -> Found:
        units = ((path, self._source.declarations(path, kind, name)) for path in paths)
        return [(path, self._named(path, unit)) for path, unit in units if unit is not None]

    def _named(self, path: str, unit: ir.Unit) -> _Names:
        found = self._names.get(path)
        if found is None:
            found = self._names[path] = _Names(unit)
        return found


def _definitions(tier: Found, path: str, name: str) -> Iterator[tuple[str, ir.Procedure]]:
    """The definitions of a function that a file can mean: static ones are its own, or those of headers."""
    for other, names in tier:
        for each in names.functions.get(name, ()):
            if other == path or other.endswith(".h") or "static" not in each.attributes:
                yield other, each


def _declaration(procedure: ir.Procedure) -> ir.MethodDeclaration:
    formals = {each.name: each for each in procedure.variables}
    known = [formals[name] for name in procedure.parameters if name in formals]
    return ir.MethodDeclaration(
        ir.source_name(procedure.name), tuple(each.type for each in known), tuple(each.attributes for each in known),
        procedure.result, (), procedure.attributes, procedure.name,
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _is_seen(other: str, path: str) -> bool:
    return other == path or other.endswith(".h")
