"""Macro expansion keeps the place of every byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers import ir
from analyzers.frontends.c.constants import constant_of
from analyzers.frontends.c.expand import Expansion, Text, tokens

MACROS = {
    each.name: each
    for each in (
        ir.Macro("ID", ("x",), "x", 0, 0),
        ir.Macro("TWICE", ("x",), "ID(x) + x", 0, 0),
        ir.Macro("GLUE", ("a", "b"), "a##b", 0, 0),
        ir.Macro("TEXT", ("a",), "#a", 0, 0),
        ir.Macro("SAY", ("f", "..."), "say(f, ##__VA_ARGS__)", 0, 0),
        ir.Macro("SELF", ("x",), "SELF(x)", 0, 0),
        ir.Macro("NAME", None, "ID", 0, 0),
    )
}


def expand(text: str) -> Text:
    return Text(Expansion(MACROS.get).expand(tokens(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ID(a)", "a"), ("TWICE(f(1, 2))", "f(1, 2) + f(1, 2)"), ("GLUE(a, 1)", "a1"), ("GLUE(,b)", "b"),
        ('TEXT(a "b")', '"a \\"b\\""'), ('SAY("x")', 'say("x")'), ('SAY("x", 1, 2)', 'say("x", 1, 2)'),
        ("SELF(1)", "SELF(1)"), ("NAME(a)", "a"), ("ID", "ID"), ("ID (a)", "a"), ("ID(", "ID("), ('"ID(a)"', '"ID(a)"'),
        ("/* ID(a) */", "/* ID(a) */"),
    ],
)  # fmt: skip
def test_expansion(text: str, expected: str) -> None:
    assert expand(text).text.replace(" ", "") == expected.replace(" ", "")


def test_arguments_keep_their_place_and_bodies_have_that_of_the_use() -> None:
    text = "a = TWICE(value) + b;"
    expanded = expand(text)
    for word in ("value", "b;"):
        at = expanded.text.index(word)
        assert text[expanded.start(at) : expanded.end(at + len(word))] == word
    plus = expanded.text.index("+")
    assert text[expanded.start(plus) : expanded.end(plus + 1)] == "TWICE(value)"


@given(st.text(alphabet="IDTWCEabx(),# \n\"'/*+", max_size=60))
def test_any_text_expands_and_places_lie_inside(text: str) -> None:
    expanded = expand(text)
    for at in range(len(expanded.text)):
        assert 0 <= expanded.start(at) <= expanded.end(at + 1) <= len(text)


@given(st.text(alphabet="0123456789+-*<>=!&|()~ xXab\"'", max_size=30))
def test_any_expression_has_a_value_or_none(text: str) -> None:
    assert constant_of(text, lambda name: "") == "" or constant_of(text, lambda name: "")[0] == "="


def test_directives_stay_as_they_are() -> None:
    line = "#define DROP() free(p)\nDROP();\n"
    macro = ir.Macro("DROP", (), "free(p)", 0, 0)
    text = Text(Expansion(lambda name: macro if name == "DROP" else None).expand(tokens(line))).text
    assert "".join(text.split()) == "#defineDROP()free(p)free(p);"
