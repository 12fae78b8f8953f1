"""Which instructions of a procedure read a variable, and what is stored where: looked for once, for all that ask."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.handles.unknown import is_ender
from analyzers.summaries import AccessPath


class Readers:
    """See the module."""

    def __init__(self, nodes: Sequence[ir.Instruction]) -> None:
        self._nodes = nodes
        self._stored: dict[str, dict[AccessPath, None]] | None = None

    @functools.cached_property
    def given(self) -> frozenset[str]:
        """What calls are given."""
        return frozenset(name for node in self._nodes if isinstance(node, ir.Call) for name in node.args)

    @functools.cached_property
    def ended(self) -> frozenset[str]:
        """What calls are given that end something by their name."""
        calls = [node for node in self._nodes if isinstance(node, ir.Call) and is_ender(node.name)]
        return frozenset(name for call in calls for name in call.args)

    def of(self, name: str) -> Sequence[ir.Instruction]:
        """The instructions that read an operand, in their order."""
        return self._by_name.get(name, ())

    def loaded(self, field: str) -> Sequence[str]:
        """The variables that are read from a field of any object, in the order of the reads."""
        return self._loaded.get(field, ())

    def members(self, root: str, normalise: Callable[[AccessPath], AccessPath]) -> Sequence[AccessPath]:
        """The places below a variable that something is stored to, as `normalise` names them: each once, in the order of the stores."""
        if self._stored is None:
            self._stored = {}
            for node in self._nodes:
                if isinstance(node, ir.Store) and node.base and len(path := normalise((node.base, node.field))) > 1:
                    self._stored.setdefault(path[0], {})[path] = None
        return tuple(self._stored.get(root, ()))

    @functools.cached_property
    def _loaded(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for node in self._nodes:
            if isinstance(node, ir.Load):
                found.setdefault(node.field, []).append(node.dst)
        return found

    @functools.cached_property
    def _by_name(self) -> dict[str, list[ir.Instruction]]:
        found: dict[str, list[ir.Instruction]] = {}
        for node in self._nodes:
            for name in dict.fromkeys(operands(node)):
                found.setdefault(name, []).append(node)
        return found
