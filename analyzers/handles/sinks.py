"""Where the facts of a flow go: out of it, or on from what a call acquires."""

from __future__ import annotations

from typing import Literal, Protocol

from analyzers.domains.obligation import Fact
from analyzers.summaries import Transfer

ExitKind = Literal["return", "throw"]
LossKind = Literal["", "raised"]


class Sink(Protocol):
    """Where facts go that leave the flow."""

    def lose(self, node: int, kind: LossKind, fact: Fact) -> None:
        """No path is left after the node; kind "raised": because it throws to a handler."""

    def leave(self, node: int, kind: ExitKind, fact: Fact) -> None:
        """The procedure ends; the fact's paths are those that the caller can name."""


class Acquiring(Protocol):
    """What is known of a call, as `calls` follows it."""

    def acquire(self, transfer: Transfer, fact: Fact) -> list[tuple[int, Fact]]:
        """The facts after the call, for one acquisition of it."""
