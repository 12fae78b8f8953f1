"""Releases the elements of a local array that a loop fills, and the array: wherever the function returns or releases the array alone.

`while (i > 0) free(v[--i]);` where the loop that fills it is left in the middle, `for (i = 0; i < n; i++) free(v[i]);` behind it. What
is released is what `row_facts.py` knows to be there; the same facts, followed through the patched text, are the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned, operands
from fixers.c.patch import Patch, Release
from fixers.c.points import Point, Points
from fixers.c.release import accepts_none, own_releases, release_calls
from fixers.c.row_facts import ALIVE, GONE, NONE, THERE, UNDEFINED, WHOLE, Known, Rows, lengths_of
from fixers.c.rows import Row, may_hold, row_of
from fixers.c.style import declarator_of, style_of
from fixers.fix import Edit
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import find
from templates import render


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """One candidate, where the leak is an array that a loop fills, or its elements."""
    known = Facts(leak.linked, leak.effects)
    row = next(iter(_rows(leak, known)), None)
    if row is None or leak.side[1]:
        return
    call = next(iter(release_calls(leak, f"{ir.source_name(row.name)}[@]")), "")
    lengths = lengths_of(known, row.name, leak.tree)
    rows = Rows(known, row, lengths, is_strict=not accepts_none(leak, call))
    for zeros in ((), _unset(leak, rows)) if call else ():
        rows = Rows(known, row, lengths, zeros, is_strict=rows.is_strict)
        edits = _Written(leak, rows, call, zeros).edits()
        if edits is not None:
            yield Candidate(render("fixes/titles/row", expression=ir.source_name(row.name), is_heap=row.is_heap), edits)
            return


def _unset(leak: Leak, rows: Rows) -> tuple[str, ...]:
    """The indices that are declared without a value."""
    return tuple(
        each for each in rows.indices
        if (found := declarator_of(leak.tree, ir.source_name(each), leak.procedure.end)) is not None and found[1].kind == "identifier"
        and not any(one.name == each and one.kind == "parameter" for one in leak.linked.body.variables)
    )


def _rows(leak: Leak, known: Facts) -> Iterator[Row]:
    """The arrays that hold what the finding is about, or are it."""
    body = leak.linked.body
    at = leak.finding.acquired.start - body.start
    site = next((n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and each.start == at), -1)
    names = dict.fromkeys(each.base for each in body.nodes if isinstance(each, ir.StoreElement) and not ir.is_temporary(each.base))
    for name in names:
        row = row_of(known, name, leak) if site >= 0 and may_hold(known, name, site) else None
        if row is not None and (site in row.made or any(site == one for one in row.sources)):
            yield row


class _Written:
    """The text of the candidate."""

    def __init__(self, leak: Leak, rows: Rows, call: str, zeros: Sequence[str]) -> None:
        """`call`: the release of the element `@`; `zeros`: indices that get an initialiser."""
        self.leak, self.rows, self.call, self.zeros = leak, rows, call, zeros
        self.row = rows.row
        self.body = leak.linked.body
        self.style = style_of(leak)
        self.patch = Patch(leak, self.style)
        self.name = ir.source_name(self.row.name)
        self.counter = ""

    def edits(self) -> tuple[Edit, ...] | None:
        """The edits; None where some place would lose what it has."""
        points = Points(self.leak.path, self.leak.tree, self.leak.procedure.result)
        by_statement: dict[tuple[int, int], list[Point]] = {}
        for each in points.found:
            if each.kind in ("before", "branch", "value"):
                by_statement.setdefault((each.statement.start, each.statement.end), []).append(each)
        places = [each for each in find(self.leak.tree.root, "return_statement", "expression_statement")]
        for statement in places:
            nodes = [n for n, each in enumerate(self.body.nodes) if n in self.rows.before and not isinstance(each, ir.Entry | ir.Exit)
                     and statement.start <= self.body.start + each.start and self.body.start + each.end <= statement.end]
            if not nodes:
                continue
            is_end = statement.kind == "expression_statement"
            if is_end and not self.row.ends.intersection(nodes):
                continue
            found = by_statement.get((statement.start, statement.end), [])
            if not self._place(found, nodes, is_end=is_end):
                return None
        if not all(self.patch.initialise(ir.source_name(name), "0", self.leak.procedure.end) for name in self.zeros):
            return None
        return self.patch.edits() or None

    def _place(self, points: list[Point], nodes: list[int], *, is_end: bool) -> bool:
        """Write what is due before a statement; False where that is not known."""
        first, last = nodes[0], nodes[-1]
        known, behind = self.rows.before[first], self.rows.before[last]
        if UNDEFINED in known or GONE in behind or (GONE in known and not is_end):
            return True
        returned = self.body.nodes[last]
        if isinstance(returned, ir.Return) and returned.src == self.row.name:
            return True
        if ALIVE not in known:
            return False
        is_read = any(self._reads(node) for node in nodes)
        lines = self._lines(known, last if is_read else first, is_end=is_end)
        if lines is None:
            return False
        if not is_end and self.row.is_heap and (call := self._end()):
            lines.append(f"{call};")
        elif not is_end and self.row.is_heap:
            return False
        if not lines:
            return True
        guard = self.style.test(self.name, "NULL") if THERE not in known and len(lines) > 1 else ""
        point = next((each for each in points if (each.kind == "value") == (is_read and not is_end)), None)
        if point is None:
            return False
        text = render("fixes/c/row", lines=self._spaced(lines), guard=guard, unit=self.patch.draft.unit)
        return self.patch.put(point, Release(self.style.branches(text, self.patch.draft.unit), is_block=True))

    def _reads(self, node: int) -> bool:
        """Whether a node of a statement reads the array or an element."""
        each = self.body.nodes[node]
        return bool((self.row.elements | {self.row.name}).intersection(operands(each))) and node not in self.row.ends

    def _lines(self, known: Known, node: int, *, is_end: bool) -> list[str] | None:
        """The statements that release the elements; None where it is not known which are there."""
        if NONE in known:
            return []
        if WHOLE not in known:
            return [] if all(self._is_in_loop(each) for each in self.row.releases) else None
        unit = self.patch.draft.unit
        for bound in self.rows.bounds:
            words = self._words(bound, node)
            if words and {("under", bound), ("only under", bound)} <= known and (index := self._free_index(node, bound)):
                return [f"for ({index} = 0; {self._plain(index)} < {words}; {self._plain(index)}++)", f"{unit}{self._element(self._plain(index))};"]
        for index in self.rows.indices:
            if not {("below", index)} <= known or not self._is_in_scope(index, node):
                continue
            one = ir.source_name(index)
            more = []
            if ("only below", index) not in known:
                if not {("at", index), ("only at", index)} <= known:
                    continue
                more = [f"{self._element(one)};"]
            if not self._is_read(index, node):
                return [*more, f"while ({one} > 0)", f"{unit}{self._element(f'--{one}')};"]
            if fresh := self._fresh(index):
                return [*more, f"for ({fresh} = 0; {self._plain(fresh)} < {one}; {self._plain(fresh)}++)", f"{unit}{self._element(self._plain(fresh))};"]
        return None

    def _is_in_loop(self, node: int) -> bool:
        """Whether a release is one of a loop that goes through the elements, and not one of the turn that has set the element."""
        at = self.body.nodes[node].start
        inner = min((loop for loop in self.body.loops if loop.start <= at < loop.end), key=lambda loop: loop.end - loop.start, default=None)
        return inner is not None and not any(
            isinstance(each, ir.StoreElement) and each.base == self.row.name and not ir.is_literal(each.src) and inner.start <= each.start < inner.end
            for each in self.body.nodes
        )

    def _words(self, bound: str, node: int) -> str:
        """A bound in the words of the source, where they mean it there."""
        if not ir.is_literal(bound):
            return ir.source_name(bound) if self._is_in_scope(bound, node) and bound not in self.rows.indices else ""
        texts = [
            self.leak.data[self.body.start + each.start : self.body.start + each.end].decode("utf-8", "surrogateescape")
            for each in self.body.nodes if isinstance(each, ir.Branch) and each.operator == "<" and each.right == bound and each.left in self.rows.indices
        ]
        return next((each.partition("<")[2].strip() for each in texts if each.count("<") == 1), "")

    def _free_index(self, node: int, bound: str) -> str:
        """An index that is compared with a bound and not needed any more; else a new one."""
        types = self.leak.linked.types
        using = [each.left for each in self.body.nodes if isinstance(each, ir.Branch) and each.right == bound and each.left in self.rows.indices]
        for index in dict.fromkeys([*using, *self.rows.indices]):
            same = ir.is_literal(bound) or types.get(index) == types.get(bound) or index in using
            if index != bound and same and self._is_in_scope(index, node) and not self._is_read(index, node):
                return ir.source_name(index)
        return self._fresh(using[0] if using else bound)

    def _fresh(self, like: str) -> str:
        """A new index of the type of another; empty where the function declares nothing between statements."""
        written = self.leak.linked.types.get(like, "")
        loops = find(self.leak.tree.root, "for_statement")
        is_modern = self.style.is_mixed or any(kid.kind == "declaration" for loop in loops for kid in loop.kids)
        if not written:
            return ""
        if not self.counter:
            self.counter = unused(self.leak.tree, "k", "j", "done", "index")
            block = next((each for each in self.leak.tree.root.kids if each.kind == "compound_statement"), None) or next(
                find(self.leak.tree.root, "compound_statement"), None
            )
            if not is_modern and block is not None:
                self.patch.declare_first(block, f"{written} {self.counter}")
        return f"{written} {self.counter}" if is_modern else self.counter

    @staticmethod
    def _plain(index: str) -> str:
        return index.rpartition(" ")[2]

    def _element(self, index: str) -> str:
        """The release of an element."""
        return self.call.replace("@", index)

    def _end(self) -> str:
        """The release of the array."""
        own = [f"{each.name}({each.before}{self.name}{each.rest})" for each in own_releases(self.leak, self.name)]
        return next(iter(own), "") or (f"free({self.name})" if self.leak.resource == "heap-memory" else "")

    def _spaced(self, lines: list[str]) -> list[str]:
        return [self.style.call(each) if each.endswith(";") and "=" not in each else each for each in lines]

    def _is_in_scope(self, name: str, node: int) -> bool:
        at = self.body.nodes[node].start
        return any(each.name == name and (each.kind == "parameter" or each.start <= at < each.end) for each in self.body.variables)

    def _is_read(self, name: str, node: int) -> bool:
        """Whether somebody reads a variable at a node or behind it, before it is assigned anew."""
        pending, seen = [node], set()
        while pending:
            at = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            each = self.body.nodes[at]
            if name in operands(each):
                return True
            if name not in assigned(each):
                pending += self.leak.linked.next[at]
        return False
