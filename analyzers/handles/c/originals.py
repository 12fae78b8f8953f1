"""Where a variable still holds what a name beside it holds, too: a formal what the caller passed (`if (into == NULL) into = malloc(n);`),
a copy what it was made of (`given = into;`).

A test there tells of the argument, or of the copy, whatever the variable holds afterwards. Misses tests behind a point where only
some paths have assigned it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.environment import Environment, Environments
from analyzers.domains.guard import TOP, Value
from analyzers.graphs.cfg import Cfg, reached
from analyzers.graphs.operands import assigned

_EQUALITY = ("==", "!=")


class Originals:
    """The formals of a procedure that are assigned somewhere, and per node those that may have been by then; computed when asked."""

    def __init__(self, nodes: Sequence[ir.Instruction], cfg: Cfg, formals: Iterable[str]) -> None:
        self._nodes = nodes
        self._cfg = cfg
        self._bits = {name: 1 << index for index, name in enumerate(sorted(formals))}
        self._changed: list[int] | None = None

    def has(self, formal: str, node: int) -> bool:
        """Whether an assigned formal surely holds what the caller passed when the node begins."""
        if self._changed is None:
            self._changed = self._solve()
        return not self._changed[node] & self._bits[formal]

    def _solve(self) -> list[int]:
        changed = [0] * len(self._nodes)
        again = True
        while again:
            again = False
            for each in self._cfg.order:
                out = changed[each]
                for name in assigned(self._nodes[each]):
                    out |= self._bits.get(name, 0)
                for successor in self._cfg.successors[each]:
                    if out & ~changed[successor]:
                        changed[successor] |= out
                        again = True
        return changed


def tests_of_arguments(nodes: Sequence[ir.Instruction], cfg: Cfg, originals: Originals, assigned_formals: Collection[str]) -> dict[tuple[int, str], str]:
    """Per branch or comparison and operand the formal that this still is what the caller passed of, and is assigned later."""
    found: dict[tuple[int, str], str] = {}
    for index in cfg.order if assigned_formals else ():
        match nodes[index]:
            case ir.Branch(left=left, right=right):
                operands: tuple[str, ...] = (left, right)
            case ir.Op(operator=operator, operands=operands) if operator == "!" or operator in _EQUALITY:
                pass
            case _:
                continue
        found.update({(index, each): each for each in operands if each in assigned_formals and originals.has(each, index)})
    return found


def flags_of_arguments(
    nodes: Sequence[ir.Instruction], cfg: Cfg, originals: Originals, formals: tuple[Collection[str], Collection[str]], variables: Mapping[str, ir.Variable]
) -> dict[tuple[int, str], tuple[str, bool]]:
    """What tests tell beside what they ask, where a flag has been set once by whether the caller passed null (`is_ours = into == NULL`): a
    branch on the flag of the formal, and one on the formal, as long as it is what the caller passed, of the flag. Whether one is set where the
    other is null comes with it. `formals` are all, and those that are assigned."""
    flags: dict[str, list[tuple[str, bool, int]]] = {}
    for index in cfg.order:
        flag = _flag(nodes[index], formals[0])
        is_told = flag is not None and (flag[0] not in formals[1] or originals.has(flag[0], index))
        for name in assigned(nodes[index]):
            flags.setdefault(name, []).append((*flag, index) if flag is not None and is_told else ("", False, index))
    for name, at in [(name, [each[2] for each in told]) for name, told in flags.items()]:
        both = _flag_of_two(nodes, cfg, at) if len(at) == 2 else None
        if both is not None and both[0] in formals[0] and (both[0] not in formals[1] or originals.has(both[0], both[2])):
            flags[name] = [both]
    copied = {copy.dst: copy.src for each in cfg.order if isinstance(copy := nodes[each], ir.Copy) and not ir.is_literal(copy.src) and len(flags[copy.dst]) == 1}
    sources = {name: copied.get(name, name) for name in variables}
    single = {
        name: flags[source][0] for name, source in sources.items()
        if len(flags.get(source, ())) == 1 and flags[source][0][0] and not any(variables[each].is_address_taken or variables[each].kind == "parameter" for each in (name, source) if each in variables)
    }
    found: dict[tuple[int, str], tuple[str, bool]] = {}
    for index in cfg.order if single else ():
        branch = nodes[index]
        if not isinstance(branch, ir.Branch) or not (branch.operator == "true" or (branch.operator in _EQUALITY and branch.right in ("=0", "=null"))):
            continue
        if branch.left in single:
            found[index, branch.left] = single[branch.left][:2]
        elif branch.left in formals[0] and (branch.left not in formals[1] or originals.has(branch.left, index)):
            for name, (formal, is_null, place) in sorted(single.items(), reverse=True):
                if formal == branch.left and not ir.is_temporary(name) and index != place and index not in reached(cfg.successors, ir.ENTRY, (place,)):
                    found[index, branch.left] = name, is_null
    return found


def _flag_of_two(nodes: Sequence[ir.Instruction], cfg: Cfg, at: Sequence[int]) -> tuple[str, bool, int] | None:
    """The same of what is set on both sides of a test (`is_ours = !into`), with the test."""
    before = {tuple(cfg.predecessors[each]) for each in at}
    test = next(iter(before))[0] if len(before) == 1 and len(next(iter(before))) == 1 else -1
    branch = nodes[test] if test >= 0 else None
    values = {each: guard.literal(copy.src) for each in at if isinstance(copy := nodes[each], ir.Copy) and ir.is_literal(copy.src)}
    if not isinstance(branch, ir.Branch) or len(values) != 2 or sorted(cfg.normal[test]) != sorted(at):
        return None
    is_equality = branch.operator in _EQUALITY and branch.right in ("=0", "=null")
    if not (branch.operator == "true" or is_equality) or sum(each == guard.ZERO for each in values.values()) != 1 or TOP in values.values():
        return None
    null_side = cfg.normal[test][0 if branch.operator == "==" else 1]
    return branch.left, values[null_side] != guard.ZERO, test


def flagged(environments: Environments, environment: Environment, told: tuple[int, bool] | None, value: Value) -> Environment:
    """The environment after a flag has been tested that tells of an argument."""
    known = guard.opposite(value)
    if told is None or known == TOP:
        return environment
    return environments.assign(environment, told[0], known if told[1] else guard.opposite(known))


def _flag(instruction: ir.Instruction, formals: Collection[str]) -> tuple[str, bool] | None:
    """The formal that a flag is set by, and whether it is set where that is null."""
    match instruction:
        case ir.Op(operator="!", operands=(formal,)) if formal in formals:
            return formal, True
        case ir.Op(operator="==" | "!=" as operator, operands=(formal, "=null" | "=0")) if formal in formals:
            return formal, operator == "=="
        case _:
            return None


def copies_at_tests(nodes: Sequence[ir.Instruction], cfg: Cfg, own: Collection[str]) -> dict[tuple[int, str], tuple[str, ...]]:
    """Per branch and variable of `own` the others that hold the same then, as one of the two has been copied to the other."""
    definitions: dict[str, list[int]] = {}
    for node in cfg.order:
        for name in assigned(nodes[node]):
            definitions.setdefault(name, []).append(node)
    made = {
        node: (copy.dst, copy.src)
        for node in cfg.order
        if isinstance(copy := nodes[node], ir.Copy) and copy.dst in own and copy.src in own and copy.dst != copy.src
        and (copy.src in definitions or len(definitions[copy.dst]) > 1)
    }
    names = {name for pair in made.values() for name in pair}
    tests = [(node, test) for node in cfg.order if isinstance(test := nodes[node], ir.Branch) and (test.left in names or test.right in names)]
    if not made or not tests:
        return {}
    bits = {node: 1 << index for index, node in enumerate(made)}
    ended: dict[int, int] = {}
    for node, pair in made.items():
        for name in pair:
            for each in definitions.get(name, ()):
                ended[each] = ended.get(each, 0) | bits[node]
    equal = _always(cfg, bits, ended)
    found: dict[tuple[int, str], tuple[str, ...]] = {}
    for node, test in tests:
        for operand in (test.left, test.right):
            pairs = [pair for place, pair in made.items() if operand in pair and equal[node] & bits[place]]
            if pairs:
                found[node, operand] = tuple(dict.fromkeys(dst if src == operand else src for dst, src in pairs))
    return found


def _always(cfg: Cfg, begun: dict[int, int], ended: dict[int, int]) -> list[int]:
    """Per node what has begun and not ended on every way to it."""
    all_ = sum(begun.values())
    before = [all_] * len(cfg.successors)
    before[ir.ENTRY] = 0
    again = True
    while again:
        again = False
        for node in cfg.order:
            after = (before[node] & ~ended.get(node, 0)) | begun.get(node, 0)
            for successor in cfg.successors[node]:
                if before[successor] & ~after:
                    before[successor] &= after
                    again = True
    return before
