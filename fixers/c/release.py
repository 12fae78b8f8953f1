"""The call that releases a handle of C: what the function does elsewhere, else what the specs say."""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.graphs.operands import assigned
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find

_ARGUMENT = re.compile(r"\$\d")
"""A place in the words of a release for what the acquisition was passed there."""


def release_call(leak: Leak, target: str) -> str:
    """The call that releases an expression; empty where that takes more than the handle."""
    return next(iter(release_calls(leak, target)), "")


def release_calls(leak: Leak, target: str) -> tuple[str, ...]:
    """The calls that may release an expression, what the function itself calls before what specs say."""
    own = own_releases(leak, target)
    found = {f"{name}({target})": None for name in (*own, *(leak.enders[:1] if is_made(leak, target) else ()))}
    chosen = leak.releases[0]
    is_special = any(name != chosen.call for name in own[:1])
    if chosen.text and (not own or is_special):
        words = _with_arguments(leak, chosen.text)
        if words:
            found[words.replace("{}", target)] = None
    elif chosen.argument == ("$0", "*"):
        found[f"{chosen.call}({target[1:] if target[0] == '*' else f'&{target}'})"] = None
    return tuple(found)


def is_made(leak: Leak, target: str) -> bool:
    """Whether an expression is a variable of the type of what the acquisition makes."""
    body, types = leak.linked.body, leak.linked.types
    at = leak.finding.acquired.start - body.start
    call = next((each for each in body.nodes if isinstance(each, ir.Call) and each.start == at and each.dst), None)
    written = "".join(types.get(call.dst, "").split()) if isinstance(call, ir.Call) else ""
    return bool(written) and "".join(types.get(target, "").split()) == written


def _with_arguments(leak: Leak, words: str) -> str:
    """A release in words, where it takes what the acquisition was passed (`munmap({}, $1)`); empty where that may be something
    else by then, or out of sight."""
    wanted = sorted(set(_ARGUMENT.findall(words)))
    if not wanted:
        return words
    body = leak.linked.body
    at = leak.finding.acquired.start - body.start
    call = next((each for each in body.nodes if isinstance(each, ir.Call) and each.start == at), None)
    syntax = next((each for each in find(leak.tree.root, "call_expression") if each.start == leak.finding.acquired.start), None)
    given = child(syntax, "argument_list") if syntax is not None else None
    texts = [leak.tree.text(kid) for kid in given.kids if kid.kind not in ("(", ")", ",", *COMMENTS)] if given is not None else []
    if call is None or len(texts) != len(call.args):
        return ""
    for each in wanted:
        number = int(each[1:])
        if number >= len(texts) or not _is_lasting(leak, call.args[number], texts[number]):
            return ""
        words = words.replace(each, texts[number])
    return words


def _is_lasting(leak: Leak, operand: str, text: str) -> bool:
    """Whether the words of an argument mean the same anywhere in the function: a number, or a parameter that is never changed."""
    if ir.is_literal(operand):
        return "(" not in text
    body = leak.linked.body
    variable = next((each for each in body.variables if each.name == operand and each.kind == "parameter"), None)
    changed = {name for node in body.nodes for name in assigned(node)}
    return variable is not None and text == operand and not variable.is_address_taken and operand not in changed


def accepts_none(leak: Leak, call: str) -> bool:
    """Whether a release may be called with what means «none»."""
    name = call.partition("(")[0]
    return next((each.accepts_null for each in leak.releases if each.call == name), False)


def own_releases(leak: Leak, target: str) -> tuple[str, ...]:
    """The functions of one argument that release an expression, or else the finding's variable, elsewhere in the
    procedure; those first that release members, too."""
    calls = _released(leak)
    for wanted in (target, leak.finding.variable):
        found = dict.fromkeys(name for name, argument, _ in sorted(calls, key=lambda each: -each[2]) if argument == wanted)
        if found:
            return tuple(found)
    return ()


def released_names(leak: Leak) -> frozenset[str]:
    """The expressions that the procedure itself releases somewhere."""
    return frozenset(argument for _, argument, _ in _released(leak))


def destructors(leak: Leak) -> frozenset[str]:
    """The functions that the procedure calls to release something together with its members."""
    return frozenset(name for name, _, members in _released(leak) if members)


def _released(leak: Leak) -> list[tuple[str, str, int]]:
    """(function, argument as it is written, members that go with it) of the calls that release the resource."""
    body = leak.linked.body
    found: list[tuple[str, str, int]] = []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or len(call.args) != 1:
            continue
        transfers = [t for effects in leak.effects.get(node, ()) for t in effects.transfers]
        members = len({t.entry for t in transfers if len(t.entry) > 1 and any(o.fate == "released" for o in t.outcomes)})
        for transfer in transfers:
            is_release = transfer.entry == ("$0",) and all(each.fate == "released" for each in transfer.outcomes)
            if is_release and transfer.resource in ("", leak.resource):
                words = leak.data[body.start + call.start : body.start + call.end].decode("utf-8", "surrogateescape")
                function, _, rest = words.partition("(")
                argument = rest.rpartition(")")[0].strip()
                name = call.name if call.kind == "function" else function.strip()
                found += [(name, each, members) for each in dict.fromkeys((argument, ir.source_name(call.args[0]))) if name]
    return found
