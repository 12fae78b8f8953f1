"""Types of the variables of one C procedure, in canonical text: typedefs resolved, temporaries by a forward pass.

What a system header declares keeps the name that the source writes. Misses casts through `void *`.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.graphs.operands import operands
from analyzers.queries import Queries, Target

_MAX_TYPEDEFS = 8
_PLAIN = frozenset((
    "void", "char", "short", "int", "long", "float", "double", "unsigned", "signed", "unsigned char", "unsigned int",
    "unsigned long", "long long", "unsigned long long", "_Bool", "bool", "size_t", "ssize_t",
))  # fmt: skip
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "!", "&&", "||"))


class Types:
    """Resolves types as one file sees them."""

    def __init__(self, path: str, queries: Queries) -> None:
        self._path = path
        self._queries = queries
        self._canonical: dict[str, str] = {}

    def of(self, body: ir.Procedure, targets: dict[int, Target]) -> dict[str, str]:
        """The types of all variables that are known, sorted by name."""
        known = {each.name: self._whole(each) for each in body.variables if each.type}
        for place, node in enumerate(body.nodes):
            dst = getattr(node, "dst", "")
            if dst and dst not in known:
                found = self._result(node, targets.get(place), known)
                if found:
                    known[dst] = found
        known.update(self._stored(body, known))
        return {name: known[name] for name in sorted(known) if known[name]}

    def _stored(self, body: ir.Procedure, known: dict[str, str]) -> dict[str, str]:
        """What calls give that nobody declares, where it becomes a number of a global variable or of a member."""
        made = {each.dst for each in body.nodes if isinstance(each, ir.Call) and ir.is_temporary(each.dst) and each.dst not in known}
        found = {}
        for node in body.nodes:
            match node:
                case ir.Store(base=base, field=field, src=source) if source in made:
                    written = self.member(known.get(base, ""), field) if base else self._global(field)
                    if written in _PLAIN and written != "void":
                        found[source] = written
                case _:
                    pass
        return found

    def canonical(self, written: str) -> str:
        """A type with its typedefs resolved."""
        found = self._canonical.get(written)
        if found is None:
            found = self._canonical[written] = self._resolve(written)
        return found

    def _whole(self, variable: ir.Variable) -> str:
        """The type of a variable; a struct, where nobody declares a type of which a variable has members."""
        written = self.canonical(variable.type)
        is_told = ir.STRUCT in variable.attributes and written.isidentifier() and written not in _PLAIN
        return f"struct {written}" if is_told and self._queries.type_heading(self._path, written) is None else written

    def _resolve(self, written: str) -> str:
        text = written
        for _ in range(_MAX_TYPEDEFS):
            qualifier, base, suffix = _parts(text)
            if not base or base in _PLAIN or " " in base or "(" in base:
                return text
            declared = self._queries.type_heading(self._path, base)
            if declared is None or declared.kind != "typedef" or not declared.supertypes:
                return text
            text = _put(declared.supertypes[0], qualifier, suffix)
        return text

    def _result(self, node: ir.Instruction, target: Target | None, known: dict[str, str]) -> str:
        match node:
            case ir.Copy(src=source):
                return known.get(source, "char *" if source[:2] == '="' else "")
            case ir.Load(base=base, field=field):
                if not base:
                    return self._global(field)
                return self.member(known.get(base, ""), field)
            case ir.LoadElement(base=base):
                return pointed(known.get(base, ""))
            case ir.AddressOf(base=base, field=field):
                held = self._global(field) if not base else known.get(base, "")
                held = self.member(held, field) if base and field else held
                return held + ("*" if held.endswith("*") else " *") if held else ""
            case ir.Op(operator=operator, operands=operands, type=written):
                if operator in ("cast", "zero"):
                    return self.canonical(written) if written else known.get(operands[0], "")
                if operator in _COMPARISONS:
                    return "int"
                if operator == "-" and all(is_pointer(known.get(each, "")) for each in operands):
                    return "long"
                return next((known[each] for each in operands if each in known), "")
            case ir.Call():
                return self.canonical(target.result) if target is not None and target.result else ""
            case _:
                return ""

    def _global(self, field: str) -> str:
        name, dot, rest = field.partition(".")
        written = self._queries.variable_type(self._path, name)
        held = self.canonical(written) if written else ""
        return self.member(held, rest) if dot and held else held

    def member(self, holder: str, field: str) -> str:
        """The type of a member of a struct, or of what a pointer to one points to."""
        if field == "*":
            return pointed(holder)
        base = _parts(holder)[1]
        if not base or base in _PLAIN:
            return ""
        written = self._queries.member_type(self._path, base, field)
        if written:
            return self.canonical(written)
        first, dot, rest = field.partition(".")
        outer = self._queries.member_type(self._path, base, first) if dot else ""
        return self.member(self.canonical(outer), rest) if outer else ""


def _parts(text: str) -> tuple[str, str, str]:
    """A type as (`const ` or empty, what it is made of, stars and brackets)."""
    qualifier = "const " if text.startswith("const ") else ""
    rest = text[len(qualifier) :]
    base = rest.rstrip("*[] ")
    return qualifier, base, rest[len(base) :]


def _put(meant: str, qualifier: str, suffix: str) -> str:
    if qualifier and meant.startswith("const "):
        qualifier = ""
    if suffix[:1] == " " and meant.endswith("*"):
        suffix = suffix[1:]
    return f"{qualifier}{meant}{suffix}"


def with_pointer_arithmetic(body: ir.Procedure, known: dict[str, str]) -> ir.Procedure:
    """The body, sums and differences of what only the linked types show to be a pointer and of a number told as such."""
    nodes = tuple(_pointing(node, known) for node in body.nodes)
    return body if nodes == body.nodes else msgspec.structs.replace(body, nodes=nodes)


def _pointing(node: ir.Instruction, known: dict[str, str]) -> ir.Instruction:
    match node:
        case ir.Op(operator="+" | "-" as operator, operands=(left, right)):
            if is_pointer(known.get(left, "")) and not is_pointer(known.get(right, "")):
                return msgspec.structs.replace(node, operator="[]+")
            if operator == "+" and is_pointer(known.get(right, "")) and not is_pointer(known.get(left, "")):
                return msgspec.structs.replace(node, operator="[]+", operands=(right, left))
    return node


def with_places_inside(body: ir.Procedure, known: dict[str, str], types: Types) -> ir.Procedure:
    """The body, members that are arrays as the addresses that they stand for (`return block->text;`), where a variable keeps them or
    more is done with them than to look at elements: they lie inside of the object, and are no handles of their own. Arrays of pointers are left alone."""
    given = {name for node in body.nodes for name in operands(node) if not isinstance(node, ir.LoadElement | ir.StoreElement)}
    given |= {node.src for node in body.nodes if isinstance(node, ir.StoreElement)}
    nodes = tuple(
        ir.AddressOf(node.start, node.end, node.dst, node.base, node.field)
        if isinstance(node, ir.Load) and node.base and (node.dst in given or not ir.is_temporary(node.dst)) and _is_plain_array(types.member(known.get(node.base, ""), node.field))
        else node
        for node in body.nodes
    )
    return body if nodes == body.nodes else msgspec.structs.replace(body, nodes=nodes)


def _is_plain_array(text: str) -> bool:
    return text.endswith("]") and "*" not in text


def is_pointer(text: str) -> bool:
    """Whether a canonical type is a pointer or an array."""
    return text.endswith(("*", "]"))


def pointed(text: str) -> str:
    """What a pointer points to, or an array holds; empty for anything else."""
    if text.endswith("[]"):
        return text[:-2].rstrip()
    return text[:-1].rstrip() if text.endswith("*") else ""
