"""Footprints: which facts of the tree the answer to a question was made of.

An answer is recomputed only where a fact under it changed. Facts are coarse on purpose (the list of files that may
declare a name, all that one file says of it): they are compared without lowering or linking anything.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

FILES = "?"
"""`?` kind name: which files the name index lists."""
ITEM = "="
"""`=` path NUL kind name: what a file declares under a name."""
OUTLINE = "#"
"""`#` path: all declarations of a file."""
PROCEDURE = "x"
"""`x` path NUL name: text and instructions of a procedure."""
CONTENT = "!"
"""`!` path: the whole blob."""
INCLUDES = "i"
"""`i` path: which headers a file of C sees."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Trace:
    """Collects the facts that are touched, per answer that is being computed: answers nest."""

    def __init__(self) -> None:
        self._open: list[tuple[object, set[str]]] = []

    def touch(self, fact: str) -> None:
        """The answer in the making depends on this fact."""
        if self._open:
            self._open[-1][1].add(fact)

    def touch_all(self, facts: frozenset[str]) -> None:
        """The answer in the making depends on these facts."""
        if self._open:
            self._open[-1][1].update(facts)

    def begin(self, name: object) -> None:
        """An answer is being computed from here on."""
        self._open.append((name, set()))

    def end(self, name: object) -> frozenset[str]:
        """That answer is done: its facts. What began inside and never ended counts as part of it."""
        facts: set[str] = set()
        while self._open:
            begun, found = self._open.pop()
            facts |= found
            if begun == name:
                break
        self.touch_all(frozenset(facts))
        return frozenset(facts)


class TracedDict(dict[K, V], Generic[K, V]):
    """A memo whose look-ups leave the footprint of what they found.

    A miss begins an answer, storing it ends it: for the pattern «get, else compute and set».
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self._trace = trace
        self._facts: dict[K, frozenset[str]] = {}

    def get(self, key: K, default: V | None = None) -> V | None:  # type: ignore[override]
        """See `dict`."""
        if key in self:
            return super().__getitem__(key)
        return default

    def __contains__(self, key: object) -> bool:
        facts = self._facts.get(key)  # type: ignore[arg-type]
        if facts is None:
            self._trace.begin((id(self), key))
            return False
        self._trace.touch_all(facts)
        return True

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self._facts[key] = self._trace.end((id(self), key))

