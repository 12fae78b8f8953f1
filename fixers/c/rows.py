"""Local arrays that a loop fills (C): what makes, fills and releases them, and what flows out of them.

An array that is known under other names, or whose elements come to somebody of whom not all is known, is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.summaries import Certainty, Outcome
from fixers.leak import Leak
from fixers.paths.state import NEGATED
from fixers.paths.values import is_number


class Row(msgspec.Struct, frozen=True):
    """An array of a procedure and what flows through it.

    name        the variable
    made        the nodes that give it a new array; none for an array on the stack
    filled      the nodes that store a block into an element
    sources     the calls that these blocks come from
    elements    the variables that may hold an element
    releases    per call that releases an element, the load that it releases
    ends        the calls that release the array itself
    """

    name: str
    made: frozenset[int]
    filled: frozenset[int]
    sources: frozenset[int]
    elements: frozenset[str]
    releases: dict[int, int]
    ends: frozenset[int]

    @property
    def is_heap(self) -> bool:
        """Whether the array itself was allocated."""
        return bool(self.made)


def may_hold(known: Facts, name: str, node: int) -> bool:
    """Whether an array may be what a call gives, or hold it: `row_of`, which asks much more, says no else."""
    body = known.linked.body
    call = body.nodes[node]
    stored = {each.src for each in body.nodes if isinstance(each, ir.StoreElement) and each.base == name}
    return isinstance(call, ir.Call) and call.dst in _behind_casts(known, stored | {name})


def row_of(known: Facts, name: str, leak: Leak) -> Row | None:
    """What flows through a local array; None where it holds something that was not made for it, or is known under other names."""
    body = known.linked.body
    variable = next((each for each in body.variables if each.name == name and each.kind == "local"), None)
    written = known.linked.types.get(name, "")
    if variable is None or variable.is_address_taken or not written.endswith(("*", "]")):
        return None
    is_heap, new = written.endswith("*"), _new(known, leak)
    made: set[int] = set()
    stored: set[str] = set()
    elements: set[str] = set()
    loads: dict[str, int] = {}
    filled: set[int] = set()
    for node, each in enumerate(body.nodes):
        match each:
            case ir.Call(dst=dst) if dst == name and node in new:
                made.add(node)
            case ir.Copy(dst=dst, src="=null" | "=0") if dst == name and is_heap:
                pass
            case ir.Op(dst=dst, operator="zero") if dst == name and not is_heap:
                pass
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if dst == name:
                call = _only_call(known, src, new)
                if call is None or not is_heap:
                    return None
                made.add(call)
            case ir.StoreElement(base=base, src=src) if base == name:
                if src not in ("=null", "=0"):
                    filled.add(node)
                    stored.add(src)
            case ir.LoadElement(dst=dst, base=base) if base == name:
                elements.add(dst)
                loads[dst] = node
            case ir.Load(base=base) | ir.Store(base=base) | ir.AddressOf(base=base) if base == name:
                return None
            case ir.Op(operator=operator, operands=given) if name in given and operator not in NEGATED and operator != "!":
                return None
            case _ if name in assigned(each):
                return None
    if not filled or (is_heap and not made) or not all(_is_own(known, each, new) for each in stored):
        return None
    elements = _closed(known, elements | stored)
    sources = frozenset(n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and each.dst in _behind_casts(known, stored))
    row = Row(name, frozenset(made) if is_heap else frozenset(), frozenset(filled), sources, frozenset(elements), *_released(known, name, loads))
    return row if _is_private(known, row, leak, new) else None


def _new(known: Facts, leak: Leak) -> frozenset[int]:
    """The calls that give new memory, or nothing, and do nothing else with what is acquired."""
    calls = {
        node for node, each in known.effects.items() if each and all(
            one.is_known and one.transfers and not any(t.entry or any(_is_elsewhere(out) for out in t.outcomes) for t in one.transfers) for one in each
        )
    }
    own = frozenset(node for node in calls if (target := known.linked.targets.get(node)) is not None and target.procedures)
    results = leak.callees.partial(known.linked, known.effects, own, leak.resource) if own else {}
    return frozenset(node for node in calls if node not in own or "other" not in results.get(node, ("other",)))


def _is_elsewhere(outcome: Outcome) -> bool:
    """Whether what a call acquires is not the result alone, for sure."""
    return outcome.paths not in ((("$ret",),), ()) or outcome.certainty is not Certainty.MUST


def _only_call(known: Facts, name: str, new: frozenset[int]) -> int | None:
    """The call that alone gives a temporary its value, where it gives new memory."""
    found = [n for n, each in enumerate(known.linked.body.nodes) if name in assigned(each)]
    each = known.linked.body.nodes[found[0]] if len(found) == 1 else None
    match each:
        case ir.Call() if found[0] in new:
            return found[0]
        case ir.Op(operator="cast", operands=(src,)) | ir.Copy(src=src) if ir.is_temporary(name) and not ir.is_literal(src):
            return _only_call(known, src, new)
        case _:
            return None


def _is_own(known: Facts, name: str, new: frozenset[int]) -> bool:
    """Whether a variable holds nothing but new blocks and null."""
    if ir.is_temporary(name):
        return _only_call(known, name, new) is not None
    body = known.linked.body
    variable = next((each for each in body.variables if each.name == name), None)
    if variable is None or variable.kind != "local" or variable.is_address_taken:
        return False
    for node, each in enumerate(body.nodes):
        if name not in assigned(each):
            continue
        match each:
            case ir.Call() if node in new:
                pass
            case ir.Copy(src="=null" | "=0"):
                pass
            case ir.Copy(src=src) | ir.Op(operator="cast", operands=(src,)) if ir.is_temporary(src) and _only_call(known, src, new) is not None:
                pass
            case _:
                return False
    return True


def _behind_casts(known: Facts, names: set[str]) -> set[str]:
    """Some variables, and those that they are copies of."""
    def source(each: ir.Instruction, found: set[str]) -> str:
        match each:
            case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="cast", operands=(src,)) if dst in found and not ir.is_literal(src):
                return src
            case _:
                return ""

    return _grown(known, names, source)


def _closed(known: Facts, names: set[str]) -> set[str]:
    """All variables that some values may come to by copies, casts, and results of calls that get them."""
    def target(each: ir.Instruction, found: set[str]) -> str:
        match each:
            case ir.Copy(dst=dst, src=src) if src in found:
                return dst
            case ir.Op(dst=dst, operands=given) | ir.Call(dst=dst, args=given) if not found.isdisjoint(given):
                return "" if is_number(known.linked.types.get(dst, "")) else dst
            case _:
                return ""

    return _grown(known, names, target)


def _grown(known: Facts, names: set[str], more: Callable[[ir.Instruction, set[str]], str]) -> set[str]:
    """Some names, and those that instructions add to them, until none does."""
    found, size = set(names), -1
    while len(found) != size:
        size = len(found)
        for each in known.linked.body.nodes:
            if name := more(each, found):
                found.add(name)
    return found


def _released(known: Facts, name: str, loads: dict[str, int]) -> tuple[dict[int, int], frozenset[int]]:
    """The calls that release an element (and the load of each), and those that release the array alone."""
    releases: dict[int, int] = {}
    ends = set()
    for node, call in enumerate(known.linked.body.nodes):
        if not isinstance(call, ir.Call):
            continue
        for number, argument in enumerate(call.args):
            entries = [t.entry for effects in known.effects.get(node, ()) for t in effects.transfers if t.entry[:1] == (f"${number}",)
                       and any(one.fate != "held" for one in t.outcomes)]
            if not entries:
                continue
            if argument in loads and ir.is_temporary(argument):
                releases[node] = loads[argument]
            elif argument == name and all(len(each) == 1 for each in entries):
                ends.add(node)
    return releases, frozenset(ends)


def _is_private(known: Facts, row: Row, leak: Leak, new: frozenset[int]) -> bool:
    """Whether the elements and the array come to nobody unknown before they are released, or given away for good."""
    body = known.linked.body
    names = row.elements | {row.name}
    acquired = {each.dst for node, each in enumerate(body.nodes) if isinstance(each, ir.Call) and node in new}
    borrowed = leak.lenders.borrowed(known, set(names)) if leak.lenders is not None else {}
    for node, each in enumerate(body.nodes):
        match each:
            case ir.Store(src=src) | ir.StoreElement(src=src) if src in row.elements and not (
                isinstance(each, ir.StoreElement) and each.base == row.name
            ):
                return False
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src) if base in row.elements and src in acquired | {row.name}:
                return False  # a block in a block, which would be lost with it
            case ir.Copy(dst=dst, src=src) if src == row.name and not ir.is_temporary(dst):
                return False
            case ir.AddressOf(base=base) if base in row.elements and not each.field:
                return False
            case ir.Havoc(variables=touched) if not names.isdisjoint(touched):
                return False
            case ir.Call(args=args) if not names.isdisjoint(args) and node not in row.releases and node not in row.ends:
                if any(given in names and not _is_lent(known, node, number, borrowed) for number, given in enumerate(args)):
                    return False
                if row.name in args and not _is_left_alone(known, node):
                    return False
            case _:
                pass
    return True


def _is_lent(known: Facts, node: int, number: int, borrowed: Mapping[int, frozenset[str]]) -> bool:
    """Whether a call only looks at an argument."""
    root = f"${number}"
    effects = known.effects.get(node, ())
    if not effects:
        return False
    for each in effects:
        is_kept = any(t.entry[:1] == (root,) and any(one.fate != "held" or one.paths for one in t.outcomes) for t in each.transfers)
        is_kept = is_kept or any(path[:1] == (root,) for path in each.retains)
        if is_kept or (not each.is_known and root not in borrowed.get(node, ())):
            return False
    return True


def _is_left_alone(known: Facts, node: int) -> bool:
    """Whether a call writes to nothing that it is given, as far as the repository has its text."""
    target = known.linked.targets.get(node)
    has_text = target is not None and bool(target.procedures)
    return has_text and all(each.is_known and not any(path[0][:1] == "$" for path in each.writes) for each in known.effects.get(node, ()))
