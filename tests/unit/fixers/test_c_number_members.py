"""What is stored in a member of an arithmetic type needs no stream any more (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """\
#include <stdio.h>
#include <string.h>
typedef struct {{ char *data; {type} size; }} blob;
int load(blob *b, const char *path)
{{
    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;
    b->size = {call};
    if (b->data[0])
        return -1;
    fclose(f);
    return 0;
}}
"""


def _is_mended(type_: str, call: str) -> bool:
    return mended("a.c", TEXT.format(type=type_, call=call).encode()).count(b"fclose(f);") == 2


@pytest.mark.parametrize(("type_", "call"), [("size_t", "fread(b->data, 1, 9, f)"), ("long", "ftell(f)"), ("int", "fgetc(f)")])
def test_a_number_in_an_object_outlives_the_stream_that_it_was_read_from(type_: str, call: str) -> None:
    assert _is_mended(type_, call)


@pytest.mark.parametrize(("type_", "call"), [("char *", "rest_of(f)"), ("union mixed", "rest_of(f)"), ("int", "fileno(f)")])
def test_what_may_lead_back_to_the_stream_does_not(type_: str, call: str) -> None:
    assert not _is_mended(type_, call)
