"""What the shape of a loss in C says of it: shapes that were a misunderstanding more often than a leak, wherever they were read.

Which warnings are true can be told from their shape (Ruthruff et al., «Predicting accurate and actionable static analysis
warnings», ICSE 2008). Of 420 witnessed reports in thirty trees, each read before the program was changed for that tree, 68 %
were true, and 54 % of 150 in ten further trees that were not used to find the shapes. Of those with a shape named here one in
three to five were true, of the others three in four (docs/scans-c.md). What is lost by such a shape is told as assumed, and
never left out. Those of Java are other ones, and are not judged here.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.detectors.forked import is_in_child
from analyzers.detectors.met_twice import is_met_twice
from analyzers.detectors.one_of_several import is_another_then
from analyzers.finding import Role, Step
from analyzers.graphs.operands import operands, used
from analyzers.handles.c.deep import ended_from_above
from analyzers.handles.c.notified import is_connecting
from analyzers.handles.c.unread import unread_macro
from analyzers.handles.callees import CallSites
from analyzers.handles.runs import Loss
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_releaser
from analyzers.summaries import BELOW, AccessPath, Transfer

POINTEE = ("*",)
"""What a pointer leads to."""

MAX_HANDS = 4
"""Calls through which a handle comes, the acquisition itself among them, such that its leak is told as witnessed."""

MAX_TURNS = 6
"""Tests on the way to where something is replaced or goes out of scope, such that this is told as witnessed. What is replaced
behind more is mostly an arm of a dispatch, taken again in another turn of its loop."""


def is_improbable(
    scene: Scene, sites: CallSites, node: int, transfer: Transfer, loss: Loss, steps: Sequence[Step]
) -> bool:
    """Whether the shape of a loss of what a node acquires speaks against a leak. `steps` are its witness."""
    if scene.is_java:
        return False
    if unread_macro(scene.body, scene.cfg.reachable_from(node), lambda name: scene.queries.macro(scene.linked.key.path, name)):
        return True
    if _is_from_afar(steps) or (not loss.exit and _turns(steps) > MAX_TURNS):
        return True
    if not loss.exit and (_is_asked_until_ready(scene, sites.sites[node], node) or _is_first_word(scene, loss.node)):
        return True
    if not loss.exit and (is_met_twice(scene, node, loss.node) or is_another_then(scene, node, loss.node)):
        return True
    if loss.exit and is_in_child(scene, node, loss.node):
        return True
    if _is_content_of_what_fails_to_grow(scene, sites, node, loss):
        return True
    if _is_connected(scene, sites, node) and is_never_ended(scene, sites, node, transfer):
        return True
    if ended_from_above(scene.nodes, scene.definitions, node) or _is_ended_by_kind(scene, sites, node):
        return True
    if is_by_free(sites, loss):
        return _is_elsewhere(scene, sites, node)
    if _is_left_with_another(scene, sites.sites[node], transfer):
        return True
    return _is_unsupported(scene, sites, node, transfer, is_certain=_turns(steps) == 0)


def _is_unsupported(scene: Scene, sites: CallSites, node: int, transfer: Transfer, *, is_certain: bool) -> bool:
    """Whether nothing but our reading of other functions says that the procedure owns what a node acquires. A procedure that
    releases it on another way owns it; one whose every run loses it would have been found out (`is_certain`), and one
    that stores it or hands it to its own kind, and releases it nowhere, mostly gave it away."""
    is_made = transfer.site is not None
    filled = _filled(scene, sites.sites[node], transfer) if is_made else set[str]()
    names = {sites.sites[node].call.dst for outcome in transfer.outcomes for path in outcome.paths if path[0] == RESULT[0]}
    is_entangled = _is_entangled(scene, sites, node, names.union(filled or ()), is_made=is_made)
    is_whole = filled is not None
    if is_made and is_certain and (is_entangled or not is_whole):
        return True
    return is_entangled and (is_made or is_certain) and is_never_ended(scene, sites, node, transfer)


def _filled(scene: Scene, site: CallSite, transfer: Transfer) -> set[str] | None:
    """The variables of the procedure that a call fills with what it makes (`make(&text)`); None where it lies inside of something. What one
    outcome puts behind what another hands out is a further cell of a list."""
    variables = set()
    paths = {path for outcome in transfer.outcomes for path in outcome.paths}
    for path in paths - {RESULT}:
        if any(len(other) < len(path) and path[: len(other)] == other for other in paths):
            continue
        place = scene.addresses.get(site.actuals.get(path[0], ""), ())
        if path[1:] != POINTEE or len(place) != 1 or place[0] in scene.formals:
            return None
        variables.add(place[0])
    return variables


def _is_from_afar(steps: Sequence[Step]) -> bool:
    """Whether a handle comes through so many functions that summaries no longer tell which of several things they make for
    these arguments, and who else gets it."""
    return sum(step.role is Role.ACQUIRE for step in steps) > MAX_HANDS


def _turns(steps: Sequence[Step]) -> int:
    return sum(step.role is Role.BRANCH for step in steps)


_WORDS = frozenset(("strtok", "strtok_r", "strtok_s", "__strtok_r", "wcstok"))


def _is_first_word(scene: Scene, node: int) -> bool:
    """Whether a text is replaced by its own first word (`line = strtok(line, "\\n")`): that is the text itself, where it begins with none
    of the delimiters."""
    stored = scene.nodes[node]
    source = stored.src if isinstance(stored, ir.Store | ir.Copy) else ""
    makers = [stored] if isinstance(stored, ir.Call) else [scene.nodes[at] for at in scene.definitions.get(source, ())]
    place: AccessPath = (getattr(stored, "dst", ""),)
    if isinstance(stored, ir.Store):
        place = (stored.base, stored.field) if stored.base else (f"::{stored.field}",)
    words = [each.args[0] for each in makers if isinstance(each, ir.Call) and each.name in _WORDS and each.args]
    return any((word,) == place or scene.loads.get(word) in (place, scene.normalise(place)) for word in words)


def _is_asked_until_ready(scene: Scene, site: CallSite, node: int) -> bool:
    """Whether a loop asks for something again and again, and looks only at what another call says of the same (`do { value = parse(parser, text); }
    while (state(parser) == MORE);`): until it is there, there is nothing."""
    turn = scene.cfg.reachable_from(node) & scene.cfg.reaching(node) - {node}
    names = copied(scene, {site.call.dst} - {""})
    if not names or not turn or not any(at in turn for at in scene.cfg.normal[node]):
        return False
    stores = [each for at in turn if isinstance(each := scene.nodes[at], ir.Store) and each.src in names]
    fields = {(each.base, each.field) for each in stores}
    for at in turn:
        each = scene.nodes[at]
        if isinstance(each, ir.Load) and (each.base, each.field) in fields:
            return False
        if not isinstance(each, ir.Store | ir.Copy | ir.ScopeEnd) and not names.isdisjoint(used(each)):
            return False
    asked = {arg for arg in site.call.args if not ir.is_literal(arg) and not ir.is_temporary(arg)}
    answers = copied(scene, {each.dst for at in turn if isinstance(each := scene.nodes[at], ir.Call) and each.dst and not asked.isdisjoint(each.args)})
    return any(isinstance(each := scene.nodes[at], ir.Branch) and not answers.isdisjoint(used(each)) for at in turn)


def _is_left_with_another(scene: Scene, site: CallSite, transfer: Transfer) -> bool:
    """Whether a callee leaves what it makes inside of what an argument points to, which is no struct of this procedure's own:
    whoever has that may have another way to what lies there. A variable whose address is passed is the procedure's own."""
    return any(_is_inside_argument(path) and not _is_own(scene, site, path[0]) for outcome in transfer.outcomes for path in outcome.paths)


def _is_inside_argument(path: AccessPath) -> bool:
    return path[0] != RESULT[0] and len(path) > 1 and path[1:] != POINTEE


def _is_own(scene: Scene, site: CallSite, root: str) -> bool:
    actual = site.actuals.get(root, "")
    held = scene.addresses.get(actual, (actual,)) if actual else ()
    return bool(held) and scene.is_aggregate(held[0])


def is_by_free(sites: CallSites, loss: Loss) -> bool:
    """Whether a function of a library takes away the block that leads to it, and nothing more."""
    site = sites.sites.get(loss.node)
    return site is not None and site.is_library and any(outcome.fate == "released" for move in site.moves for outcome in move.outcomes)


def _is_content_of_what_fails_to_grow(scene: Scene, sites: CallSites, node: int, loss: Loss) -> bool:
    """Whether what is stored in an array is lost only because that is overwritten where it cannot grow (`all = realloc(all, n);`): the
    array is told of already, and what it holds goes with it."""
    names = copied(scene, {sites.sites[node].call.dst} - {""})
    stores = [each for each in scene.nodes if isinstance(each, ir.Store | ir.StoreElement) and each.src in names]
    regrown = {_place(scene, name) for name in _regrown(scene, sites, loss.node)} if stores else set()
    own = {(name,) for name in names} | {(each.base, each.field) for each in stores if isinstance(each, ir.Store)}
    return bool(regrown) and regrown.isdisjoint(own)


def _regrown(scene: Scene, sites: CallSites, node: int) -> list[str]:
    """What a function of a library releases unless it fails, and whose result is put in a variable at a node, or by the call there."""
    while (site := sites.sites.get(node)) is None:
        instruction = scene.nodes[node]
        match instruction:
            case ir.Copy(src=src) | ir.Store(src=src) | ir.Op(operator="cast", operands=(src, *_)) if ir.is_temporary(src):
                found = [at for at in scene.definitions.get(src, ()) if at < node]
            case _:
                return []
        if len(found) != 1:
            return []
        node = found[0]
    moves = [move for move in site.moves if site.is_library and len(move.entry) == 1]
    return [
        move.entry[0] for move in moves
        if any(each.fate == "released" for each in move.outcomes) and any(each.fate != "released" for each in move.outcomes)
    ]


def _is_ended_by_kind(scene: Scene, sites: CallSites, node: int) -> bool:
    """Whether what is put into a member of an element (`(*all)[i].text`) goes to a function that is named for releasing, and that looks at
    this member of the elements it is given: it may end it, or not, by what kind of element it is."""
    made = sites.sites[node].call
    names = copied(scene, {made.dst} - {""})
    elements = {each.dst: each.operands[0] for each in scene.nodes if isinstance(each, ir.Op) and each.operator == "[]+" and each.operands}
    members = {
        (_place(scene, elements[each.base]), each.field.rpartition(".")[2]) for each in scene.nodes
        if (isinstance(each, ir.Store) and each.src in names and each.base in elements)
        or (isinstance(each, ir.AddressOf) and each.dst in made.args and each.field and each.base in elements)
    }
    for site in sites.sites.values() if members else ():
        if site.effects is None or site.is_library or not is_releaser(site.call.name):
            continue
        for position, given in enumerate(site.call.args):
            read = {path[-1].rpartition(".")[2] for path in site.effects.reads if path[:2] == (f"${position}", "[]")}
            if any(place == _place(scene, given) and not read.isdisjoint((field, BELOW)) for place, field in members):
                return True
    return False


def _is_connected(scene: Scene, sites: CallSites, node: int) -> bool:
    """Whether the procedure connects handlers to the signals of an object: they are called only as long as it lives, so that one which
    the procedure never releases may be meant to stay."""
    names = copied(scene, {sites.sites[node].call.dst} - {""})
    return any(is_connecting(call) and call.args[0] in names for at in scene.cfg.reachable_from(node) if isinstance(call := scene.nodes[at], ir.Call))


def _place(scene: Scene, name: str) -> AccessPath:
    return scene.loads.get(name, (name,))


def _is_elsewhere(scene: Scene, sites: CallSites, node: int) -> bool:
    """Whether what a node acquires is stored in something that a formal only points to, as it did when the procedure began: who
    frees what the formal is takes no way there away from others (`item->owner->last = copy(item); free(item);`)."""
    names = copied(scene, {sites.sites[node].call.dst})
    stores = [store for at in scene.cfg.order if isinstance(store := scene.nodes[at], ir.Store)]
    set_here = {store.field for store in stores}
    owners = [scene.loads.get(store.base, ()) for store in stores if store.src in names]
    return any(len(owner) == 2 and owner[0] in scene.formals and owner[1] not in set_here for owner in owners)


def _is_entangled(scene: Scene, sites: CallSites, node: int, variables: set[str], *, is_made: bool) -> bool:
    """Whether what a call leaves in variables is stored, released or passed to anybody but a function of a library
    that only reads it, or somebody who prints it. Of what a library acquires the tree's own functions are believed that
    only read it, too."""
    names = _with_members(scene, copied(scene, variables - {""}))
    for at in scene.cfg.reachable_from(node):
        match scene.nodes[at]:
            case ir.Store(base=base, src=src) if src in names and _is_own_struct(scene, base):
                continue
            case ir.Store(src=src) | ir.StoreElement(src=src) if src in names:
                return True
            case ir.Call(args=args) if at != node and not names.isdisjoint(args) and not _is_printed(args, names):
                site = sites.sites[at]
                if not _only_reads(site, names) or (is_made and not site.is_library):
                    return True
            case _:
                continue
    return False


def _with_members(scene: Scene, names: set[str]) -> set[str]:
    """Variables, and those that are read again from members of structs which nobody else gets."""
    found, size = set(names), 0
    while size != len(found):
        size = len(found)
        places = {
            (node.base, node.field) for node in scene.nodes if isinstance(node, ir.Store) and node.src in found and _is_own_struct(scene, node.base)
        }
        read = {node.dst for node in scene.nodes if isinstance(node, ir.Load) and (node.base, node.field) in places}
        found |= copied(scene, read)
    return found


def _is_own_struct(scene: Scene, name: str) -> bool:
    """Whether a struct lies on the procedure's own stack, and is but read and written member by member: its members are as good as variables."""
    if not name or not scene.is_aggregate(name) or "]" in scene.type_of(name):
        return False
    return all(
        (isinstance(node, ir.Load | ir.Store) and node.base == name and getattr(node, "src", "") != name) or isinstance(node, ir.ScopeEnd)
        for node in scene.nodes if name in operands(node) or (isinstance(node, ir.AddressOf) and node.base == name)
    )


def is_never_ended(scene: Scene, sites: CallSites, node: int, transfer: Transfer) -> bool:
    """Whether the procedure releases what a node acquires on no way at all, also not by what it is passed to."""
    site = sites.sites[node]
    given = {root for outcome in transfer.outcomes for path in outcome.paths if (root := site.actuals.get(path[0], ""))}
    names = copied(scene, {site.call.dst}).union(given, *(scene.addresses.get(root, ()) for root in given)) - {""}
    return not any(
        move.entry[0] in names and any(outcome.fate == "released" for outcome in move.outcomes)
        for at in scene.cfg.reachable_from(node) if at != node and at in sites.sites
        for move in sites.sites[at].moves
    )


def _is_printed(args: Sequence[str], names: set[str]) -> bool:
    """Whether a call gets it for a format, and for nothing else (`warn("no %s", text)`)."""
    formats = [at for at, arg in enumerate(args) if arg.startswith('="') and "%" in arg]
    return bool(formats) and names.isdisjoint(args[: formats[0]])


def copied(scene: Scene, variables: set[str]) -> set[str]:
    """Variables, and those that they are copied to."""
    names, waiting = set(variables), sorted(variables)
    while waiting:
        fresh = {copy.dst for copy in scene.copies.get(waiting.pop(), ())} - names
        names |= fresh
        waiting += sorted(fresh)
    return names


def _only_reads(site: CallSite, names: set[str]) -> bool:
    """Whether a call leaves all that some variables hold in them (`text = append(text, more)`)."""
    kept = {(root,) for root, name in ((RESULT[0], site.call.dst), *site.actuals.items()) if name in names}
    moved = (move for move in site.moves if any(each.fate != "held" or not kept.issuperset(each.paths) for each in move.outcomes))
    roots = {move.entry[0] for move in moved} | {exposure.path[0] for exposure in site.exposures}
    return site.effects is not None and roots.isdisjoint(names)
