"""A block that stands on one line (`{ return open(name).read(); }`), laid out in lines: most patches need lines to put theirs between."""

from __future__ import annotations

from analyzers.source import Span
from fixers import text
from fixers.fix import Edit
from fixers.java.statements import statements
from fixers.leak import Leak
from fixers.tree import COMMENTS, walk


def unfolded(leak: Leak) -> tuple[Edit, ...]:
    """The edits that put each statement of the blocks around the acquisition on a line of its own, from the outermost on that stands on one
    line; none where the innermost does not, or a comment would lose its place."""
    path = leak.tree.path(leak.finding.acquired.start, leak.finding.acquired.end)
    blocks = [each for each in path if each.kind in ("block", "constructor_body")]
    folded = [each for each in blocks if statements(each) and not any(text.starts_line(leak.data, one.start) for one in statements(each))]
    if not folded or folded[-1] is not blocks[-1] or any(each.kind in COMMENTS for each in walk(folded[0])):
        return ()
    unit, indent = text.indentation_unit(leak.data), text.indentation(leak.data, folded[0].start)
    edits = []
    for block in folded:
        at = block.start + 1
        for each in statements(block):
            edits.append(Edit(Span(leak.path, at, each.start), f"\n{indent}{unit}"))
            at = each.end
        edits.append(Edit(Span(leak.path, at, block.end - 1), f"\n{indent}"))
        indent += unit
    is_plain = all(not leak.data[each.span.start : each.span.end].strip() for each in edits)
    return tuple(sorted(edits)) if is_plain else ()
