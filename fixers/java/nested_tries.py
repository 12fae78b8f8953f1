"""Whether a patch puts a `try` around nothing but one with handlers, or right before one, or a header around one with a `finally`: that could
have the `finally`, or the header, itself.

Goes by the shape alone: it also counts where handlers must not meet what closing throws.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from analyzers.syntax import Node
from fixers.java.statements import TRIES, catches, declared, final_block, statements, try_body, uses
from fixers.tree import Tree, child, find, parse_file


def nests_tries(before: bytes, after: bytes) -> bool:
    """Whether a text has more such blocks than it had."""
    return _nested(after) > _nested_before(before)


@functools.lru_cache(4)
def _nested_before(data: bytes) -> int:
    """How many the text of a file has: every candidate for it asks again."""
    return _nested(data)


def _nested(data: bytes) -> int:
    """How many of a text there are."""
    found = 0
    tree = parse_file("java", data)
    for owner in find(tree.root, *TRIES):
        block = try_body(owner)
        body = statements(block) if block is not None else []
        found += _is_around_a_finally(tree, owner, body) or _is_around_declared(tree, owner, body)
        if block is None or catches(owner) or not body or body[0].kind not in TRIES or not catches(body[0]):
            continue
        opened = child(owner, "resource_specification")
        is_right_before = opened is None and not data[block.start + 1 : body[0].start].strip()
        names = {tree.text(kid) for each in find(opened, "resource") for kid in each.kids if kid.kind == "identifier"} if opened is not None else set()
        found += len(body) == 1 or is_right_before or (bool(names) and not any(uses(tree, each, names) for each in body[1:]))
    return found


def _is_around_declared(tree: Tree, owner: Node, body: Sequence[Node]) -> bool:
    """Whether a `try` with nothing but a `finally`, or a handler of whatever leaves beside a close at its end, holds declarations and tests, a `try` with
    handlers, and a return at most: that could have the `finally`."""
    rest = list(body[:-1] if body and body[-1].kind == "return_statement" else body)
    is_closed = len(rest) > 1 and rest[-1].kind == "expression_statement" and tree.text(rest[-1]).endswith(".close();")
    is_handled = any("Throwable" in tree.text(each).partition("{")[0] for each in catches(owner))
    rest = rest[:-1] if is_closed else rest
    is_ending = is_closed if is_handled else final_block(owner) is not None and not catches(owner)
    if child(owner, "resource_specification") is not None or not is_ending or len(rest) < _DECLARED:
        return False
    return all(each.kind in ("local_variable_declaration", "if_statement") for each in rest[:-1]) and rest[-1].kind == "try_statement" and bool(catches(rest[-1])) and final_block(rest[-1]) is None


_DECLARED = 3
"""So many statements, declarations and the `try`, a block has that is there for the `try` alone."""


def _is_around_a_finally(tree: Tree, owner: Node, body: Sequence[Node]) -> bool:
    """Whether a header holds declarations and, last of all, a `try` with nothing but a `finally`, which has to do with none of them: that would
    run while the resource is open, and the `try` could have the header itself."""
    opened = child(owner, "resource_specification")
    clause = final_block(body[-1]) if body and body[-1].kind == "try_statement" and not catches(body[-1]) else None
    if opened is None or clause is None or catches(owner) or any(each.kind != "local_variable_declaration" for each in body[:-1]):
        return False
    names = {tree.text(kid) for each in find(opened, "resource") for kid in each.kids if kid.kind == "identifier"}
    return not uses(tree, clause, names.union(*(declared(tree, each) for each in body[:-1])))
