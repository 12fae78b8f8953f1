"""What a call may look at below an object that it is given: there must not be what is released by now."""

from __future__ import annotations

from analyzers.summaries import BELOW, AccessPath, Effects
from fixers.paths.elements import ELEMENT
from fixers.paths.inside import whole
from fixers.paths.names import CAPTURED, EMPTYING, RELEASING
from fixers.paths.places import Places
from fixers.paths.report import Report
from fixers.paths.state import GLOBALS, NULL, State, Value, is_outside, kind

_PLAIN = ("memory", "-string", "-strings", "-substring")
"""How the resources are called that are nothing but memory."""

_CELLS = ("g_array_", "g_hash_table_", "g_list_", "g_node_", "g_ptr_array_", "g_queue_", "g_slist_", "g_tree_")
"""How functions begin that release containers, and not what these were given."""


_HANDING = frozenset(("forEach", "forEachOrdered", "removeIf", "replaceAll", "sort", "stream", "parallelStream"))
"""Methods of collections that give all of their elements to who is named with the call, or behind it."""


class Looks:
    """The looks of one call with one of the Effects that it may have."""

    def __init__(self, places: Places, effects: Effects, report: Report) -> None:
        self._places = places
        self._site = places.site
        self._effects = effects
        self._report = report

    def members(self, state: State, root: str, value: Value) -> None:
        """What a callee of C reads of an object that it is given, or may read where nobody knows it."""
        read = {path[1] for path in self._effects.reads if path[0] == root and len(path) > 1}
        is_any = not self._effects.is_known or BELOW in read or self._is_kept(root)
        looked_at = [value]
        if is_any and (container := whole(value)) not in (value, GLOBALS):
            looked_at.append(container)  # From the place of a member it may go to the struct around it.
        for inner in looked_at:
            for (base, field), held in list(state.cells.items()):
                if base == inner and (is_any or field in read):
                    self._report.used_inside(state, held, self._site.node, self._site.call.name, is_sure=field in read)
                    if is_any and held not in looked_at:
                        looked_at.append(held)

    def parts(self, state: State, root: str, value: Value) -> None:
        """A function of C without text releases an object: it may release what lies in its members, too (`node_free(node)` frees the
        node's name), unless it only gives back memory, or the cells of a container."""
        ends = [each for each in self._effects.transfers if each.entry == (root,)]
        is_plain = self._effects.is_known and any(each.resource.endswith(_PLAIN) for each in ends)
        if is_plain or not ends or self._site.target is None or self._site.target.procedures or self._site.call.name.startswith(_CELLS):
            return
        for (base, field), held in list(state.cells.items()):
            if base == value and not kind(field):
                self._report.used_inside(state, held, self._site.node, self._site.call.name, is_sure=True)

    def through(self, state: State, root: str, value: Value) -> None:
        """A function of C with text releases an object: what its members point to it may look at first (`table_release(table)` counts in
        the pool that the table came from)."""
        if self._site.target is None or not self._site.target.procedures:
            return
        for path in followed(self._effects, root):
            inner: Value | None = value
            for field in path[1:-1]:
                inner = state.cells.get((inner, field)) if inner is not None else None
                if inner is not None:
                    self._report.used_inside(state, inner, self._site.node, self._site.call.name, is_sure=True)
            if path[-1] == BELOW and inner is not None:
                for (base, _), held in list(state.cells.items()):
                    if base == inner:
                        self._report.used_inside(state, held, self._site.node, self._site.call.name, is_sure=False)

    def fields(self, state: State, root: str, value: Value) -> None:
        """An object of Java whose fields hold what is released by now: its methods, or whoever is given it, may use that."""
        name = self._site.call.name
        is_end = is_releasing(name) and any(transfer.entry[:1] == (root,) for transfer in self._effects.transfers)
        if is_outside(value) or is_end or name in EMPTYING:
            return
        read = {self._places.resolve(state, path, NULL) for path in self._effects.reads if path[0] == root}
        for (base, field), held in list(state.cells.items()):
            if base == value and not kind(field):
                is_read = held in read or field.startswith((CAPTURED, ELEMENT))
                self._report.used_inside(state, held, self._site.node, name, is_sure=is_read)
                if (root != "this" or name in _HANDING) and field.startswith(ELEMENT):
                    self._elements(state, held)

    def _elements(self, state: State, element: Value) -> None:
        """What lies in an element of a collection that somebody is given, however deep: he may take it out of there, and into something of his own."""
        seen = [element]
        for inner in seen:
            for (base, field), held in list(state.cells.items()):
                if base == inner and not kind(field):
                    self._report.used_inside(state, held, self._site.node, self._site.call.name, is_sure=False)
                    if held not in seen:
                        seen.append(held)

    def _is_kept(self, root: str) -> bool:
        """Whether the call leaves an object with somebody else, who may look into it whenever he likes."""
        ends = [end for transfer in self._effects.transfers if transfer.entry == (root,) for end in transfer.outcomes]
        if not ends and (root,) in self._effects.retains:
            return True
        return any(end.fate == "retained" or (end.fate == "held" and any(path != (root,) for path in end.paths)) for end in ends)


def followed(effects: Effects, root: str) -> list[AccessPath]:
    """The paths from an argument that a call may go along: all but the last field of each is followed."""
    return [path for path in (*effects.reads, *effects.writes, *(each.entry for each in effects.transfers)) if path[:1] == (root,) and len(path) > 1]


def is_releasing(name: str) -> bool:
    """Whether a call is named for a release."""
    return "close" in name.lower() or name in RELEASING
