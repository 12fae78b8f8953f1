"""Walks the paths of a procedure from its entry, with may-aliases, guards, and loops of 0, 1 and 2 turns.

A second opinion, independent of every detector: it knows no facts but those of the IR and of Effects.
Two paths that reach a node with the same state are one from there on. Reports too much when a condition that it does not model decides
which paths can be.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set

import msgspec

from analyzers import ir
from analyzers.summaries import UNKNOWN
from fixers.paths import rough, shape
from fixers.paths.branches import take
from fixers.paths.calls import Calls
from fixers.paths.coarse import Coarse
from fixers.paths.counted import Counted
from fixers.paths.inside import let_go, made_with
from fixers.paths.instructions import Instructions
from fixers.paths.layout import Layout
from fixers.paths.leaving import THIS, Leaving
from fixers.paths.met import Met
from fixers.paths.question import Question, Site
from fixers.paths.relied import Relied
from fixers.paths.report import Report
from fixers.paths.state import ANY, DEPENDS, OUTSIDE, UNSET, WRAPPED, Fate, Instance, State, Value, storage
from fixers.paths.untouched import untouched
from fixers.paths.values import returned_type

LIMIT = 9000
"""Steps of all paths together."""

FINE = 3000
"""Those of them in which nothing is forgotten where many paths come together."""

EARLY = 5
"""The part of those, one in so many, after which a walk that keeps little is asked whether it proves all, or a search whether it finds a
path: it says so, or fails, in a few hundred steps of its own."""

_THIS = frozenset(("this",))

MAX_RUN = 200
"""Nodes that are run one after the other as one step."""

TURNS = 2
"""Turns of a loop that are walked."""

WAYS = 4
"""Ways on from a state from which on they are compared with each other: a call that ends in many may say less of them than of its ends."""


class Walk:
    """One run over one procedure."""

    def __init__(
        self, layout: Layout, question: Question, ignored: frozenset[str], holders: frozenset[str] | None, *,
        instead: Callable[[bool], Report | None] | None = None, is_rough: bool = False,
    ) -> None:  # fmt: skip
        """`ignored`: the variables whose values are not looked at; `holders`: those that may hold the resource, where no others are;
        `instead`: asked after a part of `FINE` steps, and for the last time (True) after all of them; its answer counts where it has one;
        `is_rough`: only what is tied to handles is kept where paths meet."""
        self.instead, self.asked = instead, 0
        self.layout, self.linked, self.live = layout, layout.linked, layout.live
        self.limit = rough.STEPS if is_rough else LIMIT
        self.is_rough = is_rough
        self.ignored = ignored
        self.holders = holders
        self.steps = 0
        self.waiting: deque[State] | None = None
        self.body = layout.linked.body
        self.question = question
        self.report = Report()
        self.report.is_idempotent, self.report.headers = question.is_idempotent, question.headers
        self.report.is_awaited = question.is_awaited
        self.report.is_ended = question.is_ended
        self.report.is_for_ours = question.language == "c" and bool(question.ours) and not question.is_rerouted
        self.report.ignored = frozenset() if question.ours else question.others
        self.calls = Calls(question, self.report)
        self.relied = Relied(layout, question)
        self.leaving = Leaving(self.linked, question, self.report)
        self.instructions = Instructions(layout, question, self.report, self.leaving, holders)
        self.structs, self.joins, self.headers, self.ending = layout.structs, layout.joins, layout.headers, layout.ending
        self.places = [storage(name) for name in sorted(layout.taken)]
        self.met = Met(self.joins, self.live, self._released_members(), self._alike())
        self.read: dict[int, Set[str]] = {}
        self.kept: list[Set[str] | None] = [None] * len(self.body.nodes)
        wanted = (*question.sites, *question.others, *question.ours)
        self.ahead = [True] * len(self.body.nodes) if question.is_about_results else shape.leading(layout.linked, wanted)
        self.untouched = untouched(layout.linked, layout.effects, question, layout.ending) if self.report.is_for_ours else None

    def run(self, starts: Sequence[int] = (), *, is_whole: bool = False, pause: int | None = None) -> Report:
        """Walk until nothing is new, something is wrong on a path that can be, or the limit is met; `is_whole`: whatever is in doubt; `pause`:
        no further than so many steps. Once more goes on from there."""
        if self.waiting is None:
            self.waiting = deque(map(self._midway, starts) if starts else [self.begin()])
        elif self.is_over:
            return self.report
        work = self.waiting
        if starts:  # What a path without handles comes to at the next acquisition, a walk from there sees, too.
            self.ahead = shape.leading(self.linked, sorted(self.question.ours), self.question.sites | self.question.others)
        while work:
            state = work.popleft()
            if self.instead is not None and self.steps * EARLY > FINE and (self.asked == 0 or self.steps > FINE):
                other, self.asked = self.instead(self.asked == 1), self.asked + 1
                if other is not None:
                    return other
                self.instead = self.instead if self.asked == 1 else None
            if pause is not None and self.steps + len(work) > pause:
                work.appendleft(state)
                break
            if self.steps + len(work) > self.limit:
                self.report.unfinished(f"more than {LIMIT} steps on the paths of `{self.body.name}`")
                break
            work.extend(self.onward(state))
            if self.report.is_refuted and state.is_coarse:
                self.report.unsure(f"more than {FINE} steps on the paths of `{self.body.name}`")  # perhaps it can be no path
            is_vain = not is_whole and (self.holders is not None or bool(starts)) and not self.report.is_proved  # another walk answers then
            if self.is_over or is_vain:
                break
        return self.report

    @property
    def is_over(self) -> bool:
        """Whether no other path is looked at: what is lost on one of them is no reason where it is asked what all of them return."""
        return (self.report.is_refuted and not self.question.is_about_results) or not self.report.is_finished or self.has_returned_all

    @property
    def has_returned_all(self) -> bool:
        """Whether its paths have returned all that the procedure can."""
        return bool(self.question.enough) and self.question.enough <= self.report.returned

    def _released_members(self) -> frozenset[str]:
        """The members that a release of the fix ends, of C."""
        ours = self.question.ours if self.question.language == "c" else ()
        transfers = (each for node in ours for effects in self.layout.effects.get(node, ()) for each in effects.transfers)
        ended = (each for each in transfers if any(outcome.fate == "released" for outcome in each.outcomes))
        return frozenset(field for each in ended for field in each.entry[1:])

    def _alike(self) -> dict[int, int]:
        """The acquisitions of C of which the same is asked, each with the first such one: which of them left a handle where it lies says nothing
        more. Walks of Java seldom come to several."""
        first: dict[tuple[bool, bool], int] = {}
        question, ignored = self.question, self.report.ignored
        if question.language != "c":
            return {}
        sites = sorted((question.sites | question.others) - {ir.ENTRY})
        return {site: first.setdefault((site in question.sites, site in ignored), site) for site in sites}

    def onward(self, state: State) -> Iterator[State]:
        """The states behind one, but for those that were walked from before. It is used up."""
        ends = list(self._walk(state))
        fresh = (after for source, after in ends if self._is_new(source, after))
        return self.met.apart(fresh) if len(ends) >= WAYS and self.question.language == "c" else fresh

    def _midway(self, node: int) -> State:
        """The state at a node of which nothing is known."""
        state = State(node)
        state.variables["this"] = state.unknown()
        state.variables.update({name: storage(f"{name}[]") for name in sorted(self.layout.arrays)})
        return state

    def begin(self) -> State:
        """The state in which a procedure begins."""
        start = State(ir.ENTRY)
        start.variables["this"] = start.unknown()
        for variable in self.body.variables:
            if variable.kind not in ("local", "temporary"):
                continue
            start.variables[variable.name] = storage(f"{variable.name}[]") if variable.name in self.layout.arrays else UNSET
        self._own(start)
        return start

    def _own(self, state: State) -> None:
        """Put what the procedure owns where it lies at the beginning."""
        for path in self.question.owned:
            value = state.object()
            state.ranges[value] = ANY
            state.handles[value] = Instance(ir.ENTRY)
            match path:
                case ("this", field):
                    state.cells[THIS, field] = value
                case (root,) if root[1:].isdigit():
                    state.variables[self.body.parameters[int(root[1:])]] = value
                case _:
                    pass

    @functools.cached_property
    def counted(self) -> Counted:
        """The loops that turn more often than is walked."""
        return Counted(self.linked, self.headers, self.ending)

    @functools.cached_property
    def coarse(self) -> Coarse:
        """What is forgotten where there are very many paths."""
        return Coarse(self.linked, self.layout.effects, self.question.sites | self.question.others)

    # --- arriving at a node

    def _is_new(self, source: int, state: State) -> bool:
        """Prune what no longer matters; False where this state was walked from, or a loop turned enough."""
        node = state.node
        if node in self.headers and not self._turn(source, state):
            return False
        self._settle(state)
        if self.untouched is not None and node in self.untouched.nodes:
            self.untouched.leave(state)
        if not state.handles and not self.ahead[node]:
            return False
        if node in self.joins and self.is_rough:
            rough.forget(state, self.coarse.kept)
        elif node in self.joins and self.steps > FINE and self.coarse.is_crowded(state):
            self.coarse.forget(state)
        let_go(state)
        return not self.met.again(state)

    def _turn(self, source: int, state: State) -> bool:
        turns = state.turns.copy()
        inside = state.node in turns and self.counted.is_inside(source, state.node)
        turns[state.node] = turns[state.node] + 1 if inside else 0
        state.turns = turns
        if not inside:
            state.left -= {state.node}
        if turns[state.node] <= TURNS:
            return True
        if state.node in state.left or turns[state.node] > TURNS + 1:
            return False
        return self.counted.forget(state)

    def _forget_dead(self, state: State) -> None:
        kept = self.kept[state.node]
        if kept is None:
            read = self.live.read[state.node]
            kept = self.read.get(read)
            if kept is None:
                names = {name for name, bit in self.live.bits.items() if read & bit}
                kept = self.read[read] = (names | self.layout.taken | _THIS) - self.ignored
            self.kept[state.node] = kept
        for name in state.variables.keys() - kept:
            del state.variables[name]

    def _settle(self, state: State) -> None:
        """Drop variables that nobody reads again, and see which handles that loses."""
        self._forget_dead(state)
        node = state.node
        if not state.handles or state.handles.keys() <= set(state.variables.values()):
            return
        roots = self._roots(state)
        near = set(roots)  # Mostly what they lead to at once has all handles.
        near.update([value for (base, field), value in state.cells.items() if base in near and field[0] != DEPENDS])
        if state.handles.keys() <= near:
            return
        held = self._held(state, roots)
        lost = [each for each in state.handles if each not in held]
        needed = set(state.related(self._roots(state, made_with(state)) if self.question.language == "c" else roots)) if lost else ()
        for handle in lost:
            if self.leaving.is_missed(state, handle):
                if node not in self.ending:
                    self.report.lost(state, handle, node)
                del state.handles[handle]
            elif handle not in needed:
                del state.handles[handle]

    def _roots(self, state: State, inner: Set[Value] = frozenset()) -> list[Value]:
        """What the path can name, or somebody outside; of `inner` only what others lead to."""
        roots = list(state.variables.values())
        roots += [base for base, _ in state.cells if base.kind in OUTSIDE and base not in inner]
        roots += self.places
        roots += [place for place, bit in self.layout.embedded if self.live.read[state.node] & bit]
        return roots

    def _held(self, state: State, roots: list[Value]) -> set[Value]:
        """What somebody can still reach, and what something that can be reached wraps."""
        held = set(state.reachable(roots))
        for handle in list(state.handles):
            if any(each in held for each in (handle, *self._wrappers(state, handle))):
                held.add(handle)
        return held

    def _wrappers(self, state: State, handle: Value) -> list[Value]:
        return [base for (base, field), value in state.cells.items() if field == WRAPPED and value == handle]

    # --- running a node

    def _walk(self, state: State) -> Iterator[tuple[int, State]]:
        """The states behind a node, each with the node that it comes from; where there is but one way on, and no other
        path comes to it, further on."""
        source, ends = state.node, list(self._step(state))
        for _ in range(MAX_RUN):
            if len(ends) != 1 or isinstance(self.body.nodes[source], ir.Branch) or self.report.is_refuted:
                break
            after = ends[0]
            if after.node in self.joins or after.node in self.headers:
                break
            self._forget_dead(after)
            if not after.handles and not self.ahead[after.node]:
                return
            source, ends = after.node, list(self._step(after))
        for each in ends:
            yield source, each

    def _step(self, state: State) -> Iterator[State]:
        self.steps += state.weight
        node = state.node
        instruction = self.body.nodes[node]
        if self.relied.is_refuted(state, instruction):
            return
        match instruction:
            case ir.Branch():
                self.instructions.compare(state, (instruction.left, instruction.right))
                sides = self.linked.next[node]
                afters = []
                for left, (successor, holds) in enumerate(zip(sides, (True, False), strict=False), 1 - len(sides)):
                    after = state.copy(successor) if left else state.at(successor)
                    if take(after, instruction, holds):
                        self._note_opaque(after, node, successor)
                        afters.append(after)
                if len(afters) > 1:
                    self.counted.note(node, afters)
                yield from afters
                return
            case ir.Call():
                self._forget_kept(state)
                yield from self._call(state, instruction)
                return
            case ir.Exit():
                self.leaving.finish(state)
                return
            case _:
                if not self.instructions.run(state, instruction):
                    return
        onward = (*self.linked.next[node], *self.linked.raises[node])
        for successor in onward[:-1]:
            yield state.copy(successor)
        for successor in onward[-1:]:
            yield state.at(successor)

    def _forget_kept(self, state: State) -> None:
        """Any call may set a variable whose address is kept in a struct or an array, and which holds no resource (`options[0].arg = &name`)."""
        for name in self.layout.named_elsewhere:
            if (value := state.variables.get(name)) is not None and value not in state.handles:
                del state.variables[name]

    def _note_opaque(self, state: State, node: int, successor: int) -> None:
        """A handle that only an unknown condition keeps from its release."""
        name = self.layout.opaque.get(node)
        if name is None:
            return
        for value, instance in state.handles.items():
            if instance.fate is not Fate.OPEN or instance.condition:
                continue
            holders = [each for each, held in state.variables.items() if held == value]
            if self._is_kept_from_release(holders, node, successor):
                releasing = frozenset[int]().union(*(self.layout.reach.of(each) for each in holders))
                releases = frozenset[int]().union(*(self.layout.reach.at(each) for each in holders))
                if not instance.doubt and self.layout.lone.tells_nothing(instance.site, node, releasing, releases):
                    continue
                condition = f"whether `{name}` holds is not known"
                state.handles[value] = msgspec.structs.replace(instance, condition=condition)

    def _is_kept_from_release(self, holders: list[str], node: int, successor: int) -> bool:
        """Whether another way out of the branch leads to a release of a holder, and this one does not."""
        if any(successor in self.layout.reach.of(each) for each in holders):
            return False
        return any(other in self.layout.reach.of(each) for each in holders for other in self.linked.next[node])

    def _call(self, state: State, call: ir.Call) -> Iterator[State]:
        node = state.node
        for name in self.structs.names.intersection(call.args):
            state.variables[name] = storage(name)
        before = state.variables.get(call.dst)
        for exit_, after in self.calls.after(state, lambda: self._site(node, call)):
            self.instructions.take_over(after, before, node)
            if exit_ == "return" and call.dst in self.structs.names:
                self.structs.become(after, call.dst, after.variables.get(call.dst))
            onward = self.linked.next[node] if exit_ == "return" else self.linked.raises[node]
            for successor in onward[:-1]:
                yield after.copy(successor)
            for successor in onward[-1:]:
                yield after.at(successor)

    def _site(self, node: int, call: ir.Call) -> Site:
        return Site(
            node, call, self.linked.targets.get(node), self.layout.effects.get(node, (UNKNOWN,)),
            self.linked.types.get(call.dst) or returned_type(self.linked, call.dst), bool(self.linked.raises[node]),
            tuple(self.linked.types.get(name, "") for name in call.args), self.linked.generics.get(call.dst, ""),
        )
