"""What a call may look at below an object that it is given: there must not be what is released by now."""

from __future__ import annotations

from analyzers.summaries import BELOW, Effects
from fixers.paths.elements import ELEMENT
from fixers.paths.names import CAPTURED, EMPTYING, RELEASING
from fixers.paths.places import Places
from fixers.paths.report import Report
from fixers.paths.state import NULL, State, Value, is_outside, kind


class Looks:
    """The looks of one call with one of the Effects that it may have."""

    def __init__(self, places: Places, effects: Effects, report: Report) -> None:
        self._places = places
        self._site = places.site
        self._effects = effects
        self._report = report

    def members(self, state: State, root: str, value: Value) -> None:
        """What a callee of C reads of an object that it is given, or may read where nobody knows it."""
        read = {path[1] for path in self._effects.reads if path[0] == root and len(path) > 1}
        is_any = not self._effects.is_known or BELOW in read or self._is_kept(root)
        looked_at = [value]
        for inner in looked_at:
            for (base, field), held in list(state.cells.items()):
                if base == inner and (is_any or field in read):
                    self._report.used_inside(state, held, self._site.node, self._site.call.name, is_sure=field in read)
                    if is_any and held not in looked_at:
                        looked_at.append(held)

    def fields(self, state: State, root: str, value: Value) -> None:
        """An object of Java whose fields hold what is released by now: its methods, or whoever is given it, may use that."""
        name = self._site.call.name
        is_end = is_releasing(name) and any(transfer.entry[:1] == (root,) for transfer in self._effects.transfers)
        if is_outside(value) or is_end or name in EMPTYING:
            return
        read = {self._places.resolve(state, path, NULL) for path in self._effects.reads if path[0] == root}
        for (base, field), held in list(state.cells.items()):
            if base == value and not kind(field):
                is_read = held in read or field.startswith((CAPTURED, ELEMENT))
                self._report.used_inside(state, held, self._site.node, name, is_sure=is_read)

    def _is_kept(self, root: str) -> bool:
        """Whether the call leaves an object with somebody else, who may look into it whenever he likes."""
        ends = [end for transfer in self._effects.transfers if transfer.entry == (root,) for end in transfer.outcomes]
        return any(end.fate == "retained" or (end.fate == "held" and any(path != (root,) for path in end.paths)) for end in ends)


def is_releasing(name: str) -> bool:
    """Whether a call is named for a release."""
    return "close" in name.lower() or name in RELEASING
