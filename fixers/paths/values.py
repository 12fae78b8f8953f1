"""Operands and instructions that compute: what value they give on a path."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.handles.c.types import NUMBERS_BY_NAME
from fixers.paths.state import NEGATED, NULL, OBJECT, TRUE, State, Value, number, truth

if TYPE_CHECKING:
    from analyzers.queries import Linked
    from fixers.paths.question import Site

_TYPES = 1 << 12
"""Types, and pairs of types, of which is kept what they are."""

_ANYTHING = ("", 0)

PLAIN_JAVA = frozenset(
    ["void", "boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String", "java.lang.Boolean", "java.lang.Byte", "java.lang.Character", "java.lang.Short", "java.lang.Integer", "java.lang.Long", "java.lang.Float", "java.lang.Double", "java.lang.Void", "java.lang.Class", "java.lang.StringBuilder", "java.lang.StringBuffer", "java.lang.CharSequence", "java.math.BigDecimal", "java.math.BigInteger", "java.io.File", "java.net.URI", "java.net.URL", "java.net.InetAddress", "java.net.SocketAddress", "java.nio.file.Path", "java.nio.charset.Charset", "java.nio.ByteBuffer", "java.util.Date", "java.util.UUID", "java.util.Locale", "java.util.Properties", "java.sql.Date", "java.sql.Time", "java.sql.Timestamp", "java.time.Instant", "java.time.LocalDate", "java.time.LocalDateTime", "java.util.zip.ZipEntry", "java.util.jar.JarEntry", "java.util.jar.Manifest", "java.util.jar.Attributes", "java.util.List", "java.util.Set", "java.util.Map", "java.util.Collection", "org.w3c.dom.Document", "java.util.Optional", "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble", "java.util.Calendar", "java.util.Currency", "java.util.regex.Pattern", "java.time.LocalTime", "java.time.OffsetDateTime", "java.time.ZonedDateTime", "java.time.Duration", "java.net.InetSocketAddress", "java.nio.file.attribute.FileTime", "java.nio.file.attribute.BasicFileAttributes", "java.awt.image.BufferedImage", "java.awt.image.Raster", "java.awt.Font", "java.security.cert.Certificate", "java.security.cert.X509Certificate", "java.security.cert.CRL", "java.security.cert.X509CRL", "java.security.KeyStore", "java.security.Key", "java.security.KeyPair", "java.security.PublicKey", "java.security.PrivateKey", "java.security.MessageDigest", "javax.sound.sampled.AudioFormat", "org.json.JSONObject", "org.json.JSONArray", "com.google.gson.JsonElement", "com.google.gson.JsonObject", "com.google.gson.JsonArray", "com.fasterxml.jackson.databind.JsonNode", "org.jdom2.Document", "org.dom4j.Document"]
)
"""Java types whose objects stand alone: nothing that is closed later is needed to use them."""

COLLECTIONS_JAVA = frozenset(["java.util.List", "java.util.Set", "java.util.Map", "java.util.Collection", "java.util.Optional", "org.w3c.dom.Document"])
"""Those of them that can hold anything."""

LOADING_JAVA = frozenset(("loadClass", "findClass", "defineClass", "forName"))
"""Calls whose classes load others, later, by way of the loader that they come from."""

_QUALIFIERS = frozenset(("const", "register", "restrict", "static", "volatile"))

_SYSTEMS = frozenset(("java.nio.file.FileSystem", "java.nio.file.Path"))
"""What gives paths that end with their file system."""

_LIVE = re.compile(r"(open|create|make|as|attach|view)([A-Z].*)?|.*View|(get|new)?([A-Z]?[a-z]+)?([Mm]ap|[Ss]et|Collection)", re.ASCII)
"""How methods are called whose collections lie in what they are asked of (`store.openMap("names")`): they end with it."""

_OPEN = re.compile(r"(Stream|Reader|Writer|Channel|Socket|Connection|Statement|ResultSet|Cursor|Closeable|Scanner|Iterator)\b")
"""How types of elements end that are open, or read when they are asked."""

NUMBERED = re.compile(r"(get)?(Native|File|native|file)?(fd|Fd|FD|[Hh]andle|[Pp]ointer|[Pp]tr|[Dd]escriptor)|getNativeAddress", re.ASCII)
"""How methods are called whose number, or descriptor, is a name of what is open: it ends with it."""

COPIED_JAVA = frozenset(("boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String"))
"""Types whose values are all that there is of them."""

NUMBERS_C = frozenset(
    ["void", "int", "char", "short", "long", "unsigned", "signed", "float", "double", "bool", "_Bool", "const", "volatile", "size_t", "ssize_t", "off_t", "time_t", "pid_t", "uid_t", "gid_t", "mode_t", "socklen_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t", "ptrdiff_t", "wchar_t", "u_char", "u_int", "u_long", "u_short", "gint", "gint32", "s32", "__s32"]
) | NUMBERS_BY_NAME
"""The words that types of numbers are made of."""


def operand(state: State, name: str) -> Value:
    """The value of an operand."""
    if not ir.is_literal(name):
        return state.variable(name)
    known = number(name)
    if known is not None:
        return known
    value = state.unknown()
    if name[1:2] in ('"', "&"):
        state.ranges[value] = OBJECT
    return value


def operation(state: State, instruction: ir.Op) -> Value:
    """The value of a computation; a cast and `[]+` keep the identity of operand 0. Counting goes from 0 to 1 and no
    further: a loop that turns once at most is known to, others may end after any turn."""
    operands = instruction.operands
    match instruction.operator:
        case "cast" | "[]+" if operands:
            return operand(state, operands[0])
        case "|" | "&" | "^" if (tagged := _tagged(state, operands)) is not None:
            return tagged
        case "==" | "!=" | "<" | "<=" | ">" | ">=" if len(operands) == 2:
            return truth(instruction.operator, operand(state, operands[0]), operand(state, operands[1]))
        case "!" if operands:
            value = operand(state, operands[0])
            if value.kind == "truth":
                return truth(NEGATED[value.name], *value.parts)
            return truth("==", value, NULL)
        case "-" if len(operands) == 1:
            value = operand(state, operands[0])
            return Value("number", -value.number) if value.kind == "number" else state.unknown()
        case "+" if operands == (operands[0], "=1") and operand(state, operands[0]) == NULL:
            return TRUE
        case _:
            return state.unknown()


def _tagged(state: State, operands: tuple[str, ...]) -> Value | None:
    """The handle in whose unused bits a number is kept: it is still that handle."""
    values = [operand(state, name) for name in operands if not ir.is_literal(name)]
    return next((value for value in values if value in state.handles), None)


def is_copied(site: Site, root: str, language: str) -> bool:
    """Whether an argument of a call in Java is a number or a text: whatever it was made of, it needs nothing of that."""
    number = int(root[1:]) if root[1:].isdigit() else len(site.types)
    return language == "java" and number < len(site.types) and site.types[number] in COPIED_JAVA


def is_plain(site: Site, language: str) -> bool:
    """Whether the result of a call stands alone, by its type: no later use of it can need a handle."""
    written = site.target.result if site.target and site.target.result else site.type
    if language == "c":
        return is_number(written)
    if written == "java.lang.Class" and site.call.name in LOADING_JAVA:
        return False
    if written == "java.nio.file.Path" and site.target is not None and site.target.type in _SYSTEMS:
        return False
    if written in COLLECTIONS_JAVA and (_LIVE.fullmatch(site.call.name) or _OPEN.search(site.elements)):
        return False
    if written in ("int", "long", "java.io.FileDescriptor") and NUMBERED.fullmatch(site.call.name):
        return False
    return written.removesuffix("[]") in PLAIN_JAVA


_WRITTEN = {name.removeprefix("java.lang."): name for name in PLAIN_JAVA if "." not in name.removeprefix("java.lang.")}
"""The ones that need no import, by how they are written."""


def returned_type(linked: Linked, name: str) -> str:
    """The type of a temporary of Java that is returned as it is, by what the procedure declares to return; empty where that tells nothing."""
    if linked.language != "java" or not ir.is_temporary(name):
        return ""
    returned = {each.src for each in linked.body.nodes if isinstance(each, ir.Return)}
    copies = [each for each in linked.body.nodes if isinstance(each, ir.Copy)]
    gained = returned
    while gained:  # Each header or `finally` on the way out holds on to it once more.
        gained = {each.src for each in copies if each.dst in gained} - returned
        returned |= gained
    if name not in returned:
        return ""
    written = linked.body.result
    found = _WRITTEN.get(written.removesuffix("[]"), "")
    return f"{found}[]" if found and written.endswith("[]") else found


def is_plain_type(written: str, language: str) -> bool:
    """Whether nothing can be reached from what a variable of a type holds."""
    if language == "c":
        return is_number(written)
    name = written.removesuffix("[]")
    return name in PLAIN_JAVA and name not in COLLECTIONS_JAVA


def told_apart(state: State, linked: Linked, base: str, field: str) -> frozenset[Value]:
    """Where variables of C point to that are of another type than one that is looked through: no object is both a number and a pointer, or
    a pointer and a pointer to one, by the rules of the language."""
    asked = _pointee(linked.types.get(base, "")) if field == "*" and linked.language == "c" else _ANYTHING
    if not asked[0]:
        return frozenset()
    apart: dict[Value, bool] = {}
    for name, value in state.variables.items():
        if written := linked.types.get(name, ""):
            apart[value] = apart.get(value, True) and _is_apart(asked, _pointee(written))
    return frozenset(value for value, is_other in apart.items() if is_other)


@functools.lru_cache(_TYPES)
def _pointee(written: str) -> tuple[str, int]:
    """The type at the end of a pointer, and how many pointers lead there behind the first; empty where it may be anything."""
    words = [word for word in written.replace("*", " ").split() if word not in _QUALIFIERS]
    stars = written.count("*")
    is_told = bool(words) and "void" not in words and "[" not in written and "(" not in written and stars > 0
    return (" ".join(words), stars - 1) if is_told else _ANYTHING


@functools.lru_cache(_TYPES)
def _is_apart(one: tuple[str, int], other: tuple[str, int]) -> bool:
    if not one[0] or not other[0]:
        return False
    if one[1] == other[1]:  # `unsigned char *` may stand for `char *`.
        return one[1] > 0 and is_number(one[0]) and is_number(other[0]) and _is_of_bytes(one[0]) != _is_of_bytes(other[0])
    plain = [name for name, stars in (one, other) if not stars]
    if plain:
        return is_number(plain[0]) and not _is_of_bytes(plain[0])
    return one[0] == other[0] and (is_number(one[0]) or one[0].startswith("struct "))


def _is_of_bytes(written: str) -> bool:
    return "char" in written or "8" in written


@functools.lru_cache(_TYPES)
def is_number(written: str) -> bool:
    """Whether a C type is arithmetic."""
    words = written.split()
    return bool(words) and all(word in NUMBERS_C for word in words)
