"""A C file as a Unit: what stands at file level, in order, then the bodies."""

from __future__ import annotations

import bisect
from collections import Counter

import msgspec

from analyzers import ir
from analyzers.frontends.c.declarators import Declarator, Specifiers, declarator, specifiers
from analyzers.frontends.c.file import File
from analyzers.frontends.c.initialisers import initialiser
from analyzers.frontends.c.macros import define
from analyzers.frontends.c.platforms import foreign_side, sides
from analyzers.frontends.c.procedures import Header, lower_function
from analyzers.frontends.c.redefined import with_users
from analyzers.frontends.c.returning import returning
from analyzers.frontends.c.trees import hides_its_other, is_hidden
from analyzers.frontends.c.types import collect_type, collect_typedef
from analyzers.frontends.c.words import NEVER_COMPILED
from analyzers.syntax import Node, first_error

_GROUPS = frozenset((
    "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "linkage_specification",
    "declaration_list", "ERROR", "translation_unit", "compound_statement", "labeled_statement",
))
_DIRECTIVES = frozenset(("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef"))


class Outline:
    """What stands at file level."""

    __slots__ = ("foreign", "functions", "prototypes")

    def __init__(self) -> None:
        self.foreign: list[tuple[int, int]] = []
        self.functions: list[Header] = []
        self.prototypes: list[ir.MethodDeclaration] = []


def outline(file: File, nodes: list[Node]) -> Outline:
    """Read the declarations of a file; bodies are not lowered yet."""
    found = Outline()
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        kind = node.kind
        if kind == "function_definition":
            _function(file, found, node)
        elif kind == "declaration":
            _declaration(file, found, node)
        elif kind == "type_definition":
            collect_typedef(file, node)
        elif kind in ("struct_specifier", "union_specifier", "enum_specifier"):
            collect_type(file, node)
        elif kind in ("preproc_def", "preproc_function_def"):
            file.defines.append(node.start)
        elif kind in _GROUPS:
            kids = node.kids
            if kind in _DIRECTIVES and kids:
                is_dead = is_hidden(file.source, node)
                side = foreign_side(file.source, node)
                if side is not None:
                    found.foreign.append(side)
                is_last = hides_its_other(file.source, node)
                kids = [kid for kid in kids[1:] if not is_dead or kid.kind.startswith("preproc_el")]
                kids = [kid for kid in kids if not is_last or not kid.kind.startswith("preproc_el")]
            stack += reversed(kids)
    return found


def _function(file: File, found: Outline, node: Node) -> None:
    if not node.kids or node.kids[-1].kind != "compound_statement":
        return
    header = Header(file, node)
    if header.may_be_several() or header.may_be_a_type():
        file.suspects.append(node.start)
    if not header.name:
        file.note("not-modelled", node.start, node.end, "a function whose name is not known")
        return
    file.functions.add(header.name)
    file.results[header.name] = header.named.type
    if header.found.node is not None and header.found.node.kids:
        collect_type(file, header.found.node)
    found.functions.append(header)


def _declaration(file: File, found: Outline, node: Node) -> None:
    described = specifiers(file, node.kids)
    described.attributes += file.words_in(node.start, node.end)
    if described.node is not None and described.node.kids:
        collect_type(file, described.node)
    for item in described.declarators:
        target = item.kids[0] if item.kind == "init_declarator" and item.kids else item
        named = declarator(file, target, described.type)
        if not named.name:
            continue
        if named.parameters is not None:
            found.prototypes.append(_prototype(file, described, named))
            continue
        file.declare_global(
            named.name, named.type, tuple(described.attributes), named.node.start, named.node.end
        )
        if item.kind == "init_declarator" and len(item.kids) > 1:
            file.initialisers.append((item.kids[-1], named.name, named.type))


def _prototype(file: File, described: Specifiers, named: Declarator) -> ir.MethodDeclaration:
    types: list[str] = []
    attributes: list[tuple[str, ...]] = []
    is_varargs = False
    for kid in named.parameters.kids if named.parameters is not None else ():
        if kid.kind == "variadic_parameter":
            is_varargs = True
        if kid.kind != "parameter_declaration":
            continue
        formal = specifiers(file, kid.kids)
        if formal.declarators:
            inner = declarator(file, formal.declarators[-1], formal.type)
            types.append(inner.type if inner.parameters is None else f"{inner.type} (*)()")
        elif formal.type != "void":
            types.append(formal.type)
        else:
            continue
        attributes.append(tuple(formal.attributes))
    file.functions.add(named.name)
    file.results.setdefault(named.name, named.type)
    return ir.MethodDeclaration(
        named.name, tuple(types), tuple(attributes), named.type, (),
        tuple(described.attributes + named.attributes), "", is_varargs,
    )


def lower_unit(file: File, nodes: list[Node], errors: tuple[tuple[int, int], ...]) -> ir.Unit:
    """The unit of a parsed file."""
    found = outline(file, nodes)
    for header in found.functions:
        lower_function(file, header)
    file.procedures = [_with_error(file, procedure, errors) for procedure in file.procedures]
    _note_outside(file, errors)
    if file.initialisers:
        file.procedures.append(initialiser(file))
    for words in file.found.words.values():
        file.mentions.update(word.partition("(")[0] for word in words)
    starts = sorted({*file.defines, *(start for start, _ in file.found.defines)})
    macros = [macro for macro in (define(file, start) for start in starts) if macro is not None]
    macros = _with_sides(_of_this_platform(macros, found.foreign), file)
    macros = with_users(macros, file.procedures, file.source)
    return ir.Unit(
        "c", "", (), tuple(file.procedures), tuple(file.types), tuple(file.global_declarations),
        tuple(found.prototypes), tuple(macros), tuple(sorted(file.mentions)), tuple(file.notes),
        returning(file, [(each.named.type, each.node) for each in found.functions]),
    )


def _of_this_platform(macros: list[ir.Macro], foreign: list[tuple[int, int]]) -> list[ir.Macro]:
    """The macros without those of other platforms that this one has a definition of, too."""
    if not foreign:
        return macros
    own = [not any(start <= each.start < end for start, end in foreign) for each in macros]
    names = {each.name for each, is_own in zip(macros, own, strict=True) if is_own}
    return [each for each, is_own in zip(macros, own, strict=True) if is_own or each.name not in names]


def _with_sides(macros: list[ir.Macro], file: File) -> list[ir.Macro]:
    """The macros, those that are defined several times or beside a function each with the innermost side of `#ifdef` that it
    stands on; without those of another platform where something beside them did not parse, and the tree does not tell."""
    counts = Counter(each.name for each in macros)
    beside = {each.name for each in macros if each.name in file.functions}
    if len(counts) == len(macros) and not beside:
        return macros
    places = sides(file.source)
    found = []
    for each in macros:
        around = [(end - start, word) for start, end, word in places if start <= each.start < end]
        is_on_one = around and (counts[each.name] > 1 or each.name in beside)
        found.append(msgspec.structs.replace(each, side=min(around)[1]) if is_on_one else each)
    elsewhere = [each for each in found if each.side in NEVER_COMPILED]
    kept = {each.name for each in found if each.side not in NEVER_COMPILED} if elsewhere else set()
    return [each for each in found if each.side not in NEVER_COMPILED or each.name not in kept] if elsewhere else found


def _note_outside(file: File, errors: tuple[tuple[int, int], ...]) -> None:
    """Say how much did not parse at file level, where no procedure is marked for it."""
    spans = sorted((procedure.start, procedure.end) for procedure in file.procedures)
    starts = [start for start, _ in spans]
    left: list[tuple[int, int]] = []
    for error in errors:
        number = bisect.bisect_right(starts, error[0]) - 1
        if number < 0 or error[0] > spans[number][1]:
            left.append(error)
    if left:
        file.note("syntax-error", left[0][0], left[0][1], f"{len(left)} places outside functions did not parse")


def _with_error(file: File, procedure: ir.Procedure, errors: tuple[tuple[int, int], ...]) -> ir.Procedure:
    """The procedure, marked with the first bytes in it that did not parse."""
    error = first_error(errors, procedure.start, procedure.end + 1) if errors else None
    if error is None:
        return procedure
    file.note("syntax-error", error[0], error[1], f"part of {procedure.name} did not parse")
    if procedure.error is not None:
        return procedure
    return msgspec.structs.replace(procedure, error=(error[0] - procedure.start, error[1] - procedure.start))
