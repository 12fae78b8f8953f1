"""Which arguments of callees that nobody knows are surely only lent, for proofs: stricter than `beliefs`.

What a format prints; the object of a method that only looks at it or fills it; and what the procedure itself still owns when the callee has done its work: it releases it,
returns it or stores it somewhere afterwards, on a path where the result says success or is not looked at. A
callee that does not take a handle when it succeeds does not take it when it fails. Misses what is lent on other grounds.
"""

from __future__ import annotations

import functools

from analyzers import ir
from analyzers.graphs.liveness import solve_bits
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.c.evident import is_left_to_a_flag
from analyzers.handles.c.types import INTS, is_plain_c
from analyzers.handles.scene import Scene
from analyzers.handles.sites import CallSite
from analyzers.handles.unknown import is_method, is_release, is_releaser, is_taking, words_of

_FILLING = frozenset(("append", "appendf", "get", "put", "putf", "read", "write"))
_LOOKING = _FILLING | frozenset((
    "avail", "check", "cmp", "compare", "contains", "count", "dump", "empty", "eof", "equal", "equals", "fingerprint",
    "flags", "fileno", "len", "length", "name", "peek", "print", "printf", "ptr", "reserve", "reset", "rewind", "seek",
    "size", "tell", "type", "validate",
))
"""Last words of functions that neither keep nor end the object that they are named after."""

_COUNTING = frozenset(("hold", "lock", "own", "owner", "ownership", "ref", "reference", "retain", "shared", "strong"))
"""Words of what is given back by another call, where something gets it of an object."""

_NOT = ("un", "de", "dis", "u")
_TAKING_BACK = frozenset(("cancel", "forget", "hide", "join", "leave", "off", "out", "wait", "withdraw"))

_STEPS = 6
"""Instructions between a call and the test of its result."""


class Lending:
    """The calls of one procedure of C."""

    def __init__(self, scene: Scene, sites: dict[int, CallSite]) -> None:
        self._scene = scene
        self._sites = sites
        self._owned: dict[tuple[str, frozenset[int]], list[int]] = {}
        self._bases = {
            each.dst: each.base or f"::{each.field}" for each in scene.nodes
            if isinstance(each, ir.AddressOf) or (isinstance(each, ir.Load) and not each.base)
        }

    def positions(self, node: int) -> tuple[int, ...]:
        """The arguments of a call that are lent."""
        call = self._sites[node].call
        shown = printed(call)
        return tuple(
            position for position, argument in enumerate(call.args)
            if argument and not ir.is_literal(argument)
            and (position in shown or self._is_own_object(call, position) or self.is_kept_by_us(node, position) or self._is_read_in_turns(node, argument))
        )

    def is_kept_by_us(self, node: int, position: int) -> bool:
        """Whether the procedure still owns an argument when the callee has succeeded, whatever flags say."""
        call = self._sites[node].call if node in self._sites else None
        if call is None or position >= len(call.args) or ir.is_literal(call.args[position]):
            return False
        return self._is_kept_by_us(node, call.args[position]) and not is_left_to_a_flag(self._scene.linked, node, position, self._scene.queries)

    def _is_own_object(self, call: ir.Call, position: int) -> bool:
        """Whether a function that is named after the type of its first argument is named for looking or filling, too: at the end, or
        right behind that type (`buffer_append_space`)."""
        written = self._scene.type_of(self._source(call.args[0]))
        if position or call.kind != "function" or not is_method(call.name, written) or is_releaser(call.name):
            return False
        words, tag = words_of(call.name), words_of(written.replace("*", " ").split()[-1].removesuffix("_t"))
        verbs = [words[-1], *(words[len(tag) :][:1] if words[: len(tag)] == tag and not is_release(call.name) else ())]
        is_of_part = len(words) > len(tag) + 1 and words[: len(tag)] == tag and words[len(tag)] in ("get", "read") and _COUNTING.isdisjoint(words)  # `buffer_get_int(b)`
        return any(verb in _LOOKING and (len(call.args) > 1 or verb not in _FILLING or is_of_part) for verb in verbs)

    def _is_kept_by_us(self, node: int, argument: str) -> bool:
        """Whether the procedure still owns what it passes when the callee has succeeded."""
        call, scene = self._sites[node].call, self._scene
        name = self._source(argument)
        if call.kind != "function" or ir.is_temporary(name) or name in scene.addresses:
            return False
        if is_taking(call.name) or is_releaser(call.name) or call.dst == name:
            return False  # what is owned behind `s = append(s)` is another one
        owned = self._owned_before(name, self._undoing(call, name))
        if not call.dst or not self._is_looked_at(call.dst):
            return any(owned[after] for after in scene.cfg.normal[node])
        tested = self._success(node)
        return tested is not None and all(owned[side] for side in tested)

    def _is_read_in_turns(self, node: int, argument: str) -> bool:
        """Whether a loop passes the same stream again for as long as a callee succeeds, which leaves something else each time
        (`while (read_row(f, row, sizeof row) == 0)`)."""
        call, scene = self._sites[node].call, self._scene
        name = self._source(argument)
        written = scene.type_of(name).split("*")
        is_stream = len(written) == 2 and not written[1].strip() and written[0].split()[-1:] in (["FILE"], ["DIR"])
        if not is_stream or call.kind != "function" or ir.is_temporary(name) or (name,) in scene.addresses.values() or is_taking(call.name) or is_releaser(call.name):
            return False
        is_filling = any(each in scene.addresses or "]" in scene.type_of(self._source(each)) for each in call.args if each != argument and not ir.is_literal(each))
        tested = self._success(node) if call.dst and is_filling else None
        return tested is not None and len(tested) == 1 and self._comes_back(tested[0], node, name)

    def _comes_back(self, start: int, node: int, name: str) -> bool:
        """Whether control comes from one node to another, and nothing assigns a variable in between."""
        seen, waiting = set[int](), [start]
        while waiting:
            at = waiting.pop()
            if at == node:
                return True
            if at not in seen and name not in assigned(self._scene.nodes[at]):
                seen.add(at)
                waiting.extend(self._scene.cfg.normal[at])
        return False

    def _source(self, name: str) -> str:
        """The variable that a temporary is a copy of."""
        place = self._scene.loads.get(name, ()) if ir.is_temporary(name) else ()
        return place[0] if len(place) == 1 and place[0][:2] != "::" else name

    def _undoing(self, call: ir.Call, name: str) -> frozenset[int]:
        """The calls that may take back what a call has done with a variable: they get something else that the call got, or are named
        like its end. Whoever owns the variable behind one of them may have lent it until then only."""
        others = {place: self._is_number(each) for each in call.args if (place := self._place(each)) and place != (name,)}
        if call.dst:
            others[call.dst,] = self._is_number(call.dst)
        found, back = set(), _antonyms(call.name)
        for node in {node for place in (*others, (name,)) for node in self._users.get(place, ())}:
            site = self._sites[node]
            if site.call is call:
                continue
            shared = [place for each in site.call.args if (place := self._place(each)) in others or place == (name,)]
            is_unknown = site.effects is None or not site.effects.is_known
            is_back = is_unknown and (is_release(site.call.name) or not back.isdisjoint(words_of(site.call.name)))
            released = {self._place(move.entry[0]) for move in site.moves if any(one.fate == "released" for one in move.outcomes)}
            # A number alone (a descriptor) shows nothing but where the name says it.
            if any(is_back or (not others.get(place, True) and (is_unknown or place in released)) for place in shared):
                found.add(node)
        return frozenset(found)

    @functools.cached_property
    def _users(self) -> dict[tuple[str, ...], list[int]]:
        """The calls that get what lies at a place."""
        found: dict[tuple[str, ...], list[int]] = {}
        for node, site in self._sites.items():
            for place in {self._place(each) for each in site.call.args} - {()}:
                found.setdefault(place, []).append(node)
        return found

    def _place(self, operand: str) -> tuple[str, ...]:
        """Where what an operand says lies; empty for a literal."""
        if not operand or ir.is_literal(operand):
            return ()
        base = self._bases.get(operand)
        return (base,) if base else self._scene.loads.get(operand, (operand,)) if ir.is_temporary(operand) else (operand,)

    def _is_number(self, operand: str) -> bool:
        written = self._scene.type_of(operand) if operand not in self._bases else ""
        return is_plain_c(written) or not INTS.isdisjoint(written.split()[-1:])

    def _owned_before(self, name: str, undoing: frozenset[int]) -> list[int]:
        """Per node whether a path from it, on which the variable is not assigned and nothing undone, ends in a use that only an owner
        makes."""
        found = self._owned.get((name, undoing))
        if found is None:
            scene = self._scene
            names = {name, *(copy.dst for copy in scene.copies.get(name, ()) if ir.is_temporary(copy.dst))}
            reads, keeps = [0] * len(scene.nodes), [-1] * len(scene.nodes)
            for node in (node for each in names for node in self._owners.get(each, ())):
                reads[node] = 1
            for node in (*undoing, *scene.definitions.get(name, ())):
                keeps[node] = 0
            found = self._owned[name, undoing] = solve_bits(scene.cfg, reads, keeps)[0]
        return found

    @functools.cached_property
    def _owners(self) -> dict[str, list[int]]:
        """The uses of each variable that only an owner makes."""
        found: dict[str, list[int]] = {}
        for node in self._scene.cfg.order:
            for name in self._owned_at(node):
                found.setdefault(name, []).append(node)
        return found

    def _owned_at(self, node: int) -> tuple[str, ...]:
        match self._scene.nodes[node]:
            case ir.Return(src=src):
                return (src,)
            case ir.Store(base=base, src=src) if not ir.is_temporary(base) and not self._scene.is_aggregate(base):
                return (src,)
            case ir.Call() as call:
                released = call.args if len(call.args) == 1 and is_releaser(call.name) else ()
                moves = [each for each in self._sites[node].moves if len(each.entry) == 1]
                return (*released, *(each.entry[0] for each in moves if any(one.fate in ("released", "retained") for one in each.outcomes)))
            case _:
                return ()

    def _is_looked_at(self, name: str) -> bool:
        """Whether the procedure does anything with a value but pass it on."""
        return any(name in operands(node) and not isinstance(node, ir.Call) for node in self._scene.nodes)

    def _success(self, node: int) -> tuple[int, ...] | None:
        """Where control goes when a call has succeeded, by the test right after it: both ways where that does not tell."""
        scene = self._scene
        names = {self._sites[node].call.dst}
        for _ in range(_STEPS):
            following = scene.cfg.normal[node]
            if len(following) != 1:
                return None
            node = following[0]
            match scene.nodes[node]:
                case ir.Branch(operator=operator, left=left, right=right) if left in names or right in names:
                    sides = scene.cfg.normal[node]
                    failing = (operator, right) in (("==", "=-1"), ("<", "=0"), ("==", "=null"), ("!=", "=0"))
                    good = (operator, right) in (("!=", "=-1"), (">=", "=0"), ("!=", "=null"), ("==", "=0"))
                    if len(sides) != 2 or not (failing or good):
                        return sides
                    return (sides[1],) if failing else (sides[0],)
                case ir.Copy(dst=dst, src=src) if src in names:
                    names.add(dst)
                case ir.Op(dst=dst, operator="cast", operands=cast) if names & set(cast):
                    names.add(dst)
                case ir.Call() | ir.Op():
                    return None
        return None


def _antonyms(name: str) -> frozenset[str]:
    """The words that the name of a function may have which takes back what one of a name has done (`unlock`, `disarm`, `hide`)."""
    return _TAKING_BACK | frozenset(f"{prefix}{word}" for word in words_of(name) for prefix in _NOT)


def printed(call: ir.Call) -> frozenset[int]:
    """The arguments that a format among the arguments prints as text or numbers."""
    for position, argument in enumerate(call.args):
        if argument.startswith('="') and "%" in argument:
            kinds = _conversions(argument)
            if len(kinds) == len(call.args) - position - 1:
                return frozenset(position + 1 + n for n, kind in enumerate(kinds) if kind in "sdiuxXoc")
            return frozenset()
    return frozenset()


def _conversions(text: str) -> str:
    """The letter of each conversion of a format, `*` for a width that is an argument."""
    found = []
    parts = text.replace("%%", "").split("%")[1:]
    for part in parts:
        for letter in part:
            if letter == "*":
                found.append("*")
            elif letter not in "0123456789.-+ #'hlqjztL":
                found.append(letter)
                break
    return "".join(found)
