"""The flow function of a store: Tracker, Figure 4, with guards.

What was at the place is gone, also by other names of it (aliasMatches); what is stored is there. A handle that is stored in
something that is not known to be one of the procedure's own objects, or the caller's, is out of sight.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains.access_path import WRAPPED, Paths
from analyzers.domains.obligation import CUT, RETAINED, Fact
from analyzers.handles.c.kinship import is_parted
from analyzers.handles.c.numbers import indexed
from analyzers.handles.flows import After, Flow, Flows
from analyzers.handles.java.captures import OUTER
from analyzers.handles.scene import Scene
from analyzers.summaries import AccessPath

_QUALIFIERS = frozenset(("const", "volatile", "restrict", "__restrict", "__restrict__", "register", "static"))
_CHARACTERS = frozenset(("char", "unsigned char", "signed char", "uchar", "u_char", "gchar", "guchar", "xmlChar", "uint8_t", "u_int8_t", "guint8", "wchar_t"))
_NUMBERS = frozenset((
    "int", "short", "long", "unsigned", "unsigned int", "unsigned short", "unsigned long", "long long", "unsigned long long", "long int", "short int", "unsigned long int", "size_t", "ssize_t",
    "bool", "_Bool", "gboolean", "gint", "guint", "gsize", "gssize", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "off_t", "time_t", "pid_t",
))
"""Types of the letters of a text, and of numbers that are none."""


def store_flow(flows: Flows, node: int, store: ir.Store | ir.StoreElement) -> Flow | None:
    """The flow function of a store; None where it does nothing to handles and guards."""
    if isinstance(store, ir.StoreElement):
        return indexed(flows, store.index, _stored(flows, node, (store.base, "[]"), store.src))
    return _stored(flows, node, (store.base, store.field) if store.base else (f"::{store.field}",), store.src)


def _stored(flows: Flows, node: int, place: AccessPath, src: str) -> Flow | None:
    table = flows.table
    targets = flows.scene.spread(place, node)
    is_number = len(targets[0]) > 1 and not flows.scene.may_hold(targets[0])
    is_watched = place[-1] != "[]" and len(place) > 1 and flows.is_watched(place[0])
    if is_number and not is_watched and flows.is_quiet(node) and place[-1] not in flows.subjects.fields:
        return None
    is_weak = any("[]" in target for target in targets)
    passing = flows.scene.passing
    followed = flows.scene.set_again
    is_followed = len(targets[0]) == 1 and targets[0][0] in followed
    is_global = not is_followed and any(target[0][:2] == "::" and target[0] not in passing for target in targets)
    is_known = not is_global and any(is_followed or target[0] in passing or flows.sharing.is_anchored_place(target, node) for target in targets)
    is_known |= all(len(target) == 1 and _is_local(flows.scene, target[0]) for target in targets)  # `*slot` of `slot = &name`
    is_known &= targets[0][0] not in flows.shown
    is_known &= place[-1] != "*" or not _is_end(flows.scene, place[0], src)
    source, twins = (src,), flows.twins.names(targets, node)
    value = flows.reader(node, src)
    subject = _subject(flows, node, targets[0])
    others = flows.subjects.fields.get(place[-1], 0) & ~_apart(flows, targets) | _below(flows, targets[0])
    is_behind = len(place) > 1 and len(targets) == 1 and not flows.scene.is_java and not is_weak
    assigned = targets[0][0] if len(targets[0]) == 1 else ""
    is_end = not is_weak and flows.twins.is_end(flows.scene.loaded_from(place), src)
    begun = _begun(flows, node, place)
    is_known &= bool(begun) or not _is_of_some(flows.scene, place)
    flows.notice(node, (each[:1] for each in begun))

    def flow(fact: Fact) -> After:
        paths, environment, marks = fact
        after: After = []
        if flows.scene.cfg.raised[node]:
            flows.throw(node, fact, after)
        if is_watched:
            environment = flows.looked_into(place[0], environment)
        if begun:
            environment = flows.forget(environment, begun[0][0])
        if begun and paths & table.starting_with(source):
            for each in begun:
                flows.go(node, (paths | table.rename(paths & table.starting_with(source), source, each)[0], environment, marks), paths, after)
            return after
        left = paths
        if not is_weak and paths:
            for target in targets:
                left &= ~table.starting_with(target)
            left = _without_aliases(flows, left, place)
        moved = 0 if ir.is_literal(src) else paths & table.starting_with(source)
        if moved:
            for target in twins:
                renamed, is_cut = table.rename(moved, source, target)
                left |= renamed
                marks |= (CUT | RETAINED) * (is_cut and not table.is_by_itself(left, target))
            for target in targets:
                renamed, is_cut = table.rename(moved, source, target)
                left |= renamed
                if is_cut and not table.is_by_itself(left, target):
                    marks |= CUT | RETAINED * is_kept_deep(flows, moved, source, target, left)
            if not is_known or marks & RETAINED or (followed and _is_linked(table.list(left), followed)):
                left, marks = 0, marks | RETAINED
        if is_end and moved and not any(len(path) > 1 for path in table.list(left) if path not in targets):
            left, marks = 0, marks | RETAINED
        # The end of a list moves on (`list->last->next = node; list->last = node`): the one before has the node, and all that it had.
        if is_behind and paths and is_parted(table, paths, left, targets[0]):
            left, marks = 0, marks | RETAINED
        if environment and (others or assigned):
            known = value(paths, environment)
            environment = flows.environments.keep(environment, ~others)
            environment = flows.forget(environment, assigned)
            if subject is not None:
                environment = flows.environments.assign(environment, subject, known)
        elif subject is not None:
            environment = flows.environments.assign(environment, subject, value(paths, environment))
        flows.go(node, (left, environment, marks), paths, after)
        return after

    return flow


def _is_of_some(scene: Scene, place: AccessPath) -> bool:
    """Whether a store of C goes to one of several places, of which some is a variable (`slot = flag ? &one : &other; *slot = p;`): that has it."""
    if scene.is_java or place[1:] != ("*",) or len(definitions := scene.definitions.get(place[0], ())) < 2:
        return False
    return any(isinstance(given := scene.nodes[each], ir.AddressOf) and given.base and not given.field for each in definitions)


def _begun(flows: Flows, node: int, place: AccessPath) -> tuple[AccessPath, ...]:
    """Where a list of the procedure's own, or of its caller's, begins at whose end something is stored; for callers also what its first cell
    leads to, if that may be where it is stored. Empty where there is no such list."""
    begun = None if flows.scene.is_java or place[1:] != ("*",) else flows.scene.tails.begun_at(place[0], node)
    if begun is None:
        return ()
    first = flows.scene.spread(begun[0].place, node)[-1]
    is_own = len(first) == 1 and _is_local(flows.scene, first[0])
    if not is_own and not flows.sharing.is_anchored_place(first, node):
        return ()
    return (first, (*first, begun[0].link)) if begun[1] and flows.subjects.is_summary else (first,)


def _subject(flows: Flows, node: int, target: AccessPath) -> int | None:
    """The number of the subject that is stored to; in C also where the place is reached by a pointer that has just been read (`(*job)->id = start();`)."""
    numbers, scene = flows.environments.numbers, flows.scene
    root = target[0]
    if target in numbers or scene.is_java or not ir.is_temporary(root) or root not in scene.loads:
        return numbers.get(target)
    place = scene.loaded_from(target)
    read, at = scene.definitions[root][0], node
    while place in numbers and at != read:
        before = scene.cfg.predecessors[at]
        at = before[0] if len(before) == 1 else ir.ENTRY
        match scene.nodes[at]:
            case ir.Entry() | ir.Store() | ir.StoreElement() | ir.Havoc():
                return None
            case ir.Call(args=args):
                site = flows.sites.sites.get(at)
                if site is None or not site.is_library or any(scene.loaded_from((each,))[0] == place[0] for each in args):
                    return None
    return numbers.get(place)


def _below(flows: Flows, target: AccessPath) -> int:
    """What is known of places that are reached through the one that is stored to."""
    place = flows.scene.loaded_from(target)
    return sum(1 << number for subject, number in flows.environments.numbers.items() if len(subject) > len(place) > 1 and subject[: len(place)] == place)


def _apart(flows: Flows, targets: Sequence[AccessPath]) -> int:
    """What is known of members of other structs of the procedure's own than those that are stored to: they are other places. And of
    texts that it promises not to change: it is not believed to do so through another pointer (`*error = NULL`). Nobody passes one
    variable for two answers (`*kind = 0; *size = n`), and who writes a text (`*end++ = c`) does not write a number of the caller's."""
    scene = flows.scene
    roots = {target[0] for target in targets}
    texts = flows.subjects.texts_of_callers
    for root in roots if texts else ():
        if (number := flows.environments.numbers.get((root, "*"))) is not None:
            texts &= ~(1 << number)
    formals = frozenset[str]() if scene.is_java else scene.formals.keys() - scene.assigned_formals
    if targets and all(target[1:] == ("*",) and target[0] in formals for target in targets):
        return texts | sum(
            1 << number for place, number in flows.environments.numbers.items()
            if place[1:] == ("*",) and place[0] in formals and place[0] not in roots
        )
    if targets and all(target[1:] in (("*",), ("[]",)) and _pointed_to(scene, target[0]) in _CHARACTERS for target in targets):
        return texts | sum(
            1 << number for place, number in flows.environments.numbers.items()
            if place[1:] == ("*",) and place[0] in formals and place[0] not in roots and _pointed_to(scene, place[0]) in _NUMBERS
        )
    if not all(len(target) == 2 and scene.is_aggregate(target[0]) for target in targets):
        return texts
    return texts | sum(
        1 << number for place, number in flows.environments.numbers.items()
        if len(place) == 2 and place[0] not in roots and scene.is_aggregate(place[0])
    )


def _pointed_to(scene: Scene, name: str) -> str:
    """The type that a pointer points to, without what is said of the pointer itself; empty where it is none to a value."""
    written = scene.type_of(name)
    if not written and ir.is_temporary(name):  # `*end++ = c` stores where a copy of `end` points.
        written = next((scene.type_of(node.src) for node in scene.nodes if isinstance(node, ir.Copy) and node.dst == name), "")
    base, star, rest = written.partition("*")
    return " ".join(word for word in base.split() if word not in _QUALIFIERS) if star and "*" not in rest else ""


def _is_local(scene: Scene, name: str) -> bool:
    """Whether a name is that of a local variable of C."""
    variable = None if scene.is_java else scene.variables.get(name)
    return variable is not None and variable.kind == "local"


def _is_end(scene: Scene, pointer: str, src: str) -> bool:
    """Whether a pointer out of a member of C is the end of a list, which moves on to a member of what is put there (`*list->last = node;
    list->last = &node->next`): what holds the node is known by another name. It may be a struct that begins with what is linked (`&node->base`)."""
    member = scene.loads.get(pointer, ())
    if scene.is_java or len(member) != 2 or not ir.is_temporary(pointer) or ir.is_literal(src):
        return False
    stores = (node for node in scene.nodes if isinstance(node, ir.Store) and node.field == member[1])
    linked = (src, *scene.addresses.get(src, ())[:1])
    return any(len(place := scene.addresses.get(store.src, ())) > 1 and place[0] in linked for store in stores)


def _is_linked(names: Sequence[AccessPath], followed: frozenset[str]) -> bool:
    """Whether something that a global leads to is linked with others (`node->next = head; head = node`): they keep it."""
    return any(name[0] in followed for name in names) and any(len(name) > 1 for name in names)


def is_kept_deep(flows: Flows, moved: Paths, source: AccessPath, target: AccessPath, near: Paths) -> bool:
    """Whether something that outlives the procedure, or a node behind another node of a list, has what is too far from its root
    to be named. An object of Java that has it nearby, too, is whom to ask: its other members go when it goes, but not the one that it
    puts itself into, nor the object around it. What a wrapper has too deep inside may be closed with it."""
    if flows.scene.is_java and target[-1] == WRAPPED:
        return True
    if flows.scene.is_java:
        return flows.scene.outlives(target[0]) and (OUTER in target or source == target[:1] or not any(
            len(path) > 1 and path[0] == target[0] for path in flows.table.list(near)
        ))
    deep = (target + path[len(source) :] for path in flows.table.list(moved))
    return flows.scene.outlives(target[0]) or any(len(set(path[1:])) < len(path) - 1 for path in deep)


def _without_aliases(flows: Flows, paths: Paths, place: AccessPath) -> Paths:
    """Figure 4's aliasMatches, by field name and type of the base; it never takes the last path."""
    if len(place) < 2:
        return paths
    candidates = paths & flows.table.through(place[1]) & ~flows.table.starting_with(place)
    if not candidates:
        return paths
    base_type = flows.scene.type_of(place[0])
    gone = 0
    for path in flows.table.list(candidates):
        if len(path) > 1 and path[1] == place[1] and _may_alias(flows.scene, path[0], place[0], base_type):
            gone |= flows.table.single(path)
    return paths & ~gone or paths


def _may_alias(scene: Scene, one: str, other: str, type_name: str) -> bool:
    """By type; what the procedure made, and what it was passed by different names, is taken to be distinct."""
    if any(scene.is_fresh(each) or scene.outlives(each) for each in (one, other)):
        return False
    known = scene.type_of(one)
    return not known or not type_name or known == type_name
