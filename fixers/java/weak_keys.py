"""Puts a map with weak keys in the place of a plain one: never without somebody who looks at it."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from fixers.draft import Draft
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
    if not _imported(kept, draft, needed):
        return Refusal("another class of the same name is imported")
    return done(
        f"Hold the keys of `{touched.slot.name}` weakly", draft, "an entry may go as soon as nobody else holds its key"
    )


def _imported(kept: Kept, draft: Draft, names: Sequence[str]) -> bool:
    """Add the imports that are missing; False where a name is taken."""
    unit = kept.program.unit(kept.path)
    known = unit.imports if unit is not None else ()
    last = max((node.end for node in kept.tree.root.kids if node.kind == "import_declaration"), default=0)
    package = next((node.end for node in kept.tree.root.kids if node.kind == "package_declaration"), 0)
    lines = ""
    for name in sorted(names):
        if name in known or "java.util.*" in known:
            continue
        if any(each.endswith("." + name.rpartition(".")[2]) for each in known):
            return False
        lines += f"import {name};\n"
    if lines and last:
        draft.insert_lines_after(last, lines, "")
    elif lines and package:
        draft.insert_lines_after(package, "\n" + lines, "")
    elif lines:
        draft.insert(0, lines + "\n")
    return True
