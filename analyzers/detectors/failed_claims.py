"""Losses where a macro of a test says that a claim has failed and returns (`TEST(size_of(list), 4)`): then something else is wrong.

A test that fails leaves what it has, and so does a function whose assertion does not hold: told as assumed. Macros are known by the words
in their names; those that may as well ask for errors (`CHECK`, `VERIFY`) only in files of tests. Misses tests that leak only when they fail.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.handles.runs import Loss
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_CLAIMING = frozenset(("assert", "assertion", "expect", "test", "unittest"))
_ASKING = frozenset(("check", "ensure", "require", "verify"))
_OF_TESTS = frozenset(("check", "test", "testing", "tests", "torture", "unittest"))
"""Words in the names of files and folders of tests."""

_USE = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
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
    return not words.isdisjoint(_CLAIMING) or (not words.isdisjoint(_ASKING) and _is_of_test(key.path))


def _is_of_test(path: str) -> bool:
    return not _OF_TESTS.isdisjoint(words_of(path.replace("/", "_").replace(".", "_").replace("-", "_")))
