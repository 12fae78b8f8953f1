"""Whether a comment in the blocks around a leak, or the one above its method, says that who calls the method closes the resource.

Believes the comment. One above the method that may speak of a parameter, or of what it returns, counts only where it names the variable.
"""

from __future__ import annotations

import re

from analyzers.syntax import Node
from fixers.java.closing import lead_of
from fixers.java.scope import procedure_node
from fixers.java.shape import classify
from fixers.java.statements import call_parts
from fixers.leak import Leak
from fixers.tree import COMMENTS, child

_CALLERS = re.compile(r"\b(?:callers?|calling (?:code|method|function|class)|who(?:ever)? calls)\b")
_ENDING = re.compile(r"\b(?:clos|clean(?:ed|s|ing)?[ -]?up|releas|dispos)")
_NEVER = re.compile(r"\b(?:not|never|no need|without|cannot)\b|n't\b")

_OPEN = re.compile(r"(?:Stream|Reader|Writer|Connection|Channel|Socket|Statement|ResultSet|Cursor|Scanner|Closeable|Client|Session|Response)\b")
"""How types are called of what a comment may mean instead."""


def is_left_to_caller(leak: Leak) -> bool:
    """Whether such a comment is there. One behind the way on which it is lost speaks of that, too."""
    shape = classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end)
    if shape is None or leak.gives_owner:
        return False
    root = procedure_node(leak)
    path = leak.tree.path(leak.finding.acquired.start, leak.finding.acquired.end)
    around = [each for each in path if root.start <= each.start and each.kind not in COMMENTS]
    inside = [words for each in around for words in _comments(leak, each)]
    above = leak.data[lead_of(leak.data, root.start) : root.start].decode("utf-8", "replace")
    head = child(root, "block")
    signature = leak.data[root.start : head.start if head is not None else root.start].decode("utf-8", "replace")
    asked = call_parts(leak.tree, shape.expression)[0] if shape.expression.kind == "method_invocation" else None
    if asked is not None and asked.kind == "identifier":  # What is closed may be that.
        signature = re.sub(rf"[\w.<>]+\s+{re.escape(leak.tree.text(asked))}\b", "", signature)
    is_plain = head is not None and not _OPEN.search(signature)
    named = re.compile(rf"\b{re.escape(shape.variable)}\b") if shape.variable else None
    return any(_says(each) for each in inside) or any(
        _says(each) and (is_plain or (named is not None and named.search(each) is not None)) for each in _sentences(above)
    )


def _comments(leak: Leak, node: Node) -> list[str]:
    """The comments right below a node; those one below the other are one."""
    found: list[tuple[int, int]] = []
    for kid in node.kids:
        if kid.kind in COMMENTS:
            is_same = bool(found) and not leak.data[found[-1][1] : kid.start].strip() and leak.data.count(b"\n", found[-1][1], kid.start) < 2
            found[-1 if is_same else len(found) :] = [(found[-1][0] if is_same else kid.start, kid.end)]
    return [leak.data[start:end].decode("utf-8", "replace") for start, end in found]


def _says(words: str) -> bool:
    return any(
        _CALLERS.search(each.lower()) is not None and _ENDING.search(each.lower()) is not None and _NEVER.search(each.lower()) is None
        for each in _sentences(words)
    )


def _sentences(words: str) -> list[str]:
    """What a comment says, one sentence each, without what frames it."""
    plain = re.sub(r"\n[ \t]*(?:\*|//)?[ \t]*", " ", words.strip("/* \t\r\n"))
    return re.split(r"[.;!] |@\w+ ", plain)
