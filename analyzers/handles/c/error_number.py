"""What `errno` is for a procedure that reads it where something has failed: a number above 0, so that `return -errno;` answers below zero.

Believed only where a branch led to every read of it. Who reads it on all ways, sets it to 0 first, or looks whether it is 0, by whatever name, does
not know that something has failed. Errs where a branch to a read is no question for a failure. A call of the library leaves it as it was for nobody
who asks behind it (`errno = 0; n = strtol(text, &end, 10); if (errno) …`), but for those that free, print, copy bytes or put into words,
and those that have acquired something.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from analyzers import ir
from analyzers.domains.guard import POSITIVE, TOP, Value
from analyzers.graphs.cfg import Cfg, reached
from analyzers.handles.moves import handed_on
from analyzers.handles.unknown import is_freeing
from analyzers.summaries import AccessPath, Effects

ERROR_NUMBER: AccessPath = ("::errno",)

_NAME = ERROR_NUMBER[0].removeprefix("::")
_COMPARING = frozenset(("==", "!=", "<", ">", "<=", ">=", "!"))
_ZERO = frozenset(("=0", "=null"))


_KEEPING = frozenset(("fprintf", "fputs", "perror", "printf", "puts", "strerror", "syslog", "vfprintf", "vsyslog", "warn", "warnx"))
"""What programs call between two looks at it, and believe to leave it alone."""

_OF_BYTES = re.compile(r"mem(?!fd)|str(?!to|error)|bzero|bcopy|is(?!atty)[a-z]+$|to(lower|upper)$|v?s(n)?printf$")
"""What only looks at bytes, or copies some, and cannot fail."""


def may_set(name: str, effects: Effects | None) -> bool:
    """Whether a function of the library of this name may leave another `errno` than it found. What acquires something sets it only where that fails:
    who asks for it behind a success means that, but not behind what leaves its block where it fails, too (`getline`)."""
    made = (end for each in (effects.transfers if effects is not None else ()) if not each.entry for end in each.outcomes)
    is_acquiring = any(end.when or any(path[:1] == ("$ret",) for path in end.paths) for end in made)
    return not is_acquiring and name not in _KEEPING and not is_freeing(name) and _OF_BYTES.match(name) is None


def set_by(name: str, effects: Effects | None, numbers: Mapping[AccessPath, int]) -> int:
    """The bit of `errno` among some subjects, where a function of the library of this name may set it; 0 else."""
    number = numbers.get(ERROR_NUMBER)
    return 1 << number if number is not None and may_set(name, effects) else 0


def error_number(nodes: tuple[ir.Instruction, ...], cfg: Cfg) -> Value:
    """What `errno` is wherever these instructions read it."""
    reads = [at for at in cfg.order if isinstance(node := nodes[at], ir.Load) and (node.base, node.field) == ("", _NAME)]
    if any(isinstance(node, ir.Store) and (node.base, node.field, node.src) == ("", _NAME, "=0") for node in nodes):
        return TOP
    if any(_is_passed_always(cfg, at) for at in reads):
        return TOP
    names = {name for at in reads for name in handed_on(nodes, getattr(nodes[at], "dst", ""), _negates)}
    return TOP if any(_asks_for_zero(node, names) for node in nodes) else POSITIVE


def _is_passed_always(cfg: Cfg, node: int) -> bool:
    """Whether every way through a procedure goes by a node."""
    return ir.EXIT not in reached([() if at == node else after for at, after in enumerate(cfg.successors)], cfg.order[0])


def _negates(node: ir.Instruction, names: set[str]) -> bool:
    return isinstance(node, ir.Op) and node.operator == "-" and len(node.operands) == 1 and node.operands[0] in names


def _asks_for_zero(node: ir.Instruction, names: set[str]) -> bool:
    match node:
        case ir.Branch(operator=operator, left=left, right=right):
            return (left in names and (operator == "true" or right in _ZERO)) or (right in names and left in _ZERO)
        case ir.Op(operator=operator, operands=operands) if operator in _COMPARING and not names.isdisjoint(operands):
            return len(operands) == 1 or not _ZERO.isdisjoint(operands)
        case _:
            return False


def is_constant(operand: str, loads: Mapping[str, AccessPath]) -> bool:
    """Whether something is known of an operand by itself: a literal, or what was read of `errno`."""
    return operand != "=?" if ir.is_literal(operand) else loads.get(operand) == ERROR_NUMBER
