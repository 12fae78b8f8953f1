"""From chosen points to text: releases in the look of the function, braces, `else`, saved results, initialisers."""

from __future__ import annotations

import re

import msgspec

from analyzers import ir
from analyzers.syntax import Node
from fixers import text
from fixers.c.headers import include
from fixers.c.points import JUMPS, Point, if_parts, returned, statements
from fixers.c.style import Style, declarator_of
from fixers.draft import Draft
from fixers.fix import Edit
from fixers.leak import Leak
from fixers.naming import unused
from fixers.tree import COMMENTS, find, walk
from templates import render

_EFFECTS = frozenset(("call_expression", "assignment_expression", "update_expression", "preproc_if", "preproc_ifdef"))
"""What cannot go with a test."""

_BRANCHING = ("if_statement", "else_clause", "while_statement", "for_statement", "do_statement")
_WIDTH = 80
"""Columns of a line that a call may be put into."""

_APART = 2
"""Line endings between two statements that an empty line stands between."""


class Release(msgspec.Struct, frozen=True):
    """How an expression is released: the call, and the condition that it needs, if any. `is_block`: the calls are whole
    statements, over several lines."""

    call: str
    condition: str = ""
    is_block: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it can stand in a line with others."""
        return not self.condition and not self.is_block


class Patch:
    """The edits of one candidate for a function."""

    def __init__(self, leak: Leak, style: Style) -> None:
        self.leak = leak
        self.style = style
        self.draft = Draft(leak.path, leak.data)
        self._first: set[tuple[int, str]] = set()
        self._opened: dict[tuple[int, int], str] = {}
        self._within_line = set[tuple[int, int]]()
        self._closed: set[tuple[int, int]] = set()

    def edits(self) -> tuple[Edit, ...]:
        """The edits, with the header that the release needs; empty where they do not fit together."""
        preferred = self.leak.releases[0].call if self.leak.releases else ""
        if self.leak.missing_header and any(_calls(each, preferred) for each in self.draft.texts()):
            include(self.draft, self.leak.missing_header, self.leak.procedure.start)
        return self.draft.edits() or ()

    def lines(self, release: Release) -> str:
        """The release as lines without indentation."""
        if release.is_block:
            return release.call
        return self.style.branches(render("fixes/c/release", call=release.call, condition=release.condition, unit=self.draft.unit), self.draft.unit)

    def put(self, point: Point, release: Release) -> bool:
        """Write a release at a point; False where the text there does not allow it."""
        statement = point.statement
        release = release if release.is_block else Release(self.style.call(release.call), release.condition)
        match point.kind:
            case "before":
                return self._before(statement, release)
            case "end":
                return self._end(statement, release)
            case "branch":
                return self._branch(statement, release)
            case "behind":
                return self._behind(statement, release)
            case "else":
                return self._else(statement, release)
            case "value":
                return self._value(point, release)

    def indent(self, node: Node) -> str:
        """The indentation of a statement; behind a label its own."""
        inner = next((kid for kid in node.kids if kid.kind.endswith("_statement")), None) if node.kind == "labeled_statement" else None
        if inner is not None and text.starts_line(self.leak.data, inner.start):
            return self.indent(inner)  # A label stands further out than what it labels.
        return text.indentation(self.leak.data, node.start)

    def _before(self, statement: Node, release: Release) -> bool:
        data = self.leak.data
        above = self._above(statement)
        if above is not None and self._join(above, release):
            return True
        if (above := self._above_comment(statement) or self._last_use(statement, release)) is not None:
            self.draft.insert_lines_after(above.end, self.lines(release), self.indent(statement))
            return True
        if text.starts_line(data, statement.start):
            self.draft.insert_lines(statement.start, self.lines(release), self.indent(statement))
            return True
        label_start = text.line_start(data, statement.start)
        if not self._is_of_case(data[label_start : text.line_end(data, statement.start)], release) and data[label_start : statement.start].strip().endswith(b":"):
            indent = self.indent(statement) + self.draft.unit
            self.draft.insert(statement.start, self._inline(release, indent) + "\n" + indent)
            return True
        if not release.is_plain:
            return False
        self.draft.insert(statement.start, f"{' '.join(release.call.split())}; ")
        return True

    def _is_of_case(self, line: bytes, release: Release) -> bool:
        """Whether a line of a `switch` that has all of its case (`case 'h': return 1;`) has room for a call."""
        is_whole = line.lstrip().startswith((b"case ", b"default:")) and line.rstrip().endswith((b";", b"}", b"*/"))
        return is_whole and release.is_plain and len(line.expandtabs(8)) + len(release.call) + 2 <= _WIDTH

    def _above_comment(self, statement: Node) -> Node | None:
        """The statement before, where only comments on lines of their own stand in between: they speak of what comes."""
        holder, data = self._holder(statement), self.leak.data
        kids = list(holder.kids) if holder is not None and statement.kind not in JUMPS else []
        at = next((n for n, each in enumerate(kids) if each is statement), 0)
        above = at - 1
        while above >= 0 and kids[above].kind in COMMENTS and text.starts_line(data, kids[above].start):
            above -= 1
        is_between = 0 <= above < at - 1 and kids[above].kind.endswith(("_statement", "declaration")) and not kids[above].kind.startswith(("case", "labeled"))
        return kids[above] if is_between and text.ends_line(data, kids[above].end) and text.starts_line(data, statement.start) else None

    def _last_use(self, statement: Node, release: Release) -> Node | None:
        """The call before, the last one with what is released, where an empty line stands in between: the release goes with it."""
        above, data = self._above(statement) if statement.kind not in JUMPS else None, self.leak.data
        if above is None or above.kind != "expression_statement" or data[above.end : statement.start].count(b"\n") < _APART:
            return None
        given = release.call.partition("(")[2].rstrip(")")
        is_used = given.isidentifier() and any(self.leak.tree.text(each) == given for each in find(above, "identifier"))
        is_used |= not any(self.leak.tree.text(each) == given for each in find(self.leak.tree.root, "identifier"))  # It is made for the call.
        return above if is_used and text.ends_line(data, above.end) and text.starts_line(data, statement.start) else None

    def _inline(self, release: Release, indent: str) -> str:
        return text.reindented(self.lines(release), indent).strip()

    def _above(self, statement: Node) -> Node | None:
        """The statement before, where nothing stands in between."""
        holder = self._holder(statement)
        kids = list(holder.kids) if holder is not None else []
        above = next((kids[n - 1] for n, each in enumerate(kids) if each is statement and n), None)
        return above if above is not None and not self.leak.data[above.end : statement.start].strip() else None

    def _join(self, above: Node, release: Release) -> bool:
        """A release under the test that the statement before makes goes into its block, as the last thing there."""
        consequence, otherwise = if_parts(above) if above.kind == "if_statement" else (None, None)
        if consequence is None or otherwise is not None or release.is_block or not release.condition:
            return False
        asked = next((self.leak.tree.text(kid) for kid in above.kids if kid.kind == "parenthesized_expression"), "")
        if _asked(asked[1:-1]) != _asked(release.condition) or not text.starts_line(self.leak.data, above.start):
            return False
        plain = Release(release.call)
        if consequence.kind != "compound_statement":
            return consequence.kind == "expression_statement" and self._behind(consequence, plain)
        body = statements(consequence)
        inside = {self.leak.tree.text(name) for each in find(consequence, "declaration") for name in find(each, "identifier")}
        if not inside.isdisjoint(_words(release.call)):
            return False  # A variable of its own may have the name.
        if not body or body[-1].kind in JUMPS or not text.starts_line(self.leak.data, body[-1].start) or not text.ends_line(self.leak.data, body[-1].end):
            return False
        self.draft.insert_lines_after(body[-1].end, self.lines(plain), self.indent(body[-1]))
        return True

    def _end(self, statement: Node, release: Release) -> bool:
        data = self.leak.data
        if self._join(statement, release):
            return True
        if statement.kind == "compound_statement":
            return self._into_empty(statement, release)
        if not text.ends_line(data, statement.end) and b"/" not in data[statement.end : text.line_end(data, statement.end)]:
            if not release.is_plain:
                return False
            self.draft.insert(statement.end, f" {' '.join(release.call.split())};")
            return True
        if not text.starts_line(data, statement.start):
            return False
        self.draft.insert_lines_after(statement.end, self.lines(release), self.indent(statement))
        return True

    def _into_empty(self, block: Node, release: Release) -> bool:
        """A block without statements gets its first one."""
        if statements(block):
            return False
        outer = text.indentation(self.leak.data, block.start)
        lines = text.reindented(self.lines(release), outer + self.draft.unit)
        between = self.leak.data[block.start + 1 : block.end - 1]
        if between.strip(b" \t"):
            self.draft.insert(block.start + 1, "\n" + lines.removesuffix("\n"))
        else:
            self.draft.replace(block.start + 1, block.end - 1, f"\n{lines}{outer}")
        return True

    def _branch(self, statement: Node, release: Release) -> bool:
        """The only statement of a branch gets a block: on its line, where that is one of several statements there."""
        key = (statement.start, statement.end)
        if key in self._within_line or (key not in self._opened and release.is_plain and self._is_within_line(statement, release)):
            is_first = key not in self._within_line
            self._within_line.add(key)
            self.draft.insert(statement.start, f"{'{ ' if is_first else ''}{' '.join(release.call.split())}; ")
            if is_first:
                self.draft.insert(statement.end, " }")
            return True
        inner = self._open(statement, self.lines(release))
        return inner is not None and self._close(statement, inner)

    def _is_within_line(self, statement: Node, release: Release) -> bool:
        """Whether a line goes from the statement before a whole test to the end of what is done there (`f(); if (a) return 1; g();`)."""
        data, holder = self.leak.data, self._holder(statement)
        while holder is not None and (above := self._holder(holder)) is not None and above.kind in _BRANCHING:
            holder = above
        if holder is None or b"\n" in data[holder.start : holder.end]:
            return False
        start = text.line_start(data, holder.start)
        line, before = data[start : text.line_end(data, start)], re.sub(rb"/\*.*?\*/", b"", data[start : holder.start]).strip()
        return before.endswith((b";", b"{", b"}")) or (before.endswith(b":") and self._is_of_case(line, release))

    def _open(self, statement: Node, lines: str) -> str | None:
        """A brace before the only statement of a branch, and lines; the indentation inside, None where it cannot be. One brace for all
        releases that want it."""
        key = (statement.start, statement.end)
        if key in self._within_line:
            return None
        inner = self._opened.get(key)
        if inner is None:
            inner = self._open_first(statement, lines)
            self._opened[key] = inner
            return inner
        if lines and ((self.style.is_gnu and not self.style.is_flush) or not text.starts_line(self.leak.data, statement.start)):
            return None
        if lines:
            self.draft.insert_lines(statement.start, lines, inner)
        return inner

    def _open_first(self, statement: Node, lines: str) -> str:
        data = self.leak.data
        header = len(data[: statement.start].rstrip())
        if text.starts_line(data, statement.start):
            inner = self.indent(statement)
            if self.style.is_gnu and not self.style.is_flush:
                return self._open_gnu(statement, lines, header)
            while not self.style.is_allman and (comment := self._comment_before(header)) is not None:
                header = len(data[: comment.start].rstrip())  # The brace stands before what is said about the condition.
            self.draft.insert(header, self.style.open_brace(self._outer(statement, inner)))
            self.draft.insert_lines(statement.start, lines, inner)
            return inner
        outer = self.indent(self._holder(statement) or statement) + (self.draft.unit if self.style.is_gnu else "")
        inner = self._inside(outer)
        opening = self.style.open_brace(outer) + "\n" + text.reindented(lines, inner) + inner
        self.draft.replace(header, statement.start, opening)
        return inner

    def _open_gnu(self, statement: Node, lines: str, header: int) -> str:
        """The same where braces stand where the statement stood, which goes one step to the right."""
        data, brace = self.leak.data, self.indent(statement)
        inner = brace + self.draft.unit
        self.draft.insert(header, self.style.open_brace(brace))
        self.draft.replace(text.line_start(data, statement.start), statement.start, text.reindented(lines, inner) + inner)
        at = text.next_line(data, statement.start)
        while at < statement.end:
            if data[at : text.line_end(data, at)].strip() and not data.startswith(b"#", at):
                self.draft.insert(at + len(text.indentation(data, at)), self.draft.unit)
            at = text.next_line(data, at)
        return inner

    def _outer(self, statement: Node, inner: str) -> str:
        """The indentation of the braces around a statement: of what it is a branch of, or one step to the right of that."""
        if self.style.is_flush:
            return inner
        return inner.removesuffix(self.draft.unit) if self.style.is_gnu else self._header_indent(statement, inner)

    def _inside(self, brace: str) -> str:
        """The indentation of what stands between braces."""
        return brace if self.style.is_flush else brace + self.draft.unit

    def _header_indent(self, statement: Node, inner: str) -> str:
        """The indentation of what a statement is a branch of."""
        holder = self._holder(statement)
        if holder is not None and holder.kind != "else_clause" and text.starts_line(self.leak.data, holder.start):
            return self.indent(holder)
        return inner.removesuffix(self.draft.unit) if inner.endswith(self.draft.unit) else inner[:-1]

    def _close(self, statement: Node, inner: str, lines: str = "") -> bool:
        """Lines behind the only statement of a branch, and the brace, where none is there yet."""
        if (statement.start, statement.end) in self._closed:
            return not lines
        self._closed.add((statement.start, statement.end))
        data, outer = self.leak.data, self._outer(statement, inner)
        clause = self._else_behind(statement)
        last = f"\n{text.reindented(lines, inner)}".removesuffix("\n")
        if clause is None:
            end = statement.start + len(data[statement.start : statement.end].rstrip())  # `FAIL(x)` goes on to where the next statement begins.
            self.draft.insert(text.behind(data, end), f"{last}\n{outer}}}")
        else:
            own_line = text.indentation(data, clause.start) if text.starts_line(data, clause.start) else outer
            gap = f"\n{own_line}" if self.style.is_allman else " "
            self.draft.replace(statement.end, clause.start, f"{last}\n{outer}}}{gap}")
        return True

    def _behind(self, statement: Node, release: Release) -> bool:
        """The only statement of a branch gets a block with the release behind it."""
        if statement.kind == "if_statement":
            return False
        inner = self._open(statement, "")
        return inner is not None and self._close(statement, inner, self.lines(release))

    def put_around(self, statement: Node, before: str, behind: str) -> bool:
        """Give the only statement of a branch a block, with lines before and behind it."""
        inner = self._open(statement, before)
        return inner is not None and self._close(statement, inner, behind)

    def put_before_branch(self, statement: Node, release: Release) -> bool:
        """Give the only statement of a branch a block, with a line before it."""
        return self._branch(statement, release)

    def _else_behind(self, statement: Node) -> Node | None:
        """The `else` that follows a consequence with nothing between."""
        path = self.leak.tree.path(statement.start, statement.end)
        at = next((n for n, node in enumerate(path) if node is statement), 0)
        parent = path[at - 1] if at else None
        if parent is None or parent.kind != "if_statement":
            return None
        clause = next((kid for kid in parent.kids if kid.kind == "else_clause"), None)
        if clause is None or clause.start < statement.end or self.leak.data[statement.end : clause.start].strip():
            return None
        return clause

    def _comment_before(self, offset: int) -> Node | None:
        """The comment that ends at an offset."""
        if b"/" not in self.leak.data[text.line_start(self.leak.data, offset) : offset]:
            return None
        last = self.leak.tree.path(offset - 1, offset)[-1]
        return last if last.kind == "comment" else None

    def _else(self, statement: Node, release: Release) -> bool:
        data = self.leak.data
        consequence, _ = if_parts(statement)
        holder = self._holder(statement)
        is_inner = holder is not None and holder.kind == "if_statement"  # whose `else` it is would be hard to see
        is_block = consequence is not None and consequence.kind == "compound_statement"
        end = statement.end if is_block else text.behind(data, statement.end)
        is_written = data[statement.start :].startswith(b"if")  # A macro may head no test at all.
        if consequence is None or is_inner or not is_written or not text.ends_line(data, end):
            return False
        if self._does_the_same(statement, consequence, release):
            self._drop_test(statement, consequence, release)
            return True
        if is_block and self._move_behind(statement, consequence, release):
            return True
        outer = self.indent(statement)
        brace = outer + (self.draft.unit if self.style.is_gnu else "")
        if is_block:
            start = f"\n{outer}else" if self.style.is_allman else " else"
            lines = text.reindented(self.lines(release), self._inside(brace))
            self.draft.insert(statement.end, f"{start}{self.style.open_brace(brace)}\n{lines}{brace}}}")
            return True
        if release.condition and not release.is_block:
            tested = text.reindented(self.lines(release), outer).lstrip()
            self.draft.insert(end, f"\n{outer}else {tested}".rstrip("\n"))
            return True
        if release.condition or "\n" in release.call:
            return False
        lines = text.reindented(self.lines(release), outer + self.draft.unit)
        self.draft.insert(end, f"\n{outer}else\n{lines}".rstrip("\n"))
        return True

    def _move_behind(self, statement: Node, consequence: Node, release: Release) -> bool:
        """What a block does last, whatever comes before, is done behind it instead: both ways then go by it."""
        holder, data = self._holder(statement), self.leak.data
        body = statements(consequence)
        last = body[-1] if len(body) > 1 else None
        if last is None or holder is None or holder.kind != "compound_statement" or release.condition or "\n" in release.call:
            return False
        is_it = "".join(self.leak.tree.text(last).split()) == "".join(f"{release.call};".split())
        if not is_it or any(node.kind in JUMPS for each in body for node in walk(each)):
            return False
        start, end = text.line_start(data, last.start), text.next_line(data, last.start)
        is_alone = data[start:end].strip() == data[last.start : last.end] and text.starts_line(data, statement.start)
        if not is_alone or data[end : consequence.end].strip() != b"}" or data[body[-2].end : last.start].strip():
            return False
        self.draft.replace(start, end, "")
        self.draft.insert(statement.end, f"\n{text.reindented(self.lines(release), self.indent(statement))}".removesuffix("\n"))
        return True

    def _drop_test(self, statement: Node, consequence: Node, release: Release) -> None:
        """The release that an `if` held stands for it."""
        holder, data = self._holder(statement), self.leak.data
        if holder is None or holder.kind != "else_clause":
            self.draft.replace(statement.start, statement.end, f"{release.call};")
        elif consequence.kind != "compound_statement" and text.starts_line(data, consequence.start):
            words = f"\n{text.indentation(data, consequence.start)}{release.call};"
            self.draft.replace(len(data[: statement.start].rstrip()), statement.end, words)
        else:
            self.draft.replace(statement.start, statement.end, self.leak.tree.text(consequence))

    def _does_the_same(self, statement: Node, consequence: Node, release: Release) -> bool:
        """Whether an `if` does nothing but release what its `else` would release, too: then the test decides nothing."""
        body = statements(consequence) if consequence.kind == "compound_statement" else [consequence]
        words = "".join(self.leak.tree.text(body[0]).split()) if len(body) == 1 else ""
        if release.condition or words != "".join(f"{release.call};".split()):
            return False
        inner = [node for node in walk(statement) if not body[0].start <= node.start < body[0].end]
        return not any(node.kind in _EFFECTS or node.kind in COMMENTS for node in inner)

    def _value(self, point: Point, release: Release) -> bool:
        """`return e;` becomes `T result = e;`, the release, `return result;`."""
        statement = point.statement
        value, holder = returned(statement), self._holder(statement)
        if value is None or holder is None:
            return False
        is_listed = holder.kind in ("compound_statement", "case_statement")
        if is_listed and not text.starts_line(self.leak.data, statement.start):
            is_listed = holder.kind == "compound_statement" or statements(holder)[0] is not statement
            if is_listed:
                return self._value_inline(statement, holder, release)
        existing = self._result_variable(self.leak.procedure.result, statement, release)
        name = existing or unused(self.leak.tree, "result", "value", "returned")
        head = name if existing else self._declared(statement, holder if is_listed else None, name)
        inner = self.indent(statement) if is_listed else self._open(statement, "")
        if not head or inner is None:
            return False
        lines = text.reindented(self.lines(release), inner)
        self.draft.replace(statement.start, value.start, f"{head} = ")
        self.draft.replace(value.end, statement.end, f";\n{lines}{inner}return {name};")
        return is_listed or self._close(statement, inner)

    def _value_inline(self, statement: Node, holder: Node, release: Release) -> bool:
        """The same within a line."""
        name = self._result_variable(self.leak.procedure.result, statement, release)
        head, value = name, returned(statement)
        if not name and self._may_declare(holder):
            name = unused(self.leak.tree, "result", "value", "returned")
            head = declaration(self.leak.procedure.result, name)
        if release.condition or "\n" in release.call or not name or value is None:
            return False
        self.draft.replace(statement.start, value.start, f"{head} = ")
        self.draft.replace(value.end, statement.end, f"; {release.call}; return {name};")
        return True

    def _declared(self, statement: Node, holder: Node | None, name: str) -> str:
        """How a variable for a result begins its statement: declared at once in a block of its own (no `holder`) or
        at the end of one, else first in the block around. Empty where there is none."""
        declared = declaration(self.leak.procedure.result, name)
        if holder is None or self._may_declare(holder):
            return declared
        block = self.block(statement)
        if block is None:
            return ""
        self.declare_first(block, declared)
        return name

    def _may_declare(self, holder: Node) -> bool:
        """Whether the last statement of a list may be a declaration."""
        body = statements(holder)[:-1]
        return holder.kind == "compound_statement" and (
            self.style.is_mixed or all(each.kind == "declaration" for each in body)
        )

    def _holder(self, statement: Node) -> Node | None:
        """What a statement is a direct part of."""
        path = self.leak.tree.path(statement.start, statement.end)
        at = next((n for n, node in enumerate(path) if node is statement), 0)
        return path[at - 1] if at else None

    def block(self, statement: Node) -> Node | None:
        """The nearest block around a statement that is not that of a `switch`."""
        path = self.leak.tree.path(statement.start, statement.end)
        return next((
            node for above, node in zip(path[-2::-1], path[::-1], strict=False)
            if node.kind == "compound_statement" and above.kind != "switch_statement"
        ), None)

    def declare_first(self, block: Node, declared: str) -> None:
        """Put a declaration behind those that a block begins with."""
        if (block.start, declared) in self._first:
            return
        self._first.add((block.start, declared))
        body = statements(block)
        leading = [each for n, each in enumerate(body) if all(kid.kind == "declaration" for kid in body[: n + 1])]
        at = leading[-1].end if leading else block.start + 1
        indent = self.indent(body[0]) if body else self.indent(block) + self.draft.unit
        self.draft.insert_lines_after(at, f"{declared};\n", indent)

    def _result_variable(self, result: str, statement: Node, release: Release) -> str:
        """A local of the result's type that the function returns elsewhere, and that the release does not name: it holds what goes."""
        names = {
            self.leak.tree.text(value)
            for each in find(self.leak.tree.root, "return_statement")
            if (value := returned(each)) is not None and value.kind == "identifier"
        }
        named = _words(f"{release.condition} {release.call}")
        for variable in self.leak.procedure.variables:
            start = self.leak.procedure.start + variable.start
            end = self.leak.procedure.start + variable.end
            fits = variable.name in names - named and variable.kind == "local" and variable.type == result
            if fits and start <= statement.start < end and self._is_meant(variable, statement):
                return variable.name
        return ""

    def _is_meant(self, variable: ir.Variable, statement: Node) -> bool:
        """Whether the name of a local is that of no other variable where a statement is."""
        at = statement.start - self.leak.procedure.start
        return not any(
            other.start > variable.start and other.start <= at < other.end and ir.source_name(other.name) == variable.name
            for other in self.leak.procedure.variables
        )

    def initialise(self, name: str, nothing: str, before: int) -> bool:
        """Give a local the value that means «none» where it is declared."""
        found = declarator_of(self.leak.tree, name, before)
        if found is None or found[1].kind == "init_declarator":
            return False
        self.draft.insert(found[1].end, f" = {nothing}")
        return True


def _asked(condition: str) -> str:
    """A test in one form, whether it says `!= NULL` or not."""
    return "".join(condition.split()).removesuffix("!=NULL")


def _calls(words: str, name: str) -> bool:
    """Whether inserted text calls a function."""
    before, call, _ = words.replace(" (", "(").partition(f"{name}(")
    return bool(call) and not (before[-1:].isalnum() or before[-1:] == "_")


def _words(inserted: str) -> set[str]:
    """The names in inserted text."""
    return set("".join(each if each.isalnum() or each == "_" else " " for each in inserted).split())


def declaration(written: str, name: str) -> str:
    """A declaration without its semicolon: `char *name`, `int name`."""
    return f"{written}{'' if written.endswith('*') else ' '}{name}"
