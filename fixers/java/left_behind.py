"""What a patch that takes statements out would leave behind: imports of what nobody names any more, one blank line below another, and
objects that were made only to be put into what goes.

Leaves imports alone that a comment mentions, that are static, or that bring in a whole package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.statements import assignment, call_parts, declarators, identifiers, initialiser, statements
from fixers.tree import COMMENTS, Tree, child, find, walk


def tidied(draft: Draft, tree: Tree) -> None:
    """Take out, too, what the removals of a draft leave nothing to do; `tree` is that of the whole file."""
    _close_gaps(draft)
    names = _unnamed_any_more(draft, tree)
    for each in find(tree.root, "import_declaration"):
        imported = child(each, "scoped_identifier")
        is_plain = imported is not None and child(each, "asterisk") is None and child(each, "static") is None
        if imported is not None and is_plain and tree.text(imported).rpartition(".")[2] in names:
            draft.remove(each.start, each.end)


def _close_gaps(draft: Draft) -> None:
    """Leave no blank line below another, or above the end of a block, where only lines that go stood between them."""
    data = draft.data
    runs: list[list[int]] = []
    at = 0
    while at < len(data):
        following = text.next_line(data, at)
        if draft.is_removed(at):
            if runs and runs[-1][1] == at:
                runs[-1][1] = following
            else:
                runs.append([at, following])
        at = following
    for start, end in runs:
        above = text.line_start(data, start - 1) if start else -1
        below = data[end : text.next_line(data, end)].strip()
        if above < 0 or end >= len(data) or draft.is_removed(above):
            continue
        if (words := data[above:start].strip()) and not words.endswith(b"{"):
            continue
        if not below:
            draft.remove_line(end)
        elif not words and below.startswith(b"}") and data[start:end].strip():
            draft.remove_line(above)


def _unnamed_any_more(draft: Draft, tree: Tree) -> set[str]:
    """The words that stand only in what goes, or in imports."""
    gone: set[str] = set()
    left: set[str] = set()
    imports = list(find(tree.root, "import_declaration"))
    for node in walk(tree.root):
        if node.kids or any(each.start <= node.start < each.end for each in imports):
            continue
        if node.kind in COMMENTS:
            left.update(_words(tree.text(node)))
        elif node.kind in ("identifier", "type_identifier"):
            (gone if draft.is_removed(node.start) else left).add(tree.text(node))
    return gone - left - {word for each in draft.texts() for word in _words(each)}


def _words(written: str) -> Iterator[str]:
    return iter("".join(letter if letter.isalnum() or letter in "_$" else " " for letter in written).split())


def made_for_nothing(tree: Tree, stores: Sequence[Node]) -> str:
    """A variable whose object was made only to be stored by statements that go: it would still be made, and filled."""
    return _only_stored(tree, stores, "object_creation_expression")


def asked_for_nothing(tree: Tree, stores: Sequence[Node]) -> str:
    """A variable that only statements that go use, of what a call gives: nobody would use it any more."""
    return _only_stored(tree, stores, "method_invocation")


def _only_stored(tree: Tree, stores: Sequence[Node], kind: str) -> str:
    for store in stores:
        path = tree.path(store.start, store.end)
        method = next((each for each in reversed(path) if each.kind in ("method_declaration", "constructor_declaration", "lambda_expression")), None)
        call = child(store, "method_invocation")
        given = call_parts(tree, call)[2] if call is not None else []
        for name in [tree.text(each) for each in given if each.kind == "identifier"] if method is not None else ():
            if method is not None and _is_only_made(tree, method, name, stores, kind):
                return name
    return ""


def _is_only_made(tree: Tree, method: Node, name: str, stores: Sequence[Node], kind: str) -> bool:
    """Whether a variable of a method that an expression of some kind fills is only given values, and stored."""
    declared = [one for each in find(method, "local_variable_declaration") for one in declarators(each) if tree.text(one.kids[0]) == name]
    made = initialiser(declared[0]) if len(declared) == 1 else None
    if made is None or made.kind != kind:
        return False
    mentions = [each for each in identifiers(method) if tree.text(each) == name and each.start > declared[0].start]
    settings = [each for each in _statements_below(method) if _sets(tree, each, name)]
    return all(
        any(each.start <= one.start < each.end for each in stores) or any(each.start == one.start for each in settings) for one in mentions
    )


def _statements_below(method: Node) -> Iterator[Node]:
    for each in find(method, "block", "constructor_body", "switch_block_statement_group"):
        yield from statements(each)


def _sets(tree: Tree, statement: Node, name: str) -> bool:
    """`name.member = value;` or `name.setMember(value);`"""
    parts = assignment(statement)
    if parts is not None:
        return parts[0].kind == "field_access" and tree.text(parts[0].kids[0]) == name
    call = child(statement, "method_invocation") if statement.kind == "expression_statement" else None
    receiver, called, _ = call_parts(tree, call) if call is not None else (None, "", [])
    return receiver is not None and tree.text(receiver) == name and called.startswith("set")
