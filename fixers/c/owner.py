"""A variable that holds an allocation or something else: a second one remembers what was allocated.

The first class of leaks that LeakFix leaves: `p = "default"; if (c) p = malloc(n);`. The new variable is null
where nothing was allocated, so that one release serves every path.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from fixers.c import leakfix
from fixers.c.patch import Patch, declaration
from fixers.c.rebase import composed, rebased
from fixers.c.style import Style, declarator_of
from fixers.leak import Candidate, Leak, Refusal
from fixers.naming import unused
from fixers.tree import COMMENTS


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """Candidates, where the acquisition is assigned to a local that may hold something else."""
    path = leak.tree.path(leak.finding.acquired.start, leak.finding.acquired.end)
    assignment = next((node for node in reversed(path) if node.kind == "assignment_expression"), None)
    if assignment is None:
        return
    kids = [kid for kid in assignment.kids if kid.kind not in COMMENTS]
    if len(kids) != 3 or kids[1].kind != "=" or kids[0].kind != "identifier":
        return
    name = leak.tree.text(kids[0])
    variable = next((each for each in leak.procedure.variables if each.name == name and each.kind == "local"), None)
    declared = declarator_of(leak.tree, name, assignment.start)
    if variable is None or declared is None or not leak.nothing:
        return
    own = unused(leak.tree, f"{ir.source_name(name)}_owned", f"{ir.source_name(name)}_allocated")
    patch = Patch(leak, Style(leak.tree, leak.standard))
    written = variable.type.replace("const ", "")
    indent = leak.data[: declared[0].start].rpartition(b"\n")[2].decode("utf-8", "surrogateescape")
    if indent.strip():
        return
    patch.draft.insert_lines_after(declared[0].end, f"{declaration(written, own)} = {leak.nothing};\n", indent)
    patch.draft.insert(kids[2].start, f"{own} = ")
    edits = patch.edits()
    again = rebased(leak, edits, own) if edits else None
    if again is not None:
        candidates = (each for each in leakfix.propose(again) if isinstance(each, Candidate))
        yield from composed(leak, edits, candidates)
