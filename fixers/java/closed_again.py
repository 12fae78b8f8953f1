"""Whether a second close of something of Java does nothing, as its type promises."""

from __future__ import annotations

import re

from analyzers import Program, ir
from analyzers.facts import Facts
from fixers.leak import Leak


def is_idempotent(program: Program, leak: Leak) -> bool:
    """`java.io.Closeable` promises that a second close has no effect, JDBC and pools of threads likewise."""
    if leak.finding.language != "java":
        return False
    variable = leak.linked.types.get(leak.finding.variable, "")
    return program.is_subtype(variable, "java.sql.Wrapper") is True or _is_type_idempotent(program, leak.finding.resource)


def are_idempotent(program: Program, after: Facts, sites: frozenset[int]) -> bool:
    """The same of all that some calls of Java make."""
    nodes, targets = after.linked.body.nodes, [(node, after.linked.targets.get(node)) for node in sorted(sites)]
    made = [
        target.type if target is not None and isinstance(call := nodes[node], ir.Call) and call.kind == "new" else target.result if target is not None else ""
        for node, target in targets
    ]
    return all(_is_type_idempotent(program, each) for each in made)


def _is_type_idempotent(program: Program, name: str) -> bool:
    promising = ("java.io.Closeable", "java.util.concurrent.ExecutorService")
    return name.startswith("java.sql.") or any(program.is_subtype(name, each) is True for each in promising)


def ends_cipher_twice(before: bytes, after: bytes) -> bool:
    """Whether a header that was not there names a `CipherOutputStream` which what is made of it, in the same header, closes first.

    Up to Android 6 a second close writes one more block, into what is closed by then, and throws. Goes by the text.
    """
    return _ciphers_below(after) > _ciphers_below(before)


def _ciphers_below(data: bytes) -> int:
    return sum(
        re.search(rb"\(" + name + rb"\b", header[found:]) is not None
        for header in _HEADER.findall(data)
        for name, found in ((each[1], each.end()) for each in _CIPHER.finditer(header))
    )


_HEADER = re.compile(rb"\btry \([^{}]*\{")
_CIPHER = re.compile(rb"\bCipherOutputStream (\w+)\s*=[^;]*;")
