"""Statements that only close a resource, and how to take them out where a fix makes them redundant.

`v.close();`, `closeQuietly(v);`, either of them behind `if (v != null)` or in a `try` whose handlers only
report; a `finally` that held nothing else goes with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.statements import (
    CONTAINERS,
    TRIES,
    call_parts,
    catches,
    final_block,
    identifiers,
    statements,
    try_body,
)
from fixers.only_closing import TELLING
from fixers.tree import COMMENTS, Tree, child, find, walk

_EMPTIABLE = frozenset(("catch_clause", "finally_clause", "method_declaration", "constructor_declaration", "program"))
"""Whose block may be left empty."""

_QUIET = frozenset(("closeStream", "cleanup", "cleanupWithLogger"))
_PROMISES = (
    "quiet", "silent", "safe", "attempt", "ignor", "nothrow", "noexception", "swallow", "orlog", "logged", "logexception", "withwarning",
    "whilehandling",
)  # fmt: skip
"""What closes and swallows what that throws, by its name, or by what a name promises beside `close`."""


def is_named_quiet(name: str) -> bool:
    """Whether a method of this name closes and swallows what that throws."""
    words = name.lower()
    return name in _QUIET or ("close" in words and any(each in words for each in _PROMISES))


class Closer:
    """Recognises what closes one variable. `releases` tells of a call that is given the variable whether it does; `only_closes` whether a
    call does nothing but close what it is given; `beside` are variables that are closed together with this one; in `flushed_in`, the
    `finally` clauses, a flush is as good as a close, which flushes, too. `opened_when` is the test that it is opened behind, and that
    answers the same later: to ask that again is to ask whether it is there."""

    def __init__(
        self,
        tree: Tree,
        variable: str,
        methods: frozenset[str],
        releases: Callable[[Node], bool],
        only_closes: Callable[[Node], bool] = lambda call: False,
        beside: frozenset[str] = frozenset(),
        flushed_in: tuple[Node, ...] = (),
        opened_when: str = "",
    ) -> None:
        self.tree = tree
        self.variable = variable
        self.methods = methods
        self.releases = releases
        self.only_closes = only_closes
        self.beside = beside
        self.flushed_in = flushed_in
        self.opened_when = opened_when

    def is_close(self, statement: Node) -> bool:
        """Whether a statement does nothing but close the variable."""
        match statement.kind:
            case "expression_statement":
                call = child(statement, "method_invocation")
                return call is not None and self._closes(call)
            case "if_statement":
                return self._is_guarded(statement)
            case "try_statement":
                return self._is_protected(statement)
            case "block":
                inner = statements(statement)
                return bool(inner) and all(self.is_close(each) for each in inner)
            case _:
                return False

    def _closes(self, call: Node) -> bool:
        receiver, name, given = call_parts(self.tree, call)
        if not given:
            is_flush = name == "flush" and any(each.start < call.start < each.end for each in self.flushed_in)
            return receiver is not None and self._is_variable(receiver) and (name in self.methods or is_flush)
        there = [each for each in given if each.kind != "null_literal"]
        if not any(map(self._is_variable, there)) or not all(self._is_among(each) for each in there):
            return False
        return self.only_closes(call) or (len(there) == 1 and ("close" in name.lower() or name in self.methods) and self.releases(call))

    def _is_variable(self, node: Node) -> bool:
        return node.kind == "identifier" and self.tree.text(node) == self.variable

    def _is_among(self, node: Node) -> bool:
        """Whether an argument is the variable, or one that is closed together with it."""
        return self._is_variable(node) or (node.kind == "identifier" and self.tree.text(node) in self.beside)

    def _is_guarded(self, statement: Node) -> bool:
        kids = [kid for kid in statement.kids if kid.kind not in COMMENTS]
        if len(kids) != 3 or kids[1].kind != "parenthesized_expression":
            return False
        if self.opened_when and self.tree.text(kids[1]) == self.opened_when:
            return self.is_close(kids[2])
        condition = next((kid for kid in kids[1].kids if kid.kind in ("binary_expression", "unary_expression")), None)
        return condition is not None and self._is_there(condition) and self.is_close(kids[2])

    def _is_there(self, condition: Node) -> bool:
        """Whether a test asks at most whether the variable is null, and closed already."""
        kids = [kid for kid in condition.kids if kid.kind not in COMMENTS]
        if condition.kind == "binary_expression" and len(kids) == 3 and kids[1].kind == "&&":
            return self._is_there(kids[0]) and self._is_there(kids[2])
        if condition.kind == "unary_expression":
            receiver, name, given = call_parts(self.tree, kids[1]) if kids[0].kind == "!" and kids[1].kind == "method_invocation" else (None, "", [])
            return receiver is not None and self._is_variable(receiver) and name == "isClosed" and not given
        return condition.kind == "binary_expression" and self._is_null_test(condition)

    def _is_null_test(self, condition: Node) -> bool:
        kids = [kid for kid in condition.kids if kid.kind not in COMMENTS]
        if len(kids) != 3 or kids[1].kind != "!=":
            return False
        sides = {kids[0].kind, kids[2].kind}
        return sides == {"identifier", "null_literal"} and any(self._is_variable(kid) for kid in (kids[0], kids[2]))

    def _is_protected(self, statement: Node) -> bool:
        body = try_body(statement)
        if body is None or final_block(statement) is not None or not self.is_close(body):
            return False
        return self.only_reports(statement)

    def only_reports(self, statement: Node) -> bool:
        """Whether the handlers of a `try` at most tell of what they meet."""
        return all(self._only_reports(child(each, "block")) for each in catches(statement))

    def _only_reports(self, block: Node | None) -> bool:
        for statement in statements(block) if block is not None else ():
            call = child(statement, "method_invocation")
            if statement.kind != "expression_statement" or call is None:
                return False
            if call_parts(self.tree, call)[1] not in TELLING:
                return False
        return True

    def closes(self, within: Node) -> list[Node]:
        """The outermost closing statements below a node that can be taken out, in the order of the source: no only
        branches, and nothing that would leave an empty branch, loop or protected block behind."""
        return list(self._outermost(within, within))

    def _outermost(self, node: Node, around: Node) -> Iterator[Node]:
        inner = statements(node) if node.kind in CONTAINERS else []
        can_go = bool(inner) and (around.kind in _EMPTIABLE or not all(map(self.is_close, inner)))
        for kid in node.kids:
            if not kid.kids or kid.kind in ("class_body", "lambda_expression") or self.tree.data.find(b";", kid.start, kid.end) < 0:
                continue  # There is no statement in it.
            if kid.kind != "block" and self.is_close(kid):
                if can_go:
                    yield kid
            else:
                yield from self._outermost(kid, node)

    def uses_besides(self, within: Node, closes: list[Node]) -> bool:
        """Whether the variable is mentioned below a node outside of some statements."""
        return any(True for _ in self.mentions(within, closes))

    def mentions(self, within: Node, left_out: list[Node]) -> Iterator[Node]:
        """Where the variable is mentioned below a node outside of some statements."""
        inner = [each for each in left_out if within.start <= each.start and each.end <= within.end]
        for each in identifiers(within):
            if self._is_variable(each) and not any(other.start <= each.start < other.end for other in inner):
                yield each


def protected(closer: Closer, closes: Sequence[Node]) -> list[Node]:
    """Closes, with the `try` instead of those that are all of its block, where its handlers at most tell of what they throw."""
    found: list[Node] = []
    for each in closes:
        path = closer.tree.path(each.start, each.end)
        at = next((n for n, node in enumerate(path) if node is each), 0)
        owner = path[at - 2] if at > 1 else None
        body = try_body(owner) if owner is not None and owner.kind == "try_statement" else None
        is_all = body is not None and body is path[at - 1] and all(one in closes for one in statements(body))
        is_gone = owner is not None and is_all and final_block(owner) is None and closer.only_reports(owner)
        node = owner if is_gone and owner is not None else each
        if node not in found:
            found.append(node)
    return found


def remove(draft: Draft, root: Node, closes: list[Node]) -> list[Node]:
    """Take closing statements out, each once. Returns the try statements that lost their `finally`."""
    bare = []
    gone = set()
    for statement in {each.start: each for each in closes}.values():
        found = _emptied(root, statement, closes)
        if found is None:
            draft.remove(statement.start, _with_comment_behind(draft.data, statement))
            _remove_comment(draft, statement, closes)
            continue
        owner, clause = found
        if clause.start in gone:
            continue
        gone.add(clause.start)
        draft.replace(_behind(owner, clause), clause.end, "")
        bare.append(owner)
    close_gaps(draft, closes)
    return bare


def leaves_idle_handler(draft: Draft, tree: Tree, root: Node) -> bool:
    """Whether a handler that closed something would be left, and do nothing but throw again what it caught: it should go, too."""
    for clause in find(root, "catch_clause"):
        block, formal = child(clause, "block"), child(clause, "catch_formal_parameter")
        inner = statements(block) if block is not None else []
        left = [each for each in inner if not draft.is_removed(each.start)]
        if formal is not None and len(left) == 1 < len(inner) and left[0].kind == "throw_statement":
            name = next((tree.text(each) for each in reversed(formal.kids) if each.kind == "identifier"), "")
            if tree.text(left[0]).removeprefix("throw").removesuffix(";").strip() == name:
                return True
    return False


def close_gaps(draft: Draft, closes: list[Node]) -> None:
    """Take the blank line out above closes that stand below one another and go, where none or the end of the block follows: one alone takes its own along."""
    ends = {text.line_start(draft.data, each.start): text.next_line(draft.data, each.end) for each in closes if draft.is_removed(each.start)}
    for start in sorted(set(ends) - set(ends.values())):
        below, count = ends[start], 1
        while below in ends:
            below, count = ends[below], count + 1
        above = text.line_start(draft.data, start - 1) if start else 0
        following = draft.data[below : text.next_line(draft.data, below)].strip()
        is_between = not draft.data[above:start].strip() and (not following or following.startswith(b"}"))
        if count > 1 and is_between and not draft.is_removed(above):
            draft.remove_line(above)


def _with_comment_behind(data: bytes, statement: Node) -> int:
    """Where a close on lines of its own ends, with a comment behind it that only tells of it."""
    comment = text.trailing_comment(data, statement.end)
    if comment is None or not text.starts_line(data, statement.start):
        return statement.end
    words = data[comment : text.line_end(data, comment)].rstrip()
    return comment + len(words) if is_about_closing(words.decode("utf-8", "replace")) else statement.end


def _remove_comment(draft: Draft, statement: Node, closes: list[Node]) -> None:
    """Take the comment lines out that stand right above a close (of several), speak of it, and would speak of nothing else then."""
    below = text.next_line(draft.data, statement.end)
    while (other := next((each for each in closes if text.line_start(draft.data, each.start) == below), None)) is not None:
        below = text.next_line(draft.data, other.end)
    following = draft.data[below : text.next_line(draft.data, below)].strip()
    above = lead_of(draft.data, statement.start)
    words = draft.data[above : text.line_start(draft.data, statement.start)]
    is_alone = any(word in words.lower() for word in (b"clos", b"shutdown", b"shut down")) and not any(word in following.lower() for word in (b"clos", b"shutdown", b"disconnect", b"release"))
    is_last = not following or following.startswith((b"}", b"//", b"/*")) or is_alone
    if above < statement.start and is_last and is_about_closing(words.decode("utf-8", "replace")) and text.starts_line(draft.data, above):
        start = text.line_start(draft.data, above)
        before = text.line_start(draft.data, start - 1) if start else 0
        if not draft.data[before:start].strip() and (not following or following.startswith(b"}")):
            draft.remove_line(before)
        while start < text.line_start(draft.data, statement.start):
            draft.remove_line(start)
            start = text.next_line(draft.data, start)


MAX_WORDS = 12
"""Words of a comment, its marks with them, that does no more than tell of a close."""


_ENDING = ("close", "closing", "release", "clean up", "cleanup", "shut down", "shutdown", "finished with", "done with", "no more need", "no longer need", "let gc", "help gc", "for gc", "garbage collect")


def is_about_closing(words: str) -> bool:
    """Whether a comment of one line tells that something is closed, and no more (why it has to be, say), or tells nothing at all."""
    found = [line for line in words.lower().splitlines() if line.strip().strip("/*")]
    return not found or (len(found) == 1 and len(found[0].split()) <= MAX_WORDS and any(word in found[0] for word in _ENDING))


def lead_of(data: bytes, start: int) -> int:
    """Where the comments begin that stand right above a statement, each on lines of its own; its start for none."""
    at = text.line_start(data, start)
    above = start
    while at:
        line = text.line_start(data, at - 1)
        words = data[line:at].strip()
        if words.endswith(b"*/") and not words.startswith(b"//"):
            opened = data.rfind(b"/*", 0, at)
            if opened < 0 or not text.starts_line(data, opened) or b"*/" in data[opened : at].rstrip()[:-2]:
                break
            line = text.line_start(data, opened)
        elif not words.startswith(b"//"):
            break
        at = line
        above = at + len(data[at:]) - len(data[at:].lstrip(text.BLANKS))
    return above


def _emptied(root: Node, statement: Node, closes: list[Node]) -> tuple[Node, Node] | None:
    """The try and its finally clause, where the clause holds only statements that go."""
    for node in walk(root):
        if node.kind not in TRIES or not node.start <= statement.start < node.end:
            continue
        clause = final_block(node)
        block = child(clause, "block") if clause is not None else None
        if clause is None or block is None or not block.start < statement.start < block.end:
            continue
        inner = statements(block)
        comments = any(kid.kind in COMMENTS for kid in block.kids)
        if statement in inner and all(each in closes for each in inner) and not comments:
            return node, clause
    return None


def _behind(owner: Node, clause: Node) -> int:
    """The end of what stands before a clause of a try statement."""
    return max(kid.end for kid in owner.kids if kid.end <= clause.start)
