"""A spec file that cannot be used: one line that names file, entry and what was probably meant."""

from __future__ import annotations

import pytest

from analyzers.specs import SpecError, load

CASES = {
    "unknown key of a call": (
        '[[call]]\ncall = "f"\nrelaese = 0',
        "own.toml: call `f`: unknown key `relaese`, did you mean `release`?",
    ),
    "unknown key in an acquire list": (
        '[[resource]]\nname = "r"\nacquire = ["a", { call = "f", consums = 0 }]',
        "own.toml: resource `r`, acquire `f`: unknown key `consums`, did you mean `consumes`?",
    ),
    "unknown key in a move": (
        '[[call]]\ncall = "f"\nrelease = { argument = 0, onn = "any" }',
        "own.toml: call `f`: unknown key `onn`, did you mean `on`?",
    ),
    "unknown table": ("[[calls]]", "own.toml: unknown key `calls`, did you mean `call`?"),
    "unknown outcome": (
        '[[call]]\ncall = "f"\nconsumes = [{ argument = 0, on = "sucess" }]',
        "own.toml: call `f`: unknown value `sucess`, did you mean `success`?",
    ),
    "unknown failure": (
        '[[call]]\ncall = "f"\nfailure = "nul"\nrelease = 0',
        "own.toml: `f`: unknown failure `nul`, did you mean `null`?",
    ),
    "unknown resource": (
        '[[call]]\ncall = "f"\nacquire = "heap-memroy"',
        "own.toml: `f`: unknown resource `heap-memroy`, did you mean `heap-memory`?",
    ),
    "missing name": ('[[resource]]\nacquire = "f"', "own.toml: resource `number 1`: `name` is missing"),
    "wrong type": (
        '[[call]]\ncall = "f"\nreturns_receiver = 1',
        "own.toml: call `f`: `returns_receiver`: expected `bool`, got `int`",
    ),
    "no path": (
        '[[call]]\ncall = "f"\nrelease = "first"',
        "own.toml: `f`: `first` is no access path (`$0`, `this`, `$ret`, `$1.*`, `this.[]` are)",
    ),
    "no condition": (
        '[[call]]\ncall = "f"\nacquire = { resource = "file", when = "$1 is null" }',
        "own.toml: `f`: `$1 is null` is no condition (`$1 == null` is)",
    ),
    "no movement": (
        '[[call]]\ncall = "f"\ncontainer = "$0 to this"',
        "own.toml: `f`: `$0 to this` is no movement (`$0 => this.[]` is)",
    ),
    "nothing said": ('[[call]]\ncall = "f"', "own.toml: `f`: says nothing: `borrows = \"all\"` if it only uses what it gets"),
    "negative argument": ('[[call]]\ncall = "f"\nrelease = -1', "own.toml: `f`: `-1` is no argument (they count from 0)"),
    "wrong release": (
        '[[resource]]\nname = "r"\nrelease = [{ call = "f", argument = "x y" }]',
        "own.toml: resource `r`: `x y` is no access path (`$0`, `this`, `$ret`, `$1.*`, `this.[]` are)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_names_file_entry_and_nearest_key(name: str) -> None:
    text, message = CASES[name]
    with pytest.raises(SpecError) as caught:
        load(["c"], [("own.toml", f'language = "c"\n{text}\n')])
    assert str(caught.value) == message


def test_what_is_not_toml_is_an_error_with_its_line() -> None:
    with pytest.raises(SpecError, match=r"own\.toml: not TOML: .*line 2"):
        load(["c"], [("own.toml", 'language = "c"\nname =\n')])


def test_the_language_must_be_known() -> None:
    with pytest.raises(SpecError, match=r"own\.toml: .*'d'"):
        load(["c"], [("own.toml", 'language = "d"\n')])


def test_an_error_is_one_line() -> None:
    with pytest.raises(SpecError) as caught:
        load(["c"], [("own.toml", "\n\n[[[")])
    assert "\n" not in str(caught.value)
