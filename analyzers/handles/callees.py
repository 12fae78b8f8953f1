"""What each call of a procedure does to handles, in the procedure's own access paths.

Library calls by their spec entries, calls into the repository by computed Effects (of all bodies that can
run; a release in one of them counts), the rest by `implied` and `unknown`. Reports too much when a body that
the class hierarchy rules out is thought to acquire; misses what a body that keeps the handle loses.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.frontends.c.link_calls import is_open_alias
from analyzers.graphs.operands import assigned
from analyzers.handles.alternatives import (
    as_results,
    beside_model,
    combine,
    is_guess,
    is_telling,
    lent_by_contract,
    with_model,
)
from analyzers.handles.c.asked_for import asked, sized, taken_for_granted
from analyzers.handles.c.beliefs import believed
from analyzers.handles.c.copied_content import copied_along
from analyzers.handles.c.error_slots import told_by_result, with_error
from analyzers.handles.c.filled import filled_variables, is_initialiser
from analyzers.handles.c.first_shares import with_first_share
from analyzers.handles.c.floating import without_floating
from analyzers.handles.c.insides import is_text_of_values
from analyzers.handles.c.left_open import is_awaited, locked
from analyzers.handles.c.locked_streams import held_by_locks
from analyzers.handles.c.namesakes import is_another, is_declared_otherwise, is_namesake
from analyzers.handles.c.notified import function_of, with_notified, with_own_end
from analyzers.handles.c.numbers import given_as_data
from analyzers.handles.c.own_shares import with_own_share
from analyzers.handles.c.passed_functions import given_along, is_of_the_caller
from analyzers.handles.c.pointer_properties import with_kept_properties
from analyzers.handles.c.python_formats import stolen
from analyzers.handles.c.sent import sent_along
from analyzers.handles.c.spelled import spelled_out
from analyzers.handles.c.types import is_plain_c
from analyzers.handles.c.variadic import use_beyond
from analyzers.handles.c.waited_for import is_only_waited_for
from analyzers.handles.java.answer_bodies import body_of
from analyzers.handles.java.arity import spread
from analyzers.handles.java.asserted import asserted_null
from analyzers.handles.java.captures import as_captured
from analyzers.handles.java.closers import closers
from analyzers.handles.java.customs import customary
from analyzers.handles.java.endless import goes_with_object
from analyzers.handles.java.functions import answered, made_elsewhere
from analyzers.handles.java.given_fields import as_given
from analyzers.handles.java.handed_back import handed_back
from analyzers.handles.java.handed_out import HandedOut
from analyzers.handles.java.handed_through import hands_through
from analyzers.handles.java.held_locks import taken_by
from analyzers.handles.java.implied import (
    Closed,
    believed_acquisition,
    implied_effects,
    is_part,
    lent_by_owner,
    spared,
)
from analyzers.handles.java.invoked import invoked_moves, kept_moves
from analyzers.handles.java.local_readers import is_local_reader
from analyzers.handles.java.own_close import as_asked, made_by
from analyzers.handles.java.own_fields import believed_member, ends_by_another_name, is_filled, may_end
from analyzers.handles.java.promised import is_promised
from analyzers.handles.java.started import used_by_tasks
from analyzers.handles.java.taken_out import TakenOut, holder
from analyzers.handles.java.views import views
from analyzers.handles.relevance import Relevance
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.handles.sites import CallSite, Exposure, Move
from analyzers.handles.unknown import (
    Policy,
    argument_policy,
    is_consuming,
    is_formatted,
    is_printing,
    is_release,
    is_wrapping,
    receiver_policy,
    words_of,
)
from analyzers.queries import ProcedureKey, Target
from analyzers.summaries import AccessPath, Certainty, Condition, Effects, Transfer

MAX_BODIES = 10
"""Bodies of one call that are looked at; a call that may run more is taken as unknown."""

ANY_GLOBAL: AccessPath = ("::?",)
"""Among reads, writes and retains: any global."""

_NO_TARGET = Target((), (), "", False, (), "")


class CallSites:
    """The call sites of a procedure; `closed` where something else is believed of what it closes than what it says."""

    def __init__(self, scene: Scene, closed: Closed | None = None) -> None:
        self._scene = scene
        self._relevance = Relevance(scene, _CLOSERS)
        self._taken_out = TakenOut(scene)
        self._closed = closed if closed is not None else Closed(scene) if scene.is_java else None
        self._handed_out: HandedOut | None = None
        self.sites: dict[int, CallSite] = {}
        for node in scene.cfg.order:
            call = scene.nodes[node]
            if isinstance(call, ir.Call):
                self.sites[node] = self._build(node, call, scene.linked.targets.get(node, _NO_TARGET))
        if not scene.is_java:
            self.sites.update(believed(scene, self.sites))
        scene.handed_back = handed_back(scene, self.sites)
        scene.set_made(frozenset(self._made()), *((frozenset(), frozenset()) if scene.is_java else filled_variables(scene, self.sites)))
        for node in views(scene, self.sites):
            scene.set_made(scene.made | {node}, frozenset(), frozenset())

    def holders(self) -> frozenset[str]:
        """The variables that something is assigned to which a call of this procedure acquires."""
        found: set[str] = set()
        waiting = [each.call.receiver if each.call.kind == "new" else each.call.dst for each in self.sites.values() if each.acquired]
        while waiting:
            name = waiting.pop()
            if name and name not in found:
                found.add(name)
                waiting += [copy.dst for copy in self._scene.copies.get(name, ())]
        return frozenset(found) | self._ended()

    def _ended(self) -> frozenset[str]:
        """The variables and parameters of Java that the procedure releases itself, whatever made them, and those whose content it releases."""
        ended = set()
        for site in self.sites.values() if self._scene.is_java else ():
            for move in site.moves:
                variable = self._scene.variables.get(move.entry[0])
                is_content = move.entry[1:] == (CLOSED_WITH,)
                if variable is None or not (is_content or (len(move.entry) == 1 and variable.kind in ("local", "parameter"))):
                    continue
                if any(each.fate == "released" for each in move.outcomes):
                    ended.add(variable.name)
        return frozenset(ended)

    def closers(self) -> dict[str, tuple[str, ...]]:
        """See `closers.closers`."""
        return closers(self._scene, self.sites.values())

    def _made(self) -> Iterable[int]:
        for node, site in self.sites.items():
            for transfer in site.acquired:
                for outcome in transfer.outcomes:
                    is_sure = self._scene.is_java or site.is_doubtful or outcome.certainty is Certainty.MUST
                    if all(path[0] == "$ret" for path in outcome.paths) and site.call.dst and is_sure and not self._is_added_to(site):
                        yield node
            if site.call.dst and site.is_library and self._is_container(site):
                yield node

    def _is_added_to(self, site: CallSite) -> bool:
        """Whether a library call of C gives what it was passed, and makes something only where that was nothing (`g_list_append`)."""
        return site.is_library and not self._scene.is_java and any(len(move.entry) == 1 and ("$ret",) in outcome.paths for move in site.moves for outcome in move.outcomes)

    def _is_container(self, site: CallSite) -> bool:
        """Whether a library call makes an object that is ready to hold handles (`List.of(in)`), or to become one."""
        if site.effects is not None and site.effects.is_fresh:
            return True
        moves = [move for move in site.moves if len(move.entry) == 1] if site.call.kind == "static" else []
        return any(path[0] == "$ret" and len(path) > 1 for move in moves for outcome in move.outcomes for path in outcome.paths)

    def _build(self, node: int, call: ir.Call, target: Target) -> CallSite:
        actuals = _actuals(call)
        effects = self.effects_of(call, target)
        effects = spread(effects, call, target, self._scene) if effects is not None and self._scene.is_java else effects
        known = effects if effects is not None else Effects()
        moves = tuple(
            Move(entry, transfer.resource, transfer.outcomes) for transfer in known.transfers
            if transfer.entry and (entry := self._local(transfer.entry, actuals)) is not None
        )
        moves = spared(call, moves, node, self._closed, known) if self._closed and effects is not None and not target.procedures else moves
        if self._scene.is_java:
            moves = (*as_asked(call, target, moves, self._scene), *used_by_tasks(self._scene, call))
        moves = (*moves, *invoked_moves(self._scene, call, known, target)) if self._scene.is_java and self._scene.makes_functions else moves
        moves = (*moves, *kept_moves(self._scene, call, moves)) if self._scene.captures else moves
        moves = () if is_only_waited_for(self._scene, call) else tuple(sorted(as_captured(moves, self._scene.captures), key=_precedence))
        is_open = effects is None or self._is_maker(call, target, effects)
        if is_open:
            exposures = self._exposures(node, call, target)
        else:
            exposures = (
                *self._by_address(call, target, known), *self._beside_a_function(call, target, known), *self._by_pointer(call, target),
                *self._beyond(call, target), *self._with_a_function(call, target), *given_along(self._scene, call, target, known),
                *locked(self._scene, call), *given_as_data(self._scene, call, target), *copied_along(self._scene, call, known),
                *sent_along(self._scene, call, target), *(self._relevance.carried(call, target) if effects is _IRRELEVANT else ()),
            )
        if effects is not None and not (effects.is_known or effects.transfers or target.procedures) and self._closed is not None:
            exposures = self._guessed(node, call, self._closed)
        elif effects is not None and target.procedures and self._closed:
            guessed = self._guessed(node, call, self._closed)
            exposures = tuple(each for each in guessed if each.policy is Policy.ESCAPE and _is_unsure(known, moves, each.path))
        elif self._is_guessed_maker(call, target, known):
            exposures = (*exposures, *(each for each in self._exposures(node, call, target) if all(move.entry[0] != each.path[0] for move in moves)))
        elif effects == Effects() and self._is_ended(call, target):
            exposures = (Exposure((call.receiver,), Policy.ESCAPE),)
        exposures = (*exposures, *made_elsewhere(self._scene, call, target, known), *spelled_out(self._scene, call), *held_by_locks(self._scene, call), *stolen(self._scene, call))
        aliases = tuple(path for alias in known.aliases if (path := self._local((alias,), actuals)) is not None)
        is_view = effects is None and self._scene.is_java and (self._is_fluent(call, target) or is_part(call, target, self._scene))
        is_silent = not aliases and all(each.entry[:1] not in ((), ("this",)) for each in known.transfers)
        if is_view or (is_silent and self._is_setter(call, target)):
            aliases = ((call.receiver,),)
        roots = dict.fromkeys((*(move.entry[0] for move in moves), *(exposure.path[0] for exposure in exposures)))
        roots.update(dict.fromkeys(path[0] for path in aliases))
        if effects == Effects() and call.dst and target.is_exact and len(target.procedures) == 1 and self._scene.is_java:
            known = self._answered(known, target.procedures[0])
        acquired = [t for t in known.transfers if not t.entry and self._is_ours(t, call, target) and not is_filled(t, node, call, target, self._scene)]
        is_ownerless = bool(acquired) and self._scene.is_java and bool(target.procedures) and not self._has_closer(holder(call, acquired, target))
        is_doubtful = is_ownerless or is_guess(known) or (self._has_empty_array(call) and self._scene.queries.is_subtype(target.type, _LOADER) is True) or is_awaited(self._scene, call)
        if self._closed and (effects is None or (not acquired and not aliases and self._is_handed_through(call, target))):
            believed = believed_acquisition(call, target, self._scene, self._closed)
            acquired, is_doubtful = ([believed], True) if believed is not None else (acquired, is_doubtful)
        if not acquired and self._scene.is_java:
            own = made_by(call, target, self._scene, self._closed) or body_of(call, target, self._scene) or taken_by(call, target, self._scene) or answered(self._scene, call, target, known)
            own = own or (believed_member(call, target, self._scene) if effects is None else None) or customary(call, target, self._scene, known)
            acquired, is_doubtful = ([own], True) if own is not None else (acquired, is_doubtful)
        result = (*known.result, *asserted_null(self._scene, call, target))
        acquired, given = as_given(acquired, call, self._scene)
        actuals.update(given)
        return CallSite(
            call, actuals, tuple(acquired), moves, exposures, aliases, result, tuple(roots), is_doubtful, self._may_wrap(call, target),
            effects is not None and (not target.procedures or self._is_modelled(target, effects)), effects, is_closed=self._is_closed(node, call),
        )

    def _is_closed(self, node: int, call: ir.Call) -> bool:
        """Whether the procedure closes a local object after a call on it, if that returns."""
        closed = self._closed
        return closed is not None and closed.is_closed_itself(call.receiver) and closed.is_closed_after(call.receiver, node)

    def _is_maker(self, call: ir.Call, target: Target, effects: Effects) -> bool:
        """Whether a method of Java that nobody knows makes something, perhaps of what it is passed, that a field keeps."""
        is_implied = bool(effects.transfers) and not effects.is_known and not target.procedures
        if not is_implied or not self._scene.is_java or call.kind == "new" or not is_wrapping(call.name):
            return False
        names = {call.dst, *(copy.dst for copy in self._scene.copies.get(call.dst, ()))}
        return any(isinstance(node, ir.Store) and node.src in names for node in self._scene.nodes)

    def _is_guessed_maker(self, call: ir.Call, target: Target, effects: Effects) -> bool:
        """Whether a constructor of Java is only believed to open or wrap something: what else it is passed it may keep."""
        return self._scene.is_java and call.kind == "new" and bool(effects.transfers) and not effects.is_known and not target.procedures

    def _is_handed_through(self, call: ir.Call, target: Target) -> bool:
        """Whether a method of the repository hands on what is to be closed, and what nobody knows of."""
        if call.kind == "new" or not call.dst or not target.procedures or self._closed is None:
            return False
        names = (call.dst, *(copy.dst for copy in self._scene.copies.get(call.dst, ())))
        is_closed = any(self._closed.is_closed_itself(each) for each in names)
        return is_closed and bool(self._scene.queries.is_closeable(target.result)) and hands_through(target, self._scene.queries)

    def _answered(self, effects: Effects, key: ProcedureKey) -> Effects:
        """Effects with what a method that always returns the same literal answers."""
        literal = self._scene.queries.constant(key.path, key.name)
        result = (Condition(("$ret",), "==", literal),) if literal else ()
        return msgspec.structs.replace(effects, result=result) if result else effects

    def effects_of(self, call: ir.Call, target: Target) -> Effects | None:
        """The Effects of a call; None where nobody knows any."""
        queries = self._scene.queries
        model = lent_by_owner(queries.model(target.models, target.parameters) if target.models else None, call, target, self._scene)
        if model is not None and not self._scene.is_java and is_namesake(model, call, target, self._scene.linked.types):
            model = None
        if model is not None and not self._scene.is_java and not target.procedures and is_declared_otherwise(model, call.name, target, self._scene):
            model = None
        if not target.procedures or self._are_too_many(target):
            if (model is not None and not self._is_reader(call, model)) or not self._scene.is_java:
                told = asked(call, model)
                if told is not None and not self._scene.is_java:
                    told = taken_for_granted(told, call, self._scene)
                made = with_own_share(without_floating(told, call, self._scene), call, self._scene)
                return with_kept_properties(with_notified(with_error(made, call, self._scene, target.result), call, self._scene), call, self._scene)
            return implied_effects(call, target, self._scene)
        if not self._scene.is_java:
            # A model that says nothing but «borrows», or is a rule for all of a library, is for the library's callers: here is that itself.
            if model is not None and call.kind == "pointer":
                return beside_model(model, [queries.effects(key) for key in target.procedures])
            if model is not None and is_telling(model, map(queries.never_returns, target.procedures)) and not is_another(model, target, self._scene):
                return self._replaced(asked(call, model) or model, target)
            bodies = told_by_result(combine([queries.effects(key) for key in target.procedures]), target)
            if model is not None and call.kind == "function" and not (model.transfers or model.is_fresh or model.is_rule):
                bodies = lent_by_contract(bodies, target, self._scene.linked.key.path)
            return with_own_end(with_first_share(sized(call, bodies), call, target, self._scene), call, self._scene)
        if model is None and not self._relevance.is_relevant(call, target) and not self._taken_out.is_asked(call):
            return _IRRELEVANT
        bodies = combine([queries.effects(key) for key in target.procedures])
        if len(target.procedures) > 1 and queries.is_closeable(target.result) and not queries.declaring_file(target.result):
            bodies = as_results(bodies)
        is_own = call.kind == "new" and not any(_is_anonymous(key.name) for key in target.procedures)
        return bodies if model is None or is_own else with_model(bodies, model, target)

    def _are_too_many(self, target: Target) -> bool:
        """Whether nobody asks all the bodies of a call. Those that hand out something to close are few, and worth it."""
        if len(target.procedures) <= MAX_BODIES:
            return False
        return not self._scene.is_java or not self._scene.queries.is_closeable(target.result)

    def _is_modelled(self, target: Target, effects: Effects) -> bool:
        """Whether what the library says of a call of C is taken, though the program has something by that name."""
        if self._scene.is_java or not target.models or not effects.transfers:
            return False
        model = self._scene.queries.model(target.models, target.parameters)
        return model is not None and effects.transfers == model.transfers and not is_another(model, target, self._scene)

    def _has_empty_array(self, call: ir.Call) -> bool:
        """Whether a new array is passed first into which nothing is stored (`new URL[0]`)."""
        first = call.args[0] if call.args else ""
        nodes = [self._scene.nodes[each] for each in self._scene.definitions.get(first, ())]
        is_new = bool(nodes) and all(isinstance(each, ir.Alloc) for each in nodes)
        return is_new and not any(isinstance(each, ir.StoreElement) and each.base == first for each in self._scene.nodes)

    def _is_ended(self, call: ir.Call, target: Target) -> bool:
        """Whether a method of the repository's own that has no body is named as one that ends its receiver, whatever is
        said of the library that its type comes from."""
        is_own = self._scene.is_java and bool(call.receiver) and not target.procedures and bool(target.type)
        return is_own and not target.type.startswith(("java.", "javax.")) and receiver_policy(call) is Policy.ESCAPE

    def _is_reader(self, call: ir.Call, model: Effects) -> bool:
        """Whether a function of a library that is said to borrow is named after a stream that it makes over what it gets."""
        return (
            self._scene.is_java and call.kind == "static" and bool(call.dst and call.args) and not (model.transfers or model.aliases or model.is_apart)
            and words_of(call.name)[-1:] in (("reader",), ("writer",), ("stream",), ("channel",))
        )

    def _replaced(self, model: Effects, target: Target) -> Effects:
        """The model of a function of C that the program replaces by its own (`closedir`), or that is called inside of the library
        itself: its body frees what the program's `opendir` made, and keeps what the model says nothing of."""
        bodies = [self._scene.queries.effects(key) for key in target.procedures if not self._renames(key)]
        known = {(transfer.entry, transfer.resource) for transfer in model.transfers}
        told = {transfer.entry for transfer in model.transfers}
        is_release = any(outcome.fate == "released" for transfer in model.transfers for outcome in transfer.outcomes)
        own = [
            transfer for transfer in (combine(bodies).transfers if bodies else ())
            if transfer.entry and (
                transfer.entry not in told
                or (is_release and (transfer.entry, transfer.resource) not in known and any(end.fate == "released" for end in transfer.outcomes))
            )
        ]
        return msgspec.structs.replace(model, transfers=(*model.transfers, *own)) if own else model

    def _renames(self, key: ProcedureKey) -> bool:
        """Whether something is but a macro that puts the name of a function in the place of the library's that nobody knows."""
        body = self._scene.queries.procedure(key)
        return body is not None and body.kind == "macro" and not self._scene.queries.effects(key).is_known

    def _local(self, path: AccessPath, actuals: dict[str, str]) -> AccessPath | None:
        root = path[0]
        if root[:2] == "::":
            return path
        actual = actuals.get(root, "")
        if not actual or ir.is_literal(actual):
            return None
        return self._scene.normalise((actual, *path[1:]))

    def _exposures(self, node: int, call: ir.Call, target: Target) -> tuple[Exposure, ...]:
        scene = self._scene
        found = []
        is_the_callers = not scene.is_java and is_of_the_caller(scene, call)
        has_callback = not scene.is_java and any(self._is_function(argument) for argument in call.args)
        is_any = not scene.is_java and not target.procedures and is_open_alias(scene.queries.macro(scene.linked.key.path, call.name))
        is_reader = scene.is_java and is_local_reader(call, target, scene)
        if call.receiver and call.kind != "pointer":
            found.append(Exposure((call.receiver,), receiver_policy(call)))
        for position, argument in enumerate(call.args):
            if not argument or ir.is_literal(argument):
                continue
            policy = argument_policy(call, target, position, language=scene.linked.language)
            if has_callback or is_any:
                policy = Policy.ESCAPE
            elif is_the_callers or is_reader:
                policy = min(policy, Policy.DOUBT)
            if self._closed and not is_release(call.name) and self._closed.is_closed_after(argument, node):
                policy = min(policy, Policy.DOUBT)
            elif policy is Policy.DOUBT and self._is_taken(argument, node, call, target):
                policy = Policy.ESCAPE
            found.append(Exposure((argument,), policy))
            if argument in scene.addresses:
                policy = policy if scene.is_aggregate(scene.addresses[argument][0]) else max(policy, Policy.ESCAPE)
                found.append(Exposure(scene.addresses[argument], policy))
        return tuple(each for each in found if each.policy is not Policy.BORROW)

    def _is_taken(self, argument: str, node: int, call: ir.Call, target: Target) -> bool:
        """Whether the procedure shows that a method of Java that nobody knows has an argument from then on, also when it fails, or
        its declaration says so."""
        if self._closed and self._closed.is_closed_on_failure(argument, node):
            return True
        if self._scene.is_java and is_promised(argument, call, target, self._scene):
            return True
        if not self._scene.is_java or not self._may_wrap(call, target):
            return False
        self._handed_out = self._handed_out or HandedOut(self._scene.nodes)
        return call.dst in self._handed_out.names

    def _guessed(self, node: int, call: ir.Call, closed: Closed) -> tuple[Exposure, ...]:
        """What becomes of the arguments of a library method behind which anything may run (`Function.apply`)."""
        return tuple(
            Exposure((argument,), Policy.ESCAPE if closed.is_closed_on_failure(argument, node) else Policy.DOUBT)
            for argument in call.args if argument and not ir.is_literal(argument)
        )

    def _may_be_a_handle(self, name: str) -> bool:
        """Whether a variable of C holds a pointer or a number, not what only a library fills (`regex_t`)."""
        written = self._scene.type_of(name)
        if self._scene.is_aggregate(name):
            return False
        is_value = not written or "*" in written or is_plain_c(written)
        return is_value or any(name in assigned(node) and not is_initialiser(node) for node in self._scene.nodes)

    def _by_address(self, call: ir.Call, target: Target, effects: Effects) -> tuple[Exposure, ...]:
        """The variables of C whose address a library gets that tells nothing of them: it may copy what they hold."""
        scene = self._scene
        if scene.is_java or target.procedures:
            return ()
        told = [path[0] for each in effects.transfers for path in (each.entry, *(p for end in each.outcomes for p in end.paths)) if path]
        told += [path[0] for path in effects.writes]
        found = []
        for position, argument in enumerate(call.args):
            place = scene.addresses.get(argument, ())
            if len(place) == 1 and self._may_be_a_handle(place[0]) and f"${position}" not in told:
                found.append(Exposure(place, Policy.ESCAPE))
        return tuple(found)

    def _by_pointer(self, call: ir.Call, target: Target) -> tuple[Exposure, ...]:
        """What a function of C gets that is called through a pointer: others than the program's own may be stored there."""
        if self._scene.is_java or call.kind != "pointer" or target.is_exact or not target.procedures:
            return ()
        policy = Policy.ESCAPE if is_release(call.name) else Policy.DOUBT
        return tuple(Exposure((each,), policy) for each in call.args if each and not ir.is_literal(each))

    def _beyond(self, call: ir.Call, target: Target) -> tuple[Exposure, ...]:
        """What a function of the program's own gets beyond its parameters (`...`), if it does not just print that."""
        fixed = len(target.parameters) - (target.parameters[-1:] == ("...",))
        if self._scene.is_java or not target.procedures or not fixed or fixed >= len(call.args):
            return ()
        passed = [(position, each) for position, each in enumerate(call.args) if position >= fixed and each and not ir.is_literal(each)]
        use = use_beyond(self._scene.queries, target) if passed else ""
        if use == "taken":
            taken = [each for position, each in passed if not is_formatted(call, position)]
            return tuple(Exposure(path, Policy.ESCAPE) for each in taken for path in ((each,), self._scene.addresses.get(each, ())) if path)
        passed = [(position, each) for position, each in passed if not is_printing(call, position)]
        is_lent = [use == "lent" or "char" in self._scene.type_of(each) for _, each in passed]
        return tuple(Exposure((each,), Policy.DOUBT if lent else Policy.ESCAPE) for (_, each), lent in zip(passed, is_lent, strict=True))

    def _beside_a_function(self, call: ir.Call, target: Target, effects: Effects) -> tuple[Exposure, ...]:
        """What a library of which nothing is told gets together with a function, which may be there to free it
        (`sqlite3_bind_text(statement, 1, text, -1, free)`); not the object that a method is called on."""
        is_told = any(each.entry for each in effects.transfers) or effects.invokes or effects.returns == "never"
        if self._scene.is_java or target.procedures or is_told:
            return ()
        if not any(self._is_function(argument) for argument in call.args):
            return ()
        is_maker = bool(effects.transfers)
        return tuple(
            Exposure((argument,), Policy.ESCAPE)
            for argument in call.args[1:] if argument and not ir.is_literal(argument) and not self._is_function(argument)
            and (not is_maker or "*" in self._scene.type_of(argument))
        )

    def _with_a_function(self, call: ir.Call, target: Target) -> tuple[Exposure, ...]:
        """What a function of C of the program's own gets together with a function that it may call with it later
        (`read_file(name, when_read, request)`)."""
        if self._scene.is_java or not target.procedures or self._scene.queries.model(target.models, target.parameters) is not None:
            return ()
        found = []
        for position, argument in enumerate(call.args):
            is_any = target.parameters[position : position + 1] and "".join(target.parameters[position].split()).startswith("void*")
            is_beside = any(self._is_function(each) for each in call.args[max(position - 1, 0) : position + 2] if each)
            if is_any and is_beside and argument and not ir.is_literal(argument):
                found.append(Exposure((argument,), Policy.DOUBT))
        return tuple(found)

    def _is_function(self, argument: str) -> bool:
        """Whether an argument is a function: one that is known, or that the library has."""
        name = function_of(argument, self._scene)
        return bool(name) and (ir.is_literal(argument) or self._scene.queries.model((name,), ()) is not None)

    def _may_wrap(self, call: ir.Call, target: Target) -> bool:
        """Whether the type of the result leaves room for a handle."""
        if not call.dst:
            return call.kind == "new" and self._scene.is_java
        result = target.result or self._scene.type_of(call.dst)
        if self._scene.is_java:
            is_read = not target.result and is_consuming(call.name) and not self._scene.queries.is_closeable(result)
            return result not in PLAIN_JAVA and not is_read
        return "*" in result and not is_text_of_values(self._scene, call, result)

    def _is_fluent(self, call: ir.Call, target: Target) -> bool:
        """Whether an unknown method returns its receiver's own type, as builders do."""
        return bool(
            self._scene.is_java and call.kind == "virtual" and call.dst and call.receiver
            and target.result and target.result == target.type
        )

    def _is_ours(self, transfer: Transfer, call: ir.Call, target: Target) -> bool:
        """Whether somebody can release what a method of the repository hands out, or leaves in an object that it gets.

        An object that holds a handle in a field and has no way to close it is for its class to answer for, and so is what its
        own `close` opens anew; the elements of a collection are for who gets it.
        """
        if not self._scene.is_java or not target.procedures:
            return True
        if call.name == "close" and not call.args and all(path[0] == "this" for end in transfer.outcomes for path in end.paths):
            return False
        for outcome in transfer.outcomes:
            owners: list[tuple[str, str]] = []
            for path in outcome.paths:
                if len(path) == 1 or path[1:] == ("[]",):
                    return True
                owners.append((self._owner(path[0], call, target), path[1]))
            if any(owner and not self._has_closer(owner) and not ends_by_another_name(owner, field, self._scene) for owner, field in owners):
                return goes_with_object(transfer, call, target, self._scene.queries) or self._taken_out.is_taken(call, outcome)
            if owners and not any(not owner or self._may_end(owner, field) or ends_by_another_name(owner, field, self._scene) for owner, field in owners):
                return False
        return True

    def _owner(self, root: str, call: ir.Call, target: Target) -> str:
        """The type of the object of the repository that a path into a callee begins with; empty where that is not known."""
        if root in ("$ret", "this"):
            return target.result if root == "$ret" else target.type
        position = int(root[1:]) if root[1:].isdigit() else len(call.args)
        declared = target.parameters[position] if position < len(target.parameters) else ""
        found = declared or (self._scene.type_of(call.args[position]) if position < len(call.args) else "")
        return found if found and self._scene.queries.declaring_file(found) else ""

    def _is_setter(self, call: ir.Call, target: Target) -> bool:
        """Whether a library method whose result nobody declares sets something, and its result is used: that is its receiver again."""
        if not self._scene.is_java or call.kind != "virtual" or not call.dst or not call.receiver or target.result or target.procedures:
            return False
        return (words_of(call.name)[:1] in _SETTING or self._is_set_on(call)) and self._scene.type_of(call.dst) not in PLAIN_JAVA

    def _is_set_on(self, call: ir.Call) -> bool:
        """Whether a chain on a new object goes on to set something: `new Options().optimize().setLimit(1)`."""
        places = self._scene.definitions.get(call.receiver, ()) if ir.is_temporary(call.dst) else ()
        if not places or not isinstance(self._scene.nodes[places[0]], ir.Alloc):
            return False
        chained = next((each for each in self._scene.nodes if isinstance(each, ir.Call) and each.receiver == call.dst != each.dst), None)
        return chained is not None and words_of(chained.name)[:1] in _SETTING

    def _has_closer(self, type_name: str) -> bool:
        queries = self._scene.queries
        if queries.is_closeable(type_name):
            return True
        return any(queries.methods(type_name, name) for name in _CLOSERS)

    def _may_end(self, type_name: str, field: str) -> bool:
        """Whether a class that has ways to end its objects may end what lies in a field that way."""
        return not field.isidentifier() or bool(self._scene.queries.is_closeable(type_name)) or may_end(type_name, _CLOSERS, field, self._scene)


_IRRELEVANT = Effects()
"""What a call does of which no body is read."""

_LOADER = "java.net.URLClassLoader"
"""What holds nothing before it knows a place to load from."""

_SETTING = (("set",), ("with",), ("add",), ("enable",), ("disable",), ("allow",), ("use",))
"""Words that the names of methods begin with that change their receiver and return it, where they return anything."""

_CLOSERS = ("close", "dispose", "release", "shutdown", "stop", "destroy", "disconnect", "cleanup", "cleanUp", "finish", "free")


def _is_unsure(effects: Effects, moves: tuple[Move, ...], path: AccessPath) -> bool:
    """Whether a method of the repository passes an argument on to somebody unknown."""
    passed = (outcome for move in moves if move.entry == path for outcome in move.outcomes)
    return not effects.is_known or any(outcome.certainty is Certainty.MAY for outcome in passed)


def _is_anonymous(procedure: str) -> bool:
    """Whether a constructor is that of an anonymous class, for which its superclass speaks."""
    return procedure.partition("(")[0].removesuffix(".<init>").rpartition("$")[2].isdigit()


def _precedence(move: Move) -> tuple[int, bool]:
    return (-len(move.entry), all(outcome.fate != "released" for outcome in move.outcomes))


def _actuals(call: ir.Call) -> dict[str, str]:
    actuals = {f"${position}": argument for position, argument in enumerate(call.args)}
    if call.kind != "pointer":
        actuals["this"] = call.receiver
    if call.kind == "new" and not call.dst:
        actuals["$ret"] = call.receiver
    return actuals
