"""One Java file: package, imports, types, and the Unit that they make."""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.finding import NoteKind
from analyzers.syntax import ERROR, JAVA, Node, Syntax, parse

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
from .members import MEMBER_KINDS, TYPE_KINDS
from .second_look import masked

LARGEST = 8_000_000
"""A file with more bytes is not read."""

IMPLICIT = "<file>"
"""The name of the class that a file without one implies (it would be that of the file)."""

_MOST_ANGLES = 1_000
_ANGLE = re.compile(rb"(?<!<)<(?![<=])")
_LARGEST_SECOND = 1_000_000
_HEADS = {
    "class": "class_declaration",
    "interface": "interface_declaration",
    "enum": "enum_declaration",
    "record": "record_declaration",
}

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
    if _nests_angles(data):
        return _unread(data, NoteKind.BUDGET, "a statement opens too many angle brackets to be parsed")
    syntax = _parse(data)
    if syntax.is_cut:
        return _unread(data, NoteKind.BUDGET, "parsing takes too many steps")
    context = Context(data, syntax.errors)
    for start, end in syntax.errors:
        context.note(NoteKind.SYNTAX_ERROR, start, end, "this does not parse")
    imports = _imports(context, syntax.root)
    try:
        _lower_types(context, syntax.root)
    except (LookupError, ValueError, RecursionError):
        context.note(
            NoteKind.NOT_MODELLED, 0, len(data), "the types of the file are not what the grammar promises"
        )
    context.end()
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


def _parse(data: bytes) -> Syntax:
    """The tree of a file, by a second look where that helps."""
    syntax = parse(JAVA, data)
    if not syntax.errors or syntax.is_cut or len(data) > _LARGEST_SECOND:
        return syntax
    second = parse(JAVA, masked(data))
    return second if len(second.errors) < len(syntax.errors) else syntax


def _nests_angles(data: bytes) -> bool:
    """Whether the parser would follow thousands of `a<b<c<...` at once, in quadratic time and memory."""
    if data.count(b"<") < _MOST_ANGLES:
        return False
    pieces = (piece for piece in re.split(rb"[;{}]", data) if piece.count(b"<") >= _MOST_ANGLES)
    return any(len(_ANGLE.findall(piece)) >= _MOST_ANGLES for piece in pieces)


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
        each = classes.declare(context, node, None, None, prefix + (simple or IMPLICIT), True)
        context.classes[simple] = each.scope
        declared.append(each)
    for each in declared:
        classes.lower(context, TABLES, each)


def _top_level(root: Node) -> list[Node]:
    """The types of a file; members that stand in none are those of the implicit class.

    Where the header of a type could not be placed, everything loose is taken for its members.
    """
    types: list[Node] = []
    heads: list[Node] = []
    loose: list[Node] = []
    for node in root.kids:
        if node.kind in TYPE_KINDS:
            types.append(node)
        elif node.kind == ERROR:
            words = next((position for position, kid in enumerate(node.kids) if kid.kind in _HEADS), -1)
            if words != -1 and not heads:
                heads = node.kids[: words + 2]
            loose.extend(kid for kid in node.kids if kid.kind in MEMBER_KINDS)
        elif node.kind in MEMBER_KINDS:
            loose.append(node)
    if heads or loose:
        whole = [*heads, *loose]
        start, end = min(each.start for each in whole), max(each.end for each in whole)
        block = Node("class_body", loose[0].start if loose else end, end, loose)
        kind = next((_HEADS[each.kind] for each in heads if each.kind in _HEADS), "class_declaration")
        types.append(Node(kind, start, end, [*heads, block]))
        types.sort(key=lambda each: each.start)
    return types
