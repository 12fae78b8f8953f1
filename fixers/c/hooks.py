"""What releases a block that a pointer to a function gave (`hooks.take(n)`): its counterpart, never the `free` of today.

The counterpart is what the procedure, or another one of the file, calls for such blocks, else the only pointer beside the
allocator's that a releasing function is stored to. Declines too much where both are only called by wrappers of other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from analyzers import Program, ir
from analyzers.facts import Facts, family_releases
from analyzers.finding import Finding
from analyzers.graphs.operands import assigned
from analyzers.queries import Linked, ProcedureKey, Target
from analyzers.specs import Release
from fixers import tree
from fixers.tree import COMMENTS, child, find

_DEEPEST = 4
"""Wrappers around the call through a pointer."""
_MOST_PROCEDURES = 400
"""Procedures of a file that are asked what they call."""
_EXPRESSION = re.compile(r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*")
"""A function as a variable or a member says it."""


class _Words(msgspec.Struct, frozen=True):
    """A call as it is written, with the types of its arguments."""

    function: str
    arguments: tuple[str, ...]
    types: tuple[str, ...]


def hooked(program: Program, finding: Finding, known: Facts) -> tuple[Release, ...] | None:
    """The ways to release what a pointer to a function gave, here or in a callee; None of anything else."""
    body = known.linked.body
    at = (finding.acquired.start - body.start, finding.acquired.end - body.start)
    node = next((n for n, call in enumerate(body.nodes) if isinstance(call, ir.Call) and (call.start, call.end) == at), -1)
    call = body.nodes[node]
    if not isinstance(call, ir.Call) or not _is_by_pointer(program, known.linked, node, _DEEPEST):
        return None
    maker = _words(program, known.linked, call)
    if maker is None:
        return ()
    found = _counterparts(program, known.linked, call, (finding.variable, maker))
    text = next((text for text in found if _is_lasting(body, text.partition("(")[0])), "")
    return (Release(text.partition("(")[0], ("$0",), accepts_null=False, text=text),) if text else ()


def _counterparts(program: Program, linked: Linked, call: ir.Call, held: tuple[str, _Words]) -> Iterator[str]:
    """What may release a block, the likeliest first; who asks for one does not look through the file for others."""
    variable, maker = held
    yield from _called_for_it(program, linked, variable, maker)
    yield from _called_elsewhere(program, linked, call, maker)
    if call.kind == "pointer":
        yield from _beside(program, linked, call, maker)
    else:
        yield from (f"{name}({{}})" for name in family_releases(program, call.name))


def _is_by_pointer(program: Program, linked: Linked, node: int, depth: int) -> bool:
    """Whether a call acquires through a pointer to a function, itself or in a callee."""
    call, target = linked.body.nodes[node], linked.targets.get(node)
    if not isinstance(call, ir.Call) or target is None:
        return False
    if call.kind == "pointer":
        return not any("." in each for each in target.models) and not _is_known(program, linked, call.receiver)
    for key in target.procedures if depth else ():
        inner = program.linked(key)
        sites = {t.site.start - inner.body.start for t in program.effects(key).transfers if t.site and not t.entry} if inner else set()
        nodes = inner.body.nodes if inner is not None else ()
        for n, each in enumerate(nodes):
            if inner is not None and each.start in sites and isinstance(each, ir.Call) and _is_by_pointer(program, inner, n, depth - 1):
                return True
    return False


def _is_known(program: Program, linked: Linked, pointer: str) -> bool:
    """Whether a pointer holds one function for good: the procedure says which, or a file static that nobody writes."""
    written = [node for node in linked.body.nodes if pointer in assigned(node)]
    for node in written:
        match node:
            case ir.Copy(src=source) if source.startswith("=&"):
                pass
            case ir.Load(base="", field=name) if program.constant(linked.key.path, name).startswith("=&"):
                pass
            case _:
                return False
    return bool(written) or ir.is_literal(pointer)


def _words(program: Program, linked: Linked, call: ir.Call) -> _Words | None:
    """A call as it is written; None where it is not one of a name, a member or a pointer."""
    body = linked.body
    written = program.once(("calls as written", linked.key), lambda: _written(program.source(linked.key.path), body.start, body.end))
    function, texts = written.get(body.start + call.start, ("", ()))
    if len(texts) != len(call.args) or not _EXPRESSION.fullmatch(function):
        return None
    return _Words(function, texts, tuple(linked.types.get(each, "") for each in call.args))


def _written(data: bytes, start: int, end: int) -> dict[int, tuple[str, tuple[str, ...]]]:
    """The calls of a procedure by where they begin, the outermost of those that begin together: the function, and the arguments."""
    syntax = tree.parse("c", data, start, end)
    found: dict[int, tuple[str, tuple[str, ...]]] = {}
    for each in find(syntax.root, "call_expression"):
        given = child(each, "argument_list")
        texts = tuple(syntax.text(kid) for kid in given.kids if kid.kind not in ("(", ")", ",", *COMMENTS)) if given is not None else ()
        found.setdefault(each.start, (syntax.text(each.kids[0]).strip() if given is not None else "", texts))
    return found


def _releasing(program: Program, linked: Linked) -> Iterator[tuple[ir.Call, int]]:
    """The calls of a procedure that release an argument, and which."""
    for call, target in _calls(linked):
        ended = _ended(program, target)
        if len(ended) == 1 and ended[0] < len(call.args):
            yield call, ended[0]


def _calls(linked: Linked) -> Iterator[tuple[ir.Call, Target]]:
    for node, target in sorted(linked.targets.items()):
        call = linked.body.nodes[node]
        if isinstance(call, ir.Call):
            yield call, target


def _ended(program: Program, target: Target) -> tuple[int, ...]:
    """The formals that what a call may run surely releases, and nothing below them."""
    effects = [program.effects(key) for key in target.procedures]
    model = program.model(target.models, target.parameters) if target.models and not effects else None
    ended: set[str] = set()
    for each in [*effects, *([model] if model is not None else [])]:
        if any(not transfer.entry for transfer in each.transfers):
            return ()  # `realloc` gives another block
        ended.update(t.entry[0] for t in each.transfers if len(t.entry) == 1 and all(o.fate == "released" for o in t.outcomes))
    return tuple(sorted(int(root[1:]) for root in ended if root[1:].isdigit()))


def _called_for_it(program: Program, linked: Linked, variable: str, maker: _Words) -> list[str]:
    """What the procedure itself calls for the variable somewhere else."""
    own = [(call, position) for call, position in _releasing(program, linked) if ir.source_name(call.args[position]) == variable]
    words = [_as_text(_words(program, linked, call), position, maker) for call, position in own]
    return [text for text in words if text]


def _called_elsewhere(program: Program, linked: Linked, maker: ir.Call, words: _Words) -> list[str]:
    """The one thing that procedures of the file call for any memory: through the same struct as the acquisition, else a function that takes
    a pointer of any type."""
    prefix = words.function[: -len(maker.name)]
    found: set[str] = set()
    for key in program.procedures_of(linked.key.path)[:_MOST_PROCEDURES]:
        other = program.linked(key)
        for call, target in _calls(other) if other is not None else ():
            # What a call ends needs the Effects of all that it may run: asked of those that may be meant.
            if other is None or call.kind != maker.kind or (call.kind == "function" and not any(_takes_anything(target, n) for n in range(len(call.args)))):
                continue
            ended = _ended(program, target)
            if len(ended) != 1 or ended[0] >= len(call.args) or (call.kind == "function" and not _takes_anything(target, ended[0])):
                continue
            text = _as_text(_words(program, other, call), ended[0], words)
            if text and text.partition("(")[0][: -len(call.name)] == prefix:
                found.add(text)
            if len(found) > 1:
                return []
    return list(found)


def _takes_anything(target: Target, position: int) -> bool:
    """Whether a parameter takes a pointer of any type, for all that is known of it."""
    written = target.parameters[position] if position < len(target.parameters) else ""
    return "".join(written.split()) in ("void*", "")


def _as_text(words: _Words | None, position: int, maker: _Words) -> str:
    """A release in words, with what the acquisition was passed for its other arguments; empty where that does not fit."""
    if words is None:
        return ""
    parts = []
    for place, (text, written) in enumerate(zip(words.arguments, words.types, strict=True)):
        same = [n for n, each in enumerate(maker.arguments) if each == text]
        alike = [n for n, each in enumerate(maker.types) if written and each == written]
        if place == position:
            parts.append("{}")
        elif same or len(alike) == 1:
            parts.append(f"${(same or alike)[0]}")
        elif text.isdigit() or text == "NULL":
            parts.append(text)
        else:
            return ""
    return f"{words.function}({', '.join(parts)})"


def _beside(program: Program, linked: Linked, call: ir.Call, maker: _Words) -> list[str]:
    """The one pointer beside the acquisition's that only releasing functions of one argument are stored to."""
    if len(maker.arguments) > 2:
        return []
    prefix = maker.function[: -len(call.name)]
    names = _members(program, linked, call) if prefix else _globals(program, linked.key.path)
    found = [name for name in names if name != call.name and _is_releasing(program, linked.key, name)]
    return [f"{prefix}{found[0]}({{}})"] if len(found) == 1 else []


def _globals(program: Program, path: str) -> Sequence[str]:
    unit = program.unit(path)
    return [each.name for each in unit.globals] if unit is not None else ()


def _members(program: Program, linked: Linked, call: ir.Call) -> Sequence[str]:
    """The members of the struct that a call's pointer is one of."""
    load = next((each for each in linked.body.nodes if isinstance(each, ir.Load) and each.dst == call.receiver), None)
    if load is None or load.field.count(".") > 1:
        return ()
    path, first = linked.key.path, load.field.partition(".")[0]
    written = linked.types.get(load.base, "") if load.base else program.variable_type(path, first)
    for _ in range(2):
        declared = program.c_type(path, written.removeprefix("const ").rstrip("* "))
        if declared is None or declared.fields or not declared.supertypes:
            break
        written = declared.supertypes[0]
    return [each.name for each in declared.fields] if declared is not None else ()


def _is_releasing(program: Program, key: ProcedureKey, name: str) -> bool:
    """Whether what is stored to a pointer releases its one argument."""
    stored = program.function_pointers(name)
    targets = [Target((each,), (), "", False, (), "") if each.path else Target((), (each.name,), "", False, (), "") for each in stored]
    bodies = [program.procedure(each) for each in stored if each.path]
    has_one = all(body is not None and len(body.parameters) == 1 for body in bodies)
    return bool(stored) and has_one and all(_ended(program, each) == (0,) for each in targets)


def _is_lasting(body: ir.Procedure, function: str) -> bool:
    """Whether an expression of a function means the same wherever the procedure has acquired: it begins with a global, or a variable
    of the whole body that is assigned once and in no loop."""
    root = re.split(r"->|\.", function)[0]
    variable = next((each for each in body.variables if each.name == root), None)
    if variable is None:
        return True
    written = [node for node in body.nodes if root in assigned(node)]
    in_loop = any(loop.start <= node.start < loop.end for node in written for loop in body.loops)
    is_everywhere = variable.kind == "parameter" or variable.end >= body.end - body.start - 2
    return is_everywhere and not variable.is_address_taken and len(written) <= (variable.kind != "parameter") and not in_loop
