"""The witness of a loss: the path on which a handle goes from its acquisition to where it is lost.

The run is repeated with the (node, fact) that each fact first came from, and the steps are read backwards
from the loss. Tells acquisitions level by level through callees, new names of the handle, calls that are passed
it, conditions that matter, exceptions. Equal input, equal path.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import ir
from analyzers.domains.obligation import Fact, Obligation
from analyzers.finding import Role, Step
from analyzers.graphs.dominators import NONE, post_dominators
from analyzers.handles.java.implied import is_closeable_by_name
from analyzers.handles.runs import Handles, Loss
from analyzers.handles.scene import RESULT
from analyzers.handles.sites import CallSite
from analyzers.queries import ProcedureKey, Queries
from analyzers.solvers.ifds import Trace, shortest_path
from analyzers.source import Span
from analyzers.summaries import Transfer

MAX_LEVELS = 6
"""Callees that an acquisition is followed into."""

MAX_TEXT = 60


class Witness:
    """The steps of one loss, and the variables that named the handle on the way."""

    def __init__(self, handles: Handles, queries: Queries) -> None:
        self._handles = handles
        self._scene = handles.scene
        self._queries = queries
        self._post: list[int] | None = None

    def steps(
        self, obligation: Obligation, site: CallSite, transfer: Transfer, loss: Loss
    ) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """(steps, variables that held the handle or what wraps it, in the order in which they got it)."""
        trace: Trace[Fact] = {}
        run = self._handles.run_in_full(obligation, site, transfer, trace)
        match = next((each for each in run.losses if (each.node, each.exit) == (loss.node, loss.exit)), loss)
        path = shortest_path(trace, run.begun, lambda node, fact: self._loses(node, fact, match))
        dst = site.call.dst
        is_result = any(path == RESULT for outcome in transfer.outcomes for path in outcome.paths)
        names = [dst] if dst and is_result and not ir.is_made_up(dst) else []
        steps = [*self.acquisition(obligation, transfer), *self._story(path, obligation, names)]
        steps.append(Step(Role.EXIT, self.lost_span(loss), self._exit_note(loss, path)))
        return tuple(steps), tuple(dict.fromkeys(names))

    # --- places

    def span(self, node: int) -> Span:
        """The source of a node."""
        instruction = self._scene.nodes[node]
        start = self._scene.body.start
        return Span(self._scene.linked.key.path, start + instruction.start, start + instruction.end)

    def text(self, node: int) -> str:
        """The source text of a node, on one line."""
        instruction = self._scene.nodes[node]
        return _text(self._queries, self._scene.linked.key, instruction.start, instruction.end)

    def lost_span(self, loss: Loss) -> Span:
        """Where a loss happens: the statement, or the end of the procedure that is run into."""
        node = self._scene.nodes[loss.node]
        if loss.exit == "return" and not isinstance(node, ir.Return):
            return self.span(ir.EXIT)
        return self.span(loss.node)

    # --- acquisition

    def acquisition(self, obligation: Obligation, transfer: Transfer) -> list[Step]:
        """One ACQUIRE step per level, innermost first."""
        levels = [Step(Role.ACQUIRE, self.span(obligation.node), f"`{self.text(obligation.node)}`")]
        site, type_name = transfer.site, transfer.type
        key = self._callee(obligation.node, site)
        while site is not None and key is not None and len(levels) < MAX_LEVELS:
            inner = self._inner(key, site, transfer)
            if inner is None:
                break
            text, call_key, deeper = inner
            levels.append(Step(Role.ACQUIRE, site, f"`{text}` in `{_short(key.name)}`"))
            key, site, transfer = call_key, deeper.site if deeper is not None else None, deeper or transfer
        levels[-1] = Step(Role.ACQUIRE, levels[-1].span, f"{levels[-1].note} acquires {_called(type_name)}")
        return levels[::-1]

    def _callee(self, node: int, site: Span | None) -> ProcedureKey | None:
        target = self._scene.linked.targets.get(node)
        if site is None or target is None:
            return None
        return _holder(self._queries, target.procedures, site)

    def _inner(self, key: ProcedureKey, site: Span, made: Transfer) -> tuple[str, ProcedureKey | None, Transfer | None] | None:
        """(text, callee, what that acquires) of an acquiring call inside a callee."""
        linked = self._queries.linked(key)
        if linked is None:
            return None
        start = linked.body.start
        text = _text(self._queries, key, site.start - start, site.end - start)
        for node, target in sorted(linked.targets.items()):
            instruction = linked.body.nodes[node]
            if (instruction.start + start, instruction.end + start) != (site.start, site.end):
                continue
            for callee in target.procedures:
                acquired = [each for each in self._queries.effects(callee).transfers if not each.entry and each.site is not None]
                if acquired:
                    deeper = max(acquired, key=lambda each: _likeness(each, made))
                    return text, _holder(self._queries, (callee,), deeper.site or site), deeper
        return text, None, None

    # --- the way

    def _loses(self, node: int, fact: Fact, loss: Loss) -> bool:
        """Whether a fact is lost at a node in the way of `loss`."""
        if node != loss.node:
            return False
        return any((each.node, each.exit) == (loss.node, loss.exit) for each in self._handles.probe(node, fact))

    def _story(self, path: Sequence[tuple[int, Fact]], obligation: Obligation, names: list[str]) -> list[Step]:
        steps: list[Step] = []
        for index, (node, fact) in enumerate(path):
            names.extend(self._names(fact))
            following = path[index + 1][0] if index + 1 < len(path) else None
            step = self._step(node, fact, following, path[index + 1 :], obligation)
            if step is not None and (not steps or steps[-1] != step):
                steps.append(step)
        return steps

    def _names(self, fact: Fact) -> list[str]:
        found = []
        for path in self._scene.paths.list(fact[0]):
            root = path[0]
            if root[:1] in ("$", ":") or ir.is_made_up(root):
                continue
            if len(path) == 1 or (all(field == "~" for field in path[1:]) and self._is_closer(root)):
                found.append(root)
        return found

    def _is_closer(self, name: str) -> bool:
        """Whether a variable that holds a wrapper is known to be closeable."""
        if not self._scene.is_java:
            return True
        type_name = self._scene.type_of(name)
        return bool(self._queries.is_closeable(type_name)) or is_closeable_by_name(type_name, self._queries)

    def _step(
        self, node: int, fact: Fact, following: int | None, rest: Sequence[tuple[int, Fact]], obligation: Obligation
    ) -> Step | None:
        instruction = self._scene.nodes[node]
        raised = self._scene.cfg.raised[node]
        if following is not None and following in raised and following not in self._scene.cfg.normal[node]:
            return Step(Role.THROW, self.span(node), f"`{self.text(node)}` {self._throws(node)}")
        match instruction:
            case ir.Branch() if following is not None:
                return self._branch_step(node, following, rest)
            case ir.Call() if node != obligation.node and self._is_passed(instruction, fact):
                return Step(Role.CALL, self.span(node), f"`{self.text(node)}` does not release it")
            case ir.Copy(dst=dst, src=src) if not ir.is_made_up(dst) and self._holds(fact, src):
                return Step(Role.ALIAS, self.span(node), f"`{ir.source_name(dst)}` names it")
            case ir.Store(field=field, src=src) if self._holds(fact, src):
                return Step(Role.ALIAS, self.span(node), f"field `{field}` names it")
            case _:
                return None

    def _is_passed(self, call: ir.Call, fact: Fact) -> bool:
        return any(self._holds(fact, operand) for operand in (call.receiver, *call.args))

    def _holds(self, fact: Fact, operand: str) -> bool:
        return bool(operand) and bool(fact[0] & self._scene.paths.starting_with((operand,)))

    def _branch_step(self, node: int, following: int, rest: Sequence[tuple[int, Fact]]) -> Step | None:
        """A branch is told where the way to the loss depends on it."""
        if self._post is None:
            self._post = post_dominators(self._scene.cfg)
        meet = self._post[node]
        if meet != NONE and any(each == meet for each, _ in rest):
            return None
        successors = self._scene.linked.next[node]
        if len(successors) != 2 or successors[0] == successors[1]:
            return None
        is_taken = following == successors[0]
        text = self.text(node)
        if not text.strip("{};"):
            return None  # What the language asks by itself: whether a header has something to close.
        return Step(Role.BRANCH, self.span(node), f"`{text}` is {'true' if is_taken else 'false'}")

    def _throws(self, node: int) -> str:
        thrown = [name for name in self._scene.linked.thrown.get(node, ()) if name]
        if not thrown:
            return "throws"
        return "throws " + " or ".join(_short(name) for name in thrown[:2])

    def _exit_note(self, loss: Loss, path: Sequence[tuple[int, Fact]]) -> str:
        if loss.exit == "throw":
            return f"`{self.text(loss.node)}` {self._throws(loss.node)} and leaves `{self._name()}`"
        if loss.exit == "raised":
            return f"`{self.text(loss.node)}` {self._throws(loss.node)}, and nothing else names it"
        if loss.exit == "return":
            return f"`{self._name()}` returns without releasing it"
        node = self._scene.nodes[loss.node]
        match node:
            case ir.ScopeEnd():
                return "the last variable that names it goes out of scope"
            case ir.Copy() | ir.Store() | ir.Load() | ir.Alloc():
                return "the last variable that names it gets another value"
            case _:
                return "nothing names it any more"

    def _name(self) -> str:
        return _short(self._scene.linked.key.name.partition("(")[0])


def _likeness(one: Transfer, other: Transfer) -> tuple[bool, bool]:
    """How much one acquisition looks like another: by its resource, and by where the handle lies."""
    places = [{path for outcome in each.outcomes for path in outcome.paths} for each in (one, other)]
    return one.resource == other.resource, not places[0].isdisjoint(places[1])


def _holder(queries: Queries, keys: Sequence[ProcedureKey], site: Span) -> ProcedureKey | None:
    """The procedure among `keys` that the site lies in."""
    for key in keys:
        body = queries.procedure(key)
        if key.path == site.path and body is not None and body.start <= site.start <= body.end:
            return key
    return None


def _text(queries: Queries, key: ProcedureKey, start: int, end: int) -> str:
    text = " ".join(queries.text(key, start, end).split())
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _short(name: str) -> str:
    """The last part of a qualified name."""
    head, _, _ = name.partition("(")
    return head.rpartition(".")[2].rpartition(":")[2] or head


def _called(type_name: str) -> str:
    return f"a `{_short(type_name)}`" if type_name else "it"
