"""Constructors of libraries of Java that make what has nothing open: a close does nothing to it."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.summaries import Effects, Transfer
from fixers.paths.places import Places
from fixers.paths.state import NOTHING, State


def makes_empty(state: State, places: Places, effects: Effects, transfers: Sequence[Transfer]) -> bool:
    """Whether a constructor of a library is given nothing, is known to acquire and keep nothing (`new ByteArrayInputStream(bytes)`),
    or gets null for all that it would wrap: then it throws, or there is nothing to close."""
    site = places.site
    if site.call.kind != "new" or (site.target and site.target.procedures):
        return False
    if not site.call.args or (effects.is_known and not effects.transfers and not effects.retains):
        return True
    wrapped = {t.entry for t in transfers if len(t.entry) == 1 and any(("this", "~") in o.paths for o in t.outcomes)}
    given = [places.actual(state, root) for (root,) in sorted(wrapped)]
    return bool(given) and all(each is not None and state.range_of(each) == NOTHING for each in given)
