"""Whether a Java procedure returns what an unknown method makes of its arguments (`return Mono.just(stream)`).

Then that is made for the caller, the argument with it, and the method is not one that fails and leaves it behind. Misses
what a method loses that only looks at its argument, and whose result says nothing of it but could hold it.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import ir

_LONGEST = 12
"""Calls in a chain of a builder, at most."""


class HandedOut:
    """The variables of a procedure whose value, or what calls on it make of it, leaves by `return`."""

    def __init__(self, nodes: Iterable[ir.Instruction]) -> None:
        sources: dict[str, list[str]] = {}
        returned: list[str] = []
        for node in nodes:
            match node:
                case ir.Return(src=source):
                    returned.append(source)
                case ir.Copy(src=source, dst=target):
                    sources.setdefault(target, []).append(source)
                case ir.Call(receiver=receiver, dst=target) if receiver and target:
                    sources.setdefault(target, []).append(receiver)
                case _:
                    pass
        self.names: set[str] = set()
        for _ in range(_LONGEST):
            fresh = set(returned) - self.names - {""}
            self.names |= fresh
            returned = [source for name in fresh for source in sources.get(name, ())]
