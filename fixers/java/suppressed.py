"""Whether the code says itself that a resource is meant to stay open: `@SuppressWarnings("resource")`, what SpotBugs calls the same, and
IntelliJ's comment right above a statement or a method (`//noinspection resource`)."""

from __future__ import annotations

import re

from fixers.java.statements import annotated
from fixers.leak import Leak

_WARNINGS = ('"resource"', '"IOResourceOpenedButNotSafelyClosed"', "OBL_UNSATISFIED_OBLIGATION", "OS_OPEN_STREAM", "ODR_OPEN_DATABASE_RESOURCE")

_COMMENT = re.compile(rb"//\s*noinspection\b[^\n]*\b(?:resource|AutoCloseableResource|IOResourceOpenedButNotSafelyClosed)\b[^\n]*\Z")


def is_meant(leak: Leak) -> bool:
    """Whether the declaration around an acquisition, or the method, has the annotation, or the comment above it."""
    path = leak.tree.path(leak.finding.acquired.start, leak.finding.acquired.end)
    declarations = [node for node in path if node.kind in ("local_variable_declaration", "method_declaration", "constructor_declaration")]
    if any("Cleanup" in each for node in declarations for each in annotated(leak.tree, node)):
        return True
    headed = [node for node in path if node.kind.endswith(("_statement", "_declaration")) and "class" not in node.kind]
    if any(_COMMENT.search(leak.data[: node.start].rstrip().rpartition(b"\n")[2]) for node in headed):
        return True
    words = [each for node in declarations for each in annotated(leak.tree, node) if "SuppressWarnings" in each or "SuppressFBWarnings" in each]
    return any(warning in each for each in words for warning in _WARNINGS)
