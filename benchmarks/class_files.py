"""Reads the class files of a JDK without running Java: the `lib/modules` image, class files, signatures.

JVM specification, chapter 4, and the image format (jimage 1.0) that the JDK's own reader defines.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import msgspec

PUBLIC, PROTECTED, STATIC, BRIDGE, SYNTHETIC = 0x1, 0x4, 0x8, 0x40, 0x1000
INTERFACE, ABSTRACT, ANNOTATION, ENUM, MODULE, FINAL, VARARGS = 0x200, 0x400, 0x2000, 0x4000, 0x8000, 0x10, 0x80


class Resource(msgspec.Struct, frozen=True):
    """One class file of a JDK image."""

    module: str
    package: str
    name: str
    data: bytes


def resources(image: Path) -> Iterator[Resource]:
    """All class files of a `lib/modules` image (jimage 1.0, as the JDK's own reader defines it)."""
    data = image.read_bytes()
    order = "<" if data[:4] == b"\xda\xda\xfe\xca" else ">"
    header = struct.unpack_from(order + "7I", data)
    slots, locations_size, strings_size = header[4], header[5], header[6]
    offsets_at = 28 + 4 * slots
    locations_at = offsets_at + 4 * slots
    strings_at = locations_at + locations_size
    content_at = strings_at + strings_size

    def text(offset: int) -> str:
        start = strings_at + offset
        return data[start : data.index(b"\0", start)].decode()

    for (offset,) in struct.iter_unpack(order + "I", data[offsets_at:locations_at]):
        values = [0] * 8
        position = locations_at + offset
        while kind := data[position] >> 3:
            length = (data[position] & 7) + 1
            values[kind] = int.from_bytes(data[position + 1 : position + 1 + length], "big")
            position += 1 + length
        _, module, parent, base, extension, at, compressed, size = values
        if text(extension) != "class":
            continue
        if compressed:
            raise SystemExit(f"{image}: compressed resources are not read")
        start = content_at + at
        yield Resource(text(module), text(parent).replace("/", "."), text(base), data[start : start + size])


class Member(msgspec.Struct):
    """A field or method of a class file."""

    flags: int
    name: str
    descriptor: str
    signature: str
    throws: list[str]


class ClassFile(msgspec.Struct):
    """What the model needs of a class file. `inner` maps nested types to their declared flags."""

    flags: int
    name: str
    supertypes: list[str]
    signature: str
    fields: list[Member]
    methods: list[Member]
    inner: dict[str, int]
    exports: list[str]


class Reader:
    """Reads one class file (JVM specification, chapter 4)."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 8
        self._pool: list[object] = []

    def _u1(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _u2(self) -> int:
        self._at += 2
        return int.from_bytes(self._data[self._at - 2 : self._at], "big")

    def _u4(self) -> int:
        self._at += 4
        return int.from_bytes(self._data[self._at - 4 : self._at], "big")

    def _read_pool(self) -> None:
        count = self._u2()
        pool: list[object] = [None] * count
        index = 1
        while index < count:
            tag = self._u1()
            if tag == 1:
                length = self._u2()
                pool[index] = self._data[self._at : self._at + length].decode("utf-8", "replace")
                self._at += length
            elif tag in (7, 8, 16, 19, 20):
                pool[index] = self._u2()
            elif tag == 15:
                self._at += 3
            elif tag in (5, 6):
                self._at += 8
                index += 1
            else:
                self._at += 4
            index += 1
        self._pool = pool

    def _text(self, index: int) -> str:
        value = self._pool[index]
        return value if isinstance(value, str) else ""

    def _named(self, index: int) -> str:
        value = self._pool[index] if index else None
        return self._text(value).replace("/", ".") if isinstance(value, int) else ""

    def _member(self) -> Member:
        member = Member(self._u2(), self._text(self._u2()), self._text(self._u2()), "", [])
        for name, end in self._attributes():
            if name == "Signature":
                member.signature = self._text(self._u2())
            elif name == "Exceptions":
                member.throws = [self._named(self._u2()) for _ in range(self._u2())]
            self._at = end
        return member

    def _attributes(self) -> Iterator[tuple[str, int]]:
        for _ in range(self._u2()):
            name = self._text(self._u2())
            length = self._u4()
            yield name, self._at + length

    def _exports(self) -> list[str]:
        self._at += 6
        requires = self._u2()
        self._at += 6 * requires
        exported = []
        for _ in range(self._u2()):
            package = self._named(self._u2())
            self._at += 2
            only_to = self._u2()
            self._at += 2 * only_to
            if not only_to:
                exported.append(package)
        return exported

    def read(self) -> ClassFile:
        """The class file."""
        self._read_pool()
        flags, name, superclass = self._u2(), self._named(self._u2()), self._named(self._u2())
        supertypes = [superclass] if superclass else []
        supertypes += [self._named(self._u2()) for _ in range(self._u2())]
        fields = [self._member() for _ in range(self._u2())]
        methods = [self._member() for _ in range(self._u2())]
        result = ClassFile(flags, name, supertypes, "", fields, methods, {}, [])
        for attribute, end in self._attributes():
            if attribute == "Signature":
                result.signature = self._text(self._u2())
            elif attribute == "InnerClasses":
                for _ in range(self._u2()):
                    nested = self._named(self._u2())
                    self._at += 4
                    result.inner[nested] = self._u2()
            elif attribute == "Module":
                result.exports = self._exports()
            self._at = end
        return result


PRIMITIVES = {
    "B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short",
    "Z": "boolean", "V": "void",
}  # fmt: skip


class Signature:
    """Reads a descriptor or generic signature; type variables become `#i` (of the type) or `!i` (of the
    method), wildcards their bounds."""

    def __init__(self, text: str, variables: dict[str, str]) -> None:
        self._text = text
        self._at = 0
        self.variables = dict(variables)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, stop: str) -> str:
        start = self._at
        while self._text[self._at] not in stop:
            self._at += 1
        return self._text[start : self._at]

    def parameters(self, prefix: str) -> list[str]:
        """The declared type parameters: their bounds, numbered with the prefix."""
        if self._peek() != "<":
            return []
        start = self._at = self._at + 1
        names = []
        while self._peek() != ">":
            names.append(self._take(":"))
            self._bound()
        for position, name in enumerate(names):
            self.variables[name] = f"{prefix}{position}"
        self._at = start
        bounds = []
        while self._peek() != ">":
            self._take(":")
            bounds.append(self._bound())
        self._at += 1
        return bounds

    def _bound(self) -> str:
        found = []
        while self._peek() == ":":
            self._at += 1
            if self._peek() != ":":
                found.append(self.type())
        return found[0] if found else "java.lang.Object"

    def type(self) -> str:
        """One type."""
        head = self._peek()
        self._at += 1
        if head in PRIMITIVES:
            return PRIMITIVES[head]
        if head == "[":
            return self.type() + "[]"
        if head == "T":
            name = self._take(";")
            self._at += 1
            return self.variables.get(name, "java.lang.Object")
        return self._class_type()

    def _class_type(self) -> str:
        name, arguments = "", ""
        while True:
            name += self._take("<;.").replace("/", ".")
            arguments = self._arguments() if self._peek() == "<" else ""
            self._at += 1
            if self._text[self._at - 1] == ";":
                return name + arguments
            name += "$"

    def _arguments(self) -> str:
        self._at += 1
        found = []
        while self._peek() != ">":
            if self._peek() in "+-":
                self._at += 1
                found.append(self.type())
            elif self._peek() == "*":
                self._at += 1
                found.append("?")
            else:
                found.append(self.type())
        self._at += 1
        return f"<{','.join(found)}>"

    def types(self, stop: str) -> list[str]:
        """Types up to the stop character or the end."""
        found = []
        while self._at < len(self._text) and self._peek() != stop:
            found.append(self.type())
        return found

    def skip(self) -> None:
        """Steps over one character."""
        self._at += 1

    def thrown(self) -> list[str]:
        """The `^` types at the end."""
        found = []
        while self._peek() == "^":
            self._at += 1
            found.append(self.type())
        return found
