"""What all paths of a procedure say, by walks that know more and more.

The first walk knows only the variables that may hold the resource; where that proves too little all are known; after `LIMIT` steps, where
it is about a fix, all but counters; after `AGAIN` more nothing is proved. Where every way to the fix's releases leads by an acquisition, a
walk from there, where nothing is known of what came before, goes first. Where a walk about a fix of C grows long, one that keeps
little but the handles (`rough.py`) is tried in between: it may prove all, and refutes nothing. One from what is asked about alone is the
last of these: it knows nothing of what others acquired before, and doubts a release that may meet that. Where one of Java that is only to say
whether something is lost does, a search for one such path (`directed.py`) is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from analyzers.queries import Linked
from analyzers.summaries import Effects
from fixers.paths import rough, shape
from fixers.paths.directed import Search
from fixers.paths.explore import Walk
from fixers.paths.layout import Layout
from fixers.paths.question import Question
from fixers.paths.relevance import counters, holding, indices, irrelevant, sizes
from fixers.paths.report import Report

AGAIN = 3000
"""Steps of a walk behind one that came to no end: where it knows enough less, it is far shorter."""


def check(
    linked: Linked, effects: Mapping[int, tuple[Effects, ...]], question: Question, lost_at: Sequence[int] | None = None
) -> Report:
    """What all paths of a procedure say about the resource that `question` asks for. Where it is asked no more than whether that is lost, as
    a finding says that it is at the nodes `lost_at`, one path on which it is says enough."""
    report = Report()
    layout = Layout(linked, effects)
    holders = holding(linked, question.sites | question.others, question.owned, effects)
    dull = irrelevant(linked, holders) - sizes(linked, effects) - (indices(linked, holders) if not question.ours else frozenset())
    starts = () if shape.keeps_address(linked, holders) else shape.starting(linked, effects, question)
    alone = shape.starting_alone(linked, question) if starts else ()
    roughly: dict[tuple[int, ...], Walk] = {}

    def tried(is_last: bool) -> Report | None:
        """What a rough walk proves; the last time it goes on to its end."""
        for begins in (alone, starts) if alone else (starts,):
            if begins not in roughly:  # Several walks grow long, and it says the same to each.
                roughly[begins] = Walk(layout, question, dull, frozenset(holders), is_rough=True)
            walk = roughly[begins]
            if walk.waiting is None or (walk.waiting and walk.report.is_proved):
                walk.run(begins, pause=None if is_last else rough.EARLY)
            if walk.report.is_proved and not walk.waiting:
                return walk.report
        return None

    instead: Callable[[bool], Report | None] | None = tried if question.language == "c" and question.ours else None
    search = Search(layout, question, lost_at) if lost_at is not None else None
    late = search if question.language != "c" else None
    if late is not None:  # Most walks of Java are at their end before a search pays.
        first = functools.cache(late.first)
        search, instead = None, lambda is_last: None if is_last else first()
    is_cut, begun = False, None
    for ignored in dict.fromkeys((dull, frozenset[str]())) if starts else ():
        chosen = frozenset(holders) if ignored else None
        begun = Walk(layout, question, ignored, chosen, instead=instead)
        report = begun.run(starts)
        if report.is_proved:
            return report
        if not report.is_finished:
            is_cut = True
            break
    if search is not None and (lost := search.first()) is not None:
        return lost
    counted = counters(linked) if question.ours else frozenset[str]()  # What is there already need not be followed that far.
    for ignored in (dull, frozenset[str](), counted) if dull else (dull, counted):
        chosen = frozenset(holders) if dull and ignored is dull else None
        if search is not None and chosen is None and (lost := search.more()) is not None:
            return lost
        walk = Walk(layout, question, ignored, chosen, instead=instead)
        walk.limit = AGAIN if ignored is counted and not report.is_finished else walk.limit
        report = walk.run()
        if late is not None and late.found is not None:
            return late.found
        is_last = not ignored and (report.is_finished or not counted)
        is_guessed = chosen is not None and walk.has_returned_all  # One that knows more may find that it cannot.
        if (report.is_proved and not is_guessed) or is_last or (chosen is not None and not report.is_finished):
            break  # who knows more has more to walk
    if begun is None or report.is_finished or is_cut:
        return report
    # What a walk from the acquisitions sees to its end holds of all paths, whatever comes before them. One that knew less came to no end.
    begun.instead, begun.limit = None, begun.steps + AGAIN
    whole = begun.run(starts, is_whole=True)  # the last of them knew all
    return whole if whole.is_finished and not whole.is_refuted else report
