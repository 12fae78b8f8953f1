"""What a number says about what a call has left behind an argument: `if (make(&p) != 0) return;`.

A comparison tells of the calls alone that gave the variable what it holds there; behind another call (`r = next(b)`) it tells of that
one. Where several calls may have given it, it tells what all of them have left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import msgspec

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import assigned
from analyzers.summaries import Certainty, Condition, Transfer
from fixers.paths.state import ANY, NEGATED, Range, compare, narrow, number

Place = tuple[str, ...]
"""A variable, or a variable and a field (`p->f`, `s.f`)."""

Objects = frozenset[str]


class Link(msgspec.Struct, frozen=True):
    """A result that tells whether an acquisition of a node through an argument succeeded. `success`: the results that it has then, any
    of them (`return more ? 1 : 0;`)."""

    node: int
    place: Place
    success: tuple[Condition, ...]
    held: Objects
    otherwise: Objects
    known: Range = ANY


class Links:
    """The results of one procedure that tell of places."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._found: dict[str, dict[tuple[int, Place], Link]] = {}
        self._reaching: dict[tuple[int, str], Set[int]] = {}
        self._news = set[str]()

    def note(self, name: str, link: Link) -> None:
        """A variable that holds such a result."""
        known = self._found.setdefault(name, {})
        before = known.get((link.node, link.place))
        more = () if before is None else before.success
        known[link.node, link.place] = new = msgspec.structs.replace(link, success=tuple(dict.fromkeys((*more, *link.success))))
        if new != before:
            self._news.add(name)

    def news(self) -> set[int]:
        """The branches that a result is asked at of which more is known than when this was asked before."""
        if not self._news:
            return set()
        found = {
            n for n, each in enumerate(self._facts.linked.body.nodes)
            if isinstance(each, ir.Branch) and each.left in self._news
        }  # fmt: skip
        self._news.clear()
        return found

    def of(self, name: str, node: int, place: Place) -> Link | None:
        """What a variable says of what a node leaves at a place."""
        return self._found.get(name, {}).get((node, place))

    def told(self, at: int, name: str, operator: str, right: str) -> dict[Place, Objects]:
        """What places hold where a comparison of a variable at a branch holds."""
        known = self._found.get(name)
        if not known:
            return {}
        given = self._given(at, name)
        found: dict[Place, Objects] = {}
        for link in known.values():
            if link.node in given and (is_met := _is_met(link, operator, right)) is not None:
                found[link.place] = found.get(link.place, frozenset()) | (link.held if is_met else link.otherwise)
        return found

    def _given(self, at: int, name: str) -> Set[int]:
        """The nodes that may have assigned what a variable holds before a node."""
        found = self._reaching.get((at, name))
        if found is None:
            found = self._reaching[at, name] = reaching(self._facts.linked.body.nodes, self._facts.cfg.predecessors, at, name)
        return found


def _is_met(link: Link, operator: str, right: str) -> bool | None:
    """Whether a comparison of a result means that one of the results of a success is there, or that none is."""
    told = {implies(link.known, operator, right, each, holds=True) for each in link.success}
    return True if True in told else None if None in told else False


def reaching(nodes: Sequence[ir.Instruction], before: Sequence[tuple[int, ...]], at: int, name: str) -> Set[int]:
    """The nodes that may have assigned what a variable holds before a node."""
    found, seen, work = set[int](), {at}, list(before[at])
    while work:
        node = work.pop()
        if name in assigned(nodes[node]):
            found.add(node)
        elif node not in seen:
            seen.add(node)
            work += before[node]
    return found


def implies(known: Range, operator: str, right: str, success: Condition, *, holds: bool) -> bool | None:
    """Whether a comparison of a result of which `known` is known means that a condition on it is met."""
    operator, right = ("!=", "=0") if operator == "true" else (operator, right)
    if operator not in NEGATED:
        return None
    operator = operator if holds else NEGATED[operator]
    limit, wanted = _range(right), _range(success.value)
    if limit is None or wanted is None:
        return None
    return compare(success.operator, narrow(operator, known, limit), wanted)


def keeps(transfers: Iterable[Transfer], path: Place) -> bool:
    """Whether a call that gives another block for what lies in a member (`buffer_put(&b, text)`) leaves that there where it gives none."""
    known = list(transfers)
    given = {c for t in known if not t.entry for o in t.outcomes if path in o.paths for c in o.when if c.path == ("$ret",)}
    lying = [o for t in known if t.entry == path for o in t.outcomes if given.isdisjoint(o.when)]
    return bool(given and lying) and all(o.fate == "held" and o.paths == (path,) and o.certainty is Certainty.MUST for o in lying)


def known_range(conditions: Iterable[Condition]) -> Range:
    """What conditions on a result leave of its numbers."""
    known = ANY
    for each in conditions:
        limit = _range(each.value)
        if each.path == ("$ret",) and limit is not None and each.operator in NEGATED:
            known = narrow(each.operator, known, limit)
    return known


def _range(literal: str) -> Range | None:
    value = number(literal)
    return None if value is None else Range(value.number, value.number, value.number == 0)
