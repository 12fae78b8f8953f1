"""Gives a container a bound: that of its sibling on another branch, or, to a cache, one of its own.

Never without somebody who looks at it.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.slots import Use
from analyzers.specs.containers import Role
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.kept import Kept, Proposal, declaration_of, done
from fixers.java.statements import initialiser
from fixers.java.weak_keys import imported
from fixers.leak import Refusal
from fixers.tree import COMMENTS, child, find, innermost

_CONSTANT = frozenset(("decimal_integer_literal", "hex_integer_literal", "true", "false", "decimal_floating_point_literal"))


def bounded(kept: Kept) -> Proposal | Refusal:
    """What the other branch makes, in the place of what is made here."""
    path = kept.tree.path(kept.finding.acquired.start, kept.finding.acquired.end)
    at = innermost(path, lambda node: node.kind == "object_creation_expression")
    around = innermost(path, lambda node: node.kind in ("method_declaration", "constructor_declaration"))
    target = _target(kept, path[at - 1]) if at > 0 else ""
    if at < 1 or around < 0 or not target:
        return Refusal("what is made here is part of a larger expression")
    siblings = [
        made for each in find(path[around], "assignment_expression", "variable_declarator")
        for made in each.kids
        if made.kind == "object_creation_expression" and made is not path[at]
        and _target(kept, each) == target and f"`{_type(kept, made)}`" in kept.finding.message
    ]
    if len({kept.tree.text(each) for each in siblings}) != 1:
        return Refusal("which bound is meant is not known")
    arguments = child(siblings[0], "argument_list")
    if arguments is None or not all(_is_constant(kept, kid) for kid in arguments.kids if kid.kind not in ("(", ")", ",", *COMMENTS)):
        return Refusal("the bound of the other branch is computed there")
    draft = Draft(kept.path, kept.data)
    draft.replace(path[at].start, path[at].end, kept.tree.text(siblings[0]))
    return done(
        f"Give `{target}` the bound that it has on the other branch", draft, "what is dropped for the bound can be made again"
    )


def _target(kept: Kept, node: Node) -> str:
    """The name that an assignment or a declaration gives a value to."""
    if node.kind not in ("assignment_expression", "variable_declarator"):
        return ""
    return kept.tree.text(node.kids[0]).removeprefix("this.")


def _type(kept: Kept, made: Node) -> str:
    named = next((kid for kid in made.kids if kid.kind in ("type_identifier", "generic_type", "scoped_type_identifier")), None)
    return kept.tree.text(named).partition("<")[0].rpartition(".")[2] if named is not None else ""


def _is_constant(kept: Kept, node: Node) -> bool:
    """A literal, or a name that stands for one by the customs of Java."""
    return node.kind in _CONSTANT or (node.kind == "identifier" and kept.tree.text(node).isupper())


# --- a cache of its own


_CACHES = frozenset(("HashMap", "LinkedHashMap", "Hashtable", "ConcurrentHashMap"))
_MAPS = _CACHES | {"Map", "ConcurrentMap"}
_ANY_MAP = frozenset(("put", "get", "remove", "containsKey", "putIfAbsent", "computeIfAbsent", "size", "isEmpty", "clear"))
ENTRIES = 1000
"""What a map holds whose bound nobody chose: somebody has to look at it."""


def bounded_cache(kept: Kept) -> Proposal | Refusal:
    """A map that lets its eldest entries go, where each of them is made anew when it is missing."""
    touched = kept.slot
    declaration = declaration_of(kept, touched.slot) if touched is not None else None
    if touched is None or declaration is None:
        return Refusal("the map is not declared by itself")
    made = initialiser(next(each for each in declaration.kids if each.kind == "variable_declarator"))
    written = next((
        kid for kid in declaration.kids if kid.kind in ("type_identifier", "generic_type", "scoped_type_identifier")
    ), None)
    if made is None or made.kind != "object_creation_expression" or written is None or child(made, "class_body") is not None:
        return Refusal("what the map is made of is not plain")
    name, declared = _type(kept, made), kept.tree.text(written)
    simple, _, arguments = declared.partition("<")
    if name not in _CACHES or simple not in _MAPS:
        return Refusal("a map with a bound would not do the same")
    reason = next((found for use in touched.uses if (found := _wants_all(kept, use, touched.uses))), "")
    if reason:
        return Refusal(reason)
    pair = f"<{arguments}" if arguments else ""
    draft = Draft(kept.path, kept.data)
    inner, indent = draft.unit, text.indentation(kept.data, declaration.start)
    lines = (
        f"new LinkedHashMap{pair}() {{\n{inner}@Override\n{inner}protected boolean removeEldestEntry(Map.Entry{pair} eldest) {{\n"
        f"{inner}{inner}return size() > {ENTRIES};\n{inner}}}\n}}"
    )
    hold = text.reindented(lines, indent).lstrip()
    needed = ["java.util.LinkedHashMap", "java.util.Map"]
    if name in ("Hashtable", "ConcurrentHashMap"):
        hold, needed = f"Collections.synchronizedMap({hold})", [*needed, "java.util.Collections"]
    if simple != "Map" and (simple != name or name != "HashMap"):
        draft.replace(written.start, written.end, f"Map{pair}")
    draft.replace(made.start, made.end, hold)
    if not imported(kept, draft, needed):
        return Refusal("another class of the same name is imported")
    return done(
        f"Let `{touched.slot.name}` forget its eldest entries", draft,
        f"{ENTRIES:,} entries are enough, and no two askers need the same object",
    )


def _wants_all(kept: Kept, use: Use, uses: Sequence[Use]) -> str:
    """Why a use of a map needs entries that may be gone; empty where it does not."""
    linked = kept.program.linked(use.key)
    call = linked.body.nodes[use.node] if linked is not None else None
    if linked is None or not isinstance(call, ir.Call) or use.role is Role.ESCAPE or call.name not in _ANY_MAP:
        return "its other calls are not those of a cache"
    if call.name in ("put", "putIfAbsent") and not _is_memo(linked.body, call):
        return "what it holds is handed to it, and cannot be made again"
    others = [
        node for other in uses if other.key == use.key for node in (linked.body.nodes[other.node],) if isinstance(node, ir.Call)
    ]
    if call.name == "get" and not any(each.name in ("put", "putIfAbsent") and _is_memo(linked.body, each) for each in others):
        return "who asks it does not make what is missing"
    return ""


def _is_memo(body: ir.Procedure, call: ir.Call) -> bool:
    """Whether a store puts there what the same procedure has just made or asked for, where nothing was there."""
    values = {call.args[-1]} if call.args else set()
    for _ in range(2):
        values |= {each.src for each in body.nodes if isinstance(each, ir.Copy) and each.dst in values}
    is_made = any(isinstance(each, ir.Alloc | ir.Call) and each.dst in values for each in body.nodes)
    is_asked = any(isinstance(each, ir.Call) and each.name in ("get", "containsKey") and each.args[:1] == call.args[:1] for each in body.nodes)
    return is_made and is_asked and not values & set(body.parameters)
