"""Every fixture with a `.fixed` file beside it: all safe fixes together give exactly that file, and end there. `unlinked` are those of C that
no program is made of: a library is not there, or nothing is mended."""

from __future__ import annotations

import pathlib

import pytest

from tests.conftest import check_golden
from tests.unit.fixers.patching import FIXTURES, mended

CASES = sorted(path for path in (*FIXTURES.glob("java/fixes/*.java"), *FIXTURES.glob("c/fixes/*.c"), *FIXTURES.glob("c/unlinked/*.c")) if ".fixed" not in path.name)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_fix(path: pathlib.Path) -> None:
    after = mended(path.name, path.read_bytes())
    check_golden(path.with_suffix(f".fixed{path.suffix}"), after.decode("utf-8"))
    assert mended(path.name, after) == after, "a fix of a fix is nothing"
