"""Closes of the repository's classes that do nothing but close what their object holds.

A patch that calls one ends the handle, and nothing else happens: no file is deleted, nobody is told, nothing that somebody else
gave is taken from him. A field that such a method closes without asking is there wherever a constructor has returned, or is what one
was given: whether that is there, and whose it is, the path tells on which the object was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzers import Program, ir
from analyzers.facts import Facts
from analyzers.handles.java.given_fields import final_fields
from analyzers.queries import Linked, ProcedureKey
from fixers.only_closing import ASKING, TELLING, only_closes

MAX_DEPTH = 3
"""Classes above each other whose `close` one calls."""

_CLOSING = frozenset(("close", "flush"))
_NEW, _GIVEN = "new", "given"


def plain_closes(program: Program, after: Facts, nodes: Iterable[int]) -> dict[int, frozenset[str]]:
    """The calls among some that are of such methods, each with the fields that were given to a constructor."""
    found: dict[int, frozenset[str]] = {}
    for node in nodes:
        target = after.linked.targets.get(node)
        given = [closes_its_own(program, each) for each in target.procedures] if target is not None else []
        if given and None not in given:
            found[node] = frozenset().union(*(each for each in given if each is not None))
    return found


def closes_its_own(program: Program, key: ProcedureKey, depth: int = MAX_DEPTH) -> frozenset[str] | None:
    """Of a method that does nothing but close fields of its object, each of which is there, given or asked for: those that are given."""
    known: dict[ProcedureKey, frozenset[str] | None] = program.once("closes its own", dict)
    if key not in known:
        known[key] = None  # One that calls itself does something else, too.
        linked = program.linked(key) if depth else None
        known[key] = _does(program, linked, depth) if linked is not None else None
    return known[key]


def _does(program: Program, linked: Linked, depth: int) -> frozenset[str] | None:
    body = linked.body
    loaded = dict(_loaded(body))
    asked = {loaded[each.left] for each in body.nodes if isinstance(each, ir.Branch) and each.right == "=null" and each.left in loaded}
    closed: set[str] = set()
    given: set[str] = set()
    for number, node in enumerate(body.nodes):
        match node:
            case ir.Call(kind="special", name=name, qualifier="super", args=()):
                target = linked.targets.get(number)
                keys = target.procedures if target is not None else ()
                above = [closes_its_own(program, each, depth - 1) for each in keys]
                if name != body.name.rpartition(".")[2].partition("(")[0] or not above or None in above:
                    return None
                given.update(field for each in above for field in each or ())
            case ir.Call(name=name, receiver=receiver, args=()) if name in _CLOSING and receiver in loaded:
                closed.add(loaded[receiver])
            case ir.Call(args=args) if args and all(each in loaded for each in args) and _is_closing(program, linked, number):
                asked.update(loaded[each] for each in args)
            case ir.Call(name=name):
                if name not in TELLING | ASKING:
                    return None
            case ir.Store(base="this", src="=null" | "=true" | "=false"):
                pass
            case ir.Store() | ir.StoreElement() | ir.Havoc():
                return None
            case ir.Return(src=src) if src:
                return None
            case _:
                pass
    for field in sorted(closed - asked):
        found = _filled_by(program, linked, field)
        if not found:
            return None
        given |= {field} if found == _GIVEN else set()
    return frozenset(given)


def _loaded(body: ir.Procedure) -> Iterator[tuple[str, str]]:
    """The variables that hold a field of the object, each with the field."""
    found: dict[str, str] = {}
    for each in body.nodes:
        match each:
            case ir.Load(dst=dst, base="this", field=field):
                found[dst] = field
            case ir.Copy(dst=dst, src=src) if src in found:
                found[dst] = found[src]
            case _:
                pass
    yield from found.items()


def _is_closing(program: Program, linked: Linked, number: int) -> bool:
    """Whether a method of the repository does nothing but close what it is given."""
    target = linked.targets.get(number)
    keys = target.procedures if target is not None else ()
    return bool(keys) and all(only_closes(program, each) for each in keys)


def _filled_by(program: Program, linked: Linked, field: str) -> str:
    """Whether a field is set once, by each constructor, to a new object, or in some to what they are given; empty for neither."""
    owner = linked.body.owner
    unit = program.unit(linked.key.path)
    if field not in final_fields(unit, owner):
        return ""
    bodies = [body for key in program.procedures_of(linked.key.path) if (body := program.procedure(key)) is not None and body.owner == owner]
    stores = [
        (body, each) for body in bodies for each in body.nodes
        if isinstance(each, ir.Store) and (each.base, each.field) == ("this", field)
    ]  # fmt: skip
    if stores and all(_is_new(body, each.src) for body, each in stores):
        return _NEW
    return _GIVEN if stores and all(_is_new(body, each.src) or _is_given(body, each.src) for body, each in stores) else ""


def _is_given(body: ir.Procedure, name: str) -> bool:
    """Whether a variable is a parameter of a constructor that holds what that was given, and nothing else."""
    is_kept = not any(getattr(each, "dst", "") == name or (isinstance(each, ir.Havoc) and name in each.variables) for each in body.nodes)
    return body.kind == "constructor" and name in body.parameters and is_kept


def _is_new(body: ir.Procedure, name: str) -> bool:
    """Whether a variable holds nothing but what `new` gave."""
    made = [each for each in body.nodes if getattr(each, "dst", "") == name]
    return bool(made) and name not in body.parameters and all(
        isinstance(each, ir.Alloc) or (isinstance(each, ir.Copy) and not ir.is_literal(each.src) and _is_new(body, each.src)) for each in made
    )
