"""What a function with a plain name gives may be its own at times: no patch that releases it is safe."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = "struct value;\nint f(int key)\n{{\n    struct value *v = {made};\n    if (key > 9)\n        return -1;\n    value_free(v);\n    return 0;\n}}\n"


@pytest.mark.parametrize(("made", "is_safe"), [("make_value(key)", True), ("derive(key)", False)])
def test_only_what_a_maker_by_name_gives_is_safely_released(made: str, is_safe: bool) -> None:
    before = TEXT.format(made=made).encode()
    assert (mended("x.c", before) != before) is is_safe
