"""Whether what a fix would close is handed out again: a connection gives the same stream each time that it is asked.

Declines too often where each call opens another stream.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from analyzers import Program, ir
from analyzers.graphs.operands import assigned
from fixers.fix import Check, Verdict
from fixers.java.scope import Scope, procedure_node
from fixers.java.statements import call_parts, declared
from fixers.leak import Leak
from fixers.tree import find, parse_file

_ACCESSORS = frozenset((
    "getInputStream", "getOutputStream", "getErrorStream", "getContent", "getReader", "getWriter", "getBody", "getResponseBody", "byteStream",
))


_Question = tuple[str, tuple[str, str]]
"""What is asked, and of what: a variable, or a field of one."""

_DOUBTS = ("its acquisition is not certain", "that was acquired elsewhere")


def kept_by_its_owner(leak: Leak, proof: Sequence[Check]) -> str:
    """What is asked of an object of the program by `get…`, which may have what it gives already, as a proof has found: then the
    object closes it. Empty where nobody else has it."""
    body, at = leak.linked.body, leak.finding.acquired
    doubts = [each.reason for each in proof if each.verdict is Verdict.ASSUMED]
    if not any(each.endswith(_DOUBTS) for each in doubts):
        return ""
    for number, call in enumerate(body.nodes):
        target = leak.linked.targets.get(number)
        is_it = isinstance(call, ir.Call) and (call.start + body.start, call.end + body.start) == (at.start, at.end)
        if is_it and isinstance(call, ir.Call) and call.kind == "virtual" and call.name.startswith("get") and target is not None and target.procedures:
            return f"{call.name}()"
    return ""


def asked_again(leak: Leak) -> str:
    """The call that gives what is lost, where the procedure makes it once more on one way, of the same object; else empty."""
    return _asked_again(leak, lambda number, variable, name: False)


def asked_by_callee(leak: Leak, program: Program) -> str:
    """That call, where one makes it to whom the procedure hands the object behind it: then he may close what it gives."""
    return _asked_again(leak, lambda number, variable, name: _asks(leak, program, number, variable, name))


def _asked_again(leak: Leak, asks: Callable[[int, str, str], bool]) -> str:
    """`asks`: whether a call hands a variable to somebody who makes a call of some name on it."""
    body = leak.linked.body
    loaded = {node.dst: (node.base, node.field) for node in body.nodes if isinstance(node, ir.Load)}
    asked: dict[_Question, list[int]] = {}
    for number, node in enumerate(body.nodes):
        if isinstance(node, ir.Call) and not node.args and node.name in _ACCESSORS and f"{node.name}()" in leak.finding.text:
            asked.setdefault((node.name, loaded.get(node.receiver, (node.receiver, ""))), []).append(number)
    at = leak.finding.acquired
    own = {body.nodes[each].start for each in itertools.chain(*asked.values()) if body.nodes[each].start + body.start == at.start}
    for (name, place), numbers in asked.items():
        starts = {body.nodes[each].start for each in numbers}
        handed = [] if place[1] else [each for each, node in enumerate(body.nodes) if isinstance(node, ir.Call) and asks(each, place[0], name)]
        if any(_meets(leak, each, [*numbers, *handed], place) for each in numbers) and (not own or not own.isdisjoint(starts)):
            return f"{name}()"
    return ""


_STEPS = 2
"""So many calls deep what is handed on is asked for."""


def _asks(leak: Leak, program: Program, number: int, variable: str, name: str) -> bool:
    """Whether a call hands a variable to a procedure of the program that asks it for the same, or hands it on to one."""
    node, target = leak.linked.body.nodes[number], leak.linked.targets.get(number)
    if not isinstance(node, ir.Call) or target is None or variable not in node.args:
        return False
    waiting = [(key, node.args.index(variable), 0) for key in target.procedures]
    while waiting:
        key, at, steps = waiting.pop()
        linked = program.linked(key)
        if linked is None or at >= len(linked.body.parameters):
            continue
        given = linked.body.parameters[at]
        for number, inner in enumerate(linked.body.nodes):
            if not isinstance(inner, ir.Call):
                continue
            if inner.name == name and not inner.args and inner.receiver == given:
                return True
            below = linked.targets.get(number)
            if steps + 1 < _STEPS and given in inner.args and below is not None:
                waiting += [(each, inner.args.index(given), steps + 1) for each in below.procedures]
    return False


def _meets(leak: Leak, number: int, numbers: Sequence[int], place: tuple[str, str]) -> bool:
    """Whether one of some calls is reached from one of them while the place that they are made on holds the same object."""
    linked = leak.linked
    waiting, seen = [*linked.next[number], *linked.raises[number]], set[int]()
    while waiting:
        node = waiting.pop()
        if node in seen or _fills(linked.body.nodes, node, place):
            continue
        seen.add(node)
        if node in numbers:
            return True
        waiting += [*linked.next[node], *linked.raises[node]]
    return False


def _fills(nodes: Sequence[ir.Instruction], number: int, place: tuple[str, str]) -> bool:
    """Whether an instruction gives a place another object: what a call or a loop over elements gave, not another name of one."""
    node, (base, field) = nodes[number], place
    if field:
        return isinstance(node, ir.Store) and (node.base, node.field) == place and _is_new(nodes, node.src)
    return base in assigned(node) and not isinstance(node, ir.Load) and all(_is_new(nodes, each) for each in _sources(node))


def _sources(node: ir.Instruction) -> tuple[str, ...]:
    return (node.src,) if isinstance(node, ir.Copy) else node.operands if isinstance(node, ir.Op) else ()


def _is_new(nodes: Sequence[ir.Instruction], source: str) -> bool:
    if not ir.is_temporary(source):
        return ir.is_literal(source)
    made = [node for node in nodes if source in assigned(node)]
    return all(not isinstance(node, ir.Load) and all(_is_new(nodes, each) for each in _sources(node)) for node in made)


_TO_ITS_END = ("toString", "toByteArray", "readAllBytes", "readLines", "copy", "copyLarge", "transferTo", "load", "parse", "readValue", "readTree", "fromJson", "unmarshal")
"""What reads all that there is."""


def given_again(leak: Leak, scope: Scope) -> str:
    """The getter that gives a stream which goes on: of a connection that is passed in, or that a field holds, where the code neither closes
    the stream anywhere nor reads it to its end. Who closes it then takes it from whoever reads on. Empty for none."""
    start = next((each.span for each in leak.finding.witness if each.span.path == leak.path), leak.finding.acquired)
    if not any(f"{each}()".encode() in leak.data[start.start : start.end] for each in _ACCESSORS):
        return ""
    tree = parse_file("java", leak.data)
    call = next((each for each in reversed(tree.path(start.start, start.end)) if each.kind == "method_invocation"), None)
    receiver, name, given = call_parts(tree, call) if call is not None else (None, "", [])
    if call is None or receiver is None or given or name not in _ACCESSORS or receiver.kind not in ("identifier", "field_access") or scope.closes():
        return ""
    method = next((each for each in reversed(tree.path(call.start, call.end)) if each.kind in ("method_declaration", "constructor_declaration")), None)
    words = tree.text(receiver).removeprefix("this.")
    if method is None or not words.isidentifier() or words[:1].isupper():
        return ""
    is_own = method.start <= leak.finding.acquired.start < method.end
    is_local = any(words in declared(tree, each) for each in find(method, "local_variable_declaration", "resource", "enhanced_for_statement"))
    is_passed = any(tree.text(each.kids[-1]) == words for each in find(method, "formal_parameter"))
    if is_local or (is_passed and not is_own) or _is_read_to_its_end(leak, scope):
        return ""
    return f"{name}()"


def _is_read_to_its_end(leak: Leak, scope: Scope) -> bool:
    """Whether a loop goes on for as long as something is read, or what reads all that there is is called."""
    root = procedure_node(leak)
    loops = [kid for each in find(root, "while_statement", "do_statement", "for_statement") for kid in each.kids if kid.kind != "block"]
    asked = [call_parts(leak.tree, call)[1] for each in loops for call in find(each, "method_invocation")]
    is_loop = any(each.startswith(("read", "next", "hasNext")) for each in asked)
    return is_loop or any(call_parts(leak.tree, each)[1] in _TO_ITS_END for each in find(root, "method_invocation"))


def ended_with_stream(leak: Leak) -> bool:
    """Whether a stream closes what is lost when it is closed (`rows.onClose(() -> close(in))`): that is what has to be closed, in the end."""
    nodes, start = leak.linked.body.nodes, leak.finding.acquired.start - leak.linked.body.start
    names = {node.receiver if node.kind == "new" else node.dst for node in nodes if isinstance(node, ir.Call) and node.start == start} - {""}
    grown = True
    while grown:
        found = {node.dst for node in nodes if isinstance(node, ir.Copy) and node.src in names}
        found |= {node.receiver for node in nodes if isinstance(node, ir.Call) and node.kind == "new" and not names.isdisjoint(node.args)}
        found |= {node.base for node in nodes if isinstance(node, ir.Store) and node.src in names and ir.is_temporary(node.base)}
        grown = not found <= names
        names |= found
    return any(isinstance(node, ir.Call) and node.name == "onClose" and not names.isdisjoint(node.args) for node in nodes)
