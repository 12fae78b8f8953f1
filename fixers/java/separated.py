"""`A a = f(), b = g();`: each gets a declaration of its own, so that a header can hold one of them.

Only a beginning: what is opened is closed by the forms that follow. Declines where the declarators differ in more than name and value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fixers import text
from fixers.draft import Draft
from fixers.java.shape import classify
from fixers.java.statements import declarators
from fixers.java.wrapping import has_own_lines
from fixers.leak import Candidate, Leak
from fixers.tree import COMMENTS, child


def propose(leak: Leak) -> Iterator[Candidate]:
    """The declaration as several, where the resource is declared with others."""
    shape = None if leak.owned else classify(leak.tree, leak.finding.acquired.start, leak.finding.acquired.end, leak.is_endless)
    if shape is None or shape.kind not in ("declared", "nested") or shape.container is None or shape.statement.kind != "local_variable_declaration":
        return
    found, statement = declarators(shape.statement), shape.statement
    if len(found) < 2 or any(child(each, "dimensions") is not None for each in found) or not has_own_lines(leak.data, (statement,)):
        return
    if any(each.kind in COMMENTS for each in statement.kids):
        return
    typed = leak.data[statement.start : found[0].start].decode("utf-8", "surrogateescape")
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    for one, other in pairwise(found):
        draft.replace(one.end, other.start, f";\n{text.indentation(leak.data, statement.start)}{typed}")
    if edits := draft.edits():
        yield Candidate("", edits, is_part=True)
