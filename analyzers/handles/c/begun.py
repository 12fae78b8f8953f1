"""Which call fills a struct of a procedure's own that another call ends (`strbuf_add(&text, …)` … `strbuf_release(&text)`), where nobody
knows either of them.

The first call on it, named with a word of the other one's name and with one of filling. Misses structs of which a part is given to somebody;
reports too much where the first call may leave the struct empty.
"""

from __future__ import annotations

from collections.abc import Collection

from analyzers import ir
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import is_ender, is_going_on, is_inserting, words_of

_FILLING = (
    "add", "alloc", "append", "attach", "begin", "build", "cat", "concat", "copy", "create", "decode", "dup", "encode", "expand", "fill", "format", "fmt", "from",
    "getcwd", "getdelim", "getline", "grow", "init", "insert", "load", "make", "open", "parse", "print", "push", "read", "setup", "split", "vadd", "vprint", "write",
)
"""What a word begins with that says that something is put into a struct, or made there."""

_EMPTYING = frozenset(("adopt", "detach", "steal", "swap", "take", "transfer"))

_BEGINNING = frozenset(("alloc", "begin", "create", "init", "load", "make", "open", "setup"))
"""Those of them that may only lay a struct out."""

_LAYING_OUT = frozenset(("reset", "rewind"))
"""Words of what leaves nothing in a struct."""

CLEARING = frozenset(("cleanup", "clear"))
"""Words of what empties a struct, and ends it where nothing more is done with that."""

_SHARED = 3
"""Letters that a word which both names have must have at least."""


def is_named_alike(call: ir.Call, ending: Collection[str]) -> bool:
    """Whether a callee is named after the same kind of object as those that end it, and goes on with it."""
    return bool(_shared(call, ending)) and is_going_on(call.name) and not is_ender(call.name)


def _shared(call: ir.Call, ending: Collection[str]) -> list[str]:
    return [word for word in words_of(call.name) if word in ending and len(word) >= _SHARED]


def is_emptying(call: ir.Call) -> bool:
    """Whether a callee takes out what a struct holds, by its name."""
    return not _EMPTYING.isdisjoint(words_of(call.name))


def is_last_clear(scene: Scene, node: int, name: str) -> bool:
    """Whether the call at a node empties a local struct by its name, and nothing is done with that behind it."""
    call = scene.nodes[node]
    if not name or not isinstance(call, ir.Call) or call.kind != "function" or call.name.isupper() or CLEARING.isdisjoint(words_of(call.name)):
        return False
    behind = set().union(*(scene.cfg.reachable_from(each) for each in scene.cfg.normal[node]))
    return not any(name in operands(scene.nodes[each]) or getattr(scene.nodes[each], "base", "") == name for each in behind)


def is_filling(scene: Scene, node: int, name: str, ending: Collection[str]) -> bool:
    """Whether the call at a node is the first on a local struct and fills it, by its name; `ending`: the words in the names of those that end it."""
    call = scene.nodes[node]
    if not isinstance(call, ir.Call) or is_ender(call.name):
        return False
    shared = _shared(call, ending)
    verbs = [word for word in words_of(call.name) if word not in shared and word.startswith(_FILLING)]
    if not CLEARING.isdisjoint(ending):  # What was only laid out may be left as it is.
        verbs = [word for word in verbs if word not in _BEGINNING]
    if not shared or not verbs:
        return False
    order = {each: at for at, each in enumerate(scene.cfg.order)}
    calls = [(each, other) for each in scene.cfg.order if order[each] < order[node] and isinstance(other := scene.nodes[each], ir.Call)]
    filling = [each for each, other in calls if _gets(scene, other, name) and _LAYING_OUT.isdisjoint(words_of(other.name))]
    is_first = not any(node in scene.cfg.reachable_from(after) for each in filling for after in scene.cfg.normal[each])
    return is_first and not _is_asked(scene, name)


def _gets(scene: Scene, call: ir.Call, name: str) -> bool:
    return any(scene.addresses.get(each, ())[:1] == (name,) for each in call.args)


def is_given_away(scene: Scene, name: str, *, or_answers: bool) -> bool:
    """Whether a part of a struct, or all of it, is returned, stored or released: what lies there goes along. `or_answers`: what callees answer
    that get its address is a part of it, too, and no copy."""
    members = _copies(scene, {name})
    calls = [node for node in scene.nodes if isinstance(node, ir.Call) and _gets(scene, node, name)] if or_answers else []
    parts = _copies(scene, {name, *(call.dst for call in calls if _may_give(scene, call))})
    is_number = "*" not in scene.body.result and not scene.c_types.is_aggregate(scene.body.result)
    for node in scene.nodes:
        match node:
            case ir.Return(src=src) if src in parts and not is_number:
                return True
            case ir.Store(src=src) | ir.StoreElement(src=src) if src in parts:
                return True
            case ir.Call(args=args) if _takes(node) and any(each in members and each != name for each in args):
                return True
            case _:
                pass
    return False


def _copies(scene: Scene, names: set[str]) -> set[str]:
    """Some variables, and what is read from them or copied."""
    found, count = set(names), 0
    while count != len(found):
        count = len(found)
        for node in scene.nodes:
            if (node.base if isinstance(node, ir.Load) else identity(node)) in found:
                found.update(assigned(node))
    return found


def _takes(call: ir.Call) -> bool:
    """Whether a callee releases or keeps what it gets, by its name."""
    return is_ender(call.name) or is_inserting(call.name) or not is_going_on(call.name)


def _may_give(scene: Scene, call: ir.Call) -> bool:
    """Whether a callee may answer with a part of the struct that it gets, which stays there."""
    written = scene.type_of(call.dst) if call.dst else "int"
    return not is_emptying(call) and (not written or "*" in written)


def _is_asked(scene: Scene, name: str) -> bool:
    """Whether the procedure asks a struct whether there is anything in it (`if (text.len)`)."""
    members = {node.dst for node in scene.nodes if isinstance(node, ir.Load) and node.base == name}
    asked = [(node.left, node.right) for node in scene.nodes if isinstance(node, ir.Branch)]
    return any((left in members and (not right or ir.is_literal(right))) or (right in members and ir.is_literal(left)) for left, right in asked)
