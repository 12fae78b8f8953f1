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
    get = other.get
    for place, objects in [each for each in known.items() if get(each[0]) is not each[1]]:
        held = get(place)
        if held is None:
            gone.append(place)
        elif not held <= objects:
            grown[place] = objects | held
    if not grown and not gone:
        return known
    joined = {**known, **grown}
    for place in gone:
        del joined[place]
    return joined
