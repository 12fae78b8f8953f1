"""Which Effects a patch of C leaves as they are: those of procedures that call none of those that it changes.

What they do may still follow from beliefs, for which the text of their callers is read (who is shown to release what they give). A patch is judged
by what the text before it says of its callees: what it writes itself tells nothing of them.
"""

from __future__ import annotations

from analyzers.footprint import CONTENT, MENTION, NAME, PROCEDURE, SEPARATOR, WORDS
from analyzers.incremental.cells import COMPONENT, EFFECTS, LINKED, Cell
from analyzers.incremental.results import Results
from analyzers.incremental.trust import At, Trust
from analyzers.queries import ProcedureKey
from analyzers.source import language_of

_OF_A_BODY = (NAME, WORDS, CONTENT, MENTION, PROCEDURE)
"""Kinds of facts that differ where nothing but bodies of procedures does."""

Leans = dict[frozenset[ProcedureKey], dict[At, bool]]
"""By the procedures that a patch changes: what was found of results of the tree before it."""


class Leaning:
    """Of a patched tree: the results of the tree beside it that it takes as they are."""

    def __init__(self, near: Trust, results: Results, differing: frozenset[str] | None, known: Leans) -> None:
        """`near` knows what is valid in the tree beside; `differing` are the facts that differ (None: not known)."""
        self._near = near
        self._results = results
        self._changed = _changed(differing)
        self._known = known.setdefault(self._changed, {})

    def cell(self, key: ProcedureKey) -> Cell | None:
        """The Effects of a procedure in the tree beside, if they are what counts here, too."""
        if not self._changed or key in self._changed or self._leans((key, EFFECTS)):
            return None
        return self._cell((key, EFFECTS))

    def _leans(self, first: At) -> bool:
        """Whether a result rests on what a changed procedure does; where that cannot be told, too."""
        if (found := self._known.get(first)) is not None:
            return found
        seen: dict[At, At] = {first: first}
        waiting = [first]
        while waiting:
            at = waiting.pop()
            known, cell = self._known.get(at), self._cell(at)
            if known is False:
                continue
            if known or cell is None or self._is_own(at, cell):
                self._known[at] = True
                while at != first:
                    at = seen[at]
                    self._known[at] = True
                return True
            for read in cell.results:
                kind, asked = str(read.question[0]), read.question[1]
                if kind != LINKED and isinstance(asked, ProcedureKey) and (asked, kind) not in seen:
                    seen[asked, kind] = at
                    waiting.append((asked, kind))
        self._known.update(dict.fromkeys(seen, False))
        return False

    def _is_own(self, at: At, cell: Cell) -> bool:
        """Whether it is the result of a changed procedure, or of a circle that one of them may belong to."""
        return at[0] in self._changed or (at[1] == COMPONENT and any(read.question[1] in self._changed for read in cell.results))

    def _cell(self, at: At) -> Cell | None:
        mark = self._near.standing(*at)
        return self._results.marked(*at, mark) if mark else None


def _changed(differing: frozenset[str] | None) -> frozenset[ProcedureKey]:
    """The procedures of C whose bodies are all that differs; empty where more does, or nothing is known."""
    if differing is None or any(not each.startswith(_OF_A_BODY) for each in differing):
        return frozenset()
    places = [each[len(PROCEDURE) :].partition(SEPARATOR) for each in differing if each.startswith(PROCEDURE)]
    is_c = all(language_of(path) == "c" for path, _, _ in places)
    return frozenset(ProcedureKey(path, name) for path, _, name in places) if is_c else frozenset()
