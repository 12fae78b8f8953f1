"""Footprints: which facts of the tree the answer to a question was made of.

An answer is recomputed only where a fact under it changed. Facts are coarse on purpose (the files that may declare
a name, all declarations of one file): they are compared without lowering or linking anything. An answer that
was made of another refers to its footprint, so that what many share is held, and decided, once.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

NAME = "?"
"""`?` name: which files the name index lists for a name, by kind."""
WORDS = "w"
"""`w` word: which files mention a word."""
MENTION = "@"
"""`@` path NUL word: whether a file mentions a word."""
ITEM = "="
"""`=` path NUL kind name: what a file declares under a name."""
OUTLINE = "#"
"""`#` path: all declarations of a file, and what is known of its bodies."""
PROCEDURE = "x"
"""`x` path NUL name: text and instructions of a procedure."""
CONTENT = "!"
"""`!` path: the whole blob."""
INCLUDES = "i"
"""`i` path: which headers a file of C sees."""
SPECS = "s"
"""All models of library calls."""

SEPARATOR = "\0"
"""Between a path and what of it."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Footprint:
    """The facts under an answer, and the footprints of the answers that it was made of. Equal only to itself.

    name    what the answer was begun with: the question, where somebody else may ask it too"""

    __slots__ = ("facts", "name", "parts")

    def __init__(self, facts: tuple[str, ...], parts: tuple[Footprint, ...], name: object = None) -> None:
        self.facts = facts
        self.parts = parts
        self.name = name


EMPTY = Footprint((), ())


class _Open:
    """An answer that is being computed."""

    __slots__ = ("facts", "name", "parts")

    def __init__(self, name: object) -> None:
        self.name = name
        self.facts: dict[str, None] = {}
        self.parts: dict[Footprint, None] = {}


class Trace:
    """Collects the facts that are touched, per answer that is being computed: answers nest."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def touch(self, fact: str) -> None:
        """The answer in the making depends on this fact."""
        if self._open:
            self._open[-1].facts[fact] = None

    def include(self, footprint: Footprint) -> None:
        """The answer in the making is made of an answer with this footprint."""
        if self._open and footprint is not EMPTY:
            self._open[-1].parts[footprint] = None

    def begin(self, name: object) -> None:
        """An answer is being computed from here on."""
        self._open.append(_Open(name))

    def end(self, name: object) -> Footprint:
        """That answer is done: its footprint. What began inside and never ended counts as part of it."""
        done = self._open.pop()
        while done.name != name and self._open:
            outer = self._open.pop()
            outer.facts.update(done.facts)
            outer.parts.update(done.parts)
            done = outer
        if not done.facts and len(done.parts) <= 1:
            footprint = next(iter(done.parts), EMPTY)
        else:
            footprint = Footprint(tuple(done.facts), tuple(done.parts), name)
        self.include(footprint)
        return footprint


class TracedDict(dict[K, V], Generic[K, V]):
    """A memo whose look-ups leave the footprint of what they found.

    A miss begins an answer, storing it ends it: for the pattern «get, else compute and set».
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self._trace = trace
        self._footprints: dict[K, Footprint] = {}

    def get(self, key: K, default: V | None = None) -> V | None:  # type: ignore[override]
        """See `dict`."""
        footprint = self._footprints.get(key)
        if footprint is None:
            self._trace.begin((id(self), key))
            return default
        self._trace.include(footprint)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        footprint = self._footprints.get(key)  # type: ignore[arg-type]
        if footprint is None:
            self._trace.begin((id(self), key))
            return False
        self._trace.include(footprint)
        return True

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self._footprints[key] = self._trace.end((id(self), key))
