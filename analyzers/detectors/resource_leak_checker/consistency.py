"""The consistency check: every obligation is met before the last name of its object goes (Algorithms 1 and 2).

Kellogg et al., sections 2.4 (facts), 3.1 (ownership transfer), 4.1 (resource aliases), 5 (new obligations). Paths are
those that linking thinks real, a test against null ends what is not there. Reports too much when two conditions
correlate; misses what a lambda or a container keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker.contracts import EVERYTHING, REST, Contract, Ensured
from analyzers.detectors.resource_leak_checker.obligations import STORED, Fact, Loss, Obligation
from analyzers.detectors.resource_leak_checker.scene import Scene
from analyzers.summaries import AccessPath

MAX_FACTS = 20_000
"""Facts of one procedure; past them it is given up, and says so."""

NULL = "=null"

Names = frozenset[AccessPath]


class Outcome(msgspec.Struct):
    """What came of a procedure.

    losses      obligations that were not met
    unmet       per call what is passed to it, and a method that had to be called on that before
    targets     per call that creates obligations, the paths that some tracked object was named by
    is_complete whether it was solved to the end
    """

    losses: list[Loss]
    targets: set[tuple[int, AccessPath]]
    unmet: set[tuple[int, AccessPath, str]]
    is_complete: bool = True


class Consistency:
    """Solves one procedure."""

    def __init__(self, scene: Scene, obligations: Sequence[Obligation]) -> None:
        self._scene = scene
        self._obligations = obligations
        self._facts: list[set[Fact]] = [set() for _ in scene.nodes]
        self._work: list[tuple[int, Fact]] = []
        self._outcome = Outcome([], set(), set())
        self._lost: set[tuple[int, int, str]] = set()

    def solve(self) -> Outcome:
        """Run to the fixpoint."""
        scene = self._scene
        for number, obligation in enumerate(self._obligations):
            self._begin(number, obligation)
        seen = 0
        while self._work:
            node, fact = self._work.pop()
            seen += 1
            if seen > MAX_FACTS:
                self._outcome.is_complete = False
                break
            instruction = scene.nodes[node]
            if isinstance(instruction, ir.Call):
                self._call(node, instruction, fact)
            elif isinstance(instruction, ir.Branch):
                self._branch(node, instruction, fact)
            else:
                self._step(node, instruction, fact)
        self._outcome.losses.sort(key=lambda each: (each.obligation.node, each.node, each.exit))
        return self._outcome

    # --- beginning

    def _begin(self, number: int, obligation: Obligation) -> None:
        scene, node = self._scene, obligation.node
        instruction = scene.nodes[node]
        remaining = obligation.full
        names: Names = frozenset((obligation.place,)) if obligation.place else frozenset()
        if obligation.kind == "result" and isinstance(instruction, ir.Call):
            must = scene.result_must(node, instruction)
            remaining = frozenset(must)
        if obligation.kind == "result" and not names and remaining:
            self._lose(number, node, "scope", remaining)
            return
        for following in (obligation.first,) if obligation.first >= 0 else scene.cfg.normal[node]:
            self._add(following, (number, names, remaining), node)

    def _add(self, node: int, fact: Fact, before: int) -> None:
        if node in (ir.EXIT, ir.RAISE):
            is_told_there = node == ir.RAISE or isinstance(self._scene.nodes[before], ir.Return)
            self._leave(node, before if is_told_there else node, fact)
        elif fact not in self._facts[node]:
            self._facts[node].add(fact)
            self._work.append((node, fact))

    def _lose(self, number: int, node: int, exit_: str, remaining: frozenset[str]) -> None:
        obligation = self._obligations[number]
        if obligation.kind == "field" and exit_ != "overwrite":
            return
        key = (number, node, exit_)
        if key not in self._lost:
            self._lost.add(key)
            self._outcome.losses.append(Loss(obligation, node, exit_, remaining))  # type: ignore[arg-type]

    # --- one step

    def _step(self, node: int, instruction: ir.Instruction, fact: Fact) -> None:
        number, names, remaining = fact
        kind = self._obligations[number].kind
        match instruction:
            case ir.Copy(dst=dst, src=src):
                after = self._assigned(names, dst, (src,) in names)
            case ir.Op(dst=dst, operator="cast", operands=operands):
                after = self._assigned(names, dst, (operands[0],) in names)
            case ir.Load(dst=dst, base=base, field=field):
                after = self._assigned(names, dst, (base, field) in names)
            case ir.Store():
                self._store(node, instruction, fact)
                return
            case ir.Return(src=src):
                if (src,) in names and self._is_settled_by_return(number):
                    return
                after = names
            case ir.ScopeEnd(variables=variables):
                after = self._without(names, variables)
            case ir.Havoc(variables=variables):
                if any(name[0] in variables for name in names):
                    return
                after = names
            case (
                ir.Alloc(dst=dst) | ir.Op(dst=dst) | ir.LoadElement(dst=dst) | ir.AddressOf(dst=dst) | ir.Catch(dst=dst)
            ):
                after = self._assigned(names, dst, False)
            case _:
                after = names
        if not self._is_held(after, kind):
            if remaining:
                exit_ = "scope" if isinstance(instruction, ir.ScopeEnd) else "overwrite"
                self._lose(number, node, exit_, remaining)
            return
        for following in self._scene.cfg.successors[node]:
            self._add(following, (number, after, remaining), node)

    def _is_held(self, names: Names, kind: str) -> bool:
        return bool(names) or kind in ("parameter", "alias", "ensured")

    def _assigned(self, names: Names, variable: str, is_same: bool) -> Names:
        if not variable:
            return names
        after = names
        if any(name[0] == variable for name in names):
            after = frozenset(name for name in names if name[0] != variable)
            if not is_same and not ir.is_temporary(variable) and all(ir.is_temporary(name[0]) for name in after):
                after = frozenset()
        return after | {(variable,)} if is_same else after

    def _without(self, names: Names, variables: Iterable[str]) -> Names:
        gone = set(variables)
        if not any(name[0] in gone for name in names):
            return names
        after = frozenset(name for name in names if name[0] not in gone)
        return frozenset() if all(ir.is_temporary(name[0]) for name in after) else after

    def _is_settled_by_return(self, number: int) -> bool:
        match self._obligations[number].kind:
            case "result" | "created" | "parameter":
                return self._scene.is_returning_owned
            case "alias":
                return self._scene.is_alias_method
            case _:
                return False

    # --- stores

    def _store(self, node: int, store: ir.Store, fact: Fact) -> None:
        number, names, remaining = fact
        obligation = self._obligations[number]
        place = (store.base, store.field)
        scene = self._scene
        if obligation.kind == "field":
            if place in names and (store.src,) not in names:
                if remaining and scene.is_overwriting(node):
                    self._lose(number, node, "overwrite", remaining)
                return
        elif (store.src,) in names:
            field = scene.field_of(store)
            if field is not None and field.is_owning:
                if scene.is_constructor and store.base == "this" and obligation.kind in ("result", "created"):
                    names = names | {STORED, place}
                elif obligation.kind != "ensured":
                    return
            names = names | {place}
        elif place in names:
            names = names - {place}
            if obligation.kind == "ensured":
                return
        for following in scene.cfg.successors[node]:
            self._add(following, (number, names, remaining), node)

    # --- branches

    def _branch(self, node: int, branch: ir.Branch, fact: Fact) -> None:
        number, names, remaining = fact
        successors = self._scene.cfg.normal[node]
        absent = _null_side(branch, names)
        closed = self._closed_side(branch, names)
        for position, following in enumerate(successors):
            if position != absent:
                self._add(following, (number, names, remaining - {"close"} if position == closed else remaining), node)

    def _closed_side(self, branch: ir.Branch, names: Names) -> int | None:
        """Which successor says that the object is closed already (`isClosed()`, `isOpen()`)."""
        call = self._scene.tests.get(branch.left) if branch.operator == "true" else None
        if call is None or (call.receiver,) not in names:
            return None
        return 0 if call.name == "isClosed" else 1

    # --- calls

    def _call(self, node: int, call: ir.Call, fact: Fact) -> None:
        scene = self._scene
        number, names, remaining = fact
        obligation = self._obligations[number]
        contract = scene.contract(node)
        if (call.receiver,) in names:
            remaining = remaining - {call.name}
            if call.name not in obligation.full and obligation.kind in ("result", "created", "parameter"):
                own = scene.declarations.must_call(scene.type_of(call.receiver))
                remaining = frozenset() if own == (call.name,) else remaining
        for wanted, methods in contract.required:
            for place in actual_paths(call, wanted) if obligation.kind != "alias" else ():
                if place in names:
                    self._outcome.unmet.update((node, place, each) for each in methods if each in remaining)
        is_open = obligation.kind != "alias"
        raised = self._ensured(call, contract.ensured_raised, names, remaining) if is_open else remaining
        for following in scene.cfg.raised[node]:
            self._add(following, (number, names, raised), node)
        if obligation.kind != "ensured" and self._is_taken(call, contract, names):
            if obligation.kind != "field":
                return
            remaining = frozenset()
        remaining = self._ensured(call, contract.ensured, names, remaining) if is_open else remaining
        for target in contract.created:
            path = actual(call, target)
            if path is not None and path in names:
                self._outcome.targets.add((node, path))
                if obligation.kind in ("result", "created", "parameter"):
                    remaining = obligation.full
        is_alias = any((operand,) in names for root in contract.aliases for operand in actuals(call, root))
        made = call.receiver if call.name == "<init>" else call.dst
        if is_alias and made == "this":
            if obligation.kind == "alias":
                return
            names = names | {STORED}
        after = self._assigned(names, call.dst, is_alias and made == call.dst)
        if is_alias and made and made != call.dst:
            after = after | {(made,)}
        if not self._is_held(after, obligation.kind):
            if remaining:
                self._lose(number, node, "overwrite", remaining)
            return
        for following in scene.cfg.normal[node]:
            self._add(following, (number, after, remaining), node)

    def _ensured(self, call: ir.Call, ensured: Ensured, names: Names, remaining: frozenset[str]) -> frozenset[str]:
        for path, methods in ensured:
            for each in actual_paths(call, path):
                if each in names:
                    remaining = frozenset() if methods == EVERYTHING else remaining - frozenset(methods)
        return remaining

    def _is_taken(self, call: ir.Call, contract: Contract, names: Names) -> bool:
        return any((operand,) in names for root in contract.owned for operand in actuals(call, root))

    # --- ends

    def _leave(self, node: int, at: int, fact: Fact) -> None:
        number, names, remaining = fact
        obligation = self._obligations[number]
        if not remaining:
            return
        if node == ir.EXIT:
            if STORED not in names:
                self._lose(number, at, "return", remaining)
        elif obligation.kind in ("result", "created", "ensured"):
            self._lose(number, at, "throw", remaining)


def actuals(call: ir.Call, root: str) -> Sequence[str]:
    """The operands that stand for a root of a contract; of the last formal all that follow, too."""
    if root == "this":
        return (call.receiver,) if call.receiver else ()
    position = int(root[1:].removesuffix(REST))
    if root.endswith(REST):
        return call.args[position:]
    return call.args[position : position + 1]


def actual(call: ir.Call, path: AccessPath) -> AccessPath | None:
    """A path of a contract in the caller's names; None where the caller has none."""
    found = actuals(call, path[0])
    return (found[0], *path[1:]) if found and not ir.is_literal(found[0]) else None


def actual_paths(call: ir.Call, path: AccessPath) -> Iterator[AccessPath]:
    """The same for all operands."""
    for operand in actuals(call, path[0]):
        yield (operand, *path[1:])


def _null_side(branch: ir.Branch, names: Names) -> int | None:
    """Which successor a non-null object of these names cannot take; None: either."""
    left, right = branch.left, branch.right
    if branch.operator not in ("==", "!=") or NULL not in (left, right):
        return None
    other = right if left == NULL else left
    if (other,) not in names:
        return None
    return 0 if branch.operator == "==" else 1
