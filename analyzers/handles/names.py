"""What the paths of a callee are called where it is called."""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.handles.flows import Flows
from analyzers.handles.scene import RESULT
from analyzers.summaries import AccessPath


class Names:
    """The names that paths of a callee have at one call of it."""

    def __init__(self, flows: Flows, node: int, actuals: Mapping[str, str]) -> None:
        self._flows = flows
        self._node = node
        self._actuals = actuals
        self._found: dict[AccessPath, tuple[AccessPath, ...]] = {}

    def of(self, path: AccessPath) -> tuple[AccessPath, ...]:
        """The names of a path; none where it hangs on a literal."""
        found = self._found.get(path)
        if found is None:
            found = self._found[path] = self._find(path)
        return found

    def _find(self, path: AccessPath) -> tuple[AccessPath, ...]:
        root = path[0]
        if (root == RESULT[0] and root not in self._actuals) or root[:2] == "::":
            return (path,)
        actual = self._actuals.get(root, "")
        if not actual or ir.is_literal(actual):
            return ()
        names = self._flows.scene.spread((actual, *path[1:]), self._node)
        return (*names, *self._flows.twins.names(names, self._node))
