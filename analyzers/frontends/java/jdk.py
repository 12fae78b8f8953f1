"""The JDK as a compact model: every public or protected type with its supertypes, members and `throws`.

Made by `benchmarks/make_jdk_model.py` from the JDK's own class files; facts in `jdk.md`. One file:
magic, length of the index, the index (zlib), then one raw-deflate record per type with a shared
dictionary, so that one type is read without the others.
Reports nothing by itself. Misses non-exported packages, and what releases after the newest one read add.
"""

from __future__ import annotations

import struct
import zlib
from itertools import accumulate, pairwise
from pathlib import Path

import msgspec

MAGIC = b"LMJDK\x01"

STATIC, ABSTRACT, FINAL, VARARGS, PROTECTED, INTERFACE, ENUM, ANNOTATION = (1 << bit for bit in range(8))
"""Flags of types and methods."""


class Field(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A field and its type, in the notation of `Method`."""

    name: str
    type: str


class Method(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A method or constructor (`<init>`). Types are binary names with type arguments; `#i` is the i-th type
    parameter of the class, `!i` of the method (with its first bound in `bounds`), wildcards are their bounds."""

    name: str
    parameters: tuple[str, ...]
    result: str
    throws: tuple[str, ...] = ()
    flags: int = 0
    bounds: tuple[str, ...] = ()


class JdkType(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A type of the JDK. A supertype may end in `@release`, from which on it holds."""

    flags: int
    bounds: tuple[str, ...]
    supertypes: tuple[str, ...]
    fields: tuple[Field, ...]
    methods: tuple[Method, ...]


class Index(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the model holds: binary names in order, the sizes of their records, the shared dictionary."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    dictionary: bytes


class JdkModel:
    """The model, opened; types are read when they are first asked for."""

    def __init__(self, data: bytes) -> None:
        if data[: len(MAGIC)] != MAGIC:
            raise ValueError("not a JDK model of this version")
        start = len(MAGIC) + 4
        (size,) = struct.unpack_from("<I", data, len(MAGIC))
        index = msgspec.msgpack.decode(zlib.decompress(data[start : start + size]), type=Index)
        self._data = data
        self._dictionary = index.dictionary
        ends = list(accumulate(index.sizes, initial=start + size))
        self._places = dict(zip(index.names, pairwise(ends), strict=True))
        self._packages: frozenset[str] = frozenset(name.rpartition(".")[0] for name in index.names)
        self._decoder = msgspec.msgpack.Decoder(JdkType)
        self._types: dict[str, JdkType] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    def names(self) -> tuple[str, ...]:
        """All binary names, sorted."""
        return tuple(self._places)

    def has_package(self, name: str) -> bool:
        """Whether any type of the model lies in the package."""
        return name in self._packages

    def find(self, name: str) -> JdkType | None:
        """The type of that binary name, None where the JDK has none."""
        found = self._types.get(name)
        if found is None:
            place = self._places.get(name)
            if place is None:
                return None
            unpacker = zlib.decompressobj(-15, zdict=self._dictionary)
            found = self._decoder.decode(unpacker.decompress(self._data[place[0] : place[1]]))
            self._types[name] = found
        return found


def load_model() -> JdkModel:
    """Opens the model that lies beside this module."""
    return JdkModel(Path(__file__).with_name("jdk.bin").read_bytes())
