"""A handler behind a try header for what closing alone throws, where nobody may throw that: `} catch (IOException e) { … }`.

The language has checked that nothing in the block throws it. Where control would come out behind the block that did not before, or a
variable might not have its value then, the handler throws what needs no declaration. Declines where there is no such thing, and where it
is not known what the places around it handle.
"""

from __future__ import annotations

import re

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java.exceptions import EVERYTHING, caught, handlers
from fixers.java.imports import import_named, insert_import
from fixers.java.naming import unused_at
from fixers.java.region import Region
from fixers.java.scope import Scope
from fixers.java.statements import (
    LATER,
    LOOPS,
    TRIES,
    assigns,
    catches,
    completes,
    declarators,
    initialiser,
    uses,
)
from fixers.tree import COMMENTS, child, find
from templates import render

_JUMPS = ("return_statement", "yield_statement", "break_statement", "continue_statement")


UNCHECKED = "java.io.UncheckedIOException"
"""What an IOException comes in where nobody declares that."""

_FOREIGN = re.compile(rb"^\s*import\s+(?!javax?\.)[\w.]+\.\*", re.MULTILINE)
"""A package that is imported whole, and of which nobody knows what it holds."""

_UNCHECKED_LEVEL = 8
"""The language level that brought it."""


def handler_of_closing(scope: Scope, region: Region, draft: Draft) -> str:
    """The lines that end a block whose header closes the resource, with such a handler; empty where there must be none. The draft gets
    the imports that it needs."""
    leak = scope.leak
    thrown = [each for each in leak.caught.split(" | ") if each]
    if not thrown or not {each.rpartition(".")[2] for each in thrown}.isdisjoint(EVERYTHING) or not region.body:
        return ""
    if any(catches(each) for statement in region.body for each in find(statement, *TRIES)):
        return ""  # Handlers inside of handlers are hard to tell apart: the `finally` of the one that is there does.
    if b"neakyThrow" in leak.data:
        return ""  # There the language has checked nothing.
    handled, is_lambda = handlers(leak.tree, scope.shape.statement.start)
    if is_lambda or any(_may_meet(scope, each, other) for each in thrown for other in handled):
        return ""
    is_free = _comes_out(region.body[-1]) and not any(_leaves(each) for each in region.body) and not _gives_value(scope, region)
    if not is_free and any(_is_quiet(scope, each) for each in scope.closes()):
        return ""
    known = leak.resolve(_simple(UNCHECKED))
    if _simple(UNCHECKED).encode() not in leak.data and (known != UNCHECKED or _FOREIGN.search(leak.data)):
        known = ""  # Not named yet, and `java.io.*` may not be the only one to bring it.
    if not is_free and (thrown not in (["IOException"], ["java.io.IOException"]) or leak.level < _UNCHECKED_LEVEL or known not in ("", UNCHECKED)):
        return ""
    if not is_free and not known:
        insert_import(draft, UNCHECKED)
    import_named(draft, leak.unnamed)
    name = unused_at(leak.tree, scope.shape.statement, "e", "ex", "closing")
    return render("fixes/java/only_closing", caught=leak.caught, exception=name, unit=draft.unit, unchecked="" if is_free else _simple(UNCHECKED))


def meet_beside(scope: Scope, owner: Node, draft: Draft) -> None:
    """Let the only handler of a `try` that is to get the header meet what closing throws, where it is for the same in an exception that nobody
    has to declare, and asks nothing of it: `catch (UncheckedIOException | IOException e)`."""
    leak, clauses = scope.leak, catches(owner)
    if {each.rpartition(".")[2] for each in leak.caught.split(" | ")} != {"IOException"} or len(clauses) != 1 or leak.level < _UNCHECKED_LEVEL:
        return
    parameter, block = child(clauses[0], "catch_formal_parameter"), child(clauses[0], "block")
    types = child(parameter, "catch_type") if parameter is not None else None
    name = child(parameter, "identifier") if parameter is not None else None
    if types is None or name is None or block is None or [_simple(each) for each in caught(scope.tree, clauses[0])] != [_simple(UNCHECKED)]:
        return
    handled, is_lambda = handlers(scope.tree, owner.start)
    if is_lambda or uses(scope.tree, block, [scope.tree.text(name)]) or any(_may_meet(scope, "IOException", each) for each in handled):
        return
    draft.insert(types.end, " | IOException")
    import_named(draft, leak.unnamed)


def _is_quiet(scope: Scope, close: Node) -> bool:
    """Whether nobody hears of a close of the code's own that fails."""
    return any(True for _ in find(close, "catch_clause")) or scope.is_quiet(close)


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def _may_meet(scope: Scope, thrown: str, handled: str) -> bool:
    """Whether an exception may be one of a kind that is handled, or the other way round."""
    leak = scope.leak
    known = leak.resolve(handled) or handled
    closing = next((each for each in leak.unnamed if each.rpartition(".")[2] == thrown), "") or leak.resolve(thrown) or thrown
    return leak.is_below(closing, known) is not False or leak.is_below(known, closing) is not False


def _comes_out(last: Node) -> bool:
    """Whether control comes out at the end of a statement, as far as its shape tells."""
    if last.kind in LOOPS and not any(True for _ in find(last, "break_statement")):
        kids = [kid for kid in last.kids if kid.kind not in COMMENTS]
        asked = next((kid for kid in kids if kid.kind == "parenthesized_expression"), None)
        is_endless = last.kind == "for_statement" and [kid.kind for kid in kids[:5]].count(";") == 2 and kids[[kid.kind for kid in kids].index(";") + 1].kind == ";"
        if is_endless or (asked is not None and any(kid.kind == "true" for kid in asked.kids)):
            return False
    return completes(last)


def _leaves(statement: Node, inside: frozenset[str] = frozenset()) -> bool:
    """Whether a jump may lead out of a statement. `inside`: the jumps without a label that end within it."""
    if statement.kind in LATER:
        return False
    if statement.kind in _JUMPS:
        labelled = any(kid.kind == "identifier" for kid in statement.kids)
        return statement.kind not in inside or (labelled and statement.kind != "yield_statement")
    if statement.kind in LOOPS:
        inside |= {"break_statement", "continue_statement"}
    elif statement.kind == "switch_expression":
        inside |= {"break_statement", "yield_statement"}
    return any(_leaves(kid, inside) for kid in statement.kids)


def _gives_value(scope: Scope, region: Region) -> bool:
    """Whether a variable without a value gets one in a block and is used behind it."""
    body, end = region.body, region.body[-1].end
    if region.hoisted:
        return True
    for declaration in find(scope.root, "local_variable_declaration"):
        for each in declarators(declaration):
            if initialiser(each) is not None or declaration.start >= body[0].start:
                continue
            name = scope.tree.text(each.kids[0])
            is_given = any(True for statement in body for _ in assigns(scope.tree, statement, name))
            if is_given and any(other.start >= end for other in scope.closer_of(name).mentions(scope.root, [])):
                return True
    return False
