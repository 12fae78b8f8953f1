"""One Java file: package, imports, types, and the Unit that they make."""

from __future__ import annotations

from analyzers import ir
from analyzers.finding import NoteKind
from analyzers.syntax import JAVA, Node, parse

from . import (
    calls,
    classes,
    conditions,
    expressions,
    lambdas,
    literals,
    loops,
    protected,
    statements,
    switches,
)
from .body import Tables
from .context import Context
from .members import TYPE_KINDS

LARGEST = 8_000_000
"""A file with more bytes is not read."""

TABLES = Tables(
    {
        **literals.EXPRESSIONS,
        **expressions.EXPRESSIONS,
        **calls.EXPRESSIONS,
        **lambdas.EXPRESSIONS,
        **switches.EXPRESSIONS,
    },
    conditions.CONDITIONS,
    {
        **statements.STATEMENTS,
        **loops.STATEMENTS,
        **protected.STATEMENTS,
        **switches.STATEMENTS,
        **classes.STATEMENTS,
    },
    classes.anonymous,
)


def lower(data: bytes) -> ir.Unit:
    """The unit of a Java file: a function of its bytes alone. Never raises."""
    if len(data) > LARGEST:
        return _unread(data, NoteKind.TOO_LARGE, f"the file has more than {LARGEST} bytes")
    if b"\0" in data:
        return _unread(data, NoteKind.NOT_TEXT, "the file is not text")
    syntax = parse(JAVA, data)
    context = Context(data, syntax.errors)
    for start, end in syntax.errors:
        context.note(NoteKind.SYNTAX_ERROR, start, end, "this does not parse")
    imports = _imports(context, syntax.root)
    _lower_types(context, syntax.root)
    return ir.Unit(
        "java",
        context.package,
        imports,
        tuple(sorted(context.procedures, key=lambda each: (each.start, each.end, each.name))),
        tuple(sorted(context.types, key=lambda each: (each.start, each.end, each.name))),
        (),
        (),
        (),
        context.mentions(),
        context.notes(),
    )


def _unread(data: bytes, kind: NoteKind, text: str) -> ir.Unit:
    return ir.Unit("java", "", (), (), (), (), (), (), (), (ir.UnitNote(kind.value, 0, len(data), text),))


def _imports(context: Context, root: Node) -> tuple[str, ...]:
    found: list[str] = []
    for node in root.kids:
        names = [context.text(kid) for kid in node.kids if kid.kind in ("scoped_identifier", "identifier")]
        if node.kind == "package_declaration" and names:
            context.package = names[-1]
        elif node.kind == "import_declaration" and names:
            found.append(_import(context, node, "".join(names[-1].split())))
    return tuple(found)


def _import(context: Context, node: Node, name: str) -> str:
    is_static = any(kid.kind == "static" for kid in node.kids)
    is_wide = any(kid.kind == "asterisk" for kid in node.kids)
    owner, _, simple = name.rpartition(".")
    if is_static and is_wide:
        context.imports_all_members = True
    elif is_static:
        context.imported_members[simple] = name
        context.mention(owner.rpartition(".")[2])
        context.mention(simple)
    elif not is_wide:
        context.imported_types[simple] = name
        context.mention(simple)
    return ("static " if is_static else "") + name + (".*" if is_wide else "")


def _lower_types(context: Context, root: Node) -> None:
    prefix = f"{context.package}." if context.package else ""
    declared = []
    for node in _top_level(root):
        simple = next((context.text(kid) for kid in node.kids if kid.kind == "identifier"), "")
        each = classes.declare(context, node, None, None, prefix + simple, True)
        context.classes[simple] = each.scope
        declared.append(each)
    for each in declared:
        classes.lower(context, TABLES, each)


def _top_level(root: Node) -> list[Node]:
    found: list[Node] = []
    for node in root.kids:
        if node.kind in TYPE_KINDS:
            found.append(node)
        elif node.kind == "ERROR":
            found.extend(kid for kid in node.kids if kid.kind in TYPE_KINDS)
    return found
