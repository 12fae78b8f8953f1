"""What is known of a function while releases are placed in it, and the points that are chosen for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from fixers.c.links import Objects, Place
from fixers.c.placement import Placement, Spot
from fixers.c.pointers import Pointers
from fixers.c.points import Point, Points
from fixers.leak import Leak


class Choice(msgspec.Struct, frozen=True):
    """Points for the releases of one expression, what else they need, and what goes before it at each: its members."""

    spots: tuple[Spot, ...]
    allowed: Objects
    members: tuple[tuple[Place, ...], ...] = ()

    @property
    def place(self) -> Place:
        """The expression."""
        return self.spots[0].place


class Ground(msgspec.Struct, frozen=True):
    """The marked function and what is known of it."""

    leak: Leak
    points: Points
    facts: Facts
    pointers: Pointers
    placement: Placement
    nodes: dict[int, Point]
    sites: tuple[str, ...]
    asked: Sequence[int]


def expression(place: Place, ground: Ground) -> str:
    """A place in the words of the source."""
    name = ir.source_name(place[0])
    if len(place) == 1:
        return name
    field = place[1]
    if not name:
        return field
    if field[0] == "[" or (field == "*" and ground.facts.linked.types.get(place[0], "").endswith("]")):
        return f"{name}{field if field != '*' else '[0]'}"
    if field == "*":
        return f"*{name}"
    written = ground.facts.linked.types.get(place[0], "")
    return f"{name}->{field}" if "*" in written or _is_pointed_by(ground, name, written) else f"{name}.{field}"


def _is_pointed_by(ground: Ground, name: str, written: str) -> bool:
    """Whether a variable whose type has a name of its own is a pointer all the same (`typedef struct file *File;` in a header): the
    code looks behind it with an arrow, or neither into it nor for its address."""
    body = ground.leak.linked.body
    code = ground.leak.data[body.start : body.end].decode(errors="replace")
    if not written.isidentifier() or re.search(rf"(?<![\w.>]){re.escape(name)}\s*->", code):
        return written.isidentifier()
    return re.search(rf"(?<![\w.>]){re.escape(name)}\s*\.|&\s*{re.escape(name)}\b", code) is None
