"""Whether an exception that a fix adds (what closing throws) is allowed where it is thrown.

Checked exceptions only: some `catch` around it or the method's `throws` must name the type or one above it.
A lambda's allowance is that of an interface that is seldom known: ASSUMED there.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import Program, ir
from analyzers.queries import Linked, Queries
from analyzers.syntax import Node
from fixers.fix import Verdict
from fixers.java.statements import TRIES, catches, try_body
from fixers.tree import Tree, child, find

_JDK = ("java.", "javax.", "jdk.", "org.w3c.", "org.xml.")
_UNCHECKED = ("java.lang.RuntimeException", "java.lang.Error")
EVERYTHING = ("Exception", "Throwable", "java.lang.Exception", "java.lang.Throwable")
"""What lets every exception pass."""

Judgement = tuple[Verdict, str]


def closing_throws(program: Program, type_name: str, method: str) -> tuple[str, ...] | None:
    """The exceptions that releasing an object of a type may throw at most; None where the type is not known."""
    told = told_throws(program, type_name, method)
    if told is not None:
        return told
    found = [each for each in program.methods(type_name, method) if not each.parameters]
    if found and (found[0].owner == type_name or program.declaring_file(found[0].owner)):
        return found[0].throws
    inherited = [told_throws(program, each, method) for each in program.supertypes(type_name)]
    # What a model says of a library's type is nearer than the interface of the JDK above it, which lets more pass.
    return next((each for each in inherited if each is not None), found[0].throws if found else None)


def has_none(program: Program, type_name: str, method: str) -> bool:
    """Whether a type is known, and known not to have a method."""
    if not type_name or program.is_subtype(type_name, "java.lang.AutoCloseable") is not False:
        return False
    return not program.methods(type_name, method)


def told_throws(program: Program, type_name: str, method: str) -> tuple[str, ...] | None:
    """What the specs say of the method of this very type; None for nothing."""
    model = program.model((f"{type_name}.{method}",), ())
    if model is None or not model.throws:
        return program.specs.closing_throws(type_name, method)
    return () if "nothing" in model.throws else model.throws


def surely_throws(program: Program, type_name: str, method: str) -> tuple[str, ...] | None:
    """The same, where a handler has to name them: what a type inherits in models alone, it may override with fewer. None then."""
    thrown = closing_throws(program, type_name, method)
    is_declared = type_name.startswith(_JDK) or bool(program.declaring_file(type_name)) or told_throws(program, type_name, method) is not None
    if not thrown or is_declared:
        return thrown
    owners = {each.owner for each in program.methods(type_name, method) if not each.parameters}
    return thrown if type_name in owners else None


def checked(queries: Queries, thrown: Sequence[str]) -> list[str]:
    """The exceptions among some that the language wants handled."""
    return [name for name in thrown if not any(queries.is_subtype(name, each) is True for each in _UNCHECKED)]


def escaping(linked: Linked) -> frozenset[str]:
    """The exceptions that a procedure is known to let out: who compiled it has checked that it may."""
    return frozenset(
        name for node, names in linked.thrown.items()
        if linked.raises[node] == (ir.RAISE,) and node not in linked.believed
        for name in names
    )


def allowed(
    queries: Queries, tree: Tree, at: int, path: str, owner: str, thrown: Sequence[str] | None,
    out_of_lambda: frozenset[str] = frozenset(),
) -> Judgement:
    """Whether exceptions thrown by the statement or the header at an offset have somewhere to go.

    `thrown` None: nobody knows them; then only a place that lets everything pass is good enough. `out_of_lambda`: what
    the lambda around it, if one is, lets out already.
    """
    names = None if thrown is None else checked(queries, thrown)
    if names is not None and not names:
        return Verdict.PROVED, "closing throws no checked exception"
    handled, is_lambda = handlers(tree, at)
    if any(name in EVERYTHING for name in handled):
        return Verdict.PROVED, "every exception is handled or declared here"
    if names is None:
        if any(queries.resolve_type(path, owner, name) == "java.io.IOException" for name in handled):
            return Verdict.ASSUMED, "what closing throws is not known; IOException is allowed here"
        return Verdict.ASSUMED, "what closing throws is not known"
    known = [queries.resolve_type(path, owner, name) or name for name in handled]
    for name in names:
        answers = [queries.is_subtype(name, each) for each in known]
        if True in answers:
            continue
        if is_lambda and any(queries.is_subtype(name, each) is True for each in out_of_lambda):
            continue
        if is_lambda:
            return Verdict.ASSUMED, f"whether the lambda may throw {_simple(name)} is not known"
        if None in answers:
            return Verdict.ASSUMED, f"whether {_simple(name)} is handled here is not known"
        return Verdict.REFUTED, f"closing throws {_simple(name)}, which is neither handled nor declared here"
    return Verdict.PROVED, f"{', '.join(_simple(name) for name in names)} is handled or declared here"


def unmet(queries: Queries, tree: Tree, at: int, path: str, owner: str, thrown: Sequence[str], ranges: Sequence[tuple[int, int]]) -> str:
    """What a handler that a patch wrote (within `ranges` of the new text) would catch around a close at an offset, which does not throw
    that: the language takes no such handler. Empty for nothing."""
    for node in reversed(tree.path(at, at + 1)):
        body, specification = (try_body(node), child(node, "resource_specification")) if node.kind in TRIES else (None, None)
        if not any(each is not None and each.start <= at < each.end for each in (body, specification)):
            continue
        written = [each for each in catches(node) if any(low <= each.start < high for low, high in ranges)]
        for name in (one for each in written for one in caught(tree, each)):
            known = queries.resolve_type(path, owner, name) or name
            is_checked = name not in EVERYTHING and not any(queries.is_subtype(known, each) is True for each in _UNCHECKED)
            if is_checked and not any(queries.is_subtype(each, known) is not False or queries.is_subtype(known, each) is not False for each in thrown):
                return name
        if written:
            return ""
    return ""


def passes_already(tree: Tree, calls: Sequence[int], syntax: Tree, at: int) -> bool:
    """Whether one of the calls of the code as it was, at these offsets, met no other handlers than a place in the new
    code: what it throws, whatever that is, has somewhere to go there."""
    handled = handlers(syntax, at)
    return any(handlers(tree, each) == handled for each in calls)


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def handlers(tree: Tree, at: int) -> tuple[list[str], bool]:
    """The types, as written, that the catches around an offset and the method's `throws` name; whether a
    lambda ends the search."""
    found: list[str] = []
    for node in reversed(tree.path(at, at + 1)):
        if node.kind in TRIES:
            body = try_body(node)
            specification = child(node, "resource_specification")
            inside = [each for each in (body, specification) if each is not None]
            if any(each.start <= at < each.end for each in inside):
                found += [name for clause in catches(node) for name in caught(tree, clause)]
        elif node.kind in ("method_declaration", "constructor_declaration"):
            clause = child(node, "throws")
            found += [tree.text(kid) for kid in clause.kids if "type" in kid.kind] if clause is not None else []
            return found + _sneaked(tree, node), False
        elif node.kind == "lambda_expression":
            return found, True
        elif node.kind in ("static_initializer", "class_body"):
            return found, False
    return found, False


def _sneaked(tree: Tree, method: Node) -> list[str]:
    """What Lombok lets a method throw without a declaration: everything, or the classes that `@SneakyThrows` names."""
    modifiers = child(method, "modifiers")
    for each in modifiers.kids if modifiers is not None else ():
        if each.kind.endswith("annotation") and tree.text(each).lstrip("@").partition("(")[0].rpartition(".")[2] == "SneakyThrows":
            return [tree.text(one).removesuffix(".class") for one in find(each, "class_literal")] or ["Throwable"]
    return []


def caught(tree: Tree, clause: Node) -> list[str]:
    """The types that a catch clause names."""
    types = next(find(clause, "catch_type"), None)
    return [tree.text(kid) for kid in types.kids if "type" in kid.kind] if types is not None else []
