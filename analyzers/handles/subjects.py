"""Which scalars of a procedure are worth tracking: those that can make two branches agree.

A subject is tested at least twice, or tested once and assigned a constant or the result of a call that says
something by it. Between tests of one field no store and no call may lie that can change it. Guards of a
subject that nobody tests any more are dropped, so that facts meet again.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.access_path import WRAPPED
from analyzers.domains.environment import Environment, Environments
from analyzers.domains.guard import Value
from analyzers.graphs.liveness import solve_bits
from analyzers.graphs.operands import assigned
from analyzers.handles.asked import TEXTS, Question, failed, is_repeatable, question
from analyzers.handles.c import error_slots
from analyzers.handles.c.bits import MASK, changes, counted_together, gathering, groups, implied, is_telling
from analyzers.handles.c.companions import left_along
from analyzers.handles.c.copied_arguments import copied_argument
from analyzers.handles.c.error_number import is_constant, set_by
from analyzers.handles.c.evaluated import counted
from analyzers.handles.c.originals import copies_at_tests, flags_of_arguments, tests_of_arguments
from analyzers.handles.c.repeated_questions import flag_of
from analyzers.handles.c.texts import compared_together, differing, excluded, of_kept_texts
from analyzers.handles.c.zeroed import zeroed_structs
from analyzers.handles.callees import ANY_GLOBAL, CallSites
from analyzers.handles.elements import is_left_behind
from analyzers.handles.java.given_fields import given_fields, tested_fields
from analyzers.handles.reads import read
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.settings import settings
from analyzers.handles.sites import CallSite, asserted, deciding
from analyzers.summaries import BELOW, AccessPath

MAX_TOLD = 2
"""Numbers that a procedure tells through pointers; of one that tells more none is followed."""

MAX_EXPORTED = 3
"""Formals whose tests are kept to the exit, so that outcomes can be told apart by what was passed."""

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))


def _told_of(site: CallSite) -> set[str]:
    """The formals of which the result of a call says something."""
    cases = site.effects.cases if site.effects is not None and site.call.dst else ()
    return {each.path[0] for case in cases for each in case if each.path != RESULT}


class Subjects:
    """The tracked subjects of a procedure.

    environments   the table of their environments
    tested         per node and operand the subject that it stands for there
    negated        those of them that are true where the subject is not
    rooted         per variable the set of subjects that its assignment makes unknown
    fixed          what is known of the subjects that never change
    is_summary     whether the results of calls are judged by the callers, too
    live           per node the subjects that are still of interest when it begins
    bits           per assignment what becomes of the subjects that are some bits of a place
    masks          per subject that is some bits of a place those of the same place
    texts          per subject that compares a text with a constant those that are not equal where it is
    of_object      the final fields of its object that a method of Java tests, and on which it may depend what it fills others with
    equal          per node and tested variable the further subjects that hold the same there: what the caller passed, copies
    flags          per test of a flag the argument of which it says whether that is null, and per test of an argument such a flag
    unset          those that are zero on entry by convention, as a procedure tells errors there
    """

    def __init__(self, scene: Scene, sites: CallSites, *, is_summary: bool) -> None:
        self._scene = scene
        self._sites = sites
        self.is_summary = is_summary
        self.tested: dict[tuple[int, str], AccessPath] = {}
        self.negated: set[tuple[int, str]] = set()
        self._questions: dict[AccessPath, Question] = {}
        self._given_fields = given_fields(scene)
        self._structs = {} if scene.is_java else zeroed_structs(scene)
        self.of_object: list[AccessPath] = []
        tests, constants = self._count()
        bits = {} if scene.is_java else changes(scene, [each for each in tests if each[-1][:1] == MASK], self._constant)
        constants.update(subject for told in bits.values() for subject, change in told if is_telling(change))
        texts = {} if scene.is_java else of_kept_texts(scene, self._questions)
        together = {} if scene.is_java else {**counted_together(tests), **compared_together(tests, texts)}
        chosen = sorted(
            subject for subject, count in tests.items() if together.get(subject, count) + (subject in constants) + (subject[0] in constants) > 1
        )
        exported = self._exported(tests) if is_summary else []
        given = self._given(MAX_EXPORTED - len(exported)) if is_summary and not scene.is_java else {}
        exported += sorted(set(given.values()))
        self.told = self._told(tests) if is_summary else ()
        chosen = sorted({*filter(self._is_one_place, chosen), *exported, *self.told, *([RESULT] if is_summary else [])})
        self.environments = Environments(chosen)
        numbers = self.environments.numbers
        self.masks = {} if scene.is_java else groups(numbers)
        self.texts = {} if scene.is_java else excluded(numbers, texts)
        self.bits = {node: [(numbers[subject], change) for subject, change in told if subject in numbers] for node, told in bits.items()}
        self.equal = {test: (numbers[subject],) for test, subject in given.items()}
        self.flags = {} if scene.is_java else self._flags()
        for test, names in ({} if scene.is_java else self._copies()).items():
            self.equal[test] = (*self.equal.get(test, ()), *(numbers[name,] for name in names if (name,) in numbers))
        self.rooted: dict[str, int] = {}
        self.fields: dict[str, int] = {}
        self.shared = 0
        self.fixed: dict[int, Value] = {}
        for subject, number in numbers.items():
            if literal := scene.constant(subject):
                self.fixed[number] = guard.literal(literal)
                continue
            if self._is_macro(subject):
                continue
            place = subject[:-1] if subject[-1][:1] == MASK else subject
            for root in (place[0], *scene.index_of(place)):
                self.rooted[root] = self.rooted.get(root, 0) | 1 << number
            for field in place[-1:] if len(place) == 2 else [each for each in place[1:] if each != "*" or each == place[-1]]:
                self.fields[field] = self.fields.get(field, 0) | 1 << number
            if len(place) > 1 or place[0][:2] == "::":
                self.shared |= 1 << number
            if subject in self._questions:
                self._root(self._questions[subject], 1 << number)
        self._exported_bits = sum(1 << numbers[subject] for subject in (*exported, *self.told)) | (1 << numbers[RESULT] if is_summary else 0)
        self.live = self._solve_liveness()
        self._zeroed = {} if scene.is_java else self._find_zeroed()
        self.unset = self._find_unset()

    def zeroed(self, node: int, environment: Environment) -> Environment:
        """The environment after a struct of C has been made, or filled, with zeros."""
        for number in self._zeroed.get(node, ()):
            environment = self.environments.assign(environment, number, guard.ZERO)
        return environment

    def _find_zeroed(self) -> dict[int, list[int]]:
        """Per node that fills a struct with zeros the members that are subjects."""
        members = [(subject, number) for subject, number in self.environments.numbers.items() if len(subject) > 1 and "[]" not in subject]
        found = {node: [number for subject, number in members if subject[0] == name] for node, name in self._structs.items()} if members else {}
        return {node: numbers for node, numbers in found.items() if numbers}

    @functools.cached_property
    def _blocks(self) -> int:
        """The subjects in blocks that an allocator has zeroed: whoever nobody knows may have them by way of somebody else."""
        names = {name for node, name in self._structs.items() if not self._scene.is_aggregate(name)}
        return sum(1 << number for subject, number in self.environments.numbers.items() if subject[0] in names and len(subject) > 1)

    def _is_macro(self, subject: AccessPath) -> bool:
        """Whether a name of C is that of a constant, of which nothing else is known: nobody changes it."""
        name = subject[0][2:] if len(subject) == 1 and subject[0][:2] == "::" and not self._scene.is_java else ""
        return name.isupper() and not self._scene.queries.variable_type(self._scene.linked.key.path, name)

    def _is_turning(self, node: int) -> bool:
        """Whether a loop comes back to a node."""
        cfg = self._scene.cfg
        return cfg.is_cyclic and any(node in cfg.reachable_from(successor) for successor in cfg.normal[node])

    def _is_one_place(self, subject: AccessPath) -> bool:
        """Whether a subject is the same place wherever it is named: elements under two indices are not."""
        names = self._scene.index_of(subject)
        return len(names) <= 1 and "=?" not in names

    def _root(self, question: Question, bit: int) -> None:
        """What a question is about changes its answer."""
        for root in question.roots:
            self.rooted[root] = self.rooted.get(root, 0) | bit
        for field in question.fields:
            self.fields[field] = self.fields.get(field, 0) | bit

    def number(self, node: int, operand: str) -> int | None:
        """The number of the subject that an operand stands for at a node; None where it is not tracked."""
        return self.environments.numbers.get(self.tested.get((node, operand), (operand,)))

    def implied(self, environment: Environment, number: int, known: Value) -> Environment:
        """The environment after a test of a subject, with what that says of others."""
        environment = implied(self.environments, environment, (number, known), self.masks)
        return differing(self.environments, environment, (number, known), self.texts) if number in self.texts else environment

    def changed_by(self, site: CallSite, node: int) -> int:
        """The subjects other than variables that a callee may assign."""
        if not self.shared:
            return 0
        if site.is_library:
            return (self._asked_about(site, node) if self._questions else 0) | set_by(site.call.name, site.effects, self.environments.numbers)
        if site.effects is None:
            if is_repeatable(self._scene, node, site):
                return 0
            passed: list[AccessPath] = [
                (operand,) for operand in (site.call.receiver, *site.call.args) if operand and not self._is_promised(operand)
            ]
            changed = self._globals() & ~self._own_statics | self._below(passed, node)
            return self._blocks | (changed & ~self._settings if changed else 0)
        changed = 0
        for path in site.effects.writes:
            if path == ANY_GLOBAL:
                changed |= self._globals() & ~self._settings
            elif path[-1] == BELOW:
                actual = path[0] if path[0][:2] == "::" else site.actuals.get(path[0], "")
                below = self._below([(actual, *path[1:-1])], node) if actual and not self._is_promised(actual) else 0
                changed |= below & ~self._settings if below else 0
            elif len(path) > 1:
                changed |= self._field(path, site)
            else:
                changed |= self.rooted.get(path[0], 0)
        return changed

    @functools.cached_property
    def _settings(self) -> int:
        """The subjects that a callee is not thought to change of which it is not known what it changes."""
        strangers = [
            node for node, site in self._sites.sites.items() if not site.is_library
            and (site.effects is None or any(path == ANY_GLOBAL or path[-1] == BELOW for path in site.effects.writes))
        ]
        numbers = self.environments.numbers
        kept = settings(self._scene, [each for each in numbers if each not in self._questions], self.tested, strangers)
        return sum(1 << numbers[subject] for subject in kept)

    def _asked_about(self, site: CallSite, node: int) -> int:
        """The questions about what a library call writes to: a buffer that is filled anew."""
        roots: set[str] = set()
        for path in site.effects.writes if site.effects is not None else ():
            if (actual := site.actuals.get(path[0], "")) and not self._is_promised(actual):
                roots.update(name[0] for name in self._scene.spread((actual, *path[1:]), node))
        changed = 0
        for subject, asked in self._questions.items():
            if subject in self.environments.numbers and not roots.isdisjoint(asked.roots):
                changed |= 1 << self.environments.numbers[subject]
        return changed

    def _is_promised(self, operand: str) -> bool:
        """Whether an operand of C is a text that nobody is to change who gets it."""
        return not self._scene.is_java and "".join(self._scene.type_of(operand).split()) in TEXTS

    def _globals(self) -> int:
        return sum(bits for root, bits in self.rooted.items() if root[:2] == "::")

    def _field(self, path: AccessPath, site: CallSite) -> int:
        """The subjects that a store of the callee may change: one variable where it stores through the address of that."""
        actual = site.actuals.get(path[0], "")
        if actual in self._scene.addresses:
            place = self._scene.normalise((actual, *path[1:]))
            if len(place) == 1:
                return self.rooted.get(place[0], 0)
        return self.fields.get(path[-1], 0) & ~self.texts_of_callers

    @functools.cached_property
    def texts_of_callers(self) -> int:
        """The first characters of texts that a procedure of C promises not to change: a callee that stores through another pointer is
        not believed to."""
        scene = self._scene
        return 0 if scene.is_java else sum(
            1 << number for subject, number in self.environments.numbers.items()
            if subject[1:] == ("*",) and subject[0] in scene.formals and subject[0] not in scene.assigned_formals
            and scene.type_of(subject[0]).replace(" ", "") in TEXTS
        )

    @functools.cached_property
    def _own_statics(self) -> int:
        """The subjects in variables of C that no other file can name: code that is not there leaves them alone."""
        unit = None if self._scene.is_java else self._scene.queries.unit(self._scene.linked.key.path)
        own = {each.name for each in unit.globals if "static" in each.attributes} if unit is not None else set()
        return sum(bits for root, bits in self.rooted.items() if root[:2] == "::" and not own.isdisjoint(ir.beginnings(root[2:])))

    def at_address(self, place: AccessPath, node: int) -> int:
        """The subjects that may change behind the address of a place: of that of a member (`localtime(&entry->time)`), that member."""
        if len(place) == 1 or self._scene.is_java or place[1] in ("*", "[]", WRAPPED):
            return self.rooted.get(place[0], 0)
        names = self._scene.spread(place, node)
        asked = {subject for subject, question in self._questions.items() if place[0] in question.roots}
        return sum(
            1 << number for subject, number in self.environments.numbers.items()
            if subject in asked or any(subject[: len(name)] == name for name in names)
        )

    def _below(self, prefixes: list[AccessPath], node: int) -> int:
        """The subjects below some paths."""
        changed = 0
        for prefix in prefixes:
            for name in self._scene.spread(prefix, node):
                changed |= self._asked_of.get(name[0], 0)
                for subject, bit in self._by_root.get(name[0], ()):
                    if len(subject) > len(name) and subject[: len(name)] == name:
                        changed |= bit
        return changed

    @functools.cached_property
    def _by_root(self) -> dict[str, list[tuple[AccessPath, int]]]:
        """The subjects with their bits, by the variable that they begin with."""
        found: dict[str, list[tuple[AccessPath, int]]] = {}
        for subject, number in self.environments.numbers.items():
            found.setdefault(subject[0], []).append((subject, 1 << number))
        return found

    @functools.cached_property
    def _asked_of(self) -> dict[str, int]:
        """The questions by what they are about."""
        found: dict[str, int] = {}
        for subject, asked in self._questions.items():
            for root in asked.roots if subject in self.environments.numbers else ():
                found[root] = found.get(root, 0) | 1 << self.environments.numbers[subject]
        return found

    # --- counting

    def _count(self) -> tuple[Counter[AccessPath], set[AccessPath | str]]:
        tests: Counter[AccessPath] = Counter()
        constants: set[AccessPath | str] = set()
        nodes = self._scene.nodes
        flags = {
            node.left for index in self._scene.cfg.order if isinstance(node := nodes[index], ir.Branch)
        }
        if self.is_summary:
            flags |= {node.src for index in self._scene.cfg.order if isinstance(node := nodes[index], ir.Return)}
        flags |= {site.actuals.get(root, "") for site in self._sites.sites.values() for root in _told_of(site)}
        gathered = gathering(self._scene, flags)
        flags |= {each for op in gathered for each in op.operands}
        for index in self._scene.cfg.order:
            match nodes[index]:
                case ir.Branch(operator="instanceof", left=left, right=right):
                    tests[left, f"?{right}"] += 1
                    tests[(left,)] += 1
                case ir.Branch(left=left, right=right):
                    for operand in (left, right):
                        if subject := self._subject(index, operand):
                            tests[subject] += 1 + (self._is_macro(subject) and self._is_turning(index))
                    tests.update((each,) for each in (failed(self._scene, left), flag_of(self._scene, nodes[index])) if each)
                case ir.Op(dst=dst, operator=operator, operands=operands) as op if dst in flags and (
                    operator in _COMPARISONS or operator == "!" or op in gathered
                ):
                    constants.add((dst,))
                    for operand in operands:
                        if subject := self._subject(index, operand):
                            tests[subject] += 1
                case ir.Copy(dst=dst, src=src) | ir.Op(dst=dst, operator="-", operands=(src,)) if is_constant(src, self._scene.loads):
                    constants.add((dst,))
                case ir.Copy(dst=dst, src=src) if src:
                    tests[(src,)] += 1
                    constants.add((dst,))
                case ir.Load(dst=dst, base=base, field=field):
                    place = self._scene.normalise((base, field) if base else (f"::{field}",))
                    if self._scene.constant(place):
                        constants.add(place)
                    elif not base and not self._scene.is_java and self._scene.constant_at(place) != guard.TOP:
                        constants.add((dst,))  # `status = EX_USAGE`, `status = errno`
                case ir.Store(base=base, field=field, src=src) if ir.is_literal(src) and src != "=?":
                    constants.add(self._scene.loaded_from(self._scene.normalise((base, field) if base else (f"::{field}",))))
                case ir.Store(base=base, field=field, src=src) if src and not self._scene.is_java and not ir.is_literal(src):
                    tests[(src,)] += 1
                    constants.add(self._scene.loaded_from(self._scene.normalise((base, field) if base else (f"::{field}",))))
                case ir.Return(src=src) if self.is_summary and src and not ir.is_literal(src):
                    tests[(src,)] += 1
                case ir.Call(dst=dst):
                    self._count_call(index, dst, tests, constants)
        structs = set(self._structs.values())
        constants.update(subject for subject in tests if len(subject) > 1 and subject[0] in structs)
        for place, names in self._counted():
            if tests[place]:
                constants.add(place)
                tests.update({(name,): 2 for name in names})
        return tests, constants

    def _counted(self) -> Iterator[tuple[AccessPath, tuple[str, str]]]:
        """The members and globals of C that are counted (`list->length++`) or grow (`room *= 2`), each with the names of what is on the way."""
        scene = self._scene
        for index in () if scene.is_java else scene.cfg.order:
            store = scene.nodes[index]
            if not isinstance(store, ir.Store) or not ir.is_temporary(store.src):
                continue
            at = scene.definitions.get(store.src, ())
            op = scene.nodes[at[0]] if len(at) == 1 else None
            if not isinstance(op, ir.Op) or op.operator not in ("+", "-", "*", "<<") or len(op.operands) != 2 or not ir.is_literal(op.operands[1]):
                continue
            place = scene.normalise((store.base, store.field) if store.base else (f"::{store.field}",))
            if ir.is_temporary(op.operands[0]) and scene.normalise(scene.loads.get(op.operands[0], ("",))) == place:
                yield place, (op.operands[0], store.src)

    def _count_call(
        self, node: int, dst: str, tests: Counter[AccessPath], constants: set[AccessPath | str]
    ) -> None:
        site = self._sites.sites[node]
        outcomes = [outcome for move in site.moves for outcome in move.outcomes]
        outcomes += [outcome for transfer in site.acquired for outcome in transfer.outcomes]
        conditions = [condition for outcome in outcomes for condition in outcome.when]
        cases = (*site.effects.cases, *site.effects.leaves) if site.effects is not None else ()
        conditions += [condition for case in cases for condition in case]
        is_inner = site.effects is not None and bool(site.effects.inner)
        if dst and (is_inner or site.result or any(condition.path == RESULT for condition in conditions)):
            constants.add((dst,))
        if counted(self._scene, node, site) is not None:
            tests.update({(each,): 1 for each in site.call.args if not ir.is_literal(each)})
        constants.update(self._left_by(site))
        for root in sorted({condition.path[0] for condition in conditions if condition.path != RESULT}):
            actual = site.actuals.get(root, "")
            if actual and not ir.is_literal(actual):
                tests[self._scene.addresses.get(actual, (actual,))] += 1

    def _subject(self, node: int, operand: str) -> AccessPath | None:
        """What a tested operand stands for: a field that it has just been loaded from, bits, or the answer to a question."""
        if not operand or ir.is_literal(operand):
            return None
        path = self._loaded(node, operand) or self._masked(node, operand) or self._answer(node, operand) or copied_argument(self._scene, operand)
        if path is None:
            return (operand,)
        given = self._given_fields.get(path[1], "=") if len(path) == 2 and path[0] == "this" else "="
        self.tested[node, operand] = path = path if ir.is_literal(given) else (given,)
        return path

    def _loaded(self, node: int, operand: str) -> AccessPath | None:
        """The field or global that a temporary has just been loaded from."""
        path = self._scene.loads.get(operand)
        if path is None or not ir.is_temporary(operand):
            return None
        path = self._scene.loaded_from(path)
        is_place = len(path) > 1 or path[0][:2] == "::"
        return path if is_place and not is_left_behind(self._scene, operand) and self._is_unchanged(node, self._scene.definitions[operand][0]) else None

    def _answer(self, node: int, operand: str) -> AccessPath | None:
        """The question of which a tested operand is the answer, where it has just been asked."""
        nodes = self._scene.definitions.get(operand, ())
        if len(nodes) != 1 or not ir.is_temporary(operand) or nodes[0] not in self._sites.sites:
            return None
        site = self._sites.sites[nodes[0]]
        is_told = any(each.path == RESULT for move in site.moves for outcome in move.outcomes for each in outcome.when)
        if is_told or not self._is_unchanged(node, nodes[0]):
            return None
        asked = question(self._scene, nodes[0], site)
        if asked is None:
            return None
        self._questions[asked.subject] = asked
        return asked.subject

    def _masked(self, node: int, operand: str) -> AccessPath | None:
        """Some bits of a variable or a field (`flags & IS_OPEN`), just taken out."""
        at = self._scene.definitions.get(operand, [])
        op = self._scene.nodes[at[0]] if len(at) == 1 and ir.is_temporary(operand) else None
        if not isinstance(op, ir.Op) or op.operator != MASK or len(op.operands) != 2 or self._scene.is_java:
            return None
        for flags, mask in (op.operands, op.operands[::-1]):
            bits = self._constant(mask)
            if not bits or ir.is_literal(flags):
                continue
            whole = self._complemented(flags) if bits.isupper() else ""
            flags = whole or flags
            path = self._loaded(node, flags) if ir.is_temporary(flags) else (flags,)
            if path is not None and self._is_unchanged(node, at[0]):
                if whole:
                    self.negated.add((node, operand))
                masked: AccessPath = (*path, MASK + bits)
                return masked
        return None

    def _complemented(self, operand: str) -> str:
        """What an operand is the complement of (`~flags & HAS_NAME` asks whether the bit that a name stands for is not set)."""
        at = self._scene.definitions.get(operand, [])
        op = self._scene.nodes[at[0]] if len(at) == 1 and ir.is_temporary(operand) else None
        return op.operands[0] if isinstance(op, ir.Op) and op.operator == "~" and len(op.operands) == 1 else ""

    def _constant(self, operand: str) -> str:
        """How a mask is written; empty where it is no constant."""
        if ir.is_literal(operand):
            return operand if operand != "=?" else ""
        name = self._scene.loads.get(operand, ("", ""))
        if name[0][:2] == "::" and len(name) == 1:
            return name[0] if name[0].isupper() else ""
        at = self._scene.definitions.get(operand, [])
        op = self._scene.nodes[at[0]] if len(at) == 1 and ir.is_temporary(operand) else None
        if not isinstance(op, ir.Op) or op.operator not in ("|", "<<"):
            return ""
        parts = [self._constant(each) for each in op.operands]
        return op.operator.join(parts) if all(parts) else ""

    def _is_unchanged(self, node: int, load: int) -> bool:
        """Whether only harmless instructions lie between a load or a call and the test right after it."""
        predecessors = self._scene.cfg.predecessors
        while node != load:
            if len(predecessors[node]) != 1:
                return False
            node = predecessors[node][0]
            if node != load and isinstance(self._scene.nodes[node], ir.Store | ir.StoreElement | ir.Call | ir.Havoc):
                return False
        return True

    def _exported(self, tests: Counter[AccessPath]) -> list[AccessPath]:
        names = [name for name in self._scene.formals if name not in self._scene.assigned_formals]
        sure = set() if self._scene.is_java else asserted(self._sites.sites.values())
        formals: list[AccessPath] = [(name,) for name in names if (name,) in tests]
        if len(formals) > MAX_EXPORTED:
            told = deciding(self._sites.sites.values()) | sure
            formals = [(name,) for name in names if name in told and ((name,) in tests or name in sure)]
        else:
            formals += [(name,) for name in names if name in sure and (name,) not in tests][: MAX_EXPORTED - len(formals)]
        if len(formals) > MAX_EXPORTED:
            return []
        self.of_object = tested_fields(self._scene, tests)[: MAX_EXPORTED - len(formals)] if self._scene.is_java else []
        return [*formals, *self.of_object]

    def _copies(self) -> dict[tuple[int, str], tuple[str, ...]]:
        """The tests of variables of which a copy is kept that is a subject (`given = fd; if (fd < 0) fd = open(path);`)."""
        own = {each.name for each in self._scene.variables.values() if not each.is_address_taken and (each.name,) in self.environments.numbers}
        return copies_at_tests(self._scene.nodes, self._scene.cfg, own)

    def _flags(self) -> dict[tuple[int, str], tuple[int, bool]]:
        """The tests of flags that say whether the caller passed null, each with its argument, and of formals of which such a flag tells, with that."""
        scene, numbers = self._scene, self.environments.numbers
        found = flags_of_arguments(scene.nodes, scene.cfg, scene.originals, (scene.formals, scene.assigned_formals), scene.variables)
        subjects = {name: scene.exported((name,)) if name in scene.assigned_formals else (name,) for name, _ in found.values()}
        return {test: (numbers[subjects[name]], is_null) for test, (name, is_null) in found.items() if subjects[name] in numbers}

    def _given(self, room: int) -> dict[tuple[int, str], AccessPath]:
        """The tests of formals that still are what the caller passed, and are assigned later, with what was passed, as Effects name it."""
        told = tests_of_arguments(self._scene.nodes, self._scene.cfg, self._scene.originals, self._scene.assigned_formals)
        found = {test: self._scene.exported((formal,)) for test, formal in told.items()}
        return found if len(set(found.values())) <= room else {}

    def _told(self, tests: Counter[AccessPath]) -> tuple[AccessPath, ...]:
        """What a procedure of C tells its caller through a pointer: `*error = 0`, what it tests there, or what a callee told it (`*error = err`)."""
        scene = self._scene
        if scene.is_java:
            return ()
        stores = [node for node in (scene.nodes[index] for index in scene.cfg.order) if isinstance(node, ir.Store) and node.field == "*"]
        told: set[AccessPath] = {(s.base, "*") for s in stores if any(each != "=?" for each in self._literals(s.src))}
        left = {place for site in self._sites.sites.values() for place in self._left_by(site)}
        told.update((s.base, "*") for s in stores if (s.base, "*") in tests or (s.src,) in left)
        told.update(place for place in left if place[1:] == ("*",))
        own = sorted(place for place in told if place[0] in scene.formals and place[0] not in scene.assigned_formals)
        own += sorted(self._answered())
        return tuple(own) if len(own) <= MAX_TOLD else ()

    def _answered(self) -> set[AccessPath]:
        """The members by which a struct that a procedure of C returns tells of the others: `result.ok = true`."""
        scene = self._scene
        if "*" in scene.body.result or not scene.c_types.is_aggregate(scene.body.result):
            return set()
        returned = {node.src for node in scene.nodes if isinstance(node, ir.Return) and scene.is_aggregate(node.src)}
        stores = [node for node in scene.nodes if isinstance(node, ir.Store) and node.base in returned and ir.is_literal(node.src)]
        return {(store.base, store.field) for store in stores if store.src not in ("=?", "=null") and store.src[1:2] != '"'}

    def _literals(self, operand: str) -> list[str]:
        """The literals that an operand is, or that a variable is assigned."""
        if ir.is_literal(operand):
            return [operand]
        nodes = [self._scene.nodes[node] for node in self._scene.definitions.get(operand, ())]
        named = self._scene.constant(self._scene.loads.get(operand, ("",))) if len(nodes) == 1 else ""
        return [named] if named else [node.src for node in nodes if isinstance(node, ir.Copy) and ir.is_literal(node.src)]

    def _find_unset(self) -> list[int]:
        """The places behind formals of C that a procedure tells errors by: all that it stores there, by what is known, is not zero. Who
        calls it has put zero there, or else could not tell."""
        found = []
        for place in self.told:
            stores = [node for node in self._scene.nodes if isinstance(node, ir.Store) and (node.base, node.field) == place]
            known = [guard.literal(each) for store in stores for each in self._literals(store.src) if each != "=?"]
            if known and place[0] in self._scene.formals and not any(guard.contains(each, 0) for each in known):
                found.append(self.environments.numbers[place])
        return found

    def successes(self, place: AccessPath) -> list[tuple[str, int]]:
        """What is believed of unknown numbers that a procedure of C stores where `place` points to, as comparisons: where it stores
        negative constants, too, they are what it says instead of a size or a count when there is none, and no other number is negative."""
        nodes = self._scene.nodes
        stores = [node for node in nodes if isinstance(node, ir.Store) and (node.base, node.field) == place]
        known = [guard.literal(each) for store in stores for each in self._literals(store.src)]
        failures = sorted({value[0] for value in known if value[0] == value[1] < 0})
        varied = [store.src for store in stores if not ir.is_literal(store.src)]
        if not failures or not varied:
            return []
        ops = [op for each in varied for at in self._scene.definitions.get(each, ()) if isinstance(op := nodes[at], ir.Op)]
        is_negated = any(op.operator in ("-", "~") and len(op.operands) == 1 for op in ops)
        return [("!=", number) for number in failures] if is_negated else [(">=", 0)]

    def _left_by(self, site: CallSite) -> list[AccessPath]:
        """The places of which a call that acquires something says what it leaves there."""
        return [
            self._scene.normalise((site.call.dst if told.path[:1] == RESULT else site.actuals.get(told.path[0], ""), *told.path[1:]))
            for transfer in site.acquired for outcome in transfer.outcomes
            for told in (*error_slots.told(self._scene, site, outcome), *left_along(self._scene, site, outcome))
        ]

    # --- liveness

    def _solve_liveness(self) -> list[int]:
        scene, numbers = self._scene, self.environments.numbers
        reads = [0] * len(scene.nodes)
        keeps = [-1] * len(scene.nodes)
        for node in scene.cfg.order:
            instruction = scene.nodes[node]
            for subject in read(scene, self.tested, node, instruction):
                if (number := numbers.get(subject)) is not None:
                    reads[node] |= 1 << number
                    for other, _ in self.masks.get(number, ()):
                        reads[node] |= 1 << other  # What is known of it tells of this one.
            for name in assigned(instruction):
                keeps[node] &= ~self.rooted.get(name, 0)
            for number, change in self.bits.get(node, ()):
                keeps[node] |= 0 if is_telling(change) else 1 << number
            if node in (ir.EXIT, ir.RAISE):
                reads[node] = self._exported_bits
        return solve_bits(scene.cfg, reads, keeps)[0]
