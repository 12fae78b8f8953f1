"""What a call does to obligations: by annotations, by what specs say of libraries, or by Effects of plain code.

Sections 3.1 (ownership at calls and returns), 4.1 (resource aliases) and 5 (new obligations) of the paper. In a file
that is written for the checker, its defaults hold: results are owning, parameters are not. Reports too much when an
unknown library takes what it is passed; misses what a container of the library keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Method, Methods
from analyzers.detectors.resource_leak_checker.vocabulary import Annotation
from analyzers.queries import Target
from analyzers.summaries import AccessPath, Effects, Outcome, Transfer

EVERYTHING: Methods = ("*",)
"""Stands for all methods that must be called: what a release is."""

REST = "+"
"""The end of a root that stands for a formal and all operands that follow."""

_CONTAINERS = "java.util."

_INHERITED = (vocabulary.CREATES, vocabulary.ENSURES, vocabulary.ENSURES_RAISED, vocabulary.REQUIRES)

Ensured = tuple[tuple[AccessPath, Methods], ...]


class Contract(msgspec.Struct, frozen=True):
    """What a call does; paths are rooted at `this` and formals (`$0`).

    is_owning  the result is the caller's to release
    must       what must be called on the result, None where its type says it
    aliases    roots that are one resource with the result
    owned      roots that the callee takes over when it returns
    ensured, ensured_raised   what has been called when it returns, when it throws
    created    paths for which it creates an obligation
    required   what has to have been called before
    called     what has been called on the result
    method     its declaration in the tree
    """

    is_owning: bool
    must: Methods | None = None
    aliases: tuple[str, ...] = ()
    owned: tuple[str, ...] = ()
    ensured: Ensured = ()
    ensured_raised: Ensured = ()
    created: tuple[AccessPath, ...] = ()
    required: Ensured = ()
    called: Methods = ()
    method: Method | None = None


class Contracts:
    """The contracts of the calls of one procedure."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._queries = declarations.queries

    def of_call(self, call: ir.Call, target: Target | None, receiver: str = "") -> Contract:
        """The contract of a call."""
        if target is None:
            return Contract(False)
        method = self._declarations.callee(call, target, receiver)
        if method is not None and (not method.procedure or self._declarations.is_written_for(method.path)):
            return self.of_method(method, target.result)
        if target.procedures:
            parts = [self._queries.effects(key) for key in target.procedures]
            return self._of_effects(parts, method, call)
        model = self._queries.model(target.models, target.parameters)
        if model is not None:
            return self._of_model(model, call, target)
        return Contract(True)

    # --- annotations

    def of_method(self, method: Method, result: str = "") -> Contract:
        """The contract that a declaration states."""
        written = (*method.annotations, *self._inherited(method))
        own = vocabulary.find(written, vocabulary.MUST_CALL)
        called = vocabulary.find(written, vocabulary.CALLED)
        is_constructor = method.name == "<init>"
        is_alias = vocabulary.find(written, vocabulary.ALIAS, vocabulary.POLY) is not None
        aliases = [root for root, formal in self._roots(method) if is_alias and _is_alias(formal)]
        if vocabulary.find(written, vocabulary.RETURNS_RECEIVER) is not None:
            aliases.append("this")
        receiver = vocabulary.find(written, vocabulary.NOT_OWNING) is None
        ensured = tuple(self._ensured(method, written, vocabulary.ENSURES))
        return Contract(
            is_owning=receiver or is_constructor,
            must=own.strings() if own is not None else None,
            called=called.strings() if called is not None else (),
            aliases=tuple(aliases),
            owned=tuple(r for r, formal in self._roots(method) if vocabulary.find(formal, vocabulary.OWNING) is not None),
            ensured=ensured + tuple(self._varargs(method)),
            ensured_raised=(*self._ensured(method, written, vocabulary.ENSURES_RAISED), *self._released(method, ensured)),
            created=self._created(method, written),
            required=tuple(self._ensured(method, written, vocabulary.REQUIRES)),
            method=method,
        )

    def _inherited(self, method: Method) -> tuple[Annotation, ...]:
        """The pre- and postconditions of what a method overrides, of each kind that it does not state itself."""
        if method.name == "<init>" or "static" in method.attributes or "private" in method.attributes:
            return ()
        found: list[Annotation] = []
        names = [each for each in _INHERITED if vocabulary.find(method.annotations, each) is None]
        for above in self._queries.supertypes(method.owner):
            for other in self._declarations.methods(above):
                if other.name == method.name and len(other.parameters) == len(method.parameters):
                    found += [each for each in other.annotations if each.name in names]
                    names = [each for each in names if vocabulary.find(other.annotations, each) is None]
        return tuple(found)

    def _created(self, method: Method, written: tuple[Annotation, ...]) -> tuple[AccessPath, ...]:
        found: list[AccessPath] = []
        for each in written:
            if each.name == vocabulary.CREATES:
                texts = each.strings() or ("this",)
                found += [path for text in texts if (path := self.path(text, method)) is not None]
        return tuple(dict.fromkeys(found))

    def _released(self, method: Method, ensured: Ensured) -> Ensured:
        """What a method that must be called releases: it has to when it throws, too."""
        if method.name not in self._declarations.must_call(method.owner):
            return ()
        return tuple(each for each in ensured if each[0][0] == "this")

    def path(self, expression: str, method: Method) -> AccessPath | None:
        """A Java expression of an annotation as a path; None where it is none."""
        head, *fields = expression.strip().split(".")
        if head == "this":
            return ("this", *fields)
        if head[:1] == "#" and head[1:].isdecimal():
            return (f"${int(head[1:]) - 1}", *fields)
        if not head.isidentifier():
            return None
        if self._declarations.field(method.owner, head) is not None:
            return ("this", head, *fields)
        body = self._queries.procedure(method.key) if method.procedure else None
        if body is not None and head in body.parameters:
            return (f"${body.parameters.index(head)}", *fields)
        return None

    def _ensured(
        self, method: Method, written: tuple[Annotation, ...], name: str
    ) -> Iterator[tuple[AccessPath, Methods]]:
        for each in written:
            if each.name == name:
                for text in each.strings():
                    path = self.path(text, method)
                    if path is not None:
                        yield path, each.strings("methods")

    def _varargs(self, method: Method) -> Iterator[tuple[AccessPath, Methods]]:
        written = vocabulary.find(method.annotations, vocabulary.ENSURES_VARARGS)
        if written is not None and method.formals:
            yield (f"${len(method.formals) - 1}{REST}",), written.strings() or written.strings("methods")

    def _roots(self, method: Method) -> Iterator[tuple[str, tuple[Annotation, ...]]]:
        for position, formal in enumerate(method.formals):
            is_last = method.is_varargs and position == len(method.formals) - 1
            yield f"${position}{REST if is_last else ''}", formal

    # --- libraries and plain code

    def _of_model(self, model: Effects, call: ir.Call, target: Target) -> Contract:
        contract = self._of_effects([model], None, call)
        if target.type.startswith(_CONTAINERS) and contract.owned:
            kept = tuple(root for root in contract.owned if self._wraps(model, root))
            contract = msgspec.structs.replace(contract, owned=kept)
        if call.kind == "new" and not contract.is_owning and not contract.aliases:
            contract = msgspec.structs.replace(contract, must=())
        return contract

    def _wraps(self, model: Effects, root: str) -> bool:
        return any("$ret" in {path[0] for o in t.outcomes for path in o.paths} for t in model.transfers if t.entry == (root,))

    def _of_effects(self, parts: list[Effects], method: Method | None, call: ir.Call) -> Contract:
        made = "this" if call.name == "<init>" else "$ret"
        owned: dict[str, None] = {}
        aliases: dict[str, None] = {}
        ensured: dict[tuple[AccessPath, Methods], None] = {}
        raised: dict[tuple[AccessPath, Methods], None] = {}
        created: dict[AccessPath, None] = {}
        is_owning = False
        for effects in parts:
            aliases.update(dict.fromkeys(effects.aliases))
            for transfer in effects.transfers:
                if not transfer.entry:
                    is_owning = is_owning or any((made,) in each.paths for each in transfer.outcomes)
                    created.update(dict.fromkeys(_created(transfer, made)))
                    continue
                on_return = [each for each in transfer.outcomes if each.exit == "return"]
                on_throw = [each for each in transfer.outcomes if each.exit == "throw"]
                place = _place(transfer.entry, method)
                if _any(on_return, "released"):
                    ensured[place, EVERYTHING] = None
                if _any(on_throw, "released"):
                    raised[place, EVERYTHING] = None
                if _any(on_return, "retained") and len(transfer.entry) == 1:
                    owned[transfer.entry[0]] = None
                if any(_moves(path) for each in on_return if each.fate == "held" for path in each.paths):
                    aliases[transfer.entry[0]] = None
        roots = tuple(each for each in aliases if each != made)
        is_owning = is_owning or (call.kind == "new" and method is not None)
        return Contract(
            is_owning=is_owning, must=None if is_owning or roots else (), aliases=roots, owned=tuple(owned),
            ensured=tuple(ensured), ensured_raised=tuple(raised), created=tuple(created), method=method,
        )  # fmt: skip


def _place(entry: AccessPath, method: Method | None) -> AccessPath:
    """Where a callee finds a handle; the elements of its last formal are operands of the call where their number varies."""
    if method is None or not method.is_varargs or len(entry) != 2 or entry[1] != "[]":
        return entry
    return (f"{entry[0]}{REST}",) if entry[0] == f"${len(method.formals) - 1}" else entry


def _any(outcomes: Iterable[Outcome], fate: str) -> bool:
    return any(each.fate == fate for each in outcomes)


def _created(transfer: Transfer, made: str) -> Iterator[AccessPath]:
    for each in transfer.outcomes:
        for path in each.paths:
            if each.exit == "return" and len(path) == 1 and path[0] not in ("$ret", made):
                yield path


def _moves(path: AccessPath) -> bool:
    return path[0] == "$ret" or (path[0] == "this" and len(path) > 1)


def _is_alias(formal: tuple[Annotation, ...]) -> bool:
    return vocabulary.find(formal, vocabulary.ALIAS, vocabulary.POLY) is not None
