"""The ways out of statements: jumps, and the `finally` blocks that they pass.

A `finally` is lowered once per continuation (normal, exceptional, return, each jump target). All ways
out that continue at one place share a copy: they wait in `Barrier.exits` until the block is lowered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from analyzers import ir

if TYPE_CHECKING:
    from .body import Body

Span = tuple[int, int]


class Target:
    """A loop, switch or labelled statement: where `break` and `continue` lead.

    What is declared since `mark` ends with a `break`, what since `turn_mark` with a `continue`.
    """

    __slots__ = ("breaks", "continues", "is_loop", "is_switch", "labels", "mark", "result", "turn_mark")

    def __init__(self, labels: tuple[str, ...], mark: int) -> None:
        self.labels = labels
        self.mark = mark
        self.turn_mark = mark
        self.is_loop = False
        self.is_switch = False
        self.result = ""
        self.breaks: list[int] = []
        self.continues: list[int] = []


class WayOut:
    """Those that leave a protected block for one continuation."""

    __slots__ = ("edges", "kind", "spans", "target")

    def __init__(self, kind: str, target: Target | None) -> None:
        self.kind = kind
        self.target = target
        self.edges: list[int] = []
        self.spans: list[Span] = []


class Barrier:
    """A `finally`, or the closing of a resource, between a block and whatever follows it."""

    __slots__ = ("exits", "mark", "result")

    def __init__(self, mark: int) -> None:
        self.mark = mark
        self.exits: dict[tuple[str, Target | None], WayOut] = {}
        self.result = ""


class Exits:
    """The targets and barriers around the place that is lowered, outermost first."""

    __slots__ = ("_body", "_frames")

    def __init__(self, body: Body) -> None:
        self._body = body
        self._frames: list[Target | Barrier] = []

    def end(self) -> None:
        """Let go of the body: the two hold each other, and would have to be collected."""
        del self._body

    def push(self, frame: Target | Barrier) -> None:
        """Enter a statement."""
        self._frames.append(frame)

    def pop(self) -> None:
        """Leave the innermost statement."""
        self._frames.pop()

    def target(self, kind: str, label: str) -> Target | None:
        """Where a `break`, `continue` or `yield` leads; None where the source is wrong."""
        for frame in reversed(self._frames):
            if isinstance(frame, Barrier):
                continue
            if label:
                if label in frame.labels:
                    return frame
            elif kind == "yield":
                if frame.result:
                    return frame
            elif frame.is_loop or (kind == "break" and frame.is_switch and not frame.result):
                return frame
        return None

    def leave(self, kind: str, target: Target | None, span: Span, value: str = "") -> None:
        """Jump to a target, or return where there is none, through the barriers on the way."""
        body = self._body
        graph = body.graph
        start, end = span
        for frame in reversed(self._frames):
            if frame is target:
                body.end_scope(frame.turn_mark if kind == "continue" else frame.mark, start, end)
                (target.continues if kind == "continue" else target.breaks).extend(graph.pending)
                graph.pending = []
                return
            if isinstance(frame, Barrier):
                if target is not None:
                    body.end_scope(frame.mark, start, end)
                elif value:
                    frame.result = frame.result or body.choice("return")
                    graph.emit(ir.Copy(start - body.start, end - body.start, frame.result, value))
                way = frame.exits.setdefault((kind, target), WayOut(kind, target))
                way.edges.extend(graph.pending)
                way.spans.append(span)
                graph.pending = []
                return
        graph.leave(ir.Return(start - body.start, end - body.start, value))

    def resume(self, barrier: Barrier, lower: Callable[[], None], closing: Span) -> None:
        """Lower one copy of what the barrier stands for per way out, and go on from there.

        A way that only one jump takes keeps the jump's bytes; shared ones go on at the closing brace.
        """
        graph = self._body.graph
        for way in barrier.exits.values():
            if not way.edges:
                continue
            graph.pending = way.edges
            lower()
            span = way.spans[0] if len(way.spans) == 1 else closing
            self.leave(way.kind, way.target, span, barrier.result if way.target is None else "")
