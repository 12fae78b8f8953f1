"""Losses where a macro says that a claim has failed and returns (`TEST(size_of(list), 4)`, `LibAssert2(list != NULL, -1)`): then something
else is wrong.

A test that fails leaves what it has, and an assertion that fails is a mistake of the program: told as assumed. Macros are known by the words in
their names; those that others use to ask for errors (`CHECK`, `EXPECT`) only in files and functions of tests. Misses tests that leak only when
they fail, and assertions that ask for what may happen.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_OF_CLAIMS = frozenset(("assert", "assertion", "test", "unittest"))
_CLAIMING = frozenset(("check", "ensure", "expect", "require", "verify"))
_OF_TESTS = frozenset(("check", "test", "testing", "tests", "torture", "unittest"))
"""Words in the names of files and folders of tests, and of their functions."""

_USE = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[A-Za-z0-9]+")
_LEAVING = frozenset(("if", "return", "switch", "while"))


def is_of_failed_claim(scene: Scene, loss: Loss) -> bool:
    """Whether a procedure of C loses something as it returns out of such a macro."""
    node = scene.nodes[loss.node]
    if scene.is_java or not loss.exit or not isinstance(node, ir.Return):
        return False
    key = scene.linked.key
    use = _USE.match(scene.queries.text(key, node.start, node.end))
    if use is None or use[1] in _LEAVING or not scene.queries.macro(key.path, use[1]):
        return False
    words = frozenset(words_of(use[1]))
    return not words.isdisjoint(_OF_CLAIMS) or (not words.isdisjoint(_CLAIMING) and _is_of_test(f"{key.path} {key.name}"))


def _is_of_test(name: str) -> bool:
    return not _OF_TESTS.isdisjoint(words_of("_".join(_WORD.findall(name))))
