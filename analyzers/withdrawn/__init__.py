"""Releases that a change takes out, and what they released is still there: a leak that the old text itself tells of (Java: `closes`, `fields`,
`registrations`).

Of one version of a tree a detector can tell only what it knows to be acquired. A change shows more: what the procedure released
before is its own (Engler's belief, across time). Where both versions come to the same place, nothing else of the change has to
do with what was released, and the new version forgets it, replaces it, or frees what it lies in, it is lost. A change that takes
out a wrong release is told by the old text: what was released twice, looked at afterwards, handed on or never owned is not
reported. Always assumed. Misses releases that were rewritten, and what calls through macros release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from analyzers import ir
from analyzers.detectors.destructors.uses import Tree
from analyzers.detectors.destructors.whole import left_alone
from analyzers.domains.obligation import Limits
from analyzers.finding import Finding
from analyzers.handles.c.allocators import MEMORY, OBJECT
from analyzers.handles.callees import CallSites
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_const_pointer, is_freeing, is_release
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNCLOSED_RESOURCE, UNRELEASED_MEMORY
from analyzers.source import Span
from analyzers.withdrawn.closes import unclosed
from analyzers.withdrawn.fates import Fate, fate_of, starts
from analyzers.withdrawn.fields import forgotten
from analyzers.withdrawn.fills import has_twin, is_given, of_value, on_every_way
from analyzers.withdrawn.matching import Matching, Text, lines_that_name, match
from analyzers.withdrawn.members import filled, member_type, owner_of
from analyzers.withdrawn.owners import (
    Old,
    aliases,
    before_it,
    is_ended_before,
    is_once,
    made_in,
    may_be_there,
    mentions,
    sources,
)
from analyzers.withdrawn.places import ELEMENT, Place, is_prefix, place_of, released_by
from analyzers.withdrawn.registrations import left_registered
from analyzers.withdrawn.telling import finding_of, taken_out

_CALLED = re.compile(rb"(\w+)\s*\(")
_SET_TO_NOTHING = re.compile(rb"=\s*(NULL|0|-1)\s*;")

__all__ = ["Text", "withdrawn"]


def withdrawn(
    before: Queries, after: Queries, pairs: Sequence[tuple[ProcedureKey, ProcedureKey]], texts: Mapping[str, Text]
) -> list[Finding]:
    """The findings about procedures that both versions have, old and new name; `texts` are all files of the
    change by their new paths."""
    tree = Tree(after)
    partners = dict(pairs)
    found: list[Finding] = []
    for old_key, new_key in partners.items():
        old_text, new_text = before.source_of(old_key), after.source_of(new_key)
        if old_text == new_text:
            continue
        old, new = before.linked(old_key), after.linked(new_key)
        if old is None or new is None or old.body.error or new.body.error:
            continue
        matching = match(old, old_text, new, new_text)
        if new.language == "java":
            found += unclosed((old, before), (new, after))
            if matching is not None:
                found += forgotten((old, before), (new, after), matching, texts)
                found += left_registered((old, before), (new, after), matching, texts)
            continue
        if matching is not None and any(isinstance(old.body.nodes[each], ir.Call) for each in matching.removed):
            found += _Procedure((old, before), (new, after), matching, tree, texts, partners).findings()
    return found


class _Procedure:
    def __init__(
        self, old: tuple[Linked, Queries], new: tuple[Linked, Queries], matching: Matching, tree: Tree, texts: Mapping[str, Text],
        partners: Mapping[ProcedureKey, ProcedureKey],
    ) -> None:
        scene = Scene(*old, Limits())
        self._old = Old(scene, CallSites(scene).sites, matching.kept)
        self._before = old[1]
        self._new = Scene(*new, Limits())
        self._sites = CallSites(self._new).sites
        self._matching = matching
        self._tree = tree
        self._texts = texts
        self._partners = partners

    def findings(self) -> Iterator[Finding]:
        """One finding per place whose release is gone."""
        told: set[Place] = set()
        added = {node.name for each in self._matching.added if isinstance(node := self._new.nodes[each], ir.Call)}
        for at in sorted(self._matching.removed & self._old.sites.keys()):
            if self._old.sites[at].call.name in added or self._is_another_function(at):
                continue
            released = released_by(self._old.scene, self._old.sites[at])
            for place, resource in released:
                if place in told or any(is_prefix(other, place) for other, _ in released) or self._is_about(place):
                    continue
                found = self._finding(at, place, resource)
                if found is not None:
                    told.add(place)
                    yield found

    def _is_another_function(self, at: int) -> bool:
        """Whether the change touches the body of what released something."""
        target = self._old.scene.linked.targets.get(at)
        return target is not None and any(
            self._before.source_of(key) != self._new.queries.source_of(self._renamed(key)) for key in target.procedures
        )

    def _renamed(self, key: ProcedureKey) -> ProcedureKey:
        """The same procedure in the new version, where its file has another name there."""
        return self._partners.get(key, key)

    def _is_about(self, place: Place) -> bool:
        """Whether something that the change adds has to do with a place, with another name for what lies there, or with what that lies in."""
        others = aliases(self._old.scene, place) | aliases(self._new, place)
        places = (place, *((each,) for each in others))
        lying = (place, *sources(self._old.scene, place))
        if any(self._is_changed(at) for at, site in self._old.sites.items() if at in self._matching.kept and self._gets(site.call, lying)):
            return True
        return any(
            self._is_unclear(each) or self._gets_holder(each, lying) or any(mentions(self._new, self._new.nodes[each], one) for one in places)
            for each in self._matching.added
        )

    def _gets_holder(self, at: int, places: Sequence[Place]) -> bool:
        """Whether a call gets what one of some places lies in, and may do anything to it."""
        call = self._new.nodes[at]
        return isinstance(call, ir.Call) and any(
            is_prefix(passed, place) for each in call.args if (passed := place_of(self._new, each)) for place in places
        )

    def _gets(self, call: ir.Call, places: Sequence[Place]) -> bool:
        """Whether a call of the old version gets what lies at one of some places, or what that lies in."""
        return any(
            passed == place or is_prefix(passed, place)
            for each in call.args if (passed := place_of(self._old.scene, each)) for place in places
        )

    def _is_unclear(self, at: int) -> bool:
        """Whether a call may release what another call has handed on (`free(wiped(text))`)."""
        call = self._new.nodes[at]
        return isinstance(call, ir.Call) and is_release(call.name) and any(
            ir.is_temporary(each) and not place_of(self._new, each) for each in call.args
        )

    def _finding(self, at: int, place: Place, resource: str) -> Finding | None:
        old = self._old
        root = place[0]
        is_local = not root.startswith("::")
        if is_local and (root not in self._new.variables or self._new.type_of(root) != old.scene.type_of(root)):
            return None
        if not may_be_there(old, place, at) or (ELEMENT not in place and not is_once(old, place, at)):
            return None
        ways = starts(old.scene, self._new, self._matching, at, place)
        begin = tuple(dict.fromkeys(start for _, start in ways or ()))
        fate = fate_of(self._new, self._sites, place, begin) if begin else None
        if fate is None or is_ended_before(self._new, self._sites, place, [before for before, _ in ways or ()]):
            return None
        until = before_it(self._new, place, begin)
        if any(fate_of(self._new, self._sites, (each,), begin) is None for each in aliases(self._new, place, until)):
            return None
        if self._new.is_main and not fate.replaced:
            return None  # The end of the program takes it.
        origin = self._origin(at, place, fate)
        return self._told(at, place, resource or self._resource(at), fate, origin) if origin is not None else None

    def _resource(self, at: int) -> str:
        return MEMORY if is_freeing(self._old.sites[at].call.name) else OBJECT

    # --- whose it is

    def _origin(self, at: int, place: Place, fate: Fate) -> Span | None:
        """Where what is lost comes from; None where it is not known to be the procedure's own, or is not lost."""
        root = place[0]
        if root.startswith("::") and len(place) == 1:
            return self._here(fate.replaced[0]) if fate.replaced else None
        if len(place) == 1:
            return self._of_formal(root) if root in self._new.formals else self._of_local(at, root)
        if place[-1] == ELEMENT:
            return self._of_elements(place, fate)
        return self._of_member(at, place, fate)

    def _of_local(self, at: int, name: str) -> Span | None:
        made = made_in(self._old, name, at)
        if made is None or any(each not in self._matching.kept or self._is_changed(each) for each in made):
            return None
        return self._here(self._matching.kept[made[0]])

    def _is_changed(self, at: int) -> bool:
        """Whether the change touches what a call of the old version runs."""
        target = self._old.scene.linked.targets.get(at)
        other = self._new.linked.targets.get(self._matching.kept[at])
        if target is None or other is None:
            return target is not other
        if len(target.procedures) != len(other.procedures):
            return True
        pairs = zip(target.procedures, other.procedures, strict=True)
        return any(self._before.source_of(key) != self._new.queries.source_of(twin) for key, twin in pairs)

    def _of_formal(self, name: str) -> Span | None:
        scene = self._new
        if name in scene.definitions or is_const_pointer(scene.type_of(name)) or not left_alone(scene.linked.key, scene.queries):
            return None
        start = scene.linked.body.start
        return Span(scene.linked.key.path, start, start + scene.linked.body.header_end)

    def _of_elements(self, place: Place, fate: Fate) -> Span | None:
        """Elements go with the array that they lie in, where the procedure frees that."""
        return self._here(fate.orphaned[0]) if fate.orphaned and "*" in self._type(place) else None

    def _type(self, place: Place) -> str:
        names = [name for name, path in self._old.scene.loads.items() if path == place]
        return self._old.scene.type_of(names[0]) if names else "*"

    def _of_member(self, at: int, place: Place, fate: Fate) -> Span | None:
        scene, member = self._new, place[-1]
        owner = owner_of(scene, place)
        is_value = len(place) == 2 and scene.is_aggregate(place[0]) and scene.variables[place[0]].kind == "local"
        is_left = not fate.orphaned and not fate.replaced and not is_value
        written = scene.c_types.plain(member_type(scene, place))
        if "[" in written or (is_freeing(self._old.sites[at].call.name) and scene.c_types.is_aggregate(written)):
            return None
        if own := self._own(at, place, fate, is_value=is_value):
            return self._here(own)
        if not owner or self._is_named_elsewhere(member) or (is_left and self._is_cleared(at, place)):
            return None
        is_fresh = len(place) == 2 and is_given(scene, self._sites, place[0])
        fill = filled(scene, self._tree, owner, member, is_sole=is_left, is_replaced=bool(fate.replaced), is_fresh=is_fresh)
        return fill.span if fill is not None else None

    def _own(self, at: int, place: Place, fate: Fate, *, is_value: bool) -> int:
        """What fills a member, where that is the procedure's own for sure: in a struct that ends with it, or on every way on which it is lost, while
        another way still releases it; 0 for nothing."""
        made: tuple[int, ...] = ()
        if is_value:
            made = of_value(self._old, place, at)
        elif fate.leaves and not fate.replaced and not fate.orphaned and not self._is_cleared(at, place) and has_twin(
            self._new, self._sites, place, fate.starts, self._matching.kept.values()
        ):
            made = on_every_way(self._old.scene, self._old.sites, place, at)
        if any(each not in self._matching.kept or (each in self._old.sites and self._is_changed(each)) for each in made):
            return 0
        return self._matching.kept[made[0]] if made else 0

    def _is_cleared(self, at: int, place: Place) -> bool:
        """Whether the old version sets a member behind its release."""
        old = fate_of(self._old.scene, {}, place, self._old.scene.cfg.normal[at])
        return old is None or bool(old.replaced)

    def _is_named_elsewhere(self, member: str) -> bool:
        """Whether the change does anything else with a member, outside of the procedure: but for releases of it, or setting it to
        nothing, that it takes out, too."""
        changed = lines_that_name(member, self._texts, (self._before, self._old.scene.linked.key), (self._new.queries, self._new.linked.key))
        return any(new - old or not all(_is_end(line) for line in old - new) for old, new in changed)

    # --- what is told

    def _here(self, at: int) -> Span:
        node, start = self._new.nodes[at], self._new.linked.body.start
        return Span(self._new.linked.key.path, start + node.start, start + node.end)

    def _told(self, at: int, place: Place, resource: str, fate: Fate, origin: Span) -> Finding:
        old, new = self._old.scene, self._new.linked
        call = old.nodes[at]
        text = " ".join(self._before.text(old.linked.key, call.start, call.end).split())[:60]
        name = _written(place)
        where = min((each for each in fate.starts if each != ir.EXIT), default=ir.EXIT)
        end = Span(new.key.path, new.body.end - 1, new.body.end)
        lost = self._here(where) if where != ir.EXIT else end
        rule = UNRELEASED_MEMORY if resource == MEMORY else UNCLOSED_RESOURCE
        message, witness = taken_out("releases", text, name, (origin, f"what `{name}` is comes from here"), lost)
        return finding_of(
            rule, "c", new.key, place, resource=resource, variable=name, message=message, witness=witness, acquired=origin,
            exits=(lost,), lost=lost, text=text,
        )  # fmt: skip


def _is_end(line: bytes) -> bool:
    """Whether a line releases something, or sets something to nothing."""
    return _SET_TO_NOTHING.search(line) is not None or any(is_release(each.decode("utf-8", "replace")) for each in _CALLED.findall(line))


def _written(place: Place) -> str:
    """A place as a reader would write it."""
    name = ir.source_name(place[0]).removeprefix("::").rpartition(".")[2] if place[0].startswith("::") else ir.source_name(place[0])
    for part in place[1:]:
        name += "[…]" if part == ELEMENT else f"->{part}"
    return name
