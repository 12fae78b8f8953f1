"""The call that releases a handle of C: what the function does elsewhere, else what the specs say."""

from __future__ import annotations

from analyzers import ir
from fixers.leak import Leak


def release_call(leak: Leak, target: str) -> str:
    """The call that releases an expression; empty where that takes more than the handle."""
    own = own_release(leak, target)
    if own:
        return f"{own}({target})"
    chosen = leak.releases[0]
    if chosen.text:
        return chosen.text.replace("{}", target)
    return f"{chosen.call}({target})" if chosen.argument == ("$0",) else ""


def accepts_none(leak: Leak, target: str) -> bool:
    """Whether the release may be called with what means «none»."""
    own = own_release(leak, target)
    return next((each.accepts_null for each in leak.releases if not own or each.call == own), False)


def own_release(leak: Leak, target: str) -> str:
    """The function of one argument that releases an expression, or else the finding's variable, elsewhere in the
    procedure."""
    calls = list(_released(leak))
    for wanted in (target, leak.finding.variable):
        for name, argument in calls:
            if argument == wanted:
                return name
    return ""


def _released(leak: Leak) -> list[tuple[str, str]]:
    """(function, argument as it is written) of the calls that release the resource."""
    body = leak.linked.body
    found = []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or call.kind != "function" or len(call.args) != 1:
            continue
        for transfer in (t for effects in leak.effects.get(node, ()) for t in effects.transfers):
            is_release = transfer.entry == ("$0",) and all(each.fate == "released" for each in transfer.outcomes)
            if is_release and transfer.resource in ("", leak.resource):
                words = leak.data[body.start + call.start : body.start + call.end].decode("utf-8", "surrogateescape")
                argument = words.partition("(")[2].rpartition(")")[0].strip()
                found.append((call.name, argument))
                if ir.source_name(call.args[0]) != argument:
                    found.append((call.name, ir.source_name(call.args[0])))
    return found
