"""Names a resource that has no name yet, in a try header: what stands inside an expression, or inside a wrapper in a header.

Declines where the expression may not run, where the statement gives the resource itself, or makes a stream of it for later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from analyzers import ir
from analyzers.syntax import Node
from fixers import text
from fixers.draft import Draft
from fixers.java.alone import meet_beside
from fixers.java.close_in_finally import SWALLOWED, swallows
from fixers.java.columns import realign
from fixers.java.delayed import changes_files, is_output
from fixers.java.exceptions import EVERYTHING, handlers
from fixers.java.header import (
    LINE_LENGTH,
    MAX_LENGTH,
    add_to_header,
    around,
    filled,
    fitting,
    flattened,
    has_throwing_wrapper,
    opening,
    resources,
    step,
    width_of,
)
from fixers.java.held import needed_later
from fixers.java.imports import import_caught
from fixers.java.made_of import with_what_it_makes
from fixers.java.naming import variable_for
from fixers.java.opened_before import with_those_before
from fixers.java.receiver import receiver_named
from fixers.java.region import MAX_BEHIND, Region, is_descriptor, needed
from fixers.java.scope import Scope, index_in, names_in
from fixers.java.shape import Shape, classify, place_of, result_variable
from fixers.java.statements import (
    LATER,
    TRIES,
    assignment,
    call_parts,
    declarators,
    declared,
    declared_type,
    identifiers,
    statements,
)
from fixers.java.try_with_resources import (
    FIRST_LEVEL,
    LONG,
    assigned_in_header,
    candidate,
    declared_in_header,
    ended,
    is_long,
    prepared,
    says_nothing_yet,
    try_around,
)
from fixers.java.wrapping import (
    can_hoist,
    close_block,
    has_own_lines,
    hoist,
    indent_region,
    move_chain,
)
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.padding import is_padded
from fixers.tree import COMMENTS, child, find, walk
from templates import render

MAX_JOINED = 2
"""So many calls of a chain, each on a line of its own, may come together on one."""

_SOMETIMES = frozenset(("ternary_expression", "lambda_expression", "switch_expression"))
"""Expressions of which parts may never run, or run later."""


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, the best-looking first."""
    found = prepared(leak)
    if found is None:
        return
    shape, scope = found
    match shape.kind:
        case "header":
            if held := needed_later(scope, shape.container):
                yield Refusal(held)
                return
            yield from _header(leak, shape, scope)
        case "nested" | "dropped":
            if closing := _closed_by_its_call(leak, shape, scope):
                yield Refusal(f"`{closing}` closes it already, where it is reached")
                return
            yield from _chained(leak, shape, scope)
            yield from with_what_it_makes(leak, shape, scope)
            yield from with_those_before(leak, shape, scope)
            yield from _nested(leak, shape, scope)
            yield from _nested_in_finally(leak, shape, scope)
            yield from _with_uses(leak, shape, scope)
            yield from receiver_named(leak, shape, scope)
        case _:
            pass
    yield from _below_strangers(leak, shape)


def _below_strangers(leak: Leak, shape: Shape) -> Iterator[Candidate]:
    """`Parser p = new Parser(new FileInputStream(f)); p.run();`: where nobody knows whether a header may hold what is built around the
    resource, it holds the resource alone. Not for what is written to: what is around it may still have to write then."""
    if not shape.wrapped or is_output(leak.finding.resource.partition("<")[0]):
        return
    inner = classify(
        leak.tree, leak.finding.acquired.start, leak.finding.acquired.end,
        lambda written: leak.is_endless(written) or leak.is_below(leak.resolve(written), "java.lang.AutoCloseable") is not True,
    )
    if inner is None or inner.kind != "nested" or inner.outer is shape.outer:
        return
    if inner.statement.kind != "local_variable_declaration":
        yield from _nested(leak, inner, Scope(leak, inner))
    yield from _with_uses(leak, inner, Scope(leak, inner))


def _closed_by_its_call(leak: Leak, shape: Shape, scope: Scope) -> str:
    """The method that is given the resource and closes it, by its name (`copyAndClose(open(), into())`) and what is known of it, which is
    that it closes as many as it is given: nobody wants it to be closed a second time. Empty for none."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    call = shape.path[at - 2] if at > 1 and shape.path[at - 1].kind == "argument_list" else None
    name = call_parts(leak.tree, call)[1] if call is not None and call.kind == "method_invocation" else ""
    if call is None or "close" not in name.lower():
        return ""
    known = [each for number in scope.calls_at(call) for each in leak.effects.get(number, ())]
    closed = {
        transfer.entry[0] for each in known for transfer in each.transfers
        if transfer.entry and any(outcome.fate == "released" for outcome in transfer.outcomes)
    }
    return name if len(closed) >= len(call_parts(leak.tree, call)[2]) else ""


def _header(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """`try (W w = new W(inner))`: the delegate becomes a resource before its wrapper."""
    if not has_throwing_wrapper(scope):
        return
    resource = next((node for node in reversed(shape.path) if node.kind == "resource"), None)
    if resource is None:
        return
    *delegates, outer = resources(leak, scope, "", "", split=True)
    delegates = [flattened(each) for each in delegates]
    if (modifiers := child(resource, "modifiers")) is not None and "final" in leak.tree.text(modifiers).split():
        delegates = [f"final {each}" for each in delegates]
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    there = leak.data[text.line_start(leak.data, resource.start) : text.line_end(leak.data, resource.start)].split(b" //")[0]
    value = outer.removeprefix("  = ")
    grown = len(value) - (shape.outer.end - shape.outer.start) + sum(len(each) + 2 for each in delegates)
    is_wide = len(there.expandtabs(text.TAB)) + grown > width_of(leak.data, MAX_LENGTH)
    # Two on one line and a third below read like two and one.
    is_listed = any(text.starts_line(leak.data, each.start) for node in shape.path if node.kind == "resource_specification" for each in find(node, "resource"))
    first = text.starts_line(leak.data, resource.start) or leak.tree.text(resource).count("\n") or is_wide or is_listed
    indent = text.indentation(leak.data, resource.start)
    between = f";\n{indent}{step(draft, indent)}" if first else "; "
    if text.starts_line(leak.data, resource.start):
        between = f";\n{text.indentation(leak.data, resource.start)}"
    if first:
        column = len(between) - 2
        delegates = [fitting(each, column, between.removeprefix(";\n") + 2 * draft.unit, draft) for each in delegates]
    draft.insert(resource.start, "".join(f"{each}{between}" for each in delegates))
    before, after = around(leak, resource, shape.outer)
    line = " ".join(f"{before}{value}{after}".split())
    line = line if is_padded(leak.data) else line.replace("( ", "(")
    is_plain = "\"" not in line and not any(node.kind in COMMENTS for node in walk(resource))
    if is_plain and len((text.indentation(leak.data, resource.start) + 2 * draft.unit).expandtabs(text.TAB)) + len(line) < width_of(leak.data, LINE_LENGTH):
        draft.replace(resource.start, resource.end, line)
    elif is_plain and "\n" in leak.tree.text(resource) and " = " in line and not text.starts_line(leak.data, resource.start):
        declared, _, value = line.partition(" = ")
        behind = f"{indent}{step(draft, indent)}{2 * draft.unit}"
        draft.replace(resource.start, resource.end, filled(f"{declared} =\n{behind}{value}", 0, behind, draft))
    else:
        draft.replace(shape.outer.start, shape.outer.end, value)
    yield from candidate(scope, draft)


def _chained(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """`T v = acquire().method().other();`, where closing v closes the resource, too: v is the resource."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    call = shape.outer
    while at and (above := shape.path[at - 1]).kind == "method_invocation" and above.kids[0] is call and scope.hands_on(above):
        at, call = at - 1, above
    if call is shape.outer:
        return
    whole_chain = classify(leak.tree, call.start, call.end)
    if whole_chain is None:
        return
    match whole_chain.kind:
        case "declared":
            yield from declared_in_header(leak, whole_chain, Scope(leak, whole_chain))
        case "assigned":
            yield from assigned_in_header(leak, whole_chain, Scope(leak, whole_chain))
        case _:
            return


def _nested(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """A resource without a name gets one, around the statement that uses it."""
    written = scope.type_of(shape.outer)
    if not written or not has_own_lines(leak.data, (shape.statement,)):
        return
    if _is_sometimes(shape):
        return
    if shape.statement.kind == "return_statement" and _is_whole(shape):
        return
    if _gives_wrapper(leak, shape) or _is_set(leak, shape):
        return
    name = variable_for(leak.tree, written if written != "var" else leak.finding.resource, place=shape.statement)
    header = resources(leak, scope, written, name, split=has_throwing_wrapper(scope))
    yield from _in_header_around(leak, shape, scope, written)
    indent = text.indentation(leak.data, shape.statement.start)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    is_idle = _is_never_used(leak, shape)
    gone = 0  # How much further left the words behind the target stand.
    match shape.statement.kind:
        case "local_variable_declaration" if not is_idle:
            split = result_variable(leak.tree, shape)
            if shape.container is None or split is None or declared_type(leak.tree, shape.statement) == "var" or is_descriptor(leak.tree, split[1]):
                return
            declarator, value = split
            target = leak.tree.text(declarator.kids[0])
            typed = leak.data[shape.statement.start : declarator.start].decode("utf-8", "surrogateescape")
            typed = "\n".join(line.removeprefix(indent) for line in typed.split("\n"))  # An annotation may stand on a line of its own.
            draft.insert_lines(shape.statement.start, f"{typed}{target};\n", indent)
            if (short := _shortened(leak, shape, name, len(indent) + len(draft.unit), (f"{target} = ", value.start))):
                draft.insert_lines(shape.statement.start, opening(header, indent, draft), indent)
                draft.insert_lines(shape.statement.start, short + "\n", indent + draft.unit)
                draft.remove(shape.statement.start, shape.statement.end)
                yield from ended(scope, draft, Region(0, 0, (shape.statement,), (shape.statement,)), indent)
                return
            between = leak.data[declarator.kids[0].end : value.start]
            left = leak.data[value.start : shape.outer.start] + leak.data[shape.outer.end : value.end]
            if between.strip() == b"=" and b"\n" in between and b"\n" in left:
                draft.replace(shape.statement.start, declarator.start, "")  # What follows goes on where it stood.
            else:
                draft.replace(shape.statement.start, value.start, f"{target} = ")
                gone = len(f"{target} = ") - (value.start - shape.statement.start)
        case "local_variable_declaration" | "expression_statement" | "return_statement" | "throw_statement" | "if_statement":
            if shape.kind == "dropped":
                return
        case "enhanced_for_statement":
            if not _is_run_through(leak, shape):
                return
        case _:
            return
    draft.insert_lines(shape.statement.start, opening(header, indent, draft), indent)
    if (close := _own_close(leak, shape)) is not None:
        draft.replace(close.kids[0].end, close.end, "")
    is_split = shape.statement.kind == "local_variable_declaration" and not is_idle
    if not is_split and close is None and (short := _shortened(leak, shape, name, len(indent) + len(draft.unit))):
        draft.insert_lines(shape.statement.start, short + "\n", indent + draft.unit)
        draft.remove(shape.statement.start, shape.statement.end)
    elif _is_joined(leak.data, shape.statement, shape.outer, draft.unit):
        rest = leak.data[shape.outer.end :]
        draft.replace(shape.outer.start, shape.outer.end + len(rest) - len(rest.lstrip()), name)
        draft.indent(shape.statement.start, shape.outer.start + 1, [])
    elif move_chain(draft, shape.outer, shape.statement, name, gone + len(draft.unit)):
        draft.indent(shape.statement.start, shape.outer.start + 1, [])
    elif (given := _closed_up(leak, shape, name, gone + len(draft.unit))) is not None:
        draft.replace(given[0].start, given[0].end, given[1])
        draft.indent(shape.statement.start, given[0].start + 1, [])
        draft.indent(given[0].end, shape.statement.end, [])
    else:
        draft.replace(*place_of(shape), name)
        realign(draft, leak.tree, shape.statement, shape.outer, name, gone, draft.unit)
        indent_region(draft, (shape.statement,))
    yield from ended(scope, draft, Region(0, 0, (shape.statement,), (shape.statement,) if is_split else ()), indent)


def _is_run_through(leak: Leak, shape: Shape) -> bool:
    """Whether the resource stands in the header of a loop, which asks for it once, and nobody names the loop to leave or go on with it."""
    parent = next(each for each, kid in pairwise(shape.path) if kid is shape.statement)
    is_short = leak.data.count(b"\n", shape.statement.start, shape.statement.end) <= LONG
    return shape.outer.end <= shape.statement.kids[-1].start and parent.kind != "labeled_statement" and is_short


def _is_never_used(leak: Leak, shape: Shape) -> bool:
    """Whether nothing below a declaration in its block names what it declares: all of it can stand in a block of its own."""
    if shape.statement.kind != "local_variable_declaration" or shape.container is None:
        return False
    names = set(declared(leak.tree, shape.statement))
    behind = statements(shape.container)[index_in(shape.container, shape.statement) + 1 :]
    return not any(names & names_in(leak.tree, each) for each in behind)


def _is_changed(leak: Leak, behind: Sequence[Node]) -> bool:
    """Whether something behind the use of a resource changes files, by its name: these may still be open there, which not all systems bear."""
    calls = [call for each in behind for call in find(each, "method_invocation")]
    return any(changes_files(call_parts(leak.tree, call)[1]) for call in calls)


def _in_header_around(leak: Leak, shape: Shape, scope: Scope, written: str) -> Iterator[Candidate]:
    """The header of a `try` that begins with the statement, and goes on with little else."""
    owner = try_around(shape)
    body = statements(shape.container) if shape.container is not None else []
    is_fit = shape.statement.kind in ("local_variable_declaration", "expression_statement", "return_statement", "throw_statement", "if_statement")
    is_fit = is_fit or (shape.statement.kind == "enhanced_for_statement" and _is_run_through(leak, shape))
    if owner is None or owner.kind not in TRIES or body[:1] != [shape.statement] or len(body) > 1 + MAX_BEHIND:
        return
    if not is_fit or shape.kind == "dropped" or _own_close(leak, shape) is not None or _is_changed(leak, body[1:]):
        return
    name = variable_for(leak.tree, written if written != "var" else leak.finding.resource, place=owner)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    add_to_header(draft, owner, resources(leak, scope, written, name, split=has_throwing_wrapper(scope)), shape.statement)
    meet_beside(scope, owner, draft)
    indent = text.indentation(leak.data, shape.statement.start)
    if (short := _shortened(leak, shape, name, len(indent))):
        draft.replace(shape.statement.start, shape.statement.end, short)
    elif not move_chain(draft, shape.outer, shape.statement, name, 0):
        draft.replace(*place_of(shape), name)
        realign(draft, leak.tree, shape.statement, shape.outer, name, 0, "")
    yield from candidate(scope, draft)


def _nested_in_finally(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """The same, closed in a `finally` that swallows what closing throws, where nothing here may throw that."""
    handled, is_lambda = handlers(leak.tree, shape.statement.start)
    known = {each.rpartition(".")[2] for each in handled}
    thrown = [each.rpartition(".")[2] for each in leak.caught.split(" | ") if each]
    written = scope.type_of(shape.outer)
    is_fit = not is_lambda and known.isdisjoint({*EVERYTHING, *thrown}) and thrown not in ([], ["Exception"])
    if not is_fit or not written or _is_sometimes(shape) or _gives_wrapper(leak, shape) or _is_set(leak, shape) or has_throwing_wrapper(scope):
        return
    if not has_own_lines(leak.data, (shape.statement,)) or shape.kind == "dropped" or shape.container is None:
        return
    name = variable_for(leak.tree, written if written != "var" else leak.finding.resource, place=shape.statement)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    indent = text.indentation(leak.data, shape.statement.start)
    split = result_variable(leak.tree, shape)
    if shape.statement.kind == "local_variable_declaration":
        if split is None or declared_type(leak.tree, shape.statement) == "var":
            return
        target = leak.tree.text(split[0].kids[0])
        typed = leak.data[shape.statement.start : split[0].start].decode("utf-8", "surrogateescape")
        draft.insert_lines(shape.statement.start, f"{typed}{target};\n", indent)
        draft.replace(shape.statement.start, split[1].start, f"{target} = ")
    elif shape.statement.kind != "expression_statement" and (shape.statement.kind != "return_statement" or _is_whole(shape)):
        return
    draft.insert_lines(shape.statement.start, f"{written} {name} = {flattened(leak.tree.text(shape.outer))};\ntry {{\n", indent)
    draft.replace(*place_of(shape), name)
    indent_region(draft, (shape.statement,))
    lines = render(
        "fixes/java/release", variable=name, statement=f"{name}.{scope.release}();", guarded=scope.may_be_null(), caught=leak.caught,
        exception=unused(leak.tree, "e", "ex", "closing"), unit=draft.unit,
    )
    close_block(draft, (shape.statement,), indent, "} finally {\n" + text.reindented(lines, draft.unit) + "}\n")
    scope.types.import_into(draft)
    import_caught(draft, leak.unnamed)
    if edits := draft.edits():
        told = "" if leak.level < FIRST_LEVEL or swallows(leak) else SWALLOWED
        yield Candidate(render("fixes/titles/close_in_finally", variable=name), edits, assumption=told)


def _own_close(leak: Leak, shape: Shape) -> Node | None:
    """The `.close()` at the end of a chain of calls on the resource, which closes it where none of them throws."""
    call = child(shape.statement, "method_invocation") if shape.statement.kind == "expression_statement" else None
    if call is None or call.kids[0] is shape.outer or call.kids[0].start != shape.outer.start:
        return None
    receiver, name, given = call_parts(leak.tree, call)
    exits = (*leak.finding.exits, leak.finding.lost)
    is_last = name == "close" and not given and all(call.start <= each.start and each.end <= call.kids[0].end for each in exits)
    return call if is_last and receiver is not None and receiver.kind == "method_invocation" else None


def _with_uses(leak: Leak, shape: Shape, scope: Scope) -> Iterator[Candidate]:
    """`Iterator<T> i = acquire().iterator();`, `parser.setInput(acquire());`: what reads from the resource later stands in the block with it."""
    split = result_variable(leak.tree, shape)
    reading = leak.tree.text(split[0].kids[0]) if split is not None else _keeper(leak, shape)
    if split is None and reading and (assumed := _is_lent(leak, scope, reading, shape.statement)) is None:
        return
    written = scope.type_of(shape.outer)
    if shape.container is None or not reading or not written or _is_sometimes(shape) or _gives_wrapper(leak, shape):
        return
    first = index_in(shape.container, shape.statement) + 1
    region = needed(leak.tree, shape.container, first, reading)
    body = (shape.statement, *region.body)
    if not region.body or is_long(leak, region) or not can_hoist(leak.tree, region) or not has_own_lines(leak.data, body):
        return
    name = variable_for(leak.tree, written if written != "var" else leak.finding.resource, place=shape.container)
    header = resources(leak, scope, written, name, split=has_throwing_wrapper(scope))
    indent = text.indentation(leak.data, shape.statement.start)
    draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    owner, all_of_it = try_around(shape), statements(shape.container)
    is_first = owner is not None and child(owner, "resource_specification") is not None and all_of_it[0] is shape.statement
    is_first = is_first or (owner is not None and all_of_it[-1] is body[-1] and says_nothing_yet(scope, all_of_it[: first - 1]))
    if owner is not None and is_first and len(all_of_it) - len(body) <= MAX_BEHIND:
        add_to_header(draft, owner, header, shape.statement)
        short = _shortened(leak, shape, name, len(indent))
        draft.replace(*((shape.statement.start, shape.statement.end, short) if short else (*place_of(shape), name)))
        yield from (msgspec.structs.replace(each, assumption=assumed) if split is None and assumed else each for each in candidate(scope, draft))
        draft = Draft(leak.path, leak.data, leak.finding.acquired.start)
    hoist(draft, leak.tree, region, shape.statement)
    draft.insert_lines(shape.statement.start, opening(header, indent, draft), indent)
    if short := _shortened(leak, shape, name, len(indent) + len(draft.unit)):
        draft.insert_lines(shape.statement.start, short + "\n", indent + draft.unit)
        draft.remove(shape.statement.start, shape.statement.end)
        indent_region(draft, region.body, behind=shape.statement.end)
    else:
        draft.replace(*place_of(shape), name)
        indent_region(draft, body)
    close_block(draft, body, indent)
    for each in candidate(scope, draft):
        yield msgspec.structs.replace(each, assumption=assumed) if split is None and assumed else each


def _is_lent(leak: Leak, scope: Scope, name: str, statement: Node) -> str | None:
    """What has to be assumed of a local object that goes on to read from the resource: that nobody who is given it does so later, too. None
    where it is handed on otherwise, was before, or is named in what runs at another time (`pool.submit(() -> parser.next())`)."""
    strangers = ""
    for each in identifiers(scope.root):
        if leak.tree.text(each) != name:
            continue
        path = leak.tree.path(each.start, each.end)
        around, beyond = path[-2], path[-3]
        if any(node.kind in LATER and node.start > scope.root.start for node in path):
            return None
        if around.kind == "variable_declarator" and around.kids[0] is each:
            continue
        if around.kind == "method_invocation" and call_parts(leak.tree, around)[0] is each:
            continue
        if around.kind == "argument_list" and each.start > statement.end and beyond.kind == "method_invocation":
            strangers = f"nobody who is given `{name}` goes on with it"
            continue
        return None
    return strangers


def _keeper(leak: Leak, shape: Shape) -> str:
    """The local variable beside a statement that is given the resource to read from it: `parser.setInput(acquire());`. Empty for none."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    call = shape.path[at - 2] if at > 1 and shape.path[at - 1].kind == "argument_list" else None
    if call is None or call.kind != "method_invocation" or shape.statement.kind != "expression_statement" or call.start != shape.statement.start:
        return ""
    receiver, _, _ = call_parts(leak.tree, call)
    name = leak.tree.text(receiver) if receiver is not None and receiver.kind == "identifier" else ""
    beside = statements(shape.container) if shape.container is not None else []
    return name if any(name in declared(leak.tree, each) for each in beside if each.end <= shape.statement.start) else ""


def _is_sometimes(shape: Shape) -> bool:
    """Whether the expression may not run, or run later."""
    return any(node.kind in _SOMETIMES for node in shape.path if shape.statement.start <= node.start and node.end <= shape.statement.end)


_SETTING = re.compile(r"(set|with|register|attach|bind|init)([A-Z]|$)")
"""How methods are called that keep what they are given."""


def _is_set(leak: Leak, shape: Shape) -> bool:
    """Whether an object is given the resource by a method that sets something: it keeps that, whatever it wraps it in, for later. What a
    method of the code does with it is seen, and asked for in the end."""
    at = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0)
    call = shape.path[at - 2] if at > 1 and shape.path[at - 1].kind == "argument_list" else None
    if call is None or call.kind != "method_invocation":
        return False
    receiver, name, _ = call_parts(leak.tree, call)
    start = leak.linked.body.start
    numbers = [n for n, each in enumerate(leak.linked.body.nodes) if isinstance(each, ir.Call) and (each.start + start, each.end + start) == (call.start, call.end)]
    targets = [leak.linked.targets.get(n) for n in numbers]
    is_seen = bool(targets) and all(each is not None and each.procedures for each in targets)
    return receiver is not None and not is_seen and _SETTING.match(name) is not None


def _gives_wrapper(leak: Leak, shape: Shape) -> bool:
    """Whether a statement makes a stream of the resource for later."""
    target = assignment(shape.statement)
    name = leak.tree.text(target[0]) if target is not None else ""
    declaring = [shape.statement] if shape.statement.kind == "local_variable_declaration" else [
        each for each in find(leak.tree.root, "local_variable_declaration") if name in [leak.tree.text(one.kids[0]) for one in declarators(each)]
    ]
    types = [declared_type(leak.tree, each) for each in declaring]
    # What is no stream whatever its name (`XMLStreamReader`) does not close what it reads from.
    return any(
        each.endswith(("Stream", "Reader", "Writer", "Channel", "Scanner")) and leak.is_below(leak.resolve(each), "java.lang.AutoCloseable") is not False for each in types
    )


def _is_whole(shape: Shape) -> bool:
    """Whether a statement returns the resource itself."""
    between = [node for node in shape.path if shape.statement.start < node.start and node.start <= shape.outer.start and shape.outer.end <= node.end]
    return all(node.kind in ("parenthesized_expression", "cast_expression") or node.start == shape.outer.start for node in between) and all(
        node.kind != "method_invocation" or node is shape.outer for node in between if node.end > shape.outer.end
    )


def _shortened(leak: Leak, shape: Shape, name: str, width: int, begun: tuple[str, int] = ("", -1)) -> str:
    """The statement (from an offset on, behind other words) on one line, where it needs two no longer; else empty."""
    if shape.statement.kind not in ("expression_statement", "return_statement", "local_variable_declaration"):
        return ""
    first, at = begun
    start = at if at >= 0 else shape.statement.start
    words = first.encode() + leak.data[start : shape.outer.start] + name.encode() + leak.data[shape.outer.end : shape.statement.end]
    flat = flattened(words.decode("utf-8", "surrogateescape"))
    behind = leak.data[shape.outer.end : shape.statement.end].splitlines()
    has_lambda = any(True for _ in find(shape.statement, "lambda_expression"))
    is_long = sum(line.lstrip().startswith(b".") for line in behind) > MAX_JOINED or (has_lambda and len(behind) > _WITH_LAMBDA)
    has_blocks = any(True for _ in find(shape.statement, "block", "class_body", "switch_expression"))
    is_broken = b"\n" in words and "\n" not in flat and not has_blocks and not is_long
    return flat if is_broken and width + len(flat) <= LINE_LENGTH - 10 else ""


_WITH_LAMBDA = 2
"""Of so many lines, the rest of the first included, a lambda is joined with what it is given to."""


def _closed_up(leak: Leak, shape: Shape, name: str, by: int) -> tuple[Node, str] | None:
    """The call that is given the resource, on one line, whose arguments had lines of their own for lack of room, which a name leaves: where it
    moves by so many places."""
    at, data = next((n for n, node in enumerate(shape.path) if node is shape.outer), 0), leak.data
    call = shape.path[at - 2] if at > 1 and shape.path[at - 1].kind == "argument_list" else None
    if call is None or call.kind not in ("method_invocation", "object_creation_expression") or b"\n" in data[call.start : shape.outer.end]:
        return None
    if b"\n" not in data[shape.outer.end : call.end] or any(True for _ in find(call, "block", "class_body", "lambda_expression", "switch_expression")):
        return None
    first = text.line_start(data, call.start)
    before, behind = data[first : call.start].decode("utf-8", "surrogateescape"), text.line_end(data, call.end) - call.end
    words = data[call.start : shape.outer.start] + name.encode() + data[shape.outer.end : call.end]
    flat, old = flattened(words.decode("utf-8", "surrogateescape")), flattened(leak.tree.text(call))
    left = len(before.expandtabs(text.TAB)) + behind
    is_cramped = left + len(old) > width_of(data, MAX_LENGTH)
    return (call, flat) if is_cramped and "\n" not in flat and left + by + len(flat) <= LINE_LENGTH - 10 else None


def _is_joined(data: bytes, statement: Node, outer: Node, unit: str) -> bool:
    """Whether one call follows an expression, on the next line and one step in: it can stand beside a short name."""
    rest = data[outer.end : statement.end]
    lead = rest[: len(rest) - len(rest.lstrip())].decode("utf-8", "surrogateescape")
    indent = text.indentation(data, statement.start) + unit
    calls = [line for line in rest.splitlines() if line.startswith(f"{indent}.".encode())]
    return lead.strip(" \t\r") == "\n" and lead.endswith(f"\n{indent}") and len(calls) == 1
