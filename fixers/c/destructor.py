"""How something of C is released that no spec knows: by the function that the code itself calls for it.

Engler's beliefs in reverse: what a procedure releases elsewhere is released so here; else a maker's family says it
(`list_free` for `list_new`), where the tree has that name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzers import Program, ir
from analyzers.facts import Facts, family_releases
from analyzers.finding import Finding
from analyzers.handles.c.elsewhere import Elsewhere
from analyzers.handles.unknown import block_family, endings, is_releaser
from analyzers.queries import ProcedureKey
from analyzers.specs import Release
from analyzers.summaries import Certainty
from fixers.needed_members import takes_null

_MOST_CALLERS = 60
"""Procedures whose calls are looked at."""


def inferred(program: Program, finding: Finding, known: Facts) -> tuple[Release, ...]:
    """The ways to release what a finding is about, the likeliest first; empty where nothing tells."""
    begun = _ending(program, finding, known)
    if begun:
        return (Release(begun, ("$0", "*"), accepts_null=False, text=""),)
    return tuple(Release(name, ("$0",), accepts_null=False, text="") for name in _told(program, finding, known))


def _ending(program: Program, finding: Finding, known: Facts) -> str:
    """What procedures of the file end with what the finding's `x_init(&value)` has begun; empty where it begins nothing."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    for node, call in enumerate(body.nodes):
        if isinstance(call, ir.Call) and (call.start, call.end) == at:
            made = (path for e in known.effects.get(node, ()) for t in e.transfers if not t.entry for one in t.outcomes for path in one.paths)
            names = endings(call.name) if ("$0", "*") in made else ()
            return next((name for name in names if finding.path in program.mentioning(name)), "")
    return ""


def _told(program: Program, finding: Finding, known: Facts) -> dict[str, bool]:
    """The functions that release what a finding is about, each with whether it is told of nothing else: of what else, only its
    own call can say."""
    body = known.linked.body
    found: dict[str, bool] = {}
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or call.kind != "function" or not call.args:
            continue
        if ir.source_name(call.args[0]) == finding.variable and _ends(known, node):
            found[call.name] = len(call.args) == 1
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    for call in body.nodes:
        if isinstance(call, ir.Call) and (call.start, call.end) == at:
            found.update({name: True for name in family_releases(program, call.name) if name not in found and takes_one(program, finding.path, name)})
    return found


def takes_one(program: Program, path: str, name: str) -> bool:
    """Whether nothing in the tree speaks against a release being told of one thing alone: its definitions as seen from a file, its
    declaration, else all calls of it (`mem_free(block, size)` where the header with the macro is not there)."""
    bodies = [body for key in program.functions(path, name) if (body := program.procedure(key)) is not None]
    declared = program.prototype(path, name)
    macros = [each.parameters for each in program.macro(path, name) if each.parameters is not None]
    if bodies or declared is not None or macros:
        counts = [len(body.parameters) for body in bodies] + [len(each) for each in macros]
        return 1 in counts or (not counts and declared is not None and len(declared.parameters) == 1)
    if program.specs.model((name,), ()) is not None or program.macro(path, name):
        return True
    bodies = [body for key in program.callers(name)[:_MOST_CALLERS] if (body := program.procedure(key)) is not None]
    counts = [len(node.args) for body in bodies for node in body.nodes if isinstance(node, ir.Call) and node.name == name]
    return not counts or 1 in counts


def guessed(program: Program, finding: Finding, known: Facts) -> tuple[Release, ...] | None:
    """The ways to release a block that a function gave of which nobody knows more than its name, or what others do with it:
    `free` may not be one. None where the function is known."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    for node, call in enumerate(body.nodes):
        if isinstance(call, ir.Call) and (call.start, call.end) == at:
            target = known.linked.targets.get(node)
            if target is None or target.procedures or any(each.is_known for each in known.effects.get(node, ())):
                return None
            if _ending(program, finding, known):
                return inferred(program, finding, known)
            ends = _ends_of_value(body, finding.variable)
            if len(ends) == 1:  # Of several nobody knows which of them ends all of it.
                return (Release(ends[0], ("$0", "*"), accepts_null=False, text=""),)
            elsewhere = Elsewhere(program, known.linked.key)
            beside = elsewhere.releases_beside(call.name)
            others = beside or elsewhere.releases(call.name)
            names = _told(program, finding, known) or {each: True for each in others if takes_one(program, finding.path, each)}
            found = tuple(
                Release(name, ("$0",), accepts_null=False, text=f"{name}({{}})" if is_plain else "") for name, is_plain in names.items()
            )
            return found if found or block_family(call.name) else None
    return None


def _ends_of_value(body: ir.Procedure, variable: str) -> tuple[str, ...]:
    """The functions named for releasing that the procedure passes the address of a struct and nothing else."""
    addresses = {node.dst for node in body.nodes if isinstance(node, ir.AddressOf) and node.base == variable and not node.field}
    calls = [node for node in body.nodes if isinstance(node, ir.Call) and node.kind == "function" and len(node.args) == 1]
    return tuple(dict.fromkeys(call.name for call in calls if call.args[0] in addresses and is_releaser(call.name)))


def own_free(program: Program, finding: Finding, known: Facts) -> tuple[Release, ...]:
    """The tree's own `free` for a block that its own allocator gave (`store_free` for `store_alloc` and `store_strdup`), where the file
    calls it already and all that it does to its argument is to release it; empty where there is none. A name that is `free` on one side of
    an `#ifdef` and a function of the tree on the other is meant to stay the name."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    node = next((n for n, call in enumerate(body.nodes) if isinstance(call, ir.Call) and (call.start, call.end) == at), -1)
    call, target = body.nodes[node], known.linked.targets.get(node)
    if not isinstance(call, ir.Call) or call.kind != "function" or target is None or not target.procedures:
        return ()
    for name in (*block_family(call.name), *block_family(_innermost(program, finding))):
        is_used = finding.path in program.mentioning(name)
        keys = program.functions(finding.path, name) if is_used else ()
        if is_used and _is_another_name_of_free(program, finding.path, name):
            return (Release(name, ("$0",), accepts_null=False, text=f"{name}({{}})"),)
        if keys and known.linked.key not in keys and all(_only_frees(program, key) for key in keys):
            is_tolerant = all(takes_null(program, key, 0) for key in keys)
            return (Release(name, ("$0",), accepts_null=is_tolerant, text=f"{name}({{}})"),)
    return ()


def _innermost(program: Program, finding: Finding) -> str:
    """The name of the call that allocates in the end: `store_alloc` in the function `store_alloc_zeroed`."""
    span = finding.witness[0].span
    return program.source(span.path)[span.start : span.end].partition(b"(")[0].decode("utf-8", "replace").strip()


def _is_another_name_of_free(program: Program, path: str, name: str) -> bool:
    """Whether a macro is `free`, or else a function of the tree that releases its argument."""
    names = [each.body.strip() for each in program.macro(path, name) if each.parameters is None]
    keys = [program.functions(path, each) for each in names if each != "free"]
    return "free" in names and all(found and all(_releases_first(program, key) for key in found) for found in keys)


def _releases_first(program: Program, key: ProcedureKey) -> bool:
    return any(t.entry == ("$0",) and any(one.fate == "released" for one in t.outcomes) for t in program.effects(key).transfers)


def _only_frees(program: Program, key: ProcedureKey) -> bool:
    """Whether a function of one argument surely releases that, and does nothing else that anybody sees."""
    body, effects = program.procedure(key), program.effects(key)
    is_alone = body is not None and len(body.parameters) == 1 and effects.is_known and not effects.retains and not effects.writes
    return is_alone and bool(effects.transfers) and all(
        t.entry == ("$0",) and all((one.fate, one.certainty) == ("released", Certainty.MUST) for one in t.outcomes) for t in effects.transfers
    )


def members(program: Program, finding: Finding, known: Facts) -> frozenset[str]:
    """The members that functions of the file release together with a struct of the type of the finding's variable."""
    written = known.linked.types.get(finding.variable, "")
    if "*" not in written:
        return frozenset()
    found: set[str] = set()
    for key in program.procedures_of(finding.path):
        if not _is_of(program, key, "".join(written.split())):
            continue
        ended = {t.entry for t in program.effects(key).transfers if any(one.fate == "released" for one in t.outcomes)}
        if ("$0",) in ended:
            found.update(entry[1] for entry in ended if len(entry) > 1)
    return frozenset(found)


def enders(program: Program, finding: Finding, known: Facts) -> tuple[str, ...]:
    """The functions that release an object which a function of the repository made, together with members of it: that of
    the maker's family first, also where it looks whether others hold the object. Empty where the procedure made it itself (see
    `finishers`)."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    node = next((n for n, call in enumerate(body.nodes) if isinstance(call, ir.Call) and (call.start, call.end) == at), -1)
    call, target = body.nodes[node], known.linked.targets.get(node)
    if not isinstance(call, ir.Call) or target is None or not target.procedures or not call.dst:
        return ()
    written = "".join((known.linked.types.get(call.dst) or target.result).split())
    paths = dict.fromkeys((finding.path, *(key.path for key in target.procedures)))
    kin = family_releases(program, call.name)
    found = [key.name for key in _enders(program, paths, written)]
    found = found or [
        name for name in kin
        if _may_end(program, keys := program.functions(finding.path, name), written, known.linked.key) and not _is_told_to_stay(program, keys, known)
    ]
    found = found or [
        name for name in _called_for(known, call.dst)
        if _may_end(program, keys := program.functions(finding.path, name), written, known.linked.key)
        and all(_passes_member(program, key) for key in keys) and not _is_told_to_stay(program, keys, known)
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda name: (name not in kin, name)))


def _called_for(known: Facts, name: str) -> list[str]:
    """What a procedure itself calls with nothing but an object elsewhere: that may be how it is ended, with members that are not always
    there to end (`if (c->file) file_close(c->file); free(c);`)."""
    body = known.linked.body
    names = {name, *(node.dst for node in body.nodes if isinstance(node, ir.Copy) and node.src == name)}
    calls = [node for node in body.nodes if isinstance(node, ir.Call) and node.kind == "function" and not node.dst]
    return list(dict.fromkeys(call.name for call in calls if len(call.args) == 1 and call.args[0] in names))


def _passes_member(program: Program, key: ProcedureKey) -> bool:
    """Whether a function passes a member of its parameter to another: it is more than another name of `free`."""
    body = program.procedure(key)
    names = {node.dst for node in body.nodes if isinstance(node, ir.Load) and node.base in body.parameters} if body is not None else set()
    return body is not None and any(isinstance(node, ir.Call) and not names.isdisjoint(node.args) for node in body.nodes)


def finishers(program: Program, finding: Finding, known: Facts) -> tuple[str, ...]:
    """The functions of the file that release an object which the procedure itself made together with members of it, which may
    not be there yet."""
    written = "".join(known.linked.types.get(finding.variable.partition("->")[0], "").split())
    return tuple(sorted({key.name for key in _enders(program, (finding.path,), written) if key != known.linked.key}))


def tolerant(program: Program, finding: Finding, names: Iterable[str]) -> frozenset[str]:
    """Those of some functions that may be called with null."""
    found = {name: program.functions(finding.path, name) for name in names}
    return frozenset(name for name, keys in found.items() if keys and all(takes_null(program, each, 0) for each in keys))


def _enders(program: Program, paths: Iterable[str], written: str) -> Iterator[ProcedureKey]:
    """The functions of some files that release all of what points to a type."""
    if "*" in written:
        yield from (key for path in paths for key in program.procedures_of(path) if _ends_all(program, key, written))


def _ends_all(program: Program, key: ProcedureKey, written: str) -> bool:
    """Whether a function surely releases what its one parameter, of a type, points to, and members of that."""
    if not _is_of(program, key, written):
        return False
    ended = {t.entry for t in program.effects(key).transfers if all(one.fate == "released" for one in t.outcomes)}
    return ("$0",) in ended and any(len(entry) > 1 for entry in ended)


def _may_end(program: Program, keys: Sequence[ProcedureKey], written: str, own: ProcedureKey) -> bool:
    """Whether functions, of the name of the release of a maker's family, release what points to a type on one of their ways out."""
    return bool(keys) and own not in keys and all(
        _is_of(program, key, written) and any(
            t.entry == ("$0",) and any((one.fate, one.certainty) == ("released", Certainty.MUST) for one in t.outcomes)
            for t in program.effects(key).transfers
        )
        for key in keys
    )


def _is_told_to_stay(program: Program, keys: Sequence[ProcedureKey], known: Facts) -> bool:
    """Whether a procedure itself sets what its destructors look at before they release anything: a count, a flag to keep it."""
    body, looked_at = known.linked.body, set[str]()
    for key in keys:
        effects = program.effects(key)
        ended = {t.entry[1] for t in effects.transfers if len(t.entry) > 1}
        looked_at |= {path[1] for path in effects.reads if path[0] == "$0" and len(path) > 1} - ended
    if any(isinstance(node, ir.Store) and node.field in looked_at for node in body.nodes):
        return True
    names = {key.name for key in keys}
    return any(
        path[0][:1] == "$" and path[0] != "$ret" and len(path) > 1 and path[1] in looked_at
        for node, each in known.effects.items() if isinstance(call := body.nodes[node], ir.Call) and call.name not in names
        for effects in each for path in effects.writes
    )


def _is_of(program: Program, key: ProcedureKey, written: str) -> bool:
    """Whether a function has one parameter, of a type, whatever name a `typedef` gives that."""
    procedure = program.procedure(key)
    if procedure is None or len(procedure.parameters) != 1:
        return False
    name = procedure.parameters[0]
    first = next((each.type for each in procedure.variables if each.name == name), "")
    if "".join(first.split()) == written or not first or first.startswith("struct "):
        return bool(first) and "".join(first.split()) == written
    linked = program.linked(key)
    return linked is not None and "".join(linked.types.get(name, "").split()) == written


def _ends(known: Facts, node: int) -> bool:
    return any(
        transfer.entry == ("$0",) and not transfer.resource and all(each.fate == "released" for each in transfer.outcomes)
        for effects in known.effects.get(node, ())
        for transfer in effects.transfers
    )
