"""A result that no variable holds: released at once where it is dropped, given a name where it is passed on.

What a member or a variable is given has a name already: there another one is the last resort.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.unknown import words_of
from analyzers.syntax import Node
from fixers import text
from fixers.c import leakfix
from fixers.c.patch import Patch, Release, declaration
from fixers.c.rebase import composed, rebased
from fixers.c.release import accepts_none, release_call
from fixers.c.style import style_of
from fixers.edits import apply, moved
from fixers.fix import Edit
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import find
from templates import render

_CONDITIONAL = frozenset((
    "conditional_expression", "comma_expression", "for_statement", "while_statement",
    "do_statement", "sizeof_expression", "else_clause",
))
_KINDS = frozenset(("GObject", "DTD"))
"""Words for resources that are no type of their results: `GFile *` and `GtkListStore *` do not convert to `GObject *` and back."""

_GLIB = ("g_", "gdk_", "gtk_", "pango_")

_GETTING = frozenset(("get", "dup", "to", "make", "new", "build", "create", "read", "find", "copy", "parse"))
_ESCAPING = ("escape", "quote")
_OF_ANOTHER = frozenset(("at", "by", "for", "from", "in", "of", "on", "with"))
"""Words behind which a name tells of something else (`g_file_new_for_path`)."""

_VAGUE = frozenset((
    "all", "any", "assert", "auto", "bool", "break", "case", "char", "complex", "const", "continue", "data", "default", "double", "else", "enum",
    "environ", "errno", "extern", "false", "float", "from", "full", "goto", "heap", "inline", "int", "linux", "long", "major", "minor", "new",
    "next", "null", "register", "restrict", "return", "self", "short", "signed", "sizeof", "static", "stderr", "stdin", "stdout", "struct", "switch", "take",
    "true", "typedef", "typeof", "union", "unix", "unsigned", "use", "value", "void", "volatile", "while", "with",
))
"""Words that name no thing, or that no variable of C may have, as headers of the system define them."""
_SHORTEST = 3

_DOING = ("call_expression", "assignment_expression", "update_expression")
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_BRANCHING = frozenset(("if_statement", "else_clause", "for_statement", "while_statement", "do_statement"))
"""What a statement may be the only one of a branch of."""

_HOLDERS = frozenset(("expression_statement", "declaration", "return_statement", "if_statement", "switch_statement"))


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, where nothing in the source holds the result."""
    yield from _proposed(leak, is_stored=False)


def propose_beside_a_member(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, where a member or a variable is given the result, but may have lost it by the time when it is due."""
    yield from _proposed(leak, is_stored=True)


def _proposed(leak: Leak, *, is_stored: bool) -> Iterator[Candidate | Refusal]:
    path = leak.tree.path(leak.finding.acquired.start, leak.finding.acquired.end)
    at = next((n for n in range(len(path) - 1, -1, -1) if path[n].kind == "call_expression"), 0)
    if not at or leak.finding.variable or not _is_result(leak, path[at]):
        return
    call, holder = path[at], path[at - 1]
    if is_stored is not _is_stored(path, at):
        return
    if holder.kind == "expression_statement":
        yield from _at_once(leak, call)
        return
    yield from _named(leak, path, at)


def _is_result(leak: Leak, call: Node) -> bool:
    """Whether what a call acquires is its result, and does not lie in an argument."""
    body = leak.linked.body
    paths = [
        outcome.paths
        for node, each in enumerate(body.nodes)
        if isinstance(each, ir.Call) and (body.start + each.start, body.start + each.end) == (call.start, call.end)
        for effects in leak.effects.get(node, ())
        for transfer in effects.transfers
        if not transfer.entry
        for outcome in transfer.outcomes
    ]
    return not paths or any(("$ret",) in each for each in paths)


def _is_stored(path: list[Node], at: int) -> bool:
    """Whether the expression around a call gives it to a member, or within another one to a variable (`if ((all = list()) == NULL)`)."""
    above = next((n for n in range(at - 1, -1, -1) if path[n].kind not in ("cast_expression", "parenthesized_expression")), 0)
    holder = path[above]
    if holder.kind != "assignment_expression" or path[above + 1] is holder.kids[0]:
        return False
    if holder.kids[0].kind == "field_expression":
        return above == at - 1
    return holder.kids[0].kind == "identifier" and path[above - 1].kind != "expression_statement"


def _at_once(leak: Leak, call: Node) -> Iterator[Candidate]:
    words = release_call(leak, leak.tree.text(call))
    if not words or not accepts_none(leak, words):
        return
    patch = Patch(leak, style_of(leak))
    before, _, behind = words.partition(leak.tree.text(call))
    patch.draft.insert(call.start, before)
    patch.draft.insert(call.end, behind)
    edits = patch.edits()
    if edits:
        yield Candidate(render("fixes/titles/at_once"), edits)


def _named(leak: Leak, path: list[Node], at: int) -> Iterator[Candidate | Refusal]:
    """Declare a variable for the result before the statement, and release it right behind; else the rest is for LeakFix."""
    index = next((n for n in range(at, -1, -1) if path[n].kind in _HOLDERS), -1)
    if index < 1 or any(node.kind in _CONDITIONAL or _is_perhaps(leak, node, path[at]) for node in path[index:at]):
        return
    if any(node.kind == "call_expression" and _may_be_macro(leak, node) for node in path[index:at]):
        return
    statement, holder = path[index], path[index - 1]
    plain = ("assignment_expression", "init_declarator", "cast_expression", "parenthesized_expression")
    if path[index + 1].kind in plain[:2] and all(node.kind in plain for node in path[index + 1 : at]):
        return
    if statement.kind == "expression_statement" and holder.kind in _BRANCHING:
        yield from _in_a_block(leak, statement, path[at])
        return
    if holder.kind not in ("compound_statement", "case_statement") or not text.starts_line(leak.data, statement.start):
        return
    if statement.kind == "declaration" and (holder.kind == "case_statement" or _is_behind_others(leak, statement, path[at])):
        return
    if statement.kind in ("expression_statement", "declaration"):
        yield from _behind(leak, statement, holder, path[at])
    name = _name(leak)
    edits = _given(leak, statement, holder, path[at]).edits()
    again = _again(leak, edits, name, statement) if edits else None
    if edits and again is not None:
        candidates = (each for each in leakfix.propose(again) if isinstance(each, Candidate))
        yield from composed(leak, edits, candidates)


def _name(leak: Leak) -> str:
    """What the result is called: as the function says that it gets or makes (`get_current_dir`, `PQescapeLiteral`), else by what it is."""
    called = leak.data[leak.finding.acquired.start : leak.finding.acquired.end].partition(b"(")[0].decode(errors="replace").strip()
    words = words_of(called) if "_" not in called else called.split("_")
    last = words[-1] if words else ""
    is_made = any(each in _GETTING or each.endswith(_ESCAPING) for each in words[:-1])
    is_told = is_made and _OF_ANOTHER.isdisjoint(words) and last.isalpha() and last.islower() and len(last) >= _SHORTEST and last not in _VAGUE | leak.known_names
    return unused(leak.tree, last) if is_told else unused(leak.tree, "result", "held", "temporary")


def _given(leak: Leak, statement: Node, holder: Node, call: Node) -> Patch:
    """The result has a name before the statement that passes it on."""
    name, style = _name(leak), style_of(leak)
    patch = Patch(leak, style)
    head = declaration(_type(leak, call), name)
    block = holder if holder.kind == "compound_statement" else patch.block(statement)
    is_late = not style.is_mixed and statement.kind != "declaration" and not (block is holder and _is_first(holder, statement))
    if block is not None and (is_late or block is not holder):
        patch.declare_first(block, head)
        head = name
    patch.draft.insert_lines(statement.start, f"{head} = {leak.tree.text(call)};\n", patch.indent(statement))
    patch.draft.replace(call.start, call.end, name)
    return patch


def _behind(leak: Leak, statement: Node, holder: Node, call: Node) -> Iterator[Candidate]:
    """The result is released right behind the statement that it is made for."""
    if statement.kind == "declaration" and not style_of(leak).is_mixed:
        return
    released = _release(leak)
    patch = _given(leak, statement, holder, call)
    if released is None or not text.ends_line(leak.data, statement.end):
        return
    patch.draft.insert_lines_after(statement.end, patch.lines(released), patch.indent(statement))
    yield from _candidate(leak, patch)


def _in_a_block(leak: Leak, statement: Node, call: Node) -> Iterator[Candidate]:
    """The same for the only statement of a branch, which gets a block."""
    released = _release(leak)
    if released is None:
        return
    name = _name(leak)
    patch = Patch(leak, style_of(leak))
    head = declaration(_type(leak, call), name)
    if patch.put_around(statement, f"{head} = {leak.tree.text(call)};\n", patch.lines(released)):
        patch.draft.replace(call.start, call.end, name)
        yield from _candidate(leak, patch)


def _candidate(leak: Leak, patch: Patch) -> Iterator[Candidate]:
    edits = patch.edits()
    if edits:
        yield Candidate(render("fixes/titles/leakfix", expression=_name(leak), count=1), edits)


def _release(leak: Leak) -> Release | None:
    """How the result is released under its name; None where nobody knows."""
    name, style = _name(leak), style_of(leak)
    words = release_call(leak, name)
    if not words:
        return None
    return Release(style.call(words), "" if accepts_none(leak, words) else style.test(name, leak.nothing))


def _may_be_macro(leak: Leak, call: Node) -> bool:
    """Whether what is called may be a macro, which may do without its arguments or ask for them twice."""
    name = leak.tree.text(call.kids[0])
    return name == "assert" or name.isupper() or leak.is_macro(name)


def _is_first(block: Node, statement: Node) -> bool:
    """Whether nothing but declarations stands before a statement: one more may stand right there."""
    return all(kid.kind in ("{", "comment", "declaration") for kid in block.kids if kid.end <= statement.start)


def _is_behind_others(leak: Leak, statement: Node, call: Node) -> bool:
    """Whether a call cannot come before the declaration that it stands in: what is declared before it there it may name, or that does
    something first."""
    before = [kid for kid in statement.kids if kid.start < call.start and kid.kind.endswith(("declarator", "identifier")) and kid.kind != "type_identifier"]
    names = {leak.tree.text(each) for kid in before for each in find(kid, "identifier") if each.end <= call.start}
    is_named = any(leak.tree.text(each) in names for each in find(call, "identifier"))
    return is_named or any(True for kid in before if kid.end <= call.start for _ in find(kid, *_DOING))


def _is_perhaps(leak: Leak, node: Node, call: Node) -> bool:
    """Whether an expression may do without a call in it (what stands behind `&&` and `||`), computes with what the call itself gives,
    as a descriptor may come back from that, or asks whether it is what a variable holds: `=` may have been meant."""
    if node.kind != "binary_expression":
        return False
    left, sign, right = node.kids[0], node.kids[1].kind, node.kids[2]
    if sign in ("&&", "||"):
        return left.end <= call.start
    other = right if left.end > call.start else left
    if sign in ("==", "!=") and other.kind in ("identifier", "field_expression", "subscript_expression") and not leak.tree.text(other).isupper():
        return not any(each.kind == "call_expression" and each.start <= call.start and call.end < each.end for each in node.kids)
    return sign not in _COMPARISONS and not any(kid.kind == "call_expression" and kid.start <= call.start and call.end < kid.end for kid in node.kids)


def _again(leak: Leak, edits: tuple[Edit, ...], name: str, statement: Node) -> Leak | None:
    """The leak where its acquisition now stands: behind `name = ` in the inserted line."""
    data = apply(leak.data, edits)
    words = leak.data[leak.finding.acquired.start : leak.finding.acquired.end]
    start = data.rfind(words, 0, moved(edits, statement.start))
    return rebased(leak, edits, name, start) if start >= 0 else None


def _type(leak: Leak, call: Node) -> str:
    """The type of the result, a text of GLib as the file writes it."""
    found = _told(leak, call)
    is_glib = found == "char *" and leak.tree.text(call).startswith(_GLIB) and b"gchar *" in leak.data
    return "gchar *" if is_glib else found


def _told(leak: Leak, call: Node) -> str:
    """The same as declared, else one that everything of its kind converts to."""
    body = leak.linked.body
    for node, each in enumerate(body.nodes):
        if isinstance(each, ir.Call) and (body.start + each.start, body.start + each.end) == (call.start, call.end):
            target = leak.linked.targets.get(node)
            if target is not None and target.result:
                return target.result
            told = next((effects.type for effects in leak.effects.get(node, ()) if effects.type), "")
            if told:
                return told
    if leak.nothing == "-1":
        return "int"
    name = leak.finding.resource
    is_type = name.isidentifier() and not name.islower() and name not in _KINDS and leak.resource != "heap-memory"
    return f"{name} *" if is_type else "void *"
