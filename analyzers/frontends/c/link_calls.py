"""What a call of C may run: by name, by the alias that a macro makes, or by what was stored to a pointer."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.c_bodies import last_part
from analyzers.frontends.c.endless import is_endless
from analyzers.frontends.c.words import ON_THE_STACK
from analyzers.queries import ProcedureKey, Queries, Target

MAX_POINTED = 24
"""Functions that a pointer may hold before nothing is known of it."""

_MOST_ALIASES = 4
_ENDING = frozenset(("die", "fatal", "panic"))
"""What the names of functions begin with that nobody knows and that end the program."""
_DEPENDING = frozenset(("for", "if", "on", "unless", "when"))
"""What follows there where they only do so at times (`die_if_locked(path)`)."""
_ENDS_OF_PROGRAMS = frozenset(("abort", "exit", "_exit", "_Exit"))
"""Functions of the library that end the program, under names that nobody gives to anything else."""
_OF_STATUS = frozenset(("err", "errc", "errx", "verr", "verrc", "verrx"))
"""Functions of the library that end the program with the status that they are passed first, and whose names others use for loggers."""
_NOBODY = Target((), (), "", False, (), "")


class Calls:
    """The calls of one procedure."""

    def __init__(self, key: ProcedureKey, body: ir.Procedure, queries: Queries) -> None:
        self._key = key
        self._queries = queries
        self._own_name = ir.source_name(body.name) if body.kind == "macro" else ""
        self._assigned: dict[str, list[str]] = {}
        self._pointers = {each.name for each in body.variables if "*" in each.type}
        self._places: dict[str, str] = {}
        self._interfaces = {each.name: "".join(each.type.split()).removesuffix("*") for each in body.variables if each.type.count("*") == 1}
        tables = {each.name for each in body.variables if each.kind == "local" and each.type.endswith(("[]", ")()")) and not each.is_address_taken}
        for node in body.nodes:
            match node:
                case ir.Copy(dst=dst, src=source):
                    self._assigned.setdefault(dst, []).append(source)
                case ir.Load(dst=dst, base=base, field=field):
                    self._places[dst] = last_part(field)
                    if not base and self._is_library(field):
                        self._assigned.setdefault(dst, []).append(f"=&{field}")
                case ir.LoadElement(dst=dst, base=base) if base in self._places:
                    self._places[dst] = self._places[base]
                case ir.LoadElement(dst=dst, base=base) if base in tables:
                    self._assigned.setdefault(dst, []).append(base)
                case ir.StoreElement(base=base, src=source) if base in tables:
                    self._assigned.setdefault(base, []).append(source)
                case _:
                    pass

    def target(self, call: ir.Call) -> Target:
        """What a call may run."""
        if call.kind == "pointer":
            return self._pointed(call)
        found = self._named(call.name, call) if call.name else _NOBODY
        return _NOBODY if not found.procedures and self._is_logger(call) else found

    def _named(self, name: str, call: ir.Call) -> Target:
        queries, path = self._queries, self._key.path
        if name in ON_THE_STACK:
            return Target((), (name,), "", False, (), "")
        name = self._alias(name)
        if is_open_alias(queries.macro(path, name)):
            return Target((), (name,), "", False, (), "")
        found = tuple(key for key in queries.functions(path, name) if name != self._own_name or key != self._key)
        if len(found) > 1:
            found = self._fitting(self._holding(name, found), len(call.args))
        declared = queries.prototype(path, name)
        parameters = declared.parameters if declared is not None else ()
        result = declared.result if declared is not None else ""
        return Target(found, (name,), "", len(found) == 1, parameters, result)

    def _holding(self, name: str, found: tuple[ProcedureKey, ...]) -> tuple[ProcedureKey, ...]:
        """What a name may run, without the macros of this file that do not hold here any more, or yet."""
        ended = {each.procedure for each in self._queries.macro(self._key.path, name) if not each.holds_in(self._key.name)}
        return tuple(key for key in found if key.path != self._key.path or key.name not in ended)

    def _fitting(self, found: tuple[ProcedureKey, ...], count: int) -> tuple[ProcedureKey, ...]:
        """What a call may run, of several functions that programs of the tree have under one name: those that take as many arguments."""
        if len(found) < 2:
            return found
        return tuple(key for key in found if _takes(self._queries.procedure(key), count)) or found

    def _alias(self, name: str) -> str:
        """The name that an object-like macro puts in the place of another; of several, one that the library has if all are. What
        opens or closes a descriptor or a stream does so under any name that some platform gives it (`#define open binary_open`,
        `#define close CloseHandle`)."""
        queries = self._queries
        for _ in range(_MOST_ALIASES):
            bodies = sorted({each.body for each in queries.macro(self._key.path, name) if each.parameters is None})
            if not bodies or not all(body.isidentifier() for body in bodies):
                break
            is_known = all(queries.model((body,), ()) is not None for body in bodies)
            if (not is_known and len(bodies) > 1) or not all(self._resources(name) <= self._resources(body) for body in bodies):
                break
            if bodies[0] == ir.source_name(self._key.name):
                break  # `#define strdup own_strdup`: in `own_strdup` itself, `strdup` is what it was before, by an `#undef` or in parentheses.
            if self._is_defined_as(name) and not queries.functions(self._key.path, bodies[0]):
                break  # `#define keep lib_keep` before `int keep(char *text) { … }`: that is how the function is called outside of the file.
            name = bodies[0]
        return name

    def _is_defined_as(self, name: str) -> bool:
        """Whether the file has a function of a name, beside macros."""
        unit = self._queries.unit(self._key.path)
        return unit is not None and any(each.name == name and each.kind == "function" for each in unit.procedures)

    def _resources(self, name: str) -> set[str]:
        """What a library's function opens or closes, if that is no memory."""
        model = self._queries.model((name,), ())
        found = {each.resource for each in model.transfers if each.resource} if model is not None else set()
        return set() if any(each.endswith("memory") for each in found) else found

    def _pointed(self, call: ir.Call) -> Target:
        """The functions that the procedure itself stores to a variable, else those that the tree stores to a field."""
        if call.receiver[:2] == "=&":
            return self._named(call.receiver[2:], call)
        names = sorted({source[2:] for source in self._sources(call.receiver) if source[:2] == "=&"})
        if len(names) == 1:
            return self._named(names[0], call)
        if names:
            return self._one_of(call, [key for name in names for key in self._queries.functions(self._key.path, name) or (ProcedureKey("", name),)])
        place = self._places.get(call.receiver, "")
        found = self._one_of(call, self._queries.function_pointers(place) if place else ())
        return found if found is not _NOBODY else self._of_a_table(call)

    def _of_a_table(self, call: ir.Call) -> Target:
        """What is called through an interface that a spec knows by its name, with itself first (`(*env)->GetStringUTFChars(env, text, NULL)`)."""
        interface = self._interfaces.get(call.args[0], "") if call.args else ""
        name = f"{interface}.{call.name}" if interface and call.name else ""
        return Target((), (name,), "", False, (), "") if name and self._queries.model((name,), ()) is not None else _NOBODY

    def _is_library(self, name: str) -> bool:
        """Whether a name that no file declares is that of a function of a library: `release = free;`."""
        queries = self._queries
        return not queries.variable_type(self._key.path, name) and queries.model((name,), ()) is not None

    def _one_of(self, call: ir.Call, stored: Sequence[ProcedureKey]) -> Target:
        """What a call runs that runs one of these functions; those of libraries have no path."""
        own = tuple(sorted({key for key in stored if key.path}))
        name = self._library(stored) if len(own) < len(stored) else ""
        model = self._queries.model((name,), ()) if name else None
        is_maker = model is not None and any(not each.entry for each in model.transfers)
        if name and all(is_maker and self._is_allocator(key, call) for key in own):
            return Target((), (name,), "", False, (), "")
        models = (name,) if name and not is_maker else ()
        return Target(own, models, "", False, (), "") if 0 < len(own) <= MAX_POINTED else _NOBODY

    def _is_allocator(self, key: ProcedureKey, call: ir.Call) -> bool:
        """Whether a function is declared like the library's allocator that is stored to the same pointer: it keeps its contract."""
        declared = self._queries.prototype(key.path, key.name)
        written = "".join(declared.result.split()) if declared is not None else ""
        return declared is not None and written in ("void*", "char*") and len(declared.parameters) == len(call.args)

    def _library(self, stored: Sequence[ProcedureKey]) -> str:
        """The one function of a library among what is stored to a pointer; empty where there are several, or none is known."""
        names = {self._alias(key.name) for key in stored if not key.path}
        known = [name for name in sorted(names) if self._queries.model((name,), ()) is not None]
        return known[0] if len(known) == 1 else ""

    def _sources(self, variable: str) -> list[str]:
        """What is assigned to a variable, through copies of it."""
        found: list[str] = []
        seen = {variable}
        work = [variable]
        while work:
            for source in self._assigned.get(work.pop(), ()):
                if ir.is_literal(source):
                    found.append(source)
                elif source not in seen:
                    seen.add(source)
                    work.append(source)
        return found

    def never_returns(self, call: ir.Call, target: Target) -> bool:
        """Whether nothing follows a call."""
        queries = self._queries
        if call.kind == "function":
            declared = queries.prototype(self._key.path, call.name)
            if declared is not None and is_endless(declared, lambda word: queries.macro(self._key.path, word)):
                return True
        if target.procedures:
            if call.kind == "function" and call.name in _ENDS_OF_PROGRAMS and all(self._is_macro(key) for key in target.procedures):
                return True  # Some build puts something else there (`#define abort() DebugBreak()`): it does what it is there for, too.
            return all(queries.never_returns(key) for key in target.procedures)
        model = queries.model(target.models, target.parameters) if target.models else None
        if model is None and call.kind == "function" and call.name not in target.models:
            # Some build gives it another name (`#define abort own_abort`): it does what it is there for.
            model = queries.model((call.name,), target.parameters)
        if model is None:
            words = call.name.split("_")
            return call.kind == "function" and not call.dst and words[0] in _ENDING and _DEPENDING.isdisjoint(words[1:2])
        return model.returns == "never" and not self._is_logger(call)

    def _is_macro(self, key: ProcedureKey) -> bool:
        body = self._queries.procedure(key)
        return body is not None and body.kind == "macro"

    def _is_logger(self, call: ir.Call) -> bool:
        """Whether a call passes a text or a pointer where the library wants the status to end with (`err(ctx, "no room")`)."""
        return call.name in _OF_STATUS and bool(call.args) and (call.args[0][:2] == '="' or call.args[0] in self._pointers)


def is_open_alias(macros: Sequence[ir.Macro]) -> bool:
    """Whether a name stands for one of several others, by what is configured: `#define trace debug`, and elsewhere `#define trace(...)`."""
    bodies = {each.body for each in macros if each.parameters is None}
    return bool(bodies) and len({(each.parameters, each.body) for each in macros}) > 1 and all(each.isidentifier() for each in bodies)


def _takes(body: ir.Procedure | None, count: int) -> bool:
    """Whether a function can be called with a number of arguments, as far as its head tells: one without formals may be of old C."""
    return body is None or body.kind != "function" or not body.parameters or "varargs" in body.attributes or len(body.parameters) == count
