"""Names for variables that a fix introduces."""

from __future__ import annotations

from fixers.tree import Tree, walk

_SHORT = (("InputStream", "in"), ("OutputStream", "out"), ("Reader", "reader"), ("Writer", "writer"))
_RESERVED = frozenset((
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if",
    "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "package", "private",
    "protected", "public", "return", "short", "static", "super", "switch", "synchronized", "this", "throw",
    "throws", "transient", "try", "void", "volatile", "while", "var", "record", "yield",
))


def variable_for(tree: Tree, written: str, taken: frozenset[str] = frozenset()) -> str:
    """A name for a variable of a type that nothing in the procedure bears yet."""
    simple = written.partition("<")[0].rpartition(".")[2].removesuffix("[]")
    name = next((short for suffix, short in _SHORT if simple.endswith(suffix)), _uncapitalised(simple))
    used = {tree.text(node) for node in walk(tree.root) if node.kind == "identifier"} | taken | _RESERVED
    if name not in used:
        return name
    number = 2
    while f"{name}{number}" in used:
        number += 1
    return f"{name}{number}"



def _uncapitalised(simple: str) -> str:
    """`urlClassLoader` of `URLClassLoader`, `store` of `Store`."""
    count = next((n for n, letter in enumerate(simple) if not letter.isupper()), len(simple))
    head = count if count in (1, len(simple)) else max(count - 1, 1)
    return simple[:head].lower() + simple[head:]
