"""Functions of C that are declared to give a pointer and give none: what they lose at their end may be what they forgot to return.

`static char *quoted(const char *text) { …; g_string_free(buffer, FALSE); }`: the mend is a `return`, and a caller that uses the result as it
comes by chance would have a freed one. Errs towards doubt: what they lose may be another thing.
"""

from __future__ import annotations

from analyzers import ir


def forgets_result(body: ir.Procedure) -> bool:
    """Whether a function gives no value on any way, though its type is a pointer."""
    if body.kind != "function" or not body.result.rstrip().endswith("*"):
        return False
    returns = [each for each in body.nodes if isinstance(each, ir.Return)]
    return not any(each.src for each in returns) and any(1 in following for following in body.next)
