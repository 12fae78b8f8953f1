"""Answers about the calls of a procedure that are looked for when a path comes to them: of most calls nobody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence


class Later(Mapping[int, frozenset[str]]):
    """Per call, by its node, what `ask` says of it: once."""

    def __init__(self, nodes: Sequence[int], ask: Callable[[int], frozenset[str]]) -> None:
        self._ask = ask
        self._found: dict[int, frozenset[str] | None] = dict.fromkeys(nodes)

    def __getitem__(self, node: int) -> frozenset[str]:
        """The answer about one call."""
        found = self._found[node]
        if found is None:
            found = self._found[node] = self._ask(node)
        return found

    def __iter__(self) -> Iterator[int]:
        """The calls."""
        return iter(self._found)

    def __len__(self) -> int:
        """Of how many calls it tells."""
        return len(self._found)
