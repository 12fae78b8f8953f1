"""Java types as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.frontends.java import type_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("java.util.List<X>", "java.util.List"),
        ("java.util.Map<K,java.util.List<V>>[]", "java.util.Map[]"),
        ("Outer<A>.Inner<B>", "Outer.Inner"),
        ("int", "int"),
    ],
)
def test_erasure(text: str, plain: str) -> None:
    assert type_text.erase(text) == plain


def test_arguments_are_those_of_the_innermost_class() -> None:
    assert type_text.arguments("java.util.Map<K,java.util.List<A,B>>") == ("K", "java.util.List<A,B>")
    assert type_text.arguments("Outer<A>.Inner<B>[]") == ("B",)
    assert type_text.arguments("Outer<A>.Inner") == ()


def test_missing_arguments_become_unknown() -> None:
    assert type_text.substitute("java.util.Map<#0,!1>", ("A",), ("X",)) == "java.util.Map<A,?>"
    assert type_text.substitute("java.util.Map<#0,!1>", ("A",)) == "java.util.Map<A,!1>"


def test_what_is_wholly_unknown_is_dropped() -> None:
    assert type_text.known("?[]") == ""
    assert type_text.known("java.util.List<?>") == "java.util.List"
    assert type_text.known("java.util.Map<?,B>") == "java.util.Map<?,B>"


def test_written_types_are_resolved_inside_out() -> None:
    names = {"List": "java.util.List", "X": "p.X"}
    resolve = lambda name: names.get(name, "")  # noqa: E731
    assert type_text.resolve_written("@Nullable List<? extends X>[]", resolve) == "java.util.List<p.X>[]"
    assert type_text.resolve_written("List<Missing>", resolve) == "java.util.List"
    assert type_text.resolve_written("Missing<X>", resolve) == ""
    assert type_text.resolve_written("X...", resolve) == "p.X[]"


@given(st.text(alphabet="Aa.<>,[]?@ #!01&", max_size=30))
def test_any_text_is_taken(text: str) -> None:
    type_text.erase(text)
    type_text.arguments(text)
    type_text.known(type_text.substitute(text, ("A",), ("B",)))
    type_text.resolve_written(text, lambda name: name)
