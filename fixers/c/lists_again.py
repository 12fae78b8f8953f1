"""Whether what a patch of C gives back as the code does elsewhere is touched again behind that: a list, of which the path checker soon loses sight.

Where it has lost its blocks on the way it says nothing of what comes behind: neither of uses nor of second releases. Names here, what is
copied from and to them anywhere, and what is found by way of them; may-analysis over all paths. Errs towards refusing.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers import Program, ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from fixers.freed import copied_names, released_by
from fixers.paths import Question
from fixers.paths.values import is_number


def is_as_elsewhere(program: Program, after: Facts, question: Question) -> bool:
    """Whether the fix only does what the procedure itself does elsewhere: calls a function of the tree that ends all that hangs on a
    variable, turn by turn."""
    targets = [after.linked.targets.get(node) for node in question.ours]
    bodies = [program.procedure(key) for target in targets for key in (target.procedures if target is not None else ())]
    is_ours = bool(targets) and question.ours <= question.familiar and all(target is not None and target.procedures for target in targets)
    return is_ours and all(body is not None and body.loops for body in bodies)


def touched_again(after: Facts, ours: Iterable[int]) -> str:
    """Why a release of the patch may be wrong: the variable is followed, handed on or released (again) on some path behind it though nothing else
    was assigned to it, or an earlier release may have ended it by then. Empty for no reason."""
    nodes = after.linked.body.nodes
    akin = copied_names(nodes)
    ended = {node: released_by(after, node, call) for node, call in enumerate(nodes) if isinstance(call, ir.Call)}
    for node in sorted(ours):
        for name in ended.get(node, ()):
            names = _leading(after, akin.get(name, frozenset((name,))))
            members = {field for each in nodes if (field := _member(each, names))}
            if _is_touched(after, node, names, members):
                return f"`{ir.source_name(name)}` is used after its release"
            if any(name in given and _comes_to(after, at, node, name) for at, given in ended.items() if at != node):
                return f"`{ir.source_name(name)}` may be released already"
    return ""


def _leading(after: Facts, names: frozenset[str]) -> frozenset[str]:
    """Some variables, and those that may point into what they lead to: found there, or by calls that were given one of them."""
    types, found, size = after.linked.types, set(names), 0
    while size != len(found):
        size = len(found)
        for each in after.linked.body.nodes:
            match each:
                case ir.Load(dst=dst, base=base) | ir.LoadElement(dst=dst, base=base) | ir.AddressOf(dst=dst, base=base) if base in found:
                    pass
                case ir.Copy(dst=dst, src=src) if src in found:
                    pass
                case ir.Op(dst=dst, operator="cast" | "[]+", operands=operands) if not found.isdisjoint(operands):
                    pass
                case ir.Call(dst=dst, args=args) if not found.isdisjoint(args):
                    pass
                case _:
                    continue
            if dst and not is_number(types.get(dst, "")):
                found.add(dst)
    return frozenset(found)


def _member(each: ir.Instruction, names: frozenset[str]) -> str:
    """The member that is read into one of some variables, or set from one; empty for none."""
    match each:
        case ir.Load(dst=name, field=field) | ir.Store(src=name, field=field) if name in names:
            return field
        case _:
            return ""


def _is_touched(after: Facts, node: int, names: frozenset[str], members: set[str]) -> bool:
    """Whether a path behind a node touches one of some variables, or reads one of some members, before something else was assigned to it."""
    nodes, nexts = after.linked.body.nodes, after.linked.next
    for name in sorted(names):
        seen, waiting = {node}, [node]
        while waiting:
            for each in nexts[waiting.pop()]:
                if each in seen:
                    continue
                seen.add(each)
                if _touches(nodes[each], name) or (isinstance(read := nodes[each], ir.Load) and read.field in members):
                    return True
                if name not in assigned(nodes[each]):
                    waiting.append(each)
    return False


def _touches(each: ir.Instruction, name: str) -> bool:
    """Whether an instruction follows a variable, hands it on or keeps it; a copy is asked by its own name."""
    match each:
        case ir.Load(base=base) | ir.LoadElement(base=base):
            return base == name
        case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
            return name in (base, src)
        case ir.AddressOf(base=base, field=field):
            return base == name and bool(field)
        case ir.Call(args=args, receiver=receiver):
            return name in args or name == receiver
        case ir.Return(src=src):
            return src == name
        case _:
            return False


def _comes_to(after: Facts, start: int, end: int, name: str) -> bool:
    """Whether a path leads from one node to another on which nothing is assigned to a variable."""
    nodes, nexts = after.linked.body.nodes, after.linked.next
    if name in assigned(nodes[start]):
        return False
    seen, waiting = {start}, [start]
    while waiting:
        for each in nexts[waiting.pop()]:
            if each == end:
                return True
            if each not in seen and name not in assigned(nodes[each]):
                seen.add(each)
                waiting.append(each)
    return False
