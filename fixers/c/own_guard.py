"""A release that the function itself has elsewhere, as it has it there: `if (own) free(s);`, `list_free(list);`.

Where a variable holds sometimes what must be released and sometimes what must not, only the function knows which: by the flag that
its own release asks. That test is written where the function forgets it; the proof says whether the flag tells there, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.graphs import cfg
from analyzers.syntax import Node
from fixers.c.left_beside import left_beside
from fixers.c.patch import Patch, Release
from fixers.c.points import Point, Points, if_parts, statements
from fixers.c.release import own_releases
from fixers.c.style import style_of
from fixers.leak import Candidate, Leak, Refusal
from fixers.paths.state import STREAMS
from fixers.tree import find, walk
from templates import render

_PLAIN = frozenset((
    "parenthesized_expression", "identifier", "number_literal", "null", "true", "false", "binary_expression", "unary_expression",
    "(", ")", "!", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "NULL",
))
"""What a test may be made of that can be asked again: names, numbers and comparisons."""


def propose(leak: Leak) -> Iterator[Candidate | Refusal]:
    """The function's own release, with the test that it stands behind, at the exits that lose what its variable holds."""
    exits = {(each.start, each.end) for each in (*leak.finding.exits, leak.finding.lost)}
    variable = leak.finding.variable
    if not variable.isidentifier() or not leak.releases or leak.side[1]:
        return
    for condition, call in _own(leak, variable):
        points = Points(leak.path, leak.tree, leak.procedure.result).found
        returns = [
            each for each in find(leak.tree.root, "return_statement")
            if any(start <= each.start < end or each.start <= start < each.end for start, end in exits)
        ]
        for kinds in (("before", "branch"), ("value", "before", "branch")):
            chosen = [_point(points, each, kinds) for each in returns]
            patch = Patch(leak, style_of(leak))
            if chosen and all(each is not None and patch.put(each, Release(call, condition)) for each in chosen) and (edits := patch.edits()):
                title = render("fixes/titles/leakfix", expression=variable, count=len(chosen))
                yield Candidate(title, edits, assumption=_left(leak, variable, returns))


def _left(leak: Leak, variable: str, returns: list[Node]) -> str:
    """Why the release of an object is not all at some of the exits; empty where it is."""
    body, graph = leak.linked.body, cfg.build(leak.linked)
    spans = {(each.start - body.start, each.end - body.start) for each in returns}
    for node in graph.order:
        if isinstance(body.nodes[node], ir.Return) and (body.nodes[node].start, body.nodes[node].end) in spans:
            for name in (each.name for each in body.variables if ir.source_name(each.name) == variable):
                for member in left_beside(body, graph, leak.effects, name, graph.reaching(node)):
                    return f"a member of `{variable}` is lost with it (`{member}`)"
    return ""


def _own(leak: Leak, variable: str) -> Iterator[tuple[str, str]]:
    """The releases that the function has of its own, each with its condition."""
    yield from _guarded(leak, variable)
    yield from (("", f"{each.name}({each.before}{variable}{each.rest})") for each in own_releases(leak, variable))


def _point(points: list[Point], statement: Node, kinds: tuple[str, ...]) -> Point | None:
    """The place for a release at a `return`, of the first of some kinds that there is."""
    found = {each.kind: each for each in points if (each.statement.start, each.statement.end) == (statement.start, statement.end)}
    return next((found[kind] for kind in kinds if kind in found), None)


def _guarded(leak: Leak, variable: str) -> Iterator[tuple[str, str]]:
    """The conditions under which the function releases a variable, and the releases, in its own words."""
    calls = {f"{each.name}({each.before}{variable}{each.rest})" for each in own_releases(leak, variable)}
    seen = set()
    for statement in find(leak.tree.root, "if_statement"):
        consequence, alternative = if_parts(statement)
        test = next((kid for kid in statement.kids if kid.kind == "parenthesized_expression"), None)
        if consequence is None or alternative is not None or test is None:
            continue
        body = statements(consequence) if consequence.kind == "compound_statement" else [consequence]
        words = "".join(leak.tree.text(body[0]).split()).removesuffix(";") if len(body) == 1 else ""
        call = next((each for each in calls if "".join(each.split()) == words), "")
        names = {leak.tree.text(each) for each in find(test, "identifier")}
        is_plain = all(each.kind in _PLAIN for each in walk(test))
        is_local = names and all(each.name not in names or not each.is_address_taken for each in leak.linked.body.variables)
        locals_ = {ir.source_name(each.name) for each in leak.linked.body.variables}
        is_told = variable not in names or not STREAMS.isdisjoint(names)  # `if (file != stdin) fclose(file);`
        if call and is_plain and is_local and is_told and names <= locals_ | STREAMS and (condition := leak.tree.text(test)[1:-1]) not in seen:
            seen.add(condition)
            yield condition, call
