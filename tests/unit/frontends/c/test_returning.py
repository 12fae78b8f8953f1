"""Macros without a definition that return, told by where they stand."""

from __future__ import annotations

import pytest

from analyzers.frontends import c

_HEAD = "int first(int n) {{ if (n) {0}(1); {0}(0); }}\n"


def _returning(text: str) -> tuple[str, ...]:
    return c.lower(text.encode()).returning


def test_the_last_that_a_function_with_a_result_does_is_one() -> None:
    assert _returning(_HEAD.format("debug_return_int")) == ("debug_return_int()",)


def test_those_of_its_family_are_too() -> None:
    text = _HEAD.format("debug_return_int") + "void second(int n) { if (n) debug_return; put(n); debug_return; }\n"
    assert _returning(text + "int third(int n) { if (n) { debug_return_bool(n); } return 1; }\n") == (
        "debug_return", "debug_return_bool()", "debug_return_int()",
    )


@pytest.mark.parametrize("name", ["give_up", "die_no_return", "returned", "cannot_return"])
def test_what_does_not_say_that_it_returns_may_end_the_program(name: str) -> None:
    assert _returning(_HEAD.format(name)) == ()


@pytest.mark.parametrize("name", ["task_return_if_error", "task_return_on_error", "check_task_return", "TASK_RETURN_UNLESS"])
def test_what_returns_only_where_something_holds_is_none(name: str) -> None:
    text = _HEAD.format("task_return") + f"void second(int n) {{ {name}(n); }}\n"
    assert _returning(text) == ("task_return()",) == _returning(text.replace(name, "task_return_void"))[:1]
    assert name + "()" not in _returning(_HEAD.format(name))


@pytest.mark.parametrize("text", [
    _HEAD.format("task_return") + "int second(int n) { task_return(n); put(n); return 1; }\n",
    _HEAD.format("task_return") + "void task_return(int n);\n",
    "void task_return(int n);\n" + _HEAD.format("task_return"),
    "void second(int n) { put(n); task_return(n); }\n",
    "int return_it;\nvoid second(int n) { put(n); return_it; }\n",
])
def test_a_function_is_none(text: str) -> None:
    assert _returning(text) == ()


def test_labels_and_directives_may_follow() -> None:
    text = "int first(int n) {\nswitch (n) {\ncase 1:\n  my_return_int(1);\ndefault:\n  break;\n}\n#ifdef A\nmy_return_int(2);\n#endif\nmy_return_int(0);\n}\n"
    assert _returning(text) == ("my_return_int()",)
