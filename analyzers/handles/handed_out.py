"""Whether a Java procedure returns what an unknown method makes of its arguments (`return Mono.just(stream)`).

Then that is made for the caller, the argument with it, and the method is not one that fails and leaves it behind. Misses
what a method loses that only looks at its argument, and whose result says nothing of it but could hold it.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene

_LONGEST = 12
"""Calls in a chain of a builder, at most."""


def is_handed_out(call: ir.Call, scene: Scene) -> bool:
    """Whether the result of a call, or what is made of it by calls on it, leaves the procedure by `return`."""
    waiting, seen = [call.dst], {""}
    for _ in range(_LONGEST):
        if not waiting:
            break
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in scene.nodes:
            match node:
                case ir.Return(src=source) if source == name:
                    return True
                case ir.Copy(src=source, dst=target) if source == name:
                    waiting.append(target)
                case ir.Call(receiver=receiver, dst=target) if receiver == name and target:
                    waiting.append(target)
                case _:
                    pass
    return False
