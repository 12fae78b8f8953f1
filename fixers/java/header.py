"""The words of a try header: resources in the order of their acquisition, on one line or one line each."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.naming import variable_for
from fixers.java.scope import Scope
from fixers.java.shape import given
from fixers.leak import Leak
from fixers.tree import child
from templates import render

LINE_LENGTH = 110
"""Where a header with several resources is broken."""


MAX_LENGTH = 120
"""What must be longer stays as it was broken."""

_AS_LONG = 160
"""How long lines are at most that a file is taken to want."""


def resources(leak: Leak, scope: Scope, written: str, name: str, *, split: bool) -> list[str]:
    """`T v = outer`, preceded by the delegates that are resources of their own."""
    shape = scope.shape
    source = leak.tree.text
    if not split:
        return [f"{written} {name} ={break_before(leak.data, given(shape))}{source(given(shape))}"]
    headers: list[str] = []
    taken: set[str] = {name}
    inner_text, inner = source(shape.expression), shape.expression
    for outer in (*shape.wrapped[1:], shape.outer) if shape.wrapped else ():
        before, after = around(leak, outer, inner)
        if scope.may_throw(outer):
            lost = inner if headers else shape.expression
            own = variable_for(leak.tree, scope.kind_of(lost), frozenset(taken))
            taken.add(own)
            headers.append(f"{scope.type_of(lost)} {own} = {inner_text if headers else source(lost)}")
            front, back = around(leak, inner, lost)
            inner_text = f"{front}{own}{back}"
        inner_text, inner = before + inner_text + after, outer
    before, after = around(leak, given(shape), inner)
    return [*headers, f"{written} {name} = {before}{inner_text}{after}"]


def break_before(data: bytes, value: Node) -> str:
    """What stands between `=` and a value of several lines that begins on a line of its own; else a blank."""
    blank = data[len(data[: value.start].rstrip()) : value.start].decode()
    is_tall = b"\n" in data[value.start : value.end]
    return blank if is_tall and "\n" in blank and data[: value.start].rstrip().endswith(b"=") else " "


def around(leak: Leak, outer: Node, inner: Node) -> tuple[str, str]:
    """The source of `outer` before and after `inner`."""
    data = leak.data
    return (
        data[outer.start : inner.start].decode("utf-8", "surrogateescape"),
        data[inner.end : outer.end].decode("utf-8", "surrogateescape"),
    )


def has_throwing_wrapper(scope: Scope) -> bool:
    """Whether a constructor around the acquisition can throw, so that its delegate needs a name."""
    shape = scope.shape
    if not shape.wrapped or shape.outer.kind == "switch_expression":
        return False
    chain = (*shape.wrapped, shape.outer)
    throwing = [inner for inner, outer in itertools.pairwise(chain) if scope.may_throw(outer)]
    return bool(throwing) and all(scope.type_of(inner) for inner in (shape.expression, *throwing))


_USUAL = 100
"""What lines may be long anywhere."""

_NARROW = 80
"""What they may be long in a file of some length that has hardly any longer ones."""


def width_of(data: bytes, most: int) -> int:
    """How long lines may be in a file: as its longest are but for one of 200, or a single one, and `_USUAL` (`_NARROW` where it is long enough
    to tell) to `most`."""
    found = sorted((len(line.expandtabs(text.TAB)) for line in _code(data)), reverse=True)
    if not found:
        return _USUAL
    width = min(max(found[max(len(found) // 200, int(len(found) >= _SOME))], _NARROW if len(found) >= 200 else _USUAL), most)
    narrow = _wrapped_at(data, text.TAB, width)
    return min(narrow, _wrapped_at(data, _SMALL, width - 2 * _SMALL) + 2 * _SMALL) if b"\n\t\t" in data else narrow


def grows_too_long(before: bytes, after: bytes) -> bool:
    """Whether a text has lines that are longer than a limit which all lines of the text before keep, but for single ones, and some just so: more
    lines are longer behind it than were."""
    tab = _SMALL if b"\n\t" in before else text.TAB
    lengths = [len(_BEHIND.sub(b"", line.expandtabs(tab))) for line in _code(before)]
    longest = sorted(lengths, reverse=True)[len(lengths) // _SOME] if lengths else 0
    limit = next((each for each in (_NARROW, _USUAL, MAX_LENGTH) if longest <= each and (each > _NARROW or len(lengths) >= 200)), 0)
    is_kept = sum(each > limit - _NEAR for each in lengths) >= _FEW
    most = limit + (_SLACK if limit == _NARROW else 0)
    longer = sum(each > most for each in lengths)
    return limit > 0 and is_kept and sum(len(_BEHIND.sub(b"", line.expandtabs(tab))) > most for line in _code(after)) > longer


def puts_header_too_far(before: bytes, after: bytes) -> bool:
    """Whether a text has a header on a line that is longer than any that was there, and than most people want any."""
    longest = max((len(_BEHIND.sub(b"", line.expandtabs(text.TAB))) for line in _code(before)), default=0)
    most = max(longest, MAX_LENGTH) + len("try () {")
    return any(b"try (" in line and len(_BEHIND.sub(b"", line.expandtabs(text.TAB))) > most for line in _code(after))


_MOST_LINES = 10
"""Lines of a header that a reader takes in."""

_LITERAL = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*')


_HEADER = re.compile(rb"\btry ?\(")


def has_endless_header(before: bytes, after: bytes) -> bool:
    """Whether a text has a header of more lines than anybody reads, where it had none of these: a value of that many lines had a statement of
    its own."""
    return _endless(after) > _endless(before)


def _endless(data: bytes) -> int:
    """How many headers of a text have that many lines."""
    found = 0
    for part in _HEADER.split(_LITERAL.sub(b"", data))[1:]:
        depth, end = 1, len(part)
        for position, letter in enumerate(part):
            depth += (letter == _OPEN) - (letter == _SHUT)
            if not depth:
                end = position
                break
        found += part.count(b"\n", 0, end) >= _MOST_LINES
    return found


_OPEN, _SHUT = ord("("), ord(")")


_BEHIND = re.compile(rb"\s+//[^\"]*$")
"""A comment behind a statement."""


_SLACK = 4
"""What a line may be longer than the narrowest of limits, which fewer keep than seem to."""

_SOME = 100
"""One of so many lines that is longer than the others does not make a limit wider."""

_NEAR = 10
_FEW = 3
"""So many lines come so near to a limit that somebody keeps it."""

_SMALL = 4
"""How wide tabs are at least: then lines two steps in have room for two times that more where they are measured by the widest."""


def _code(data: bytes) -> list[bytes]:
    skipped = (b"import ", b"package ", b"*", b"//", b"/*")
    return [line for line in data.splitlines() if line.strip() and not line.lstrip().startswith(skipped)]


def _wrapped_at(data: bytes, tab: int, width: int) -> int:
    """How long lines may be, `width` at most, where more than one statement is broken into two lines that would be longer than the longest of
    all on one."""
    longest = max(len(line.expandtabs(tab)) for line in _code(data))
    lines = [each.decode("utf-8", "replace").expandtabs(tab).rstrip() for each in data.splitlines()]
    joined: list[int] = []
    for above, first, second in zip(lines, lines[1:], lines[2:], strict=False):
        is_whole = above[-1:] in ("", ";", "{", "}") and first[-1:] not in ("", ";", "{", "}", "/") and second[-1:] in (";", "{")
        if not is_whole or first.lstrip()[:1] in ("*", "/", "@", ".") or "//" in first + second or _in(first) >= _in(second):
            continue
        behind = second.lstrip()
        joined.append(len(first) + len(behind) + (0 if first.endswith("(") or behind.startswith((".", ")")) else 1))
    told = [each for each in joined if max(longest, _LEAST) < each <= width]
    return max(min(told) - 1, longest) if len(told) > 1 else width


_LEAST = 72
"""What nobody breaks lines for."""


def _in(line: str) -> int:
    """How far a line stands in."""
    return len(line) - len(line.lstrip())


_BROKEN = re.compile(rb"^([ \t]*)try ?\([^\n]*;[ \t]*\r?\n([ \t]*)\S", re.MULTILINE)


def step(draft: Draft, indent: str) -> str:
    """How much further than its `try` a second line of a header stands: as in other headers of the file that step in by tabs where this one
    does, else two steps."""
    has_tabs = "\t" in indent
    found = Counter(
        behind[len(before) :] for before, behind in _BROKEN.findall(draft.data)
        if behind.startswith(before) and len(behind) > len(before) and (not before or (b"\t" in before) == has_tabs)
    )
    return found.most_common(1)[0][0].decode() if found else 2 * draft.unit


def try_line(resources: list[str], indent: str, draft: Draft, origin: str | None = None) -> str:
    """`try (…) {`; several resources that do not fit on one line get one each. `origin`: the indentation of the statements that they come from,
    where that is not the block's."""
    unit = draft.unit
    if len(resources) == 1:
        aligned = _realigned(resources[0], indent, draft)
        moved = resources[0] if origin is None else _moved(resources[0], origin, indent)
        resources = [_drawn_in(moved, indent, draft) if aligned is None else aligned]
    flat = [flattened(each) for each in resources]
    line = render("fixes/java/try", resources="; ".join(flat))
    column = len(indent.expandtabs(text.TAB)) - (len(" {") if draft.has_braces_below() else 0)
    if column + len(line) <= width_of(draft.data, MAX_LENGTH if len(resources) == 1 else LINE_LENGTH):
        return line
    if len(resources) == 1 and "\n" not in resources[0] and _is_usual(resources[0], column + len(line), draft.data):
        return line
    if len(resources) == 1 and _is_chain(resources[0], column, width_of(draft.data, MAX_LENGTH)):
        return render("fixes/java/try", resources=resources[0])
    if len(resources) == 1:
        declared, _, value = flat[0].partition(" = ")
        is_fit = len(f"{indent}{unit}{unit}".expandtabs(text.TAB)) + len(value) + len(") {") <= width_of(draft.data, MAX_LENGTH)
        is_tall = "\n" in resources[0].partition(" = ")[2].strip()
        is_broken = "\n" not in flat[0] and value and (is_fit or ("\n" not in resources[0] and not _is_wide(value, draft.data))) and not is_tall
        words = f"{declared} =\n{indent}{unit}{unit}{value}" if is_broken else resources[0]
        return render("fixes/java/try", resources=words)
    behind = indent + step(draft, indent)
    broken = [_laid_out(each, len(behind) if n else len(indent) + len("try ("), behind, indent if origin is None else origin, draft) for n, each in enumerate(resources)]
    return render("fixes/java/try", resources=f";\n{behind}".join(broken))


def _is_wide(value: str, data: bytes) -> bool:
    """Whether a value stood on a line of a file that is longer than any header may be: nothing is won where it is broken."""
    at = data.find(value.encode("utf-8", "surrogateescape"))
    there = _BEHIND.sub(b"", data[text.line_start(data, at) : text.line_end(data, at)].rstrip()) if at >= 0 else b""
    return len(there.expandtabs(_SMALL)) > _AS_LONG


def _moved(resource: str, origin: str, indent: str) -> str:
    """A resource whose further lines stand as far behind an indentation as they stood behind another."""
    first, *others = resource.split("\n")
    return "\n".join([first, *(indent + each.removeprefix(origin) for each in others)]) if all(each.startswith(origin) for each in others) else resource


def _drawn_in(resource: str, indent: str, draft: Draft) -> str:
    """A resource whose value stood on a line of its own, further in: its further lines stand as far behind the header as they stood behind that."""
    value = resource.partition(" = ")[2]
    at = draft.data.find(value.encode("utf-8", "surrogateescape")) if "\n" in value else -1
    if at < 0 or not text.starts_line(draft.data, at):
        return resource
    return _moved(resource, text.indentation(draft.data, at), indent)


def _realigned(resource: str, indent: str, draft: Draft) -> str | None:
    """A resource whose further lines all stand behind the parenthesis that its first one leaves open: they stand so behind `try (`, too, or two
    steps in, where they would be too long. None for others."""
    declared, _, value = resource.partition(" = ")
    first, *others = value.split("\n")
    at = draft.data.find(value.encode("utf-8", "surrogateescape")) if others and "\"\"\"" not in value else -1
    line = draft.data[text.line_start(draft.data, at) : at].decode("utf-8", "surrogateescape") if at >= 0 else "\t"
    open_at = _left_open(first)
    if "\t" in line + indent + value or open_at < 0 or any(len(each) - len(each.lstrip()) != len(line) + open_at + 1 for each in others):
        return None
    behind = len(f"{indent}try ({declared} = ") + open_at + 1
    column = behind if all(behind + len(each.lstrip()) + len(") {") <= width_of(draft.data, MAX_LENGTH) for each in others) else len(indent) + 2 * len(draft.unit)
    return "\n".join((f"{declared} = {first}", *(" " * column + each.lstrip() for each in others)))


def _left_open(words: str) -> int:
    """Where the last parenthesis stands that a line leaves open; -1 for none."""
    plain = _STRING.sub(lambda found: " " * len(found[0]), words)
    places: list[int] = []
    for at, each in enumerate(plain):
        if each == "(":
            places.append(at)
        elif each == ")" and places:
            places.pop()
    return places[-1] if places else -1


def _is_usual(resource: str, length: int, data: bytes) -> bool:
    """Whether what becomes a resource stood on a line about as long, and as others of its file are, or on one that is longer: then its header may
    be, too."""
    width, value = width_of(data, _AS_LONG), resource.partition(" = ")[2].encode()
    at = data.find(value)
    there = data[text.line_start(data, at) : text.line_end(data, at)].rstrip() if value and at >= 0 else b""
    more = len("try () {")
    if length <= min(MAX_LENGTH, max((len(_BEHIND.sub(b"", line.rstrip().expandtabs(text.TAB))) for line in data.splitlines() if value and value in line), default=0)):
        return True
    return width > MAX_LENGTH and length <= min(width, len(there.expandtabs(text.TAB))) + more


def _is_chain(resource: str, column: int, width: int) -> bool:
    """Whether the words of a resource are broken before the dots of calls, and fit with `try (` before them."""
    first, *others = resource.splitlines()
    is_fit = column + len("try (") + len(first) <= width and all(len(each.expandtabs(text.TAB)) + len(") {") <= width for each in others)
    return bool(others) and is_fit and all(each.lstrip().startswith(".") for each in others)


def _fitted(resource: str, column: int, indent: str, draft: Draft) -> str:
    """A resource with its value on a line of its own, where it would be too long."""
    width = width_of(draft.data, MAX_LENGTH)
    declared, _, value = resource.partition(" = ")
    length = column + len(resource) + len(") {")
    is_broken = "\n" not in resource and length > width and value and not _is_usual(resource, length - 2 * len(draft.unit), draft.data)
    return f"{declared} =\n{indent}{value}" if is_broken else resource


def opening(resources: list[str], indent: str, draft: Draft) -> str:
    """The line (or lines) of `try_line` without the indentation that they begin with: for text that is moved in as a whole."""
    return try_line(resources, indent, draft).replace(f"\n{indent}", "\n") + "\n"


def _laid_out(resource: str, column: int, behind: str, indent: str, draft: Draft) -> str:
    """A resource of several on lines of its own, which begins at a column: on one or two lines, or as it was broken, where it is too long
    for these. `behind`: where such lines begin; `indent`: where the statement stood that it comes from."""
    flat = flattened(resource)
    fitted = _fitted(flat, column, behind + 2 * draft.unit, draft)
    first, *others = resource.splitlines()
    is_long = "\n" not in flat and len(fitted.splitlines()[-1]) + (column if fitted == flat else 0) + len(") {") > width_of(draft.data, MAX_LENGTH)
    if not is_long or not others or not all(each.startswith(indent) for each in others):
        return fitted
    return "\n".join([first, *(behind + each.removeprefix(indent) for each in others)])


def fitting(resource: str, column: int, indent: str, draft: Draft) -> str:
    """A resource that begins at a column, on as many lines as it takes where it is too long; further ones begin with `indent`."""
    fitted = _fitted(resource, column, indent, draft)
    length = len(fitted.splitlines()[-1].expandtabs(text.TAB)) + (column if fitted == resource else 0) + len(") {")
    is_usual = fitted == resource and _is_usual(resource, length - 2 * len(draft.unit), draft.data)
    return filled(fitted, column, indent, draft) if "\n" not in resource and not is_usual and length > width_of(draft.data, MAX_LENGTH) else fitted


def filled(resource: str, column: int, indent: str, draft: Draft) -> str:
    """A resource whose last line, which begins at a column if it is the only one, is too long: broken behind commas of the outermost
    call of several arguments, so that each line holds as much as it may."""
    *above, last = resource.split("\n")
    behind = indent + 2 * draft.unit if above else indent
    plain, depth, lines, start = _STRING.sub(lambda found: "x" * len(found[0]), last), 0, list[str](), 0
    width = width_of(draft.data, MAX_LENGTH)
    commas = list[tuple[int, int]]()
    for at, each in enumerate(plain):
        depth += (each in "([{") - (each in ")]}")
        if each == "," and plain[at + 1 : at + 2] == " ":
            commas.append((depth, at + 1))
    places = [at for deep, at in commas if deep == min(commas)[0]]
    for n, place in enumerate(places):
        following = places[n + 1] if n + 1 < len(places) else len(last) + len(") {")
        before = len(behind.expandtabs(text.TAB)) if lines else 0 if above else column
        if before + following - start > width:
            lines.append((behind if lines else "") + last[start:place])
            start = place + 1
    lines.append((behind if lines else "") + last[start:])
    return "\n".join((*above, *lines))


_STRING = re.compile(r'"(\\.|[^"\\\n])*"')
"""A text: what looks like a comment in it is none."""


def flattened(resource: str) -> str:
    """Words on one line, unless comments or text blocks, which must stay as they are, may stand in it."""
    if "\n" not in resource or '"""' in resource or any(mark in _STRING.sub("", resource) for mark in ("//", "/*")):
        return resource
    joined = ""
    lines = [each.strip() for each in resource.splitlines()]
    is_wide = any("( " in each or " )" in each for each in lines)
    for line in lines:
        is_edge = joined.endswith("(") or line.startswith(")")
        is_call = line.startswith("(") and joined[-1:].isalnum()
        is_close = not joined or joined.endswith(".") or line.startswith((".", ",")) or is_call or (is_edge and not is_wide)
        joined += line if is_close else f" {line}"
    return joined


def put_first_in_header(draft: Draft, statement: Node, resources: list[str]) -> None:
    """Put resources before those that a header has, if any: they were opened before these."""
    specification = child(statement, "resource_specification")
    first = child(specification, "resource") if specification is not None else None
    if first is None:
        add_to_header(draft, statement, resources)
        return
    width = text.line_end(draft.data, first.start) - text.line_start(draft.data, first.start) + sum(len(each) + 2 for each in resources)
    indent = text.indentation(draft.data, statement.start)
    indent += step(draft, indent)
    between = f";\n{indent}" if width > width_of(draft.data, LINE_LENGTH) else "; "
    draft.insert(first.start, "".join(f"{each}{between}" for each in resources))


def add_to_header(draft: Draft, statement: Node, resources: list[str], origin: Node | None = None) -> None:
    """Put resources behind those that a header has, if any. `origin`: the statement that they come from, where that stands in the block."""
    specification = child(statement, "resource_specification")
    indent = text.indentation(draft.data, statement.start)
    within = text.indentation(draft.data, origin.start) if origin is not None and text.starts_line(draft.data, origin.start) else indent
    if specification is None:
        line = try_line(resources, indent, draft, within)
        draft.insert(statement.kids[0].end, line.removeprefix("try").removesuffix(" {"))
        return
    flat_ones = [flattened(each) for each in resources]
    last = [kid for kid in specification.kids if kid.kind == "resource"][-1]
    width = text.line_end(draft.data, last.end) - text.line_start(draft.data, last.end)
    own_line = text.starts_line(draft.data, last.start)
    words = draft.data[last.start : last.end].decode("utf-8", "surrogateescape")
    flat, before = flattened(words), last.start - text.line_start(draft.data, last.start)
    if flat != words and "\n" not in flat and before + len(flat) < MAX_LENGTH:
        draft.replace(last.start, last.end, flat)  # Else its second line would look like a resource of its own.
    if own_line or width + sum(len(each) + 2 for each in flat_ones) > width_of(draft.data, LINE_LENGTH):
        inner = text.indentation(draft.data, last.start) if own_line else f"{indent}{step(draft, indent)}"
        for one, other in itertools.pairwise(kid for kid in specification.kids if kid.kind == "resource"):
            if draft.data[one.end : other.start].strip(b" ") == b";":  # Two on one line and a third below read like two and one.
                draft.replace(one.end, other.start, f";\n{inner}")
        broken = [_laid_out(each, len(inner), inner, within, draft) for each in resources]
        draft.insert(last.end, "".join(f";\n{inner}{each}" for each in broken))
    else:
        draft.insert(last.end, "".join(f"; {each}" for each in flat_ones))
