"""Makes the compact JDK model (`analyzers/frontends/java/jdk.bin`) from the class files of installed JDKs.

    python -m benchmarks.make_jdk_model --jdk /usr/lib/jvm/java-17 --jdk /usr/lib/jvm/java-25

Reads `lib/modules` itself (no Java runs): every public or protected type of an exported package, and
what such types inherit from. Several JDKs are merged, oldest first; what a later one adds is kept, and a
supertype that makes a type closeable only later carries the release (`java.lang.AutoCloseable@19`).
"""

from __future__ import annotations

import argparse
import datetime
import struct
import zlib
from pathlib import Path

import msgspec

from analyzers.frontends.java import jdk
from benchmarks.class_files import (
    ABSTRACT,
    ANNOTATION,
    BRIDGE,
    ENUM,
    FINAL,
    INTERFACE,
    PROTECTED,
    PUBLIC,
    STATIC,
    SYNTHETIC,
    VARARGS,
    ClassFile,
    Member,
    Reader,
    Signature,
    resources,
)

CLOSEABLE_SINCE = {
    "java.util.concurrent.ExecutorService": 19,
    "java.net.http.HttpClient": 21,
    "java.lang.Process": 26,
}
"""Types that became AutoCloseable after 17, with the release. What a merged JDK shows beyond these is
marked with that JDK's own release."""

ROOTS = ("java.", "javax.", "jdk.", "com.sun.", "org.")
TARGET = Path(jdk.__file__).with_name("jdk.bin")


def method_of(member: Member, variables: dict[str, str]) -> jdk.Method:
    """A method of the model."""
    generic = member.signature and member.signature.count(";") >= member.descriptor.count(";")
    signature = Signature(member.signature if generic else member.descriptor, variables)
    bounds = signature.parameters("!")
    signature.skip()
    parameters = signature.types(")")
    signature.skip()
    result = signature.type()
    throws = signature.thrown() or member.throws
    flags = 0
    for bit, flag in ((STATIC, jdk.STATIC), (ABSTRACT, jdk.ABSTRACT), (FINAL, jdk.FINAL),
                      (VARARGS, jdk.VARARGS), (PROTECTED, jdk.PROTECTED)):  # fmt: skip
        flags |= flag if member.flags & bit else 0
    return jdk.Method(member.name, tuple(parameters), result, tuple(throws), flags, tuple(bounds))


def kind_flags(flags: int) -> int:
    """The flags of a type in the model."""
    found = 0
    for bit, flag in ((INTERFACE, jdk.INTERFACE), (ABSTRACT, jdk.ABSTRACT), (FINAL, jdk.FINAL),
                      (ENUM, jdk.ENUM), (ANNOTATION, jdk.ANNOTATION), (STATIC, jdk.STATIC)):  # fmt: skip
        found |= flag if flags & bit else 0
    return found


def type_of(read: ClassFile) -> jdk.JdkType:
    """A type of the model."""
    variables: dict[str, str] = {}
    bounds: list[str] = []
    supertypes = read.supertypes
    if read.signature:
        signature = Signature(read.signature, {})
        bounds = signature.parameters("#")
        variables = signature.variables
        supertypes = signature.types("")
    fields = [
        jdk.Field(member.name, Signature(member.signature or member.descriptor, variables).type())
        for member in read.fields
        if member.flags & (PUBLIC | PROTECTED) and not member.flags & SYNTHETIC
    ]
    methods = [
        method_of(member, variables)
        for member in read.methods
        if member.flags & (PUBLIC | PROTECTED) and not member.flags & (BRIDGE | SYNTHETIC)
        and member.name != "<clinit>"
    ]  # fmt: skip
    flags = kind_flags(read.inner.get(read.name, read.flags))
    return jdk.JdkType(flags, tuple(bounds), tuple(supertypes), tuple(fields), tuple(methods))


def is_visible(name: str, files: dict[str, ClassFile]) -> bool:
    """Whether a type and all that enclose it are public or protected."""
    read = files.get(name)
    if read is None or not read.inner.get(name, read.flags) & (PUBLIC | PROTECTED):
        return False
    outer = name.rpartition("$")[0]
    return is_visible(outer, files) if outer in files else True


def types_of(home: Path) -> dict[str, jdk.JdkType]:
    """All types of one JDK that belong in the model."""
    files: dict[str, ClassFile] = {}
    exported: set[str] = set()
    packages: dict[str, str] = {}
    for resource in resources(home / "lib" / "modules"):
        if resource.name == "module-info":
            exported.update(Reader(resource.data).read().exports)
        elif resource.module.startswith(("java.", "jdk.")):
            name = f"{resource.package}.{resource.name}"
            packages[name] = resource.package
            files[name] = Reader(resource.data).read()
    names = [
        name for name in files
        if packages[name] in exported and name.startswith(ROOTS) and is_visible(name, files)
    ]  # fmt: skip
    wanted = set(names)
    while names:
        read = files[names.pop()]
        more = [name for name in read.supertypes if name not in wanted and name in files]
        wanted.update(more)
        names += more
    return {name: type_of(files[name]) for name in sorted(wanted)}


def release_of(home: Path) -> int:
    """The feature release of a JDK."""
    for line in (home / "release").read_text().splitlines():
        if line.startswith("JAVA_VERSION="):
            return int(line.partition("=")[2].strip('"').partition(".")[0])
    raise SystemExit(f"{home}: no JAVA_VERSION in the release file")


def description_of(home: Path) -> str:
    """What the release file says of a JDK."""
    lines = dict(line.partition("=")[::2] for line in (home / "release").read_text().splitlines())
    return f"{lines.get('IMPLEMENTOR', 'OpenJDK').strip(chr(34))} {lines['JAVA_VERSION'].strip(chr(34))}"


def merge(older: dict[str, jdk.JdkType], newer: dict[str, jdk.JdkType], release: int) -> dict[str, jdk.JdkType]:
    """Both, with what the newer one alone says of a supertype marked."""
    return {
        name: newer[name] if name not in older
        else older[name] if name not in newer
        else merged(name, older[name], newer[name], release)
        for name in sorted(older.keys() | newer.keys())
    }  # fmt: skip


def merged(name: str, older: jdk.JdkType, newer: jdk.JdkType, release: int) -> jdk.JdkType:
    """One type of two JDKs: supertypes, members of both."""
    supertypes = list(older.supertypes)
    known = {text.partition("<")[0] for text in supertypes}
    for text in newer.supertypes:
        plain = text.partition("<")[0]
        if plain in known:
            continue
        is_closing = plain in ("java.lang.AutoCloseable", "java.io.Closeable")
        supertypes.append(f"{text}@{CLOSEABLE_SINCE.get(name, release)}" if is_closing else text)
    fields = {field.name: field for field in newer.fields} | {field.name: field for field in older.fields}
    methods = {(method.name, method.parameters): method for method in newer.methods}
    methods |= {(method.name, method.parameters): method for method in older.methods}
    return jdk.JdkType(
        older.flags, older.bounds, tuple(supertypes), tuple(fields.values()), tuple(methods.values())
    )


def mark_later(types: dict[str, jdk.JdkType]) -> None:
    """Adds the supertypes of `CLOSEABLE_SINCE` that no merged JDK has yet."""
    for name, release in CLOSEABLE_SINCE.items():
        found = types[name]
        if any("Closeable" in text for text in found.supertypes):
            continue
        supertypes = (*found.supertypes, f"java.lang.AutoCloseable@{release}")
        close = jdk.Method("close", (), "void", (), 0, ())
        types[name] = msgspec.structs.replace(
            found, supertypes=supertypes, methods=(*found.methods, close)
        )


def dictionary_of(records: list[bytes]) -> bytes:
    """A preset dictionary for zlib: the strings that most records hold, the commonest last."""
    counts: dict[bytes, int] = {}
    for record in records:
        found: set[bytes] = set()
        for method in msgspec.msgpack.decode(record, type=jdk.JdkType).methods:
            found.add(msgspec.msgpack.encode(method))
            found.update(msgspec.msgpack.encode(text) for text in (method.result, *method.parameters))
            found.update(msgspec.msgpack.encode(text) for text in (method.name, *method.throws))
        for text in found:
            counts[text] = counts.get(text, 0) + 1
    scored = sorted(counts, key=lambda text: (counts[text] * len(text), text), reverse=True)
    chosen: list[bytes] = []
    size = 0
    for text in scored:
        if counts[text] < 3 or len(text) < 4:
            continue
        size += len(text)
        if size > 32000:
            break
        chosen.append(text)
    return b"".join(reversed(chosen))


def write(types: dict[str, jdk.JdkType], target: Path) -> None:
    """The model's file; see `jdk.py` for its form."""
    records = [msgspec.msgpack.encode(found) for found in types.values()]
    dictionary = dictionary_of(records)
    blobs = []
    for record in records:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, dictionary)
        blobs.append(packer.compress(record) + packer.flush())
    index = jdk.Index(tuple(types), tuple(len(blob) for blob in blobs), dictionary)
    packed = zlib.compress(msgspec.msgpack.encode(index), 9)
    target.write_bytes(jdk.MAGIC + struct.pack("<I", len(packed)) + packed + b"".join(blobs))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jdk", action="append", type=Path, required=True, help="a JDK's home; repeatable")
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args()
    homes = sorted(options.jdk, key=release_of)
    types = types_of(homes[0])
    for home in homes[1:]:
        types = merge(types, types_of(home), release_of(home))
    mark_later(types)
    write(types, options.output)
    said = "; ".join(description_of(home) for home in homes)
    print(f"{len(types)} types, {options.output.stat().st_size} bytes, from {said}, {datetime.date.today()}")


if __name__ == "__main__":
    main()
