"""Naming conventions of libraries: `%_new` and `%_free` make a resource of each name.

A function of the pattern that the library does not have does no harm: nobody calls it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers.specs.entries import AcquireEntry, CallEntry, FamilyEntry, ReleaseEntry, ResourceEntry
from analyzers.specs.names import split_names

_NAME = "%"
_CAMEL = "%%"


def family_resources(family: FamilyEntry) -> Iterator[ResourceEntry]:
    """The resources of a family, each with its calls. Releasing none is allowed, as it is by convention."""
    for name in split_names(family.names):
        yield ResourceEntry(
            name=name,
            type=family.type.replace(_CAMEL, _in_camel_case(name)).replace(_NAME, name),
            cwe=family.cwe,
            failure=family.failure,
            acquire=[_named(entry, name) for entry in _acquires(family)],
            release=[
                ReleaseEntry(call=call.replace(_NAME, name), accepts_null=family.accepts_null) for call in split_names(family.release)
            ],
        )


def _in_camel_case(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _acquires(family: FamilyEntry) -> Iterator[str | AcquireEntry]:
    entries = family.acquire if isinstance(family.acquire, list) else [family.acquire]
    for entry in entries:
        if isinstance(entry, str):
            yield from split_names(entry)
        else:
            yield entry


def _named(entry: str | AcquireEntry, name: str) -> str | AcquireEntry:
    if isinstance(entry, str):
        return entry.replace(_NAME, name)
    calls = [call.replace(_NAME, name) for call in split_names(entry.call)]
    return msgspec.structs.replace(entry, call=calls)


def family_retains(family: FamilyEntry) -> CallEntry:
    """The entry of the calls that take a further reference: who releases last is not followed."""
    calls = [
        call.replace(_NAME, name) for call in split_names(family.retains) for name in split_names(family.names)
    ]
    return CallEntry(call=calls, retains=0)
