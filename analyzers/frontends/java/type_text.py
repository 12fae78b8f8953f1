"""Java types as text: `java.util.Map<K,V>[]`, taken apart and put together.

Written types keep their type arguments; resolved ones are binary names, with arguments where known.
`#i` is the i-th type parameter of a class, `!i` of a method, `?` an argument that is not known. Where several
files declare one binary name, all but the first are `name@path`, so that a copy is not taken for another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

PRIMITIVES = frozenset(("boolean", "byte", "short", "char", "int", "long", "float", "double", "void"))
OBJECT = "java.lang.Object"
UNKNOWN_ARGUMENT = "?"

_BOXES = {
    "boolean": "java.lang.Boolean", "byte": "java.lang.Byte", "short": "java.lang.Short",
    "char": "java.lang.Character", "int": "java.lang.Integer", "long": "java.lang.Long",
    "float": "java.lang.Float", "double": "java.lang.Double", "void": "java.lang.Void",
}  # fmt: skip
_VARIABLE = re.compile(r"[#!]\d+")


def erase(text: str) -> str:
    """A type without its arguments."""
    if "<" not in text:
        return text
    kept, depth = [], 0
    for piece in re.split(r"([<>])", text):
        if piece == "<":
            depth += 1
        elif piece == ">":
            depth -= 1
        elif depth == 0:
            kept.append(piece)
    return "".join(kept)


def arguments(text: str) -> tuple[str, ...]:
    """The type arguments of the innermost class of a type, `()` where it has none."""
    end = text.rfind(">")
    if end < 0 or text[end + 1 :].strip("[] "):
        return ()
    depth = 0
    for start in range(end, -1, -1):
        if text[start] == ">":
            depth += 1
        elif text[start] == "<":
            depth -= 1
            if depth == 0:
                return split(text[start + 1 : end])
    return ()


def split(text: str) -> tuple[str, ...]:
    """The types of a list with commas between."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character == "<":
            depth += 1
        elif character == ">":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return (*parts, last) if last or parts else ()


def is_array(text: str) -> bool:
    """Whether a type is an array."""
    return text.endswith("[]")


def base_and_dimensions(text: str) -> tuple[str, str]:
    """`X[][]` as (`X`, `[][]`)."""
    base = text.rstrip("[] ")
    return base, "[]" * text[len(base) :].count("[")


def box(text: str) -> str:
    """The class of a primitive type; any other type as it is."""
    return _BOXES.get(text, text)


def unbox(text: str) -> str:
    """The primitive type of a box, or empty."""
    return _UNBOXED.get(text, "")


_UNBOXED = {boxed: primitive for primitive, boxed in _BOXES.items()}


def is_variable(text: str) -> bool:
    """Whether a type is a type parameter (`#0`, `!1`)."""
    return text[:1] in ("#", "!")


COPY = "@"
"""What follows it in a name is the file of a declaration, where several files declare one binary name."""

_COPY = re.compile(r"@[^\[\]<>,]*")


def plain(text: str) -> str:
    """A type without the files of its declarations."""
    return _COPY.sub("", text) if COPY in text else text


def has_variables(text: str) -> bool:
    """Whether a type mentions a type parameter."""
    return "#" in text or "!" in text


def substitute(text: str, of_class: Sequence[str], of_method: Sequence[str] | None = None) -> str:
    """A type with its type parameters replaced; `?` where an argument is missing. Without `of_method`
    those of the method stay."""
    if not has_variables(text):
        return text

    def argument(found: re.Match[str]) -> str:
        name = found.group()
        values = of_class if name[0] == "#" else of_method
        if values is None:
            return name
        place = int(name[1:])
        return values[place] if place < len(values) and values[place] else UNKNOWN_ARGUMENT

    return _VARIABLE.sub(argument, text)


def known(text: str) -> str:
    """A type as far as it is known: empty for `?`, without arguments where all of them are unknown."""
    if "?" not in text:
        return text
    base, _ = base_and_dimensions(text)
    if base == UNKNOWN_ARGUMENT:
        return ""
    return text if any(part != UNKNOWN_ARGUMENT for part in arguments(text)) else erase(text)


def without_wildcard(text: str) -> str:
    """The bound of a wildcard (`? extends X` and `? super X` are X); any other type as it is."""
    if text[:1] != "?":
        return text
    for word in ("extends", "super"):
        _, found, bound = text.partition(word + " ")
        if found:
            return bound.strip()
    return UNKNOWN_ARGUMENT


def resolve_written(written: str, resolve: Callable[[str], str]) -> str:
    """A written type with every name in it resolved: `resolve` takes a name without arguments and
    dimensions. Empty where the outermost name is not known."""
    base, dimensions = base_and_dimensions(without_annotations(without_wildcard(written)))
    if base == UNKNOWN_ARGUMENT:
        return UNKNOWN_ARGUMENT
    name = resolve(erase(base))
    if not name or "<" not in base or is_variable(name):
        return name + dimensions if name else ""
    parts = [resolve_written(part, resolve) or UNKNOWN_ARGUMENT for part in arguments(base)]
    return known(f"{name}<{','.join(parts)}>") + dimensions if parts else name + dimensions


def without_annotations(written: str) -> str:
    """A written type without type annotations (`@Nullable String`) and blanks around it."""
    written = written.strip()
    while written[:1] == "@":
        depth = 0
        for position, character in enumerate(written):
            depth += (character == "(") - (character == ")")
            if depth == 0 and character.isspace():
                written = written[position:].strip()
                break
        else:
            return ""
    return written.removesuffix("...").strip() + "[]" if written.endswith("...") else written
