"""What becomes of a handle that lies in an object, when a call releases the object.

Wrapped handles go with what wraps them; the members of a block of C are lost, unless the library or a destructor
of the program's own knows of them. Misses leaks in objects whose destructor looks at a member and leaves it alone.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH, WRAPPED, Paths, is_below
from analyzers.handles.flows import Flows
from analyzers.handles.names import Names
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite, Move
from analyzers.handles.unknown import words_of
from analyzers.summaries import BELOW, AccessPath

MEMORY = "memory"
"""In the names of spec resources that are blocks of an allocator."""

_PUTTING = frozenset(("add", "append", "insert", "prepend", "push", "put"))
"""Words of functions that put what they are passed into a container."""


class Members:
    """What lies in the objects that one call releases. `names`: those that paths of the callee have here."""

    def __init__(self, flows: Flows, node: int, site: CallSite, names: Names) -> None:
        self.node = node
        self.site = site
        self.table = flows.table
        self.scene: Scene = flows.scene
        self._sites = flows.sites.sites
        self._local = names.of
        self._cleaned = flows.cleaned
        self._seen: dict[AccessPath, frozenset[str]] = {}

    def is_the_librarys(self, paths: Paths, move: Move) -> bool:
        """Whether a library ends an object of its own in which the program has put a handle: it knows what is in there. So it is where
        a function of the program has it done, for containers that are told how."""
        if any(place[0] == move.entry[0] and len(place) > 1 and paths & self.table.starting_with(place) for place in self._cleaned):
            return True
        if self.scene.is_java or not self.site.is_library or not move.resource:
            return False
        alike = [each for each in self.site.moves if each.entry == move.entry]
        if any(MEMORY in each.resource or any(end.fate != "released" for end in each.outcomes) for each in alike):
            return False
        depth = len(move.entry)
        members = {path[depth] for path in self.table.list(paths & self.table.starting_with(move.entry)) if len(path) > depth}
        if members == {"[]"}:
            return self._frees_elements(move.entry[0])
        return any(member not in (WRAPPED, CLOSED_WITH, "*", "[]") for member in members)

    def _frees_elements(self, name: str) -> bool:
        """Whether who made a container has told it how to free what it holds (`g_ptr_array_new_with_free_func`)."""
        makers = (self.scene.nodes[node] for node in self.scene.definitions.get(name, ()))
        return any(isinstance(node, ir.Call) and node.name.endswith(("_full", "_free_func")) for node in makers)

    def is_member(self, path: AccessPath) -> bool:
        """Whether what a path of C goes through can be where the caller's type of the result says that it is."""
        result = self.site.call.dst
        return self.scene.is_java or path[0] != RESULT[0] or len(path) == 1 or not result or self.scene.has_field(result, path[1])

    def is_only_a_text(self, move: Move) -> bool:
        """Whether a call of C that takes over objects of one kind gets a text, of which it makes a copy (`g_variant_new("(s)", name)`)."""
        if self.scene.is_java or not move.resource or MEMORY in move.resource or any(end.fate != "retained" for end in move.outcomes):
            return False
        return len(move.entry) == 1 and self.scene.type_of(move.entry[0]).replace("const ", "").replace(" ", "") in ("char*", "gchar*")

    def are_taken_out(self, entry: AccessPath) -> bool:
        """Whether the elements of an array of C are kept elsewhere, or go the way that the array itself goes: `free(v[i])`, `free(v)`."""
        if len(entry) != 1:
            return False
        arrays = self._copies({entry[0]})
        elements = self._copies({
            node.dst for node in self.scene.nodes
            if (isinstance(node, ir.LoadElement) or (isinstance(node, ir.Load) and node.field == "*")) and node.base in arrays
        })
        return any(
            (isinstance(node, ir.Store | ir.StoreElement | ir.Return) and node.src in elements)
            or (isinstance(node, ir.Call) and self._takes(node.name) and not elements.isdisjoint(node.args))
            for node in self.scene.nodes
        )

    def _takes(self, name: str) -> bool:
        """Whether a call by this name ends what it is passed, like the one that ends the array, or puts it into a container (`g_list_append`)."""
        return name == self.site.call.name or not _PUTTING.isdisjoint(words_of(name))

    def _copies(self, names: set[str]) -> set[str]:
        """Names, and those that they are copied, cast or moved on to, or that a call gives back (`g_strdelimit(name, "%", '@')`)."""
        found, waiting = set(names), sorted(names)
        following: dict[str, list[str]] = {}
        for node in self.scene.nodes:
            match node:
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast" | "[]+", operands=(src, *_)):
                    following.setdefault(src, []).append(dst)
        for site in self._sites.values():
            for alias in site.aliases if site.call.dst and not self.scene.is_java else ():
                following.setdefault(alias[0], []).append(site.call.dst)
        while waiting:
            fresh = set(following.get(waiting.pop(), ())) - found
            found |= fresh
            waiting += sorted(fresh)
        return found

    def moved(self, paths: Paths, entry: AccessPath) -> Paths:
        """The paths below a block that is released, where the call replaces it by another, as `realloc` does."""
        for transfer in self.site.acquired:
            for outcome in transfer.outcomes:
                for target in outcome.paths:
                    if target == RESULT:
                        return self.table.rename(paths, entry, RESULT)[0]
                    if entry in self._local(target):
                        return paths & self.table.starting_with(entry)
        return 0

    def dangling(self, paths: Paths, entry: AccessPath) -> Paths:
        """The members of a freed block of C that the procedure goes on to name: a mistake, but they are not forgotten."""
        if self.scene.is_java or len(entry) > 1:
            return 0
        kept = 0
        below = [path for path in self.table.list(paths & self.table.starting_with(entry)) if len(path) > 1]
        for path in below:
            if self.scene.is_loaded_after(self.node, path[:2]):
                kept |= self.table.single(path)
        return kept

    def is_deep(self, paths: Paths, entry: AccessPath) -> bool:
        """Whether a destructor that walks a linked structure, or an array, walks to the handle too."""
        if self.scene.is_java or self.site.is_library:
            return False
        if self._is_walked(paths, entry):
            return True
        walked = (
            move.entry for move in self.site.moves
            if len(move.entry) > len(entry) and move.entry[: len(entry)] == entry
            and any(outcome.fate == "released" for outcome in move.outcomes)
        )
        if not any(self.scene.is_linked(path, len(entry)) for path in walked):
            return False
        below = self.table.list(paths & self.table.starting_with(entry))
        return any(self.scene.is_linked(path, len(entry)) for path in below)

    def is_seen_to(self, paths: Paths, entry: AccessPath) -> bool:
        """Whether a destructor of the program's own looks at the member of its object in which, or below which, the
        handle lies: what becomes of it, by a count or in a container, is for the destructor to answer for."""
        if self.scene.is_java or self.site.is_library or self.site.effects is None:
            return False
        depth = len(entry)
        members = {path[depth] for path in self.table.list(paths & self.table.starting_with(entry)) if len(path) > depth}
        seen = self._seen.get(entry)
        if seen is None:
            names = [name for path in self.site.effects.reads if len(path) > 1 for name in self._local(path)]
            seen = self._seen[entry] = frozenset(
                BELOW if name[-1] == BELOW and len(name) <= depth and is_below(entry, name[:-1]) else name[depth]
                for name in names
                if (len(name) > depth and is_below(name, entry)) or (name[-1] == BELOW and is_below(entry, name[:-1]))
            )
        if BELOW in seen or WRAPPED in seen or (WRAPPED in members and self._looks_below(entry)):
            return True
        return any(f"{member}.".startswith(f"{each}.") for member in members for each in seen)

    def _looks_below(self, entry: AccessPath) -> bool:
        """Whether the callee reads anything of what it gets a pointer into."""
        reads = self.site.effects.reads if self.site.effects is not None else ()
        return any(len(path) > 1 and (self.site.actuals.get(path[0]),) == entry for path in reads)

    def _is_walked(self, paths: Paths, entry: AccessPath) -> bool:
        """Whether a callee that releases a node, a member of it and the node behind it (`entry`) means that member of all nodes."""
        node = entry[:-1]
        if not node or not self.scene.is_linked(entry, len(node)):
            return False
        released = {move.entry for move in self.site.moves if any(outcome.fate == "released" for outcome in move.outcomes)}
        if node not in released:
            return False
        for path in self.table.list(paths & self.table.starting_with(entry)):
            rest = path[len(entry) :]
            while rest[:1] == entry[-1:]:
                rest = rest[1:]
            if not rest or (*node, *rest) in released:
                return True
        return False

    def is_wrapped(self, paths: Paths, entry: AccessPath) -> bool:
        """Whether releasing what lies at `entry` releases what it holds: always in Java, where it wraps."""
        if self.scene.is_java:
            return True
        below = self.table.list(paths & self.table.starting_with(entry))
        return any(all(field in (WRAPPED, CLOSED_WITH) for field in path[len(entry) :]) for path in below)
