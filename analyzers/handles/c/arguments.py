"""What the arguments of calls of C are called in the procedure that passes them: its own variables, members and structs."""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.c.filled import is_initialiser
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath


class Arguments:
    """The arguments of one procedure's calls."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def pointer(self, argument: str) -> str:
        """The pointer of the procedure's own that an argument is, or is the address of."""
        place = self._scene.addresses.get(argument, ())
        name = place[0] if len(place) == 1 else self.value(argument) or self.source(argument)
        variable = self._scene.variables.get(name)
        return name if variable is not None and variable.kind == "local" and self._scene.c_types.may_point(self._scene.type_of(name)) else ""

    def source(self, name: str) -> str:
        """The variable that a temporary is a copy of, or the member of what a variable points to (`room->name`)."""
        place = self._scene.loads.get(name, ()) if ir.is_temporary(name) else ()
        if len(place) == 2:
            return self.member(place) or name
        return place[0] if len(place) == 1 and place[0][:2] != "::" else name

    def member(self, place: AccessPath) -> str:
        """How a member is called here; empty for an element, and for what is not a variable's."""
        base, field = place
        return f"{base}->{field}" if base in self._scene.variables and not field.startswith(("[", "*", "&")) else ""

    def value(self, argument: str) -> str:
        """The local variable, no pointer or number itself, whose address an argument is."""
        place = self._scene.addresses.get(argument, ())
        variable = self._scene.variables.get(place[0]) if len(place) == 1 else None
        if variable is None or variable.kind != "local":
            return ""
        if not all(is_initialiser(self._scene.nodes[node]) for node in self._scene.definitions.get(place[0], ())):
            return ""
        written = self._scene.type_of(place[0])
        is_value = "*" not in written and (self._scene.c_types.may_point(written) or self._scene.c_types.is_aggregate(written))
        return place[0] if is_value and "[" not in written else ""
