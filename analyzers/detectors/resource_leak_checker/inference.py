"""Infers the annotations of plain code from what its methods do (Effects, a fixpoint over SCCs of the call graph).

After Shadab et al.: Inference of Resource Management Specifications (OOPSLA 2023): a field that some method disposes of
is owned, and that method must be called; so is a parameter that is always disposed of; a constructor that keeps its
parameter in the one owned field is its alias; who returns a field keeps it. What is annotated stays as it is.
Misses owners that dispose of a field only from outside their class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.declarations import CLOSE, Declarations, Field, Method, Methods
from analyzers.summaries import Certainty, Effects, Outcome, Transfer


class Inferred(msgspec.Struct, frozen=True, order=True):
    """An annotation that a declaration should bear: `name` is the field's or parameter's, `procedure` the method's."""

    type: str
    place: Literal["class", "field", "method", "parameter"]
    procedure: str
    name: str
    annotation: str


class Facts(msgspec.Struct, frozen=True):
    """What was inferred of a class: its owning fields with the methods that release each, on every path or on some."""

    owning: dict[str, tuple[str, ...]]
    ensured: dict[str, tuple[str, ...]]
    destructors: tuple[str, ...]


class Inference:
    """Infers for the types of one tree."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._queries = declarations.queries

    def of_type(self, type_name: str) -> tuple[Inferred, ...]:
        """All that a class and its members should bear."""
        methods = self._declarations.methods(type_name)
        facts = self.facts(type_name)
        found = [*self._of_class(type_name, facts), *self._of_fields(type_name, facts)]
        for method in methods:
            if method.procedure and "implicit" not in method.attributes:
                found += self._of_method(method, facts)
        return tuple(sorted(dict.fromkeys(found)))

    def facts(self, type_name: str) -> Facts:
        """The owning fields of a class, and what releases them."""
        owning: dict[str, list[str]] = {}
        ensured: dict[str, list[str]] = {}
        for method, transfer in self._releases(type_name):
            owning.setdefault(transfer.entry[1], []).append(method.name)
            if all(each.fate == "released" for each in _returned(transfer)) and "private" not in method.attributes:
                ensured.setdefault(method.procedure, []).append(transfer.entry[1])
        frozen = {name: tuple(dict.fromkeys(by)) for name, by in owning.items()}
        return Facts(frozen, {key: tuple(dict.fromkeys(n)) for key, n in ensured.items()}, self._destructors(type_name, frozen))

    def released_by(self, type_name: str, method_name: str) -> tuple[str, ...]:
        """The owning fields of a class that its methods of one name release, on every path or on some; no other method is looked at."""
        return tuple(dict.fromkeys(transfer.entry[1] for _, transfer in self._releases(type_name, method_name)))

    def _releases(self, type_name: str, method_name: str = "") -> Iterator[tuple[Method, Transfer]]:
        """What methods do that may release a field of their own class, those of one name or all."""
        fields = {each.declaration.name for each in self._declarations.fields(type_name) if self._can_own(each)}
        fields -= set(self._own_names(type_name)) if fields else set()
        for method in self._declarations.methods(type_name) if fields else ():
            if not method.procedure or "static" in method.attributes or method.name == "<init>" or method_name not in ("", method.name):
                continue
            for transfer in self._effects(method).transfers:
                is_own = len(transfer.entry) == 2 and transfer.entry[0] == "this" and transfer.entry[1] in fields
                if is_own and any(each.fate == "released" for each in _returned(transfer)) and not self._is_renewing(method, transfer):
                    yield method, transfer

    def _own_names(self, type_name: str) -> Iterator[str]:
        """The fields in which an object may find itself: the first of its kind, and not the object's to release."""
        for method in self._declarations.methods(type_name):
            body = self._queries.procedure(method.key) if method.procedure else None
            for node in body.nodes if body is not None else ():
                if isinstance(node, ir.Store) and node.base == "this" and node.src == "this":
                    yield node.field

    def _is_renewing(self, method: Method, transfer: Transfer) -> bool:
        """Whether a method releases what a field held only to put something new there."""
        return any(
            each.fate == "held" and transfer.entry in each.paths
            for other in self._effects(method).transfers if not other.entry
            for each in other.outcomes
        )  # fmt: skip

    def _can_own(self, field: Field) -> bool:
        is_settled = vocabulary.find(field.annotations, vocabulary.OWNING, vocabulary.NOT_OWNING) is not None
        return not is_settled and not field.is_static and bool(self._declarations.must_call(field.type))

    def _destructors(self, type_name: str, owning: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The methods that together release all owning fields: one that does it all, else those of each."""
        if not owning:
            return ()
        known = self._declarations.must_call(type_name)
        shared = [name for name in next(iter(owning.values())) if all(name in by for by in owning.values())]
        for name in (*known, *shared):
            if name in shared:
                return (name,)
        return tuple(dict.fromkeys(by[0] for by in owning.values()))

    # --- what follows

    def _of_class(self, type_name: str, facts: Facts) -> Iterator[Inferred]:
        declared = self._declarations.declared(type_name)
        if declared is None or not facts.destructors:
            return
        written = vocabulary.read(declared[1].attributes)
        is_settled = vocabulary.find(written, vocabulary.INHERITABLE, vocabulary.MUST_CALL) is not None
        if not is_settled and tuple(facts.destructors) != self._declarations.must_call(type_name):
            yield Inferred(type_name, "class", "", "", f"@{vocabulary.INHERITABLE}({_strings(facts.destructors)})")

    def _of_fields(self, type_name: str, facts: Facts) -> Iterator[Inferred]:
        for name in facts.owning:
            yield Inferred(type_name, "field", "", name, f"@{vocabulary.OWNING}")

    def _of_method(self, method: Method, facts: Facts) -> Iterator[Inferred]:
        effects = self._effects(method)
        is_constructor = method.name == "<init>"
        has_alias = False
        for transfer in effects.transfers:
            position = _formal(transfer)
            if position is None or position >= len(method.formals) or _is_settled(method.formals[position]):
                continue
            meant = self._of_parameter(transfer, method, facts, is_constructor)
            if meant:
                yield Inferred(method.owner, "parameter", method.procedure, str(position), f"@{meant}")
            has_alias = has_alias or meant == vocabulary.ALIAS
        written = method.annotations
        if has_alias and vocabulary.find(written, vocabulary.ALIAS) is None:
            yield Inferred(method.owner, "method", method.procedure, "", f"@{vocabulary.ALIAS}")
        elif not has_alias and self._is_lending(method, effects) and not _is_settled(written):
            yield Inferred(method.owner, "method", method.procedure, "", f"@{vocabulary.NOT_OWNING}")
        released = facts.ensured.get(method.procedure, ())
        if released and method.name in facts.destructors and vocabulary.find(written, vocabulary.ENSURES) is None:
            yield Inferred(method.owner, "method", method.procedure, "", self._ensures(method, released))
        if not is_constructor and self._is_assigning(method, facts) and vocabulary.find(written, vocabulary.CREATES) is None:
            yield Inferred(method.owner, "method", method.procedure, "", f'@{vocabulary.CREATES}("this")')

    def _of_parameter(self, transfer: Transfer, method: Method, facts: Facts, is_constructor: bool) -> str:
        """The annotation of the parameter that a transfer is about; empty for none."""
        if not self._has_obligation(transfer, method):
            return ""
        returned = _returned(transfer)
        if not returned or any(each.certainty is not Certainty.MUST for each in returned):
            return ""
        if all(each.fate == "released" for each in returned):
            return vocabulary.OWNING
        if any(each.fate != "held" for each in returned):
            return ""
        if not is_constructor:
            is_same = all(("$ret",) in each.paths for each in returned)
            return vocabulary.ALIAS if is_same else ""
        kept = [name for name in facts.owning if all(("this", name) in each.paths for each in returned)]
        if not kept:
            return ""
        return vocabulary.ALIAS if len(facts.owning) == 1 else vocabulary.OWNING

    def _has_obligation(self, transfer: Transfer, method: Method) -> bool:
        position = _formal(transfer)
        written = method.parameters[position] if position is not None else ""
        resolved = self._queries.resolve_type(method.path, method.owner, written)
        return bool(self._declarations.must_call(resolved))

    def _is_lending(self, method: Method, effects: Effects) -> bool:
        """Whether what a method returns is a field that stays its object's."""
        lent = [
            each.entry[1] for each in effects.transfers
            if len(each.entry) == 2 and each.entry[0] == "this"
            and any(o.fate == "held" and {("$ret",), each.entry} <= set(o.paths) for o in each.outcomes)
        ]  # fmt: skip
        fields = [found for name in lent if (found := self._declarations.field(method.owner, name)) is not None]
        is_resource = any(self._declarations.must_call(each.type) for each in fields)
        return is_resource and all(each.entry or ("$ret",) not in _paths(each) for each in effects.transfers)

    def _is_assigning(self, method: Method, facts: Facts) -> bool:
        """Whether a method puts something into an owning field that is not final."""
        changeable = {
            each.declaration.name for each in self._declarations.fields(method.owner)
            if each.declaration.name in facts.owning and not each.is_final
        }  # fmt: skip
        body = self._queries.procedure(method.key) if changeable else None
        return body is not None and any(
            isinstance(node, ir.Store) and node.base == "this" and node.field in changeable and not ir.is_literal(node.src)
            for node in body.nodes
        )

    def _ensures(self, method: Method, released: Sequence[str]) -> str:
        fields = {each.declaration.name: each for each in self._declarations.fields(method.owner)}
        called: Methods = tuple(dict.fromkeys(m for name in released for m in self._declarations.must_call(fields[name].type)))
        places = _strings([f"this.{name}" for name in sorted(released)])
        return f"@{vocabulary.ENSURES}(value = {places}, methods = {_strings(called or CLOSE)})"

    def _effects(self, method: Method) -> Effects:
        return self._queries.effects(method.key)


def _returned(transfer: Transfer) -> list[Outcome]:
    return [each for each in transfer.outcomes if each.exit == "return"]


def _paths(transfer: Transfer) -> set[tuple[str, ...]]:
    return {path for each in transfer.outcomes for path in each.paths}


def _formal(transfer: Transfer) -> int | None:
    entry = transfer.entry
    return int(entry[0][1:]) if len(entry) == 1 and entry[0][:1] == "$" and entry[0][1:].isdecimal() else None


def _is_settled(written: Sequence[vocabulary.Annotation]) -> bool:
    names = (vocabulary.OWNING, vocabulary.NOT_OWNING, vocabulary.ALIAS, vocabulary.POLY)
    return vocabulary.find(written, *names) is not None


def _strings(texts: Sequence[str]) -> str:
    quoted = [f'"{each}"' for each in texts]
    return quoted[0] if len(quoted) == 1 else "{" + ", ".join(quoted) + "}"
