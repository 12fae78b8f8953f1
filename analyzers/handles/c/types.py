"""Types of C as they are written in one file: what lies behind typedefs, and what members there are.

What nobody declares is not known. Each type is looked up once.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.queries import Queries

_NUMBERS = frozenset((
    "char", "short", "unsigned", "long", "float", "double", "bool", "_Bool", "size_t", "ssize_t", "time_t",
    "off_t", "uint", "ulong", "ushort", "uchar", "pid_t", "uid_t", "gid_t", "mode_t", "enum",
))
NUMBERS_BY_NAME = frozenset((
    "gboolean", "gchar", "guchar", "gshort", "gushort", "guint", "glong", "gulong", "gint8", "guint8", "gint16", "guint16", "guint32",
    "gint64", "guint64", "gsize", "gssize", "goffset", "gfloat", "gdouble", "gunichar", "gunichar2", "GQuark",
    "u8", "u16", "u32", "u64", "s8", "s16", "s64", "__u8", "__u16", "__u32", "__u64", "__s8", "__s16", "__s64",
    "u_int", "u_int8_t", "u_int16_t", "u_int32_t", "u_int64_t", "dev_t", "ino_t", "nlink_t", "blksize_t", "blkcnt_t", "clock_t", "id_t", "useconds_t",
    "suseconds_t", "in_addr_t", "in_port_t", "sa_family_t", "wint_t", "wchar_t", "sig_atomic_t", "intmax_t", "uintmax_t", "DWORD", "WORD", "BYTE",
    "BOOL", "CURLcode", "Bool", "json_int_t", "dbus_bool_t", "dbus_uint32_t", "dbus_int32_t", "xmlChar", "Bytef", "uInt", "uLong", "uLongf",
))
"""Types of libraries and systems that are numbers wherever they are declared, and no descriptors: their headers need not be there."""

INTS = frozenset(("int", "signed", "int32_t"))
"""Numbers that descriptors are kept in."""

_WIDE = frozenset(("int", "long", "signed", "ssize_t", "unsigned"))
_WIDE_NAMES = frozenset((
    "uint32_t", "int64_t", "uint64_t", "uintptr_t", "intptr_t", "uint", "ulong", "guint", "guint32", "gint64", "guint64", "glong", "gulong",
    "u32", "u64", "s64", "__u32", "__u64", "__s64", "u_int", "u_int32_t", "u_int64_t", "u_long", "intmax_t", "uintmax_t", "DWORD", "uInt", "uLong",
))
"""Types by name that have the room."""

_QUALIFIERS = frozenset(("const", "volatile", "static", "register", "restrict"))

_EXPANSIONS = 3
"""Typedefs of typedefs that are followed."""


class CTypes:
    """The types that one file sees."""

    def __init__(self, queries: Queries, path: str) -> None:
        self._queries = queries
        self._path = path
        self._found: dict[str, ir.TypeDeclaration | None] = {}
        self._members: dict[tuple[str, str], str] = {}
        self._nodes: dict[str, bool] = {}

    def declared(self, written: str) -> ir.TypeDeclaration | None:
        """The struct or union behind a type and its typedefs, under any number of pointers."""
        if written not in self._found:
            name = self.struct_name(written)
            self._found[written] = self._queries.c_type(self._path, name) if name else None
        return self._found[written]

    def member(self, owner: str, field: str) -> str:
        """The type of a member, or of what a pointer or an array leads to; empty where it is not known."""
        found = self._members.get((owner, field))
        if found is None:
            found = self._members[owner, field] = self._member(owner, field)
        return found

    def struct_name(self, written: str) -> str:
        """The name of the struct or union behind a type and its typedefs; empty where nobody declares it."""
        for _ in range(_EXPANSIONS):
            declared = self._declared(written)
            if declared is None or declared.kind != "typedef":
                return declared.name if declared is not None else ""
            written = declared.supertypes[0] if declared.supertypes else ""
        return ""

    def is_without(self, written: str, member: str) -> bool:
        """Whether a type is a struct or union with members, of which none has this name."""
        name = self.struct_name(written)
        if not name or self._queries.member_type(self._path, name, member):
            return False
        declared = self.declared(written)
        return declared is not None and bool(declared.fields)

    def is_node(self, written: str) -> bool:
        """Whether a type is a pointer to a struct with a member of the same type."""
        found = self._nodes.get(written)
        if found is None:
            declared = self.declared(written) if "*" in written else None
            found = declared is not None and any(
                "*" in each.type and self.declared(each.type) == declared for each in declared.fields
            )
            self._nodes[written] = found
        return found

    def may_point(self, written: str) -> bool:
        """Whether values of a type are pointers, or of a type that nobody declares (`sds` without its header)."""
        words = [word for word in written.split() if word not in _QUALIFIERS]
        if "*" in written or len(words) != 1:
            return "*" in written
        return words[0] not in INTS | {"void"} and not is_plain_c(words[0]) and not self.is_aggregate(words[0])

    def plain(self, written: str) -> str:
        """A type without the typedefs that lead to another one."""
        for _ in range(_EXPANSIONS):
            words = [word for word in written.split() if word not in _QUALIFIERS]
            declared = self._declared(words[0]) if len(words) == 1 else None
            if declared is None or declared.kind != "typedef" or not declared.supertypes:
                break
            written = declared.supertypes[0]
        return written

    def is_aggregate(self, written: str) -> bool:
        """Whether values of a type are structs or arrays."""
        for _ in range(_EXPANSIONS + 1):
            words = [word for word in written.split() if word not in _QUALIFIERS]
            if "[" in written or not words:
                return "[" in written
            if "*" in written:
                return False
            if words[0] in ("struct", "union"):
                return True
            declared = self._declared(words[0])
            if declared is None:
                return False
            if declared.kind != "typedef":
                return declared.kind in ("struct", "union")
            written = declared.supertypes[0] if declared.supertypes else ""
        return False

    def union_member(self, owner: str, field: str) -> str:
        """A member by the name of the one that speaks for its union, where it is in one."""
        parts: list[str] = []
        outer, inside = None, ""
        for part in field.split("."):
            declared = self.declared(owner) if owner else None
            is_union = declared is not None and declared.kind == "union" and bool(declared.fields)
            if declared is None and outer is not None and owner.startswith("union @"):
                part = _speaker([(each.name[len(inside) :], each.type) for each in outer.fields if each.name.startswith(inside)]) or part
            parts.append(_speaker([(each.name, each.type) for each in declared.fields]) if declared is not None and is_union else part)
            if declared is not None:
                outer, inside = declared, ""
            inside += f"{part}."
            owner = _type_in(outer, inside[:-1])
        return ".".join(parts)

    def _member(self, owner: str, field: str) -> str:
        if field == "*" or field[:1] == "[":
            return (owner.partition("[")[0] if "[" in owner else owner.rpartition("*")[0]).strip()
        for part in field.split("."):
            name = self.struct_name(owner)
            owner = self._queries.member_type(self._path, name, part) if name else ""
        return owner

    def _declared(self, written: str) -> ir.TypeDeclaration | None:
        """The heading of the struct, union or typedef in a type; a name that nobody declares stands for the struct that has it with an
        underscore (`Disk` of `struct _Disk`), which macros of GObject make."""
        name = _named(written)
        if not name:
            return None
        found = self._queries.type_heading(self._path, name)
        return found if found is not None or " " in name or is_plain_c(name) else self._queries.type_heading(self._path, f"struct _{name}")


def is_wide(written: str) -> bool:
    """Whether a type is a plain number that every descriptor fits into: `long`, `unsigned`, `uint32_t`."""
    words = set(written.split()) - _QUALIFIERS
    return bool(words) and (words <= _WIDE or (len(words) == 1 and words <= _WIDE_NAMES))


def _named(written: str) -> str:
    """The name of the struct, union or typedef in a type."""
    words = [word for word in written.replace("*", " ").split() if word not in _QUALIFIERS]
    return " ".join(words[:2]) if words[:1] and words[0] in ("struct", "union") else "".join(words[:1])


def _speaker(members: Sequence[tuple[str, str]]) -> str:
    """The member whose name all members of a union get: the first, but a pointer where that is a number, which holds no block."""
    first, written = members[0] if members else ("", "")
    if not is_plain_c(written):
        return first
    return next((name for name, type_name in members if "*" in type_name and "(" not in type_name), first)


def _type_in(declared: ir.TypeDeclaration | None, field: str) -> str:
    return "" if declared is None else next((each.type for each in declared.fields if each.name == field), "")


def is_plain_c(written: str) -> bool:
    """Whether values of a type of C are numbers that are no descriptors; those of 32 bits with a sign may be some."""
    words = [word for word in written.replace("*", " * ").split() if word not in _QUALIFIERS]
    if not words or "*" in words or "uintptr_t" in words:
        return False
    return any(word in _NUMBERS or word in NUMBERS_BY_NAME or word.startswith(("u_", "uint", "int8", "int16", "int64")) for word in words)


def is_pointer(written: str) -> bool:
    """Whether a type is a pointer, or a number that is made to hold one."""
    return "*" in written or "intptr_t" in written
