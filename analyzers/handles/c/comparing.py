"""Functions and macros of C's own that compare two texts: `#define same(a, b) (strcmp((a), (b)) == 0)`, `static bool equal(const char *a, const char *b)`.

Such a body asks one function of the library once, of its two parameters, and on no path says that texts are equal which that calls different.
Where it says so for other reasons, too (both are the same pointer, or one is none), it still says it of equal texts only. Misses what
takes more than two arguments, and bodies with loops.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.handles.scene import Scene

MAX_NODES = 24
"""Instructions of a body that is looked at."""

_DIFFERENT_IS_NOT_ZERO = frozenset(("strcmp", "strcasecmp", "g_strcmp0", "g_ascii_strcasecmp"))
_EQUAL, _EQUAL_CASELESS = "streq", "strcaseeq"

_ZERO, _OTHER, _SAME, _ANSWER, _IS_EQUAL, _IS_DIFFERENT = "zero", "other", "same", "answer", "is equal", "is different"
"""What a value is: 0, a number that is not 0, whether the two pointers are one, the answer of the library, and whether that is 0, or is not."""


def name_of(scene: Scene, node: int, call: ir.Call) -> str:
    """The function that a call stands for where it compares two texts by a body of the program; its own name otherwise."""
    target = scene.linked.targets.get(node)
    if len(call.args) != 2 or target is None or len(target.procedures) != 1:
        return call.name
    body = scene.queries.procedure(target.procedures[0])
    return (body is not None and _compares(body)) or call.name


def is_comparing(scene: Scene, node: int, call: ir.Call) -> bool:
    """Whether a call of C compares two texts by a body of the program."""
    return not scene.is_java and name_of(scene, node, call) != call.name


def _compares(body: ir.Procedure) -> str:
    """The function that a body does the same as; empty where it is none, or nothing that is understood."""
    if len(body.parameters) != 2 or len(body.nodes) > MAX_NODES:
        return ""
    asked = [each for each in body.nodes if isinstance(each, ir.Call)]
    if len(asked) != 1 or asked[0].name not in _DIFFERENT_IS_NOT_ZERO or sorted(asked[0].args) != sorted(body.parameters) or not asked[0].dst:
        return ""
    ends = list(_ends(body, 0, {}, asked[0]))
    if not ends or None in ends:
        return ""
    told = [end for end in ends if end is not None]
    # Of different texts every path says the one: not 0, as the library does, or 0.
    if all(value in (_ANSWER, _IS_DIFFERENT, _OTHER) for value, is_equal in told if not is_equal):
        return asked[0].name
    if all(value in (_IS_EQUAL, _SAME, _ZERO) for value, is_equal in told if not is_equal):
        return _EQUAL_CASELESS if "case" in asked[0].name else _EQUAL
    return ""


def _ends(body: ir.Procedure, node: int, known: dict[str, str], asked: ir.Call, passed: tuple[int, ...] = ()) -> Iterator[tuple[str, bool] | None]:
    """Per path what is returned, and whether the texts are equal on it; None for what is not understood."""
    each, sides = body.nodes[node], body.next[node]
    if node in passed:
        yield None
        return
    match each:
        case ir.Return(src=src):
            value = _value(src, known)
            yield None if not value else (value, known.get("") == _ZERO)
            return
        case ir.Call():
            known = {**known, each.dst: _ANSWER}
        case ir.Op(dst=dst, operator=operator, operands=operands) if operator in ("==", "!="):
            known = {**known, dst: _compared(operator, operands, known, asked)}
        case ir.Copy(dst=dst, src=src):
            known = {**known, dst: _value(src, known)}
        case ir.Branch():
            yield from _sides(body, node, known, asked, passed)
            return
        case ir.Entry():
            pass
        case _:
            yield None
            return
    for side in sides:
        yield from _ends(body, side, known, asked, (*passed, node))


def _sides(body: ir.Procedure, node: int, known: dict[str, str], asked: ir.Call, passed: tuple[int, ...]) -> Iterator[tuple[str, bool] | None]:
    """The paths behind a branch: its first side is where it holds."""
    branch, sides = body.nodes[node], body.next[node]
    if not isinstance(branch, ir.Branch) or len(sides) != 2:
        yield None
        return
    value = known.get(branch.left, "") if branch.operator == "true" else _compared(branch.operator, (branch.left, branch.right), known, asked)
    equal_side = {_ANSWER: 1, _IS_DIFFERENT: 1, _IS_EQUAL: 0, _SAME: 0}.get(value)
    for number, side in enumerate(sides):
        is_told = number == equal_side or known.get("") == _ZERO
        yield from _ends(body, side, {**known, "": _ZERO} if is_told else known, asked, (*passed, node))


def _compared(operator: str, operands: tuple[str, ...], known: dict[str, str], asked: ir.Call) -> str:
    """What a comparison is about, where that is the answer of the library or the two pointers."""
    if operator not in ("==", "!="):
        return ""
    if sorted(operands) == sorted(asked.args):
        return _SAME if operator == "==" else ""
    first = known.get(operands[0], "")
    if first != _ANSWER or operands[-1] not in ("=0", "=false"):
        return ""
    return _IS_EQUAL if operator == "==" else _IS_DIFFERENT


def _value(name: str, known: dict[str, str]) -> str:
    if name in ("=0", "=false"):
        return _ZERO
    return _OTHER if name in ("=1", "=-1", "=true") else known.get(name, "")
