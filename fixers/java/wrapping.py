"""Puts a region of statements into a block of its own: the lines before, the indentation, the end."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.closing import lead_of
from fixers.java.lifted import CONSTANT, locals_of
from fixers.java.region import Region, is_fresh
from fixers.java.statements import (
    call_parts,
    declarators,
    declared,
    declared_type,
    fixed_text,
    initialiser,
    try_body,
)
from fixers.tree import Tree, child, find, walk
from fixers.unchanged import FRESH


def close_gap(draft: Draft, last: Node, here: int) -> None:
    """Take out the blank lines right above an offset, behind a statement."""
    blank = text.line_start(draft.data, text.line_start(draft.data, here) - 1)
    while blank > last.end and not draft.data[blank : text.next_line(draft.data, blank)].strip():
        draft.remove_line(blank)
        blank = text.line_start(draft.data, blank - 1)


def close_gap_before(draft: Draft, declaration: Node, statement: Node, last: Node | None = None) -> None:
    """Take the blank lines out that parted a declaration (or several, to `last`) from what follows, where nothing else comes
    before them."""
    above = line_above(draft.data, declaration.start)
    at = text.next_line(draft.data, (last or declaration).end)
    while above.endswith((b"{", b"*/")) or above.startswith(b"//"):
        following = text.next_line(draft.data, at)
        if following > statement.start or draft.data[at:following].strip():
            break
        draft.remove_line(at)
        at = following
    before = text.line_start(draft.data, text.line_start(draft.data, declaration.start) - 1)
    if not above and line_above(draft.data, before).endswith(b"{"):
        draft.remove_line(before)


def line_above(data: bytes, offset: int) -> bytes:
    """The words of the line above that of an offset."""
    start = text.line_start(data, offset)
    return data[text.line_start(data, start - 1) : start].strip() if start else b""


def is_marked(data: bytes, statement: Node) -> bool:
    """Whether a comment behind a statement speaks of a text on the same line, to a tool that looks for texts to translate."""
    comment = text.trailing_comment(data, statement.end)
    return comment is not None and any(each in data[comment : text.line_end(data, comment)] for each in (b"NON-NLS", b"NOI18N"))


def is_told_of(data: bytes, statement: Node, above: int, owner: Node | None = None) -> bool:
    """Whether comments right above a statement would speak of something else without it: others come before or behind them. `above`: how
    many statements of the block stand before it; `owner`: the `try` whose block that is, above which they may stand as well."""
    if owner is not None and not above and _can_lift(data, statement, owner):
        return False
    following = data[text.next_line(data, statement.end) :].split(b"\n", 1)[0].strip()
    is_led = lead_of(data, statement.start) < statement.start
    return is_led and (above > 0 or not following or following.startswith((b"//", b"/*")))


def move_comment(draft: Draft, declaration: Node, place: Node) -> None:
    """Put the comment lines above a declaration that goes, which would speak of nothing there, above what takes its place further down."""
    data, first = draft.data, lead_of(draft.data, declaration.start)
    below = text.next_line(data, declaration.end)
    following = data[below : text.next_line(data, below)].strip()
    if first >= declaration.start or not draft.is_removed(declaration.start) or not draft.is_removed(declaration.end - 1):
        return
    if (following and not following.startswith((b"//", b"/*"))) or not data[below : lead_of(data, place.start)].strip():
        return
    at, end = text.line_start(data, first), text.line_start(data, declaration.start)
    if not text.starts_line(data, place.start) or draft.is_removed(at):
        return
    old, lines = text.indentation(data, first), data[at:end].decode("utf-8", "surrogateescape").replace("\r\n", "\n").splitlines(keepends=True)
    draft.insert_lines(place.start, "".join(each.removeprefix(old) for each in lines), text.indentation(data, place.start))
    draft.replace(at, end, "")
    if not following and (not line_above(data, first) or line_above(data, first).endswith(b"{")):
        draft.remove_line(below)


def lift_comment(draft: Draft, declaration: Node, owner: Node) -> None:
    """Put the comment lines above the first declaration of a block, which would speak of what follows there once that goes, above the
    `try` whose block it is."""
    data, first = draft.data, lead_of(draft.data, declaration.start)
    if not _can_lift(data, declaration, owner):
        return
    at, end = text.line_start(data, first), text.line_start(data, declaration.start)
    old, lines = text.indentation(data, first), data[at:end].decode("utf-8", "surrogateescape").replace("\r\n", "\n").splitlines(keepends=True)
    draft.insert_lines(owner.start, "".join(each.removeprefix(old) for each in lines), text.indentation(data, owner.start))
    draft.replace(at, end, "")
    blank = text.line_start(data, at - 1) if at else 0
    while blank < at and not data[blank:at].strip():  # It stood between the brace and the comment.
        draft.remove_line(blank)
        at, blank = blank, text.line_start(data, blank - 1) if blank else 0


def _can_lift(data: bytes, declaration: Node, owner: Node) -> bool:
    """Whether the comment lines above the first declaration of a block may stand above the `try` whose block it is: that begins a line
    in a block, below no comment but such lines, and nothing stands before them."""
    first, block = lead_of(data, declaration.start), try_body(owner)
    if block is None or first == declaration.start or not text.starts_line(data, owner.start):
        return False
    is_first = data[block.start : text.line_start(data, first)].strip() == b"{"
    above = line_above(data, lead_of(data, owner.start))
    is_below_lines = all(each.lstrip().startswith(b"//") for each in data[lead_of(data, owner.start) : owner.start].splitlines() if each.strip())
    return is_first and is_below_lines and (not above or above.endswith((b"{", b"}", b";")))


def indent_region(draft: Draft, body: tuple[Node, ...], behind: int = -1, above: int = -1) -> None:
    """Move the statements in by one step, with the comments above them: those from the line after `behind` on, or from
    `above` on."""
    fixed = [each for statement in body for each in fixed_text(statement)]
    start = text.next_line(draft.data, behind) if behind >= 0 else above if above >= 0 else body[0].start
    draft.indent(min(start, body[0].start), body[-1].end, fixed)


def move_chain(draft: Draft, outer: Node, statement: Node, name: str, by: int) -> bool:
    """Put a name in the place of what a chain of calls begins with, whose line moves by so many places: the first call joins it, the others,
    one on each line, stay below its dot. False where they do not stand there."""
    data = draft.data
    dot = next((kid for kid in outer.kids if kid.kind == "."), None)
    first = text.line_start(data, outer.start)
    if dot is None or b"\n" in data[outer.start : dot.start] or b"\t" in data[first : dot.start]:
        return False
    lines = []
    at = text.next_line(data, outer.end)
    while at < statement.end:
        lines.append(at)
        at = text.next_line(data, at)
    column = dot.start - first
    if not lines or not all(data[each : each + column].strip(b" ") == b"" and data[each + column : each + column + 1] == b"." for each in lines):
        return False
    place = outer.start - first + by + len(name)
    draft.replace(outer.start, lines[0] + column, name)
    for each in lines[1:]:
        draft.replace(each, each + column, " " * place)
    return True


def aligned(draft: Draft, statement: Node, body: tuple[Node, ...]) -> str:
    """The indentation of a statement that goes, or that of all behind it, where it stands out: what opens in its place stands like them."""
    indent = text.indentation(draft.data, statement.start)
    behind = {text.indentation(draft.data, each.start) for each in body}
    if len(behind) != 1 or indent in behind or not text.starts_line(draft.data, statement.start):
        return indent
    other = behind.pop()
    draft.step_as(body[0].start)
    draft.replace(text.line_start(draft.data, statement.start), statement.start, other)
    return other


def open_block(draft: Draft, statement: Node, body: tuple[Node, ...], line: str, indent: str) -> None:
    """Put the line that opens a block in the place of a statement, and what followed it on its line below."""
    is_last = text.ends_line(draft.data, statement.end)
    comment = text.trailing_comment(draft.data, statement.end) if draft.has_braces_below() else None
    if comment is not None:  # It stays on the line of what it speaks of, above the brace.
        words = draft.data[comment : text.line_end(draft.data, comment)].decode("utf-8", "surrogateescape").rstrip()
        draft.replace(statement.start, text.line_end(draft.data, statement.end), f"{line.removesuffix(' {')} {words}\n{indent}{{")
    else:
        draft.replace(statement.start, text.line_end(draft.data, statement.end) if is_last else statement.end, line)
    if not draft.data[statement.end : body[0].start].strip() and not text.starts_line(draft.data, body[0].start):
        draft.replace(statement.end, body[0].start, f"\n{indent}{draft.unit}")
        return
    at = text.next_line(draft.data, statement.end)
    while at < text.line_start(draft.data, body[0].start):
        following = text.next_line(draft.data, at)
        if not draft.is_removed(at):
            if draft.data[at:following].strip():
                break
            draft.remove_line(at)
        at = following


def close_block(draft: Draft, body: tuple[Node, ...], indent: str, tail: str = "}\n") -> None:
    """Put the lines of `tail` behind the last statement (and a comment that follows it on its line), without the blank
    line above statements that go."""
    at = len(body)
    while at and draft.is_removed(body[at - 1].start) and draft.is_removed(body[at - 1].end - 1):
        at -= 1
    if 0 < at < len(body):
        above = text.line_start(draft.data, body[at].start)
        if comment := _of_what_follows(draft, body, at):
            above = text.line_start(draft.data, lead_of(draft.data, body[at].start))
            draft.replace(above, text.line_start(draft.data, body[at].start), "")
            tail += comment
        elif draft.is_removed(lead_of(draft.data, body[at].start)):
            above = text.line_start(draft.data, lead_of(draft.data, body[at].start))
        while (before := text.line_start(draft.data, above - 1)) < above and not draft.data[before:above].strip():
            draft.remove_line(before)
            above = before
    draft.insert_lines_after(_end_with_comments(draft, body), tail, indent)


def _end_with_comments(draft: Draft, body: tuple[Node, ...]) -> int:
    """Where the last statement of a new block ends, with a comment line right below it that ends what one inside begins (`// START A`,
    `// END A`): that goes in as well."""
    data, last = draft.data, body[-1]
    at = text.next_line(data, last.end)
    line = data[at : text.line_end(data, at)].rstrip()
    above = data[lead_of(data, body[0].start) : last.start].splitlines()
    if draft.is_removed(last.start) or draft.is_removed(at) or not line.strip() or not any(_is_ended_by(each.strip(), line.strip()) for each in above):
        return last.end
    draft.indent(at, at + len(line), [])
    return at + len(line)


def _is_ended_by(begun: bytes, line: bytes) -> bool:
    """Whether two lines are comments that differ in nothing but that one says where something begins, and the other where it ends."""
    if not begun.startswith((b"//", b"/*")) or (line.startswith(b"/*") and not line.endswith(b"*/")):
        return False
    return any(_as_words(begun).replace(first, last, 1) == _as_words(line) != _as_words(begun) for first, last in _BOUNDS)


def _as_words(line: bytes) -> bytes:
    return b" ".join(line.lower().split())


_BOUNDS = ((b"start", b"end"), (b"begin", b"end"), (b"region", b"endregion"), (b"start", b"stop"), (b"begin", b"finish"), (b"on", b"off"))
"""How comments say where a part begins and where it ends."""


def _of_what_follows(draft: Draft, body: tuple[Node, ...], at: int) -> str:
    """The comment above the closes that end a block and go, in lines without indentation, where it speaks of what stands right behind them,
    too: of all that comes to an end there. Empty where nothing follows, for code that is taken out, and for what tells why something is closed."""
    data, first = draft.data, lead_of(draft.data, body[at].start)
    below = text.next_line(data, body[-1].end)
    following = data[below : text.next_line(data, below)].strip()
    if first >= body[at].start or draft.is_removed(first) or not following or following.startswith((b"}", b"//", b"/*")):
        return ""
    indent = text.indentation(data, first)
    lines = data[text.line_start(data, first) : text.line_start(data, body[at].start)].decode("utf-8", "surrogateescape").splitlines()
    is_of_all = b".close()" in following  # It speaks of closes of which one stays.
    is_code = any(_is_code(line) or ("clos" in line.lower() and not is_of_all) for line in lines)
    gap = "" if line_above(data, first) else "\n"
    return "" if is_code else gap + "".join(f"{line.removeprefix(indent)}\n" for line in lines)


def comment_of_end(draft: Draft, body: tuple[Node, ...], closes: list[Node]) -> str:
    """The comment above the `closes` that end a block and go, in lines without indentation: taken out of there, for who closes elsewhere.
    Empty for code that is taken out, and where it may speak of what stands right behind them as well."""
    data, at = draft.data, len(body)
    while at and body[at - 1] in closes:
        at -= 1
    first = lead_of(data, body[at].start) if 0 < at < len(body) else -1
    if first < 0 or first >= body[at].start or not text.starts_line(data, first):
        return ""
    below = text.next_line(data, body[-1].end)
    following = data[below : text.next_line(data, below)].strip()
    start, end = text.line_start(data, first), text.line_start(data, body[at].start)
    indent = text.indentation(data, first)
    lines = data[start:end].decode("utf-8", "surrogateescape").replace("\r\n", "\n").splitlines()
    if (following and not following.startswith(b"}")) or any(_is_code(line) for line in lines):
        return ""
    draft.replace(start, end, "")
    return "".join(f"{line.removeprefix(indent)}\n" for line in lines)


def lift_comments(draft: Draft, declarations: Sequence[Node], place: Node) -> None:
    """Put the comments right above declarations that go into a header above the statement in whose place that stands."""
    data = draft.data
    for each in declarations:
        first = lead_of(data, each.start)
        start, end = text.line_start(data, first), text.line_start(data, each.start)
        lines = data[start:end].decode("utf-8", "surrogateescape").replace("\r\n", "\n").splitlines()
        if first >= each.start or draft.is_removed(first) or not text.starts_line(data, place.start) or any(_is_code(line) for line in lines):
            continue
        old = text.indentation(data, first)
        if lines[0].strip() == "//" and line_above(data, place.start) == b"//":
            lines = lines[1:]  # The frames of two comments are one.
        draft.insert_lines(place.start, "".join(f"{line.removeprefix(old)}\n" for line in lines), text.indentation(data, place.start))
        draft.replace(start, end, "")


def _is_code(line: str) -> bool:
    """Whether a line of a comment is a statement that was taken out."""
    return line.rstrip().endswith((";", "{", "}"))


def hoist(draft: Draft, tree: Tree, region: Region, before: Node, indent: str | None = None) -> None:
    """Declare, before a statement, the variables of the region that are used behind it."""
    indent = text.indentation(draft.data, before.start) if indent is None else indent
    lines = []
    moved = moved_whole(tree, region)
    for statement in region.hoisted:
        [declarator] = declarators(statement)
        name = tree.text(declarator.kids[0])
        prefix = draft.data[statement.start : declarator.start].decode("utf-8", "surrogateescape")
        if statement in moved:
            lines.append(tree.text(statement) + "\n")
            draft.remove(statement.start, statement.end)
            continue
        lines.append(f"{prefix}{name};\n")
        if initialiser(declarator) is None:
            draft.remove(statement.start, statement.end)
        else:
            draft.replace(statement.start, declarator.start, "")
    if lines:  # Above a comment, which speaks of what is opened.
        draft.insert_lines(lead_of(draft.data, before.start), "".join(lines), indent)
    _close_gap_at_start(draft, region)


def moved_whole(tree: Tree, region: Region) -> list[Node]:
    """The declarations of a region that come before it as they are: their values may be made somewhat earlier."""
    fixed, found = unchanging(tree, region), []
    for statement in region.hoisted:
        value = initialiser(declarators(statement)[0])
        is_free = text.ends_line(tree.data, statement.end) and not _has_comment_of_its_own(tree.data, statement, region)
        if value is not None and is_free and is_constant(tree, value, fixed):
            fixed.add(tree.text(declarators(statement)[0].kids[0]))
            found.append(statement)
    return found


def begun_behind_constants(tree: Tree, region: Region) -> Region:
    """A region without the declarations at its beginning that are used behind it, and that a comment of their own speaks of: to make their values
    takes nothing that could fail."""
    body, fixed = list(region.body), unchanging(tree, region)
    while len(body) > 1 and body[0] in region.hoisted:
        value = initialiser(declarators(body[0])[0])
        if value is None or not _has_comment_of_its_own(tree.data, body[0], region) or not is_constant(tree, value, fixed):
            break
        body = body[1:]
    gone = len(region.body) - len(body)
    return region if not gone else Region(region.first + gone, region.last, tuple(body), tuple(each for each in region.hoisted if each in body))


def _has_comment_of_its_own(data: bytes, statement: Node, region: Region) -> bool:
    """Whether the comment right above a statement speaks of that, and not of all that follows: of a buffer at the beginning and what
    fills it."""
    following = data[text.next_line(data, statement.end) :].split(b"\n", 1)[0].strip()
    is_first = statement is region.body[0] and child(declarators(statement)[0], "object_creation_expression") is not None
    above = line_above(data, statement.start)
    if not above and not is_first:  # It may stand one line further up.
        above = line_above(data, text.line_start(data, text.line_start(data, statement.start) - 1))
    is_led = above.startswith((b"//", b"/*", b"*")) and not _is_code(above.decode("utf-8", "surrogateescape"))
    return is_led and not (is_first and following and not following.startswith((b"//", b"/*", b"}")))


def _close_gap_at_start(draft: Draft, region: Region) -> None:
    """Take the blank lines out that would begin a block whose first statements go."""
    for statement in region.body[:-1]:
        if not draft.is_removed(statement.start) or not draft.is_removed(statement.end - 1):
            return
        at = text.next_line(draft.data, statement.end)
        while at < len(draft.data) and not draft.data[at : (following := text.next_line(draft.data, at))].strip():
            draft.remove_line(at)
            at = following


def unchanging(tree: Tree, region: Region) -> set[str]:
    """The locals and parameters of a procedure that have their values before a region already, and keep them in it."""
    local = locals_of(tree)
    own = {name for statement in region.body for name in declared(tree, statement)}
    for each in (one for statement in region.body for one in find(statement, "assignment_expression", "update_expression")):
        own |= {tree.text(kid) for kid in each.kids if kid.kind == "identifier"}
    return local - own


def is_constant(tree: Tree, value: Node, fixed: set[str]) -> bool:
    """Whether a value may be made somewhat earlier: of literals, what is written like constants, and `fixed` variables, or an empty buffer or
    collection of the language. That they are constants is asked in the end (`lifted`)."""
    constants = [each for each in find(value, "field_access") if CONSTANT.fullmatch(tree.text(each))]
    local = locals_of(tree)
    parts = [
        each for each in walk(value)
        if (each.kind == "identifier" or each.kind in _DOING) and not any(one.start <= each.start and each.end <= one.end for one in constants)
    ]
    if all(each.kind == "identifier" and (tree.text(each) in fixed or (tree.text(each).isupper() and tree.text(each) not in local)) for each in parts):
        return "\n" not in tree.text(value)
    return is_fresh(tree, value, fixed)


_DOING = frozenset((
    "method_invocation", "object_creation_expression", "lambda_expression", "assignment_expression", "update_expression", "field_access",
    "array_access", "method_reference", "cast_expression", "this", "switch_expression",
))
"""What may do something, throw, or read what changes."""


MAX_HOISTED = 3
"""So many declarations may be split for the sake of one block, and twice as many moved."""


def can_hoist(tree: Tree, region: Region) -> bool:
    """Whether the declarations can be split: one variable each, of a type that is written, no constants, and nothing that
    is opened in the region and needed, or closed, behind it."""
    is_fit = all(
        len(declarators(statement)) == 1 and declared_type(tree, statement) != "var" and not _may_be_constant(tree, statement)
        and not _is_closed(tree, tree.text(declarators(statement)[0].kids[0]))
        and (not declared_type(tree, statement).endswith(_OPENED) or declared_type(tree, statement) in FRESH)
        for statement in region.hoisted
    )
    count = len(region.hoisted)
    return is_fit and (count <= MAX_HOISTED or (count <= 2 * MAX_HOISTED and count - len(moved_whole(tree, region)) <= MAX_HOISTED))


_OPENED = ("ResultSet", "Statement", "Connection", "Cursor", "InputStream", "OutputStream", "Reader", "Writer", "Channel", "Socket")
"""How types end of what is open."""


def _is_closed(tree: Tree, name: str) -> bool:
    calls = (call_parts(tree, each) for each in find(tree.root, "method_invocation"))
    return any(called == "close" and receiver is not None and tree.text(receiver) == name for receiver, called, _ in calls)


def _may_be_constant(tree: Tree, statement: Node) -> bool:
    """Whether a declaration may make a constant, which other code (`case`) may need."""
    modifiers = child(statement, "modifiers")
    value = initialiser(declarators(statement)[0])
    if modifiers is None or value is None or "final" not in tree.text(modifiers).split():
        return False
    return not any(each.kind in _COMPUTING for each in walk(value))


_COMPUTING = frozenset(("method_invocation", "object_creation_expression", "array_access", "array_creation_expression", "lambda_expression"))


def has_own_lines(data: bytes, body: tuple[Node, ...]) -> bool:
    """Whether nothing but the statements (and comments behind them) stands on their lines."""
    return text.starts_line(data, body[0].start) and ends_its_line(data, body[-1])


def is_plain_between(data: bytes, statement: Node, body: tuple[Node, ...]) -> bool:
    """Whether a statement ends its line, or nothing but blanks stands between it and what follows on it."""
    between = data[statement.end : body[0].start]
    return ends_its_line(data, statement) or not between.strip()


def ends_its_line(data: bytes, statement: Node) -> bool:
    """Whether nothing but a comment follows a statement on its line."""
    return text.ends_line(data, statement.end) or text.trailing_comment(data, statement.end) is not None
