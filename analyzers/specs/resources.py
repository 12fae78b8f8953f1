"""What is known of a kind of resource, for detectors (rule, CWE, title) and fixers (how to release it)."""

from __future__ import annotations

import msgspec

from analyzers.specs.entries import AcquireEntry, CallEntry, ReleaseEntry, ResourceEntry
from analyzers.specs.names import parse_paths, split_names, split_signature
from analyzers.summaries import AccessPath

_NOTHING = {"-1": "-1", "negative": "-1", "minus-one-pointer": "MAP_FAILED"}


class Release(msgspec.Struct, frozen=True):
    """One way to release a resource.

    call          the function, or the qualified method
    argument      where the handle stands in the call: `("$0",)`, `("this",)`
    accepts_null  whether it may be called with the value that means «none»
    text          how source says it, `{}` for the handle (`free({})`); empty where the handle alone does
                  not suffice (`munmap` needs a length); `$1` is what the acquisition was passed there, `$1.*`
                  the caller's variable that it filled
    has_elements  whether it releases the elements of an array, too
    """

    call: str
    argument: AccessPath
    accepts_null: bool
    text: str
    has_elements: bool = False


class Resource(msgspec.Struct, frozen=True):
    """A kind of resource.

    name        what Effects call it (`heap-memory`, `closeable`)
    title       what reports call it («heap memory»)
    cwe         number of the weakness of its leak
    type        what reports call a handle where the acquisition does not say (`FILE`)
    types       Java types whose objects are such resources; C type names likewise
    failure     how its acquisitions fail (`null`, `-1`, `throws` …)
    nothing     the literal of the source language that means «none»: `NULL`, `-1`, `MAP_FAILED`, `null`
    acquires    the calls of its `acquire` list, as written there
    releases    preferred first
    is_enabled  False: known, but not looked for unless asked
    origin      the file that declares it
    is_scoped   looked for only where the procedure that acquires it releases it itself, wherever the object lies (locks)
    is_apart    what is acquired needs nothing that the acquiring call was given (a copy of a text, a stream by a path)
    members     those of its struct (C) whose blocks go with it (`str` of a GString)
    """

    name: str
    language: str
    title: str
    cwe: int
    type: str
    types: tuple[str, ...]
    failure: str
    nothing: str
    acquires: tuple[str, ...]
    releases: tuple[Release, ...]
    is_enabled: bool
    origin: str
    is_apart: bool = False
    is_scoped: bool = False
    members: tuple[str, ...] = ()


def acquire_entries(entry: ResourceEntry) -> list[CallEntry]:
    """The `acquire` list of a resource as entries; plain strings among them are calls without more."""
    items = [entry.acquire] if isinstance(entry.acquire, str) else entry.acquire
    return [AcquireEntry(call=item) if isinstance(item, str) else item for item in items if item != ""]


def release_entries(entry: ResourceEntry) -> list[ReleaseEntry]:
    """The `release` list of a resource as entries."""
    items = [entry.release] if isinstance(entry.release, str) else entry.release
    return [ReleaseEntry(call=item) if isinstance(item, str) else item for item in items if item != ""]


def build_resource(entry: ResourceEntry, language: str, origin: str) -> Resource:
    """The facts of a resource's table."""
    default = "NULL" if language == "c" else "null"
    return Resource(
        name=entry.name,
        language=language,
        title=entry.title or entry.name.replace("-", " "),
        cwe=entry.cwe,
        type=entry.type or entry.title or entry.name.replace("-", " "),
        types=tuple(split_names(entry.types)),
        failure=entry.failure,
        nothing=_NOTHING.get(entry.failure, default),
        acquires=tuple(name for item in acquire_entries(entry) for name in split_names(item.call)),
        releases=tuple(
            _build_release(item, name, language)
            for item in release_entries(entry)
            for name in split_names(item.call)
        ),
        is_enabled=entry.enabled,
        origin=origin,
        is_apart=entry.apart,
        is_scoped=entry.scoped,
        members=tuple(split_names(entry.members)),
    )


def _build_release(item: ReleaseEntry, name: str, language: str) -> Release:
    default = 0 if language == "c" else "this"
    argument = parse_paths(item.argument if item.argument != "" else default)[0]
    call, _ = split_signature(name)
    if item.text is not None:
        text = item.text
    elif argument == ("this",):
        text = "{}." + call.rpartition(".")[2] + "()"
    else:
        text = call + "({})" if argument == ("$0",) else ""
    ended = item.release if isinstance(item.release, list) else [item.release]
    return Release(call, argument, item.accepts_null, text, has_elements=any(isinstance(each, str) and each.endswith(".[]") for each in ended))
