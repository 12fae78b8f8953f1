"""What a `finalize` of GObject ends: the object that it gets under the name of its class, and the private part of that.

Nobody calls it but the library, for the last reference, and nobody sees the object afterwards: what only a member leads to is lost at its end.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene

FINALISING = ("_finalize", "_finalise")
"""How the names of such procedures end."""
_PRIVATE = "priv"
_TO_PRIVATE = "_get_instance_private"
_STEPS = 3


def finalised(scene: Scene) -> tuple[tuple[str, str], ...]:
    """The names of the object and its private part in a procedure that finalises it, each with its type; none in any other procedure."""
    formals = [each for each in scene.variables.values() if each.kind == "parameter"]
    if len(formals) != 1 or not scene.linked.key.name.endswith(FINALISING) or "".join(formals[0].type.split()) != "GObject*":
        return ()
    return views(scene, formals[0].name)


def is_view(called: str) -> bool:
    """Whether a function gives an object that it is passed under another class, or its private part, by its name."""
    return called.isupper() or called.endswith(_TO_PRIVATE)


def views(scene: Scene, given: str) -> tuple[tuple[str, str], ...]:
    """The names of an object of GObject that a procedure is given, under its own class, and of its private part, each with its type."""
    found = {given: ""}
    for _ in range(_STEPS):
        for node in scene.nodes:
            match node:
                case ir.Call(dst=dst, name=called, args=(passed,)) if dst and passed in found and is_view(called):
                    found.setdefault(dst, scene.type_of(dst))
                case ir.Load(dst=dst, base=base, field=field) if base in found and field == _PRIVATE:
                    found.setdefault(dst, _type_of_private(scene, dst, found[base] or scene.type_of(base)))
                case ir.Copy(dst=dst) | ir.Op(dst=dst) if identity(node) in found:
                    found.setdefault(dst, scene.type_of(dst) or found[identity(node)])
                case _:
                    continue
    return tuple((name, written) for name, written in found.items() if name != given and written)


def _type_of_private(scene: Scene, name: str, owner: str) -> str:
    """The type of the private part of an object, by its declaration or, where nobody declares the object, by the convention."""
    return scene.type_of(name) or scene.c_types.member(owner, _PRIVATE) or f"{owner.replace('*', ' ').split()[-1] if owner else ''}Private *"
