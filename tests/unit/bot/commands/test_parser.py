"""Commands in comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.parser import Command, parse, resolve


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/leakcheck", (Command("run"),)),
        ("/leakcheck run", (Command("run"),)),
        ("  /leakcheck fix", (Command("fix"),)),
        ("/leakcheck fix 3F2A b1946ac92492d234", (Command("fix", ("3f2a", "b1946ac92492d234")),)),
        ("/leakcheck fix --pull-request", (Command("fix", wants_pull_request=True),)),
        ("/leakcheck fix --push 3f2a", (Command("fix", ("3f2a",), wants_push=True),)),
        ("```one line``` of code\n/leakcheck fix", (Command("fix"),)),
        ("/leakcheck ignore 3f2a the pool closes it", (Command("ignore", ("3f2a",), "the pool closes it"),)),
        ("Thanks!\n/leakcheck explain 3f2a\n\n/leakcheck pause", (Command("explain", ("3f2a",)), Command("pause"))),
        ("please run /leakcheck", ()),
        ("> /leakcheck fix", ()),
        ("    /leakcheck fix", ()),
        ("/leakcheckfix", ()),
        ("```\n/leakcheck fix\n```\n/leakcheck help", (Command("help"),)),
        ("````\n```\n/leakcheck fix\n```\n````", ()),
        ("~~~ text\n/leakcheck fix", ()),
    ],
)
def test_commands_are_read_where_they_stand_first_outside_code(body: str, expected: tuple[Command, ...]) -> None:
    assert parse(body) == expected


@pytest.mark.parametrize(
    "body",
    ["/leakcheck frobnicate", "/leakcheck explain", "/leakcheck explain zz", "/leakcheck ignore", "/leakcheck fix abc",
     "/leakcheck pause now", "/leakcheck fix 3f2a --pull-request", "/leakcheck fix --push --pull-request"],
)
def test_what_is_not_understood_says_why(body: str) -> None:
    (command,) = parse(body)
    assert command.verb == ""
    assert command.error


@given(st.text())
def test_any_text_parses(body: str) -> None:
    for command in parse(body):
        assert bool(command.verb) != bool(command.error)


def test_a_prefix_means_one_finding_or_lists_the_candidates() -> None:
    known = ["3f2a000000000000", "3f2b000000000000"]
    assert resolve("3f2a", known) == "3f2a000000000000"
    assert resolve("3f2", known) == tuple(known)
    assert resolve("9999", known) == ()
