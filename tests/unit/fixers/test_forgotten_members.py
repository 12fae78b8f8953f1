"""Members that a destructor of C forgets: a patch in the destructor, safe only where a file shows whose they are."""

from __future__ import annotations

import pytest

from fixers import Declined, Fix
from fixers.edits import apply
from fixers.fix import Verdict
from tests.unit.fixers.patching import answers

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct ring { char *name; FILE *log; struct ring *next; };
"""
MAKER = """struct ring *ring_new(const char *name)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL)
        return NULL;
    ring->name = strdup(name);
    return ring;
}
"""


def _answer(*parts: str) -> Fix | Declined:
    [found] = answers("ring.c", (HEAD + "".join(parts)).encode())
    return found


def _patched(*parts: str) -> str:
    answer = _answer(*parts)
    assert isinstance(answer, Fix), answer.reason
    return apply((HEAD + "".join(parts)).encode(), answer.edits).decode()


@pytest.mark.parametrize(("body", "wanted"), [
    pytest.param(
        "    free(ring);\n", "    if (ring != NULL)\n        free(ring->name);\n    free(ring);\n", id="may be null",
    ),
    pytest.param(
        "    if (!ring)\n        return;\n    free(ring);\n",
        "    if (!ring)\n        return;\n    free(ring->name);\n    free(ring);\n", id="compared before",
    ),
    pytest.param(
        "    ring->next = NULL;\n    free(ring);\n",
        "    ring->next = NULL;\n    free(ring->name);\n    free(ring);\n", id="looked through before",
    ),
    pytest.param(
        "    while (ring) {\n        struct ring *next = ring->next;\n        free(ring);\n        ring = next;\n    }\n",
        "    while (ring) {\n        struct ring *next = ring->next;\n        free(ring->name);\n        free(ring);\n"
        "        ring = next;\n    }\n", id="a list",
    ),
    pytest.param(
        "    ring->next = NULL;\n    ring = ring->next;\n    free(ring);\n",
        "    ring->next = NULL;\n    ring = ring->next;\n    if (ring)\n        free(ring->name);\n    free(ring);\n", id="assigned since",
    ),
])
def test_the_member_goes_before_its_struct(body: str, wanted: str) -> None:
    found = _patched(MAKER, f"void ring_free(struct ring *ring)\n{{\n{body}}}\n")
    assert found == HEAD + MAKER + f"void ring_free(struct ring *ring)\n{{\n{wanted}}}\n".replace("if (ring)", "if (ring != NULL)")


def test_what_may_not_meet_null_is_tested() -> None:
    opener = MAKER.replace("ring->name = strdup(name)", 'ring->log = fopen(name, "r")')
    found = _patched(opener, "void ring_free(struct ring *ring)\n{\n    ring->next = NULL;\n    free(ring);\n}\n")
    assert "    if (ring->log != NULL)\n        fclose(ring->log);\n    free(ring);\n" in found


def test_what_a_function_of_the_program_frees_goes_by_it() -> None:
    drop = "void drop(void *block)\n{\n    if (block != NULL)\n        free(block);\n}\n"
    own = "char *text_new(const char *words)\n{\n    return strdup(words);\n}\nvoid text_free(char *text)\n{\n    free(text);\n}\n"
    end = "void ring_free(struct ring *ring)\n{\n    ring->next = NULL;\n    drop(ring);\n}\n"
    assert "    free(ring->name);\n    drop(ring);\n" in _patched(drop, MAKER, end)
    made = MAKER.replace("strdup(name)", "text_new(name)")
    use = "void use(void)\n{\n    text_free(text_new(\"one\"));\n}\n"
    assert "        text_free(ring->name);\n    drop(ring);\n" in _patched(drop, own, made, use, end)


@pytest.mark.parametrize("end", [
    pytest.param("void ring_free(struct ring *ring)\n{\n    if (ring) free(ring);\n}\n", id="no statement of a block"),
    pytest.param("void ring_free(struct ring *ring)\n{\n    free(ring), ring = NULL;\n}\n", id="part of a statement"),
])
def test_no_patch_where_there_is_no_place(end: str) -> None:
    assert isinstance(_answer(MAKER, end), Declined)


def test_what_only_the_author_knows_is_assumed() -> None:
    reader = "char *ring_name(struct ring *ring)\n{\n    return ring->name;\n}\n"
    answer = _answer(MAKER, reader, "void ring_free(struct ring *ring)\n{\n    free(ring);\n}\n")
    assert isinstance(answer, Fix)
    verdicts = {each.name: each.verdict for each in answer.proof}
    assert verdicts["finding is gone"] is verdicts["parses"] is verdicts["no new finding"] is Verdict.PROVED
    assert verdicts["released once"] is verdicts["no use after release"] is verdicts["released only if acquired"] is Verdict.ASSUMED


def test_what_a_strange_allocator_gave_goes_back_to_it() -> None:
    source = """#include <stdlib.h>
#include "own.h"
struct part { char *text; int *spots; };
struct part *part_new(size_t count)
{
    struct part *part = zmalloc(sizeof(struct part));
    part->text = NULL;
    part->spots = zmalloc(count * sizeof(int));
    return part;
}
void part_free(struct part *part)
{
    part->text = NULL;
    zfree(part);
}
"""
    [found] = answers("part.c", source.encode())
    assert isinstance(found, Fix)
    assert "    if (part->spots != NULL)\n        zfree(part->spots);\n    zfree(part);" in apply(source.encode(), found.edits).decode()
