"""The looks that a procedure may take outside its file, answered over a tree: all of `Queries` but results.

Each answer is computed once and comes with its footprint (see there): the facts of the tree that it was made of.
Front ends are imported when the first look needs them.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import msgspec

from analyzers import ir
from analyzers.engine import Specs
from analyzers.footprint import SPECS, Footprint
from analyzers.graphs.customs import is_customary, sampled, simple_name
from analyzers.incremental.sources import Sources
from analyzers.queries import Callee, Linked, MethodFacts, ProcedureKey
from analyzers.recording import Question
from analyzers.source import Span
from analyzers.stopwatch import Clock, no_clock
from analyzers.summaries import Effects

if TYPE_CHECKING:
    from analyzers.frontends.c.answers import Declarations
    from analyzers.frontends.c.link_macros import Splicing
    from analyzers.frontends.java.hierarchy import Hierarchy
    from analyzers.frontends.java.resolution import Resolution

P = ParamSpec("P")
T = TypeVar("T")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a Program is told beside its tree.

    java_release   the language level of the Java code
    ignored_exceptions   exceptions of Java that no call is taken to throw, beside those that always are ignored
    told_detectors   what detectors are told of the project: stored findings hold for the same words only
    keeps_results  whether results are recorded for a later run or a Program beside this one
    is_read_once   whether the tree is analysed for itself alone: nothing is kept of it, and it is compared with no other tree
    clock          tells seconds, for the stats
    """

    java_release: int = 17
    ignored_exceptions: tuple[str, ...] = ()
    told_detectors: tuple[str, ...] = ()
    keeps_results: bool = True
    is_read_once: bool = False
    clock: Clock = no_clock


_PLACED = frozenset(("unit", "prototype", "macro", "c_type", "type_heading", "spliced"))
"""Questions whose answers lie somewhere in a file: they are not taken over from another text of it."""


class Looks(abc.ABC):
    """Answers looks at sources, specs and declarations."""

    sources: Sources

    def _open(self, sources: Sources, specs: Specs, options: Options, beside: Looks | None = None) -> None:
        self.sources = sources
        self._nearest = beside
        self._untouched: dict[Footprint, bool] = {}
        self._unchanged: dict[Footprint, bool] = {}
        self._specs = specs
        self._options = options
        self._specs_digest = b""
        self._trace = sources.trace
        self._answers: dict[Question, tuple[object, Footprint]] = {}
        self._types: Hierarchy | None = None
        self._calls: Resolution | None = None
        self._declarations: Declarations | None = None
        self._splicing: Splicing | None = None

    def _close(self) -> None:
        """Let go of all answers; who asks again has them computed again."""
        self._answers.clear()
        self._untouched.clear()
        self._unchanged.clear()
        self._types = self._calls = self._declarations = self._splicing = None

    @abc.abstractmethod
    def linked(self, key: ProcedureKey) -> Linked | None:
        """See `Queries`."""

    @abc.abstractmethod
    def effects(self, key: ProcedureKey) -> Effects:
        """See `Queries`."""

    @property
    def specs(self) -> Specs:
        """The models of library calls."""
        return self._specs

    @property
    def options(self) -> Options:
        """What the Program was told."""
        return self._options

    def span(self, key: ProcedureKey) -> Span:
        """The whole of a procedure, as it lies in its file."""
        blob = self.sources.blob(key.path)
        found = blob.declaration(key.name) if blob is not None else None
        return Span(key.path, found.start, found.end) if found is not None else Span(key.path, 0, 0)

    def source(self, path: str) -> bytes:
        """The bytes of a file, empty where they cannot be had."""
        blob = self.sources.blob(path)
        return blob.data if blob is not None else b""

    # --- answers

    def _answer(self, question: Question, compute: Callable[P, T], *arguments: P.args, **_: P.kwargs) -> T:
        """An answer, computed once; its footprint becomes part of whatever is being computed."""
        known = self._answers.get(question) or self._answer_beside(question)
        if known is None:
            self._trace.begin(question)
            value = compute(*arguments)  # type: ignore[call-arg]
            self._answers[question] = (value, self._trace.end(question))
            return value
        self._trace.include(known[1])
        return cast(T, known[0])

    def _answer_beside(self, question: Question) -> tuple[object, Footprint] | None:
        """What is known in the tree beside, if no fact that it was made of may be another one here."""
        near = self._nearest
        if near is None:
            return None
        known = near._answers.get(question) or near._answer_beside(question)
        if known is None or not (self._is_untouched(known[1]) or (question[0] not in _PLACED and self._is_unchanged(known[1]))):
            return None
        self._answers[question] = known
        return known

    def _is_untouched(self, footprint: Footprint) -> bool:
        found = self._untouched.get(footprint)
        if found is None:
            touches = self.sources.changes.touches
            found = not any(touches(fact[0], fact[1:]) for fact in footprint.facts) and all(map(self._is_untouched, footprint.parts))
            self._untouched[footprint] = found
        return found

    def _is_unchanged(self, footprint: Footprint) -> bool:
        """The same, each fact looked at: another text of a file need not say anything else of it."""
        found = self._unchanged.get(footprint)
        if found is None:
            found = not any(map(self.sources.differs, footprint.facts)) and all(map(self._is_unchanged, footprint.parts))
            self._unchanged[footprint] = found
        return found

    def unit(self, path: str) -> ir.Unit | None:
        """See `Queries`."""
        return self._answer(("unit", path), self.sources.unit, path)

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        return self.sources.procedure(key)

    def text(self, key: ProcedureKey, start: int, end: int) -> str:
        """See `Queries`."""
        span = self.span(key)
        begin = span.start + start
        inside = self.source(key.path)[begin : max(begin, min(span.start + end, span.end))]
        return inside.decode("utf-8", "replace")

    def source_of(self, key: ProcedureKey) -> bytes:
        """See `Queries`."""
        span = self.span(key)
        return self.source(key.path)[span.start : span.end]

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        """See `Queries`."""
        self._trace.touch(SPECS)
        return self._specs.model(names, parameters)

    def _system_constant(self, name: str) -> str:
        self._trace.touch(SPECS)
        return self._specs.constant(name)

    @property
    def _java(self) -> Hierarchy:
        if self._types is None:
            from analyzers.frontends.java.hierarchy import Hierarchy

            model = self._nearest._java.model if self._nearest is not None else None
            self._types = Hierarchy(self.sources, model, release=self.options.java_release, outside=self._specs)
        return self._types

    def resolve_type(self, path: str, owner: str, written: str) -> str:
        """See `Queries`."""
        return self._answer(("resolve_type", path, owner, written), self._java.resolve_type, path, owner, written)

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`."""
        return self._answer(("supertypes", type_name), self._java.supertypes, type_name)

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        """See `Queries`."""
        return self._answer(("is_subtype", type_name, ancestor), self._java.is_subtype, type_name, ancestor)

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        """See `Queries`."""
        return self._answer(("subtypes", type_name), self._java.subtypes, type_name)

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        return self._answer(("methods", type_name, name), self._java.methods, type_name, name)

    def has_method(self, type_name: str, names: tuple[str, ...]) -> bool:
        """See `Queries`."""
        return self._answer(("has_method", type_name, names), self._has_method, type_name, names)

    def _has_method(self, type_name: str, names: tuple[str, ...]) -> bool:
        return any(self.methods(type_name, name) for name in names)

    def callee(self, receiver: str, name: str, is_exact: bool, is_loose: bool, actuals: tuple[str, ...]) -> Callee:
        """See `Queries`."""
        question = ("callee", receiver, name, int(is_exact), int(is_loose), actuals)
        return self._answer(question, self._resolution.callee, receiver, name, is_exact, is_loose, actuals)

    @property
    def _resolution(self) -> Resolution:
        if self._calls is None:
            from analyzers.frontends.java.resolution import Resolution

            self._calls = Resolution(self)
        return self._calls

    def is_customarily_closed(self, path: str, type_name: str, name: str, arguments: int) -> bool:
        """See `Queries`."""
        return self._answer(("is_customarily_closed", path, type_name, name, arguments), self._is_customarily_closed, path, type_name, name, arguments)

    def _is_customarily_closed(self, path: str, type_name: str, name: str, arguments: int) -> bool:
        simple = simple_name(type_name)
        places = self.callers(simple if name == "<init>" else name)
        near = [key for key in places if key.path == path]
        return any(is_customary(map(self.procedure, sampled(each)), simple, name, arguments) for each in (near, places))

    def declared_types(self, path: str, type_name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """See `Queries`."""
        return self._answer(("declared_types", path, type_name), self._declared_types, path, type_name)

    def _declared_types(self, path: str, type_name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        unit = self.unit(path)
        declared = [each for each in unit.types if each.name == type_name] if unit is not None else []
        fields = [field.type for each in declared for field in each.fields]
        results = [method.result for each in declared for method in each.methods]
        fields, results = ([self.resolve_type(path, type_name, written) for written in texts] for texts in (fields, results))
        return tuple(fields), tuple(results)

    def overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`."""
        return self._answer(("overriders", type_name, name), self._java.overriders, type_name, name)

    def field_type(self, type_name: str, field: str) -> str:
        """See `Queries`."""
        return self._answer(("field_type", type_name, field), self._java.field_type, type_name, field)

    def declaring_file(self, type_name: str) -> str:
        """See `Queries`."""
        return self._answer(("declaring_file", type_name), self._java.declaring_file, type_name)

    def is_closeable(self, type_name: str) -> bool | None:
        """See `Queries`."""
        return self._answer(("is_closeable", type_name), self._is_closeable, type_name)

    def _is_closeable(self, type_name: str) -> bool | None:
        """The nearest of the type and those above it that specs name decides; else the types themselves."""
        for each in (type_name, *self._java.supertypes(type_name)):
            known = self._specs.is_closeable(each)
            if known is not None:
                return known
        return self._java.is_closeable(type_name)

    @property
    def _c(self) -> Declarations:
        if self._declarations is None:
            from analyzers.frontends.c.answers import Declarations

            self._declarations = Declarations(self.sources, self, self._system_constant)
        return self._declarations

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        return self._answer(("functions", path, name), self._c.functions, path, name)

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        """See `Queries`."""
        return self._answer(("prototype", path, name), self._c.prototype, path, name)

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        """See `Queries`."""
        return self._answer(("macro", path, name), self._c.macro, path, name)

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        return self._answer(("c_type", path, name), self._c.c_type, path, name)

    def type_heading(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        return self._answer(("type_heading", path, name), self._type_heading, path, name)

    def _type_heading(self, path: str, name: str) -> ir.TypeDeclaration | None:
        declared = self.c_type(path, name)
        return msgspec.structs.replace(declared, fields=()) if declared is not None else None

    def member_type(self, path: str, name: str, member: str) -> str:
        """See `Queries`."""
        return self._answer(("member_type", path, name, member), self._member_type, path, name, member)

    def _member_type(self, path: str, name: str, member: str) -> str:
        declared = self.c_type(path, name)
        fields = declared.fields if declared is not None else ()
        return next((each.type for each in fields if each.name == member), "")

    def variable_type(self, path: str, name: str) -> str:
        """See `Queries`."""
        return self._answer(("variable_type", path, name), self._c.variable_type, path, name)

    def spliced(self, key: ProcedureKey) -> ir.Procedure | None:
        """See `Queries`."""
        if self._splicing is None:
            from analyzers.frontends.c.link_macros import Splicing

            self._splicing = Splicing(self.sources, self)
        return self._answer(("spliced", key), self._splicing.spliced, key)

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        return self._answer(("function_pointers", field), self._c.function_pointers, field)

    def constant(self, path: str, name: str) -> str:
        """See `Queries`."""
        asked = self._java.constant if path.endswith(".java") else self._c.constant
        return self._answer(("constant", path, name), asked, path, name)

    def never_returns(self, key: ProcedureKey) -> bool:
        """See `Queries`."""
        return self._answer(("never_returns", key), self._c.never_returns, key)

    def callers(self, name: str) -> tuple[ProcedureKey, ...]:
        """See `Queries`."""
        return self._answer(("callers", name), self._callers, name)

    def _callers(self, name: str) -> tuple[ProcedureKey, ...]:
        found = []
        for path in self.sources.mentioning_all(name):
            found += [ProcedureKey(path, each.name) for each in self.sources.naming(path, name) if mentions(each, name)]
        return tuple(sorted(found))

    def mentioning(self, word: str) -> tuple[str, ...]:
        """See `Queries`."""
        return self._answer(("mentioning", word), self._mentioning, word)

    def _mentioning(self, words: str) -> tuple[str, ...]:
        first, *others = words.split()
        found = self.sources.mentioning_all(first)
        return tuple(sorted({path for each in others for path in self.sources.mentioning_all(each)}.union(found))) if others else found

    # --- asked again

    def fact(self, name: str) -> bytes:
        """The digest of a fact that answers are made of."""
        if name != SPECS:
            return self.sources.fact(name)
        self._specs_digest = self._specs_digest or self._specs.digest.encode()
        return self._specs_digest

    def ask(self, question: Question) -> object:
        """The answer to a question about the tree, asked again; None where it is not one."""
        match question:
            case ("model", tuple(names), tuple(parameters)):
                return self.model(names, parameters)
            case ("resolve_type", str(path), str(owner), str(written)):
                return self.resolve_type(path, owner, written)
            case ("is_subtype", str(name), str(ancestor)):
                return self.is_subtype(name, ancestor)
            case ("methods", str(name), str(member)):
                return self.methods(name, member)
            case ("has_method", str(name), tuple(members)):
                return self.has_method(name, members)
            case ("callee", str(receiver), str(name), int(is_exact), int(is_loose), tuple(actuals)):
                return self.callee(receiver, name, bool(is_exact), bool(is_loose), actuals)
            case ("is_customarily_closed", str(path), str(type_name), str(name), int(arguments)):
                return self.is_customarily_closed(path, type_name, name, arguments)
            case ("declared_types", str(path), str(name)):
                return self.declared_types(path, name)
            case ("overriders", str(name), str(member)):
                return self.overriders(name, member)
            case ("field_type", str(name), str(member)):
                return self.field_type(name, member)
            case ("declaring_file", str(name)):
                return self.declaring_file(name)
            case ("supertypes", str(name)):
                return self.supertypes(name)
            case ("subtypes", str(name)):
                return self.subtypes(name)
            case ("is_closeable", str(name)):
                return self.is_closeable(name)
            case ("never_returns", ProcedureKey() as key):
                return self.never_returns(key)
            case ("spliced", ProcedureKey() as key):
                return self.spliced(key)
            case ("function_pointers", str(name)):
                return self.function_pointers(name)
            case ("callers", str(name)):
                return self.callers(name)
            case ("mentioning", str(word)):
                return self.mentioning(word)
            case _:
                return self._ask_c(question)

    def _ask_c(self, question: Question) -> object:
        match question:
            case ("functions", str(path), str(name)):
                return self.functions(path, name)
            case ("prototype", str(path), str(name)):
                return self.prototype(path, name)
            case ("macro", str(path), str(name)):
                return self.macro(path, name)
            case ("c_type", str(path), str(name)):
                return self.c_type(path, name)
            case ("type_heading", str(path), str(name)):
                return self.type_heading(path, name)
            case ("member_type", str(path), str(name), str(member)):
                return self.member_type(path, name, member)
            case ("constant", str(path), str(name)):
                return self.constant(path, name)
            case ("variable_type", str(path), str(name)):
                return self.variable_type(path, name)
            case _:
                return None


def mentions(procedure: ir.Procedure, name: str) -> bool:
    """Whether a procedure calls, reads, stores, or takes the address of something of this simple name."""
    for node in procedure.nodes:
        match node:
            case ir.Call(name=found) | ir.Load(field=found) | ir.Store(field=found) | ir.AddressOf(field=found):
                if found.rpartition(".")[2] == name:
                    return True
                if isinstance(node, ir.Call) and f"=&{name}" in node.args:
                    return True
                if isinstance(node, ir.Store) and node.src == f"=&{name}":
                    return True
            case ir.Copy(src=source) | ir.StoreElement(src=source) | ir.Return(src=source):
                if source == f"=&{name}":
                    return True
            case ir.Alloc(type=found):
                if found.rpartition(".")[2] == name or found.rpartition("$")[2] == name:
                    return True
            case _:
                pass
    return False
