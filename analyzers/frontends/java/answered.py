"""The type of what a call gives where the only body that it can run tells more of it than its declaration does.

`Iterator<T> iterator() { return this; }`, or `return new Lines();`: what a for-each loop then asks for the next element is the object itself, or one
that may close it behind the last. Misses bodies that answer with this on some ways and with that on others.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java.type_text import erase
from analyzers.frontends.java.written_types import WrittenTypes
from analyzers.queries import Callee, ProcedureKey, Queries

_FOR_EACH = "iterator"
"""The method whose objects are asked about: asking of every call would read the bodies of all."""


def answered_type(call: ir.Call, callee: Callee, receiver: str, queries: Queries) -> str:
    """The type of the object that a call on an object of a type gives; empty where its declaration says as much."""
    target = callee.target
    result = erase(callee.result)
    if call.name != _FOR_EACH or call.args or not result or len(target.procedures) != 1 or not target.is_exact:
        return ""
    found = _made(target.procedures[0], receiver, queries)
    return found if found and erase(found) != result and queries.is_subtype(erase(found), result) else ""


def _made(key: ProcedureKey, receiver: str, queries: Queries) -> str:
    """The type of what a body answers with everywhere: its own object, or a new one of one class."""
    body, unit = queries.procedure(key), queries.unit(key.path)
    if body is None or unit is None or "static" in body.attributes:
        return ""
    made = {each.dst: each.type for each in body.nodes if isinstance(each, ir.Alloc)}
    answers = {"this" if each.src == "this" else made.get(each.src, "") for each in body.nodes if isinstance(each, ir.Return)}
    if len(answers) != 1:
        return ""
    answer = answers.pop()
    if answer == "this":
        return receiver
    return WrittenTypes(key, unit, body, queries).name(answer) if answer else ""
