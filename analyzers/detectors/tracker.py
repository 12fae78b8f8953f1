"""Tracker: a handle that is lost before it is released, on some path through one procedure and its callees.

Torlak, Chandra: Effective Interprocedural Resource Leak Detection (ICSE 2010): figures 3 and 4 with summaries,
witnessed against assumed (3.1), exceptions as linked (3.2), wrappers and clusters (3.3); for Java resources, and
for handles and heap blocks of C. Reports too much when a callee without source keeps what it is passed under
a harmless name; misses what escapes into fields, collections and unknown constructors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from analyzers import ir
from analyzers.detectors.asked_again import Asked, is_asked_again
from analyzers.detectors.behind_choices import is_behind_a_choice
from analyzers.detectors.dispatch import is_of_two_configurations, is_past_all_configurations, is_repeated
from analyzers.detectors.either import is_perhaps_kept
from analyzers.detectors.error_structs import is_with_error
from analyzers.detectors.expected import is_expected_to_fail, is_perhaps_of_double
from analyzers.detectors.failed_claims import is_of_failed_claim
from analyzers.detectors.filled_beside import is_beside_the_filled
from analyzers.detectors.flagged import is_flagged
from analyzers.detectors.given_before import is_given_before
from analyzers.detectors.handled import is_ended_by_name, is_handled
from analyzers.detectors.held import forgotten, held_name
from analyzers.detectors.idle import (
    CLIENTS,
    LOCK,
    SOURCES,
    is_idle_client,
    is_idle_executor,
    is_idle_loader,
    is_idle_source,
    is_lasting_lock,
)
from analyzers.detectors.kept_at_status import is_kept_at_a_status
from analyzers.detectors.last_turn import is_behind_the_last_turn
from analyzers.detectors.linked import is_past_both_links
from analyzers.detectors.locked_files import is_left_with_a_lock
from analyzers.detectors.named_beside import is_named_beside
from analyzers.detectors.of_a_field import is_of_a_field
from analyzers.detectors.once import is_once
from analyzers.detectors.own_allocators import brings_allocator
from analyzers.detectors.pointed import is_pointed_at
from analyzers.detectors.refused import is_refused
from analyzers.detectors.registered_rows import is_of_registered
from analyzers.detectors.set_back import is_set_back
from analyzers.detectors.shapes import is_by_free, is_improbable, is_never_ended
from analyzers.detectors.told_by_sign import is_by_failure, is_told_by_answer, is_told_by_sign
from analyzers.detectors.told_to_free import is_told_to_free
from analyzers.detectors.trapped import is_trapped
from analyzers.detectors.undeclared import is_misspelt, unknowns
from analyzers.domains.access_path import CLOSED_WITH, is_below, member_depth
from analyzers.domains.obligation import LEFT, UNSURE, Limits, Obligation
from analyzers.finding import LEFT_TO_POOL, LIVE_AT_EXIT, Confidence, Finding, Note, NoteKind, Role, Step
from analyzers.graphs.operands import used
from analyzers.handles.c.allocators import MEMORY, OBJECT
from analyzers.handles.c.begun_here import is_begun_here
from analyzers.handles.c.left_open import BY_NUMBER, DESCRIPTOR
from analyzers.handles.java.stops import stops
from analyzers.handles.runs import Handles, Loss, Run
from analyzers.handles.scene import RESULT, Scene
from analyzers.handles.sites import CallSite
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.rules import UNCLOSED_RESOURCE, UNRELEASED_LOCK, UNRELEASED_MEMORY
from analyzers.source import Span
from analyzers.summaries import BELOW, AccessPath, Transfer
from analyzers.witness import Witness

EXECUTOR = "executor"
"""The spec resource of pools of threads."""

_PRINTERS = ("print", "printf", "puts")
"""How functions end that print."""

_FEW_STEPS = 16
"""Instructions of `main` before its end in which only a message is printed."""

_MOST_UNKNOWN = 2
"""Undeclared names on which a loss turns such that it is not told."""

LOADER = "java.net.URLClassLoader"
"""What opens files when it is asked for something in them."""

CONTENT = "java.io.InputStream"
"""What a view of somebody else's response hands out."""

ROWS = "java.sql.ResultSet"
"""What its statement closes, also when it is executed again."""


class Tracker:
    """The detector. `limits` bound each run. With `exits` only what is lost at one of them is told."""

    def __init__(self, limits: Limits | None = None, exits: frozenset[Span] | None = None) -> None:
        self.limits = limits or Limits()
        self._exits = exits

    @property
    def name(self) -> str:
        """See `Detector`."""
        return "tracker"

    @property
    def languages(self) -> frozenset[str]:
        """See `Detector`."""
        return frozenset(("java", "c"))

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]) -> Iterable[Finding | Note]:
        """The leaks of these procedures."""
        for key in keys:
            linked = queries.linked(key)
            if linked is not None and any(isinstance(node, ir.Call) for node in linked.body.nodes):
                detection = _Detection(linked, queries, self.limits, self.name, self._exits)
                yield from detection.findings()
                detection.end()


class _Leak(msgspec.Struct, frozen=True):
    """An obligation that is lost somewhere."""

    obligation: Obligation
    site: CallSite
    transfer: Transfer
    run: Run


class _Detection:
    def __init__(
        self, linked: Linked, queries: Queries, limits: Limits, name: str, exits: frozenset[Span] | None = None
    ) -> None:
        self._exits = exits
        self._handles = Handles(linked, queries, limits, is_summary=False)
        self._linked = linked
        self._queries = queries
        self._name = name
        self._witness = Witness(self._handles, queries)
        self._returning: set[int] | None = None
        self._asked: dict[int, list[Asked]] = {}

    def end(self) -> None:
        """Let go of what would have to be collected."""
        self._handles.end()

    def findings(self) -> Iterator[Finding | Note]:
        """One finding per acquisition that is lost on some path."""
        scene = self._handles.scene
        body = self._linked.body
        if not self._handles.is_acquiring or (body.kind == "macro" and (scene.assigned_formals or "declares" in body.attributes)):
            return
        ordinals: dict[tuple[str, str], list[Span]] = {}
        for leak in self._alone(list(self._leaks())):
            finding = self._finding(leak, ordinals)
            if finding is not None:
                yield finding
        yield from self._spent

    def _alone(self, leaks: Sequence[_Leak]) -> Iterator[_Leak]:
        """The leaks without what is lost only because the object is lost that would have closed it."""
        losses = {id(leak): [(loss.node, loss.exit) for loss in leak.run.losses] for leak in leaks}
        for leak in leaks:
            if not any(path[-1] == CLOSED_WITH for outcome in leak.transfer.outcomes for path in outcome.paths):
                yield leak
                continue
            chain = self._chain(leak.site)
            owners = [each for each in leaks if each is not leak and not self._names(each.site).isdisjoint(chain)]
            lost = {loss for owner in owners for loss in losses[id(owner)]}
            is_last = (leak.obligation.node, "") in lost
            leak.run.losses = [each for each in leak.run.losses if not is_last and (each.node, each.exit) not in lost]
            if leak.run.losses:
                yield leak

    def _names(self, site: CallSite) -> frozenset[str]:
        """The variables that take what a call acquires."""
        first = site.call.receiver if site.call.kind == "new" else site.call.dst
        copies = self._handles.scene.copies.get(first, ()) if first else ()
        return frozenset((first, *(copy.dst for copy in copies)))

    def _leaks(self) -> Iterator[_Leak]:
        self._spent: list[Note] = []
        scene = self._handles.scene
        for obligation, site, transfer in self._handles.acquisitions():
            if self._depth(transfer) > 1 or self._is_only_tested(site) or self._is_value(site) or brings_allocator(scene, obligation.node, site, transfer):
                continue
            if is_expected_to_fail(scene, obligation.node) or is_set_back(scene, obligation.node):
                continue
            if obligation.type == CONTENT and (is_handled(scene, (self._chain(site) or ("",))[-1]) or is_ended_by_name(scene, obligation.node, self._chain(site))):
                continue
            if is_given_before(scene, self._handles.sites.sites, obligation.node, transfer) or is_behind_a_choice(scene, site, transfer):
                continue
            if is_of_registered(scene, self._handles.sites.sites, obligation.node, transfer):
                continue
            run = self._handles.run_acquired(obligation, site, transfer)
            if run.losses:
                run = self._handles.run_in_full(obligation, site, transfer)
                if held_name(scene, obligation.node):
                    run.losses = forgotten(scene, obligation, run.losses)
                if self._is_lasting(obligation, site) or is_misspelt(scene, self._handles.sites, site, transfer, obligation.node):
                    continue
                if not scene.is_java:
                    run.losses = [
                        loss for loss in run.losses
                        if not self._is_dying(obligation, loss) and not self._is_last_word(obligation, loss) and self._unknowns(site, obligation, loss) < _MOST_UNKNOWN
                        and not is_flagged(scene, self._handles.sites.sites, obligation.node, loss)
                        and not is_beside_the_filled(scene, self._handles.sites.sites, obligation.node, loss)
                        and not is_told_to_free(scene, self._handles.sites.sites, obligation.node, loss) and not is_once(scene, obligation.node, loss)
                        and not is_behind_the_last_turn(scene, obligation.node, loss)
                        and not is_trapped(scene, obligation.node, transfer, loss) and not is_by_failure(scene, site, transfer, obligation.node, loss)
                        and not is_with_error(scene, site, transfer, obligation.node, loss)
                    ]
                    if run.losses and self._handles.is_renewed_in_own(site, transfer):
                        is_shown = self._handles.is_shown(site, transfer)
                        run.losses = [loss for loss in run.losses if not is_shown and is_by_free(self._handles.sites, loss)]
                elif obligation.resource == EXECUTOR:  # No thread without a task: what an exception loses before the first one is not there yet.
                    run.losses = [loss for loss in run.losses if loss.exit not in ("throw", "raised") or not self._is_idle(obligation, loss)]
            if self._exits is not None:
                run.losses = [loss for loss in run.losses if self._witness.lost_span(loss) in self._exits]
            if not run.is_complete:
                span = self._witness.span(obligation.node)
                self._spent.append(Note(NoteKind.BUDGET, span, f"gave up following what `{site.call.name}` acquires"))
            if run.losses and not self._is_vague(site, transfer, run):
                yield _Leak(obligation, site, transfer, run)

    def _is_lasting(self, obligation: Obligation, site: CallSite) -> bool:
        """Whether what is acquired is a lock that ends with its channel."""
        return obligation.type == LOCK and is_lasting_lock(self._handles.scene, obligation.node, self._chain(site))

    def _chain(self, site: CallSite) -> tuple[str, ...]:
        """The object that a method is called on, and those that close it with themselves, inner first."""
        receiver = site.actuals.get("this", "")
        return (receiver, *self._handles.flows.closers.get(receiver, ())) if receiver else ()

    def _is_value(self, site: CallSite) -> bool:
        """Whether a macro of several statements only makes something: who uses it takes that (`T *t = NEW(T)`)."""
        return self._linked.body.kind == "macro" and not site.call.dst

    def _is_only_tested(self, site: CallSite) -> bool:
        """Whether Java only looks whether there is something, and asks for it again where there is (`if (c.getErrorStream() != null)`)."""
        scene, call = self._handles.scene, site.call
        if not scene.is_java or not call.receiver or call.args or not ir.is_temporary(call.dst):
            return False
        users = [node for node in scene.nodes if call.dst in used(node)]
        is_tested = bool(users) and all(isinstance(each, ir.Branch) and "=null" in (each.left, each.right) for each in users)
        return is_tested and any(
            isinstance(each, ir.Call) and each is not call and (each.name, each.args) == (call.name, ())
            and _same_receiver(scene, each.receiver, call.receiver)
            for each in scene.nodes
        )

    def _is_dying(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether a variable goes out of scope on the way to nothing but the end of the program (`goto fail`, `exit(1)`).
        What an endless loop acquires anew at each turn is another matter."""
        scene = self._handles.scene
        if not isinstance(scene.nodes[loss.node], ir.ScopeEnd):
            return False
        if self._returning is None:
            ends = {node for node, site in self._handles.sites.sites.items() if site.effects is not None and site.effects.returns == "never"}
            ends |= stops(scene, self._handles.sites)
            waiting = [ir.EXIT, ir.RAISE] if scene.is_java else [ir.EXIT]
            self._returning = set(waiting)
            while waiting:
                for node in scene.cfg.predecessors[waiting.pop()]:
                    if node not in self._returning and node not in ends:
                        self._returning.add(node)
                        waiting.append(node)
        return loss.node not in self._returning and obligation.node not in scene.cfg.reachable_from(loss.node)

    def _is_last_word(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether `main` of C prints what it gives no name, and ends a few steps later (`printf(usage, version()); return 1;`)."""
        scene = self._handles.scene
        call = scene.nodes[obligation.node]
        if not self._is_main or loss.exit or not isinstance(call, ir.Call) or not ir.is_temporary(call.dst):
            return False
        taker = scene.nodes[loss.node]
        if not isinstance(taker, ir.Call) or not taker.name.endswith(_PRINTERS) or call.dst not in taker.args:
            return False
        left = scene.cfg.reachable_from(loss.node)
        return len(left) <= _FEW_STEPS and obligation.node not in left and ir.EXIT in left

    def _unknowns(self, site: CallSite, obligation: Obligation, loss: Loss) -> int:
        """On how many names a loss turns that nothing declares."""
        return unknowns(self._handles.scene, self._handles.sites, site, obligation.node, loss)

    def _depth(self, transfer: Transfer) -> int:
        """Which member of a member an acquisition of C lies in. Deeper than one, it is its owner's affair, whoever has
        another name for it."""
        if self._linked.language != "c":
            return 0
        return min(max(map(member_depth, _outermost(outcome.paths)), default=0) for outcome in transfer.outcomes)

    def _is_vague(self, site: CallSite, transfer: Transfer, run: Run) -> bool:
        """Whether what may be lost is a member of some struct, and that is not certain. A struct on the procedure's own stack
        is nobody else's: what a callee leaves there, and nowhere else, on some of its ways is told of."""
        if self._depth(transfer) == 0 or not all(loss.fact[2] & UNSURE for loss in run.losses):
            return False
        scene = self._handles.scene
        if any(self._fills_deeply(site, path) for path in (site.effects.writes if site.effects is not None else ())):
            return True
        is_fluent = site.effects is not None and bool(site.effects.aliases)  # what it returns is what it was passed
        paths = {path for outcome in transfer.outcomes for path in outcome.paths if path[0] != RESULT[0] or not is_fluent}
        roots = {site.actuals.get(path[0], "") for path in paths}
        held = {scene.addresses.get(root, (root,)) for root in roots}
        is_freed = all(is_by_free(self._handles.sites, loss) for loss in run.losses)
        return not held or not all(
            len(place) == 1 and ((is_freed and self._handles.is_made_here(place[0])) or (scene.is_aggregate(place[0]) and scene.is_fresh(place[0])))
            for place in held
        )

    def _fills_deeply(self, site: CallSite, path: AccessPath) -> bool:
        """Whether a callee writes to a member of a member; bytes that a member points to are none."""
        if member_depth(path) < 2:
            return False
        scene, actual = self._handles.scene, site.actuals.get(path[0], "")
        if path[-1] != BELOW and is_begun_here(scene, self._handles.sites, actual):
            return False
        return path[-1] != BELOW or member_depth(path) > 2 or not actual or scene.may_hold(scene.normalise((actual, *path[1:-1])))

    def _finding(self, leak: _Leak, ordinals: dict[tuple[str, str], list[Span]]) -> Finding | None:
        witness, obligation = self._witness, leak.obligation
        loss = self._first(obligation, leak.run.losses)
        rule = UNRELEASED_LOCK if held_name(self._handles.scene, obligation.node) else UNRELEASED_MEMORY if obligation.resource == MEMORY else UNCLOSED_RESOURCE
        steps, names = witness.steps(obligation, leak.site, leak.transfer, loss)
        acquired = witness.span(obligation.node)
        text = " ".join(witness.text(obligation.node).split())
        equal = ordinals.setdefault((rule.id, text), [])
        if acquired not in equal:
            equal.append(acquired)
        ordinal = equal.index(acquired)
        exits = sorted({witness.lost_span(each) for each in leak.run.losses})
        variable = self._variable(names)
        scene = self._handles.scene
        is_unending = not scene.is_java and is_never_ended(scene, self._handles.sites, leak.obligation.node, leak.transfer)
        return Finding(
            rule=rule.id,
            cwe=UNRELEASED_MEMORY.cwe if _is_memory(obligation.resource) else rule.cwe,
            language=self._linked.language,
            detectors=(self._name,),
            confidence=Confidence.ASSUMED if self._is_doubtful(leak, loss, steps) else self._confidence(obligation, loss),
            path=self._linked.key.path,
            procedure=self._linked.key.name,
            resource=obligation.type or obligation.resource,
            variable=variable,
            message=self._message(self._told(names, loss), text, obligation, loss, steps),
            witness=steps,
            acquired=acquired,
            lost=witness.lost_span(loss),
            exits=tuple(exits),
            text=text,
            ordinal=ordinal,
            cluster=self._cluster(rule.id, text, ordinal),
            detail=LIVE_AT_EXIT if self._is_at_end(obligation, loss) else LEFT_TO_POOL if loss.fact[2] & LEFT else "",
            maker=leak.site.call.name if is_unending and leak.transfer.site is not None else "",
            passed=self._passed(steps) if is_unending else (),
        )

    def _passed(self, steps: Sequence[Step]) -> tuple[str, ...]:
        """See `Finding.passed`."""
        spans = {step.span for step in steps if step.role is Role.CALL}
        sites = ((node, site) for node, site in self._handles.sites.sites.items() if site.call.name and not site.is_library)
        return tuple(sorted({site.call.name for node, site in sites if self._witness.span(node) in spans}))

    def _first(self, obligation: Obligation, losses: Sequence[Loss]) -> Loss:
        """The loss that is told: witnessed before assumed, on return before by exception, first in the source."""
        ordered = sorted(losses, key=lambda each: (each.exit == "throw", self._witness.lost_span(each), each.node, each.fact))
        # Of those behind a witnessed one nobody asks how sure they are: a long procedure has hundreds.
        return next((each for each in ordered if self._confidence(obligation, each) is Confidence.WITNESSED), ordered[0])

    def _confidence(self, obligation: Obligation, loss: Loss) -> Confidence:
        is_doubtful = loss.fact[2] & UNSURE or self._is_at_end(obligation, loss) or self._is_conjecture(obligation, loss)
        is_doubtful = is_doubtful or self._is_idle(obligation, loss) or self._is_fatal(obligation, loss)
        is_doubtful = is_doubtful or self._is_one_of_program(obligation, loss) or self._is_for_its_number(obligation)
        return Confidence.ASSUMED if is_doubtful else Confidence.WITNESSED

    def _is_doubtful(self, leak: _Leak, loss: Loss, steps: Sequence[Step]) -> bool:
        """Whether something else than the way of the handle speaks against a leak."""
        if self._is_lent(leak) or self._unknowns(leak.site, leak.obligation, loss):
            return True
        if is_perhaps_kept(self._handles.scene, leak.obligation.node, leak.site, leak.transfer):
            return True
        if is_improbable(self._handles.scene, self._handles.sites, leak.obligation.node, leak.transfer, loss, steps):
            return True
        if is_of_failed_claim(self._handles.scene, loss):
            return True
        if is_refused(self._handles.scene, leak.obligation.node, loss, is_pool=leak.obligation.resource == EXECUTOR):
            return True
        if is_perhaps_of_double(self._handles.scene, leak.obligation.node):
            return True
        if is_left_with_a_lock(self._handles.scene, leak.obligation.type, leak.obligation.node, loss):
            return True
        if is_kept_at_a_status(self._handles.scene, self._handles.sites, leak.obligation.node, loss):
            return True
        if any(told(self._handles.scene, leak.site, leak.transfer, leak.obligation.node, loss) for told in (is_told_by_sign, is_told_by_answer)):
            return True
        return is_pointed_at(self._handles.scene, leak.site, loss)

    def _is_lent(self, leak: _Leak) -> bool:
        """Whether what is lost ends with something that is not this procedure's: the rows of a caller's statement, the stream of a connection
        that goes on, which gives the same one again."""
        scene, receiver = self._handles.scene, leak.site.actuals.get("this", "")
        if receiver and leak.obligation.type == CONTENT and any(("this", CLOSED_WITH) in each.paths for each in leak.transfer.outcomes):
            last = self._chain(leak.site)[-1]
            return scene.outlives(scene.loads.get(last, (last,))[0])
        if receiver == "this" and leak.obligation.type == CONTENT and is_of_a_field(scene, leak.obligation.node, leak.transfer.site):
            return True
        if leak.obligation.type == CONTENT and receiver:
            chain = self._chain(leak.site)
            return len(chain) > 1 and scene.outlives(chain[-1])
        if leak.obligation.type != ROWS or not receiver:
            return False
        return scene.outlives(scene.loads.get(receiver, (receiver,))[0]) or receiver not in self._handles.flows.owners

    def _is_conjecture(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether a loss takes an input or a platform that may not be."""
        if self._linked.language != "c":
            return False
        scene, acquired = self._handles.scene, obligation.node
        if is_repeated(scene, acquired, loss) or is_of_two_configurations(scene, acquired, loss) or is_past_both_links(scene, acquired, loss) or is_named_beside(scene, acquired, loss):
            return True
        sites = self._handles.sites.sites
        return is_past_all_configurations(scene, sites, acquired, loss) or is_asked_again(scene, sites, acquired, loss, self._asked)

    def _is_idle(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether what is lost has not begun to hold anything; see `idle`."""
        if obligation.resource == EXECUTOR:
            is_inside = all(len(path) > 1 for path in self._places(obligation))
            return is_idle_executor(self._handles.scene, self._handles.sites.sites, obligation.node, loss, is_inside)
        if obligation.type in CLIENTS:
            return is_idle_client(self._handles.scene, obligation.node, loss)
        if obligation.type in SOURCES:
            return is_idle_source(self._handles.scene, obligation.node, loss)
        return self._queries.is_subtype(obligation.type, LOADER) is True and is_idle_loader(self._handles.scene, obligation.node, loss)

    def _is_at_end(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether the program ends with the handle still held, or just after it is lost: the system takes it back. An executor of `main`
        in Java mostly lives as long as the program."""
        if not self._is_main or self._linked.language == "java":
            return self._is_main and obligation.resource == EXECUTOR
        return loss.exit == "return" or self._is_given_last(obligation, loss)

    def _is_given_last(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether something without a name is only passed to a call behind which the procedure returns, without any further test."""
        scene, node = self._handles.scene, loss.node
        call, taker = scene.nodes[obligation.node], scene.nodes[node]
        if loss.exit or not isinstance(call, ir.Call) or not isinstance(taker, ir.Call) or not ir.is_temporary(call.dst) or call.dst not in taker.args:
            return False
        for _ in range(_FEW_STEPS):
            following = scene.cfg.normal[node]
            if len(following) != 1:
                return False
            node = following[0]
            if node == ir.EXIT or isinstance(scene.nodes[node], ir.Return):
                return True
        return False

    def _is_fatal(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether the program of Java ends soon after a loss: by an exception that leaves `main`, or by `System.exit`."""
        if not self._handles.scene.is_java:
            return False
        return (self._is_main and loss.exit in ("throw", "raised")) or self._is_dying(obligation, loss)

    def _is_for_its_number(self, obligation: Obligation) -> bool:
        """Whether a descriptor of C gets no name, is a copy that nobody uses, or is only copied itself: who does not want to use it may
        want its number to be taken (`fd = open("/dev/null", O_RDWR); dup(fd); dup(fd);`)."""
        call = self._handles.scene.nodes[obligation.node]
        if obligation.resource != DESCRIPTOR or not isinstance(call, ir.Call) or any(path != RESULT for path in self._places(obligation)):
            return False
        if self._handles.sites.sites[obligation.node].is_library and call.name not in BY_NUMBER:
            return False
        users = [node for node in self._handles.scene.nodes if call.dst and call.dst in used(node)]
        is_unnamed = ir.is_temporary(call.dst) or call.name == "dup"
        if any(isinstance(node, ir.Call) for node in users) and all(isinstance(node, ir.Branch) or getattr(node, "name", "") == "dup" for node in users):
            return True
        return not call.dst or (is_unnamed and all(isinstance(node, ir.Branch | ir.Op) for node in users))

    def _is_left_inside(self, obligation: Obligation) -> bool:
        """Whether a method leaves what it opens in an object that it was called on or given, and returns none of it; in C also
        where nobody takes what it returns."""
        call = self._handles.scene.nodes[obligation.node]
        if not isinstance(call, ir.Call) or call.kind == "new":
            return False
        is_untaken = self._linked.language == "c" and not call.dst
        places = [path for path in self._places(obligation) if path[:1] != RESULT or not is_untaken]
        return bool(places) and all(path[:1] != RESULT for path in places)

    def _places(self, obligation: Obligation) -> Iterator[AccessPath]:
        """Where a call leaves what it acquires."""
        for transfer in self._handles.sites.sites[obligation.node].acquired:
            for outcome in transfer.outcomes if transfer.resource == obligation.resource else ():
                yield from outcome.paths

    def _is_one_of_program(self, obligation: Obligation, loss: Loss) -> bool:
        """Whether a program of C that is a part of another (`ls_main(argc, argv)`) loses a handle that it acquires once and never
        again: the system takes that back, too."""
        return self._is_program and obligation.node not in self._handles.scene.cfg.reachable_from(loss.node)

    @property
    def _is_main(self) -> bool:
        return self._linked.key.name.partition("(")[0].rpartition(".")[2] == "main"

    @property
    def _is_program(self) -> bool:
        if self._linked.language != "c" or not self._linked.key.name.endswith("_main"):
            return False
        types = ["".join(self._handles.scene.type_of(each).split()) for each in self._linked.body.parameters]
        return types in (["int", "char**"], ["int", "char*[]"])

    def _variable(self, names: Sequence[str]) -> str:
        """The outermost handle: the last variable that named it, or what wraps it."""
        return ir.source_name(names[-1]) if names else ""

    def _told(self, names: Sequence[str], loss: Loss) -> str:
        """What a report calls it: in C, where nothing wraps, what it was put into first, if that is there to the end; not a cursor."""
        if self._linked.language != "c":
            return self._variable(names)
        last = self._handles.scene.nodes[loss.node]
        ended = {name for node in self._handles.scene.nodes if isinstance(node, ir.ScopeEnd) for name in node.variables}
        ended.difference_update(last.variables if isinstance(last, ir.ScopeEnd) else ())
        seen = [each for each in names if self._is_written(each)]
        return self._variable([each for each in seen if each not in ended][:1] or seen)

    def _is_written(self, name: str) -> bool:
        """Whether the procedure's own text has a variable: one of a macro's body has no meaning to whoever reads what calls it."""
        plain = ir.source_name(name).partition("[")[0].partition(".")[0].removeprefix("::")
        return plain.encode() in self._queries.source_of(self._linked.key)

    def _message(
        self, variable: str, text: str, obligation: Obligation, loss: Loss, steps: Sequence[Step]
    ) -> str:
        made = f"The result of `{text}`" if text else f"A `{obligation.type.rpartition('.')[2]}`"
        is_memory = _is_memory(obligation.resource)
        if text and self._is_left_inside(obligation):
            made = f"What `{text}` {'allocates' if is_memory else 'opens'}"
        subject = f"`{variable}`" if variable else made
        is_held = bool(held_name(self._handles.scene, obligation.node))
        is_released = is_held or obligation.resource in _RELEASED or obligation.resource.startswith("jni-")
        verb = "released" if is_released else "freed" if is_memory or obligation.resource.endswith(_FREED) else "closed"
        return f"{subject} is not {verb} {self._when(loss)}."

    def _when(self, loss: Loss) -> str:
        node = self._handles.scene.nodes[loss.node]
        text = self._witness.text(loss.node)
        if loss.fact[2] & LEFT:
            return "before its connection is"
        if loss.exit in ("throw", "raised") and text in ("", "}"):
            return "when an exception leaves the procedure"
        if loss.exit in ("throw", "raised"):
            return f"when `{text}` throws"
        if loss.exit == "return" and isinstance(node, ir.Return) and text != "}":
            return f"on the path to `{text}`"
        if loss.exit == "return":
            return "at the end of the procedure"
        if isinstance(node, ir.ScopeEnd):
            return "when it goes out of scope"
        if isinstance(node, ir.Copy | ir.Store):
            return f"before `{text}` overwrites it"
        return f"after `{text}`"

    def _cluster(self, rule: str, text: str, ordinal: int) -> str:
        parts = (rule, self._linked.key.path, self._linked.key.name, text, str(ordinal))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _outermost(paths: Sequence[AccessPath]) -> list[AccessPath]:
    """Paths without those that begin with another: what leads from an object back to itself, or into it, is no owner of it."""
    return [each for each in paths if not any(other != each and is_below(each, other) for other in paths)]


def _same_receiver(scene: Scene, one: str, other: str) -> bool:
    """Whether two names are one, or are both read from one field."""
    read = [_field_read(scene, each) for each in (one, other)]
    return one == other or (read[0] is not None and read[0] == read[1])


def _field_read(scene: Scene, name: str) -> tuple[str, str] | None:
    """(base, field) of the one load that gives a temporary its value."""
    nodes = [scene.nodes[each] for each in scene.definitions.get(name, ())] if ir.is_temporary(name) else []
    return (nodes[0].base, nodes[0].field) if len(nodes) == 1 and isinstance(nodes[0], ir.Load) else None


_RELEASED = frozenset((OBJECT, "core-foundation-object", "core-graphics-object", "core-graphics-context", "core-graphics-image", "core-graphics-path", "core-graphics-provider", "io-object", "python-object"))
"""Resources whose references are given back, whatever goes with the last of them."""

_FREED = ("list", "-text", "-string")
"""How resources are called that a function ends whose name says that it frees, though they are no memory of their own."""


def _is_memory(resource: str) -> bool:
    """Whether a resource is memory, the library's own (`heap-memory`) or another's (`glib-memory`)."""
    return resource == MEMORY or resource.endswith("-memory")
