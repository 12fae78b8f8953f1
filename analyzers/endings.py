"""The methods of a class, and those that end its objects: by name. Calls are followed within the class alone."""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.queries import ProcedureKey, Queries

ENDS = frozenset((
    "close", "dispose", "destroy", "stop", "shutdown", "shutDown", "cleanup", "cleanUp", "release", "terminate", "uninstall",
    "contextDestroyed", "deactivate", "unload", "tearDown", "finish", "disconnect",
))
"""Methods that end an object's life, by name."""

_TOLD = frozenset(("contextDestroyed", "deactivate"))
"""Those of them that a framework hands something."""


class Endings(msgspec.Struct, frozen=True):
    """One class of one file."""

    queries: Queries
    path: str
    owner: str

    def ends(self) -> list[tuple[ProcedureKey, ir.Procedure]]:
        """The methods that end an object. Who has to say how it is to end does not end it for sure."""
        return [
            (key, body) for key, body in self.methods()
            if simple(body) in ENDS and "static" not in body.attributes and body.result == "void"
            and (not body.parameters or simple(body) in _TOLD)
        ]

    def methods(self) -> list[tuple[ProcedureKey, ir.Procedure]]:
        """All procedures of the class."""
        unit = self.queries.unit(self.path)
        keys = [
            ProcedureKey(self.path, each.name) for each in (unit.procedures if unit is not None else ())
            if each.owner == self.owner
        ]
        found = ((key, self.queries.procedure(key)) for key in keys)
        return [(key, body) for key, body in found if body is not None]

    def reached(self, body: ir.Procedure, depth: int) -> list[ir.Procedure]:
        """A method, and those of its class that it calls, directly or down to a depth."""
        found = [body]
        todo = [(body, depth)]
        while todo:
            top, left = todo.pop()
            called = {node.name for node in top.nodes if isinstance(node, ir.Call)} if left else frozenset()
            for _, other in self.methods() if called else ():
                if simple(other) in called and all(other is not each for each in found):
                    found.append(other)
                    todo.append((other, left - 1))
        return found


def simple(body: ir.Procedure) -> str:
    """The simple name of a method."""
    return body.name.partition("(")[0].rpartition(".")[2]
