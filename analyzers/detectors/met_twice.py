"""One word of a list that a loop would have to meet twice (C).

`while (next (&iter, &key, &value)) { … else if (strcmp (key, "artist") == 0) player->artist = copy (value); … }` replaces what it has
stored only where "artist" comes again: the keys of a dictionary, the attributes of an element, the names in a file of settings come once.
Takes for such a list what may well repeat a word, too: the leak is then told with less confidence than it deserves.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene

_COMPARING = frozenset((
    "strcmp", "strcasecmp", "strncmp", "strncasecmp", "stricmp", "_stricmp", "strcoll", "g_strcmp0", "g_ascii_strcasecmp", "g_ascii_strncasecmp", "xmlStrcmp", "xmlStrcasecmp",
))
"""What answers zero for texts that are alike."""

_EQUAL = frozenset(("g_str_equal", "xmlStrEqual", "streq"))
"""What answers otherwise."""


def is_met_twice(scene: Scene, node: int, lost: int) -> bool:
    """Whether a node, and the one that replaces what it has made, both stand where a text of the loop around them is one and the same word."""
    if lost not in scene.cfg.reachable_from(node) or node not in scene.cfg.reachable_from(lost):
        return False
    return any(leads(scene, test, alike, node) and leads(scene, test, alike, lost) for test, alike in _words(scene, node))


def _words(scene: Scene, node: int) -> Iterator[tuple[int, int]]:
    """The tests of the loop around a node that compare a text with a word, and where they go on for texts that are alike."""
    turn = scene.cfg.reachable_from(node) & scene.cfg.reaching(node)
    for at in sorted(turn):
        test = scene.nodes[at]
        sides = scene.cfg.normal[at]
        if not isinstance(test, ir.Branch) or len(sides) != 2:
            continue
        answers = {test.left, test.right}
        calls = [each for name in answers for place in scene.definitions.get(name, ()) if isinstance(each := scene.nodes[place], ir.Call) and place in turn]
        if len(calls) != 1 or not any(each.startswith('="') for each in calls[0].args):
            continue
        is_zero = "=0" in answers or "=false" in answers
        if calls[0].name in _COMPARING and is_zero and test.operator in ("==", "!="):
            yield at, sides[test.operator == "!="]
        elif calls[0].name in _EQUAL and (test.operator == "true" or (is_zero and test.operator in ("==", "!="))):
            yield at, sides[test.operator == "=="]


def leads(scene: Scene, test: int, alike: int, node: int) -> bool:
    """Whether all ways of a turn to a node go by one side of a test."""
    other = next(side for side in scene.cfg.normal[test] if side != alike) if scene.cfg.normal[test][0] != scene.cfg.normal[test][1] else alike
    return node in _without(scene, alike, test) and node not in _without(scene, other, test)


def _without(scene: Scene, start: int, test: int) -> set[int]:
    """What is reached from a node without going by a test."""
    found, waiting = {start}, [start]
    while waiting:
        for following in scene.cfg.normal[waiting.pop()]:
            if following != test and following not in found:
                found.add(following)
                waiting.append(following)
    return found
