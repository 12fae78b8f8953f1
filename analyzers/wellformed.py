"""What every procedure of the IR promises, as a check that tests run over real code and fixtures."""

from __future__ import annotations

from analyzers import ir


def check_procedure(procedure: ir.Procedure) -> tuple[str, ...]:
    """Where a procedure breaks a promise of `ir.py`: one sentence each, none if it is well formed."""
    problems: list[str] = []
    nodes, following, raises = procedure.nodes, procedure.next, procedure.raises
    if not len(nodes) == len(following) == len(raises):
        return ("nodes, next and raises differ in length",)
    if len(nodes) < 3 or not isinstance(nodes[0], ir.Entry):
        return ("it does not begin with an entry and two exits",)
    problems += [f"node {n} is no exit" for n in (ir.EXIT, ir.RAISE) if not isinstance(nodes[n], ir.Exit)]
    known = {variable.name for variable in procedure.variables} | {"this", ""}
    for number, node in enumerate(nodes):
        targets = (*following[number], *raises[number])
        if any(not 0 <= target < len(nodes) or target == ir.ENTRY for target in targets):
            problems.append(f"node {number} leads to no node, or to the entry")
            continue
        problems += [f"node {number} {text}" for text in _edges(procedure, number, node)]
        problems += [
            f"node {number} uses {name}, which is no variable"
            for name in operands(node)
            if not ir.is_literal(name) and name not in known
        ]
    reached = _reached(procedure)
    problems += [f"node {n} is not reached" for n in range(3, len(nodes)) if n not in reached]
    names = [variable.name for variable in procedure.variables]
    if names != sorted(set(names)):
        problems.append("its variables are not sorted, or not distinct")
    problems += [f"parameter {name} is no variable" for name in procedure.parameters if name not in known]
    problems += [
        f"a loop has no header {loop.header}" for loop in procedure.loops if not 3 <= loop.header < len(nodes)
    ]
    return tuple(problems)


def _edges(procedure: ir.Procedure, number: int, node: ir.Instruction) -> list[str]:
    found: list[str] = []
    following, raises = procedure.next[number], procedure.raises[number]
    expected = 2 if isinstance(node, ir.Branch) else 0 if isinstance(node, ir.Exit | ir.Throw) else 1
    if len(following) != expected:
        found.append(f"has {len(following)} successors instead of {expected}")
    if isinstance(node, ir.Return) and following != (ir.EXIT,):
        found.append("is a return that goes on")
    if raises and not isinstance(node, ir.Call | ir.Throw):
        found.append("throws, but is no call and no throw")
    if isinstance(node, ir.Throw) and not raises:
        found.append("is a throw that nothing meets")
    if raises and raises[-1] != ir.RAISE and not _stops_all(procedure.nodes[raises[-1]]):
        found.append("has handlers that end in no `finally` and not outside")
    if any(handler != ir.RAISE and not isinstance(procedure.nodes[handler], ir.Catch) for handler in raises):
        found.append("has a handler that is no catch")
    return found


def _stops_all(node: ir.Instruction) -> bool:
    return isinstance(node, ir.Catch) and node.types == (ir.ANY_EXCEPTION,)


def _reached(procedure: ir.Procedure) -> set[int]:
    seen = {ir.ENTRY}
    work = [ir.ENTRY]
    while work:
        node = work.pop()
        for target in (*procedure.next[node], *procedure.raises[node]):
            if target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def operands(node: ir.Instruction) -> tuple[str, ...]:
    """All operands of an instruction, what it assigns among them."""
    match node:
        case ir.Alloc(dst=dst) | ir.Catch(dst=dst):
            return (dst,)
        case ir.Copy(dst=dst, src=src):
            return (dst, src)
        case ir.Op(dst=dst, operands=parts):
            return (dst, *parts)
        case ir.Load(dst=dst, base=base) | ir.AddressOf(dst=dst, base=base):
            return (dst, base)
        case ir.Store(base=base, src=src):
            return (base, src)
        case ir.LoadElement(dst=dst, base=base, index=index):
            return (dst, base, index)
        case ir.StoreElement(base=base, index=index, src=src):
            return (base, index, src)
        case ir.Call(dst=dst, receiver=receiver, args=args):
            return (dst, receiver, *args)
        case ir.Return(src=src) | ir.Throw(src=src):
            return (src,)
        case ir.Branch(left=left, right=right):
            return (left, right)
        case ir.ScopeEnd(variables=variables) | ir.Havoc(variables=variables):
            return variables
        case ir.Entry() | ir.Exit():
            return ()
