"""Macros that return from their user, told by where a file uses them: their `#define` is in no file that is there.

`debug_return_bool(false);` is the last that a function with a result does, and nothing in its block follows on it anywhere: a
function of that name would let the end be reached, and one that ends the program is not called a return. Only who finds no
definition asks for this. Errs towards no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from analyzers.frontends.c.file import File
from analyzers.syntax import Node

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_NEGATIONS = frozenset(("no", "non", "not", "never", "cannot"))
_CONDITIONS = frozenset(("assert", "check", "ensure", "expect", "guard", "if", "maybe", "on", "require", "unless", "verify", "when"))
"""Words of a macro that returns only where something holds: `RETURN_IF_ERROR(x)` is no `RETURN(x)`, whatever follows on it."""
_FOLLOWERS = frozenset(("case_statement", "labeled_statement"))
"""What may stand behind a statement that is left for good: whoever comes there jumps."""


def returning(file: File, functions: Iterable[tuple[str, Node]]) -> tuple[str, ...]:
    """The names of such macros, sorted, those that take arguments with `()` behind them; of functions, given by the types of their
    results and their trees."""
    bodies = [(result, node.kids[-1]) for result, node in functions if node.kids]
    ends = [(result, name) for result, body in bodies for name in _used(file, body.kids[-1:])]
    roots = {_root(name) for result, name in ends if result != "void" or not name.endswith("()")}
    if not roots:
        return ()
    found: dict[str, bool] = {}
    waiting = [body for _, body in bodies]
    while waiting:
        node = waiting.pop()
        waiting += node.kids
        if node.kind == "expression_statement":
            for name in _used(file, [node]):
                found.setdefault(name, True)
        for before, after in zip(node.kids, node.kids[1:], strict=False) if node.kind in ("compound_statement", "case_statement") else ():
            for name in _used(file, [before]) if after.kind not in _FOLLOWERS and not after.kind.startswith("preproc") else ():
                found[name] = False
    return tuple(sorted(name for name, is_last in found.items() if is_last and _root(name) in roots))


def _used(file: File, nodes: list[Node]) -> Iterator[str]:
    """The name of the macro that a statement is."""
    for node in nodes:
        inner = node.kids[0] if node.kind == "expression_statement" and len(node.kids) == 1 else None
        if inner is None or inner.kind not in ("call_expression", "identifier"):
            continue
        called = inner.kids[0] if inner.kind == "call_expression" else inner
        name = file.text(called) if called.kind == "identifier" else ""
        if _root(name) and name not in file.functions and name not in file.globals:
            yield f"{name}()" if called is not inner else name


def _root(name: str) -> str:
    """A name as far as its word `return`, by which those of one family know each other; empty for one that does not say so, or says
    that something must hold."""
    words = [(word.group().lower(), word.end()) for word in _WORD.finditer(name)]
    if any(word in _CONDITIONS for word, _ in words):
        return ""
    for number, (word, end) in enumerate(words):
        if word == "return" and not any(before in _NEGATIONS for before, _ in words[:number]):
            return name[:end]
    return ""
