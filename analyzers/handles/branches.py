"""The flow function of a branch: Tracker's isConsistent, section 2.2.

A handle that is held is not null, satisfies what its acquisition says of it, and is another thing than
what the caller passed. Guards decide the rest; a side that contradicts them is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.access_path import WRAPPED, Paths
from analyzers.domains.environment import Environment
from analyzers.domains.guard import TOP, Value
from analyzers.domains.obligation import DOUBTED, RETAINED, UNSURE, Fact
from analyzers.handles.asked import failed
from analyzers.handles.c.counts import left_empty
from analyzers.handles.c.evaluated import counted, is_just_before
from analyzers.handles.c.given_always import is_given_always
from analyzers.handles.c.known_texts import equality, is_other_copy
from analyzers.handles.c.repeated_questions import remembered, told_by
from analyzers.handles.c.told_if_wanted import sides_of
from analyzers.handles.c.zeroed import member_of_block
from analyzers.handles.flows import After, Flow, Flows, Reader
from analyzers.handles.induction import is_step
from analyzers.summaries import AccessPath

_Side = tuple[int, str, Value, Environment, int]
"""A side of a branch: where it leads to, how its operands are related there, what is known of the left one, all guards, the mark of a doubt."""

_CLEANING = frozenset(("ASAN", "CLEAN", "CLEANUP", "LEAK", "LEAKS", "LSAN", "VALGRIND"))
"""Words in names of constants that say whether to release what the end of the process releases anyway."""

_CHAIN = 12
"""Instructions of a chain of tests of one variable."""

_STEPS = 4
"""Instructions between a test of an out-parameter and the store through it."""


def branch_flow(flows: Flows, node: int, branch: ir.Branch) -> Flow | None:
    """The flow function of a branch; None where it can decide nothing."""
    operands = [operand for operand in (branch.left, branch.right) if operand and not ir.is_literal(operand)]
    is_open = operands and all(flows.subjects.number(node, operand) is None for operand in operands)
    flow = _BranchFlow(flows)
    is_open = is_open and not flow.left_to_the_end(branch)
    is_told = any((node, operand) in flows.subjects.equal or (node, operand) in flows.subjects.flags for operand in operands) or bool(failed(flows.scene, branch.left)) or any(member_of_block(flows.scene, operand) for operand in operands)
    if branch.operator != "instanceof" and is_open and not is_told and flows.is_quiet(node, *operands) and flow.unasked(node, branch) is None and equality(flows.scene, node, branch) is None and left_empty(flows.scene, flows.sites, node, branch) is None and remembered(flows.scene, branch) is None:
        return None
    return flow.build(node, branch)


STANDARD_STREAMS = 2
"""The greatest descriptor that a process is started with."""


def _is_no_handle(value: Value, is_number: bool) -> bool:
    """Whether a descriptor is one of the standard streams (`if (fd > 2) close(fd)` means to keep those), or a pointer a
    negative number (`(void *) -1`), or a number where no object is: that is a word for having none."""
    return value[0] >= 0 and value[1] <= STANDARD_STREAMS if is_number else value[0] == value[1] < 0 or value[0] > guard.ADDRESS[1]


def _reckoned(flows: Flows, node: int, operand: str, read: Reader) -> Reader:
    """What is known at a branch of an operand that a macro has just counted, beside what is known of it anyway."""
    scene = flows.scene
    found = list(scene.definitions.get(operand, ())) if ir.is_temporary(operand) and not scene.is_java else []
    site = flows.sites.sites.get(found[0]) if len(found) == 1 else None
    if site is None or (sum_ := counted(scene, found[0], site)) is None or not is_just_before(scene, found[0], node, site.call.args):
        return read
    arguments = [flows.reader(node, each) for each in site.call.args]

    def known(paths: Paths, environment: Environment) -> Value:
        value = read(paths, environment)
        return guard.meet(value, sum_.value(lambda position: arguments[position](paths, environment))) or value

    return known


class _BranchFlow:
    def __init__(self, flows: Flows) -> None:
        self.flows = flows
        self._reached: dict[int, frozenset[int]] = {}

    def build(self, node: int, branch: ir.Branch) -> Flow:
        """The function for one branch."""
        successors = self.flows.scene.linked.next[node]
        if len(successors) != 2 or branch.operator == "*":
            return self._both(node)
        if branch.operator == "instanceof":
            return self._instance_branch(node, branch)
        left_to_the_end = self.left_to_the_end(branch)
        if left_to_the_end:
            self.flows.notice(node, ((name,) for name in sorted(self.flows.scene.holders)))
        operator, right_operand = branch.operator, branch.right
        if operator == "true":
            operator, right_operand = "!=", "=0"
        if self._is_turned(branch.left, operator, right_operand):
            operator, right_operand = guard.MIRRORED[operator], branch.left
            branch = msgspec.structs.replace(branch, operator=operator, left=branch.right, right=right_operand)
        if operator in ("==", "!=") and right_operand in ("=null", "=0") and not self.flows.is_entry and is_given_always(self.flows.scene, branch.left):
            return self._only(node, successors[operator == "=="])
        left = _reckoned(self.flows, node, branch.left, self.flows.compared_with(node, branch.left, right_operand))
        right = self.flows.compared_with(node, right_operand, branch.left)
        unasked = self.unasked(node, branch)
        empty = left_empty(self.flows.scene, self.flows.sites, node, branch)
        self.flows.notice(node, empty[1] if empty is not None else ())
        text = equality(self.flows.scene, node, branch)
        self.flows.notice(node, ((text.name,),) if text is not None else ())
        table, variable = self.flows.table, (branch.left,)
        is_number = "*" not in self.flows.scene.type_of(branch.left) and not self.flows.scene.is_java
        is_equality = operator in ("==", "!=") and not ir.is_literal(right_operand) and not ir.is_literal(branch.left)
        is_named = not self.flows.scene.is_java and not self.flows.is_entry and self._is_named_constant(right_operand)
        others = self._others(successors[operator == "=="], branch.left) if is_named and is_number and operator in ("==", "!=") else frozenset()
        sides = ((successors[0], operator), (successors[1], guard.NEGATED[operator]))
        tested = [(operand,) for operand in (branch.left, right_operand) if operand and not ir.is_literal(operand)]
        blocks = [(block,) for (operand,) in tested if (block := member_of_block(self.flows.scene, operand))]
        self.flows.notice(node, blocks)
        tested += blocks
        status = failed(self.flows.scene, branch.left)
        is_told = not self.flows.scene.is_java and not self.flows.is_entry and not self._is_named_constant(branch.left)
        run_over = self._run_over(node, branch)
        flag = remembered(self.flows.scene, branch)
        flag_number = self.flows.environments.numbers.get((flag[0],)) if flag is not None else None
        decided: dict[Environment, tuple[list[_Side], int]] = {}

        def decide(paths: Paths, environment: Environment) -> Iterator[_Side]:
            """The sides that may be taken, with what is known there."""
            read, other = left(paths, environment), right(paths, environment)
            for successor, relation in sides:
                one = TOP if successor == run_over else read
                value = guard.refine(one, relation, other)
                if value is None or (relation == "==" and one in others):
                    continue
                mirrored = guard.refine(other, guard.MIRRORED[relation], one)
                if mirrored is not None and not self._is_no_failure(node, status, value, paths, environment):
                    refined = self.flows.refined(node, branch.left, environment, value)
                    refined = self.flows.refined(node, right_operand, refined, mirrored)
                    if flag is not None and flag_number is not None:
                        told = told_by(self.flows.environments.value(environment, flag_number), is_set=flag[1] == (relation == operator))
                        if told is None:
                            continue
                        refined = self.flows.environments.assign(refined, flag_number, told)
                    doubt = DOUBTED if is_told and guard.is_guess(one, relation, other) else 0
                    yield successor, relation, value, self.flows.environments.keep(refined, self.flows.subjects.live[successor]), doubt

        def decide_once(environment: Environment) -> list[_Side]:
            """The same for a handle that the test is not about."""
            environments = self.flows.environments
            found = decided.get(environment)
            if found is None:
                touched, environments.touched = environments.touched, 0
                taken = list(decide(0, environment))
                found = decided[environment] = (taken, environments.touched)
                environments.touched = touched
            environments.touched |= found[1]
            return found[0]

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            after: After = []
            is_meant = paths and any(paths & table.starting_with(each) for each in tested)
            sides = [(paths, each) for each in (decide(paths, environment) if is_meant else decide_once(environment))]
            if is_meant and marks & DOUBTED and not self.flows.scene.is_java and not is_number:
                besides = paths & ~table.starting_with((*variable, WRAPPED))
                # A callee that nobody knows, and whose result may hold it, has answered null: then that does not.
                if besides not in (0, paths) and not besides & table.starting_with(variable):
                    sides += [(besides, each) for each in decide(besides, environment) if each[2] == guard.ZERO]
            for paths, (successor, relation, value, refined, doubt) in sides:
                if paths and _is_no_handle(value, is_number) and paths & (table.exact(variable) if is_number else table.starting_with(variable)):
                    continue
                if relation == "==" and is_named and paths & (table.exact(variable) if is_number else table.starting_with(variable)):
                    continue  # What is open is no `INVALID_SOCKET`, and no pointer to what has it.
                held = paths
                if left_to_the_end and successor == successors[1] and paths:
                    self.flows.branch_to(node, successor, (0, refined, marks | doubt | RETAINED), after)
                    continue
                if unasked is not None and successor == unasked[0] and paths & table.starting_with(unasked[1]) and not self.flows.is_entry:
                    continue
                if empty is not None and successor == empty[0] and not self.flows.is_entry and any(paths & table.starting_with(each) for each in empty[1]):
                    continue
                is_asked = text is not None and not self.flows.is_entry and successor == text.side and paths & table.exact((text.name,))
                if is_asked and text is not None and is_other_copy(self.flows.scene, self.flows.obligation.node, text):
                    continue
                if is_equality and paths:
                    same = self._equal(node, paths, marks, branch.left, right_operand, relation)
                    if same is None:
                        continue
                    held = same
                self.flows.branch_to(node, successor, (held, refined, marks | doubt), after)
            return after

        return flow

    def _run_over(self, node: int, branch: ir.Branch) -> int:
        """Where a loop of C goes on that would never end, since its counter only moves away from what it is compared with
        (`for (n = 0; n >= 0; n++)`): the counter runs over. -1 where that is not so."""
        scene = self.flows.scene
        if scene.is_java or branch.operator not in (">=", ">") or not ir.is_literal(branch.right):
            return -1
        given = [scene.nodes[each] for each in scene.definitions.get(branch.left, ())]
        if not any(isinstance(each, ir.Op) and is_step(each) for each in given):
            return -1
        into, out = scene.cfg.normal[node]
        is_loop = node in scene.cfg.reachable_from(into) and node not in scene.cfg.reachable_from(out)
        is_begun = any(isinstance(each, ir.Copy) and guard.refine(guard.literal(each.src), branch.operator, guard.literal(branch.right)) for each in given)
        others = [each for each in given if not isinstance(each, ir.Copy) and not (isinstance(each, ir.Op) and is_step(each))]
        return out if is_loop and is_begun and not others else -1

    def _is_turned(self, left: str, operator: str, right: str) -> bool:
        """Whether a test of C names a constant first (`STDERR_FILENO < fd`)."""
        is_first = ir.is_literal(left) or self._is_named_constant(left)
        return is_first and not self.flows.scene.is_java and operator in guard.MIRRORED and not ir.is_literal(right) and not self._is_named_constant(right)

    def _is_no_failure(self, node: int, status: str, answer: Value, paths: Paths, environment: Environment) -> bool:
        """Whether what is called an error here is none by what is known of it."""
        if not status or guard.contains(answer, 0):
            return False
        return self.flows.reader(node, status)(paths, environment) == guard.ZERO

    def unasked(self, node: int, branch: ir.Branch) -> tuple[int, AccessPath] | None:
        """The side of a test on which the caller has asked for no handle (`if (out != NULL) *out = h;`), and its name, or that of what wraps it:
        that it is lost there, and not what it was made for, is for the caller to know."""
        scene = self.flows.scene
        formal = scene.loads.get(branch.left, (branch.left,))[0] if ir.is_temporary(branch.left) else branch.left
        sides = sides_of(scene, node, branch, formal)
        if sides is None:
            return None
        given, other = sides
        for _ in range(_STEPS):
            store = scene.nodes[given]
            if isinstance(store, ir.Store) and store.base == formal and store.field == "*":
                self.flows.notice(node, ((store.src,),))
                return other, (store.src,)
            if isinstance(store, ir.Branch | ir.Call) or len(scene.cfg.normal[given]) != 1:
                return None
            given = scene.cfg.normal[given][0]
        return None

    def _others(self, node: int, name: str) -> frozenset[Value]:
        """The numbers that a variable of C is compared with right where it is not what a name stands for: that is none of them
        (`if (status == REG_ESPACE) goto out; else if (status != 0) continue;`)."""
        scene, found = self.flows.scene, set[Value]()
        for _ in range(_CHAIN):
            match scene.nodes[node]:
                case ir.Branch(left=left, right=right, operator=operator) if left == name and operator in ("==", "!=", "true"):
                    if operator == "true" or (ir.is_literal(right) and guard.literal(right) != TOP):
                        found.add(guard.ZERO if operator == "true" else guard.literal(right))
                    if len(scene.linked.next[node]) != 2:
                        break
                    node = scene.linked.next[node][operator == "=="]
                case ir.Copy(dst=dst) | ir.Load(dst=dst) if ir.is_temporary(dst) and len(scene.cfg.normal[node]) == 1:
                    node = scene.cfg.normal[node][0]
                case _:
                    break
        return frozenset(found)

    def left_to_the_end(self, branch: ir.Branch) -> bool:
        """Whether a test asks how the program was configured to clean up: where it is not, the process does that when it ends."""
        scene = self.flows.scene
        if scene.is_java or branch.operator != "true":
            return False
        place = scene.loads.get(branch.left, ("",))
        is_constant = len(place) == 1 and place[0][:2] == "::" and place[0].isupper()
        return is_constant and not _CLEANING.isdisjoint(place[0][2:].split("_"))

    def _is_named_constant(self, operand: str) -> bool:
        if operand == "=-1":
            return True
        place = self.flows.scene.loads.get(operand, ("",))
        return len(place) == 1 and place[0][:2] == "::" and place[0].isupper()

    def _equal(self, node: int, paths: Paths, marks: int, left: str, right: str, relation: str) -> Paths | None:
        """The paths given that two variables are (not) equal; None where they cannot be."""
        table = self.flows.table
        has_left, has_right = paths & table.exact((left,)), paths & table.exact((right,))
        if not has_left and not has_right:
            is_own = relation == "==" and self.flows.scene.is_java and (
                (paths & table.starting_with((left,)) and self._is_foreign(node, right))
                or (paths & table.starting_with((right,)) and self._is_foreign(node, left))
            )
            return None if is_own else paths
        if has_left and has_right:
            return paths if relation == "==" else None
        other = right if has_left else left
        if relation == "!=":
            return paths
        if self._is_foreign(node, other) or (not marks & UNSURE and self._is_found(other)) or self._is_of_globals(paths, other):
            return None
        place = self.flows.scene.loads.get(other, ())
        if not self.flows.scene.is_java and len(place) == 1 and place[0][:2] == "::":
            paths |= table.single(place)  # What the caller passes is what a global has: a mark, or the one that is kept.
        return paths | table.single((other,))

    def _is_foreign(self, node: int, name: str) -> bool:
        """Whether a variable cannot be another name of a handle that this procedure acquired."""
        if name in self.flows.scene.addresses or "[" in self.flows.scene.type_of(name):
            return True
        if self.flows.is_entry:
            return False
        scene = self.flows.scene
        nodes = [scene.nodes[each] for each in scene.definitions.get(name, ())]
        if nodes and all(isinstance(each, ir.Load) and not each.base for each in nodes):
            return True
        if not scene.is_java and nodes and name not in scene.formals and not self._may_follow(node, name):
            return True
        return name in scene.formals and name not in scene.assigned_formals

    def _is_found(self, name: str) -> bool:
        """Whether a variable of C holds what lies in a member, or an element, of something that was there before the handle."""
        scene = self.flows.scene
        if scene.is_java or self.flows.is_entry:
            return False
        nodes = [scene.nodes[node] for node in scene.definitions.get(name, ())]
        return bool(nodes) and name not in scene.formals and all(
            ((isinstance(node, ir.Load) and node.base and self._is_there(node)) or isinstance(node, ir.LoadElement))
            and (scene.outlives(node.base) or ("*" in scene.type_of(node.base) and not scene.is_fresh(node.base)))
            for node in nodes
        )

    def _is_of_globals(self, paths: Paths, name: str) -> bool:
        """Whether a variable of C holds what a call makes of globals alone that do not have the handle: a macro that nobody declares, or
        whose answer is what it is asked of (`IN_USE(standard_name)`), and a call that is given nothing (`UI_OpenSSL()`)."""
        scene = self.flows.scene
        nodes = [*scene.definitions.get(name, ())]
        call = scene.nodes[nodes[0]] if len(nodes) == 1 else None
        if scene.is_java or self.flows.is_entry or not isinstance(call, ir.Call):
            return False
        if not call.args:
            return not call.receiver and not any(place[0][:2] == "::" or scene.outlives(place[0]) for place in self.flows.table.list(paths))
        site = self.flows.sites.sites.get(nodes[0])
        places: list[AccessPath] = [scene.loads.get(each, ("",)) for each in call.args]
        is_macro = call.name.isupper() if site is None or site.effects is None else bool(site.aliases) and {(each,) for each in call.args}.issuperset(site.aliases)
        return is_macro and all(len(each) == 1 and each[0][:2] == "::" and not paths & self.flows.table.starting_with(each) for each in places)

    def _is_there(self, load: ir.Load) -> bool:
        """Whether what a load reads is a member, or what a formal points to (`if (*into != made)`)."""
        scene = self.flows.scene
        return load.field != "*" or (load.base in scene.formals and load.base not in scene.assigned_formals)

    def _may_follow(self, node: int, name: str) -> bool:
        """Whether what a local of C has at a test may be a value that it gets after the handle has been acquired."""
        scene, acquired = self.flows.scene, self.flows.obligation.node
        if name in scene.variables and scene.variables[name].is_address_taken:
            return True
        after = self._reachable(acquired)
        return any(each in after and node in self._reachable(each) for each in scene.definitions[name])

    def _reachable(self, node: int) -> frozenset[int]:
        if node not in self._reached:
            self._reached[node] = self.flows.scene.cfg.reachable_from(node)
        return self._reached[node]

    def _only(self, node: int, successor: int) -> Flow:
        def flow(fact: Fact) -> After:
            after: After = []
            self.flows.branch_to(node, successor, fact, after)
            return after

        return flow

    def _both(self, node: int) -> Flow:
        def flow(fact: Fact) -> After:
            after: After = []
            for successor in self.flows.scene.cfg.normal[node]:
                self.flows.branch_to(node, successor, fact, after)
            return after

        return flow

    def _instance_branch(self, node: int, branch: ir.Branch) -> Flow:
        successors = self.flows.scene.linked.next[node]
        wanted = branch.right[1:]
        subject = self.flows.environments.numbers.get((branch.left, f"?{branch.right}"))
        table, variable = self.flows.table, (branch.left,)

        def flow(fact: Fact) -> After:
            paths, environment, marks = fact
            after: After = []
            known = self.flows.environments.value(environment, subject) if subject is not None else TOP
            is_instance = None
            if paths & table.exact(variable):
                is_instance = self._is_instance(wanted)
            for successor, value, answer in ((successors[0], guard.ONE, True), (successors[1], guard.ZERO, False)):
                if guard.meet(known, value) is None or is_instance is (not answer):
                    continue
                refined = environment
                if subject is not None:
                    refined = self.flows.environments.assign(environment, subject, value)
                refined = self.flows.environments.keep(refined, self.flows.subjects.live[successor])
                self.flows.branch_to(node, successor, (paths, refined, marks), after)
            return after

        return flow

    def _is_instance(self, written: str) -> bool | None:
        """Whether the tracked resource is of a type as written; None where that is open."""
        if not self.flows.obligation.type or self.flows.is_entry:
            return None
        scene = self.flows.scene
        wanted = scene.queries.resolve_type(scene.linked.key.path, scene.body.owner, written) or written
        return scene.queries.is_subtype(self.flows.obligation.type, wanted)
