"""What the fixers of `retained-by-loop` read of a finding, and what they propose."""

from __future__ import annotations

import msgspec

from analyzers import Program, ir
from analyzers.finding import Finding
from analyzers.queries import ProcedureKey
from analyzers.slots import Slot, SlotReader, Touched, Use
from analyzers.source import Span
from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.fix import Edit
from fixers.leak import Refusal
from fixers.tree import COMMENTS, Tree, innermost

_STATEMENT_PARENTS = frozenset(("block", "constructor_body", "switch_block_statement_group"))


class Kept(msgspec.Struct, frozen=True):
    """A finding with what its fixers read.

    tree     the syntax of the whole file
    slot     the field that keeps, and all its uses; None where no field does
    """

    finding: Finding
    program: Program
    reader: SlotReader
    tree: Tree
    data: bytes
    slot: Touched | None

    @property
    def path(self) -> str:
        """The file of the finding."""
        return self.finding.path

    def span(self, use: Use) -> Span:
        """Where a use lies."""
        body = self.program.procedure(use.key)
        node = body.nodes[use.node] if body is not None else None
        if body is None or node is None:
            return Span(use.key.path, 0, 0)
        return Span(use.key.path, body.start + node.start, body.start + node.end)


class Proposal(msgspec.Struct, frozen=True):
    """Edits with what has to be assumed for them to change nothing else."""

    title: str
    edits: tuple[Edit, ...]
    assumption: str = ""


def done(title: str, draft: Draft, assumption: str = "") -> Proposal | Refusal:
    """The proposal of a draft."""
    edits = draft.edits()
    return Proposal(title, edits, assumption) if edits else Refusal("the places to change overlap")


def statement_at(tree: Tree, span: Span) -> Node | None:
    """The statement that is nothing but an expression at some bytes, in a sequence of statements."""
    path = tree.path(span.start, span.end)
    at = innermost(path, lambda node: node.kind == "expression_statement")
    if at < 1 or path[at - 1].kind not in _STATEMENT_PARENTS:
        return None
    statement = path[at]
    expression = next((kid for kid in statement.kids if kid.kind not in COMMENTS), None)
    is_whole = expression is not None and expression.start == span.start and expression.end == span.end
    return statement if is_whole else None


def declaration_of(kept: Kept, slot: Slot) -> Node | None:
    """The declaration of a field that declares nothing else."""
    unit = kept.program.unit(slot.path) if slot.path == kept.path else None
    for declared in unit.types if unit is not None else ():
        for each in declared.fields:
            if declared.name == slot.owner and each.name == slot.name:
                path = kept.tree.path(each.start, each.end)
                at = innermost(path, lambda node: node.kind == "field_declaration")
                node = path[at] if at >= 0 else None
                count = sum(kid.kind == "variable_declarator" for kid in node.kids) if node is not None else 0
                return node if count == 1 else None
    return None


def body_of(kept: Kept) -> ir.Procedure | None:
    """The procedure of the finding."""
    return kept.program.procedure(ProcedureKey(kept.path, kept.finding.procedure))


def call_at(body: ir.Procedure, span: Span) -> ir.Call | None:
    """The call that lies at some bytes."""
    return next((
        node for node in body.nodes
        if isinstance(node, ir.Call) and (body.start + node.start, body.start + node.end) == (span.start, span.end)
    ), None)
