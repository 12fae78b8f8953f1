"""What is known of the elements of a local array that a loop fills (C): `for (i = 0; i < n; i++) v[i] = strdup(s);`.

The checker of paths knows elements by constants and counts no turns beyond the first; here a few facts are followed through the
graph instead, all of them of the kind that must hold on every path:

    below i     each of `v[0]` … `v[i - 1]` is null or holds a block of its own that nobody else knows
    at i        so is `v[i]`
    above i, n  so is each of `v[i]` … `v[n - 1]`

Two more say that nothing is left out (`only …`): no element from `v[i]` on, or from `v[n]` on, holds a block. Where the array is null
all of them hold. Whoever hands an element, or the array, to somebody of whom not all is known ends what is known of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned, operands
from fixers.c.release import accepts_none
from fixers.c.rows import Row, row_of
from fixers.c.style import declarator_of
from fixers.edits import inserted
from fixers.fix import Edit
from fixers.leak import Leak
from fixers.paths.state import MIRRORED, NEGATED
from fixers.tree import Tree, find

Fact = tuple[str, ...]
Known = frozenset[Fact]

UNDEFINED: Fact = ("undefined",)
"""The array was not assigned yet."""

THERE: Fact = ("there",)
"""The array is not null."""

ALIVE: Fact = ("alive",)
"""The array is null, or it is ours and nobody has released it."""

GONE: Fact = ("gone",)
"""The array was released, or belongs to somebody else."""

NONE: Fact = ("none",)
"""No element holds a block."""

WHOLE: Fact = ("whole",)
"""No element was released since the array was made."""


class Rows:
    """The facts at each node of a procedure for one array."""

    def __init__(
        self, known: Facts, row: Row, lengths: frozenset[str] = frozenset(), zeros: Sequence[str] = (), *, is_strict: bool = False
    ) -> None:
        """`lengths`: bounds that an array on the stack is long enough for; `zeros`: variables that are zero when the procedure begins;
        `is_strict`: elements have to hold a block, null will not do."""
        self.known, self.row, self.lengths, self.zeros, self.is_strict = known, row, lengths, zeros, is_strict
        self.linked = known.linked
        self.nodes = known.linked.body.nodes
        fixed = {each.name for each in known.linked.body.variables if each.kind in ("local", "parameter") and not each.is_address_taken}
        indices = {each.index for each in self.nodes if isinstance(each, ir.StoreElement | ir.LoadElement) and each.base == row.name}
        self.indices = tuple(sorted(each for each in indices if each in fixed))
        self.bounds = tuple(sorted(self._limits(fixed) | set(self.indices)))
        self.all: Known = frozenset((
            ALIVE, GONE, NONE, WHOLE, *((kind, i) for kind in ("below", "at", "stored", "only below", "only at", "null at") for i in self.indices),
            *(("under", n) for n in self.bounds), *(("only under", n) for n in self.bounds),
            *((kind, i, n) for kind in ("above", "behind") for i in self.indices for n in self.bounds),
        ))
        self.before = self._solve()

    def _limits(self, fixed: set[str]) -> set[str]:
        """The operands that indices are compared with."""
        found: set[str] = set()
        for each in self.nodes:
            if isinstance(each, ir.Branch) and each.operator in NEGATED:
                found.update(right for left, right in ((each.left, each.right), (each.right, each.left)) if left in self.indices)
        return {each for each in found if each in fixed or (ir.is_literal(each) and each[1:].isdigit())}

    def _solve(self) -> dict[int, Known]:
        found: dict[int, Known] = {}
        zeros: Known = frozenset(("zero", each) for each in self.zeros)
        start = zeros | ({UNDEFINED} if self.row.is_heap else self._made(zeros) | {THERE})
        pending = [(ir.ENTRY, start)]
        while pending:
            node, known = pending.pop()
            old = found.get(node)
            new = known if old is None else old & known
            if new == old:
                continue
            found[node] = new
            pending += [(each, after) for each, after in self._after(node, new)]
        return found

    def _made(self, zero: Iterable[Fact] = ()) -> Known:
        """What holds of a new array: of which indices it is known that they are zero, and of what bound all elements are null."""
        zeros = [each[1] for each in zero if each[0] == "zero"]
        return frozenset((
            ALIVE, NONE, WHOLE, *(("below", i) for i in zeros), *(("only below", i) for i in self.indices), *(("only at", i) for i in self.indices),
            *(("only under", n) for n in self.bounds),
        ))

    def _after(self, node: int, known: Known) -> Iterable[tuple[int, Known]]:
        each = self.nodes[node]
        onward = self.linked.next[node]
        if isinstance(each, ir.Branch):
            for successor, holds in zip(onward, (True, False), strict=False):
                yield successor, self._taken(known, node, holds=holds)
            return
        after = self._run(known, node)
        for successor in onward:
            yield successor, after

    def _run(self, known: Known, node: int) -> Known:
        each, name = self.nodes[node], self.row.name
        if node in self.row.made:
            known = _numbers(known) | self._made(known) | self._zeroed(node)
            return self._assigned(known, assigned(each))
        if node in self.row.ends:
            return _numbers(known) | {GONE}
        if node in self.row.releases:
            return self._without(known, self.row.releases[node])
        match each:
            case ir.Copy(dst=dst, src="=null" | "=0") if dst == name:
                return self._null(known)
            case ir.Op(dst=dst, operator="zero") if dst == name:
                return _numbers(known) | self._made(known) | {THERE, *(() if self.is_strict else (("under", n) for n in self.lengths.intersection(self.bounds)))}
            case ir.Copy(src=src) | ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src) if src == name:
                return _numbers(known) | {GONE}
            case ir.StoreElement(base=base, index=index, src=src) if base == name:
                known = self._stored(known, node, index, is_null=src in ("=null", "=0"))
            case ir.Copy(dst=dst, src="=0") if dst in self.indices:
                return self._from_zero(known, dst)
            case ir.Op(dst=dst, operator="+", operands=(left, "=1")) if dst == left and dst in self.indices:
                return self._up(known, dst)
            case ir.Op(dst=dst, operator="-", operands=(left, "=1")) if dst == left and dst in self.indices:
                return self._down(known, dst)
            case _:
                pass
        return self._assigned(known, assigned(each))

    def _null(self, known: Known) -> Known:
        """Of elements of no array everything holds."""
        return self.all | _numbers(known)

    def _zeroed(self, node: int) -> Known:
        """Of what bounds all elements of a new array are null."""
        call = self.nodes[node]
        if not isinstance(call, ir.Call) or self.is_strict or call.name != "calloc" or len(call.args) != 2:
            return frozenset()
        count = call.args[0]
        made = [each for each in self.nodes if count in assigned(each)]
        match made[0] if len(made) == 1 else None:
            case ir.Op(operator="+", operands=(left, right)) if ir.is_temporary(count) and right[1:].isdigit():
                count = left
            case _:
                pass
        return frozenset((("under", count),)) if count in self.bounds else frozenset()

    def _assigned(self, known: Known, names: Iterable[str]) -> Known:
        """Nothing is known any more of variables that hold something else."""
        changed = set(names).intersection(self.bounds)
        return frozenset(fact for fact in known if changed.isdisjoint(fact[1:])) if changed else known

    def _stored(self, known: Known, node: int, index: str, *, is_null: bool) -> Known:
        if is_null:
            return frozenset(fact for fact in known if fact[0] not in _OF_ELEMENTS) if self.is_strict else known
        kept = {fact for fact in known if fact[0] not in ("none", "only below", "only at", "only under", "null at")}
        if index not in self.indices:
            return frozenset(fact for fact in kept if fact[0] not in _OF_ELEMENTS)  # what lay there is lost, or its index is not known
        kept |= {fact for fact in known if fact[0] == "only under" and ("less", index, fact[1]) in known}
        if ("only below", index) in known or ("only at", index) in known:
            kept.add(("only at", index))
        return frozenset(kept | {("stored" if self.is_strict else "at", index)})

    def _without(self, known: Known, load: int) -> Known:
        """An element is released."""
        each = self.nodes[load]
        index = each.index if isinstance(each, ir.LoadElement) else ""
        kept = {fact for fact in known if fact[0] not in (*_OF_ELEMENTS, "whole", "none", "null at")}
        if ("below", index) in known:
            kept.add(("below", index))
        kept |= {("behind", index, fact[2]) for fact in known if fact[0] in ("above", "behind") and fact[1] == index}
        return frozenset(kept)

    def _from_zero(self, known: Known, index: str) -> Known:
        kept = set(self._assigned(known, (index,)))
        kept |= {("below", index), ("zero", index)}
        if NONE in known:
            kept |= {("only below", index), ("only at", index)}
        kept |= {("above", index, fact[1]) for fact in kept if fact[0] == "under"}
        kept |= {("above", index, fact[1]) for fact in kept if fact[0] == "below" and fact[1] != index}
        return frozenset(kept)

    def _up(self, known: Known, index: str) -> Known:
        kept = set(self._assigned(known, (index,)))
        if ("below", index) in known and ("at", index) in known:
            kept.add(("below", index))
        if ("only below", index) in known or ("only at", index) in known:
            kept.add(("only below", index))
        kept |= {("above", index, fact[2]) for fact in known if fact[0] in ("above", "behind") and fact[1] == index and fact[2] != index}
        return frozenset(kept)

    def _down(self, known: Known, index: str) -> Known:
        kept = set(self._assigned(known, (index,)))
        if ("below", index) in known and ("positive", index) in known:
            kept |= {("below", index), ("at", index)}
        return frozenset(kept)

    def _taken(self, known: Known, node: int, *, holds: bool) -> Known:
        branch = self.nodes[node]
        if not isinstance(branch, ir.Branch):
            return known
        operator, left, right = branch.operator, branch.left, branch.right
        if operator == "true":
            operator, right = "!=", "=0"
        if operator not in NEGATED:
            return known
        if not holds:
            operator = NEGATED[operator]
        if left == self.row.name and right in ("=null", "=0") and operator in ("==", "!="):
            return self._null(known) if operator == "==" else known | {THERE}
        if self.is_strict and operator == "!=" and right in ("=null", "=0") and (index := self._loaded(node, left)):
            return known | {("at", index)} if ("stored", index) in known else known
        if operator == "==" and right in ("=null", "=0") and (index := self._loaded(node, left)):
            null = {("null at", index)}
            return known | null | ({("only below", index)} if ("only at", index) in known else set())
        more: set[Fact] = set()
        for one, way, other in ((left, operator, right), (right, MIRRORED[operator], left)):
            if one not in self.indices:
                continue
            if way in (">=", "==") and ("below", one) in known and other in self.bounds:
                more.add(("under", other))
            if way == "<":
                more |= {("less", one, other)} if other in self.bounds else set()
                more |= {("at", one)} if ("above", one, other) in known else set()
            if (way == ">" and other == "=0") or (way == ">=" and other == "=1"):
                more.add(("positive", one))
        return known | more

    def _loaded(self, node: int, name: str) -> str:
        """The index of the element that a temporary was loaded from, or stored to, just before a node; empty for none."""
        before = self.nodes[node - 1] if node else None
        if not ir.is_temporary(name) or self.linked.next[node - 1] != (node,):
            return ""
        match before:
            case ir.LoadElement(dst=held, base=base, index=index) | ir.StoreElement(src=held, base=base, index=index):
                return index if held == name and base == self.row.name and index in self.indices else ""
            case _:
                return ""


_OF_ELEMENTS = frozenset(("below", "at", "stored", "above", "behind", "under"))
_OF_NUMBERS = frozenset(("zero", "positive", "less"))


def _numbers(known: Known) -> Known:
    """What is known of the indices alone."""
    return frozenset(fact for fact in known if fact[0] in _OF_NUMBERS)


# --- proof


def lengths_of(known: Facts, name: str, tree: Tree) -> frozenset[str]:
    """The constants that an index is compared with of which an array on the stack surely has as many elements: by the same words, or
    by numbers."""
    body = known.linked.body
    found = declarator_of(tree, name, body.end)
    written = next(find(found[1], "array_declarator"), None) if found is not None else None
    size = next((tree.text(kid) for kid in reversed(written.kids) if kid.kind not in ("[", "]")), "") if written is not None else ""
    fitting = set()
    for each in body.nodes:
        if not isinstance(each, ir.Branch) or not ir.is_literal(each.right):
            continue
        words = tree.data[body.start + each.start : body.start + each.end].decode("utf-8", "surrogateescape").rpartition("<")[2].strip()
        is_number = each.right[1:].isdigit() and size.isdigit()
        if (words == size and size) or (is_number and int(each.right[1:]) <= int(size)):
            fitting.add(each.right)
    return frozenset(fitting)


def are_rows_only(known: Facts, edits: Sequence[Edit], leak: Leak, tree: Tree) -> bool:
    """Whether all that edits release are elements of arrays, and these arrays, which surely hold it there (`is_proved`)."""
    if not any("[" in each.text and "(" in each.text for each in edits):
        return False
    ours = written_by(known, edits)
    body = known.linked.body
    calls = {node for node in ours if isinstance(body.nodes[node], ir.Call)}
    names = dict.fromkeys(each.base for node in sorted(ours) if isinstance(each := body.nodes[node], ir.LoadElement))
    for name in names:
        row = row_of(known, name, leak)
        if row is None:
            return False
        called = {each.name for node in ours if node in row.releases and isinstance(each := body.nodes[node], ir.Call)}
        is_strict = not all(accepts_none(leak, f"{each}(") for each in called)
        if not is_proved(known, Rows(known, row, lengths_of(known, name, tree), is_strict=is_strict), ours):
            return False
        calls -= {*row.releases, *row.ends}
    return bool(names) and not calls


def written_by(known: Facts, edits: Sequence[Edit]) -> frozenset[int]:
    """The nodes of a patched procedure that edits wrote."""
    ranges, body = inserted(edits), known.linked.body
    return frozenset(
        node for node, each in enumerate(body.nodes)
        if any(low <= body.start + each.start and body.start + each.end <= high for low, high in ranges)
    )


def is_proved(known: Facts, rows: Rows, written: frozenset[int]) -> bool:
    """Whether each release of an element, or of the array, that was written into a patched procedure finds one that is null or held
    there for sure, and nothing that was not written by them reads an element, the array, or an index afterwards."""
    row, body = rows.row, known.linked.body
    ours = {node for node in written if node in rows.before}
    calls = [node for node in ours if node in row.releases or node in row.ends]
    for node in calls:
        if node in row.releases:
            load = row.releases[node]
            at = body.nodes[load]
            held = rows.before[load]
            index = at.index if isinstance(at, ir.LoadElement) else ""
            if load not in ours or not {("at", index), THERE, ALIVE} <= held or known.linked.next[load] != (node,):
                return False
        elif node in row.ends and ALIVE not in rows.before[node]:
            return False
    changed = {name for node in ours for name in assigned(body.nodes[node]) if not ir.is_temporary(name)}
    return not any(
        _is_read_behind(known, node, name, ours) for node in ours for name in changed.intersection(assigned(body.nodes[node]))
    ) and not _is_used_behind(rows, ours, calls)


def _behind(rows: Rows, starts: Sequence[int]) -> set[int]:
    """The nodes that come behind others, as long as there is no new array."""
    found: set[int] = set()
    pending = list(starts)
    while pending:
        for each in rows.linked.next[pending.pop()]:
            if each not in found and each not in rows.row.made:
                found.add(each)
                pending.append(each)
    return found


def _is_read_behind(known: Facts, start: int, name: str, ours: set[int]) -> bool:
    """Whether something that was there before reads a variable behind a node that assigns it."""
    pending, seen = list(known.linked.next[start]), set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        each = known.linked.body.nodes[node]
        if node not in ours and name in operands(each):
            return True
        if name not in assigned(each) or node in ours:
            pending += known.linked.next[node]
    return False


def _is_used_behind(rows: Rows, ours: set[int], calls: Sequence[int]) -> bool:
    """Whether an element that may be released is looked at, where the code did so before."""
    row, nodes = rows.row, rows.nodes
    behind = _behind(rows, calls)
    if not row.ends.isdisjoint(_behind(rows, [node for node in calls if node in row.ends])):
        return True
    named = {each for each in row.elements if not ir.is_temporary(each)}
    for node in behind - ours:
        each = nodes[node]
        if isinstance(each, ir.LoadElement | ir.StoreElement) and each.base == row.name:
            return True
        if not named.isdisjoint(operands(each)) or (row.name in operands(each) and not isinstance(each, ir.Branch) and node not in row.ends):
            return True
    return False
