from __future__ import annotations

import pytest

from bot.publishing.markers import Ignored, State, state_mark, state_of, without_commits


@pytest.mark.parametrize("reason", ["plain", "--> <b> @you & {}", "é\n\u200b", "\\u003e", '"quoted"', "}} -->"])
def test_what_people_decided_is_read_back_as_it_was(reason: str) -> None:
    state = State(ignored={"ab" * 8: Ignored("@ann", reason)}, is_paused=True)
    mark = state_mark(state)
    assert mark.count("-->") == 1 and "\n" not in mark
    assert state_of(f"text\n{mark}\n") == state


@pytest.mark.parametrize("body", ["", "<!-- leakmend:state {broken} -->", "<!-- leakmend:state {\"ignored\": 3} -->"])
def test_a_damaged_state_is_none(body: str) -> None:
    assert state_of(body) == State()


def test_many_reasons_are_cut_but_no_decision_is_lost() -> None:
    state = State(ignored={f"{number:016x}": Ignored("@ann", "because " * 30) for number in range(200)})
    mark = state_mark(state)
    assert len(mark) < 30_000
    assert state_of(mark).ignored.keys() == state.ignored.keys()


def test_another_commit_alone_makes_no_difference() -> None:
    assert without_commits(f"see {'a' * 40}") == without_commits(f"see {'b' * 40}\n")
