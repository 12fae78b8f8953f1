"""Copies of bytes (C): of a text nothing is needed, of a struct that was given as bytes what its members lead to."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

SOURCE = """#include <netdb.h>
#include <stdlib.h>
#include <string.h>
static void *kept;
static void *bytes_of(const void *from, size_t length)
{{
    char *made = malloc(length);

    if (made == NULL)
        abort();
    memcpy(made, from, length);
    return made;
}}
static void *text_of(const char *from, size_t length)
{{
    return bytes_of(from, length);
}}
int keep(const char *host, int n)
{{
    struct addrinfo *found;
    const char *name;

    if (getaddrinfo(host, NULL, NULL, &found))
        return -1;
    name = found->ai_canonname;
    kept = {copy};
    if (n > 3)
        return -1;
    kept = NULL;
    freeaddrinfo(found);
    return 0;
}}
"""


def _is_safe(copy: str) -> bool:
    found = [each for each in answers("x.c", SOURCE.format(copy=copy).encode()) if "addrinfo" in each.finding.resource]
    assert len(found) == 1
    return isinstance(found[0], Fix) and found[0].applicability is Applicability.SAFE


@pytest.mark.parametrize("copy", ["bytes_of(name, 4)", "text_of(name, 4)"])
def test_a_copy_of_a_text_stands_alone(copy: str) -> None:
    assert _is_safe(copy)


@pytest.mark.parametrize("copy", ["bytes_of(found, sizeof(*found))", "text_of((char *)found, sizeof(*found))"])
def test_a_copy_of_a_struct_leads_where_the_struct_does(copy: str) -> None:
    assert not _is_safe(copy)
