"""Functions of the program that do something with what they are given before they end it: print it, send it, count its letters.

Where a library made it and its own release is enough, that is what a patch calls: nobody wants an error path to send what could not be
finished. Wiping is no work, nor is closing what hangs on it. Takes too much for work where a destructor looks at its object by a call;
then the patch is only less like the code around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir
from analyzers.facts import Facts
from analyzers.graphs.operands import operands
from analyzers.handles.moves import identity
from analyzers.handles.unknown import is_ender, is_releaser
from fixers.leak import Leak

_WIPING = frozenset((
    "memset", "bzero", "explicit_bzero", "explicit_memset", "memset_s", "SecureZeroMemory", "OPENSSL_cleanse", "sodium_memzero", "strlen", "sizeof", "assert",
))  # fmt: skip


def works(leak: Leak, call: ir.Call) -> bool:
    """Whether a call that ends what it is given does something else with it, too, and the library's own release would do."""
    body, targets = leak.linked.body, leak.linked.targets
    at = leak.finding.acquired.start - body.start
    made = next((n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and each.start == at), -1)
    if made < 0 or (targets.get(made) is not None and targets[made].procedures):
        return False
    number = next(n for n, each in enumerate(body.nodes) if each is call)
    keys = targets[number].procedures if number in targets else ()
    if not keys:
        return False
    known = [each for key in keys if (each := leak.callees.facts(key)) is not None]
    return any(_uses(each) for each in known) or (any(_answers(each) for each in known) and _is_asked(body, call.dst))


def is_at_work(known: Facts) -> bool:
    """Whether a function that ends its argument does more by the look of it than to end that, and what hangs on it: it is what a thread or
    an event runs, rather than a destructor."""
    return _uses(known, is_told_by_names=True)


def _is_asked(body: ir.Procedure, name: str) -> bool:
    """Whether anything reads a variable."""
    return bool(name) and any(name in operands(each) for each in body.nodes)


def _answers(known: Facts) -> bool:
    """Whether a function gives a number that is not written there, or a text."""
    return any(isinstance(node, ir.Return) and node.src and not ir.is_literal(node.src) for node in known.linked.body.nodes)


def _uses(known: Facts, *, is_told_by_names: bool = False) -> bool:
    """Whether a function passes its first argument, or what it found behind it, to anything that neither ends it nor only wipes it;
    `is_told_by_names`: nor has the name of what ends something."""
    body = known.linked.body
    given = set(body.parameters[:1])
    for node in body.nodes:
        if any(source in given for source in _sources(node)):
            given.add(node.dst)  # type: ignore[union-attr]
    for number, node in enumerate(body.nodes):
        if isinstance(node, ir.Call) and not given.isdisjoint(node.args) and node.name not in _WIPING:
            if is_told_by_names and (is_ender(node.name) or is_releaser(node.name)):
                continue
            ended = {t.entry[0] for each in known.effects.get(number, ()) for t in each.transfers if t.entry and all(o.fate == "released" for o in t.outcomes)}
            if any(arg in given and f"${position}" not in ended for position, arg in enumerate(node.args)):
                return True
    return False


def _sources(node: ir.Instruction) -> Iterator[str]:
    match node:
        case ir.Load(base=base) | ir.LoadElement(base=base):
            yield base
        case ir.Copy() | ir.Op():
            yield identity(node)
        case _:
            pass
