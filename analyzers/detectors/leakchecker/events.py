"""Loops and regions: what runs again and again, what it leaves behind, and whether anybody takes it up later.

The edges of the type and effect system that grow, of the loops that are chosen (configured, endless, waiting, the
loops of `main`), kept only where no code outside the loop reads them either: the paper's own first cause of
false alarms. Misses what is read for another purpose.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.leakchecker.handed import Handed
from analyzers.detectors.leakchecker.loop import LoopAnalysis, LoopReport, Place, pivots
from analyzers.detectors.leakchecker.origins import Origins, definitions
from analyzers.detectors.leakchecker.retention import HARMLESS, Form, Forms, Retention
from analyzers.detectors.leakchecker.value_flow import ELEMENT
from analyzers.detectors.leakchecker.waiting import long_loops, may_run_long
from analyzers.domains.era import HeapEffect, Site
from analyzers.endings import Endings
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.slots import MAX_FILES, Slot, SlotReader, Use, slot_of
from analyzers.specs.containers import Role


class Events(msgspec.Struct, frozen=True):
    """What a person names: procedures whose loops are examined (`pkg.Type.method`, `…#loop2`), and regions."""

    check: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()

    def may_examine(self, body: ir.Procedure) -> bool:
        """Whether a procedure may hold something to examine: asked before its names are resolved."""
        name = body.name.partition("(")[0]
        if name in self.regions:
            return True
        return bool(body.loops) and (
            _is_main(body) or any(each.partition("#")[0] == name for each in self.check) or may_run_long(body)
        )

    def headers(self, linked: Linked) -> dict[int | None, bool]:
        """The loops of a procedure to examine (None: all of it, as an artificial loop), and whether each is named."""
        name = linked.body.name.partition("(")[0]
        found: dict[int | None, bool] = dict.fromkeys(long_loops(linked), False)
        if _is_main(linked.body):
            found.update(dict.fromkeys((loop.header for loop in _outermost(linked) if not _walks_array(linked, loop.header)), False))
        for number, loop in enumerate(linked.body.loops, start=1):
            if name in self.check or f"{name}#loop{number}" in self.check:
                found[loop.header] = True
        if name in self.regions:
            found[None] = True
        return found


def missing(queries: Queries, name: str) -> str | None:
    """None where a named loop or region exists; else the nearest name that does, or nothing."""
    wanted, _, loop = name.partition("#loop")
    method = wanted.rpartition(".")[2]
    owner = wanted.rpartition(".")[0].rpartition(".")[2].rpartition("$")[2]
    known: dict[str, int] = {}
    for path in sorted({*queries.mentioning(method), *queries.mentioning(owner)}):
        unit = queries.unit(path) if path.endswith(".java") else None
        for each in unit.procedures if unit is not None else ():
            body = queries.procedure(ProcedureKey(path, each.name))
            short = each.name.partition("(")[0]
            known[short] = max(known.get(short, 0), len(body.loops) if body is not None else 0)
    if wanted in known and (not loop or (loop.isdigit() and 0 < int(loop) <= known[wanted])):
        return None
    if wanted in known:
        return f"{wanted}#loop1" if known[wanted] else wanted
    return next(iter(difflib.get_close_matches(wanted, sorted(known), n=1, cutoff=0.5)), "")


def _is_main(body: ir.Procedure) -> bool:
    return "static" in body.attributes and body.name.partition("(")[0].rpartition(".")[2] == "main"


def _outermost(linked: Linked) -> list[ir.Loop]:
    loops = linked.body.loops
    return [
        each for each in loops
        if not any(other.start <= each.start and each.end < other.end for other in loops)
    ]


def _walks_array(linked: Linked, header: int) -> bool:
    """Whether a loop has a turn for each element of an array that the procedure has made: it keeps no more things than that."""
    body = linked.body
    first, given = body.nodes[header], set(body.parameters)
    return isinstance(first, ir.Branch) and first.operator == "*" and any(
        isinstance(node := body.nodes[each], ir.LoadElement) and (node.start, node.end) == (first.start, first.end)
        and linked.types.get(node.base, "").endswith("[]") and node.base not in given
        for each in body.next[header]
    )


class EventLoops:
    """Judges the loops of one procedure."""

    def __init__(self, queries: Queries, reader: SlotReader, key: ProcedureKey) -> None:
        self._queries = queries
        self._reader = reader
        self._key = key
        self.spent = 0
        """Named loops that were too large."""

    def kept(self, linked: Linked, headers: dict[int | None, bool]) -> Iterator[Retention]:
        """What each of these loops keeps and nobody takes up again."""
        told: set[tuple[str, Place]] = set()
        for header, is_named in headers.items():
            report = LoopAnalysis(self._queries, self._reader, linked, header).check()
            self.spent += is_named and not report.is_complete
            for edge in pivots(_lasting(report), report.stores) if report.is_complete else ():
                found = self._judge(linked, report, edge, is_named)
                place = _stored(report, edge)
                if found is not None and place is not None and (found.edge, place) not in told:
                    told.add((found.edge, place))
                    yield found

    def _judge(self, linked: Linked, report: LoopReport, edge: HeapEffect, is_named: bool) -> Retention | None:
        made, stored = report.made.get(edge.inner), _stored(report, edge)
        if made is None or stored is None:
            return None
        form, name, kept = Form.LOOP, "", "Each turn of the loop adds what it makes here to `{0}`{1}, and nobody reads it again."
        if edge.outer.name in report.threads:
            form, name = Form.STARTED_THREAD, "" if self._is_let_go(stored, edge.field) else self._field(stored, edge.field)
            kept = "Each turn of the loop starts a thread that never ends, and its `{0}` keeps what is made here."
        elif edge.field == ELEMENT:
            name = self._unread(linked, report, edge.outer, stored, is_named)
        elif not edge.outer.name.startswith("::"):
            form = Form.CHAIN
            name, made = self._unread_chain(report, edge)
            kept = "Each turn of the loop hangs what it makes here into a chain{1}, and nobody reads its `{0}`."
        if not name or made is None:
            return None
        way = f", by way of `{_simple(stored.context[-1])}`" if stored.context else ""
        return Retention(
            form, name, (Use(Role.STORE, made.key, made.node),),
            kept.format(name.rpartition(".")[2], way),
            lost=Use(Role.STORE, stored.key, stored.node), home=self._key,
        )

    def _unread(self, linked: Linked, report: LoopReport, outer: Site, stored: Place, is_named: bool) -> str:
        """The name of the container that keeps, if nothing anywhere reads its elements; empty otherwise."""
        made = report.made.get(outer)
        if made is not None and made.key == self._key and not made.context:
            name = self._unread_local(linked.body, made.node)
            if name:
                return name
        fields = {each.field for each in report.stores if each.inner == outer and each.field not in ("", ELEMENT)}
        fields |= {each.field for each in report.loads if each.inner == outer and each.field not in ("", ELEMENT)}
        path = outer.name.split("|")
        if made is None and len(path) > 1 and path[-1] != ELEMENT:
            fields.add(path[-1])
        if made is None and outer.name.startswith("::") and len(path) == 1:
            fields.add(outer.name[2:])
        return self._unread_field(stored, fields.pop(), is_named) if len(fields) == 1 else ""

    def _is_let_go(self, stored: Place, field: str) -> bool:
        """Whether the class of a thread nulls a field that it keeps something in."""
        body = self._queries.procedure(stored.key)
        own = Endings(self._queries, stored.key.path, body.owner).methods() if body is not None else []
        return any(
            isinstance(node, ir.Store) and node.base == "this" and node.field == field and node.src == "=null"
            for _, each in own for node in each.nodes
        )

    def _field(self, stored: Place, field: str) -> str:
        """The full name of a field that a place stores into."""
        body = self._queries.procedure(stored.key)
        slot = slot_of(self._queries, stored.key.path, body.owner, field) if body is not None else None
        return f"{slot.owner}.{slot.name}" if slot is not None else ""

    def _unread_chain(self, report: LoopReport, edge: HeapEffect) -> tuple[str, Place | None]:
        """The field by which the links of a chain hold what was made, and where that is, if nobody reads or shortens it."""
        parts = [each for each in report.stores if each.inner != each.outer and not each.outer.is_outside]
        links = [each for each in parts if each.inner == edge.inner] or [each for each in parts if each.outer == edge.inner]
        place = report.stored.get(links[0]) if len(links) == 1 else None
        if place is None or not self._is_only(edge.field, ir.Store) or not self._is_only(links[0].field, None):
            return "", None
        return self._field(place, links[0].field), report.made.get(links[0].inner)

    def _is_only(self, field: str, allowed: type[ir.Store] | None) -> bool:
        """Whether a field is only ever stored into: anything, or, as the head of a chain, only what was just made."""
        if len(self._queries.mentioning(field)) > MAX_FILES:
            return False
        for key in self._queries.callers(field):
            body = self._queries.procedure(key)
            for node in body.nodes if body is not None else ():
                match node:
                    case ir.Load(field=name) if allowed is None and name.rpartition(".")[2] == field:
                        return False
                    case ir.Store(field=name, src=src) if allowed is not None and name.rpartition(".")[2] == field:
                        made = definitions(body, src) if body is not None else []
                        if not made or not all(self._is_new(body, each) for each in made):
                            return False
                    case _:
                        pass
        return True

    def _is_new(self, body: ir.Procedure | None, node: ir.Instruction) -> bool:
        if isinstance(node, ir.Copy) and body is not None:
            return any(isinstance(each, ir.Alloc) for each in definitions(body, node.src))
        return isinstance(node, ir.Alloc)

    def _unread_local(self, body: ir.Procedure, node: int) -> str:
        """The variable that holds a container made in the procedure, if the procedure only ever adds to it."""
        instruction = body.nodes[node]
        if not isinstance(instruction, ir.Alloc):
            return ""
        linked = self._queries.linked(self._key)
        names = [
            each.dst for each in body.nodes if isinstance(each, ir.Copy) and each.src == instruction.dst
        ] or [instruction.dst]
        type_name = linked.types.get(names[0], "") if linked is not None else ""
        made = self._queries.resolve_type(self._key.path, body.owner, instruction.type.partition("<")[0])
        model = self._reader.container(type_name)
        if model is None or self._reader.container(made or "") is None:
            return ""
        uses = Handed(self._queries, self._reader).followed(
            tuple(self._reader.local_uses(self._key, body, instruction.dst, model)), model
        )
        is_quiet = all(use.role in HARMLESS for use in uses)
        return ir.source_name(names[0]) if is_quiet and not ir.is_temporary(names[0]) else ""

    def _unread_field(self, stored: Place, field: str, is_named: bool) -> str:
        body = self._queries.procedure(stored.key)
        slot = slot_of(self._queries, stored.key.path, body.owner, field) if body is not None else None
        if slot is None or slot.is_annotated:
            return ""
        if not is_named and Forms(self._queries, self._reader).of(slot) is not None:
            return ""  # told where the field is stored into
        return self._quiet(slot)

    def _quiet(self, slot: Slot) -> str:
        touched = self._reader.touched(self._reader.refined(slot))
        is_own = touched is not None and Origins(self._queries, self._reader).is_kept(touched)
        if touched is not None and is_own:
            touched = Handed(self._queries, self._reader).settled(touched)
        is_quiet = touched is not None and is_own and touched.roles() <= HARMLESS
        return f"{slot.owner}.{slot.name}" if is_quiet else ""


def _lasting(report: LoopReport) -> tuple[HeapEffect, ...]:
    """The redundant references of which there are more after each turn; each thread that does not end has its own."""
    kept = {*report.growing, *(each for each in report.edges if each.outer.name in report.threads)}
    return tuple(each for each in report.edges if each in kept)


def _stored(report: LoopReport, edge: HeapEffect) -> Place | None:
    """Where an object comes to hang on an edge: in a chain, by a link that holds it."""
    if edge in report.stored or edge.field == ELEMENT:
        return report.stored.get(edge)
    places = [place for each, place in report.stored.items() if (each.outer, each.field) == (edge.outer, edge.field)]
    return min(places, default=None)


def _simple(context: str) -> str:
    return context.partition("(")[0].rpartition(".")[2]
