"""Which findings of Java a reviewer wants mended together: those about one variable, which is opened again and again, and those about
variables that the code closes, or declares, one right behind the other, and what one statement acquires. A patch for one of them alone is half a patch.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from analyzers import Program, ir
from analyzers.finding import KEPT_OPEN, Finding
from analyzers.queries import ProcedureKey
from analyzers.syntax import Node
from fixers import tree
from fixers.edits import apply, inserted
from fixers.fix import Fix
from fixers.java.region import is_close
from fixers.java.statements import (
    CONTAINERS,
    TRIES,
    call_parts,
    catches,
    declarators,
    declared,
    declared_type,
    final_block,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.tree import Tree


def belong_together(one: Finding, other: Finding, program: Program) -> bool:
    """Whether a patch for one finding has to mend the other, too."""
    together = (is_same_variable, is_closed_beside, is_in_one_statement, is_opened_beside)
    return any(are_one(one, other, program) for are_one in together)


def left_beside(answer: Fix, program: Program) -> str:
    """The local variable whose close stays where a patch of Java takes out the one right beside it, at the end of what uses both: it would be
    left open where something throws before. Empty for none."""
    finding = answer.finding
    body = program.procedure(ProcedureKey(finding.path, finding.procedure)) if finding.language == "java" else None
    if body is None:
        return ""
    syntax = tree.parse(finding.language, program.source(finding.path), body.start, body.end)
    gone = [each.span for each in answer.edits if each.span.path == finding.path and each.span.start < each.span.end]
    kinds = {name: declared_type(syntax, each) for each in tree.find(syntax.root, "local_variable_declaration") for name in declared(syntax, each)}
    for block in tree.find(syntax.root, *CONTAINERS):
        plain = [each for each in statements(block) if not _is_flush(syntax, each)]
        for pair in itertools.pairwise(plain):
            closed = [_closed(syntax, each) for each in pair]
            is_gone = [any(span.start <= each.start and each.end <= span.end for span in gone) for each in pair]
            if not all(closed) or is_gone[0] is is_gone[1] or closed[0] == closed[1]:
                continue
            left = closed[is_gone.index(False)]
            around = syntax.path(pair[0].start, pair[0].end)
            if kinds.get(left, "").endswith(_AROUND) and not kinds[left].startswith(_IN_MEMORY) and not any(each.kind in ("finally_clause", "catch_clause") for each in around):
                return left
    return ""


def closes_in_two_ways(answer: Fix) -> bool:
    """Whether a patch of Java that mends several openings of one variable closes that in a `finally`, and once more in a line of its own."""
    own = [each for each in answer.edits if each.span.path == answer.finding.path]
    word = f"{answer.finding.variable}.close("
    written = [each.text for each in own if answer.finding.variable and word in each.text]
    in_block = [each for each in written if "finally" in each]
    return answer.finding.language == "java" and 0 < len(in_block) < len(written)


def holds_blocks_inside(answer: Fix, program: Program) -> str:
    """Whether a patch of Java writes a header right inside of another, with nothing but plain values between: one would do; a `finally`
    inside of what another one ends; or one that only closes as a statement of a new header's block. Empty for none."""
    finding = answer.finding
    own = [each for each in answer.edits if each.span.path == finding.path]
    if finding.language != "java" or not (any("try (" in each.text for each in own) or sum(each.text.count("finally") for each in own) > 1):
        return ""
    after = tree.parse_file("java", apply(program.source(finding.path), own))
    places = inserted(own)
    written = [each for each in tree.find(after.root, *TRIES) if any(low <= each.start < high for low, high in places)]
    headers = [each for each in written if each.kind == "try_with_resources_statement"]
    if any(_is_right_inside(each, headers) for each in tree.find(after.root, "try_with_resources_statement")):
        return "a header right inside of a header"
    is_of_class = finding.detail == KEPT_OPEN  # Fields are closed one after the other so.
    closing = [each for each in written if each.kind == "try_statement" and final_block(each) is not None and not catches(each) and not is_of_class]
    if any(one is not each and one.start < each.start and each.end < one.end for one in closing for each in closing):
        return "a `finally` inside of what another one ends"
    bodies = [statements(block) for each in headers if (block := try_body(each)) is not None]
    is_right_inside = any(each is one and _only_closes(after, each) for body in bodies for each in body for one in closing)
    return "a `finally` that closes stands right inside of a new header" if is_right_inside else ""


def _only_closes(syntax: Tree, owner: Node) -> bool:
    """Whether a `finally` calls `close`, and nothing else: a header can do that, also for what may be null."""
    clause = final_block(owner)
    calls = [call_parts(syntax, each)[1] for each in tree.find(clause, "method_invocation")] if clause is not None else []
    return bool(calls) and set(calls) == {"close"}


def _is_right_inside(owner: Node, others: Sequence[Node]) -> bool:
    block = try_body(owner)
    body = statements(block) if block is not None else []
    values = [initialiser(one) for each in body[:-1] for one in declarators(each)]
    is_plain = all(each.kind == "local_variable_declaration" for each in body[:-1]) and all(each is not None and each.kind.endswith("_literal") for each in values)
    return bool(body) and is_plain and any(body[-1] is each for each in others) and not catches(body[-1])


_IN_MEMORY = ("ByteArray", "CharArray", "String")


def _closed(syntax: Tree, statement: Node) -> str:
    """The variable that a statement only closes; empty for none."""
    call = tree.child(statement, "method_invocation") if statement.kind == "expression_statement" else None
    receiver, name, given = call_parts(syntax, call) if call is not None else (None, "", [])
    names = given if given else [receiver] if receiver is not None else []
    return syntax.text(names[0]) if "close" in name.lower() and len(names) == 1 and names[0].kind == "identifier" else ""


def is_opened_beside(one: Finding, other: Finding, program: Program) -> bool:
    """Whether two statements, one right behind the other, declare what the findings are about, neither made of the other: who closes that ends both."""
    body = program.procedure(ProcedureKey(one.path, one.procedure))
    if not one.variable or not other.variable or body is None or (one.path, one.procedure) != (other.path, other.procedure):
        return False
    syntax = tree.parse(one.language, program.source(one.path), body.start, body.end)
    found = [_statement(syntax, each) for each in (one, other)]
    if any(each is None or each.kind != "local_variable_declaration" for each in found):
        return False
    if any(each is not None and uses(syntax, each, (name,)) for each, name in zip(found, (other.variable, one.variable), strict=True)):
        return False
    return any({pair[0].start, pair[1].start} == {each.start for each in found if each is not None}
               for block in tree.find(syntax.root, *CONTAINERS) for pair in itertools.pairwise(statements(block)))


def is_in_one_statement(one: Finding, other: Finding, program: Program) -> bool:
    """Whether one statement acquires both without a name for either."""
    body = program.procedure(ProcedureKey(one.path, one.procedure))
    if one.variable or other.variable or body is None or (one.path, one.procedure) != (other.path, other.procedure):
        return False
    syntax = tree.parse(one.language, program.source(one.path), body.start, body.end)
    found = [_statement(syntax, each) for each in (one, other)]
    return found[0] is not None and found[0] is found[1]


def _statement(syntax: Tree, finding: Finding) -> Node | None:
    """The plain statement around what a finding acquires."""
    path = syntax.path(finding.acquired.start, finding.acquired.end)
    around = next((each for each in reversed(path) if each.kind.endswith(("_statement", "_declaration")) or each.kind == "block"), None)
    return around if around is not None and around.kind in ("expression_statement", "local_variable_declaration", "return_statement") else None


def is_closed_beside(one: Finding, other: Finding, program: Program) -> bool:
    """Whether the procedure closes the variables of two findings, or what is made of them, one right behind the other, and not whatever
    happens before."""
    names = (one.variable, other.variable)
    if not all(names) or names[0] == names[1] or (one.path, one.procedure) != (other.path, other.procedure):
        return False
    body = program.procedure(ProcedureKey(one.path, one.procedure))
    if body is None:
        return False
    syntax = tree.parse(one.language, program.source(one.path), body.start, body.end)
    known = [_asked_of(syntax, each) for each in names]
    bodies = ([each for each in statements(block) if not _is_flush(syntax, each)] for block in tree.find(syntax.root, *CONTAINERS))
    pairs = (pair for body in bodies for pair in itertools.pairwise(body))
    return any(
        (_closes(syntax, pair, known) or _closes(syntax, pair, known[::-1]))
        and not any(each.kind == "finally_clause" for each in syntax.path(pair[0].start, pair[0].end))
        for pair in pairs
    )


def _asked_of(syntax: Tree, name: str) -> set[str]:
    """A variable, and those that hold what it was asked for, what a constructor was given it for alone, or a stream around it."""
    found = {name}
    for target, value in _given(syntax):
        if value.kind == "identifier" and syntax.text(value) in found:
            found.add(target)
        if value.kind not in ("method_invocation", "object_creation_expression"):
            continue
        receiver, _, given = call_parts(syntax, value)
        sources = [receiver] if value.kind == "method_invocation" else given
        kind = tree.child(value, "type_identifier", "scoped_type_identifier")
        is_around = value.kind == "object_creation_expression" and kind is not None and syntax.text(kind).endswith(_AROUND)
        if (len(sources) == 1 or (is_around and sources)) and sources[0] is not None and syntax.text(sources[0]) in found:
            found.add(target)
    return found


_AROUND = ("InputStream", "OutputStream", "Reader", "Writer")


def _given(syntax: Tree) -> Iterator[tuple[str, Node]]:
    """The variables that get a value, and the value, in the order of the source."""
    for each in tree.find(syntax.root, "variable_declarator", "assignment_expression"):
        value = initialiser(each) if each.kind == "variable_declarator" else each.kids[-1]
        if value is not None and each.kids[0].kind == "identifier":
            yield syntax.text(each.kids[0]), value


def _is_flush(syntax: Tree, statement: Node) -> bool:
    call = tree.child(statement, "method_invocation") if statement.kind == "expression_statement" else None
    receiver, name, given = call_parts(syntax, call) if call is not None else (None, "", [])
    return receiver is not None and name == "flush" and not given


def _closes(syntax: Tree, pair: tuple[Node, Node], names: Sequence[set[str]]) -> bool:
    return all(any(is_close(syntax, each, name) for name in some) for each, some in zip(pair, names, strict=True))


def is_same_variable(one: Finding, other: Finding, program: Program) -> bool:
    """Whether what both acquire lies in the same local variable of the same procedure."""
    if not one.variable or (one.path, one.procedure, one.variable) != (other.path, other.procedure, other.variable):
        return False
    body = program.procedure(ProcedureKey(one.path, one.procedure))
    found = [_declared(body, each) for each in (one, other)] if body is not None else [-1]
    return found[0] >= 0 and len(set(found)) == 1


def _declared(body: ir.Procedure, finding: Finding) -> int:
    """Where the variable is declared that a finding names: of several by one name the last before the acquisition."""
    return max(
        (
            each.declared for each in body.variables
            if ir.source_name(each.name) == finding.variable and body.start + each.declared <= finding.acquired.start
        ),
        default=-1,
    )
