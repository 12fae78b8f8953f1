"""Members of C that count the references to an object, told by their names: `refcnt`, `users`. Misses other names."""

from __future__ import annotations

from analyzers.handles.unknown import words_of

_COUNTERS = frozenset((
    "counter", "nref", "nrefs", "rc", "ref", "refcnt", "refcount", "refcounter", "refct", "reference", "references", "refs", "usage",
    "usecnt", "usecount", "users",
))


def is_counter(field: str) -> bool:
    """Whether a member is named like a count of references."""
    return not _COUNTERS.isdisjoint(words_of(field))
