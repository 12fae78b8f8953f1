"""What an unknown method must answer for its caller to compile: the type of what takes the answer (`count = row.getInt(0)`).

Looks at numbers, texts and the like, whose objects stand alone, and at what a method returns; only for what lowering made up, since
variables have types of their own. Goes through the nodes backwards, once. Misses what only arithmetic tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.frontends.java.inference import formal_of
from analyzers.frontends.java.type_text import PRIMITIVES, erase

if TYPE_CHECKING:
    from analyzers.frontends.java.body_types import BodyTypes

_ALONE = (PRIMITIVES - {"void"}) | {
    f"java.lang.{name}" for name in ("String", "Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double")
} | {"java.math.BigDecimal", "java.math.BigInteger"}

_RETURNED = _ALONE | {f"java.util.{name}" for name in ("List", "Set", "Map", "Collection", "Optional")}

_UNKNOWN_TYPE = "?"


def expect(body: BodyTypes) -> None:
    """Give types to those variables of a procedure that nothing has told one of."""
    unknown = {
        node.dst for position, node in enumerate(body.procedure.nodes)
        if isinstance(node, ir.Call) and node.dst not in body.types and ir.is_made_up(node.dst) and not body.callees[position].result
    }
    if not unknown:
        return
    for position in range(len(body.procedure.nodes) - 1, -1, -1):
        match body.procedure.nodes[position]:
            case ir.Copy(dst=dst, src=src) if src in unknown or ir.is_made_up(src):
                _tell(body, src, body.types.get(dst, ""), _RETURNED if ir.is_made_up(dst) else _ALONE)
            case ir.Return(src=src) if src in unknown or ir.is_made_up(src):
                _tell(body, src, body.result(), _RETURNED)
            case ir.Store(base=base, field=field, src=src) if src in unknown or ir.is_made_up(src):
                _tell(body, src, body.field(base, field), _ALONE)
            case ir.StoreElement(base=base, src=src) if src in unknown:
                _tell(body, src, body.element(base), _ALONE)
            case ir.Op(operator="cast", operands=(src, *_), type=written) if src in unknown:
                _tell(body, src, body.written.full(written), _ALONE)
            case ir.Call(receiver=receiver, args=args) if not unknown.isdisjoint(args):
                for index, src in enumerate(args):
                    if src in unknown:
                        _tell(body, src, _formal(body, position, receiver, index), _ALONE)
            case _:
                pass


def _tell(body: BodyTypes, variable: str, found: str, among: frozenset[str] | set[str]) -> None:
    if variable and variable not in body.types and ir.is_made_up(variable) and erase(found).removesuffix("[]") in among:
        body.types[variable] = found


def _formal(body: BodyTypes, position: int, receiver: str, index: int) -> str:
    """The type of the formal that an argument goes to, where all methods that a call may mean say the same."""
    callee = body.callees[position]
    actuals = [body.type_of(each) for each in body.procedure.nodes[position].args]  # type: ignore[union-attr]
    is_fixed = all(len(each.parameters) == len(actuals) and "varargs" not in each.attributes for each in callee.methods)
    if not callee.methods or not is_fixed or body.queries.is_subtype(callee.target.type, _UNKNOWN_TYPE) is None:
        return ""
    found = {formal_of(each, body.types.get(receiver, ""), actuals, index, {}) for each in callee.methods}
    return found.pop() if len(found) == 1 else ""
