"""`A a = open(x); File f = new File(d, "n"); B b = open(f); … b.close(); a.close();`: one header for both, below the plain values between them.

Only where what stands between makes texts, paths and numbers of what does not change, which may as well be made before; the code closes both
in one go. Misses values that ask anything else: then one block stands inside of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java import closing
from fixers.java.closing import lead_of
from fixers.java.header import has_throwing_wrapper, resources, try_line
from fixers.java.held import needed_later
from fixers.java.region import Region
from fixers.java.scope import Scope, index_in
from fixers.java.statements import (
    annotated,
    call_parts,
    declarators,
    declared,
    declared_type,
    initialiser,
    statements,
)
from fixers.java.try_with_resources import (
    around_wrappers,
    closes_of,
    ended,
    has_body,
    is_long,
    prepared,
    wrappers_behind,
)
from fixers.java.wrapping import (
    can_hoist,
    has_own_lines,
    hoist,
    indent_region,
    is_constant,
    is_plain_between,
    open_block,
    unchanging,
)
from fixers.leak import Candidate, Leak, Refusal
from fixers.tree import Tree, child, find
from fixers.unchanged import SYSTEM_CONSTANTS


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The candidate, if there is one."""
    found = prepared(leak)
    if found is None:
        return
    shape, scope = found
    container = shape.container
    if shape.kind != "declared" or container is None or len(declarators(shape.statement)) != 1 or scope.is_reassigned():
        return
    if has_body(shape.outer) or shape.outer.kind == "switch_expression" or needed_later(scope, container):
        return
    first = index_in(container, shape.statement) + 1
    above = _plain_values(scope, container, first)
    wrappers = wrappers_behind(scope, container, first + len(above)) if above else []
    if not wrappers or lead_of(leak.data, shape.statement.start) < shape.statement.start:
        return
    written = " ".join((*annotated(leak.tree, shape.statement), declared_type(leak.tree, shape.statement)))
    header = resources(leak, scope, written, shape.variable, split=has_throwing_wrapper(scope))
    together = scope.together_with([name for each in wrappers for name in declared(leak.tree, each)])
    region, lines = around_wrappers(leak, together, header, wrappers)
    yield from _in_one_header(leak, together, region, lines, above, wrappers)


def _in_one_header(leak: Leak, scope: Scope, region: Region, lines: list[str], above: list[Node], wrappers: list[Node]) -> Iterator[Candidate]:
    """A new block whose header has all of them, below what stood between."""
    statement, moved = scope.shape.statement, (*above, *wrappers)
    has_lines = all(has_own_lines(leak.data, (each,)) and lead_of(leak.data, each.start) == each.start for each in moved)
    if not region.body or not has_lines or not has_own_lines(leak.data, (statement, *region.body)) or not is_plain_between(leak.data, statement, region.body):
        return
    if not can_hoist(leak.tree, region) or is_long(leak, region):
        return
    closes = [*(each for each in scope.closes() if region.body[0].start <= each.start and each.end <= region.body[-1].end), *closes_of(leak, scope, region, wrappers)]
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    if closing.remove(draft, scope.root, sorted(closes, key=lambda node: node.start)):
        return
    indent = text.indentation(leak.data, statement.start)
    for each in moved:
        draft.remove(each.start, each.end)
    draft.insert_lines(statement.start, "".join(f"{leak.tree.text(each)}\n" for each in above), indent)
    hoist(draft, leak.tree, region, statement)
    open_block(draft, statement, region.body, try_line(lines, indent, draft), indent)
    indent_region(draft, region.body, statement.end)
    yield from ended(scope, draft, region, indent)


def _plain_values(scope: Scope, container: Node, first: int) -> list[Node]:
    """The declarations from a place on that make one value each of what does not change, on a line."""
    tree, body = scope.tree, statements(container)
    fixed = unchanging(tree, Region(first, len(body) - 1, tuple(body[first:]))) - {scope.variable}
    found: list[Node] = []
    for each in body[first:]:
        names = declarators(each)
        value = initialiser(names[0]) if len(names) == 1 else None
        if value is None or b"\n" in tree.data[each.start : each.end] or not (is_constant(tree, value, fixed) or _is_made_of(tree, value, fixed)):
            break
        if any(tree.text(name).isupper() and not _is_final(scope.leak, tree.text(name)) for name in find(value, "identifier")):
            break  # What opens the first may assign it.
        found.append(each)
        fixed.add(tree.text(names[0].kids[0]))
    return found


def _is_final(leak: Leak, name: str) -> bool:
    """Whether the file declares a field of a name to be final; of others nobody knows who assigns them."""
    return re.search(rb"\bfinal\s[^;={}()]*\b" + re.escape(name.encode()) + rb"\s*=", leak.data) is not None


_ASKING = frozenset(("lastIndexOf", "indexOf", "trim", "toLowerCase", "toUpperCase"))
"""What a text may be asked at any time."""


def _is_made_of(tree: Tree, value: Node, fixed: set[str]) -> bool:
    """Whether a value is a text, a number or a path that is made of `fixed` variables and literals, and of how the system parts paths; that they are
    texts is for the proof to say. What may be none (`substring` from anywhere) is no such value."""
    if value.kind.endswith("_literal"):
        return True
    if value.kind == "identifier":
        return tree.text(value) in fixed or tree.text(value).isupper()
    if value.kind in ("binary_expression", "parenthesized_expression"):
        return all(_is_made_of(tree, kid, fixed) for kid in value.kids if kid.kind not in ("+", "(", ")"))
    if value.kind == "field_access":
        return tree.text(value).removeprefix("java.io.") in ("File.separator", "File.pathSeparator", "File.separatorChar")
    if value.kind == "object_creation_expression":
        written, arguments = child(value, "type_identifier", "scoped_type_identifier"), child(value, "argument_list")
        is_path = written is not None and tree.text(written) in ("File", "java.io.File") and child(value, "class_body") is None
        return is_path and arguments is not None and all(_is_made_of(tree, kid, fixed) for kid in arguments.kids if kid.kind not in ("(", ")", ","))
    receiver, name, given = call_parts(tree, value) if value.kind == "method_invocation" else (None, "", [])
    if receiver is None:
        return False
    if tree.text(receiver) == "System":
        return name == "getProperty" and len(given) == 1 and tree.text(given[0]) in SYSTEM_CONSTANTS
    if name == "substring":
        return _is_made_of(tree, receiver, fixed) and len(given) == 1 and _is_behind_last(tree, given[0], receiver)
    return name in _ASKING and _is_made_of(tree, receiver, fixed) and all(_is_made_of(tree, each, fixed) for each in given)


def _is_behind_last(tree: Tree, value: Node, whole: Node) -> bool:
    """Whether a place is right behind the last of something in a text, or its beginning: always one."""
    parts = [kid for kid in value.kids if kid.kind != "+"] if value.kind == "binary_expression" else []
    if len(parts) != 2 or tree.text(parts[1]) != "1" or len(value.kids) != 3 or value.kids[1].kind != "+":
        return False
    receiver, name, given = call_parts(tree, parts[0]) if parts[0].kind == "method_invocation" else (None, "", [])
    is_one = len(given) == 1 and (given[0].kind == "character_literal" or (given[0].kind == "string_literal" and given[0].end - given[0].start == 3))
    return name == "lastIndexOf" and is_one and receiver is not None and receiver.kind == "identifier" and tree.text(receiver) == tree.text(whole)
