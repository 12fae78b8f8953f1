"""What most users of a function do is a habit of the tree, not a leak: then it is the reading of that function that is wrong.

Beliefs of a program are told from what its places have in common, and errors from the few that differ (Engler et al., «Bugs
as deviant behavior», SOSP 2001; the ranking by such counts is Kremenek and Engler, «Z-ranking», SAS 2003). Somebody who
writes a function that hands out memory frees it in most of the places that call it. Where most of them seem to lose it on
every way, the memory has another owner that nobody saw; and a function that many lost things are passed to takes them over.
Such findings are told as assumed, never left out. Errs to doubt: what a whole tree forgets leaks all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from analyzers.finding import Confidence, Finding
from analyzers.queries import ProcedureKey

MAX_ASKED = 16
"""Users of one function that are looked at for it; where it has more, the first ones stand for all."""

MAX_USERS = 48
"""Where a function has more users, most of them not analysed, nobody is asked: everybody uses it, and each in another way."""


class Habit(msgspec.Struct, frozen=True):
    """When losses make a habit: at least `least` procedures lose what a function made or got, and one in `share` of those that
    mention it."""

    least: int
    share: int

    def holds(self, losers: int, users: int) -> bool:
        """Whether so many losers among so many users are a habit."""
        return losers >= self.least and losers * self.share >= users


MADE = Habit(3, 2)
"""What a function of the tree hands out."""

PASSED = Habit(5, 6)
"""What is passed to a function of the tree."""


class Users(msgspec.Struct, frozen=True):
    """Who uses a function.

    callers   the procedures that mention a function
    found_in  the findings of procedures that were not analysed yet
    known     those that were
    """

    callers: Callable[[str], Sequence[ProcedureKey]]
    found_in: Callable[[Sequence[ProcedureKey]], Sequence[Finding]]
    known: frozenset[ProcedureKey]


def without_habits(findings: Sequence[Finding], wanted: Iterable[int], users: Users) -> tuple[Finding, ...]:
    """The findings, those of them that are wanted (indices) told as assumed where they are a habit."""
    judge = _Judge(findings, users)
    result = list(findings)
    for index in wanted:
        if findings[index].confidence is Confidence.WITNESSED and judge.is_habit(findings[index]):
            result[index] = msgspec.structs.replace(findings[index], confidence=Confidence.ASSUMED)
    return tuple(result)


class _Judge:
    def __init__(self, findings: Sequence[Finding], users: Users) -> None:
        self._users = users
        self._findings = list(findings)
        self._known = set(users.known)
        self._judged: dict[tuple[str, Habit], bool] = {}

    def is_habit(self, finding: Finding) -> bool:
        """Whether what made a lost thing, or got it, is used so by many."""
        return (bool(finding.maker) and self._holds(finding.maker, MADE)) or any(self._holds(name, PASSED) for name in finding.passed)

    def _holds(self, name: str, habit: Habit) -> bool:
        if (name, habit) not in self._judged:
            self._judged[name, habit] = self._is_common(name, habit)
        return self._judged[name, habit]

    def _is_common(self, name: str, habit: Habit) -> bool:
        users = [key for key in self._users.callers(name) if key.name.rpartition(":")[2] != name]
        if len(users) < habit.least:
            return False
        others = [key for key in users if key not in self._known]
        if len(users) - len(others) < len(others) and len(users) > MAX_USERS:
            return False
        asked = others[:MAX_ASKED]
        if asked and not habit.holds(self._losers(name, habit), len(users)):
            self._findings += self._users.found_in(asked)
            self._known.update(asked)
        return habit.holds(self._losers(name, habit), len(users) - len(others) + len(asked))

    def _losers(self, name: str, habit: Habit) -> int:
        lost = (each for each in self._findings if name == each.maker or (habit is PASSED and name in each.passed))
        return len({(each.path, each.procedure) for each in lost})
