"""What a procedure of C believes of callees that nobody knows, by what it releases afterwards.

What it releases whatever a callee has answered, or where that succeeded, the callee has only borrowed; what it releases on one path, and
got from a callee that is not named for looking, it has to release on all; what `x_new` makes where there is an `x_free`,
and what `x_init` begins, too. After Engler et al., «Bugs as deviant behavior». Guesses, never witnessed. Reports too much
when a callee hands out what it keeps, and the procedure knows when; misses what nothing in the tree releases.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.graphs.liveness import solve_bits
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.c.allocators import MEMORY, OBJECT, own_account
from analyzers.handles.c.arguments import Arguments
from analyzers.handles.c.asked_for import is_compared_with
from analyzers.handles.c.begun import (
    CLEARING,
    is_emptying,
    is_filling,
    is_given_away,
    is_last_clear,
    is_named_alike,
)
from analyzers.handles.c.elsewhere import RESULT, Elsewhere
from analyzers.handles.c.error_slots import GERROR_SLOT, error_of, told_where_it_is_read
from analyzers.handles.c.failures import FAILING, is_failure, is_only_a_number, is_status, succeeding
from analyzers.handles.c.filled import is_initialiser
from analyzers.handles.c.moved_on import is_moved_on
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite, Exposure, Move
from analyzers.handles.unknown import (
    Policy,
    endings,
    ends_a_part,
    family,
    gives_away,
    is_ender,
    is_freeing,
    is_inserting,
    is_maker,
    is_method,
    is_releaser,
    is_taking,
    may_make,
    words_of,
)
from analyzers.summaries import Condition, Outcome, Transfer

_DESCRIPTOR = "descriptor"
_OPEN = Outcome("return", (Condition(("$ret",), ">=", "=0"),), "held", (("$ret",),))
"""The outcome of a call that gives a descriptor."""
_HELD = Outcome("return", (Condition(("$ret",), "!=", "=null"),), "held", (("$ret",),))
_FREED = Outcome("return", (), "released")
_STEPS = 6
"""Instructions between a call and the test of its result."""

_WAY = 30
"""Instructions between that test and the answers of the ways that fail."""

_BEGINNING = frozenset(("init", "initialise", "initialize", "inited"))


def believed(scene: Scene, sites: dict[int, CallSite]) -> dict[int, CallSite]:
    """The call sites that the procedure's own releases say more of."""
    unknown = [node for node, site in sites.items() if site.effects is None and site.call.kind == "function"]
    passing = [node for node, site in sites.items() if site.effects is not None and any(_is_presumed(move) for move in site.moves)]
    if not (unknown or passing):
        return {}
    beliefs = _Beliefs(scene, sites)
    changed = {}
    for node in (*unknown, *passing):
        site = beliefs.site(node) if sites[node].effects is None else beliefs.passed_on(node)
        if site is not sites[node]:
            changed[node] = site
    return changed


class _Beliefs:
    def __init__(self, scene: Scene, sites: dict[int, CallSite]) -> None:
        self._scene = scene
        self._sites = sites
        self._names = Arguments(scene)
        self._source, self._member, self._value = self._names.source, self._names.member, self._names.value
        self._clears = {
            id(site.call) for node, site in sites.items()
            if site.effects is None and site.call.args and is_last_clear(scene, node, self._value(site.call.args[0]))
        }
        """The calls that empty a struct of which nothing is wanted any more."""
        released: dict[int, tuple[str, ...]] = {}
        self._resources: dict[str, str] = {}
        self._families: dict[str, bool] = {}
        self._elsewhere = Elsewhere(scene.queries, scene.linked.key)
        self._enders: dict[str, set[str]] = {}
        """Per variable the words in the names of the callees that end what it holds, and that nobody knows."""
        for node, site in sites.items():
            names = self._released(site)
            if names:
                released[node] = names
        ordered = sorted({name for found in released.values() for name in found})
        self.bits = {name: 1 << index for index, name in enumerate(ordered)}
        if self.bits:
            self._solve(released)

    def _released(self, site: CallSite) -> tuple[str, ...]:
        """The variables that a call releases what they point to."""
        found: dict[str, None] = {}
        for move in site.moves:
            name = self._source(move.entry[0]) if len(move.entry) == 1 else self._member(move.entry) if len(move.entry) == 2 else ""
            if name and _ends(move):
                found[name] = None
                if move.resource == MEMORY or name not in self._resources:
                    self._resources[name] = move.resource or OBJECT
        if site.effects is None and (name := self._ended(site.call)):
            found[name] = None
            self._resources[name] = OBJECT if is_releaser(site.call.name) or not is_freeing(site.call.name) else MEMORY
            self._enders.setdefault(name, set()).update(words_of(site.call.name))
        return tuple(found)

    def _ended(self, call: ir.Call) -> str:
        """The variable that a callee which nobody knows ends, by its name: what it gets first, or the one pointer of the procedure's own
        where it gets more (`mem_free(pool, text)`, `FREE(KIND, text)`)."""
        is_clear = id(call) in self._clears
        if not call.args or not (is_ender(call.name) or is_clear):
            return ""
        name = self._value(call.args[0]) or self._source(call.args[0])
        if not is_clear and ends_a_part(call.name, self._scene.type_of(name)):
            return ""
        is_first = (is_releaser(call.name) or is_clear) and not ir.is_literal(name) and name not in self._scene.addresses
        if is_first and (len(call.args) == 1 or name not in self._scene.formals):
            return name
        if len(call.args) == 1 or call.name.isupper() or is_releaser(call.name):
            own = [each for argument in call.args if (each := self._names.pointer(argument))]
            if len(own) == 1:
                return own[0]
        return name if is_first else ""

    def _solve(self, released: dict[int, tuple[str, ...]]) -> None:
        scene = self._scene
        reads, keeps = [0] * len(scene.nodes), [-1] * len(scene.nodes)
        grown = self._grown()
        named, fields = dict[str, int](), dict[str, int]()
        for name, bit in self.bits.items():  # A variable with its members, and the members of one name, whatever they are members of.
            root, arrow, field = name.partition("->")
            named[root] = named.get(root, 0) | bit
            if arrow:
                fields[field] = fields.get(field, 0) | bit
        for node in scene.cfg.order:
            for name in released.get(node, ()):
                reads[node] |= self.bits[name]
            instruction = scene.nodes[node]
            for name in (*assigned(instruction), *self._filled_by(node)):
                if (node, name) not in grown:
                    keeps[node] &= ~named.get(name, 0)
            if isinstance(instruction, ir.Store):
                keeps[node] &= ~fields.get(instruction.field, 0)
        self._before, self._after = solve_bits(scene.cfg, reads, keeps)
        ends = [0] * len(scene.nodes)
        ends[ir.EXIT] = 1
        self._returning = solve_bits(scene.cfg, ends, [-1] * len(scene.nodes))[0]

    def _grown(self) -> frozenset[tuple[int, str]]:
        """The assignments of `x = grow(x)`, and their variables: who releases x afterwards releases what it was before, too."""
        return frozenset(
            (at, name) for node, site in self._sites.items() if site.effects is None
            for at, name in self._takers(node) if name in map(self._source, site.call.args)
        )

    def _filled_by(self, node: int) -> tuple[str, ...]:
        """The variables whose addresses a call is passed, and that it does not release."""
        site = self._sites.get(node)
        if site is None or is_releaser(site.call.name):
            return ()
        return tuple(self._scene.addresses[each][0] for each in site.call.args if each in self._scene.addresses and not self._value(each))

    def site(self, node: int) -> CallSite:
        """What is believed of a call that nobody knows: of what it gives, and of the error that it leaves."""
        site = self._given(node)
        target = self._scene.linked.targets.get(node)
        if self._is_only_freeing(site):
            freed = site.call.args[0]
            site = msgspec.structs.replace(site, exposures=(Exposure((freed,), Policy.DOUBT),), moves=(*site.moves, Move((freed,), "", (_FREED,))))
        error = error_of(site.call, self._scene, target.result if target is not None else "", site.acquired, is_declared=False)
        return site if error is None else msgspec.structs.replace(site, acquired=(*site.acquired, error), is_doubtful=True)

    def _is_only_freeing(self, site: CallSite) -> bool:
        """Whether a callee that nobody knows frees a block, and leaves what lies in it alone."""
        is_one = len(site.call.args) == 1 and not ir.is_literal(site.call.args[0]) and site.call.args[0] not in self._scene.addresses
        return is_one and not site.moves and self._elsewhere.frees_blocks(site.call.name)

    def _given(self, node: int) -> CallSite:
        site = self._sites[node]
        remade = frozenset(name for _, name in self._takers(node))
        if self._is_within(site.call):
            exposures = tuple(msgspec.structs.replace(each, policy=min(each.policy, Policy.DOUBT)) for each in site.exposures)
        else:
            exposures = tuple(self._believed(node, each, remade) if len(each.path) == 1 else each for each in site.exposures)
        if exposures != site.exposures:
            site = msgspec.structs.replace(site, exposures=exposures)
        filled = self._filled(node)
        is_number = bool(filled[0]) and not any(self._scene.c_types.may_point(self._scene.type_of(name)) for _, name in self._takers(node))
        transfer = None if is_number else self._made(node) or self._begun(node)  # `status = ring_create(&ring);` gives the ring.
        made, is_evident = filled if transfer is None else ((transfer,), self._is_evident(node))
        if not made:
            site = own_account(site, self._scene.linked.targets.get(node), self._scene)
            return site if site.acquired else self._shown(node, site)
        return msgspec.structs.replace(site, acquired=made, is_doubtful=True, is_evident=is_evident)

    def passed_on(self, node: int) -> CallSite:
        """A call of a function that passes what it gets to a callee that nobody knows: what is released behind it was only borrowed."""
        site = self._sites[node]
        lent = [
            move for move in site.moves
            if _is_presumed(move) and all(_stays(each, move, site) for each in move.outcomes) and self._is_released_behind(node, move.entry[0])
        ]
        if not lent:
            return site
        doubted = tuple(Exposure(move.entry, Policy.DOUBT) for move in lent)
        return msgspec.structs.replace(site, moves=tuple(move for move in site.moves if move not in lent), exposures=(*site.exposures, *doubted))

    def _shown(self, node: int, site: CallSite) -> CallSite:
        """A call with what other procedures of the file show of it."""
        scene, call = self._scene, site.call
        given: list[Transfer] = []
        if is_releaser(call.name):
            return site  # `drop(&name)` sets it to null: releases of it that follow do nothing.
        if call.dst and any(scene.c_types.may_point(scene.type_of(name)) for _, name in self._takers(node)):
            is_given, is_block = self._elsewhere.given(call.name, RESULT)
            given += [Transfer((), MEMORY if is_block else OBJECT, "", (_HELD,))] if is_given else []
        for position, argument in enumerate(call.args if not given else ()):
            place = scene.addresses.get(argument, ())
            if len(place) != 1 or "*" not in scene.type_of(place[0]):
                continue
            when = self._compared(node) if call.dst else ()
            is_given, is_block = self._elsewhere.given(call.name, position) if when is not None else (False, False)
            if is_given and when is not None:
                held = Outcome("return", when, "held", ((f"${position}", "*"),))
                given.append(Transfer((), MEMORY if is_block else OBJECT, "", (held,)))
        return msgspec.structs.replace(site, acquired=tuple(given), is_doubtful=True) if given else site

    def _compared(self, node: int) -> tuple[Condition, ...] | None:
        """What the result of a call is when it has done its work, where it is compared with a number at once; else None."""
        scene, at = self._scene, self._test_of(node)
        branch = scene.nodes[at] if at is not None else None
        if not isinstance(branch, ir.Branch) or branch.left not in {name for _, name in self._takers(node)} or branch.operator == "true":
            return None
        if branch.operator not in guard.NEGATED or not ir.is_literal(branch.right):
            return None
        is_below = branch.operator == "!=" and branch.right.startswith("=-")  # `!= EOF`
        is_success = is_below or (branch.operator == "==" and guard.literal(branch.right) == guard.ZERO) or branch.operator in (">", ">=")
        return (Condition(("$ret",), branch.operator if is_success else guard.NEGATED[branch.operator], branch.right),)

    def _believed(self, node: int, exposure: Exposure, remade: frozenset[str]) -> Exposure:
        """What becomes of an argument: `x = grow(x)` may have moved it, what is released afterwards was borrowed."""
        if self._source(exposure.path[0]) in remade:
            return msgspec.structs.replace(exposure, policy=Policy.ESCAPE)
        name = exposure.path[0]
        parts = self._stored_in(name)
        is_lent = all(self._is_lent(node, each) for each in parts) if parts else self._is_lent(node, name)
        return msgspec.structs.replace(exposure, policy=Policy.DOUBT) if is_lent else exposure

    def _stored_in(self, name: str) -> tuple[str, ...]:
        """The variables that members of a struct of the procedure's own are set to, if they may point to something."""
        scene = self._scene
        if not scene.is_aggregate(name):
            return ()
        stored = [node.src for node in scene.nodes if isinstance(node, ir.Store) and node.base == name]
        return tuple(dict.fromkeys(
            each for each in stored if not ir.is_literal(each) and each not in scene.addresses and scene.c_types.may_point(scene.type_of(each))
        ))

    def _takers(self, node: int) -> list[tuple[int, str]]:
        """The variables that a call's result is assigned to, right after it, and where."""
        scene, name = self._scene, self._sites[node].call.dst
        found = [(node, name)] if name else []
        for _ in range(_STEPS if name else 0):
            following = scene.cfg.normal[node]
            if len(following) != 1:
                break
            node = following[0]
            if identity(scene.nodes[node]) in [each for _, each in found]:
                found += [(node, each) for each in assigned(scene.nodes[node])]
        return found

    def _begun(self, node: int) -> Transfer | None:
        """What a call named `x_init` may put into a struct of the procedure's own, where somebody calls `x_free`; where its result is
        asked, only if that says so."""
        call = self._sites[node].call
        name = self._value(call.args[0]) if call.args else ""
        if not name or self._sites[node].effects is not None:
            return None
        is_ended = name in self.bits and bool(self._after[node] & self.bits[name])
        ending = self._enders.get(name, frozenset[str]()) if is_ended else frozenset[str]()
        is_init = bool(endings(call.name)) and ((is_ended and CLEARING.isdisjoint(ending)) or self._is_mentioned(call.name, endings(call.name)))
        if not is_init and not is_filling(self._scene, node, name, ending or self._elsewhere.enders(call.name, self._scene.type_of(name))):
            return None
        if is_given_away(self._scene, name, or_answers=not is_init):
            return None
        when: tuple[Condition, ...] | None = ()
        if call.dst and self._test_of(node) is not None:
            success = self._success(node, self.bits[name]) if is_ended else None
            when = (success[0],) if success is not None else self._compared(node)
        return Transfer((), OBJECT, "", (Outcome("return", when, "held", (("$0", "*"),)),)) if when is not None else None

    def _is_lent(self, node: int, argument: str) -> bool:
        """Whether what a call is passed is released afterwards, whatever the call answers."""
        call = self._sites[node].call
        name = self._value(argument) or self._source(argument)
        bit = self.bits.get(name, 0)
        is_first = argument == call.args[0] or (name != "" and name == self._value(call.args[0])) if call.args else False
        if name and name == self._ended(call):
            return False
        is_entry = len(self._scene.addresses.get(argument, ())) > 1 and any(each in self._scene.addresses for each in call.args[1:])
        if is_first and is_method(call.name, self._scene.type_of(name)) and not (is_entry and is_inserting(call.name)):
            return True  # `list_add(&x->entry, &all)` puts its first argument into the other one.
        if self._is_like_a_text(call, argument) or (is_first and self._value(call.args[0]) == name and is_named_alike(call, self._enders.get(name, ()))):
            return True
        return self._is_released_behind(node, name if bit else self._walked(name) or self._moved_in(name))

    def _walked(self, name: str) -> str:
        """The variable in whose block a pointer begins to walk that a callee gets the address of, to move it on (`p = line; w = word(&p);`)."""
        if name in self._scene.addresses and len(self._scene.addresses[name]) == 1:
            name = self._scene.addresses[name][0]
        elif (name,) not in self._scene.addresses.values():
            return ""
        made = [self._scene.nodes[node] for node in self._scene.definitions.get(name, ())]
        begun = {self._source(identity(each)) for each in made if name not in operands(each)}
        return begun.pop() if len(begun) == 1 else ""

    def _moved_in(self, name: str) -> str:
        """The variable in whose block a temporary points somewhere (`fill(text + length)`)."""
        places = self._scene.definitions.get(name, ()) if ir.is_temporary(name) else ()
        made = self._scene.nodes[places[0]] if len(places) == 1 else None
        return made.operands[0] if isinstance(made, ir.Op) and made.operator == "[]+" and made.operands[0] in self.bits else ""

    def _is_released_behind(self, node: int, name: str) -> bool:
        """Whether what a variable holds is released behind a call, whatever the call answers, or where it says that it has succeeded."""
        call, name = self._sites[node].call, self._value(name) or self._source(name)
        bit = self.bits.get(name, 0)
        if not bit or is_releaser(call.name) or not self._after[node] & bit:
            return False
        if is_emptying(call) and any(self._value(each) == name for each in call.args):
            return False
        branch = self._test_of(node)
        if branch is None:
            return True
        sides = self._scene.cfg.normal[branch]
        good = [side for side in sides if not self._fails(side)]
        if len(good) == 2 and isinstance(test := self._scene.nodes[branch], ir.Branch):
            good = succeeding(test, good)
        if len(good) == 1:
            return bool(self._before[good[0]] & bit)
        return all(self._before[side] & bit or not self._returning[side] for side in sides)

    def _is_within(self, call: ir.Call) -> bool:
        """Whether a call gets places inside of one object only, and links them with each other, or begins one of them."""
        places = [self._scene.addresses.get(each, ()) for each in call.args if not self._is_number(each)]
        is_one = len({place[:1] for place in places}) == 1 and all(len(place) > 1 for place in places)
        return is_one and (len(places) > 1 or not _BEGINNING.isdisjoint(words_of(call.name.lower())))

    def _is_number(self, argument: str) -> bool:
        """Whether an argument cannot be a pointer: by its type, or because it is a constant (`TABLE_SIZE`)."""
        place, written = self._scene.loads.get(argument, ("",)), self._scene.type_of(argument)
        is_told = not self._scene.c_types.may_point(written) if written else len(place) == 1 and place[0][:2] == "::" and place[0].isupper()
        return ir.is_literal(argument) or (is_told and argument not in self._scene.addresses)

    def _is_like_a_text(self, call: ir.Call, argument: str) -> bool:
        """Whether others pass what nobody may free where this argument stands."""
        if call.kind != "function" or is_releaser(call.name) or is_inserting(call.name) or not self._is_of_characters(argument):
            return False
        is_read = any(isinstance(self._scene.nodes[each], ir.Load) for each in self._scene.definitions.get(argument, ()))
        places = [position for position, each in enumerate(call.args) if each == argument]
        return (is_moved_on(self._scene, argument) and not is_taking(call.name)) or (bool(places) and all(self._elsewhere.is_shown_texts(call.name, position, or_members=not is_read) for position in places))

    def _is_of_characters(self, argument: str) -> bool:
        written = self._scene.type_of(self._source(argument) or argument)
        return "char" in written.split() or written == "char*" or written.endswith("char *")

    def _fails(self, node: int) -> bool:
        """Whether all ways lead straight to an answer that says failure."""
        scene = self._scene
        nothing: frozenset[str] = frozenset()
        waiting, seen = [(node, nothing)], set[tuple[int, frozenset[str]]]()
        while waiting:
            state = waiting.pop()
            if state in seen:
                continue
            if len(seen) == _WAY or state[0] == ir.EXIT:
                return False
            seen.add(state)
            node, failed = state
            instruction = scene.nodes[node]
            if isinstance(instruction, ir.Return):
                if not is_failure(instruction.src) and instruction.src not in failed:
                    return False
                continue
            changed = assigned(instruction)
            if changed:
                failed -= frozenset(changed)
            if isinstance(instruction, ir.Copy) and (is_failure(instruction.src) or instruction.src in state[1]):
                failed |= {instruction.dst}
            elif isinstance(instruction, ir.Call) and instruction.dst and not FAILING.isdisjoint(words_of(instruction.name)):
                failed |= {instruction.dst}  # `return error("no room");`
            waiting += [(each, failed) for each in scene.cfg.normal[node]]
        return bool(seen) and any(isinstance(scene.nodes[each], ir.Return) for each, _ in seen)

    def _test_of(self, node: int) -> int | None:
        """The branch that looks at the result of a call, right after it; something small may be done first that does not look
        at it (`if (file != stdin) fclose(file);`), or a call that gets nothing."""
        scene = self._scene
        call = self._sites[node].call
        names = {call.dst} if call.dst else set()
        for _ in range(2 * _STEPS):
            following = scene.cfg.normal[node]
            if len(following) == 2 and names and isinstance(scene.nodes[node], ir.Branch):
                following = self._behind(following)
            if len(following) != 1 or not names:
                return None
            node = following[0]
            match scene.nodes[node]:
                case ir.Branch(left=left, right=right):
                    if names & {left, right}:
                        return node
                case ir.Copy(dst=dst, src=src) if src in names:
                    names.add(dst)
                case ir.Op(dst=dst, operands=operands) if names & set(operands):
                    names.add(dst)
                case ir.Call(dst=dst, args=args) if dst or args:
                    return None
        return None

    def _behind(self, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Where the two sides of a branch meet, if nothing but calls without a result stands on them."""
        ways = [self._calls_from(side) for side in sides]
        return next(((node,) for node in ways[0] if node in ways[1]), ())

    def _calls_from(self, node: int) -> list[int]:
        """A node and those behind it, as far as they are calls without a result."""
        found = [node]
        while len(found) <= _STEPS and isinstance(call := self._scene.nodes[found[-1]], ir.Call) and not call.dst:
            following = self._scene.cfg.normal[found[-1]]
            if len(following) != 1:
                break
            found.append(following[0])
        return found

    def _filled(self, node: int) -> tuple[tuple[Transfer, ...], bool]:
        """What a call stores to variables whose addresses it is passed, when its result says that it has; and whether
        that is where the procedure itself looks for it."""
        scene, call = self._scene, self._sites[node].call
        if not self.bits or self._sites[node].acquired or not gives_away(call.name):
            return (), False
        condition, is_evident = None, True
        found = []
        for position, argument in enumerate(call.args):
            target = scene.addresses.get(argument, ())
            name = target[0] if len(target) == 1 else ""
            if not self._after[node] & self.bits.get(name, 0) or "*" not in scene.type_of(name):
                continue
            is_error = "".join(scene.type_of(name).split()) == GERROR_SLOT
            success = self._success(node, self.bits[name]) if condition is None or is_error else None
            if is_error:  # It is there where there is nothing else, whatever is believed of that.
                if told := told_where_it_is_read(scene, call, name) or (success[:1] if success is not None and success[1] else ()):
                    found.append(Transfer((), self._resources[name], "", (Outcome("return", told, "held", ((f"${position}", "*"),)),)))
                continue
            if success is not None:
                condition, is_evident = success
            if condition is not None:
                held = Outcome("return", (condition,), "held", ((f"${position}", "*"),))
                found.append(Transfer((), self._resources[name], "", (held,)))
        return tuple(found), is_evident

    def _success(self, node: int, bit: int) -> tuple[Condition, bool] | None:
        """What the result is when a call has done its work: on the one side of its test where the release lies. Where
        that does not tell, it is a guess."""
        scene = self._scene
        at = self._test_of(node)
        branch = scene.nodes[at] if at is not None else None
        if not isinstance(branch, ir.Branch) or at is None or len(scene.cfg.normal[at]) != 2:
            return None
        operator, value = (branch.operator, branch.right) if branch.operator != "true" else ("!=", "=0")
        if operator not in guard.NEGATED or not ir.is_literal(value):
            return None
        taken, other = (bool(self._before[side] & bit) for side in scene.cfg.normal[at])
        number, is_evident = guard.literal(value), taken != other
        if not is_evident:
            taken = (operator == "==" and number == guard.ZERO) or operator in (">", ">=") or (operator == "!=" and value.startswith("=-"))
        return Condition(("$ret",), operator if taken else guard.NEGATED[operator], value), is_evident

    def _made(self, node: int) -> Transfer | None:
        """What a maker gives that the procedure releases on some path."""
        call = self._sites[node].call
        if not call.dst or self._sites[node].acquired or is_compared_with(self._scene, call):
            return None
        if not (is_maker(call.name) or may_make(call.name) or self._is_counted(node) or self._is_taken_whole(call)):
            return None
        resource = self._is_released_here(node) or self._is_released_beside(node)
        if self._is_of_a_family(call) and (resource is not None or not (self._is_told_by_number(node) or self._is_status(node))):
            return Transfer((), OBJECT, "", (_HELD,))
        held = _OPEN if resource == _DESCRIPTOR else _HELD
        return Transfer((), resource, "", (held,)) if resource is not None else None

    def _is_counted(self, node: int) -> bool:
        """Whether a call gives a reference that is counted, by its name and those of what ends it (`node = node_ref(other); … node_unref(node);`)."""
        words = words_of(self._sites[node].call.name)
        return words[-1:] == ("ref",) and any("unref" in self._enders.get(name, ()) for _, name in self._takers(node))

    def _is_taken_whole(self, call: ir.Call) -> bool:
        """Whether a library's `free` gets the variable that a getter's answer is put in, and nothing else ever is: what is freed so is no
        view of somebody else's (`name = get_name(id); … free(name);`)."""
        scene = self._scene
        names = [call.dst] if not ir.is_temporary(call.dst) else [each.dst for each in scene.copies.get(call.dst, ())]
        if len(names) != 1 or not gives_away(call.name):
            return False
        made = (scene.nodes[each] for each in scene.definitions.get(names[0], ()))
        if not all(is_initialiser(each) or each is call or (isinstance(each, ir.Copy) and each.src in (call.dst, "=null")) for each in made):
            return False
        return self._resources.get(names[0]) == MEMORY and any(site.is_library and names[0] in self._released(site) for site in self._sites.values())

    def _is_told_by_number(self, node: int) -> bool:
        """Whether others learn of an object only by what a member says (`send(made->id)`): then somebody keeps it in a table."""
        names = {name for _, name in self._takers(node)}
        readers = [each for each in self._scene.nodes if not names.isdisjoint(operands(each)) and identity(each) not in names]
        looks = [each for each in readers if isinstance(each, ir.Load) and each.base in names]
        others = [
            each for each in readers
            if each not in looks and not isinstance(each, ir.Branch | ir.Load) and not (isinstance(each, ir.Store) and each.src not in names)
        ]
        return bool(looks) and not others

    def _is_status(self, node: int) -> bool:
        """Whether the result of a call is tested as a status is: right after it, or anywhere by the variable's name."""
        at, names = self._test_of(node), {name for _, name in self._takers(node)}
        if is_only_a_number(self._scene, names):
            return True
        by_name = [each for each in self._scene.nodes if isinstance(each, ir.Branch) and each.left in names]
        tests = [test] if at is not None and isinstance(test := self._scene.nodes[at], ir.Branch) else by_name
        return any(is_status(self._scene, self._sites[node].call, each, names) for each in tests)

    def _is_evident(self, node: int) -> bool:
        """Whether a maker by name is released here: what others give may be theirs at times."""
        return is_maker(self._sites[node].call.name) and self._is_released_here(node) is not None

    def _is_released_here(self, node: int) -> str | None:
        """The resource of which the procedure itself releases the result of a call on some path."""
        scene, at = self._scene, node
        call = self._sites[node].call
        name = call.dst or (self._value(call.args[0]) if call.args else "")
        for _ in range(_STEPS if name else 0):
            if name in self.bits and self._after[at] & self.bits[name] and (scene.c_types.may_point(scene.type_of(name)) or self._resources[name] == _DESCRIPTOR):
                return self._resources[name]
            following = scene.cfg.normal[at]
            if len(following) != 1:
                return None
            at = following[0]
            stored = scene.nodes[at]
            member = self._member((stored.base, stored.field)) if isinstance(stored, ir.Store) and stored.src == name else ""
            if member in self.bits and self._after[at] & self.bits[member]:
                return self._resources[member]
            if identity(stored) == name and assigned(stored):
                name = assigned(stored)[0]
        return None

    def _is_released_beside(self, node: int) -> str | None:
        """The resource of which the procedure releases the result of another call of the same maker."""
        name = self._sites[node].call.name
        others = [each for each, site in self._sites.items() if each != node and site.call.name == name and site.effects is None] if is_maker(name) else []
        return next(filter(None, map(self._is_released_here, others)), None)

    def _is_of_a_family(self, call: ir.Call) -> bool:
        """Whether the tree has the release that a maker's name asks for."""
        return self._is_mentioned(call.name, family(call.name))

    def _is_mentioned(self, maker: str, names: tuple[str, ...]) -> bool:
        known = self._families.get(maker)
        if known is None:
            known = self._families[maker] = any(self._scene.queries.mentioning(name) for name in names)
        return known


def _is_presumed(move: Move) -> bool:
    """Whether a callee is taken to keep an argument for no other reason than that it passes it to one that nobody knows."""
    kept = [outcome for outcome in move.outcomes if outcome.fate == "retained"]
    return len(move.entry) == 1 and bool(kept) and all(outcome.is_presumed for outcome in kept)


def _stays(outcome: Outcome, move: Move, site: CallSite) -> bool:
    """Whether a callee leaves what it gets where it was, but for what somebody unknown may do."""
    is_held = outcome.fate == "held" and all(len(path) == 1 and site.actuals.get(path[0]) == move.entry[0] for path in outcome.paths)
    return outcome.is_presumed or is_held


def _ends(move: Move) -> bool:
    """Whether a call is there to release a handle, not to make another of it."""
    is_remade = any(path[0] == "$ret" for outcome in move.outcomes for path in outcome.paths)
    return not is_remade and any(outcome.fate == "released" for outcome in move.outcomes)
