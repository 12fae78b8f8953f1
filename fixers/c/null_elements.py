"""Elements of arrays that are known to be null where something is released (C): `p[0] = copy(text); if (p[0] == NULL) return NULL;`."""

from __future__ import annotations

from analyzers import ir
from analyzers.facts import Facts

_NULL = ("=null", "=0")


def is_null_there(known: Facts, filled: int, spot: int) -> bool:
    """Whether what an instruction stores in an element that is named by number is null at a point: no way leads there from the store but
    over the side of a test on which the element, or what was stored, is null. So it may be where a pointer walks along, if what is stored is
    tested and nothing is stored twice."""
    nodes, cfg = known.linked.body.nodes, known.cfg
    store = nodes[filled]
    match store:
        case ir.StoreElement(base=base, index=index, src=src) if ir.is_literal(index):
            read = {each.dst for each in nodes if isinstance(each, ir.LoadElement) and (each.base, each.index) == (base, index)}
        case ir.Store(src=src) if not any(filled in cfg.reachable_from(each) for each in cfg.successors[filled]):
            read = set()
        case _:
            return False
    told = {name for name in (*read, src) if ir.is_temporary(name)}  # Read where it is asked: a variable may have another value by then.
    seen, waiting = {filled}, [filled]
    while waiting:
        node = waiting.pop()
        if node == spot:
            return False
        each = nodes[node]
        null = _null_side(each, told) if isinstance(each, ir.Branch) and len(cfg.normal[node]) == 2 else None
        for side, following in enumerate(cfg.successors[node]):
            if side != null and following not in seen:
                seen.add(following)
                waiting.append(following)
    return True


def _null_side(branch: ir.Branch, names: set[str]) -> int | None:
    """The side of a test on which one of some variables is null: 0 where it is taken, 1 where not; None where it asks something else."""
    if branch.left not in names:
        return None
    if branch.operator == "true":
        return 1
    if branch.right not in _NULL or branch.operator not in ("==", "!="):
        return None
    return 0 if branch.operator == "==" else 1
