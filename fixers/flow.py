"""Whether a patched procedure still runs what it ran: the graphs before and after, compared node by node.

A node is the same where its text was left alone. What a fix wrote is looked through on one side, what it took out
on the other; where that does not lead from the same nodes to the same nodes, the fix changed more than it says: a
dangling `else`, a statement that left its branch, a `return` in the wrong place.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.graphs import cfg
from analyzers.queries import Linked
from fixers.edits import inserted, moved
from fixers.fix import Edit

Key = tuple[str, int, int, str, int]
"""Kind, bytes in the new text, detail, and which of the nodes that are equal in these it is."""


def lost_statement(before: Linked, after: Linked, edits: Sequence[Edit]) -> str:
    """A statement that ran before and cannot run now, in words; empty where there is none."""
    old, new = _Side(before, edits), _Side(after, ())
    reached = {new.keys[node][1:3] for node in new.graph.order}
    gone = any(
        isinstance(before.body.nodes[node], ir.Call | ir.Store | ir.Return | ir.Throw)
        and not old.is_touched(node)
        and old.keys[node][1:3] not in reached
        for node in old.graph.order
    )
    return "a statement that could run no longer does" if gone else ""


def changed_flow(before: Linked, after: Linked, edits: Sequence[Edit], *, may_jump: bool) -> str:
    """What differs in the graphs but for what was inserted, in words; empty where nothing does.

    `may_jump`: a `return` that the fix replaces may go on elsewhere (to a label that cleans up).
    """
    old, new = _Side(before, edits), _Side(after, ())
    written = inserted(edits)
    for node in old.graph.order:
        if old.keys[node] not in new.nodes and not old.is_passed(node) and not old.is_touched(node):
            return "a statement that the fix does not touch is lost"
    for node in new.graph.order:
        if new.keys[node] not in old.nodes and not new.is_passed(node) and not new.overlaps(node, written):
            return "a statement that the fix does not write is new"
    for node in old.graph.order:
        partner = new.nodes.get(old.keys[node])
        if partner is None or old.is_passed(node):
            continue
        ways = zip(before.next[node], after.next[partner], strict=False)
        if len(before.next[node]) != len(after.next[partner]):
            return "a statement goes on in another way"
        for one, other in ways:
            expected, returns = old.beyond(one, new)
            found, _ = new.beyond(other, old)
            if expected != found and not (may_jump and returns and found):
                return "the paths through the patched text are others"
    return ""


def unbalanced(data: bytes, edits: Sequence[Edit]) -> bool:
    """Whether braces that edits write stand on two sides of a condition of the preprocessor."""
    depth = 0
    ordered = sorted(edits)
    for edit, following in zip(ordered, [*ordered[1:], None], strict=True):
        removed = data[edit.span.start : edit.span.end]
        if any(map(_is_condition, removed.splitlines())):
            return True
        depth += edit.text.count("{") - edit.text.count("}") - removed.count(b"{") + removed.count(b"}")
        between = data[edit.span.end : following.span.start] if following is not None else b""
        if depth and any(_is_condition(line) for line in between.splitlines()):
            return True
    return depth != 0


def _is_condition(line: bytes) -> bool:
    words = line.lstrip()
    return words[:1] == b"#" and words[1:].lstrip()[:2] in (b"if", b"el", b"en")


class _Side:
    """One of the two procedures, its nodes named by where they lie in the new text."""

    def __init__(self, linked: Linked, edits: Sequence[Edit]) -> None:
        self.linked = linked
        self.graph = cfg.build(linked)
        self._edits = edits
        self.keys: list[Key] = []
        self.nodes: dict[Key, int] = {}
        start = linked.body.start
        for index, node in enumerate(linked.body.nodes):
            low, high = start + node.start, start + node.end
            place = (moved(edits, low), moved(edits, high - 1) + 1 if high > low else moved(edits, low))
            if isinstance(node, ir.Entry | ir.Exit):
                place = (0, index)
            ordinal = 0
            while (key := (type(node).__name__, *place, _detail(node), ordinal)) in self.nodes:
                ordinal += 1
            self.keys.append(key)
            self.nodes[key] = index

    def is_passed(self, node: int) -> bool:
        """What stands for no statement: scopes change with the braces around them."""
        return isinstance(self.linked.body.nodes[node], ir.ScopeEnd)

    def is_touched(self, node: int) -> bool:
        """Whether the text of a node is changed by an edit, or one goes in inside of it."""
        return self.overlaps(node, [(edit.span.start, edit.span.end) for edit in self._edits])

    def overlaps(self, node: int, ranges: Sequence[tuple[int, int]]) -> bool:
        """Whether a node shares bytes with a range, or holds an empty one."""
        instruction = self.linked.body.nodes[node]
        low, high = self.linked.body.start + instruction.start, self.linked.body.start + instruction.end
        return any(start < max(high, low + 1) and low < max(end, start + 1) for start, end in ranges)

    def beyond(self, start: int, other: _Side) -> tuple[frozenset[Key], bool]:
        """The first nodes from `start` on that the other side has, too, and whether a `return` lies before them."""
        found = set()
        returns = False
        seen = {start}
        work = [start]
        while work:
            node = work.pop()
            if self.keys[node] in other.nodes and not self.is_passed(node):
                found.add(self.keys[node])
                continue
            returns = returns or isinstance(self.linked.body.nodes[node], ir.Return)
            for each in self.linked.next[node]:
                if each not in seen:
                    seen.add(each)
                    work.append(each)
        return frozenset(found), returns


def _detail(node: ir.Instruction) -> str:
    match node:
        case ir.Call(name=name):
            return name
        case ir.Branch(operator=operator) | ir.Op(operator=operator):
            return operator
        case ir.Load(field=field) | ir.Store(field=field):
            return field
        case _:
            return ""
