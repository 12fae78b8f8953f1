"""Methods and fields of a type, its own and inherited, from source or the JDK model.

Includes what nobody writes: default constructors, `values()` of enums, accessors of records.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java import jdk
from analyzers.frontends.java.declarations import DeclaredType, parameters_of
from analyzers.frontends.java.supertypes import Supertypes
from analyzers.frontends.java.type_table import TypeTable
from analyzers.frontends.java.type_text import (
    OBJECT,
    base_and_dimensions,
    erase,
    is_array,
    is_variable,
    substitute,
)
from analyzers.queries import MethodFacts, ProcedureKey

CONSTRUCTOR = "<init>"
FUNCTION = "->"
"""The name under which `methods` gives the one abstract method of a functional interface."""

JDK = "jdk"
"""The attribute of methods that the JDK declares."""


class TypeMembers:
    """The members of the types of one tree; answers are kept."""

    def __init__(self, table: TypeTable, supertypes: Supertypes) -> None:
        self._table = table
        self._supertypes = supertypes
        self._named: dict[str, dict[str, list[jdk.Method]]] = {}
        """The methods of the types of the JDK that were asked for, by name."""
        self._methods: dict[tuple[str, str], tuple[MethodFacts, ...]] = table.source.memo()
        self._overriders: dict[tuple[str, str], tuple[MethodFacts, ...]] = table.source.memo()

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`. Constructors are the type's own; a class without one has its default constructor."""
        key = (type_name, name)
        found = self._methods.get(key)
        if found is None:
            found = self._function(type_name) if name == FUNCTION else self._find_methods(type_name, name)
            self._methods[key] = found
        return found

    def _find_methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        found = [facts for facts in self._own_methods(type_name, name)]
        if name == CONSTRUCTOR:
            return tuple(found) if found else self._default_constructor(type_name)
        seen = {facts.parameters for facts in found}
        for above in self._supertypes.ancestry(type_name):
            for facts in self._own_methods(above.name, name):
                if facts.parameters not in seen and "private" not in facts.attributes:
                    seen.add(facts.parameters)
                    found.append(_seen_from_below(facts, above.arguments))
        return tuple(found)

    def _own_methods(self, type_name: str, name: str) -> list[MethodFacts]:
        declared = self._table.declared(type_name)
        if declared is not None:
            written = declared.methods.get(name, ())
            found = [self._facts(declared, each) for each in written]
            return found or self._implied_methods(declared, name)
        model = self._table.model.find(type_name)
        if model is None:
            return []
        named = self._named.get(type_name)
        if named is None:
            named = self._named[type_name] = {}
            for each in model.methods:
                named.setdefault(each.name, []).append(each)
        return [_jdk_facts(type_name, model, each) for each in named.get(name, ())]

    def _facts(self, declared: DeclaredType, written: ir.MethodDeclaration) -> MethodFacts:
        of_method = parameters_of(written.type_parameters)
        own, bounds = declared.parameters, of_method

        def full(text: str) -> str:
            return self._supertypes.in_frame(declared, text, of_method, declared.name)

        def plain(text: str) -> str:
            base, dimensions = base_and_dimensions(erase(text))
            if base[:1] == "!":
                bound = list(bounds.values())[int(base[1:])][1]
                base = plain(full(bound)) if bound and bound not in bounds else OBJECT
            elif base[:1] == "#":
                bound = list(own.values())[int(base[1:])][1]
                base = self._supertypes.names.resolve(declared.path, declared.name, bound) if bound else OBJECT
            return (base or "") + dimensions if base else ""

        generic = tuple(full(text) for text in (*written.parameters, written.result))
        erased = tuple(plain(text) for text in generic)
        attributes = _implied_attributes(declared, written)
        return MethodFacts(
            owner=declared.name,
            name=written.name,
            parameters=erased[:-1],
            result=erased[-1],
            throws=tuple(plain(full(text)) for text in written.throws),
            attributes=attributes,
            procedure=ProcedureKey(declared.path, written.procedure) if written.procedure else None,
            generics=generic if generic != erased else (),
        )

    def _implied_methods(self, declared: DeclaredType, name: str) -> list[MethodFacts]:
        """Methods that nobody wrote: of enums and records."""
        kind = declared.declaration.kind
        public = ("public",)
        if kind == "enum" and name == "values":
            own = self._table.identify(declared.name, declared.path)
            return [MethodFacts(declared.name, name, (), own + "[]", (), (*public, "static"), None)]
        if kind == "enum" and name == "valueOf":
            text = ("java.lang.String",)
            own = self._table.identify(declared.name, declared.path)
            return [MethodFacts(declared.name, name, text, own, (), (*public, "static"), None)]
        if kind != "record":
            return []
        components = [each for each in declared.fields.values() if "static" not in each.attributes]
        types = tuple(self._supertypes.names.resolve(declared.path, declared.name, each.type) for each in components)
        if name == CONSTRUCTOR:
            return [MethodFacts(declared.name, name, types, "void", (), public, None)]
        return [
            MethodFacts(declared.name, name, (), result, (), public, None)
            for each, result in zip(components, types, strict=True)
            if each.name == name
        ]

    def _default_constructor(self, type_name: str) -> tuple[MethodFacts, ...]:
        declared = self._table.declared(type_name)
        if declared is None or declared.is_interface:
            return ()
        if not declared.simple:
            return tuple(
                facts for above in self._supertypes.direct_names(type_name)[:1] for facts in self.methods(above, CONSTRUCTOR)
            )
        return (MethodFacts(declared.name, CONSTRUCTOR, (), "void", (), ("public",), None),)

    def _function(self, type_name: str) -> tuple[MethodFacts, ...]:
        names: dict[str, None] = {}
        for each in (type_name, *self._supertypes.supertypes(type_name)):
            declared, model = self._table.declared(each), self._table.model.find(each)
            if declared is not None:
                if not declared.is_interface:
                    return ()
                names.update(dict.fromkeys(declared.methods))
            elif model is not None and each != OBJECT:
                names.update((method.name, None) for method in model.methods if method.flags & jdk.ABSTRACT)
        in_object = {(facts.name, facts.parameters) for name in names for facts in self._own_methods(OBJECT, name)}
        found = [
            facts
            for name in names
            for facts in self.methods(type_name, name)
            if "abstract" in facts.attributes and (facts.name, facts.parameters) not in in_object
        ]
        return (found[0],) if found and len({facts.name for facts in found}) == 1 else ()

    def overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        """See `Queries`. A method that a class below inherits from beside the type is among them."""
        key = (type_name, name)
        found = self._overriders.get(key)
        if found is None:
            found = self._overriders[key] = self._find_overriders(type_name, name)
        return found

    def _find_overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        found: dict[MethodFacts, None] = {}
        below = self._supertypes.subtypes(type_name) if name != CONSTRUCTOR else ()
        known = {type_name, *self._supertypes.supertypes(type_name), *below} if below else set()
        for each in below:
            own = self._own_methods(each, name)
            found.update(dict.fromkeys(own))
            beside = [above for above in self._supertypes.supertypes(each) if above not in known] if not own else ()
            for above in beside:
                found.update(dict.fromkeys(facts for facts in self._own_methods(above, name) if facts.procedure))
        return tuple(found)

    def field_type(self, type_name: str, field: str) -> str:
        """See `Queries`."""
        if is_array(type_name):
            return "int" if field == "length" else ""
        for name in (type_name, *self._supertypes.supertypes(type_name)):
            declared = self._table.declared(name)
            if declared is not None and field in declared.fields:
                return self._supertypes.names.resolve(declared.path, name, declared.fields[field].type)
            model = self._table.model.find(name)
            for each in model.fields if model is not None else ():
                if each.name == field and model is not None:
                    return _jdk_erased(each.type, model.bounds, ())
        return ""


def _seen_from_below(facts: MethodFacts, of_class: tuple[str, ...]) -> MethodFacts:
    """The facts of an inherited method, its type parameters in terms of the type below."""
    if not facts.generics:
        return facts
    generics = tuple(substitute(text, of_class) for text in facts.generics)
    return MethodFacts(
        facts.owner, facts.name, facts.parameters, facts.result, facts.throws, facts.attributes, facts.procedure,
        generics,
    )  # fmt: skip


def _implied_attributes(declared: DeclaredType, written: ir.MethodDeclaration) -> tuple[str, ...]:
    found = list(written.attributes)
    if written.is_varargs and "varargs" not in found:
        found.append("varargs")
    is_plain = not {"default", "static", "private", "abstract"} & set(found)
    if declared.is_interface and is_plain and not written.procedure:
        found.append("abstract")
    return tuple(found)


_FLAG_NAMES = (
    (jdk.STATIC, "static"), (jdk.ABSTRACT, "abstract"), (jdk.FINAL, "final"), (jdk.VARARGS, "varargs"),
)  # fmt: skip


def _jdk_facts(owner: str, model: jdk.JdkType, method: jdk.Method) -> MethodFacts:
    bounds = (model.bounds, method.bounds)
    parameters = tuple(_jdk_erased(text, *bounds) for text in method.parameters)
    result = _jdk_erased(method.result, *bounds)
    generic = (*method.parameters, method.result)
    names = tuple(name for flag, name in _FLAG_NAMES if method.flags & flag)
    visible = "protected" if method.flags & jdk.PROTECTED else "public"
    return MethodFacts(
        owner=owner,
        name=method.name,
        parameters=parameters,
        result=result,
        throws=tuple(_jdk_erased(text, *bounds) for text in method.throws),
        attributes=(visible, *names, JDK),
        procedure=None,
        generics=generic if generic != (*parameters, result) else (),
    )


def _jdk_erased(text: str, of_class: tuple[str, ...], of_method: tuple[str, ...]) -> str:
    base, dimensions = base_and_dimensions(erase(text))
    for _ in range(4):
        if not is_variable(base):
            break
        bounds = of_class if base[0] == "#" else of_method
        place = int(base[1:])
        base = erase(bounds[place]) if place < len(bounds) else OBJECT
    return base + dimensions if not is_variable(base) else OBJECT + dimensions
