"""A text that is made by a format has a copy of what the format prints."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

TEXT = """#include <stdlib.h>
#include <string.h>
char *check(const char *const *lines)
{{
    char *errors = text_new();
    int i;
    for (i = 0; lines[i] != NULL; i++) {{
        char *word = strdup(lines[i]);
        if (word == NULL)
            exit(1);
        if (word[0] == 'x') {{
            errors = {made};
            continue;
        }}
        free(word);
    }}
    if (text_length(errors) == 0) {{
        text_free(errors);
        return NULL;
    }}
    return errors;
}}
"""


@pytest.mark.parametrize(("made", "wanted"), [
    ('text_printf(errors, "%d: %s", i, word)', True),
    ('text_printf(errors, "%.*s", i, word)', True),
    ('text_printf(errors, "%p", word)', False),  # an address
    ('text_printf(errors, "%s", "", word)', False),  # no format says what becomes of it
    ('text_printf(errors, "100%", word)', False),
    ('text_join(errors, "", word)', False),
    ("text_of(errors, word)", False),
])  # fmt: skip
def test_what_a_format_prints(made: str, wanted: bool) -> None:
    found = [each for each in answers("x.c", TEXT.format(made=made).encode()) if isinstance(each, Fix) and "free(word)" in "".join(edit.text for edit in each.edits)]
    assert any(each.applicability is Applicability.SAFE for each in found) is wanted
