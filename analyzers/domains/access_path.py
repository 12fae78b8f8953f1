"""Sets of must-access-paths as bit sets, with the flow functions of Tracker's Figure 4.

Torlak, Chandra: Effective Interprocedural Resource Leak Detection, section 2.2. A `PathTable` numbers the
paths of one procedure; `gen` and `kill` of the figure are `rename` and `starting_with`. Wrapping is
transitive: `x.~.~` is `x.~`. Past the limits a set is trimmed: what is held by longer paths only is lost
from sight, and the fact is no longer witnessed.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.summaries import AccessPath

WRAPPED = "~"
"""The field in which a wrapper holds what it closes."""

CLOSED_WITH = "^"
"""The field in which an object holds what goes when it does, without keeping it: a connection its statements."""

Paths = int
"""A set of paths: bit n is path number n of the table."""


def shorten(path: AccessPath) -> AccessPath:
    """A path with runs of `~` made one."""
    if path.count(WRAPPED) < 2:
        return path
    return tuple(
        field for index, field in enumerate(path) if field != WRAPPED or index == 0 or path[index - 1] != WRAPPED
    )


def is_below(path: AccessPath, prefix: AccessPath) -> bool:
    """Whether a path starts with another (or is it)."""
    return path[: len(prefix)] == prefix


def member_depth(path: AccessPath) -> int:
    """How many members of structs a path goes through: pointers and elements on the way do not count."""
    return sum(field not in ("*", "[]") for field in path[1:])


def members(paths: Paths) -> Iterator[int]:
    """The numbers in a set, ascending."""
    while paths:
        low = paths & -paths
        yield low.bit_length() - 1
        paths ^= low


class PathTable:
    """The access paths of one procedure, numbered as they are met. `inside`: those that keep nothing alive. `ages`: where variables get
    their first values."""

    __slots__ = ("_listed", "_numbers", "_renamed", "_starting", "_through", "ages", "depth", "inside", "paths")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.inside: Paths = 0
        self.ages: dict[str, int] = {}
        self.paths: list[AccessPath] = []
        self._numbers: dict[AccessPath, int] = {}
        self._starting: dict[AccessPath, Paths] = {}
        self._through: dict[str, Paths] = {}
        self._renamed: dict[tuple[Paths, AccessPath, AccessPath], tuple[Paths, bool]] = {}
        self._listed: dict[Paths, tuple[AccessPath, ...]] = {0: ()}

    def number(self, path: AccessPath) -> int:
        """The number of a path."""
        number = self._numbers.get(path)
        if number is None:
            number = self._numbers[path] = len(self.paths)
            self.paths.append(path)
            bit = 1 << number
            for length in range(1, len(path) + 1):
                prefix = path[:length]
                self._starting[prefix] = self._starting.get(prefix, 0) | bit
            if CLOSED_WITH in path:
                self.inside |= bit
            for field in path[1:]:
                self._through[field] = self._through.get(field, 0) | bit
        return number

    def single(self, path: AccessPath) -> Paths:
        """The set of one path; empty where it is too long."""
        path = shorten(path)
        return 1 << self.number(path) if len(path) - 1 <= self.depth else 0

    def exact(self, path: AccessPath) -> Paths:
        """The set of one path if it has been met, else the empty one."""
        number = self._numbers.get(path)
        return 0 if number is None else 1 << number

    def starting_with(self, prefix: AccessPath) -> Paths:
        """All paths met so far that start with `prefix` (the figure's startsWith)."""
        return self._starting.get(prefix, 0)

    def through(self, field: str) -> Paths:
        """All paths met so far that read a field of this name (candidates for the figure's aliasMatches)."""
        return self._through.get(field, 0)

    def list(self, paths: Paths) -> tuple[AccessPath, ...]:
        """The paths in a set, sorted."""
        listed = self._listed.get(paths)
        if listed is None:
            listed = self._listed[paths] = tuple(sorted(self.paths[number] for number in members(paths)))
        return listed

    def rename(self, paths: Paths, old: AccessPath, new: AccessPath) -> tuple[Paths, bool]:
        """`new.π` for every `old.π` in the set (the figure's gen), and whether one was too long to keep. One that
        goes by a member in which its object knows itself says nothing new, and counts as kept."""
        key = (paths, old, new)
        answer = self._renamed.get(key)
        if answer is None:
            renamed, is_cut = 0, False
            for number in members(paths & self.starting_with(old)):
                path = shorten(new + self.paths[number][len(old) :])
                if len(path) - 1 > self.depth:
                    is_cut = is_cut or not self.is_by_itself(paths, self.paths[number], len(old))
                else:
                    renamed |= 1 << self.number(path)
            answer = self._renamed[key] = (renamed, is_cut)
        return answer

    def trim(self, paths: Paths, breadth: int) -> tuple[Paths, bool]:
        """The set, if it is small enough; else its shortest paths, of the source's names before temporaries, of these the oldest (the others are
        mostly places in its block), of all temporaries but the newest only where no member has it (`pool->last = block`), and last those that go by a member in which the object knows itself (`node.data` beside `node`). And
        whether another is gone."""
        if paths.bit_count() <= breadth:
            return paths, False
        spent = self._spent(paths)
        kept = sorted(
            members(paths),
            key=lambda n: (
                self.is_by_itself(paths, self.paths[n]), len(self.paths[n]) + (self.paths[n][0] in spent), self.paths[n][0][:1] == "%",
                self.ages.get(self.paths[n][0], -1), self.paths[n]
            ),
        )
        is_cut = any(not self.is_by_itself(paths, self.paths[number]) for number in kept[breadth:])
        return sum(1 << number for number in kept[:breadth]), is_cut

    def _spent(self, paths: Paths) -> frozenset[str]:
        """The temporaries among the roots of paths, without the newest: most were used where they were made."""
        found = sorted({name for n in members(paths) if (name := self.paths[n][0])[:1] == "%"}, key=lambda name: (self.ages.get(name, -1), len(name), name))
        return frozenset(found[:-1])

    def is_by_itself(self, paths: Paths, path: AccessPath, least: int = 1) -> bool:
        """Whether a path goes by a member in which its object knows itself (`ring.next.prev` where `ring` and `ring.next` are one): it is
        found again by a path without that member. The first `least` parts stand for themselves."""
        if WRAPPED in path or CLOSED_WITH in path or "[]" in path:  # one element may be the object, another lead to it
            return False
        return any(paths & self.exact(path[:length]) and paths & self.exact(path[: length + 1]) for length in range(least, len(path)))

    def itself(self, paths: Paths, place: AccessPath, name: AccessPath) -> Paths:
        """What a load gives its result of an object that knows itself: the name, where a member of the object is the object
        (`ring.next` where `head` and `head.next` name what `ring` does); else the empty set."""
        if len(place) < 2 or place[-1] == "[]" or not paths & self.exact(place[:-1]):
            return 0
        ways = paths & self.through(place[-1])
        is_itself = any(path[-1] == place[-1] and paths & self.exact(path[:-1]) for path in self.list(ways)) if ways else False
        return self.single(name) if is_itself else 0
