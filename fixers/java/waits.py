"""Whether a method that ends an object waits for what may still use a field of it before it closes that.

A `finally` would close the field though the wait has failed, or was never come to: under the hands of another thread.
Declines too often where what is waited for never saw the field, and where the patch would begin behind the wait.
"""

from __future__ import annotations

from analyzers.finding import KEPT_OPEN
from fixers.java.scope import procedure_node
from fixers.java.statements import call_parts
from fixers.leak import Leak
from fixers.tree import find

_WAITING = ("await", "waitFor")


def waits_before(leak: Leak) -> str:
    """The call that waits for others in front of the last close of a field; empty for none, and where no field is left open when
    something throws."""
    if leak.finding.detail != KEPT_OPEN:
        return ""
    name = leak.finding.variable.removeprefix("this.")
    calls = [(each, *call_parts(leak.tree, each)) for each in find(procedure_node(leak), "method_invocation")]
    closes = [
        call.start for call, receiver, said, given in calls
        if said.startswith("close") and name in (leak.tree.text(each).removeprefix("this.") for each in (receiver, *given) if each is not None)
    ]
    before = max(closes, default=0)
    return next((said for call, _, said, given in calls if call.end <= before and _is_wait(said, [each.kind for each in given])), "")


def _is_wait(name: str, given: list[str]) -> bool:
    """Whether a call with arguments of some kinds waits, by its name: a `join` with no more than a time does, one of texts does not."""
    is_joined = name == "join" and all(each.endswith("integer_literal") for each in given)
    return is_joined or name.startswith(_WAITING)
