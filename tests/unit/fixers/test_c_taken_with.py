"""What a call took over while it made something ends with that: a patch does not release it a second time (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

OPENED = """#include <stdio.h>
#include <vorbis/vorbisfile.h>
int f(const char *name) {{
    FILE *stream = fopen(name, "rb");
    OggVorbis_File file;
    if (stream == NULL)
        return 1;
    if (ov_open(stream, &file, NULL, 0) != 0) {{
        fclose(stream);
        return 2;
    }}
    if (ov_info(&file, -1) == NULL) {{
        {early}
        return 3;
    }}
    ov_clear(&file);
    return 0;
}}
"""


def test_a_stream_that_nobody_has_closed() -> None:
    assert verdict(OPENED.format(early="puts(name);")) == "safe"


@pytest.mark.parametrize("early", ["fclose(stream);", "puts(name); fclose(stream);"])
def test_a_stream_that_is_closed_by_itself(early: str) -> None:
    assert verdict(OPENED.format(early=early)).startswith("unsafe: ")
