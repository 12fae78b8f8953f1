"""The type of what an unknown method of a library's builder gives, by the custom of such libraries.

`new ScanBuilder().depth(3).open()`: every method of a builder but those that end it gives the builder, as `withDepth` does of anything that
is configured in a chain; `Scan.builder()` gives `Scan.Builder`. Asked only of types that lie outside of the tree and of which no spec names the method. A
guess about a type and not about what becomes of a resource: what is passed stays as unknown as it was.
"""

from __future__ import annotations

import re

from analyzers.frontends.java.type_text import plain

_BUILDER = "Builder"
_STARTING = ("builder", "newBuilder")

_ENDING = re.compile(
    r"(build|create|open|make|get|is|has|to|start|connect|of|new(?!Builder$)|run|execute|call|done|end|send|submit)(?![a-z])"
    r"|(and|load|read|write|parse|clone|copy|equals|hashCode|size|length|append|apply|accept|key|value|entry|iterator|stream|contains|can|test"
    r"|finish|complete|launch|scan|async|sync|rx|reactive|blocking)$"
)
"""Words with which the names of methods begin that give something else than the builder, and names of such: also those that go on in another way
(`request().async()`)."""

_CONFIGURING = re.compile(r"(with|set|enable|disable|use)[A-Z]")


def result_by_custom(type_name: str, name: str) -> str:
    """The type of the result of a method without a declaration; empty where custom says nothing."""
    if plain(type_name).endswith(_BUILDER):
        return "" if _ENDING.match(name) else type_name
    if name in _STARTING:
        return f"{type_name}${_BUILDER}"
    return type_name if _CONFIGURING.match(name) else ""


def is_constant(field: str) -> bool:
    """Whether a static field of a class that is not there is a constant by its name: an object of that class, for all that is known."""
    owner, _, name = field.rpartition(".")
    return bool(owner) and name.isupper()
