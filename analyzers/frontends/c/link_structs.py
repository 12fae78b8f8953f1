"""Structs by value that go into a member, come out of one, or are copied by their bytes, told as copies through an address.

`t.a = make();` becomes `p = &t.a; *p = make();`, `v = t->a;` becomes `p = &t->a; v = *p;`, and behind `memcpy(&b, &a, sizeof b)`
stands `b = a`: so members have the same names as where they are looked up (`t.a.data`). Elements of arrays are left alone.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.queries import Queries

_COPIES = frozenset(("memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove"))
_CONTENT = ("", "*", "[]")


def with_struct_copies(
    path: str, body: ir.Procedure, known: dict[str, str], queries: Queries
) -> tuple[ir.Procedure, dict[str, str]]:
    """The procedure with such copies, and the types of its variables with those that are new."""
    rewriting = _Rewriting(path, body, known, queries)
    for place, node in enumerate(body.nodes):
        match node:
            case ir.Store(base=base, field=field, src=src) if base and field not in _CONTENT and rewriting.is_struct(src):
                rewriting.through(place, ir.Store(node.start, node.end, rewriting.name(place), "*", src), base, field, src)
            case ir.Load(dst=dst, base=base, field=field) if base and field not in _CONTENT and rewriting.is_struct(dst):
                rewriting.through(place, ir.Load(node.start, node.end, dst, rewriting.name(place), "*"), base, field, dst)
            case ir.Call(name=name, args=(target, source, "=?")) if name in _COPIES and rewriting.is_copied(target, source):
                rewriting.copied(place, node, target, source)
    return rewriting.result()


class _Rewriting:
    def __init__(self, path: str, body: ir.Procedure, known: dict[str, str], queries: Queries) -> None:
        self._path = path
        self._body = body
        self._known = known
        self._queries = queries
        self._structs: dict[str, bool] = {}
        self._nodes = list(body.nodes)
        self._next = list(body.next)
        self._made: dict[str, str] = {}
        self._addresses: set[str] | None = None

    def is_struct(self, name: str) -> bool:
        """Whether a variable is a struct by its type."""
        written = self._known.get(name, "")
        found = self._structs.get(written)
        if found is None:
            found = self._structs[written] = self._find(written)
        return found

    def _find(self, written: str) -> bool:
        words = written.removeprefix("const ").split()
        if not words or "*" in written or "[" in written or words[0] == "union":
            return False
        if words[0] == "struct":
            return True
        declared = self._queries.type_heading(self._path, words[0]) if len(words) == 1 else None
        return declared is not None and declared.kind == "struct"

    def name(self, place: int) -> str:
        """The temporary that a place makes."""
        return f"%{place}.s"

    def through(self, place: int, copy: ir.Store | ir.Load, base: str, field: str, value: str) -> None:
        """Put an address in the place of an instruction, and the copy through it behind."""
        name = self.name(place)
        self._made[name] = f"{self._known[value]} *"
        self._nodes[place] = ir.AddressOf(copy.start, copy.end, name, base, field)
        self._after(place, copy)

    def is_copied(self, target: str, source: str) -> bool:
        """Whether the bytes of one struct of the procedure's own are those of another of its type."""
        if self._addresses is None:
            self._addresses = {node.dst for node in self._body.nodes if isinstance(node, ir.AddressOf) and node.base and not node.field}
        written = self._known.get(target, "").removeprefix("const ")
        if source not in self._addresses or written != self._known.get(source, "").removeprefix("const "):
            return False
        return written.count("*") == 1 and self._find(written.rstrip("* "))

    def copied(self, place: int, call: ir.Call, target: str, source: str) -> None:
        """Put the copy of a whole struct behind a call that makes one."""
        name = self.name(place)
        self._made[name] = self._known[source].removeprefix("const ").rstrip("* ")
        self._after(place, ir.Load(call.start, call.end, name, source, "*"), ir.Store(call.start, call.end, target, "*", name))

    def _after(self, place: int, *nodes: ir.Instruction) -> None:
        for node in nodes:
            self._nodes.append(node)
            self._next.append(self._next[place])
            self._next[place] = (len(self._nodes) - 1,)
            place = len(self._nodes) - 1

    def result(self) -> tuple[ir.Procedure, dict[str, str]]:
        """See `with_struct_copies`."""
        if not self._made:
            return self._body, self._known
        raises = (*self._body.raises, *[()] * (len(self._nodes) - len(self._body.nodes)))
        made = [ir.Variable(name, "", "temporary") for name in self._made]
        variables = tuple(sorted((*self._body.variables, *made), key=lambda each: each.name))
        known = {**self._known, **self._made}
        body = msgspec.structs.replace(
            self._body, nodes=tuple(self._nodes), next=tuple(self._next), raises=raises, variables=variables
        )
        return body, {name: known[name] for name in sorted(known)}
