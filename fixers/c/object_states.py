"""What places may hold at one node, and what two ways to it say together."""

from __future__ import annotations

from fixers.c.links import Objects, Place

State = dict[Place, Objects]
"""Per place the objects that it may hold; a place that is missing may hold anything."""


def join(known: State, other: State) -> State:
    """What both say; the first itself where the other says nothing else."""
    if known is other or known == other:
        return known
    grown: State = {}
    gone: list[Place] = []
    for place, objects in known.items() - other.items():
        held = other.get(place)
        if held is None:
            gone.append(place)
        elif held is not objects and not held <= objects:
            grown[place] = objects | held
    if not grown and not gone:
        return known
    joined = {**known, **grown}
    for place in gone:
        del joined[place]
    return joined
