"""The procedure of a finding in other texts of its file, as fixers try them: several leaks of one procedure ask for the same.

Only the last text is kept, with what was made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from analyzers import Program
from analyzers.facts import Facts, facts_beside
from analyzers.queries import ProcedureKey
from fixers.c.endings import settled

T = TypeVar("T")


class Probes:
    """What fixers have asked of other texts."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._asked: tuple[ProcedureKey, bytes] | None = None
        self._made: dict[Hashable, object] = {}

    def facts(self, key: ProcedureKey, text: bytes, enders: tuple[str, ...]) -> Facts | None:
        """The facts of a procedure in another text of its file, where calls of `enders` release what they may release."""
        if self._asked != (key, text):
            self._asked = key, text
            self._made.clear()
        program = self._program
        plain = self.once("facts", lambda: facts_beside(program, program.beside_with({key.path: text}), key))
        return self.once(("facts", enders), lambda: settled(plain, enders)) if plain is not None else None

    def once(self, question: Hashable, compute: Callable[[], T]) -> T:
        """What is made of the last text that was asked for, computed once."""
        if question not in self._made:
            self._made[question] = compute()
        return cast(T, self._made[question])
