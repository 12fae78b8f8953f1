"""Gives a container the bound that its sibling has on another branch: never without somebody who looks at it."""

from __future__ import annotations

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java.kept import Kept, Proposal, done
from fixers.leak import Refusal
from fixers.tree import COMMENTS, child, find, innermost

_CONSTANT = frozenset(("decimal_integer_literal", "hex_integer_literal", "true", "false", "decimal_floating_point_literal"))


def bounded(kept: Kept) -> Proposal | Refusal:
    """What the other branch makes, in the place of what is made here."""
    path = kept.tree.path(kept.finding.acquired.start, kept.finding.acquired.end)
    at = innermost(path, lambda node: node.kind == "object_creation_expression")
    around = innermost(path, lambda node: node.kind in ("method_declaration", "constructor_declaration"))
    target = _target(kept, path[at - 1]) if at > 0 else ""
    if at < 1 or around < 0 or not target:
        return Refusal("what is made here is part of a larger expression")
    siblings = [
        made for each in find(path[around], "assignment_expression", "variable_declarator")
        for made in each.kids
        if made.kind == "object_creation_expression" and made is not path[at]
        and _target(kept, each) == target and f"`{_type(kept, made)}`" in kept.finding.message
    ]
    if len({kept.tree.text(each) for each in siblings}) != 1:
        return Refusal("which bound is meant is not known")
    arguments = child(siblings[0], "argument_list")
    if arguments is None or not all(_is_constant(kept, kid) for kid in arguments.kids if kid.kind not in ("(", ")", ",", *COMMENTS)):
        return Refusal("the bound of the other branch is computed there")
    draft = Draft(kept.path, kept.data)
    draft.replace(path[at].start, path[at].end, kept.tree.text(siblings[0]))
    return done(
        f"Give `{target}` the bound that it has on the other branch", draft, "what is dropped for the bound can be made again"
    )


def _target(kept: Kept, node: Node) -> str:
    """The name that an assignment or a declaration gives a value to."""
    if node.kind not in ("assignment_expression", "variable_declarator"):
        return ""
    return kept.tree.text(node.kids[0]).removeprefix("this.")


def _type(kept: Kept, made: Node) -> str:
    named = next((kid for kid in made.kids if kid.kind in ("type_identifier", "generic_type", "scoped_type_identifier")), None)
    return kept.tree.text(named).partition("<")[0].rpartition(".")[2] if named is not None else ""


def _is_constant(kept: Kept, node: Node) -> bool:
    """A literal, or a name that stands for one by the customs of Java."""
    return node.kind in _CONSTANT or (node.kind == "identifier" and kept.tree.text(node).isupper())
