"""Gives a class whose field owns something a way to release it: in the method that ends its life, or a new `close`.

After Arodnap, which makes such classes AutoCloseable. Never safe by itself: who makes an object has to close it from then
on, and who uses it afterwards finds the field closed; both are told. Declines for static fields and for enums, records
and interfaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from analyzers import Program, analyze, ir
from analyzers.finding import FORGOTTEN, NOT_CALLED, Finding
from analyzers.queries import ProcedureKey
from analyzers.rules import UNCLOSED_RESOURCE
from analyzers.syntax import Node
from fixers import text, tree
from fixers.draft import Draft
from fixers.edits import apply
from fixers.fix import CHECKS, STILL_REPORTED, Check, Declined, Edit, Fix, Verdict
from fixers.java.exceptions import checked, closing_throws
from fixers.java.imports import insert_import
from fixers.java.statements import completes, statements
from fixers.java.wrapping import close_block, has_own_lines, indent_region
from fixers.options import Options
from fixers.reanalysis import key_of, simple_name
from fixers.setting import is_generated
from fixers.tree import Tree, child, innermost
from templates import render

PROVED, ASSUMED, REFUTED = Verdict.PROVED, Verdict.ASSUMED, Verdict.REFUTED

MAX_MAKERS = 60
"""Procedures that make an object of the class and are looked at again."""

_MUST_CALL = ("InheritableMustCall", "MustCall")
_ENSURES = "org.checkerframework.checker.calledmethods.qual.EnsuresCalledMethods"


class Owner(msgspec.Struct, frozen=True):
    """A class with a field that owns.

    method   what has to be called on the field
    ending   the method that ends the life of an object of the class, empty where none has to be called
    throws   checked exceptions of releasing, in words that the file understands; None where they are not known
    """

    finding: Finding
    program: Program
    declared: ir.TypeDeclaration
    field: ir.FieldDeclaration
    method: str
    ending: str
    throws: tuple[str, ...] | None
    tree: Tree
    data: bytes

    @property
    def path(self) -> str:
        """The file."""
        return self.finding.path

    @property
    def simple(self) -> str:
        """The name of the class as it is written."""
        return self.declared.name.rpartition(".")[2].rpartition("$")[2]


def answer(finding: Finding, program: Program, options: Options) -> Fix | Declined | None:
    """A fix for a field that its class leaves open; None for any other finding."""
    place = _place(finding, program)
    if place is None:
        return None
    declared, field = place
    data = program.source(finding.path)
    syntax = tree.parse_file("java", data)
    reason = _refusal(finding, declared, field, program)
    if reason or syntax.errors:
        return Declined(finding, reason or "the file has a syntax error")
    owner = Owner(
        finding, program, declared, field, _methods(finding, program)[0], _ending(finding, declared, program),
        _thrown(finding, program, declared), syntax, data,
    )
    edits = _edits(owner)
    if edits is None:
        return Declined(finding, "no place for the release fits the class")
    title = render("fixes/titles/owning_class", variable=field.name, name=owner.simple)
    proof = _proof(owner, edits, options)
    refuted = next((each for each in proof if each.verdict is REFUTED), None)
    return Declined(finding, refuted.reason) if refuted is not None else Fix(finding, title, edits, proof)


def _place(finding: Finding, program: Program) -> tuple[ir.TypeDeclaration, ir.FieldDeclaration] | None:
    """The class and the field that a finding is about."""
    if finding.rule != UNCLOSED_RESOURCE.id or finding.detail not in (NOT_CALLED, FORGOTTEN):
        return None
    unit, at = program.unit(finding.path), finding.acquired
    body = program.procedure(ProcedureKey(finding.path, finding.procedure)) if finding.detail == FORGOTTEN else None
    return next((
        (declared, field) for declared in (unit.types if unit is not None else ()) for field in declared.fields
        if (field.start, field.end) == (at.start, at.end)
        or (body is not None and (declared.name, field.name) == (body.owner, finding.variable))
    ), None)


def _methods(finding: Finding, program: Program) -> tuple[str, ...]:
    """What has to be called on the field."""
    if finding.methods:
        return finding.methods
    if program.is_subtype(finding.resource, "java.util.concurrent.ExecutorService") is True:
        return ("shutdown",)
    return ("close",) if program.methods(finding.resource, "close") else ()


def _refusal(finding: Finding, declared: ir.TypeDeclaration, field: ir.FieldDeclaration, program: Program) -> str:
    if is_generated(finding.path, program.source(finding.path)):
        return "the file is generated"
    is_made_once = "<init>" in finding.procedure or not finding.procedure
    if is_made_once and _ending(finding, declared, program) == "stop" and program.methods(declared.name, "start"):
        return "`start` may be called again behind `stop`, and needs it then"
    if "static" in field.attributes:
        return "a static field lives as long as its class, which nobody closes"
    if declared.kind != "class":
        return f"nobody closes an object of the {declared.kind}"
    if len(_methods(finding, program)) != 1:
        return "which method releases it is not known, or more than one has to"
    if finding.lost.path != finding.path:
        return "the method that should release it is in another file"
    if any(program.methods(each, "close") and program.methods(each, "close")[0].owner == each for each in program.subtypes(declared.name)):
        return "a subclass has a `close` of its own"
    return ""


def _ending(finding: Finding, declared: ir.TypeDeclaration, program: Program) -> str:
    if finding.detail == FORGOTTEN:
        around = [each for each in program.procedures_of(finding.path) if program.span(each).end == finding.lost.end]
        return simple_name(around[0].name) if around else ""
    for attribute in declared.attributes:
        name, _, rest = attribute.partition("(")
        if name.rpartition(".")[2] in _MUST_CALL:
            return next(iter(rest.split('"')[1::2]), "")
    return "close" if program.is_subtype(declared.name, "java.lang.AutoCloseable") else ""


def _thrown(finding: Finding, program: Program, declared: ir.TypeDeclaration) -> tuple[str, ...] | None:
    thrown = closing_throws(program, finding.resource, _methods(finding, program)[0])
    if thrown is None:
        return None
    names = []
    for name in checked(program, thrown):
        simple = name.rpartition(".")[2]
        names.append(simple if program.resolve_type(finding.path, declared.name, simple) == name else name)
    return tuple(names)


# --- the text


def _edits(owner: Owner) -> tuple[Edit, ...] | None:
    body = _body(owner)
    if body is None:
        return None
    draft = Draft(owner.path, owner.data, owner.field.start)
    method = _method(owner, body) if owner.ending else None
    if method is not None:
        draft.insert_lines(method.start, _annotation(owner, draft), text.indentation(owner.data, method.start))
    is_done = _extend(owner, draft, method) if method is not None else _add(owner, draft, body)
    return draft.edits() if is_done else None


def _body(owner: Owner) -> Node | None:
    path = owner.tree.path(owner.field.start, owner.field.end)
    at = innermost(path, lambda node: node.kind == "class_body")
    return path[at] if at > 0 and path[at - 1].kind == "class_declaration" else None


def _method(owner: Owner, body: Node) -> Node | None:
    """The declaration of the method that ends an object's life, with its body and no parameters."""
    for each in body.kids:
        if each.kind != "method_declaration" or child(each, "block") is None:
            continue
        name, parameters = child(each, "identifier"), child(each, "formal_parameters")
        is_plain = parameters is not None and not any(kid.kind == "formal_parameter" for kid in parameters.kids)
        if name is not None and owner.tree.text(name) == owner.ending and is_plain:
            return each
    return None


def _release(owner: Owner, unit: str, caught: str) -> str:
    name = owner.field.name
    return render(
        "fixes/java/release", variable=name, statement=f"{name}.{owner.method}();",
        guarded="final" not in owner.field.attributes, caught=caught, exception="e", unit=unit,
    )


def _extend(owner: Owner, draft: Draft, method: Node) -> bool:
    """Release the field at the end of the method, even if what is there throws."""
    block = child(method, "block")
    assert block is not None
    inner = statements(block)
    declared = child(method, "throws")
    allowed = [owner.tree.text(kid) for kid in declared.kids if "type" in kid.kind] if declared is not None else []
    is_allowed = owner.throws is not None and all(_is_allowed(owner, each, allowed) for each in owner.throws)
    caught = "" if is_allowed else " | ".join(owner.throws) if owner.throws is not None else "Exception"
    lines = _release(owner, draft.unit, caught)
    outer = text.indentation(owner.data, method.start)
    if not inner:
        if owner.data[block.start + 1 : block.end - 1].strip():
            return False
        draft.replace(block.start, block.end, "{\n" + text.reindented(lines, outer + draft.unit) + f"{outer}}}")
        return True
    if not has_own_lines(owner.data, tuple(inner)) or not text.starts_line(owner.data, block.end - 1):
        return False
    indent = text.indentation(owner.data, inner[0].start)
    if not _may_throw(owner) and all(completes(each) for each in inner):
        draft.insert_lines_after(inner[-1].end, lines, indent)
        return True
    draft.insert_lines(inner[0].start, "try {\n", indent)
    indent_region(draft, tuple(inner))
    close_block(draft, tuple(inner), indent, "} finally {\n" + text.reindented(lines, draft.unit) + "}\n")
    return True


def _is_allowed(owner: Owner, thrown: str, declared: Sequence[str]) -> bool:
    resolve = owner.program.resolve_type
    name = resolve(owner.path, owner.declared.name, thrown)
    return any(
        owner.program.is_subtype(name, resolve(owner.path, owner.declared.name, each)) is True for each in declared
    )


def _may_throw(owner: Owner) -> bool:
    linked = owner.program.linked(ProcedureKey(owner.path, f"{owner.declared.name}.{owner.ending}()"))
    return linked is None or any(ir.RAISE in each for each in linked.raises)


def _add(owner: Owner, draft: Draft, body: Node) -> bool:
    """A new method at the end of the class, which implements AutoCloseable where nothing had to be called on it."""
    name = owner.ending or "close"
    inherited = [each for each in owner.program.methods(owner.declared.name, name) if not each.parameters]
    if owner.throws is None or inherited:
        return False
    is_override = name == "close" and (not owner.ending or _is_closeable(owner))
    indent = text.indentation(owner.data, owner.field.start)
    throws = f" throws {', '.join(owner.throws)}" if owner.throws else ""
    lines = "\n" + ("@Override\n" if is_override else "") + _annotation(owner, draft)
    lines += f"public void {name}(){throws} {{\n{text.reindented(_release(owner, draft.unit, ''), draft.unit)}}}\n"
    if not text.starts_line(owner.data, body.end - 1):
        return False
    draft.insert_lines(body.end - 1, lines, indent)
    if not owner.ending:
        _implement(owner, draft, body)
    return True


def _is_closeable(owner: Owner) -> bool:
    return owner.program.is_subtype(owner.declared.name, "java.lang.AutoCloseable") is True


def _implement(owner: Owner, draft: Draft, body: Node) -> None:
    path = owner.tree.path(body.start, body.end)
    declaration = path[path.index(body) - 1]
    interfaces = child(declaration, "super_interfaces")
    if interfaces is not None:
        draft.insert(interfaces.end, ", AutoCloseable")
        return
    last = max(kid.end for kid in declaration.kids if kid.end <= body.start and kid.kind not in tree.COMMENTS)
    draft.insert(last, " implements AutoCloseable")


def _annotation(owner: Owner, draft: Draft) -> str:
    """What the method now ensures, where the class speaks that language."""
    if not any(each.partition("(")[0].rpartition(".")[2] == "Owning" for each in owner.field.attributes):
        return ""
    unit = owner.program.unit(owner.path)
    imports = unit.imports if unit is not None else ()
    if not {_ENSURES, f"{_ENSURES.rpartition('.')[0]}.*"} & set(imports):
        insert_import(draft, _ENSURES)
    return f'@EnsuresCalledMethods(value = "this.{owner.field.name}", methods = "{owner.method}")\n'


# --- the proof


def _proof(owner: Owner, edits: tuple[Edit, ...], options: Options) -> tuple[Check, ...]:
    data = apply(owner.data, edits)
    patched = owner.program.beside_with({owner.path: data})
    found = {"parses": (PROVED, "no new syntax error")}
    if tree.parse_file("java", data).errors:
        found["parses"] = (REFUTED, "the patched text has a syntax error")
    else:
        found.update(_judged(owner, patched, options))
    return tuple(Check(name, *found[name]) for name in CHECKS if name in found)


def _judged(owner: Owner, patched: Program, options: Options) -> dict[str, tuple[Verdict, str]]:
    makers = [each for each in owner.program.callers(owner.simple) if each.path != owner.path]
    keys = dict.fromkeys((*owner.program.procedures_of(owner.path), *makers[:MAX_MAKERS]))
    keys.setdefault(ProcedureKey(owner.path, owner.finding.procedure))
    there = set(patched.procedures_of(owner.path))
    now = [key for key in (*keys, *there - keys.keys()) if key.path != owner.path or key in there or "<init>" in key.name]
    before = Counter(key_of(each) for each in analyze(owner.program, list(keys), options.detectors).findings)
    after = analyze(patched, now, options.detectors).findings
    counts = Counter(key_of(each) for each in after)
    is_gone = counts[key_of(owner.finding)] < before[key_of(owner.finding)]
    added = [each for each in after if counts[key_of(each)] > before[key_of(each)]]
    return {
        "finding is gone": (PROVED, "no detector reports it") if is_gone else (REFUTED, STILL_REPORTED),
        "no new finding": _added(owner, added, len(makers) > MAX_MAKERS),
        "no use after release": (ASSUMED, f"nobody uses `{owner.field.name}` after `{owner.ending or 'close'}()`"),
        "name in scope": (PROVED, "every name means what it did"),
        "no new unhandled exception": (PROVED, "what is thrown is declared or handled"),
        "comments kept": (PROVED, "all of them"),
        "idempotent": (PROVED, "the patched text needs no further fix"),
    }


def _added(owner: Owner, added: Sequence[Finding], is_cut: bool) -> tuple[Verdict, str]:
    other = next((each for each in added if each.resource != owner.declared.name), None)
    if other is not None:
        return REFUTED, f"then `{other.text or other.resource}` would be reported"
    if added:
        places = ", ".join(dict.fromkeys(f"`{simple_name(each.procedure)}`" for each in added))
        return ASSUMED, f"who makes a `{owner.simple}` has to close it from now on: {places}"
    if is_cut:
        return ASSUMED, "not everybody who makes one was analysed"
    return PROVED, "everybody who makes one closes it"
