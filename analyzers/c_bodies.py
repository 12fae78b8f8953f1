"""What the bodies of one C file say that other procedures want to know, gathered once when it is lowered.

Which functions are stored where, which file statics never change, which functions always return one constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from analyzers import ir

INITIALISER = "initialiser"
"""The kind of the procedure that holds the initialisers of globals."""


class Facts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """See the module; for Java `java_bodies`.

    stored      field or global -> names that are stored to it and are, or may be, functions; a member that only its
                place in an initialiser tells is `struct s#2`
    constants   file static -> the literal that it always is
    results     function -> the literal that it always returns
    initial     variable of external linkage that nothing in the file assigns -> the literal that it begins with
    closed      simple name of a type -> how the types (without arguments) of that name are written whose objects a body of Java closes
    """

    stored: dict[str, tuple[str, ...]] = {}
    constants: dict[str, str] = {}
    results: dict[str, str] = {}
    initial: dict[str, str] = {}
    closed: dict[str, tuple[str, ...]] = {}


def facts_of(unit: ir.Unit) -> Facts:
    """The facts of a whole unit of C."""
    stored: dict[str, set[str]] = {}
    results: dict[str, str] = {}
    types = {each.name: each.type for each in unit.globals}
    for procedure in unit.procedures:
        for place, name in _stored(procedure, types):
            stored.setdefault(place, set()).add(name)
        if procedure.kind == "function":
            value = literal_result(procedure)
            if value:
                results[procedure.name] = value
    ordered = {place: tuple(sorted(names)) for place, names in sorted(stored.items())}
    constants = _constants(unit, [each for each in unit.globals if "static" in each.attributes])
    others = [each for each in unit.globals if not {"static", "extern"} & set(each.attributes)]
    initial = {name: value for name, value in _constants(unit, others).items() if _is_initialised(unit, name)}
    return Facts(ordered, dict(sorted(constants.items())), results, dict(sorted(initial.items())))


def said_by(procedure: ir.Procedure, unit: ir.Unit) -> tuple[frozenset[tuple[str, str]], frozenset[str], str]:
    """All that the facts of a unit take from the body of one function: what it stores where, the globals that it assigns or takes
    the address of, the literal that it always returns."""
    types = {each.name: each.type for each in unit.globals}
    written = frozenset(name for name, _ in _written(procedure.nodes))
    return frozenset(_stored(procedure, types)), written, literal_result(procedure)


def last_part(field: str) -> str:
    """The last field of a dotted one."""
    return field.rpartition(".")[2]


def _stored(procedure: ir.Procedure, types: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(place, name) for everything that may be a function and is stored by name. `types` are those of globals."""
    loaded: dict[str, ir.Load] = {}
    for node in procedure.nodes:
        match node:
            case ir.Load(dst=dst):
                loaded[dst] = node
                continue
            case ir.Store(base=base, field=place, src=source):
                held = types.get(place.partition(".")[0], "") if not base else _loaded_type(loaded.get(base), types)
            case ir.StoreElement(base=base, src=source) if base in loaded:
                held, place = "", loaded[base].field
            case _:
                continue
        load = loaded.get(source)
        is_plain = load is not None and not load.base and "." not in load.field
        name = source[2:] if source.startswith("=&") else (load.field if load is not None and is_plain else "")
        last = last_part(place)
        if last[:1] == "#":
            last = held.removeprefix("const ").rstrip("[]* ") + last if held and place.count(".") <= 1 else ""
        if name and last:
            yield last, name


def _loaded_type(load: ir.Load | None, types: dict[str, str]) -> str:
    return types.get(load.field, "") if load is not None and not load.base else ""


def literal_result(procedure: ir.Procedure) -> str:
    """The literal that every return of a function or method gives; empty where it varies."""
    found = {node.src for node in procedure.nodes if isinstance(node, ir.Return)}
    if len(found) != 1:
        return ""
    value = found.pop()
    falls = any(
        ir.EXIT in following and not isinstance(node, ir.Return)
        for node, following in zip(procedure.nodes, procedure.next, strict=True)
    )
    return value if ir.is_literal(value) and value != "=?" and not falls else ""


def _is_initialised(unit: ir.Unit, name: str) -> bool:
    """Whether a variable is given a value where it is defined."""
    bodies = (procedure.nodes for procedure in unit.procedures if procedure.kind == INITIALISER)
    return any(written == name for nodes in bodies for written, _ in _written(nodes))


def _constants(unit: ir.Unit, variables: Iterable[ir.FieldDeclaration]) -> dict[str, str]:
    """Those of some variables that are scalars, never written and never pointed to."""
    found = {
        each.name: ("=null" if "*" in each.type else "=0")
        for each in variables
        if not each.type.endswith("]") and "(*)[]" not in each.type and not each.type.startswith(("struct", "union"))
    }
    if not found:
        return found
    initial: dict[str, set[str]] = {}
    for procedure in unit.procedures:
        for name, value in _written(procedure.nodes):
            if procedure.kind == "macro":  # Where it stands, the name may be that of a function's own variable.
                for each in [each for each in found if last_part(each) == name]:
                    del found[each]
            if name not in found:
                continue
            if procedure.kind == INITIALISER and value:
                initial.setdefault(name, set()).add(value)
            else:
                del found[name]
    for name, values in initial.items():
        if name in found:
            value = values.pop()
            if values or not ir.is_literal(value) or value == "=?":
                del found[name]
            else:
                found[name] = value
    return found


def _written(nodes: Iterable[ir.Instruction]) -> Iterator[tuple[str, str]]:
    """(global, value) for what is stored to globals; no value where their address is taken. A dotted name is that of a member, or of a
    static variable of a function (`next_line.row`): its beginnings are told of, too."""
    for node in nodes:
        match node:
            case ir.Store(base="", field=field, src=source):
                yield from ((name, source) for name in ir.beginnings(field))
            case ir.AddressOf(base="", field=field):
                yield from ((name, "") for name in ir.beginnings(field))
            case ir.Havoc(variables=variables):
                yield from ((name.removeprefix("::"), "") for name in variables)
            case _:
                pass
