"""Environments of guards: per tracked subject a `guard.Value`, interned so that facts stay small.

A subject is an access path whose value branches test: a variable, `this.closed`, `$ret`. Which ones are
worth tracking is for the procedure's `scene` to say; an environment holds the few of them that are known.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.domains import guard
from analyzers.domains.guard import TOP, Value
from analyzers.summaries import AccessPath

Environment = int
"""Number of an environment in its table; 0 knows nothing."""

NOTHING: Environment = 0


class Environments:
    """The environments of one procedure. Subjects are numbered; sets of subjects are bit sets.

    touched   the subjects that were read, assigned or left out since somebody set it to none
    """

    __slots__ = ("_assigned", "_entries", "_joined", "_kept", "_numbers", "_united", "numbers", "subjects", "touched")

    def __init__(self, subjects: Sequence[AccessPath]) -> None:
        self.subjects = tuple(subjects)
        self.numbers = {subject: index for index, subject in enumerate(self.subjects)}
        self._entries: list[tuple[tuple[int, Value], ...]] = [()]
        self._numbers: dict[tuple[tuple[int, Value], ...], Environment] = {(): NOTHING}
        self._kept: dict[tuple[Environment, int], Environment] = {}
        self._assigned: dict[tuple[Environment, int, Value], Environment] = {}
        self._joined: dict[tuple[Environment, Environment], Environment] = {}
        self._united: dict[tuple[Environment, Environment], Environment] = {}
        self.touched = 0

    def entries(self, environment: Environment) -> tuple[tuple[int, Value], ...]:
        """(number of the subject, value), ascending."""
        return self._entries[environment]

    def value(self, environment: Environment, subject: int) -> Value:
        """What is known of a subject."""
        self.touched |= 1 << subject
        for number, value in self._entries[environment]:
            if number == subject:
                return value
        return TOP

    def assign(self, environment: Environment, subject: int, value: Value) -> Environment:
        """The environment after the subject has got a value."""
        self.touched |= 1 << subject
        key = (environment, subject, value)
        assigned = self._assigned.get(key)
        if assigned is None:
            others = tuple(entry for entry in self._entries[environment] if entry[0] != subject)
            changed = others if value == TOP else tuple(sorted((*others, (subject, value))))
            assigned = self._assigned[key] = self._intern(changed)
        return assigned

    def keep(self, environment: Environment, subjects: int) -> Environment:
        """The environment without what it says of subjects outside the set."""
        if environment == NOTHING:
            return NOTHING
        self.touched |= ~subjects
        key = (environment, subjects)
        kept = self._kept.get(key)
        if kept is None:
            entries = self._entries[environment]
            kept = self._kept[key] = self._intern(tuple(entry for entry in entries if subjects >> entry[0] & 1))
        return kept

    def parted(self, environment: Environment, subjects: int) -> tuple[Environment, Environment]:
        """What an environment says of some subjects, and what it says of the others. Touches nothing."""
        touched = self.touched
        inside, outside = self.keep(environment, subjects), self.keep(environment, ~subjects)
        self.touched = touched
        return inside, outside

    def unite(self, one: Environment, other: Environment) -> Environment:
        """What two environments say of different subjects."""
        if NOTHING in (one, other):
            return one or other
        found = self._united.get((one, other))
        if found is None:
            entries = tuple(sorted((*self._entries[one], *self._entries[other])))
            found = self._united[one, other] = self._intern(entries)
        return found

    def join(self, one: Environment, other: Environment) -> Environment:
        """What both say."""
        if one == other:
            return one
        found = self._joined.get((one, other))
        if found is None:
            found = self._joined[one, other] = self._join(one, other)
        return found

    def _join(self, one: Environment, other: Environment) -> Environment:
        values = dict(self._entries[other])
        joined = (
            (subject, guard.join(value, values[subject]))
            for subject, value in self._entries[one]
            if subject in values
        )
        return self._intern(tuple(entry for entry in joined if entry[1] != TOP))

    def _intern(self, entries: tuple[tuple[int, Value], ...]) -> Environment:
        number = self._numbers.get(entries)
        if number is None:
            number = self._numbers[entries] = len(self._entries)
            self._entries.append(entries)
        return number
