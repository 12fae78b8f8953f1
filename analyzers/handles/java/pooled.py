"""Connections of JDBC that somebody else may keep open: what comes from a pool goes back to it.

A connection of `DriverManager` takes its statements with it. One of a data source, or of a method whose source says no
more, may be put back with the statements that nobody closed. Reports too much where the pool closes them.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

CONNECTION = "java.sql.Connection"
_STATEMENTS = ("java.sql.Statement", "java.sql.PreparedStatement", "java.sql.CallableStatement")
_DRIVERS = ("java.sql.DriverManager", "java.sql.Driver")


def leaves_open(scene: Scene, entry: AccessPath, paths: tuple[AccessPath, ...], type_name: str) -> bool:
    """Whether what is closed at `entry` is a connection that may go back to a pool, and the handle a statement of it
    that nothing else closes."""
    if type_name not in _STATEMENTS or len(entry) != 1 or not scene.is_java or scene.type_of(entry[0]) != CONNECTION:
        return False
    below = [path for path in paths if path[: len(entry)] == entry]
    return all(path[-1] == CLOSED_WITH for path in below) and not _is_driven(scene, entry[0])


def _is_driven(scene: Scene, name: str) -> bool:
    """Whether a driver made a connection for this procedure alone."""
    seen, waiting = {name}, [name]
    while waiting:
        for node in scene.definitions.get(waiting.pop(), ()):
            instruction = scene.nodes[node]
            if isinstance(instruction, ir.Call):
                target = scene.linked.targets.get(node)
                if target is not None and target.type in _DRIVERS:
                    return True
            elif isinstance(instruction, ir.Copy) and instruction.src not in seen and not ir.is_literal(instruction.src):
                seen.add(instruction.src)
                waiting.append(instruction.src)
    return False
