"""Which calls of a container store an element, hand one back, ask about one, take one out: TOML data in containers/.

A detector asks by type; the data knows no analysis. What no entry names is unknown, and may do anything.
"""

from __future__ import annotations

import enum
import tomllib
from pathlib import Path

import msgspec

from analyzers.specs.errors import SpecError
from analyzers.specs.names import split_names


class Role(enum.StrEnum):
    """What a use of a container does.

    STORE grows it; SET replaces one element; READ hands an element back; TAKE hands one back and drops it; VIEW
    makes an iterator or a collection backed by it; TEST asks whether an element is there; COUNT asks for a number; NONE touches no element;
    FEED passes it to a call that only takes its elements out elsewhere; REMOVE and CLEAR drop elements; REPLACE puts
    another container in its place; ESCAPE: anybody may do anything with it.
    """

    STORE = "store"
    SET = "set"
    READ = "read"
    TAKE = "take"
    VIEW = "view"
    TEST = "test"
    COUNT = "count"
    NONE = "none"
    FEED = "feed"
    REMOVE = "remove"
    CLEAR = "clear"
    REPLACE = "replace"
    ESCAPE = "escape"


class _Entry(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    types: str
    is_keyed: bool = False
    store: str = ""
    set: str = ""
    read: str = ""
    take: str = ""
    view: str = ""
    test: str = ""
    count: str = ""
    none: str = ""
    remove: str = ""
    clear: str = ""


class _Types(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    types: str


class _Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    call: str


class _File(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    library: str
    container: tuple[_Entry, ...] = ()
    bounded: tuple[_Types, ...] = ()
    wrapper: tuple[_Calls, ...] = ()
    copier: tuple[_Calls, ...] = ()
    factory: tuple[_Calls, ...] = ()
    thread_local: tuple[_Types, ...] = ()
    pinned: tuple[_Types, ...] = ()


class Container(msgspec.Struct, frozen=True):
    """The calls of one family of containers. `is_keyed`: the first argument of a store is a key."""

    roles: dict[str, Role]
    is_keyed: bool


class Containers(msgspec.Struct, frozen=True):
    """All models.

    types      containers by binary name
    bounded    types that let go of elements by themselves
    wrappers   calls that answer their first argument in another dress
    copiers    calls that read all elements of an argument and keep nothing of it
    factories  calls that make an empty container
    thread_locals   types whose objects hold one value per thread
    pinned     types of objects that are held on purpose, since who hands them out holds them weakly
    """

    types: dict[str, Container]
    bounded: frozenset[str]
    wrappers: frozenset[str]
    copiers: frozenset[str]
    factories: frozenset[str]
    thread_locals: frozenset[str]
    pinned: frozenset[str]


def load_containers() -> Containers:
    """The built-in models. SpecError where a file is wrong."""
    types: dict[str, Container] = {}
    names: dict[str, set[str]] = {each: set() for each in ("bounded", "wrapper", "copier", "factory", "thread_local", "pinned")}
    for path in sorted((Path(__file__).parent / "containers").glob("*.toml")):
        file = _read(path.name, path.read_text("utf-8"))
        for entry in file.container:
            container = Container(_roles(entry), entry.is_keyed)
            types.update((name, container) for name in split_names(entry.types))
        for typed, into in ((file.bounded, "bounded"), (file.thread_local, "thread_local"), (file.pinned, "pinned")):
            names[into].update(name for each in typed for name in split_names(each.types))
        for called, into in ((file.wrapper, "wrapper"), (file.copier, "copier"), (file.factory, "factory")):
            names[into].update(name for each in called for name in split_names(each.call))
    return Containers(types, *(frozenset(names[each]) for each in names))


def _read(name: str, text: str) -> _File:
    try:
        return msgspec.convert(tomllib.loads(text), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise SpecError(f"containers/{name}", "", str(error)) from None


def _roles(entry: _Entry) -> dict[str, Role]:
    written = {
        Role.STORE: entry.store, Role.SET: entry.set, Role.READ: entry.read, Role.TAKE: entry.take,
        Role.VIEW: entry.view, Role.TEST: entry.test, Role.COUNT: entry.count, Role.NONE: entry.none, Role.REMOVE: entry.remove,
        Role.CLEAR: entry.clear,
    }
    return {name: role for role, names in written.items() for name in split_names(names)}
