"""What names of functions of C say; any text may be one."""

from __future__ import annotations

import pytest

from analyzers.handles import unknown


@pytest.mark.parametrize("name", ["_", "__", "", "_1"])
def test_a_name_without_words_says_nothing(name: str) -> None:
    assert not unknown.is_ender(name)
    assert not unknown.is_releaser(name)
    assert not unknown.is_maker(name)


@pytest.mark.parametrize("name", ["pool_put", "entry_deinit", "FREE_CONST", "hub_free", "xdecref"])
def test_ends_have_their_names(name: str) -> None:
    assert unknown.is_ender(name)
