"""The form of a spec file: its tables as structs, decoded strictly.

Whatever the tables do not name is an error with file, entry and nearest key. What the keys mean is
in `expand`, how to write them in docs/specs.md.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import msgspec

from analyzers.specs.errors import SpecError, unknown

On = Literal["success", "failure", "normal", "any"]
OUTCOMES: tuple[str, ...] = get_args(On)
Where = int | str | list[int | str]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table in which an unknown key is an error."""


class Acquire(_Strict, frozen=True):
    """What a call acquires: the resource, where it lies then (`into`), what else releases it (`inside`), what it leaves behind a pointer then."""

    resource: str = ""
    into: Where = ""
    inside: Where = ""
    type: str = ""
    on: On = "success"
    when: str = ""
    leaves: str = ""


class Move(_Strict, frozen=True):
    """What a call does to a handle at `argument`. `on` empty: the key's own default."""

    argument: Where
    resource: str = ""
    into: Where = ""
    on: On | None = None
    when: str = ""


class NoReturn(_Strict, frozen=True):
    """A call that does not return when it succeeds (`execv`), or on a condition (`error`)."""

    on: On = "any"
    when: str = ""


Moves = int | str | Move | list[int | str | Move]


class CallEntry(_Strict, frozen=True):
    """One or several calls with the same effects."""

    call: str | list[str]
    failure: str = ""
    acquire: str | Acquire | list[str | Acquire] = ""
    returns_owned: str = ""
    release: Moves = []
    consumes: Moves = []
    wrapper: Moves = []
    owns: Moves = []
    retains: Moves = []
    borrows: Where = []
    invokes: Where = []
    writes: Where = []
    size: Where = []
    null_of: Where = []
    true_of: Where = []
    returns_receiver: bool = False
    throws: str | list[str] = ""
    result: str | list[str] = ""
    returns: str = ""
    container: str | list[str] = []
    noreturn: bool | NoReturn = False
    exempt: bool = False
    assumed: bool = False
    pure: bool = False
    fresh: bool = False
    apart: bool = False


class AcquireEntry(CallEntry, frozen=True):
    """A call in the `acquire` list of a resource: what it acquires is that resource."""

    into: Where = ""
    inside: Where = ""
    type: str = ""
    on: On = "success"
    when: str = ""
    leaves: str = ""


class ReleaseEntry(CallEntry, frozen=True):
    """A call in the `release` list of a resource. `text`: how source says it, `{}` the handle."""

    argument: int | str = ""
    accepts_null: bool = False
    text: str | None = None
    on: On = "any"
    when: str = ""


class ResourceEntry(_Strict, frozen=True):
    """A kind of resource: how it is acquired and released, and what reports say of it."""

    name: str
    title: str = ""
    cwe: int = 772
    type: str = ""
    types: str | list[str] = ""
    failure: str = ""
    acquire: str | list[str | AcquireEntry] = []
    release: str | list[str | ReleaseEntry] = []
    enabled: bool = True
    apart: bool = False
    scoped: bool = False
    members: str | list[str] = ""


class FamilyEntry(_Strict, frozen=True):
    """Resources that a naming convention makes: one per name, `%` stands for it in the calls
    (`%_new` and `%_free` of `names = "BIO RSA"`). accepts_null: whether all of them may be released where they are null.
    type: what C and reports call them, `%` for the name, `%%` for the name in camel case."""

    names: str | list[str]
    acquire: str | list[str | AcquireEntry]
    release: str | list[str]
    retains: str | list[str] = ""
    failure: str = ""
    cwe: int = 401
    accepts_null: bool = True
    type: str = "%"


class ExemptEntry(_Strict, frozen=True):
    """Types that need no release though their supertypes say so."""

    types: str | list[str]
    reason: str


class TypeEntry(_Strict, frozen=True):
    """Java types of a library that is not there, and what they extend or implement."""

    types: str | list[str]
    extends: str | list[str]


class ClosingEntry(_Strict, frozen=True):
    """Java types of a library that is not there, and what the `method` that ends their objects throws in all its versions
    ("nothing": none that is checked). Only patches ask: what a call throws where a leak is looked for, entries of calls say."""

    types: str | list[str]
    throws: str | list[str]
    method: str = "close"


class DefaultEntry(_Strict, frozen=True, kw_only=True):
    """What holds for calls into packages (or classes) that have no entry: they borrow their arguments, but
    those whose name fits `may_retain` (`add*`, `set*`) may keep them. Of names that fit `except` it says nothing."""

    packages: str | list[str]
    borrows: Literal["all"]
    may_retain: str | list[str] = ""
    except_: str | list[str] = msgspec.field(name="except", default="")


class SpecFile(_Strict, frozen=True):
    """A whole file. `prefixes` are those of all names in it (empty: it is always read). A name that fits one
    of `spellings` (`rpl_%`) and has no entry is another spelling of `%`."""

    language: Literal["java", "c"]
    library: str = ""
    prefixes: str | list[str] = ""
    spellings: str | list[str] = ""
    constants: dict[str, str] = {}
    resource: list[ResourceEntry] = []
    family: list[FamilyEntry] = []
    call: list[CallEntry] = []
    exempt: list[ExemptEntry] = []
    default: list[DefaultEntry] = []
    type: list[TypeEntry] = []
    closing: list[ClosingEntry] = []


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The keys before the first table: enough to know when a file is needed."""

    language: Literal["java", "c"]
    library: str = ""
    prefixes: str | list[str] = ""


def header(path: str, text: str) -> Header:
    """The header of a built-in file, without decoding its tables."""
    top, _, _ = text.partition("\n[")
    try:
        return msgspec.convert(tomllib.loads(top), Header)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise SpecError(path, "", str(error)) from None


def decode(path: str, text: str) -> SpecFile:
    """A file's tables, or SpecError."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(path, "", f"not TOML: {error}") from None
    try:
        return msgspec.convert(table, SpecFile)
    except msgspec.ValidationError as error:
        raise _explain(path, table, str(error)) from None


_PLACE = re.compile(r"^(?P<text>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.S)
_STEP = re.compile(r"\.(?P<key>\w+)|\[(?P<index>\d+)\]|\[(?:\.\.\.)?\]")
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `([^`]+)`")
_WRONG_WORD = re.compile(r"Invalid enum value '([^']*)'")
_MISSING_KEY = re.compile(r"Object missing required field `([^`]+)`")


def _explain(path: str, table: Mapping[str, object], message: str) -> SpecError:
    """The error for a message of msgspec, with the entry that it is about."""
    match = _PLACE.match(message)
    text, place = (match["text"], match["path"] or "") if match else (message, "")
    steps = [(step["key"], step["index"]) for step in _STEP.finditer(place)]
    entry = _entry_name(table, steps)
    if bad := _UNKNOWN_KEY.search(text):
        text = unknown("key", bad[1], _keys_at(steps))
    elif bad := _WRONG_WORD.search(text):
        text = unknown("value", bad[1], OUTCOMES) if steps[-1][0] == "on" else text
    elif bad := _MISSING_KEY.search(text):
        text = f"`{bad[1]}` is missing"
    elif steps:
        keys = [key for key, _ in steps if key]
        text = f"`{keys[-1] if keys else place}`: {text[:1].lower()}{text[1:]}"
    return SpecError(path, entry, text)


def _entry_name(table: Mapping[str, object], steps: Sequence[tuple[str | None, str | None]]) -> str:
    """«call `memcpy`», «resource `heap-memory`, acquire `malloc`»: the entries that a place lies in."""
    names: list[str] = []
    value: object = table
    last = ""
    for key, index in steps:
        if key is not None and isinstance(value, Mapping):
            value, last = value.get(key), key
        elif index is not None and isinstance(value, Sequence) and int(index) < len(value):
            value = value[int(index)]
            if isinstance(value, Mapping) and last not in ("", "default"):
                named = next(filter(None, (value.get(key) for key in ("name", "call", "types", "names"))), "")
                if named or not names:
                    names.append(f"{last} `{named or f'number {int(index) + 1}'}`")
    return ", ".join(names)


def _keys_at(steps: Sequence[tuple[str | None, str | None]]) -> list[str]:
    """The keys that are known where a place leads to."""
    keys = [key for key, _ in steps if key]
    known: type[msgspec.Struct]
    match keys:
        case []:
            known = SpecFile
        case ["resource"]:
            known = ResourceEntry
        case ["resource", "acquire"]:
            known = AcquireEntry
        case ["resource", "release"]:
            known = ReleaseEntry
        case ["call"]:
            known = CallEntry
        case ["family"]:
            known = FamilyEntry
        case ["exempt"]:
            known = ExemptEntry
        case ["default"]:
            known = DefaultEntry
        case [*_, "acquire"]:
            known = Acquire
        case [*_, "noreturn"]:
            known = NoReturn
        case _:
            known = Move
    return [field.encode_name for field in msgspec.structs.fields(known)]
