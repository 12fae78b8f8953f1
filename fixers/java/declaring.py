"""Lets a test declare what closing throws: nobody but a test runner calls it, and a handler in it would only hide a failure.

Declines where the file calls the method itself, or where it overrides another.
"""

from __future__ import annotations

import re

from fixers.draft import Draft
from fixers.java.exceptions import EVERYTHING, handlers
from fixers.java.imports import insert_import
from fixers.java.scope import procedure_node
from fixers.leak import Leak
from fixers.tree import child

_RUN = frozenset((
    "Test", "ParameterizedTest", "RepeatedTest", "Theory", "Before", "After", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll",
    "BeforeClass", "AfterClass", "BeforeMethod", "AfterMethod",
))  # fmt: skip
"""Annotations of what a test runner calls, which may throw anything."""

_WHOLE = frozenset(("Exception", "java.lang.Exception"))
"""Beside what the others need not be named."""


def declare_thrown(draft: Draft, leak: Leak) -> bool:
    """Add what closing throws to the `throws` of a test, where nothing handles it. Returns whether that was done."""
    thrown = [each for each in leak.caught.split(" | ") if each]
    handled, is_lambda = handlers(leak.tree, leak.finding.acquired.start)
    known = {each.rpartition(".")[2] for each in handled}
    missing = [each for each in thrown if each.rpartition(".")[2] not in known]
    method = procedure_node(leak)
    if not missing or is_lambda or not known.isdisjoint(EVERYTHING) or method.kind != "method_declaration":
        return False
    modifiers, name, parameters = child(method, "modifiers"), child(method, "identifier"), child(method, "formal_parameters")
    written = {leak.tree.text(kid).lstrip("@").partition("(")[0] for each in (modifiers,) if each is not None for kid in each.kids}
    if name is None or parameters is None or written.isdisjoint(_RUN) or "Override" in written:
        return False
    if len(re.findall(rb"\b%s\s*\(" % re.escape(leak.tree.text(name).encode()), leak.data)) > 1:
        return False
    clause = child(method, "throws")
    if clause is not None and not _WHOLE.isdisjoint(missing):
        draft.replace(clause.start, clause.end, f"throws {missing[0]}")
    elif clause is not None:
        draft.insert(clause.end, "".join(f", {each}" for each in missing))
    else:
        draft.insert(parameters.end, f" throws {', '.join(missing)}")
    for each in leak.unnamed:
        if each.rpartition(".")[2] in missing:
            insert_import(draft, each)
    return True
