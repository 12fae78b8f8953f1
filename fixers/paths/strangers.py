"""What a call makes doubtful of the handles that it can reach, where nobody knows all of what it does.

Errs towards doubt: what is not known may be kept or released.
"""

from __future__ import annotations

import functools

from analyzers.summaries import AccessPath, Effects
from fixers.paths.names import PARSING, RELEASING
from fixers.paths.outcomes import is_lent, is_unsure
from fixers.paths.places import Places
from fixers.paths.question import Question
from fixers.paths.report import UNKNOWN
from fixers.paths.state import NULL, State


class Strangers:
    """One call with one of the Effects that it may have. `operands`: per argument, the receiver first, its root and its variable or literal."""

    def __init__(self, places: Places, effects: Effects, question: Question, operands: tuple[tuple[str, str], ...]) -> None:
        self.places = places
        self.site = places.site
        self.effects = effects
        self.question = question
        self.operands = operands

    def meet(self, state: State) -> None:
        """Handles that an unknown callee can reach, and that no transfer speaks of."""
        if not state.handles:
            return
        for root in self._suspects:
            self._doubt(state, (root,), f"`{self.site.call.name}` may release or keep something of it")
        for root in self._left:
            self._leave_behind(state, root)
        leading = self.places.leading_on(state, self._roots) if self._roots else ()
        for path in self._retained:
            if len(path) == 1 or path[0] in leading:
                self._doubt(state, path, f"`{self.site.call.name}` keeps it")
        if self.effects.is_known:
            return
        named, reason = self._named, f"`{self.site.call.name}` {UNKNOWN}"
        is_seen = bool(self.site.target and self.site.target.procedures)
        for root, _ in self.operands:
            value = self.places.actual(state, root)
            if value is not None and value.kind == "place" and not (is_seen and self.is_borrowed(state, root)):
                for each in state.reachable([value]):
                    if each in state.handles:
                        state.doubt(each, reason)
            is_new = self.question.language == "java" and self.site.call.kind == "new" and root == "this"
            if is_new and (value not in state.handles or (self.site.target and any(each.startswith("java.") for each in self.site.target.models))):
                continue  # it has nothing yet but what it captured, and the JDK tells nobody of a new object
            if (root,) not in named and not self.is_borrowed(state, root) and not self._is_own(state, root):
                self._doubt(state, (root,), reason)
                if self.question.language == "java" and root != "this" and self.site.call.kind != "new":
                    self._doubt_needed(state, root, reason)

    @functools.cached_property
    def _suspects(self) -> tuple[str, ...]:
        return tuple(sorted(self.question.suspects.get(self.site.node, ())))

    @functools.cached_property
    def _left(self) -> tuple[str, ...]:
        return tuple(sorted(self.question.left.get(self.site.node, ())))

    @functools.cached_property
    def _named(self) -> frozenset[AccessPath]:
        """What transfers speak of."""
        return frozenset(transfer.entry for transfer in self.effects.transfers if transfer.entry)

    @functools.cached_property
    def _retained(self) -> tuple[AccessPath, ...]:
        """What the call keeps, and no transfer surely speaks of. A rule for a whole library does not mean the caller's variable that the call
        fills (`g_thing_new_from_text(text, &error)`)."""
        is_read = self.question.language == "java" and self.site.call.name.startswith(PARSING)
        unsure = {t.entry for t in self.effects.transfers if not is_read and is_unsure(t, self.question)}
        kept = {t.entry for t in self.effects.transfers if t.entry} - unsure
        acquired = (path for each in self.effects.transfers if not each.entry for outcome in each.outcomes for path in outcome.paths)
        filled = {path[:1] for path in acquired if path[1:] == ("*",)} if self.effects.is_rule else set()
        return tuple(path for path in self.effects.retains if path not in kept | filled)

    @functools.cached_property
    def _roots(self) -> tuple[str, ...]:
        """The roots below which the call keeps something."""
        return tuple(dict.fromkeys(path[0] for path in self._retained if len(path) > 1))

    def _leave_behind(self, state: State, root: str) -> None:
        """A callee leaves something elsewhere that needs what it was given."""
        value = self.places.actual(state, root)
        if value is None or any(transfer.entry == (root,) for transfer in self.effects.transfers):
            return
        for each in state.below(value):
            if each in state.handles:
                state.doubt(each, f"what `{self.site.call.name}` leaves behind may need it")

    def _is_own(self, state: State, root: str) -> bool:
        """A method that a handle itself has is taken to use it, unless its name is that of a release."""
        value = self.places.actual(state, root) if root == "this" else None
        if value is None or self.site.call.kind == "new" or self.site.call.name in RELEASING:
            return False
        return value in state.handles

    def is_borrowed(self, state: State, root: str) -> bool:
        """What a callee surely borrows, though nobody knows all of it."""
        if root in self.question.lent.get(self.site.node, ()):
            value = self.places.actual(state, root)
            own = (value, state.variables.get(value.name) if value is not None and value.kind == "storage" else None)
            is_seen = bool(self.site.target and self.site.target.procedures)
            return is_seen or value is None or all(each in own for each in state.reachable([value]) if each in state.handles)
        if self.site.target is None or self.question.language != "c" or not root[1:].isdigit():
            return False
        return is_lent(self.site.target.parameters, self.site.call.args, int(root[1:]))

    def _doubt(self, state: State, path: AccessPath, reason: str) -> None:
        value = self.places.resolve(state, path, NULL)
        for each in state.reachable([value]) if value is not None else ():
            if each in state.handles:
                state.doubt(each, reason)

    def _doubt_needed(self, state: State, root: str, reason: str) -> None:
        """Whoever keeps what was made with the help of a handle uses that, too."""
        value = self.places.actual(state, root)
        for each in state.related([value]) if value is not None else ():
            if each in state.handles:
                state.doubt(each, reason)
