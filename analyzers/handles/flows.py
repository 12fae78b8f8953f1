"""The flow functions of one procedure's instructions: Figure 4 of Tracker, with guards.

Torlak, Chandra, section 2.2. Every function takes a fact to the facts at the successors; what leaves the
procedure or is lost goes to the `Sink` of the run. A store whose base is not known to be one of the
procedure's own objects, or the caller's, hides the handle in something that outlives the procedure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.access_path import CLOSED_WITH, Paths
from analyzers.domains.environment import Environment
from analyzers.domains.guard import NON_ZERO, TOP, Value
from analyzers.domains.obligation import (
    CUT,
    DOUBTED,
    GUARDS_ONLY,
    RELEASED,
    RETAINED,
    SETTLED,
    Fact,
    Obligation,
)
from analyzers.graphs.operands import assigned
from analyzers.handles.c.bits import masked
from analyzers.handles.c.insides import address_flow, advance_flow, around, interior_flow
from analyzers.handles.c.kinship import Kinship, is_parted
from analyzers.handles.c.last_words import is_followed_by_the_end
from analyzers.handles.c.left_to_the_end import is_left_to_the_end
from analyzers.handles.c.numbers import counted, is_in_number, numbered
from analyzers.handles.c.originals import flagged
from analyzers.handles.c.scoped import cleaned_up
from analyzers.handles.c.shares import shared_results
from analyzers.handles.c.sums import count, results
from analyzers.handles.c.twins import Twins
from analyzers.handles.c.types import is_pointer
from analyzers.handles.c.zeroed import is_still_zero, member_of_block
from analyzers.handles.callees import CallSites
from analyzers.handles.induction import Inductions, is_step
from analyzers.handles.java.own_fields import ends_with_its_object
from analyzers.handles.moves import identity
from analyzers.handles.scene import RESULT, THROWN, Scene, hash_of
from analyzers.handles.sharing import Sharing
from analyzers.handles.sinks import Acquiring, ExitKind, LossKind, Sink
from analyzers.handles.subjects import Subjects
from analyzers.handles.turning import freed_at, is_none_left
from analyzers.summaries import AccessPath

After = list[tuple[int, Fact]]
Flow = Callable[[Fact], Sequence[tuple[int, Fact]]]
Reader = Callable[[Paths, Environment], Value]


class Flows:
    """The flow functions of a procedure. `begin` says which obligation they are about.

    Those of branches and calls are in modules of their own: `runs` adds them.
    """

    def __init__(self, scene: Scene, subjects: Subjects, sharing: Sharing, sites: CallSites) -> None:
        self.scene = scene
        self.sharing = sharing
        self.kinship = Kinship(scene)
        self.sites = sites
        self.owners, self.closers = sites.holders(), sites.closers()
        self.subjects, self.environments = subjects, subjects.environments
        self.table = scene.paths
        self.breadth = scene.limits.breadth
        self.obligation = Obligation("", "")
        self.value: Value = NON_ZERO
        self.is_entry = False
        self.sink: Sink | None = None
        self._result_number = self.environments.numbers.get(RESULT)
        self.emptied = freed_at(scene, sites, self.owners)
        self._tests = {test for test, _ in self.emptied}
        self.noticed: dict[int, tuple[AccessPath, ...]] = {}
        self.inductions = Inductions(scene)
        self._is_endless = not scene.is_java and "noreturn" in scene.body.attributes
        self._ending = frozenset[int]() if scene.is_java else scene.cfg.ending()
        self._shared, (self.shown, self.cleaned) = shared_results(scene, sites), cleaned_up(scene, sites.sites)
        for (test, _), freed in self.emptied.items():
            self.notice(test, freed)
        self._readers: dict[tuple[int, str], Reader] = {}
        self._dying: dict[int, list[AccessPath]] = {node: [(name,) for name in names] for node, names in scene.dying.items()}
        self._zeroed: dict[tuple[int, str], bool] = {}
        self.calls: dict[int, Acquiring] = {}
        self.functions: list[Flow | None] = [None] * len(scene.nodes)
        for node in scene.cfg.order:
            self.functions[node] = self._compile(node)

    @functools.cached_property
    def _is_left_to_the_end(self) -> bool:
        return is_left_to_the_end(self.scene)

    @functools.cached_property
    def twins(self) -> Twins:
        """Further names of what locals of C point to."""
        return Twins(self.scene)

    def begin(self, obligation: Obligation, sink: Sink) -> None:
        """Set the obligation that the next facts belong to."""
        self.obligation = obligation
        self.value = obligation.value
        self.is_entry = bool(obligation.entry)
        self.sink = sink

    def end(self) -> None:
        """Let go of all functions: they and the flows hold each other."""
        self.functions.clear()
        self.calls.clear()
        self._readers.clear()
        self._zeroed.clear()

    def notice(self, node: int, places: Iterable[AccessPath]) -> None:
        """Tell that the flow function of a node looks at paths that start with these, beside those of its operands."""
        self.noticed[node] = (*self.noticed.get(node, ()), *places)

    # --- what every instruction does at its end

    def go(self, node: int, fact: Fact, before: Paths, after: After) -> None:
        """Send a fact to the normal successors of a node, unless its last path is gone."""
        paths, environment, marks = fact
        for root in self._dying.get(node, ()):
            paths &= ~self.table.starting_with(root)
        if before and not self._is_alive(paths) and not marks & SETTLED:
            if self.scene.is_java or not is_followed_by_the_end(self, node, environment, self._ending):
                self._lose(node, "", fact)
            return
        paths, is_cut = self.table.trim(paths, self.breadth) if paths.bit_count() > self.breadth else (paths, False)
        fact = paths, environment, marks | CUT * is_cut
        for successor in self.scene.cfg.normal[node]:
            if successor == ir.EXIT:
                self.leave(node, "return", fact)
            else:
                after.append((successor, fact))

    def throw(self, node: int, fact: Fact, after: After) -> None:
        """Send a fact to the handlers of a node."""
        paths, environment, marks = fact
        for root in self._dying.get(node, ()):
            paths &= ~self.table.starting_with(root)
        if fact[0] and not self._is_alive(paths) and not marks & SETTLED:
            raised = self.scene.cfg.raised[node]
            if raised:
                is_believed = all(successor in self.scene.linked.believed.get(node, ()) for successor in raised)
                self._lose(node, "raised", (paths, environment, marks | DOUBTED * (is_believed or self._is_element(fact[0]))))
            return
        believed = self.scene.linked.believed.get(node, ())
        for successor in self.scene.cfg.raised[node]:
            known = marks | DOUBTED if successor in believed else marks
            if successor == ir.RAISE:
                self.leave(node, "throw", (paths, environment, known))
            else:
                after.append((successor, (paths, environment, known)))

    def branch_to(self, node: int, successor: int, fact: Fact, after: After) -> None:
        """Send a fact over one edge. An element of what the edge leaves empty does not go on: there is none."""
        paths, environment, marks = fact
        emptied = self.emptied.get((node, successor), ()) if paths and not marks & SETTLED else ()
        if emptied and is_none_left(self.table, paths, emptied, is_entry=self.is_entry):
            if not self.is_entry:
                return
            fact = paths, environment, marks = 0, environment, marks | RELEASED
        for root in self._dying.get(node, ()):
            paths &= ~self.table.starting_with(root)
        if fact[0] and not self._is_alive(paths) and not marks & SETTLED:
            is_kept = self._is_cleaned_up(fact[0])
            if not is_kept and (successor not in self._ending or all(each in self._ending for each in self.scene.cfg.normal[node])):
                self._lose(node, "", fact)  # else the process ends there, as an error, and has it
        elif successor == ir.EXIT:
            self.leave(node, "return", (paths, environment, marks))
        else:
            after.append((successor, (paths, environment, marks)))

    def _is_alive(self, paths: Paths) -> bool:
        """Whether a handle can still be released: by a name of its own, or with an object that is acquired here too."""
        if paths & ~self.table.inside:
            return True
        return bool(paths and self.owners) and any(path[0] in self.owners for path in self.table.list(paths))

    def _is_element(self, paths: Paths) -> bool:
        """Whether a handle of Java is known only as some element of something: an exception may come before there is any."""
        return bool(paths) and self.scene.is_java and all("[]" in path for path in self.table.list(paths))

    def _lose(self, node: int, kind: LossKind, fact: Fact) -> None:
        if self.sink is not None:
            self.sink.lose(node, kind, fact)

    def leave(self, node: int, kind: ExitKind, fact: Fact) -> None:
        """The procedure ends after a node: not where it is declared never to return, or the program ends behind it."""
        if self.sink is None or (kind == "return" and self._is_endless):
            return
        paths, environment, marks = fact
        if not marks & (SETTLED | GUARDS_ONLY) and (not paths or (kind == "return" and not self.is_entry and self._is_left_to_the_end)):
            return
        marks |= RETAINED * self._is_cleaned_up(paths)
        if kind == "throw" and self._is_element(paths):
            marks |= DOUBTED
        survivors = [path for path in self.table.list(paths) if self._survives(path[0], kind)]
        left = sum(self.table.single(path) for path in survivors if path[-1] != CLOSED_WITH or path[0] == RESULT[0])
        if left and self.scene.is_java:  # What a parameter closes with itself, or what a field of `this` does, its caller closes so, too.
            left |= sum(self.table.single(path) for path in survivors if path[0] in self.scene.formals or ends_with_its_object(path, self.scene))
        self.sink.leave(node, kind, (left, environment, marks))

    def _is_cleaned_up(self, paths: Paths) -> bool:
        """Whether a handle lies in a variable that cleans up after itself, or in what ends it with itself."""
        return any(paths & self.table.starting_with(place) for place in self.cleaned) if paths else False

    def _survives(self, root: str, kind: ExitKind) -> bool:
        if root == RESULT[0]:
            return kind == "return" and not self.scene.is_main
        if root == THROWN[0]:
            return kind == "throw"
        if root == "this" and kind == "throw" and self.scene.is_constructor:
            return False
        return self.scene.outlives(root)

    # --- values

    def reader(self, node: int, operand: str) -> Reader:
        """A function that tells what is known of an operand at a node."""
        found = self._readers.get((node, operand))
        if found is None:
            found = self._readers[node, operand] = self._read(node, operand)
        return found

    def _read(self, node: int, operand: str) -> Reader:
        if not operand or ir.is_literal(operand):
            known = self._literal(operand) if operand else TOP
            return lambda paths, environment: known
        number = self.subjects.number(node, operand)
        named = self._named_constant(node, operand) if number is None or self.scene.is_java else TOP
        if named != TOP:
            return lambda paths, environment: named
        counted = count(self.scene, operand) if number is None else TOP
        if counted != TOP:
            return lambda paths, environment: counted
        table, environments = self.table, self.environments
        is_negated = (node, operand) in self.subjects.negated
        block = (member_of_block(self.scene, operand),)
        is_array = not self.scene.is_java and "[" in self.scene.type_of(operand)
        is_object = is_array or operand in self.scene.addresses or self.scene.is_new(operand)

        def read(paths: Paths, environment: Environment) -> Value:
            if paths:
                if paths & table.exact((operand,)):
                    return self.value
                if paths & table.starting_with((operand,)):
                    return NON_ZERO
                if block[0] and paths & table.exact(block) and self._is_still_zero(operand):
                    return guard.ZERO
            if number is not None and environment:
                known = environments.value(environment, number)
                return guard.opposite(known) if is_negated else known
            return NON_ZERO if is_object else TOP

        return read

    def compared_with(self, node: int, operand: str, other: str) -> Reader:
        """The same for what is compared with another operand: a constant of which nothing but the name is known is a thing by
        itself, unless numbers are compared with it."""
        read = self.reader(node, operand)
        named = TOP if ir.is_literal(other) or ir.is_literal(operand) else self._named_constant(node, operand)
        if named == TOP:
            return read

        def named_or_known(paths: Paths, environment: Environment) -> Value:
            known = read(paths, environment)
            return named if known == TOP else known

        return named_or_known

    def _is_still_zero(self, operand: str) -> bool:
        key = (self.obligation.node, operand)
        known = self._zeroed.get(key)
        if known is None:
            known = self._zeroed[key] = not self.is_entry and is_still_zero(self.scene, *key)
        return known

    def _literal(self, operand: str) -> Value:
        """What is known of a literal, or of the label of a case that names a constant."""
        text = operand[1:]
        if self.scene.is_java and text.isupper() and text.isidentifier():
            constant = self.scene.constant((f"::{self.scene.body.owner}.{text}",))
            return guard.literal(constant) if constant else guard.symbol(hash_of(text))
        return guard.literal(operand)

    def _named_constant(self, node: int, operand: str) -> Value:
        """What a temporary holds that a constant has been loaded to; of Java, if it is compared with something that is none."""
        place = self.scene.loads.get(operand, ())
        if len(place) != 1 or place[0][:2] != "::" or not ir.is_temporary(operand):
            return TOP
        if not self.scene.is_java:
            return self.scene.constant_at(place)
        branch = self.scene.nodes[node]
        if not isinstance(branch, ir.Branch) or branch.operator not in ("==", "!=") or ir.is_literal(branch.left) or ir.is_literal(branch.right):
            return TOP
        return self.scene.constant_at(place)

    def forget(self, environment: Environment, variable: str) -> Environment:
        """The environment after a variable has changed."""
        rooted = self.subjects.rooted.get(variable)
        return environment if not rooted or not environment else self.environments.keep(environment, ~rooted)

    def set_value(self, environment: Environment, variable: str, value: Value) -> Environment:
        """The environment after a variable has got a value."""
        number = self.environments.numbers.get((variable,))
        environment = self.forget(environment, variable)
        return environment if number is None else self.environments.assign(environment, number, value)

    # --- instructions

    def is_quiet(self, node: int, *names: str) -> bool:
        """Whether a node that does nothing but to these variables can be the identity for all facts."""
        scene, rooted = self.scene, self.subjects.rooted
        if node in scene.dying or node in self._tests or scene.cfg.raised[node] or ir.EXIT in scene.cfg.normal[node]:
            return False
        return all(name not in scene.holders and name not in rooted and not self.inductions.mark(name) for name in names)

    def _compile(self, node: int) -> Flow | None:
        instruction = self.scene.nodes[node]
        match instruction:
            case ir.Op(dst=dst, operator="<<" | ">>" | "/") if self.is_quiet(node, dst, counted(instruction)):
                return None
            case ir.Copy(dst=dst) | ir.Op(dst=dst) | ir.LoadElement(dst=dst) if self.is_quiet(node, dst):
                return self._loud(node) if isinstance(instruction, ir.Op) and numbered(self.scene, instruction) else None
            case ir.Load(dst=dst, base=base) if self.is_quiet(node, dst) and not self.is_watched(base):
                return None
            case ir.ScopeEnd(variables=names) if self.is_quiet(node, *names):
                return None
        indices = [name for name in assigned(instruction) if self.inductions.mark(name)]
        flow = self._loud(node)
        flow = masked(self.environments, self.subjects.bits.get(node), flow)
        return flow if not indices or flow is None else self._stepped(node, indices[0], flow)

    def _stepped(self, node: int, name: str, flow: Flow) -> Flow:
        """What is assigned to an index says whether a handle in its arrays lies before it."""
        arrays, mark = self.inductions.arrays[name], self.inductions.mark(name)
        instruction = self.scene.nodes[node]
        is_next = isinstance(instruction, ir.Op) and is_step(instruction)
        self.notice(node, arrays)

        def follow(fact: Fact) -> Sequence[tuple[int, Fact]]:
            paths, environment, marks = fact
            is_inside = is_next and not self.is_entry and any(paths & self.table.starting_with(array) for array in arrays)
            return flow((paths, environment, marks | mark if is_inside else marks & ~mark))

        return follow

    def _loud(self, node: int) -> Flow | None:
        match self.scene.nodes[node]:
            case ir.Copy(dst=dst, src=src):
                return self._copy(node, dst, src)
            case ir.Op(dst=dst, operator="cast", operands=operands):
                return self._copy(node, dst, operands[0] if operands else "=?")
            case ir.Op(dst=dst, operator="[]+", operands=operands) if operands and not ir.is_literal(operands[0]):
                return advance_flow(self, node, dst, operands[0], self._copy(node, dst, operands[0]))
            case ir.Op(dst=dst, operator="|" | "&") as marked if (pointer := identity(marked)) and is_pointer(self.scene.type_of(pointer)):
                return self._copy(node, dst, pointer)
            case ir.Op() as instruction:
                return self._op(node, instruction)
            case ir.Alloc(dst=dst):
                return self._assign(node, dst, lambda paths, environment: NON_ZERO)
            case ir.AddressOf(dst=dst, base=base, field=field):
                is_inside = bool(base and field) and not self.scene.is_aggregate(base)
                flow = interior_flow(self, node, dst, base) if is_inside else self._assign(node, dst, lambda paths, environment: NON_ZERO)
                return address_flow(self, node, (dst,), (base, field) if field else (base,), flow) if base and self._is_reused(dst) else flow
            case ir.Catch(dst=dst):
                return self._assign(node, dst, lambda paths, environment: NON_ZERO)
            case ir.Load(dst=dst, base=base, field=field):
                return self._load(node, dst, (base, field) if base else (f"::{field}",))
            case ir.LoadElement(dst=dst, base=base, index=index):
                return self._load(node, dst, (base, "[]"), self.inductions.mark(index))
            case ir.Return(src=src):
                return self._return(node, src)
            case ir.Throw(src=src):
                return self._throw(node, src)
            case ir.ScopeEnd(variables=names):
                return self._scope_end(node, names)
            case ir.Havoc(variables=names):
                return self._havoc(node, names)
            case ir.Entry() | ir.Exit() | ir.Branch() | ir.Call() | ir.Store() | ir.StoreElement():
                return self._plain(node)

    def _is_reused(self, name: str) -> bool:
        """Whether a pointer of C gets an address, and something else as well."""
        return not self.scene.is_java and name not in self.scene.addresses and name not in self.scene.walkers

    def _plain(self, node: int) -> Flow | None:
        if node not in self.scene.dying and ir.EXIT not in self.scene.cfg.successors[node]:
            return None

        def flow(fact: Fact) -> After:
            after: After = []
            self.go(node, fact, fact[0], after)
            return after

        return flow

    def _assign(self, node: int, dst: str, value: Reader) -> Flow:
        table = self.table
        prefix = (dst,)

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            after: After = []
            if self.scene.cfg.raised[node]:
                self.throw(node, fact, after)
            known = self.set_value(environment, dst, value(paths, environment))
            self.go(node, (paths & ~table.starting_with(prefix), known, marks), paths, after)
            return after

        return flow

    def _copy(self, node: int, dst: str, src: str) -> Flow:
        if ir.is_literal(src):
            return self._assign(node, dst, self.reader(node, src))
        value = self.reader(node, src)
        table, source, target = self.table, (src,), (dst,)
        is_scoped, is_pointer = self.scene.is_scoped(dst), not self.scene.is_java and not self.scene.is_aggregate(dst)

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            moved = paths & table.starting_with(source)
            known = value(paths, environment)
            after: After = []
            left = paths & ~table.starting_with(target) if src != dst else paths
            if moved:
                renamed, is_cut = table.rename(moved, source, target)
                left |= renamed
                marks |= CUT * is_cut
                if is_scoped:
                    left, marks = 0, marks | RETAINED
            if is_pointer and is_parted(table, paths, left, (dst,)):
                left, marks = 0, marks | RETAINED
            self.go(node, (left, self.set_value(environment, dst, known), marks), paths, after)
            return after

        return flow

    def _op(self, node: int, op: ir.Op) -> Flow:
        number = self.environments.numbers.get((op.dst,))
        read = [self.reader(node, operand) for operand in op.operands]
        table, prefix = self.table, (op.dst,)
        shifted = numbered(self.scene, op)

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            after: After = []
            if self.scene.cfg.raised[node]:
                self.throw(node, fact, after)
            is_kept = bool(shifted) and is_in_number(self, op.operator, shifted, paths)
            left, marks = (0, marks | RETAINED) if is_kept else (paths & ~table.starting_with(prefix), marks)
            if number is None:
                self.go(node, (left, self.subjects.zeroed(node, self.forget(environment, op.dst)), marks), paths, after)
                return after
            values = [each(paths, environment) for each in read]
            for value, facts in results(self.scene, op, values):
                changed = environment
                for operand, fact_value in facts:
                    changed = self.refined(node, operand, changed, fact_value)
                self.go(node, (left, self.subjects.zeroed(node, self.set_value(changed, op.dst, value)), marks), paths, after)
            return after

        return flow

    def refined(self, node: int, operand: str, environment: Environment, value: Value) -> Environment:
        """The environment after a test of an operand."""
        if not operand or ir.is_literal(operand):
            return environment
        number = self.subjects.number(node, operand)
        known = guard.opposite(value) if (node, operand) in self.subjects.negated else value
        for same in self.subjects.equal.get((node, operand), ()):
            environment = self.environments.assign(environment, same, known)
        environment = flagged(self.environments, environment, self.subjects.flags.get((node, operand)), value)
        return environment if number is None else self.subjects.implied(environment, number, known)

    def is_watched(self, name: str) -> bool:
        """Whether it is kept in mind of a pointer of C that it is not null."""
        return not self.scene.is_java and (name,) in self.environments.numbers

    def looked_into(self, name: str, environment: Environment) -> Environment:
        """The environment after something behind a pointer has been read or written: it was not null."""
        number = self.environments.numbers[(name,)]
        known = guard.meet(self.environments.value(environment, number), NON_ZERO)
        return environment if known is None else self.environments.assign(environment, number, known)

    def _load(self, node: int, dst: str, place: AccessPath, past: int = 0) -> Flow:
        table, target = self.table, (dst,)
        sources = self.scene.spread(place, node)
        subject = self.environments.numbers.get(sources[0])
        known = self.scene.constant_at(place)
        is_pointer = not self.scene.is_java and not self.scene.is_aggregate(dst)
        is_watched = len(place) > 1 and place[1] != "[]" and place[0] != dst and self.is_watched(place[0])

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            after: After = []
            if self.scene.cfg.raised[node]:
                self.throw(node, fact, after)
            if is_watched:
                environment = self.looked_into(place[0], environment)
            left = paths & ~table.starting_with(target)
            for source in sources:
                moved = paths & table.starting_with(source)
                if moved and not marks & past:
                    renamed, is_cut = table.rename(moved, source, target)
                    left |= renamed
                    marks |= CUT * is_cut
                elif paths:
                    left |= table.itself(paths, source, target)
            if is_pointer and is_parted(table, paths, left, (dst,)):
                left, marks = 0, marks | RETAINED
            value = known if subject is None or known != TOP else self.environments.value(environment, subject)
            self.go(node, (left, self.set_value(environment, dst, value), marks), paths, after)
            return after

        return flow

    def _return(self, node: int, src: str) -> Flow:
        table = self.table
        value = self.reader(node, src)
        number = self._result_number
        is_variable = bool(src) and not ir.is_literal(src)
        akin = [(name,) for name in (*self.kinship.of(src), *around(self.scene, src))] if is_variable else []
        shared = self._shared.get(src, [])
        sources = [(src,), *shared] if is_variable else []
        self.notice(node, akin + shared)

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            if number is not None and src:
                environment = self.environments.assign(environment, number, value(paths, environment))
            moved = [each for each in sources if paths & table.starting_with(each)]
            for each in moved:
                renamed, is_cut = table.rename(paths & table.starting_with(each), each, RESULT)
                paths |= renamed
                marks |= CUT * is_cut
            if not moved and not self.is_entry and any(paths & table.starting_with(name) & ~table.exact(name) for name in akin):
                paths, marks = 0, marks | RETAINED
            after: After = []
            self.go(node, (paths, environment, marks), 0, after)
            return after

        return flow

    def _throw(self, node: int, src: str) -> Flow:
        table, source = self.table, (src,)

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            renamed, is_cut = table.rename(paths & table.starting_with(source), source, THROWN)
            after: After = []
            self.throw(node, (paths | renamed, environment, marks | CUT * is_cut), after)
            return after

        return flow

    def _scope_end(self, node: int, names: tuple[str, ...]) -> Flow:
        table = self.table
        scoped = [(name,) for name in names if name in self.scene.scoped]
        passing = [(name,) for name in names if self.kinship.is_passing(name)]

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            left = paths
            if scoped and any(paths & table.starting_with(name) for name in scoped):
                left, marks = 0, marks | RETAINED
            for name in names:
                left &= ~table.starting_with((name,))
                environment = self.forget(environment, name)
            if any(is_parted(table, paths, left, name) for name in passing):
                left, marks = 0, marks | RETAINED
            after: After = []
            self.go(node, (left, environment, marks), paths, after)
            return after

        return flow

    def _havoc(self, node: int, names: tuple[str, ...]) -> Flow:
        table = self.table

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            for name in names:
                if paths & table.starting_with((name,)):
                    paths, marks = 0, marks | RETAINED
                environment = self.forget(environment, name)
            after: After = []
            if self.scene.cfg.raised[node]:
                self.throw(node, (paths, environment, marks), after)
            self.go(node, (paths, environment, marks), 0, after)
            return after

        return flow
