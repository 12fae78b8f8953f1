"""Puts a map with weak keys in the place of a plain one: never without somebody who looks at it."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.slots import Use
from analyzers.specs.containers import Role
from fixers.draft import Draft
from fixers.java.imports import insert_import
from fixers.java.kept import Kept, Proposal, declaration_of, done
from fixers.java.statements import initialiser
from fixers.leak import Refusal
from fixers.tree import COMMENTS


def weak(kept: Kept) -> Proposal | Refusal:
    """A map whose keys are weak, in the place of a plain one."""
    touched = kept.slot
    declaration = declaration_of(kept, touched.slot) if touched is not None else None
    if touched is None or declaration is None:
        return Refusal("the map is not declared by itself")
    declarator = next(each for each in declaration.kids if each.kind == "variable_declarator")
    made = initialiser(declarator)
    written = next((kid for kid in declaration.kids if kid.end <= declarator.start and kid.kind not in ("modifiers", *COMMENTS)), None)
    if made is None or made.kind != "object_creation_expression" or written is None:
        return Refusal("what the map is made of is not plain")
    created = next((kid for kid in made.kids if kid.kind in ("type_identifier", "generic_type", "scoped_type_identifier")), None)
    name = kept.tree.text(created).partition("<")[0].rpartition(".")[2] if created is not None else ""
    if name not in ("HashMap", "LinkedHashMap", "Hashtable", "ConcurrentHashMap"):
        return Refusal("a map with weak keys would not do the same")
    called = {
        node.name for use in touched.uses for body in (kept.program.procedure(use.key),) if body is not None
        for node in (body.nodes[use.node],) if isinstance(node, ir.Call)
    }
    if not called <= {"put", "get", "remove", "containsKey", "putIfAbsent", "computeIfAbsent", "size", "isEmpty", "clear"}:
        return Refusal("its other calls are not those of any map")
    if any(_holds_key(kept, use) for use in touched.of(Role.STORE)):
        return Refusal("each value holds its key, which weak keys would not change")
    declared = kept.tree.text(written)
    arguments = declared[declared.find("<") :] if "<" in declared else ""
    hold = f"new WeakHashMap{'<>' if arguments else ''}()"
    needed = ["java.util.WeakHashMap"]
    if name in ("Hashtable", "ConcurrentHashMap"):
        hold, needed = f"Collections.synchronizedMap({hold})", [*needed, "java.util.Collections"]
    draft = Draft(kept.path, kept.data)
    if declared.partition("<")[0] != "Map":
        draft.replace(written.start, written.end, f"Map{arguments}")
        needed.append("java.util.Map")
    draft.replace(made.start, made.end, hold)
    if not imported(kept, draft, needed):
        return Refusal("another class of the same name is imported")
    return done(
        f"Hold the keys of `{touched.slot.name}` weakly", draft, "an entry may go as soon as nobody else holds its key"
    )


def _holds_key(kept: Kept, use: Use) -> bool:
    """Whether what is stored is made with the key that it is stored under, or is that key."""
    body = kept.program.procedure(use.key)
    if body is None or len(use.operands) < 2:
        return False
    key, value = (_same(body, each) for each in use.operands[:2])
    return bool(key & value) or any(
        isinstance(node, ir.Call) and node.kind == "new" and node.receiver in value and not key.isdisjoint(node.args)
        for node in body.nodes
    )


def _same(body: ir.Procedure, operand: str) -> set[str]:
    """The variables that hold what an operand does; what is asked for again in the same words is the same."""
    found = {operand}
    for _ in range(2):
        for node in body.nodes:
            if isinstance(node, ir.Copy) and not ir.is_literal(node.src) and (node.dst in found or node.src in found):
                found |= {node.dst, node.src}
    asked = {(node.name, node.qualifier) for node in body.nodes if isinstance(node, ir.Call) and node.dst in found and not node.args}
    return found | {
        node.dst for node in body.nodes
        if isinstance(node, ir.Call) and node.kind == "static" and not node.args and (node.name, node.qualifier) in asked and node.dst
    }


def imported(kept: Kept, draft: Draft, names: Sequence[str]) -> bool:
    """Add the imports that are missing; False where a name is taken."""
    unit = kept.program.unit(kept.path)
    known = unit.imports if unit is not None else ()
    missing = [name for name in sorted(names) if name not in known and "java.util.*" not in known]
    if any(each.endswith("." + name.rpartition(".")[2]) for name in missing for each in known):
        return False
    for name in missing:
        insert_import(draft, name)
    return True
